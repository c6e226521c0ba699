package lint

import (
	"context"
	"slices"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// dependencyIndexes are what the catalogs of a run offer each other and ask of each other, worked out when the first rule asks.
type dependencyIndexes struct {
	ctx      context.Context
	catalogs []*catalogs.Catalog
	// complete says that catalogs for the same OpenShift are all that a cluster has; if not, each is on its own.
	complete bool

	mu      sync.Mutex
	indexes map[*catalogs.Catalog]func() *DependencyIndex
}

// DependencyIndex is that of some catalogs, the first ones preferred by OLM.
type DependencyIndex struct {
	*resolve.DependencyIndex
	Catalogs   []*catalogs.Catalog
	err        error     // why there is nothing in it
	reportOnce sync.Once // of err
}

// indexFor returns the market that a catalog is in.
func (m *dependencyIndexes) indexFor(c *catalogs.Catalog) *DependencyIndex {
	m.mu.Lock()
	open := m.indexes[c]
	if open == nil {
		all := []*catalogs.Catalog{c}
		if m.complete && slices.Contains(m.catalogs, c) {
			all = slices.DeleteFunc(slices.Clone(m.catalogs), func(o *catalogs.Catalog) bool { return o.OpenShift != c.OpenShift })
		}
		open = sync.OnceValue(func() *DependencyIndex { return newDependencyIndex(m.ctx, all) })
		if m.indexes == nil {
			m.indexes = map[*catalogs.Catalog]func() *DependencyIndex{}
		}
		for _, of := range all {
			m.indexes[of] = open
		}
	}
	m.mu.Unlock()
	return open()
}

// newDependencyIndex reads nothing where no bundle asks for anything.
func newDependencyIndex(ctx context.Context, all []*catalogs.Catalog) *DependencyIndex {
	m := &DependencyIndex{Catalogs: all, DependencyIndex: &resolve.DependencyIndex{}}
	if slices.ContainsFunc(all, mayRequire) {
		m.err = m.read(ctx)
	}
	return m
}

func (m *DependencyIndex) read(ctx context.Context) error {
	var ready []*resolve.Catalog
	for _, c := range m.Catalogs {
		r, err := resolve.NewCatalog(ctx, c)
		if err != nil {
			return err
		}
		ready = append(ready, r)
	}
	full, err := resolve.NewDependencyIndex(ctx, ready...)
	if err == nil {
		m.DependencyIndex = full
	}
	return err
}

func mayRequire(c *catalogs.Catalog) bool {
	return slices.ContainsFunc(c.Packages, func(p *catalogs.Package) bool { return slices.ContainsFunc(p.Bundles, (*catalogs.Bundle).MayRequire) })
}

// DependencyIndex returns that of the catalog; an empty one where that cannot be read again, which is told once.
func (p *Pass) DependencyIndex() *DependencyIndex { return p.DependencyIndexOf(p.Catalog) }

func (p *Pass) DependencyIndexOf(c *catalogs.Catalog) *DependencyIndex {
	m := p.indexes.indexFor(c)
	if m.err != nil {
		m.reportOnce.Do(func() {
			p.cache.unreadable = append(p.cache.unreadable, Finding{Rule: ParseRuleID, Severity: Error, Gates: GateOPM, Message: m.err.Error()})
		})
	}
	return m
}

// Indexed returns what the market has of a bundle; false where no channel has it.
func (p *Pass) Indexed(m *DependencyIndex, pkg *catalogs.Package, b *catalogs.Bundle) (resolve.IndexedBundle, bool) {
	return m.Bundle(slices.Index(m.Catalogs, p.Catalog), pkg.Name.Value, b.Name.Value)
}

// PosOfBundle is where a bundle of the market stands.
func (m *DependencyIndex) PosOfBundle(o resolve.IndexedBundle) catalogs.Pos {
	if b := m.Catalogs[o.Catalog()].Package(o.Package()).Bundle(o.Name()); b != nil {
		return b.Pos
	}
	return catalogs.Pos{} // an entry without a bundle
}
