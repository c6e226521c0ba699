package lint

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
)

// eachChanged makes a Check of a question about one channel that is in the base as well.
func eachChanged(check func(*Pass, *graph.Change)) func(*Pass) {
	return func(p *Pass) {
		for _, was := range p.Base.Channels {
			now := p.Package.Channel(was.Name.Value)
			if now != nil && p.Base.Channel(was.Name.Value) == was {
				check(p, changeOf(p, was, now))
			}
		}
	}
}

// changes are what has changed in channels, by those of the base.
type changes struct {
	memo.Map[*catalogs.Channel, *graph.Change]
}

func changeOf(p *Pass, was, now *catalogs.Channel) *graph.Change {
	return Shared[changes](p).Get(was, func() *graph.Change { return &graph.Change{Base: p.BaseGraph(was), Now: p.Graph(now)} })
}

// checkChannelRemoved reports once a package: mostly several channels go at once, and for the same reason.
func checkChannelRemoved(p *Pass) {
	var gone []*graph.Graph
	for _, c := range p.Base.Channels {
		if p.Base.Channel(c.Name.Value) == c && p.Package.Channel(c.Name.Value) == nil {
			gone = append(gone, p.BaseGraph(c))
		}
	}
	if len(gone) == 0 {
		return
	}
	var names, lost []string
	var related []Related
	to := ""
	for _, g := range gone {
		names = append(names, g.Channel.Name.Value)
		related = append(related, Related{Pos: firstKnown(g.Channel.Name.Pos, g.Channel.Pos), Message: "where it was"})
		best, left := bestSwitch(p, g)
		lost = append(lost, left...)
		if to == "" {
			to = best
		}
	}
	n := len(names)
	f := Finding{Cause: oncePerPackage(), Each: names, Pos: firstKnown(p.Package.Name.Pos, p.Package.Pos), Related: related[:min(n, 3)]}
	if n == 1 {
		f.Channel = names[0]
	}
	f.Message = fmt.Sprintf("%s %s %s removed: OLM v0 resolves nothing in a namespace subscribed to %s",
		plural(n, "channel", "channels"), allOf(names), plural(n, "is", "are"), plural(n, "it", "one of them"))
	slices.Sort(lost)
	if lost = slices.Compact(lost); len(lost) > 0 {
		f.Message += fmt.Sprintf("; no other channel upgrades %s", allOf(lost))
	}
	f.Fix = fmt.Sprintf("restore %s and deprecate %[1]s first", plural(n, "it", "them"))
	if to != "" {
		f.Fix += fmt.Sprintf(", with a message that names channel %q", to)
	}
	p.Report(f)
}

// bestSwitch returns the channel to which most users of one that is gone can move, the default channel first, and the entries
// that no channel leads to its head.
func bestSwitch(p *Pass, g *graph.Graph) (best string, lost []string) {
	most := 0
	saved := map[string]bool{}
	for _, c := range defaultFirst(p.Package) {
		n := 0
		for _, fate := range (&graph.Change{Base: g, Now: p.Graph(c)}).Outcomes() {
			if fate.ReachesHead {
				saved[g.Name(fate.Entry)] = true
				n++
			}
		}
		if n > most {
			best, most = c.Name.Value, n
		}
	}
	return best, slices.DeleteFunc(namesOf(g, g.Entries()), func(name string) bool { return saved[name] })
}

func defaultFirst(p *catalogs.Package) []*catalogs.Channel {
	all := slices.Clone(p.Channels)
	slices.SortStableFunc(all, func(a, b *catalogs.Channel) int {
		switch p.DefaultChannel.Value {
		case b.Name.Value:
			return 1
		case a.Name.Value:
			return -1
		}
		return 0
	})
	return all
}
