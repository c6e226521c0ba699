package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

func checkStuck(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	for _, s := range g.Stuck() {
		e := &c.Entries[s.Entry]
		if e.Bundle == nil {
			continue // catalog/entry-without-bundle says so
		}
		f := atEntry(g, s.Entry)
		f.Message = fmt.Sprintf("%q is stuck in channel %q: OLM v0 never upgrades it, since %s",
			e.Name.Value, c.Name.Value, stuckReason(g, s))
		f.Fix, f.Edits = stuckFix(g, s)
		for n, cut := range s.Blocked {
			if n > 0 && s.Blocked[n-1].Edge.To == cut.Edge.To {
				continue // skipped by what replaces it
			}
			f.Related = append(f.Related, Related{Pos: cut.Edge.Where.Pos, Message: fmt.Sprintf("%q %s it",
				g.Name(cut.Edge.To), cut.Edge.Kind)})
			if cut.SkippedBy.To >= 0 {
				f.Related = append(f.Related, Related{
					Pos:     cut.SkippedBy.Where.Pos,
					Message: fmt.Sprintf("%q skips %q, but not %q", g.Name(cut.SkippedBy.To), g.Name(cut.Edge.To), e.Name.Value),
				})
			}
		}
		p.Report(f)
	}
}

// stuckFix says how OLM v0 comes to upgrade a stuck entry, in words and as edits: what is both replaced and skipped is no longer
// skipped, or the entry and those that hang on it are skipped. Where all that is offered is older there is nothing to edit.
func stuckFix(g *graph.Graph, s graph.Stuck) (string, []catalogs.Edit) {
	name := g.Name(s.Entry)
	switch head, _ := g.Head(); {
	case len(s.Unskip) > 0:
		return removeSkips(g, s.Unskip)
	case s.FixEntry < 0:
		return fmt.Sprintf("publish a version above %s that replaces %q and skips %q",
			versionText(g.Channel.Entries[s.Entry].Bundle), g.Name(head), name), nil
	}
	names := append([]string{name}, namesOf(g, s.AlsoSkip)...)
	return fmt.Sprintf("add %s to the skips of %q", listAll(names), g.Name(s.FixEntry)), appendSkips(&g.Channel.Entries[s.FixEntry], names)
}

// removeSkips takes skips out of entries that also replace what they skip.
func removeSkips(g *graph.Graph, skips []graph.Edge) (string, []catalogs.Edit) {
	var out []string
	var edits []catalogs.Edit
	for _, e := range skips {
		out = append(out, fmt.Sprintf("%q from the skips of %q", g.Name(e.From), g.Name(e.To)))
		edits = append(edits, removeSkip(&g.Channel.Entries[e.To], g.Name(e.From))...)
	}
	return fmt.Sprintf("remove %s, which also %s", strings.Join(out, " and "), plural(len(out), "replaces it", "replace them")), edits
}

// stuckReason says why OLM v0 follows none of the edges out of a stuck entry.
func stuckReason(g *graph.Graph, s graph.Stuck) string {
	if len(s.Blocked) == 0 {
		return "no entry that it offers replaces, skips or covers it"
	}
	first := s.Blocked[0]
	to := g.Name(first.Edge.To)
	why := fmt.Sprintf("%q, which %s it, is not on the path to the head", to, first.Edge.Kind)
	if first.SkippedBy.To >= 0 {
		why = fmt.Sprintf("%q, which %s it, is itself skipped by %q", to, first.Edge.Kind, g.Name(first.SkippedBy.To))
	}
	if more := targets(s.Blocked) - 1; more > 0 {
		why += fmt.Sprintf(" (%d more like that)", more)
	}
	return why
}

// targets returns to how many entries cut edges lead; they are sorted by target.
func targets(cuts []graph.BlockedEdge) int {
	n := 0
	for i := range cuts {
		if i == 0 || cuts[i-1].Edge.To != cuts[i].Edge.To {
			n++
		}
	}
	return n
}

// checkStuckV1 reports once a channel, for mostly all have the same cause. It leaves the only head out: if that is not the
// newest, graph/head-not-newest says so.
func checkStuckV1(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	head, one := g.Head()
	stuck := slices.DeleteFunc(slices.Clone(g.DeadEndsV1()), func(i int) bool {
		return one && i == head || c.Entries[i].Bundle == nil
	})
	if len(stuck) == 0 {
		return
	}
	top := newest(g, g.Entries())
	f := atEntry(g, stuck[0])
	f.Cause, f.Each = []string{f.Channel}, namesOf(g, stuck)
	f.Message = fmt.Sprintf("OLM v1 has no upgrade from %s in channel %q: nothing replaces, skips or covers %s",
		allOf(namesOf(g, stuck)), c.Name.Value, plural(len(stuck), "it", "them"))
	f.Fix = fmt.Sprintf("let %q skip %s, or cover %[2]s with a skipRange", g.Name(top), plural(len(stuck), "it", "them"))
	f.Related = append(placesOf(g, stuck[1:min(4, len(stuck))], "%q is also stuck"), placesOf(g, []int{top}, "%q is the newest")...)
	p.Report(f)
}

