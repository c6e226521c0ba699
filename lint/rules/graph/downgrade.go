package graph

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// checkDowngrade reports replaces and skips of newer entries that an OLM follows; all of them if the channel has no order, so
// that OLM v0 follows none. SkipRanges are left to graph/skip-range-newer, entries that are stuck under OLM v0 to graph/stuck.
func checkDowngrade(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	order, err := g.Order()
	d := downgradeReport{g: g, order: order, position: map[int]int{}, lowest: map[int]*catalogs.Bundle{}}
	for at, i := range order {
		d.position[i] = at
	}
	var down []graph.Edge
	for _, i := range g.Entries() {
		next, _ := g.Next(i)
		nextV1, _ := g.NextV1(i)
		for n, e := range g.Edges(i) {
			taken := err != nil || next.To == e.To || nextV1.To == e.To
			if n > 0 && g.Edges(i)[n-1].To == e.To || !taken || !versions.NewerThan(c.Entries[e.From].Bundle, c.Entries[e.To].Bundle) {
				continue
			}
			down = append(down, e)
			d.add(e)
		}
	}
	for _, same := range d.groups(down) {
		p.Report(d.finding(same))
	}
}

// groups returns the downgrades to one entry with the same severity and fix together, the newest first.
func (d *downgradeReport) groups(down []graph.Edge) [][]graph.Edge {
	type key struct {
		to, newer       int
		taken, suffixed bool
	}
	var groups memo.Groups[key, graph.Edge]
	for _, e := range down {
		newer, ok := d.newerEntry(e)
		if !ok {
			newer = -1
		}
		next, _ := d.g.Next(e.From)
		groups.Add(key{e.To, newer, next.To == e.To, isSuffixed(d.g.Channel.Entries[e.To].Bundle, d.g.Channel.Entries[e.From].Bundle)}, e)
	}
	var all [][]graph.Edge
	for _, same := range groups.All() {
		all = append(all, same)
		slices.SortStableFunc(same, func(a, b graph.Edge) int { return d.compareVersions(b.From, a.From) })
	}
	return all
}

// compareVersions compares the versions of two entries.
func (d *downgradeReport) compareVersions(a, b int) int {
	v, w := d.g.Channel.Entries[a].Bundle, d.g.Channel.Entries[b].Bundle
	switch {
	case versions.NewerThan(v, w):
		return 1
	case versions.NewerThan(w, v):
		return -1
	}
	return 0
}

// downgradeReport has the downgrades of a channel, whose fixes depend on each other.
type downgradeReport struct {
	g        *graph.Graph
	order    []int
	position map[int]int              // in order
	lowest   map[int]*catalogs.Bundle // the oldest downgraded bundle, by the entry that should upgrade it instead
}

