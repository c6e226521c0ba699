package published

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
)

// eachChanged returns a Check that calls check for each channel that the base has too.
func eachChanged(check func(*lint.Pass, *graph.Change)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		for _, was := range p.BasePackage.Channels {
			now := p.Package.Channel(was.Name.Value)
			if now != nil && p.BasePackage.Channel(was.Name.Value) == was {
				check(p, changeOf(p, was, now))
			}
		}
	}
}

// changes caches the changes of channels, by the channel of the base.
type changes struct {
	memo.Map[*catalogs.Channel, *graph.Change]
}

// changeOf returns the change of a channel, computed once for all rules.
func changeOf(p *lint.Pass, was, now *catalogs.Channel) *graph.Change {
	return lint.Shared[changes](p).Get(was, func() *graph.Change { return &graph.Change{Base: p.BaseGraph(was), Now: p.Graph(now)} })
}
