package graph

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// eachRange returns a Check that calls check for each entry with a valid skipRange.
func eachRange(check func(*lint.Pass, *graph.Graph, int, *graph.Range)) func(*lint.Pass) {
	return lint.EachChannel(func(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
		for _, i := range g.Entries() {
			if r := g.Range(i); r != nil {
				check(p, g, i, r)
			}
		}
	})
}

// atRange returns a finding at the skipRange of an entry.
func atRange(g *graph.Graph, i int) lint.Finding {
	f := edges.AtEntry(g, i)
	f.Pos, f.Names = catalogs.KnownPos(g.Channel.Entries[i].SkipRange.Pos, f.Pos), []string{g.Channel.Entries[i].SkipRange.Value}
	return f
}

// newerInRange returns the newer entries that the skipRange of an entry covers.
func newerInRange(g *graph.Graph, i int) []int {
	own := g.Channel.Entries[i].Bundle
	return slices.DeleteFunc(g.CoveredUpward(i), func(other int) bool {
		return !versions.NewerThan(g.Channel.Entries[other].Bundle, own)
	})
}

// checkRangeSyntax reports each mistake in ranges once in a channel, at the newest entry that has it.
func checkRangeSyntax(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	var found []lint.Finding
	at := map[string]int{} // indexes of found, by the mistake
	for _, i := range g.ByVersion() {
		text := c.Entries[i].SkipRange.Value
		if text == "" {
			continue
		}
		f := atRange(g, i)
		f.Cause, f.Faults = []string{f.Channel}, []string{f.Bundle, text}
		mistake := ""
		switch r := g.Range(i); {
		case len(text) > graph.LongestRange:
			mistake, f.Gates, f.Unchecked = "long", lint.GateAdvice, lint.Unread
			f.Message = fmt.Sprintf("skipRange of %q has %d bytes, more than the %d that olmgraph reads: it counts as none", f.Bundle, len(text), graph.LongestRange)
			f.Fix = "write fewer parts between ||, which may cover versions that there are not"
		case r == nil:
			why, fix := versions.RangeMistake(text)
			if why == "" {
				why, fix = "it is not in the grammar of ranges", "write full versions with spaces between them, as in >=1.0.0 <1.2.3"
			}
			f.Message = fmt.Sprintf("skipRange %q of %q is invalid: %s; opm rejects it from 1.69 on, and OLM ignores it",
				text, c.Entries[i].Name.Value, why)
			f.Fix, mistake = fix, why
		case r.Crashes():
			f.Gates = lint.GateOLMv0 | lint.GateOLMv1
			f.Message = fmt.Sprintf("skipRange %q of %q has a part between || without a full version: opm accepts it, and OLM crashes",
				text, c.Entries[i].Name.Value)
			f.Fix = "write full versions with three numbers, as in <0.9.0 || >=1.0.0 <1.2.3"
		default:
			continue
		}
		first, again := at[mistake]
		if !again {
			at[mistake] = len(found)
			found = append(found, f)
			continue
		}
		one := &found[first]
		one.Faults = append(one.Faults, f.Faults...)
		one.Details = append(one.Details, lint.Related{Pos: f.Pos, Message: fmt.Sprintf("%q has %q", f.Bundle, text)})
	}
	for i := range found {
		found[i].Message += words.AndMore(len(found[i].Details), "older bundle")
		p.Report(found[i])
	}
}

func checkRangeNewer(p *lint.Pass, g *graph.Graph, i int, _ *graph.Range) {
	newer := slices.DeleteFunc(newerInRange(g, i), func(other int) bool {
		next, ok := g.Next(other)
		nextV1, okV1 := g.NextV1(other)
		return !(ok && next.To == i) && !(okV1 && nextV1.To == i)
	})
	if len(newer) == 0 {
		return
	}
	e := &g.Channel.Entries[i]
	f := atRange(g, i)
	f.Cause = []string{f.Channel, f.Bundle, e.SkipRange.Value}
	f.Message = fmt.Sprintf("the skipRange of %q covers the newer %s: OLM downgrades %s",
		e.Name.Value, words.QuoteSome(g.Names(newer)), words.Plural(len(newer), "its users", "their users"))
	f.Fix = rangeEndFix(g, i, newer)
	f.Related = edges.RelatedEntries(g, newer[:1], "%q is newer")
	f.Details = edges.RelatedEntries(g, newer, "%q is newer")
	for _, loop := range g.Loops() {
		if down := downgradeIn(g, loop); down.Kind == graph.SkipRange && down.To == i {
			f.Severity, f.Gates = lint.Error, lint.GateOLMv0
			f.Message = fmt.Sprintf("the skipRange of %q covers the newer %q: OLM v0 upgrades from one to the other and back, endlessly",
				e.Name.Value, g.Name(down.From))
		}
	}
	p.Report(f)
}

// rangeEndFix returns the fix of a skipRange that covers newer entries. These may have no other upgrade.
func rangeEndFix(g *graph.Graph, i int, newer []int) string {
	e := &g.Channel.Entries[i]
	text, _ := g.Range(i).Below(*e.Bundle.Semver())
	followed := slices.ContainsFunc(newer, func(other int) bool {
		next, ok := g.Next(other)
		return ok && next.To == i || !slices.ContainsFunc(g.SuccessorsV1(other), func(e graph.Edge) bool { return e.To != i })
	})
	if followed && edges.HasNewProblems(g, edges.WithEntry(g, i, edges.SettingSkipRange(text))) {
		return fmt.Sprintf("publish the content of %q again under a version above %s", e.Name.Value,
			versions.OfEntry(&g.Channel.Entries[edges.Newest(g, newer)]))
	}
	return belowFix(e, e.Bundle)
}

