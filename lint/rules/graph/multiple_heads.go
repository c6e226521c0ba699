package upgrades

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// headGates are the gates of a channel with several heads.
const headGates = lint.GateOPM | lint.GateOLMv0

var multipleHeads = lint.Rule{
	ID: "graph/multiple-heads", Severity: lint.Error, Gates: headGates,
	Doc: `a channel has several heads
Exactly one entry of a channel can be neither replaced nor skipped by another. With several, opm rejects the catalog, and OLM v0
resolves nothing in a namespace subscribed to the channel. A skipRange does not count here.
Let the newest entry replace or skip the others; often a name in replaces is misspelt.`,
	Reference: "operator-registry alpha/model Channel.Head; OLM resolver sortChannel",
	Check:     lint.EachChannel(checkMultipleHeads),
}

func checkMultipleHeads(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	heads := g.Heads()
	if len(heads) < 2 {
		return
	}
	top := edges.Newest(g, heads)
	rest := edges.Without(heads, top)
	f := edges.AtEntry(g, rest[0])
	f.Cause, f.Faults = []string{f.Channel}, edges.NamesOf(g, rest)
	f.Related = edges.RelatedEntries(g, []int{top}, "%q is the newest head")
	f.Details = edges.RelatedEntries(g, rest, "%q is also a head")
	f.Message = fmt.Sprintf("channel %q has %d heads, %s: OLM v0 resolves nothing in a namespace subscribed to it",
		c.Name.Value, len(heads), words.Few(edges.NamesOf(g, heads)))
	fix, skips := edges.HeadFix(g, top, rest)
	f.Fix = fix
	if slices.ContainsFunc(rest, func(i int) bool { return slices.Contains(g.DeadEndsV1(), i) }) {
		f.Gates |= headGates | lint.GateOLMv1 // graph/stuck-v1 leaves them out
	}
	if len(skips) > len(rest) {
		f.Details = append(f.Details, edges.RelatedEntries(g, skips[len(rest):], "%q has to be skipped with them")...)
	}
	if typo, ok := misspellingOf(g, rest); ok {
		f.Pos, f.Bundle = typo.Where.Pos, g.Name(typo.Entry)
		if p.Runs(missingTarget.ID, c.Name.Value) && reportsMisspelling(p, g, typo.MissingTarget) {
			return
		}
		f.Message = fmt.Sprintf("%q names %q, which is not an entry: did you mean %q? Without it channel %q has %d heads, and OLM v0 resolves nothing in a namespace subscribed to it",
			g.Name(typo.Entry), typo.Where.Value, typo.intended, c.Name.Value, len(heads))
		f.Fix = "write " + typo.intended
		f.Related = nil
		f.Details = edges.RelatedEntries(g, heads, "%q is a head")
	} else if i, ok := forkOf(g, top, rest); ok {
		e := &c.Entries[i]
		f.Pos, f.Bundle = e.Replaces.Pos, g.Name(i)
		f.Fix = fmt.Sprintf("let %q replace %s, not %s, which another entry replaces; or %s", g.Name(i), g.Name(rest[0]), e.Replaces.Value, f.Fix)
	} else if ranged := rangeHint(g, top, rest); ranged != "" {
		f.Fix += "; " + ranged
	}
	p.Report(f)
}

// misspelling is a name in replaces or skips that probably means another one.
type misspelling struct {
	graph.MissingTarget
	intended string
}

// misspellingOf returns an unknown name in replaces or skips that is similar to one of the heads, so that the correction would
// leave one head less.
func misspellingOf(g *graph.Graph, heads []int) (misspelling, bool) {
	names := edges.NamesOf(g, heads)
	for _, m := range g.MissingTargets() {
		meant, ok := spelling.Nearest(m.Where.Value, names)
		if i, _ := g.Index(meant); ok && meant != g.Name(m.Entry) && !hasName(g.Package, m.Where.Value) &&
			!versions.NewerThan(g.Channel.Entries[i].Bundle, g.Channel.Entries[m.Entry].Bundle) {
			return misspelling{m, meant}, true
		}
	}
	return misspelling{}, false
}

// forkOf returns the oldest entry, but not the newest head, that replaces what another one replaces too, and would make the other head one of its chain if it replaced that
// instead.
func forkOf(g *graph.Graph, top int, rest []int) (entry int, ok bool) {
	head := g.Channel.Entries[rest[0]].Bundle
	replacedBy := map[string]int{}
	for i := range g.Channel.Entries {
		replacedBy[g.Channel.Entries[i].Replaces.Value]++
	}
	for _, i := range g.ByVersion() {
		e := &g.Channel.Entries[i]
		if len(rest) > 1 || i == top || e.Replaces.Value == "" || replacedBy[e.Replaces.Value] < 2 || !versions.NewerThan(e.Bundle, head) {
			continue
		}
		changed := *g.Channel
		changed.Entries = slices.Clone(changed.Entries)
		changed.Entries[i].Replaces.Value = g.Name(rest[0])
		after := g.Package.With([]*catalogs.Channel{&changed}, g.Package.Bundles)
		return i, !graph.Harms(g.Package.With([]*catalogs.Channel{g.Channel}, g.Package.Bundles), after)
	}
	return 0, false
}

// rangeHint says that the skipRange of the newest head covers another head; "" if it does not.
func rangeHint(g *graph.Graph, top int, rest []int) string {
	r := versions.ParseRange(g.Channel.Entries[top].SkipRange.Value)
	for _, i := range rest {
		if b := g.Channel.Entries[i].Bundle; versions.HasVersion(b) && r.Contains(*b.Semver()) {
			return fmt.Sprintf("the skipRange of %q covers it, but does not count here", g.Name(top))
		}
	}
	return ""
}
