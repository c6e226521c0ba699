package graph

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// isGenerated reports whether opm generates the channels from versions, so that no entry of them can be edited.
func isGenerated(p *lint.Pass) bool {
	return p.Catalog.Template != nil && p.Catalog.Template.Generated()
}

const basicInstead = "write a template of schema olm.template.basic, whose edges you choose"

// stuckFix returns the fix of entries that are stuck in a generated channel: the oldest later version of opm with which, as with all versions
// after it, none is, without new problems.
func stuckFix(p *lint.Pass, g *graph.Graph) string {
	t, since := p.Catalog.Template, ""
	for _, v := range slices.Backward(template.Changes()) {
		if !t.OPM.Before(v) || !solvesStuck(g, expansion.Expand(t, v, nil)) {
			break
		}
		since = v.String()
	}
	switch {
	case since == "":
		return basicInstead
	case t.PinnedBy.Known():
		return fmt.Sprintf("let %s name opm %s or later instead of %s", t.PinnedBy.File, since, t.OPM)
	}
	return fmt.Sprintf("use opm %s or later instead of %s", since, t.OPM)
}

// solvesStuck reports whether no entry of a channel is stuck in a package that is made of its template, which may be nil.
func solvesStuck(g *graph.Graph, made *catalogs.Package) bool {
	if made == nil || made.Channel(g.Channel.Name.Value) == nil {
		return false
	}
	after := graph.Of(made, made.Channel(g.Channel.Name.Value))
	return len(after.Stuck()) == 0 && !edges.HasNewProblems(g, after)
}
