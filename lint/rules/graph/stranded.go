package upgrades

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var stranded = lint.Rule{
	ID: "graph/stranded", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `entries are cut off from the head
opm follows replaces from the head up to the first skipped entry, and rejects the channel if an entry is neither reached nor
skipped by another one: it could not be upgraded step by step.
Let the chain of replaces reach the entry, or let the head skip it.`,
	Reference:  "operator-registry alpha/model validateReplacesChain",
	OtherGates: lint.GateOLMv0,
	EditsLast:  true, // as those of graph/stuck
	HasEdits:   true,
	Check:      lint.EachChannel(checkStranded),
}

// checkStranded reports stranded entries together with those that are stuck for the same reason.
func checkStranded(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	entries := g.Stranded()
	if len(entries) == 0 {
		return
	}
	top := edges.Newest(g, entries)
	names := edges.NamesOf(g, entries)
	f := edges.AtEntry(g, top)
	f.Cause, f.Faults = []string{f.Channel}, names
	f.Details = edges.RelatedEntries(g, entries, "%q is stranded")
	why, fix, extra := strandedReason(g, entries)
	f.Fix = fix
	f.Message = fmt.Sprintf("%s %s stranded in channel %q, neither skipped nor in the chain of replaces from the head: %s",
		words.Few(names), words.Plural(len(entries), "is", "are"), c.Name.Value, why)
	if s, ok := strandedGroup(g); ok && p.Runs("graph/stuck", c.Name.Value) {
		f.Fix, f.Edits, f.Faults = s.fix, s.edits, mergedNames(names, edges.NamesOf(g, s.entries()))
		f.Details = append(edges.RelatedEntries(g, withoutAll(entries, slices.Concat(s.entries(), s.also)), "%q is stranded"), s.details(g)...)
		if more := len(f.Faults) - len(names); more > 0 {
			f.Message += fmt.Sprintf("; for the same reason %d more %s stuck", more, words.Plural(more, "is", "are"))
		}
		extra = nil
	}
	f.Details = append(f.Details, edges.RelatedEntries(g, extra, "%q has to be skipped with them")...)
	if slices.ContainsFunc(g.Stuck(), func(s graph.Stuck) bool { return slices.Contains(entries, s.Entry) }) {
		f.Gates = lint.GateOPM | lint.GateOLMv0
	}
	chain := g.Chain().Entries
	if end := c.Entries[chain[len(chain)-1]].Replaces; end.Pos.Known() {
		f.Related = []lint.Related{{Pos: end.Pos, Message: "the chain of replaces ends here"}}
	}
	p.Report(f)
}

// strandedReason says where the chain of replaces ends, and the fix with the entries to skip beside the stranded ones.
func strandedReason(g *graph.Graph, stranded []int) (why, fix string, extra []int) {
	chain := g.Chain().Entries
	last := chain[len(chain)-1]
	end := &g.Channel.Entries[last]
	why = fmt.Sprintf("the chain ends at %q", end.Name.Value)
	var skips []int
	switch name := end.Replaces.Value; {
	case name != "" && g.Skipped(name):
		why += fmt.Sprintf(", since %q is skipped", name)
		fix, skips = strandedFix(g, name, stranded)
	case name != "":
		fix, skips = edges.HeadFix(g, chain[0], stranded)
		if near, ok := misspelledReplaces(g, last, stranded); ok {
			fix, skips = fmt.Sprintf("%q replaces %q, which is not an entry: did you mean %q?", end.Name.Value, name, near), nil
		}
	default:
		fix, skips = edges.HeadFix(g, last, []int{edges.Newest(g, stranded)})
	}
	return why, fix, withoutAll(skips, stranded)
}

// misspelledReplaces returns the stranded entry that the replaces of the last entry of the chain probably means.
func misspelledReplaces(g *graph.Graph, last int, stranded []int) (string, bool) {
	name := g.Channel.Entries[last].Replaces.Value
	near, ok := spelling.Nearest(name, edges.NamesOf(g, stranded))
	return near, ok && name != "" && !g.Skipped(name) && edges.IsValid(edges.WithEntry(g, last, edges.SettingReplaces(near)))
}

// strandedGroup returns the entries that are stuck for the same reason as stranded ones, with one fix that makes the channel valid.
// It returns false if there are none, or no such fix.
func strandedGroup(g *graph.Graph) (*stuckGroup, bool) {
	stranded := g.Stranded()
	chain := g.Chain().Entries
	if len(stranded) == 0 {
		return nil, false
	}
	if _, ok := misspelledReplaces(g, chain[len(chain)-1], stranded); ok {
		return nil, false
	}
	skip := graph.Edge{To: -1}
	var stuck []graph.Stuck
	for _, cause := range g.StuckCauses() {
		if !slices.ContainsFunc(cause.Stuck, func(s graph.Stuck) bool { return slices.Contains(stranded, s.Entry) }) {
			continue
		}
		stuck = append(stuck, cause.Stuck...)
		if skip.To < 0 {
			skip = cause.Skip
		}
	}
	s, ok := fixTogether(g, skip, stuck, stranded, edges.IsValid)
	return s, ok
}

// strandedEntries returns the entries that graph/stranded reports.
func strandedEntries(g *graph.Graph) []int {
	all := g.Stranded()
	if s, ok := strandedGroup(g); ok {
		all = slices.Concat(all, s.entries())
	}
	return all
}

// withoutAll returns all entries except some.
func withoutAll(entries, some []int) []int {
	return slices.DeleteFunc(slices.Clone(entries), func(i int) bool { return slices.Contains(some, i) })
}

// mergedNames returns the names of both lists once.
func mergedNames(a, b []string) []string {
	for _, name := range b {
		if !slices.Contains(a, name) {
			a = append(slices.Clip(a), name)
		}
	}
	return a
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
