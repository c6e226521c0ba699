package upgrades

import (
	"fmt"

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
	Reference: "operator-registry alpha/model validateReplacesChain",
	Check:     lint.EachChannel(checkStranded),
}

func checkStranded(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	stranded := g.Stranded()
	if len(stranded) == 0 {
		return
	}
	top := edges.Newest(g, stranded)
	chain := g.Chain().Entries
	last := chain[len(chain)-1]
	end := &c.Entries[last]
	f := edges.AtEntry(g, top)
	f.Cause, f.Faults = []string{f.Channel}, edges.NamesOf(g, stranded)
	f.Related = edges.RelatedEntries(g, edges.Without(stranded, top), "%q is also stranded")
	why := fmt.Sprintf("the chain of replaces ends at %q", end.Name.Value)
	f.Fix = edges.HeadFix(g, last, []int{top})
	switch name := end.Replaces.Value; {
	case name != "" && g.Skipped(name):
		why += fmt.Sprintf(", since %q is skipped", name)
		f.Fix = strandedFix(g, name, stranded)
	case name != "":
		f.Fix = edges.HeadFix(g, chain[0], stranded)
		if near, ok := spelling.Nearest(name, edges.NamesOf(g, stranded)); ok && edges.IsValid(edges.WithEntry(g, last, edges.SettingReplaces(near))) {
			f.Fix = fmt.Sprintf("%q replaces %q, which is not an entry: did you mean %q?", end.Name.Value, name, near)
		}
	}
	if end.Replaces.Pos.Known() {
		f.Related = append([]lint.Related{{Pos: end.Replaces.Pos, Message: "the chain of replaces ends here"}}, f.Related...)
	}
	f.Message = fmt.Sprintf("%s %s stranded in channel %q, neither skipped nor in the chain of replaces from the head: %s",
		words.AllOf(edges.NamesOf(g, stranded)), words.Plural(len(stranded), "is", "are"), c.Name.Value, why)
	p.Report(f)
}

// strandedFix returns the fix if the chain of replaces ends at a skipped entry.
func strandedFix(g *graph.Graph, cut string, stranded []int) string {
	if i, ok := g.Index(cut); ok {
		if by, ok := g.SkippedBy(i); ok && edges.IsValid(edges.WithEntry(g, by.To, edges.RemovingSkip(cut))) {
			return fmt.Sprintf("remove %q from the skips of %q", cut, g.Name(by.To))
		}
	}
	head, _ := g.Head()
	return edges.HeadFix(g, head, stranded)
}
