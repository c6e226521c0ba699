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
	indexes map[*catalogs.Catalog]func() *dependencyIndex
}

// dependencyIndex is that of some catalogs, the first ones preferred by OLM.
type dependencyIndex struct {
	*resolve.DependencyIndex
	catalogs   []*catalogs.Catalog
	err        error     // why there is nothing in it
	reportOnce sync.Once // of err
}

// of returns the market that a catalog is in.
func (m *dependencyIndexes) of(c *catalogs.Catalog) *dependencyIndex {
	m.mu.Lock()
	open := m.indexes[c]
	if open == nil {
		all := []*catalogs.Catalog{c}
		if m.complete && slices.Contains(m.catalogs, c) {
			all = slices.DeleteFunc(slices.Clone(m.catalogs), func(o *catalogs.Catalog) bool { return o.OpenShift != c.OpenShift })
		}
		open = sync.OnceValue(func() *dependencyIndex { return openDependencyIndex(m.ctx, all) })
		if m.indexes == nil {
			m.indexes = map[*catalogs.Catalog]func() *dependencyIndex{}
		}
		for _, of := range all {
			m.indexes[of] = open
		}
	}
	m.mu.Unlock()
	return open()
}

// openDependencyIndex reads nothing where no bundle asks for anything.
func openDependencyIndex(ctx context.Context, all []*catalogs.Catalog) *dependencyIndex {
	m := &dependencyIndex{catalogs: all, DependencyIndex: &resolve.DependencyIndex{}}
	if slices.ContainsFunc(all, mayRequire) {
		m.err = m.read(ctx)
	}
	return m
}

func (m *dependencyIndex) read(ctx context.Context) error {
	var ready []*resolve.Catalog
	for _, c := range m.catalogs {
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

// dependencyIndex returns that of the catalog; an empty one where that cannot be read again, which is told once.
func (p *Pass) dependencyIndex() *dependencyIndex { return p.dependencyIndexOf(p.Catalog) }

func (p *Pass) dependencyIndexOf(c *catalogs.Catalog) *dependencyIndex {
	m := p.indexes.of(c)
	if m.err != nil {
		m.reportOnce.Do(func() {
			p.cache.unreadable = append(p.cache.unreadable, Finding{Rule: ParseRule, Severity: Error, Gates: GateOPM, Message: m.err.Error()})
		})
	}
	return m
}

// indexed returns what the market has of a bundle; false where no channel has it.
func (p *Pass) indexed(m *dependencyIndex, pkg *catalogs.Package, b *catalogs.Bundle) (resolve.IndexedBundle, bool) {
	return m.Bundle(slices.Index(m.catalogs, p.Catalog), pkg.Name.Value, b.Name.Value)
}

// posOfBundle is where a bundle of the market stands.
func (m *dependencyIndex) posOfBundle(o resolve.IndexedBundle) catalogs.Pos {
	if b := m.catalogs[o.Catalog()].Package(o.Package()).Bundle(o.Name()); b != nil {
		return b.Pos
	}
	return catalogs.Pos{} // an entry without a bundle
}
