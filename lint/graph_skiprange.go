package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// eachRange makes a check of a question about entries that have a skipRange that can be read.
func eachRange(check func(*Pass, *graph.Graph, int, versionRange)) func(*Pass) {
	return eachChannel(func(p *Pass, c *catalogs.Channel, g *graph.Graph) {
		for _, i := range g.Entries() {
			if r := readRange(c.Entries[i].SkipRange.Value); r.in != nil {
				check(p, g, i, r)
			}
		}
	})
}

// atRange starts a finding about the skipRange of an entry.
func atRange(g *graph.Graph, i int) Finding {
	f := atEntry(g, i)
	f.Pos = firstKnown(g.Channel.Entries[i].SkipRange.Pos, f.Pos)
	return f
}

func checkRangeSyntax(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	for i := range c.Entries {
		text := c.Entries[i].SkipRange.Value
		if text == "" {
			continue
		}
		f := atRange(g, i)
		f.Cause = []string{f.Channel, f.Bundle, text}
		switch r := readRange(text); {
		case r.err != nil:
			why, fix := rangeMistake(text)
			if why == "" {
				why, fix = lowerFirst(r.err.Error()), "write full versions with spaces between them, as in >=1.0.0 <1.2.3"
			}
			f.Message = fmt.Sprintf("skipRange %q of %q is invalid: %s; opm refuses it from 1.69 on, and OLM ignores it",
				text, c.Entries[i].Name.Value, why)
			f.Fix = fix
		case r.crashes():
			f.Gates = GateOLMv0 | GateOLMv1
			f.Message = fmt.Sprintf("skipRange %q of %q has a part between || without a full version: opm accepts it, and OLM crashes",
				text, c.Entries[i].Name.Value)
			f.Fix = "write full versions with three numbers, as in <0.9.0 || >=1.0.0 <1.2.3"
		default:
			continue
		}
		p.Report(f)
	}
}

func checkRangeNewer(p *Pass, g *graph.Graph, i int, _ versionRange) {
	newer := newerInRange(g, i)
	if len(newer) == 0 {
		return
	}
	e := &g.Channel.Entries[i]
	f := atRange(g, i)
	f.Cause = []string{f.Channel, f.Bundle, e.SkipRange.Value}
	f.Message = fmt.Sprintf("the skipRange of %q covers the newer %s: a downgrade is declared as an upgrade",
		e.Name.Value, allOf(namesOf(g, newer)))
	f.Fix = rangeEndFix(g, i, newer)
	f.Related = placesOf(g, newer[:min(3, len(newer))], "%q is newer")
	for _, loop := range g.Loops() {
		if down := downgradeIn(g, loop); down.Kind == graph.SkipRange && down.To == i {
			f.Severity, f.Gates = Error, GateOLMv0
			f.Message = fmt.Sprintf("the skipRange of %q covers the newer %q: OLM v0 upgrades from one to the other and back, endlessly",
				e.Name.Value, g.Name(down.From))
		}
	}
	p.Report(f)
}

// rangeEndFix says what to do about a skipRange that covers newer entries, which may have no other upgrade.
func rangeEndFix(g *graph.Graph, i int, newer []int) string {
	e := &g.Channel.Entries[i]
	end := fmt.Sprintf("<%s", e.Bundle.Semver())
	parts := strings.Split(e.SkipRange.Value, "||")
	for n := range parts {
		parts[n] = strings.TrimSpace(parts[n]) + " " + end
	}
	top := newest(g, newer)
	followed := slices.ContainsFunc(newer, func(other int) bool {
		next, ok := g.Next(other)
		return ok && next.To == i
	}) || !slices.ContainsFunc(g.Successors(top), func(e graph.Edge) bool { return e.To != i })
	if followed && hasNewProblems(g, withEntry(g, i, settingSkipRange(strings.Join(parts, " || ")))) {
		return fmt.Sprintf("publish the content of %q again under a version above %s", e.Name.Value,
			versionText(g.Channel.Entries[top].Bundle))
	}
	return "let the range end with " + end
}

// newerInRange returns the entries newer than an entry that its range covers.
func newerInRange(g *graph.Graph, i int) []int {
	own := g.Channel.Entries[i].Bundle
	return slices.DeleteFunc(g.CoveredUpward(i), func(other int) bool {
		return !newerThan(g.Channel.Entries[other].Bundle, own)
	})
}

