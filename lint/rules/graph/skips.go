package graph

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

func checkSkipsItems(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	for i := range c.Entries {
		f, items := edges.AtEntry(g, i), []string{}
		for n, skip := range c.Entries[i].Skips {
			if skip.Value != "" || versions.HasTypeProblem(p.Catalog, skip.Pos) {
				continue
			}
			if len(items) == 0 {
				f.Pos = catalogs.KnownPos(skip.Pos, f.Pos)
			}
			items = append(items, strconv.Itoa(n+1))
			f.Edits = append(f.Edits, edges.RemoveText(skip)...)
		}
		if len(items) == 0 {
			continue
		}
		one := len(items) == 1
		f.Names = items
		f.Message = fmt.Sprintf("%s %s in the skips of %q %s empty, which opm rejects", words.Plural(len(items), "item", "items"), words.JoinSome(items, 2),
			c.Entries[i].Name.Value, words.Plural(len(items), "is", "are"))
		f.Fix = "remove them, or write the names of the entries to skip"
		if one {
			f.Fix = "remove it, or write the name of the entry to skip"
		}
		p.Report(f)
	}
}

func checkDuplicateSkips(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	for _, i := range g.Entries() {
		f := edges.AtEntry(g, i)
		f.Cause = []string{f.Channel, f.Bundle}
		first := map[string]catalogs.Text{}
		for _, skip := range c.Entries[i].Skips {
			other, again := first[skip.Value]
			switch {
			case !again:
				first[skip.Value] = skip
			case skip.Value != "":
				if len(f.Faults) == 0 {
					f.Pos = catalogs.KnownPos(skip.Pos, f.Pos)
					f.Related = []lint.Related{{Pos: other.Pos, Message: "first skipped here"}}
				}
				if f.Edits = append(f.Edits, edges.RemoveText(skip)...); !slices.Contains(f.Faults, skip.Value) {
					f.Faults = append(f.Faults, skip.Value)
				}
			}
		}
		if len(f.Faults) > 0 {
			f.Message = fmt.Sprintf("%q skips %s twice: one of them may be a mistake for another name", c.Entries[i].Name.Value, words.QuoteSome(f.Faults))
			f.Fix = "remove one, or correct it"
			p.Report(f)
		}
	}
}

// checkReplacesAndSkips reports entries that replace and skip the same entry. It is an info if opm and OLM v0 accept the channel.
func checkReplacesAndSkips(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	for _, skip := range replacedAndSkipped(g) {
		i, below := skip.To, skip.From
		e := &c.Entries[i]
		f := edges.AtEntry(g, i)
		f.Pos = catalogs.KnownPos(skip.Where.Pos, f.Pos)
		f.Cause = []string{f.Channel, f.Bundle, e.Replaces.Value}
		f.Message = fmt.Sprintf("%q both replaces and skips %q: it cannot be installed, nor any entry below it",
			e.Name.Value, e.Replaces.Value)
		f.Fix, f.Details = replacesOrSkipsFix(g, i, below), unskipDetails(g, g.Unskip(below))
		f.Related = []lint.Related{{Pos: e.Replaces.Pos, Message: "replaced here"}}
		if edges.IsValid(g) {
			f.Severity = lint.Info
		}
		p.Report(f)
	}
}

// replacedAndSkipped returns the skips of entries that their own entry replaces as well, if these replace others. Those because of
// which entries are stuck, and of stuck entries, are left to graph/stuck and graph/stranded.
func replacedAndSkipped(g *graph.Graph) []graph.Edge {
	var all, reported []graph.Edge
	stuck := map[int]bool{}
	for _, s := range g.Stuck() {
		stuck[s.Entry] = true
		reported = append(reported, s.Unskip...)
	}
	for _, i := range g.Entries() {
		below, ok := g.Index(g.Channel.Entries[i].Replaces.Value)
		if !ok || below == i || !replacesAny(g, below) {
			continue
		}
		for _, skip := range g.Edges(below) {
			if skip.To == i && skip.Kind == graph.Skips && !slices.Contains(reported, skip) && (!stuck[below] || edges.IsDowngrade(g, skip)) {
				all = append(all, skip)
			}
		}
	}
	return all
}

