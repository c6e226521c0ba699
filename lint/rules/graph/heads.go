package graph

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

func checkNoHead(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	if len(g.Entries()) == 0 || len(g.Heads()) > 0 {
		return
	}
	top := edges.Newest(g, g.Entries())
	name := g.Name(top)
	f := edges.AtEntry(g, top)
	f.Cause = []string{f.Channel}
	f.Message = fmt.Sprintf("channel %q has no head: every entry is replaced or skipped by another, so it has nothing to install",
		c.Name.Value)
	var where []string
	for n, e := range g.Edges(top) {
		f.Names = append(f.Names, e.Kind.String(), g.Name(e.To))
		where = append(where, fmt.Sprintf("the %s of %q", e.Kind, g.Name(e.To)))
		if n == 0 && e.Where.Pos.IsKnown() {
			f.Pos = e.Where.Pos
			continue
		}
		f.Related = append(f.Related, lint.Related{Pos: e.Where.Pos, Message: fmt.Sprintf("%q also names %q",
			g.Name(e.To), name)})
	}
	if len(g.Entries()) == 1 {
		f.Names = append(f.Names, "only")
		f.Message = fmt.Sprintf("channel %q has no head: its only entry %q replaces or skips itself", c.Name.Value, name)
	}
	f.Fix = fmt.Sprintf("remove %q, the newest, from %s", name, strings.Join(where, " and of "))
	if hasOnlySelfEdges(g, top) {
		for _, own := range g.Edges(top) {
			f.Edits = append(f.Edits, edges.RemoveSelfReference(g, top, own)...)
		}
	}
	p.Report(f)
}

// headGates are the gates of a channel with several heads.
const headGates = lint.GateOPM | lint.GateOLMv0

func checkMultipleHeads(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	g = withMeanings(p, g) // since catalog/entry-without-bundle reports the rest
	heads := g.Heads()
	if len(heads) < 2 {
		return
	}
	top := edges.Newest(g, heads)
	rest := edges.Without(heads, top)
	f := edges.AtEntry(g, rest[0])
	f.Cause, f.Faults = []string{f.Channel}, g.Names(rest)
	f.Related = edges.RelatedEntries(g, []int{top}, "%q is the newest head")
	f.Details = edges.RelatedEntries(g, rest, "%q is also a head")
	f.Message = fmt.Sprintf("channel %q has %d heads, %s: OLM v0 resolves nothing in a namespace subscribed to it",
		c.Name.Value, len(heads), words.QuoteSome(g.Names(heads)))
	fix, skips := edges.HeadFix(g, top, rest)
	f.Fix = fix
	if unknown := withoutVersion(g, heads); len(unknown) > 0 {
		f.Related, skips = nil, nil
		f.Details = edges.RelatedEntries(g, heads, "%q is a head")
		f.Fix = fmt.Sprintf("add the %s of %s, with %s, or remove %[4]s: until then it is not known which head is the newest", words.Plural(len(unknown), "bundle", "bundles"),
			words.QuoteSome(unknown), words.Plural(len(unknown), "its version", "their versions"), words.Plural(len(unknown), "the entry", "the entries"))
	}
	if len(skips) > 0 {
		f.Skipper = g.Name(top)
	}
	if ends := slices.Concat(rest, g.DeadEndsV1()); len(find.Distinct(ends)) < len(ends) {
		f.Gates |= headGates | lint.GateOLMv1 // graph/stuck-v1 leaves them out
	}
	if len(skips) > len(rest) {
		f.Details = append(f.Details, edges.RelatedEntries(g, skips[len(rest):], "%q has to be skipped with them")...)
	}
	if typo, ok := findMisspelling(p, g, rest); ok {
		f.Pos, f.Bundle = typo.Where.Pos, g.Name(typo.Entry)
		if p.Runs("graph/missing-target", c.Name.Value) && reportsMisspelling(p, g, typo.MissingTarget) {
			return
		}
		f.Message = fmt.Sprintf("%q names %q, which is not an entry: did you mean %q? Without it channel %q has %d heads, and OLM v0 resolves nothing in a namespace subscribed to it",
			g.Name(typo.Entry), typo.Where.Value, typo.intended, c.Name.Value, len(heads))
		f.Fix, f.Skipper = "write "+typo.intended, ""
		if b := p.Package.Bundle(typo.intended); b != nil && !b.Guessed {
			f.Suggest(typo.Where, typo.intended)
		}
		f.Related = nil
		f.Details = edges.RelatedEntries(g, heads, "%q is a head")
	} else if i, ok := findFork(g, top, rest); ok {
		e := &c.Entries[i]
		f.Pos, f.Bundle = e.Replaces.Pos, g.Name(i)
		f.Skipper, f.Names = "", []string{e.Replaces.Value}
		f.Fix = fmt.Sprintf("let %q replace %s, not %s, which another entry replaces; or %s", g.Name(i), g.Name(rest[0]), e.Replaces.Value, f.Fix)
	} else if ranged := rangeHint(g, top, rest); ranged != "" {
		f.Fix += "; " + ranged
	}
	p.Report(f)
}

