package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// checkStranded reports stranded entries together with those that are stuck for the same reason, and the others together.
func checkStranded(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	rest := g.StrandedEntries()
	if p.Runs("graph/stuck", c.Name.Value) {
		for _, s := range strandedGroups(g) {
			p.Report(strandedFinding(g, s.stranded, s))
			rest = withoutAll(rest, s.stranded)
		}
	}
	if len(rest) > 0 {
		p.Report(strandedFinding(g, rest, nil))
	}
}

// strandedFinding returns the finding about stranded entries, and about a group of stuck ones that contains them, or nil.
func strandedFinding(g *graph.Graph, entries []int, s *stuckGroup) lint.Finding {
	names := g.Names(entries)
	why, fix, extra := strandedReason(g, entries)
	f := edges.AtEntry(g, edges.Newest(g, entries))
	f.Cause, f.Faults = []string{f.Channel}, names
	f.Message = fmt.Sprintf("%s %s stranded in channel %q, neither skipped nor in the chain of replaces from the head: %s",
		words.QuoteSome(names), words.Plural(len(entries), "is", "are"), f.Channel, why)
	if s == nil {
		f.Fix, f.Details = fix, edges.RelatedEntries(g, entries, "%q is stranded")
		f.Details = append(f.Details, edges.RelatedEntries(g, extra, "%q has to be skipped with them")...)
	} else {
		others := withoutAll(s.entries(), entries)
		f.Fix, f.Edits, f.Faults = s.fix, s.edits, slices.Concat(names, g.Names(others))
		f.Details = append(s.details(g), edges.RelatedEntries(g, withoutAll(entries, s.entries()), "%q is stranded")...)
	}
	if more := len(f.Faults) - len(names); more > 0 {
		f.Message += fmt.Sprintf("; for the same reason %d more %s stuck", more, words.Plural(more, "is", "are"))
	}
	if slices.ContainsFunc(g.Stuck(), func(s graph.Stuck) bool { return slices.Contains(entries, s.Entry) }) {
		f.Gates = lint.GateOPM | lint.GateOLMv0
	}
	chain := g.Chain().Entries
	last := chain[len(chain)-1]
	end := g.Channel.Entries[last].Replaces
	f.Names = []string{g.Name(last), end.Value}
	if near, ok := misspelledReplaces(g, last, entries); ok && s == nil {
		f.Pos = catalogs.KnownPos(end.Pos, f.Pos)
		meant := "."
		if _, like := words.Nearest(end.Value, []string{near}); like || strings.HasSuffix(near, "."+end.Value) {
			meant = fmt.Sprintf(": did you mean %q?", near)
		}
		f.Message = fmt.Sprintf("%q replaces %q, which is not an entry%s Without it %s %s stranded in channel %q",
			g.Name(last), end.Value, meant, words.QuoteSome(names), words.Plural(len(entries), "is", "are"), f.Channel)
	} else if end.Pos.IsKnown() {
		f.Related = []lint.Related{{Pos: end.Pos, Message: "the chain of replaces ends here"}}
	}
	return f
}

// strandedReason says where the chain of replaces ends, and the fix for all stranded entries, with those to skip beside some of
// them.
func strandedReason(g *graph.Graph, some []int) (why, fix string, extra []int) {
	stranded := g.StrandedEntries()
	chain := g.Chain().Entries
	last := chain[len(chain)-1]
	end := &g.Channel.Entries[last]
	why = fmt.Sprintf("the chain ends at %q", end.Name.Value)
	var skips []int
	switch name := end.Replaces.Value; {
	case name != "" && g.IsSkipped(name):
		why += fmt.Sprintf(", since %q is skipped", name)
		fix, skips = strandedFix(g, name, stranded)
	case name != "":
		fix, skips = edges.HeadFix(g, chain[0], stranded)
		if near, ok := misspelledReplaces(g, last, stranded); ok {
			fix, skips = "write "+near, nil
		}
	default:
		newest := edges.Newest(g, stranded)
		if edges.IsDowngrade(g, graph.Edge{From: newest, To: last}) {
			fix, skips = edges.HeadFix(g, chain[0], stranded)
		} else {
			fix, skips = edges.HeadFix(g, last, []int{newest})
		}
	}
	return why, fix, withoutAll(skips, some)
}

