package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var missingTarget = lint.Rule{
	ID: "graph/missing-target", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `replaces or skips names an unknown bundle
A name of a version that was published earlier and is no longer in the catalog is correct: its users can still upgrade. A name
that differs from an existing entry only in spelling is probably a mistake, and users on that entry have no upgrade.
Correct the name.`,
	Reference: "operator-registry alpha/model validateReplacesChain",
	HasEdits:  true,
	Check:     checkMissingTargets,
}

// explainsHeads reports whether a channel has several heads since a name is misspelt.
func explainsHeads(g *graph.Graph, m graph.MissingTarget) bool {
	heads := g.Heads()
	if len(heads) < 2 {
		return false
	}
	typo, ok := misspellingOf(g, edges.Without(heads, edges.Newest(g, heads)))
	return ok && typo.Where == m.Where
}

// reportsMisspelling reports whether checkMissingTargets reports a name with what was probably meant.
func reportsMisspelling(p *lint.Pass, g *graph.Graph, m graph.MissingTarget) bool {
	in := edges.NamesIn(p.Package)
	name := m.Where.Value
	if len(in[name]) > 0 || p.Published(name) || p.Catalog.MayBeUnread(name) {
		return false
	}
	near, ok := spelling.NearestVersioned(name, in.All())
	return ok && !edges.CorrectionHasNewProblems(g, m, near)
}

// checkMissingTargets reports each name that is similar to a known one, and the others once per package.
func checkMissingTargets(p *lint.Pass) {
	in := edges.NamesIn(p.Package)
	all := in.All()
	seen := map[string]bool{}
	var others []lint.Finding
	corrections := edges.SpellingFixes(p, in)
	edges.EachMissingTarget(func(g *graph.Graph, m graph.MissingTarget) {
		name := m.Where.Value
		explained := explainsHeads(g, m)
		if len(in[name]) > 0 || seen[name] && !explained || p.Published(name) || p.Catalog.MayBeUnread(name) || p.Runs(stranded.ID, g.Channel.Name.Value) && endsMisspelt(g, m) {
			return
		}
		seen[name] = true
		f := edges.AtEntry(g, m.Entry)
		f.Pos = words.FirstKnown(m.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("%q %s %q, which is in no channel of the package", g.Name(m.Entry), m.Kind, name)
		if near, ok := spelling.NearestVersioned(name, all); ok && !edges.CorrectionHasNewProblems(g, m, near) {
			f.Severity = lint.Warning
			f.Cause = []string{name}
			f.Message += fmt.Sprintf(": did you mean %q?", near)
			f.Fix = "write " + near
			if explained {
				f.Severity, f.Gates = lint.Error, headGates
				f.Message += fmt.Sprintf(" Without it channel %q has %d heads, and OLM v0 resolves nothing in a namespace subscribed to it",
					g.Channel.Name.Value, len(g.Heads()))
			}
			f.Edits = corrections[name]
			p.Report(f)
			return
		}
		others = append(others, f)
	})(p)
	reportFirst(p, others, "correct if it was published and removed since; otherwise correct the name")
}