// replacesOrSkipsFix says which of the two an entry should keep.
func replacesOrSkipsFix(g *graph.Graph, i, below int) string {
	name := g.Name(below)
	byOther := slices.ContainsFunc(g.Edges(below), func(e graph.Edge) bool { return e.Kind == graph.Skips && e.To != i })
	skips := g.Unskip(below)
	switch {
	case len(skips) > 1:
		return removeSkipsFix(g, skips)
	case len(skips) == 1 || byOther:
		return fmt.Sprintf("remove %q from the skips, unless all entries below it are to be skipped too", name)
	}
	return fmt.Sprintf("remove %q from the replaces of %q, which also skips it", name, g.Name(i))
}

// replacesAny reports whether an entry replaces another one of the channel.
func replacesAny(g *graph.Graph, i int) bool {
	below, ok := g.Index(g.Channel.Entries[i].Replaces.Value)
	return ok && below != i
}

// checkSelfReference reports entries that name themselves. A skipRange that covers its own version has no effect: newer entries come first.
func checkSelfReference(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	var corrected *graph.Graph
	for _, i := range g.Entries() {
		f := edges.AtEntry(g, i)
		own, named := edgeBetween(g, i, i)
		if !named || rejectedForSelf(g, i) {
			continue // reported by graph/no-head and graph/cycle
		}
		f.Cause = []string{f.Channel, f.Bundle, own.Kind.String()}
		f.Pos = catalogs.KnownPos(own.Where.Pos, f.Pos)
		if corrected == nil {
			corrected = edges.WithCorrectedNames(p, g)
		}
		f.Message, f.Fix, f.Edits = selfReference(corrected, i, own)
		p.Report(f)
	}
}

// rejectedForSelf reports whether a channel has no head, or a cycle, because an entry names itself.
func rejectedForSelf(g *graph.Graph, i int) bool {
	if len(g.Heads()) == 0 {
		return i == edges.Newest(g, g.Entries()) && hasOnlySelfEdges(g, i)
	}
	loop := g.Chain().Cycle
	if _, err := g.Order(); loop == nil && err != nil {
		loop = err.Cycle
	}
	return len(loop) == 2 && loop[0] == g.Name(i)
}

// selfReference returns message, fix and edits for an entry that replaces or skips itself. If it must stay skipped, its successor
// has to skip it.
func selfReference(g *graph.Graph, i int, own graph.Edge) (message, fix string, edits []edit.Edit) {
	name := g.Name(i)
	edits = edges.RemoveSelfReference(g, i, own)
	if own.Kind == graph.Replaces {
		message, fix = fmt.Sprintf("%q replaces itself", name), "name the entry before it"
		if edits != nil {
			fix = "remove replaces, or " + fix
		}
		return message, fix, edits
	}
	message = fmt.Sprintf("%q skips itself: it is not a head, and OLM v0 never offers it", name)
	if edits != nil {
		return message, fmt.Sprintf("remove %q from its own skips", name), edits
	}
	to, ok := successor(g, i)
	if !ok || edges.HasNewProblems(g, edges.WithEntry(edges.WithEntry(g, i, edges.RemovingSkip(name)), to, edges.AddingSkips(name))) {
		head, _ := g.Head()
		return message, fmt.Sprintf("publish a version above %s that replaces %q and skips %q, and remove %[3]q from its own skips",
			versions.OfEntry(&g.Channel.Entries[i]), g.Name(head), name), nil
	}
	return message, fmt.Sprintf("add %s to the skips of %q, and remove it from its own", name, g.Name(to)),
		append(edges.AppendSkips(&g.Channel.Entries[to], []string{name}), edges.RemoveSkip(&g.Channel.Entries[i], name)...)
}

// successor returns the entry that OLM v0 upgrades another one to, or the one that should skip it if it is stuck; false if that
// is older or missing.
func successor(g *graph.Graph, i int) (int, bool) {
	if next, ok := g.Next(i); ok {
		return next.To, g.Version(i) != nil && !edges.IsDowngrade(g, next)
	}
	all := g.Stuck()
	at := slices.IndexFunc(all, func(s graph.Stuck) bool { return s.Entry == i })
	if at < 0 || all[at].FixEntry < 0 {
		return 0, false
	}
	return all[at].FixEntry, true
}