// checkRangeOpen reports once a package: the same is true of each range that has no lower bound.
func checkRangeOpen(p *Pass) {
	var all []Finding
	eachRange(func(_ *Pass, g *graph.Graph, i int, r versionRange) {
		if r.isUnbounded() {
			f := atRange(g, i)
			f.Message = fmt.Sprintf("the skipRange %q of %q has no lower bound: all older versions, of any major version, upgrade to it directly",
				r.text, g.Name(i))
			all = append(all, f)
		}
	})(p)
	reportFirst(p, all, "set the lower bound to the oldest version that can be upgraded directly, as in >=1.0.0 <2.0.0")
}

func checkRangeEmpty(p *Pass, g *graph.Graph, i int, r versionRange) {
	e := &g.Channel.Entries[i]
	f := atRange(g, i)
	f.Fix = "correct the bounds, or remove the skipRange"
	f.Cause = []string{f.Channel, f.Bundle, r.text}
	switch {
	case r.isEmpty():
		f.Severity = Warning
		f.Message = fmt.Sprintf("no version can be in the skipRange %q of %q: it upgrades no bundle",
			r.text, e.Name.Value)
		if hyphenRange.MatchString(r.text) {
			f.Fix = "write both bounds, as in >=1.0.0 <=1.2.3: hyphen ranges are not supported"
		}
	case hasVersion(e.Bundle) && coversNothing(g, i, r) && !p.publishedIn(r):
		f.Message = fmt.Sprintf("no version of the package is in the skipRange %q of %q, but some are older than %s",
			r.text, e.Name.Value, e.Bundle.Semver())
	default:
		return
	}
	p.Report(f)
}

// coversNothing reports whether a range holds for none of the package's versions, while some are older than the entry.
func coversNothing(g *graph.Graph, i int, r versionRange) bool {
	own, older := g.Channel.Entries[i].Bundle, false
	for _, b := range g.Package.Bundles {
		if !hasVersion(b) || b == own {
			continue
		}
		if r.contains(*b.Semver()) {
			return false
		}
		older = older || newerThan(own, b)
	}
	return older
}

func checkRangeOnly(p *Pass, g *graph.Graph, i int, r versionRange) {
	e := &g.Channel.Entries[i]
	if e.Replaces.Value != "" || len(e.Skips) > 0 {
		return
	}
	var covered []int
	for _, other := range g.Entries() {
		b := g.Channel.Entries[other].Bundle
		if other != i && newerThan(e.Bundle, b) && r.contains(*b.Semver()) {
			covered = append(covered, other)
		}
	}
	if len(covered) == 0 {
		return
	}
	last := newest(g, covered)
	f := atRange(g, i)
	f.Message = fmt.Sprintf("%q covers %s with a skipRange, but replaces and skips nothing: in OLM the older ones are not below it",
		e.Name.Value, allOf(namesOf(g, covered)))
	f.Fix = fmt.Sprintf("add replaces: %s to %q", g.Name(last), e.Name.Value)
	if hasNewProblems(g, withEntry(g, i, settingReplaces(g.Name(last)))) {
		f.Fix = fmt.Sprintf("remove the skipRange, or let %q replace or skip %q", e.Name.Value, g.Name(last))
	}
	f.Related = placesOf(g, []int{last}, "%q is the newest of them")
	p.Report(f)
}

// checkRangeOnlyPath reports once a channel the entries that OLM v0 takes further because of a skipRange alone. Of what is led down
// graph/skip-range-newer tells.
func checkRangeOnlyPath(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	by := map[int][]int{}
	var targets []int
	head, _ := g.Head()
	for _, i := range g.Entries() {
		next, ok := g.Next(i)
		if !ok || next.Kind != graph.SkipRange || hasOtherUpgrade(g, i) || i == head || isDowngrade(g, next) {
			continue
		}
		if by[next.To] == nil {
			targets = append(targets, next.To)
		}
		by[next.To] = append(by[next.To], i)
	}
	slices.Sort(targets)
	for _, to := range targets {
		f := atRange(g, to)
		f.Cause, f.Each = []string{f.Channel}, namesOf(g, by[to])
		f.Message = fmt.Sprintf("only the skipRange of %q upgrades %s: OLM v0 never offers the entries that replace or skip %s",
			g.Name(to), allOf(namesOf(g, by[to])), plural(len(by[to]), "it", "them"))
		f.Fix = fmt.Sprintf("add %s to the skips of %q, so that a change of the range has no effect on it",
			listAll(namesOf(g, by[to])), g.Name(to))
		p.Report(f)
	}
}

// hasOtherUpgrade reports whether OLM v0 offers something that replaces or skips an entry.
func hasOtherUpgrade(g *graph.Graph, i int) bool {
	return slices.ContainsFunc(g.Edges(i), func(e graph.Edge) bool { return e.To != i && g.Offers(e.To) })
}