// belowFix returns the fix of a skipRange that covers a bundle or newer ones: the range that ends before it.
func belowFix(e *catalogs.Entry, b *catalogs.Bundle) string {
	text, ok := graph.ReadRange(e.SkipRange.Value).Below(*b.Semver())
	if !ok {
		return "remove the skipRange"
	}
	return fmt.Sprintf("let the skipRange be '%s'", text)
}

// checkRangeOpen reports once per package a range without a lower bound.
func checkRangeOpen(p *lint.Pass) {
	var all []lint.Finding
	eachRange(func(_ *lint.Pass, g *graph.Graph, i int, r *graph.Range) {
		if r.IsUnbounded() {
			f := atRange(g, i)
			f.Message = fmt.Sprintf("the skipRange %q of %q has no lower bound: all older versions, of any major version, upgrade to it directly",
				r.Text, g.Name(i))
			all = append(all, f)
		}
	})(p)
	reportFirst(p, all, "set the lower bound to the oldest version that can be upgraded directly, as in >=1.0.0 <2.0.0")
}

func checkRangeEmpty(p *lint.Pass, g *graph.Graph, i int, r *graph.Range) {
	e := &g.Channel.Entries[i]
	f := atRange(g, i)
	f.Fix = "correct the bounds, or remove the skipRange"
	f.Cause = []string{f.Channel, f.Bundle, r.Text}
	switch {
	case r.IsEmpty():
		f.Severity = lint.Warning
		f.Message = fmt.Sprintf("no version can be in the skipRange %q of %q: it upgrades no bundle",
			r.Text, e.Name.Value)
		if versions.SinglePipe.MatchString(r.Text) {
			f.Fix = "write || for or: a single | is dropped"
		}
		if versions.HyphenRange.MatchString(r.Text) {
			f.Fix = "write both bounds, as in >=1.0.0 <=1.2.3: hyphen ranges are not supported"
		}
	case versions.HasVersion(e.Bundle) && coversNothing(g, i, r) && !edges.PublishedIn(p, r):
		f.Message = fmt.Sprintf("no version of the package is in the skipRange %q of %q, but some are older than %s",
			r.Text, e.Name.Value, e.Bundle.Semver())
	default:
		return
	}
	p.Report(f)
}

// coversNothing reports whether no version of the package is in a range, though some are older than the entry.
func coversNothing(g *graph.Graph, i int, r *graph.Range) bool {
	own, older := g.Channel.Entries[i].Bundle, false
	for _, b := range g.Package.Bundles {
		if !versions.HasVersion(b) || b == own {
			continue
		}
		if r.Contains(*b.Semver()) {
			return false
		}
		older = older || versions.NewerThan(own, b)
	}
	return older
}

// checkRangesOnly reports the newest entry of a channel that is so, and the others with it. Of one that another entry skips it is no matter.
func checkRangesOnly(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	var first *lint.Finding
	for _, i := range g.ByVersion() {
		e := &c.Entries[i]
		r := g.Range(i)
		if r == nil || e.Replaces.Value != "" || len(e.Skips) > 0 || g.IsSkipped(e.Name.Value) {
			continue
		}
		covers := func(other int) bool {
			b := c.Entries[other].Bundle
			return other != i && versions.NewerThan(e.Bundle, b) && r.Contains(*b.Semver())
		}
		switch {
		case !slices.ContainsFunc(g.Entries(), covers):
		case first == nil:
			first = rangeOnly(g, i, slices.DeleteFunc(slices.Clone(g.Entries()), func(other int) bool { return !covers(other) }))
		default:
			f := atRange(g, i)
			first.Also = append(first.Also, lint.Occurrence{Subject: f.Subject, Pos: f.Pos})
		}
	}
	if first != nil {
		first.Message += words.AndMore(len(first.Also), "older bundle")
		p.Report(*first)
	}
}

// rangeOnly returns the finding about an entry that covers older ones.
func rangeOnly(g *graph.Graph, i int, covered []int) *lint.Finding {
	e := &g.Channel.Entries[i]
	last := edges.Newest(g, covered)
	f := atRange(g, i)
	f.Message = fmt.Sprintf("%q covers %s with a skipRange, but replaces and skips nothing: nothing links it to %q",
		e.Name.Value, words.QuoteSome(g.Names(covered)), g.Name(last))
	f.Fix = fmt.Sprintf("add replaces: %s to %q", g.Name(last), e.Name.Value)
	if after := edges.WithEntry(g, i, edges.SettingReplaces(g.Name(last))); edges.HasNewProblems(g, after) || len(after.Cycles()) > len(g.Cycles()) {
		f.Fix = fmt.Sprintf("remove the skipRange, or let %q replace or skip %q", e.Name.Value, g.Name(last))
	}
	f.Details = edges.RelatedEntries(g, covered, "%q is in the skipRange")
	f.Related = edges.RelatedEntries(g, []int{last}, "%q is the newest of them")
	return &f
}