// misspelledReplaces returns what the replaces of the last entry of the chain probably should be: a stranded entry with a name like it; or if it is
// the end of the name of an entry, that one, or the newest below it with which nothing is stranded.
func misspelledReplaces(g *graph.Graph, last int, stranded []int) (string, bool) {
	name := g.Channel.Entries[last].Replaces.Value
	if _, known := g.Index(name); known || name == "" || g.IsSkipped(name) {
		return "", false
	}
	valid := func(meant string) bool {
		return edges.IsValid(edges.WithEntry(g, last, edges.SettingReplaces(meant)))
	}
	if near, ok := words.Nearest(name, g.Names(stranded)); ok && valid(near) {
		return near, true
	}
	begun := false
	for _, i := range g.ByVersion() {
		if begun = begun || i != last && strings.HasSuffix(g.Name(i), "."+name); begun && i != last && valid(g.Name(i)) {
			return g.Name(i), true
		}
	}
	return "", false
}

// endsMisspelt reports whether graph/stranded tells a missing name as what ends the chain of replaces.
func endsMisspelt(g *graph.Graph, m graph.MissingTarget) bool {
	stranded, chain := g.StrandedEntries(), g.Chain().Entries
	if len(stranded) == 0 || len(chain) == 0 || chain[len(chain)-1] != m.Entry || g.Channel.Entries[m.Entry].Replaces != m.Where {
		return false
	}
	_, ok := misspelledReplaces(g, m.Entry, stranded)
	return ok
}

// mostCauses is how many causes of one channel a fix of their own is tried for, each on a copy of the channel.
const mostCauses = 50

// strandedGroups returns the stuck entries by cause that contain stranded ones, if they have one fix after which none is stranded, for the first causes.
func strandedGroups(g *graph.Graph) []*stuckGroup {
	stranded := g.StrandedEntries()
	if len(stranded) == 0 {
		return nil
	}
	chain := g.Chain().Entries
	if _, ok := misspelledReplaces(g, chain[len(chain)-1], stranded); ok {
		return nil
	}
	var all []*stuckGroup
	rest, causes := stranded, g.StuckCauses()
	for _, cause := range causes[:min(mostCauses, len(causes))] {
		left := withoutAll(stranded, stuckEntries(cause.Stuck))
		if len(left) == len(stranded) {
			continue
		}
		s, ok := fixTogether(g, cause.Skip, cause.Stuck, func(after *graph.Graph) bool { return len(withoutAll(after.StrandedEntries(), left)) == 0 })
		if !ok {
			continue
		}
		if s.stranded = withoutAll(rest, s.after.StrandedEntries()); len(s.stranded) > 0 {
			all = append(all, s)
			rest = withoutAll(rest, s.stranded)
		}
	}
	return all
}

// strandedEntries returns the entries that graph/stranded reports.
func strandedEntries(g *graph.Graph) []int {
	all := g.StrandedEntries()
	for _, s := range strandedGroups(g) {
		all = slices.Concat(all, s.entries())
	}
	return all
}

// withoutAll returns all entries except some.
func withoutAll(entries, some []int) []int {
	return slices.DeleteFunc(slices.Clone(entries), func(i int) bool { return slices.Contains(some, i) })
}

// strandedFix returns the fix if the chain of replaces ends at a skipped entry.
func strandedFix(g *graph.Graph, cut string, stranded []int) (fix string, skips []int) {
	if i, ok := g.Index(cut); ok {
		if by, ok := g.SkippedBy(i); ok && edges.IsValid(edges.WithEntry(g, by.To, edges.RemovingSkip(cut))) {
			return fmt.Sprintf("remove %q from the skips of %q", cut, g.Name(by.To)), nil
		}
	}
	head, _ := g.Head()
	return edges.HeadFix(g, head, stranded)
}
