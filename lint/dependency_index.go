package lint

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// dependencyIndexes builds the dependency index of each catalog of a run when a rule first needs it.
type dependencyIndexes struct {
	ctx      context.Context
	catalogs []*catalogs.Catalog
	// complete says that a cluster has all catalogs of its OpenShift version and no others; otherwise each catalog is indexed alone.
	complete bool
	known    *DependencyIndex // Options.Dependencies

	mu      sync.Mutex
	indexes map[*catalogs.Catalog]func() *DependencyIndex
	built   map[*catalogs.Catalog]*DependencyIndex
}

// DependencyIndex is the dependency index of Catalogs. OLM prefers the first of them.
type DependencyIndex struct {
	*resolve.DependencyIndex
	Catalogs   []*catalogs.Catalog
	err        error     // why the index is empty
	reportOnce sync.Once // of err
}

// indexFor returns the index of the catalogs that a cluster with this catalog has.
func (d *dependencyIndexes) indexFor(c *catalogs.Catalog) *DependencyIndex {
	d.mu.Lock()
	open := d.indexes[c]
	if open == nil {
		all := []*catalogs.Catalog{c}
		if d.complete && slices.Contains(d.catalogs, c) {
			all = slices.DeleteFunc(slices.Clone(d.catalogs), func(o *catalogs.Catalog) bool { return o.OpenShift != c.OpenShift })
		}
		open = sync.OnceValue(func() *DependencyIndex {
			if d.known != nil && slices.Equal(d.known.Catalogs, all) {
				return d.known
			}
			return newDependencyIndex(d.ctx, all)
		})
		if d.indexes == nil {
			d.indexes = map[*catalogs.Catalog]func() *DependencyIndex{}
		}
		for _, other := range all {
			d.indexes[other] = open
		}
	}
	d.mu.Unlock()
	built := open()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.built == nil {
		d.built = map[*catalogs.Catalog]*DependencyIndex{}
	}
	d.built[c] = built
	return built
}

// bundleFacts returns the facts of a bundle of the catalog if an index that has them is built, and nil otherwise.
func (d *dependencyIndexes) bundleFacts(c *catalogs.Catalog, b *catalogs.Bundle) *catalogs.Facts {
	d.mu.Lock()
	built := cmp.Or(d.built[c], d.known)
	d.mu.Unlock()
	if built == nil {
		return nil
	}
	return built.BundleFacts(slices.Index(built.Catalogs, c), b)
}

// newDependencyIndex indexes catalogs. It reads nothing if no bundle has requirements.
func newDependencyIndex(ctx context.Context, all []*catalogs.Catalog) *DependencyIndex {
	d := &DependencyIndex{Catalogs: all, DependencyIndex: &resolve.DependencyIndex{}}
	if slices.ContainsFunc(all, mayRequire) {
		d.err = d.read(ctx)
	}
	return d
}

func (d *DependencyIndex) read(ctx context.Context) error {
	var ready []*resolve.Catalog
	for _, c := range d.Catalogs {
		r, err := resolve.NewCatalog(ctx, c)
		if err != nil {
			return err
		}
		ready = append(ready, r)
	}
	full, err := resolve.NewDependencyIndex(ctx, ready...)
	if err == nil {
		d.DependencyIndex = full
	}
	return err
}

// mayRequire reports whether some bundle of a catalog may have requirements.
func mayRequire(c *catalogs.Catalog) bool {
	return slices.ContainsFunc(c.Packages, func(p *catalogs.Package) bool { return slices.ContainsFunc(p.Bundles, (*catalogs.Bundle).MayRequire) })
}

// DependencyIndex returns the dependency index of the catalog. It is empty if the catalog cannot be read again, which is reported
// once.
func (p *Pass) DependencyIndex() *DependencyIndex { return p.DependencyIndexFor(p.Catalog) }

// DependencyIndexFor is DependencyIndex for another catalog.
func (p *Pass) DependencyIndexFor(c *catalogs.Catalog) *DependencyIndex {
	p.asksOthers = true
	d := p.indexes.indexFor(c)
	if d.err != nil {
		d.reportOnce.Do(func() {
			p.cache.unreadable = append(p.cache.unreadable, Parse.finding(catalogs.Pos{}, d.err.Error(), ""))
		})
	}
	return d
}

// IndexedBundle returns a bundle of the catalog in an index. It returns false if the bundle is in no channel.
func (p *Pass) IndexedBundle(d *DependencyIndex, pkg *catalogs.Package, b *catalogs.Bundle) (resolve.IndexedBundle, bool) {
	return d.Bundle(slices.Index(d.Catalogs, p.Catalog), pkg.Name.Value, b.Name.Value)
}

// PosOfBundle returns the position of a bundle of the index, the zero Pos if the catalog does not define it.
func (d *DependencyIndex) PosOfBundle(o resolve.IndexedBundle) catalogs.Pos {
	if b := d.Catalogs[o.Catalog()].Package(o.Package()).Bundle(o.Name()); b != nil {
		return b.Pos
	}
	return catalogs.Pos{} // an entry without a bundle
}
