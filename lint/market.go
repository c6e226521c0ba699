package lint

import (
	"context"
	"slices"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// markets are what the catalogs of a run offer each other and ask of each other, worked out when the first rule asks.
type markets struct {
	ctx      context.Context
	catalogs []*catalogs.Catalog
	// complete says that catalogs for the same OpenShift are all that a cluster has; if not, each is on its own.
	complete bool

	mu    sync.Mutex
	known map[*catalogs.Catalog]func() *market
}

// market is that of some catalogs, the first ones preferred by OLM.
type market struct {
	*resolve.DependencyIndex
	of   []*catalogs.Catalog
	err  error     // why there is nothing in it
	told sync.Once // of err
}

// one returns the market that a catalog is in.
func (m *markets) one(c *catalogs.Catalog) *market {
	m.mu.Lock()
	open := m.known[c]
	if open == nil {
		all := []*catalogs.Catalog{c}
		if m.complete && slices.Contains(m.catalogs, c) {
			all = slices.DeleteFunc(slices.Clone(m.catalogs), func(o *catalogs.Catalog) bool { return o.OpenShift != c.OpenShift })
		}
		open = sync.OnceValue(func() *market { return openMarket(m.ctx, all) })
		if m.known == nil {
			m.known = map[*catalogs.Catalog]func() *market{}
		}
		for _, of := range all {
			m.known[of] = open
		}
	}
	m.mu.Unlock()
	return open()
}

// openMarket reads nothing where no bundle asks for anything.
func openMarket(ctx context.Context, all []*catalogs.Catalog) *market {
	m := &market{of: all, DependencyIndex: &resolve.DependencyIndex{}}
	if slices.ContainsFunc(all, asks) {
		m.err = m.read(ctx)
	}
	return m
}

func (m *market) read(ctx context.Context) error {
	var ready []*resolve.Catalog
	for _, c := range m.of {
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

func asks(c *catalogs.Catalog) bool {
	return slices.ContainsFunc(c.Packages, func(p *catalogs.Package) bool { return slices.ContainsFunc(p.Bundles, (*catalogs.Bundle).MayRequire) })
}

// market returns that of the catalog; an empty one where that cannot be read again, which is told once.
func (p *Pass) market() *market { return p.marketOf(p.Catalog) }

func (p *Pass) marketOf(c *catalogs.Catalog) *market {
	m := p.markets.one(c)
	if m.err != nil {
		m.told.Do(func() {
			p.facts.unread = append(p.facts.unread, Finding{Rule: ParseRule, Severity: Error, Gates: GateOPM, Message: m.err.Error()})
		})
	}
	return m
}

// offer returns what the market has of a bundle; false where no channel has it.
func (p *Pass) offer(m *market, pkg *catalogs.Package, b *catalogs.Bundle) (resolve.IndexedBundle, bool) {
	return m.Bundle(slices.Index(m.of, p.Catalog), pkg.Name.Value, b.Name.Value)
}

// pos is where a bundle of the market stands.
func (m *market) pos(o resolve.IndexedBundle) catalogs.Pos {
	if b := m.of[o.Catalog()].Package(o.Package()).Bundle(o.Name()); b != nil {
		return b.Pos
	}
	return catalogs.Pos{} // an entry without a bundle
}