// withoutVersion returns the names of the entries whose version is not known.
func withoutVersion(g *graph.Graph, entries []int) []string {
	return g.Names(slices.DeleteFunc(slices.Clone(entries), func(i int) bool { return g.Version(i) != nil }))
}

// withMeanings returns the graph of a channel in which each entry without a bundle has the one that it means.
func withMeanings(p *lint.Pass, g *graph.Graph) *graph.Graph {
	if !slices.ContainsFunc(g.Channel.Entries, func(e catalogs.Entry) bool { return e.Bundle == nil }) {
		return g
	}
	meant := edges.FindMeanings(p)
	for _, i := range g.Entries() {
		if bundle := meant[g.Name(i)]; bundle != "" {
			g = edges.WithMeaning(g, i, bundle)
		}
	}
	return g
}

// misspelling is a name in replaces or skips that probably means another one.
type misspelling struct {
	graph.MissingTarget
	intended string
}

var threeNumbers = regexp.MustCompile(`\d+\.\d+\.\d+`)

// findMisspelling returns an unknown name in replaces or skips that is similar to one of the heads, so that the correction would
// leave one head less.
func findMisspelling(p *lint.Pass, g *graph.Graph, heads []int) (misspelling, bool) {
	names := slices.DeleteFunc(g.Names(heads), func(name string) bool {
		return !threeNumbers.MatchString(name) // it is misspelt itself
	})
	for _, m := range g.MissingTargets() {
		if isBaseEntry(p, g.Channel.Name.Value, m.Where.Value) {
			continue // its entry is removed or renamed
		}
		meant, ok := words.NearestVersioned(m.Where.Value, names)
		if !ok { // another number is a misspelling if it differs by one letter
			meant, ok = words.Nearest(m.Where.Value, names)
			ok = ok && words.Distance(m.Where.Value, meant, 2) < 2
		}
		if i, _ := g.Index(meant); ok && meant != g.Name(m.Entry) && !hasName(g.Package, m.Where.Value) &&
			!versions.NewerThan(g.Channel.Entries[i].Bundle, g.Channel.Entries[m.Entry].Bundle) {
			return misspelling{m, meant}, true
		}
	}
	return misspelling{}, false
}

// isBaseEntry reports whether a channel of the base has an entry.
func isBaseEntry(p *lint.Pass, channel, name string) bool {
	if p.BasePackage == nil || p.BasePackage.Channel(channel) == nil {
		return false
	}
	_, ok := p.BaseGraph(p.BasePackage.Channel(channel)).Index(name)
	return ok
}

// findFork returns the oldest entry, but not the newest head, that replaces what another one replaces too, and would make the other head one of its chain if it replaced that
// instead.
func findFork(g *graph.Graph, top int, rest []int) (entry int, ok bool) {
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
		after := g.Package.WithContents([]*catalogs.Channel{&changed}, g.Package.Bundles)
		return i, !graph.Harms(g.Package.WithContents([]*catalogs.Channel{g.Channel}, g.Package.Bundles), after)
	}
	return 0, false
}

// rangeHint says that the skipRange of the newest head covers another head; "" if it does not.
func rangeHint(g *graph.Graph, top int, rest []int) string {
	r := g.Range(top)
	for _, i := range rest {
		if b := g.Channel.Entries[i].Bundle; versions.HasVersion(b) && r.Contains(*b.Semver()) {
			return fmt.Sprintf("the skipRange of %q covers it, but does not count here", g.Name(top))
		}
	}
	return ""
}

func checkHeadNotNewest(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	head, ok := g.Head()
	if !ok {
		return
	}
	top := edges.Newest(g, g.Entries())
	if !versions.NewerThan(c.Entries[top].Bundle, c.Entries[head].Bundle) {
		return
	}
	if next, ok := g.Next(top); ok && edges.IsDowngrade(g, next) && p.Runs(downgradeRule(next), c.Name.Value) {
		return
	}
	f := edges.AtEntry(g, head)
	f.Cause = []string{f.Channel, g.Name(top)}
	a, b := c.Entries[top].Bundle, c.Entries[head].Bundle
	f.Message = fmt.Sprintf("the head of channel %q is version %s, but it has %s: users get the older version",
		c.Name.Value, versions.Text(b), versions.Text(a))
	f.Fix = fmt.Sprintf("let %q replace or skip %q, not the other way round", g.Name(top), g.Name(head))
	if isSuffixed(b, a) {
		f.Fix = fmt.Sprintf("in semver %s is older than %s, as any prerelease: publish it with a higher patch version",
			versions.Text(b), versions.Text(a))
	}
	f.Related = edges.RelatedEntries(g, []int{top}, "%q is newer")
	p.Report(f)
}

// downgradeRule returns the rule that reports a downgrade.
func downgradeRule(e graph.Edge) string {
	if e.Kind == graph.SkipRange {
		return "graph/skip-range-newer"
	}
	return "graph/downgrade"
}