// finding returns the finding about downgrades to the same entry, the first of them to the newest version.
func (d *downgradeReport) finding(same []graph.Edge) lint.Finding {
	g, e := d.g, same[0]
	from, to := g.Channel.Entries[e.From].Bundle, g.Channel.Entries[e.To].Bundle
	f := edges.AtEntry(g, e.To)
	f.Cause, f.Names = []string{f.Channel, g.Name(e.To)}, []string{e.Kind.String()}
	f.Pos = catalogs.KnownPos(e.Where.Pos, f.Pos)
	f.Message = fmt.Sprintf("%q %s the newer %q: its users are downgraded from %s to %s",
		g.Name(e.To), e.Kind, g.Name(e.From), versions.Text(from), versions.Text(to))
	f.Fix = d.avoidFix(e)
	next, ok := g.Next(e.From)
	switch {
	case isSuffixed(to, from):
		f.Message = fmt.Sprintf("%q %s %q, but in semver %s, with a suffix, is the older of the two",
			g.Name(e.To), e.Kind, g.Name(e.From), versions.Text(to))
		if nextV1, ok := g.NextV1(e.From); !ok || nextV1.To != e.To {
			f.Message += ", and OLM v1 does not upgrade to it"
		}
	case ok && next.To == e.To:
		f.Severity = lint.Error
	}
	if a, b := from.Semver(), to.Semver(); a != nil && b != nil && a.Major >= 1000 && b.Major < 1000 { // versions were dates
		f.Severity = min(f.Severity, lint.Warning)
		f.Fix = fmt.Sprintf("if %s succeeds %s, keep it, and say so: # olmgraph:ignore graph/downgrade REASON; otherwise %s", versions.Text(to), versions.Text(from), f.Fix)
	}
	if head, ok := g.Head(); ok && head == e.To {
		f.Message += "; it is the head, which new users get"
	}
	if more := len(same) - 1; more > 0 {
		f.Message += fmt.Sprintf(" (likewise %d more newer %s)", more, words.Plural(more, "version", "versions"))
	}
	for _, one := range same {
		f.Faults = append(f.Faults, g.Name(one.From))
		f.Details = append(f.Details, lint.Related{Pos: catalogs.KnownPos(one.Where.Pos, f.Pos), Message: fmt.Sprintf("%q %s the newer %q", g.Name(one.To), one.Kind, g.Name(one.From))})
	}
	if len(same) == 1 {
		f.Details = nil
	}
	f.Related = edges.RelatedEntries(g, []int{e.From}, "%q is the newer one")
	return f
}

// add records a downgrade.
func (d *downgradeReport) add(down graph.Edge) {
	from := d.g.Channel.Entries[down.From].Bundle
	if to, ok := d.newerEntry(down); ok && (d.lowest[to] == nil || versions.NewerThan(d.lowest[to], from)) {
		d.lowest[to] = from
	}
}

// newerEntry returns the first entry on the upgrade paths after a downgrade that is newer than the downgraded entry, and that OLM
// v0 prefers to the target of the downgrade.
func (d *downgradeReport) newerEntry(down graph.Edge) (int, bool) {
	from := d.g.Channel.Entries[down.From].Bundle
	for _, i := range d.g.Reachable(down.To) {
		e := &d.g.Channel.Entries[i]
		if versions.NewerThan(e.Bundle, from) && d.position[i] < d.position[down.To] && (e.SkipRange.Value == "" || d.g.Range(i) != nil) {
			return i, true
		}
	}
	return 0, false
}

// avoidFix returns the fix of a downgrade: a skipRange of a newer entry further up, if there is one, and the range covers nothing above it. One
// skipRange avoids all downgrades below it.
func (d *downgradeReport) avoidFix(down graph.Edge) string {
	to, ok := d.newerEntry(down)
	if !ok || d.coversAbove(to) {
		return fmt.Sprintf("publish the content of %q again under a version above %s",
			d.g.Name(down.To), versions.OfEntry(&d.g.Channel.Entries[down.From]))
	}
	e := &d.g.Channel.Entries[to]
	span := d.span(to)
	if e.SkipRange.Value != "" {
		return fmt.Sprintf("let the skipRange of %q be '%s || %s', so that users skip the older one", e.Name.Value, e.SkipRange.Value, span)
	}
	return fmt.Sprintf("add skipRange: '%s' to %q, so that its users skip the older one", span, e.Name.Value)
}

// span is the range from the lowest version that is downgraded to below an entry.
func (d *downgradeReport) span(to int) string {
	return fmt.Sprintf(">=%s <%s", d.lowest[to].Semver(), d.g.Channel.Entries[to].Bundle.Semver())
}

// coversAbove reports whether the span of an entry has the version of one that OLM v0 prefers to it: both would upgrade to each other.
func (d *downgradeReport) coversAbove(to int) bool {
	span := graph.ReadRange(d.span(to))
	return slices.ContainsFunc(d.order[:d.position[to]], func(i int) bool {
		b := d.g.Channel.Entries[i].Bundle
		return versions.HasVersion(b) && span.Contains(*b.Semver())
	})
}
