package published

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// checkChannelRemoved reports once per package: several channels are often removed together.
func checkChannelRemoved(p *lint.Pass) {
	var gone []*graph.Graph
	for _, c := range p.BasePackage.Channels {
		if p.BasePackage.Channel(c.Name.Value) == c && p.Package.Channel(c.Name.Value) == nil && !p.Catalog.MayBeUnread(c.Name.Value) {
			gone = append(gone, p.BaseGraph(c))
		}
	}
	if len(gone) == 0 {
		return
	}
	var names, lost []string
	var related []lint.Related
	to := ""
	for _, g := range gone {
		names = append(names, g.Channel.Name.Value)
		related = append(related, lint.Related{Pos: catalogs.KnownPos(g.Channel.Name.Pos, g.Channel.Pos), Message: "where it was"})
		best, left := bestSwitch(p, g)
		lost = append(lost, left...)
		if to == "" {
			to = best
		}
	}
	n := len(names)
	f := lint.Finding{Cause: lint.OncePerPackage(), Faults: names, Pos: catalogs.KnownPos(p.Package.Name.Pos, p.Package.Pos), Related: related[:min(n, 3)]}
	if n == 1 {
		f.Channel = names[0]
	}
	f.Message = fmt.Sprintf("%s %s %s removed: OLM v0 resolves nothing in a namespace subscribed to %s",
		phrase.Plural(n, "channel", "channels"), words.AllOf(names), phrase.Plural(n, "is", "are"), phrase.Plural(n, "it", "one of them"))
	slices.Sort(lost)
	if lost = slices.Compact(lost); len(lost) > 0 {
		f.Message += fmt.Sprintf("; no other channel upgrades %s", words.AllOf(lost))
	} else {
		f.Severity = lint.Warning
		f.Message += " until another channel is selected"
	}
	for i, name := range names {
		f.Changes = append(f.Changes, "channel/"+name)
		f.Details = append(f.Details, lint.Related{Pos: related[i].Pos, Message: fmt.Sprintf("channel %q is removed", name)})
	}
	for _, name := range lost {
		f.Details = append(f.Details, lint.Related{Message: fmt.Sprintf("no other channel upgrades %q", name)})
	}
	f.Restores = true
	f.Fix = fmt.Sprintf("restore %s and deprecate %[1]s first", phrase.Plural(n, "it", "them"))
	if to != "" {
		f.Fix += fmt.Sprintf(", with a message that names channel %q", to)
	}
	p.Report(f)
}

// bestSwitch returns the channel that upgrades most entries of a removed channel to its head, the default channel first, and the
// entries that no channel upgrades to its head.
func bestSwitch(p *lint.Pass, g *graph.Graph) (best string, lost []string) {
	most := 0
	upgraded := map[string]bool{}
	for _, c := range defaultFirst(p.Package) {
		n := 0
		for _, outcome := range (&graph.Change{Base: g, Now: p.Graph(c)}).Outcomes() {
			if outcome.ReachesHead {
				upgraded[g.Name(outcome.Entry)] = true
				n++
			}
		}
		if n > most {
			best, most = c.Name.Value, n
		}
	}
	return best, slices.DeleteFunc(g.Names(g.Entries()), func(name string) bool { return upgraded[name] })
}

// defaultFirst returns the channels of a package, the default channel first.
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
