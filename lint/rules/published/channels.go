package published

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
)

// eachChanged makes a Check of a question about one channel that is in the base as well.
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

// changes are what has changed in channels, by those of the base.
type changes struct {
	memo.Map[*catalogs.Channel, *graph.Change]
}

func changeOf(p *lint.Pass, was, now *catalogs.Channel) *graph.Change {
	return lint.Shared[changes](p).Get(was, func() *graph.Change { return &graph.Change{Base: p.BaseGraph(was), Now: p.Graph(now)} })
}