// checkUnusedReplaces reports once a channel. In one that opm accepts it needs no edge between skipped entries either. Where all
// edges out of an entry are dead graph/stuck says so.
func checkUnusedReplaces(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	if !isValid(g) {
		return
	}
	var dead []graph.Edge
	for _, e := range g.UnusedReplaces() {
		_, moves := g.Next(e.From)
		if moves && g.Skipped(g.Name(e.To)) && g.Skipped(g.Name(e.From)) {
			dead = append(dead, e)
		}
	}
	if len(dead) == 0 {
		return
	}
	first := dead[0]
	f := atEntry(g, first.To)
	f.Cause = []string{f.Channel}
	f.Pos = firstKnown(first.Where.Pos, f.Pos)
	f.Message = fmt.Sprintf("OLM v0 never upgrades %q to %q, which replaces it, since both are skipped",
		g.Name(first.From), g.Name(first.To))
	if more := len(dead) - 1; more > 0 {
		f.Message += fmt.Sprintf(" (%d more in channel %q)", more, c.Name.Value)
	}
	f.Fix = fmt.Sprintf("the replaces of %q has no effect; remove it if it has no purpose", g.Name(first.To))
	p.Report(f)
}

// defaultMaxHops is how many automatic upgrades in a row are still fine.
const defaultMaxHops = 20

// checkManyHops reports once a channel, at the entry with the longest way.
func checkManyHops(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	limit := p.Config.MaxHops
	if limit == 0 {
		limit = defaultMaxHops
	}
	farthest, most, count := 0, limit, 0
	for _, i := range g.Entries() {
		hops, _, ok := g.Hops(i)
		if !ok || hops <= limit {
			continue
		}
		count++
		if hops > most {
			farthest, most = i, hops
		}
	}
	if count == 0 {
		return
	}
	_, end, _ := g.Hops(farthest)
	f := atEntry(g, farthest)
	f.Cause = []string{f.Channel}
	f.Message = fmt.Sprintf("OLM v0 makes %[2]d upgrades one after the other from %[1]q to %[3]q",
		g.Name(farthest), most, g.Name(end))
	if count > 1 {
		f.Message += fmt.Sprintf("; from %d entries of channel %q more than %d", count, c.Name.Value, limit)
	}
	f.Fix = "let newer entries skip versions that need not be installed, or cover them with a skipRange"
	p.Report(f)
}

// checkDifferentTargets reports once a channel. What is stuck under OLM v0 is left out: graph/stuck says so.
func checkDifferentTargets(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	head, ok := g.Head()
	if !ok {
		return
	}
	from := map[int][]int{}
	var ends []int
	for _, i := range g.Entries() {
		_, v0, ok := g.Hops(i)
		_, v1 := g.HopsV1(i)
		if !ok || v0 != head || v1 == head || i == head || g.ChoiceV1(v1).Refusal != nil {
			continue // of what is refused api/not-supported-v1 tells
		}
		if from[v1] == nil {
			ends = append(ends, v1)
		}
		from[v1] = append(from[v1], i)
	}
	if len(ends) == 0 {
		return
	}
	end := ends[0]
	f := atEntry(g, head)
	f.Cause = []string{f.Channel}
	f.Message = fmt.Sprintf("from %s OLM v0 upgrades to %q, the head of channel %q, but OLM v1 to %q",
		allOf(namesOf(g, from[end])), g.Name(head), c.Name.Value, g.Name(end))
	if len(ends) > 1 {
		f.Message += fmt.Sprintf(" (%d more cases like that)", len(ends)-1)
	}
	f.Fix = fmt.Sprintf("give %q the highest version of the channel, and do not deprecate it before others", g.Name(head))
	if newerThan(c.Entries[head].Bundle, c.Entries[end].Bundle) {
		f.Fix = fmt.Sprintf("let the skipRange of %q cover %q, so that OLM v1 can upgrade directly",
			g.Name(head), g.Name(end))
	}
	f.Related = placesOf(g, ends[:min(3, len(ends))], "OLM v1 ends at %q")
	p.Report(f)
}
