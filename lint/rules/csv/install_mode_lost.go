package csv

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var installModeLost = lint.Rule{
	ID: "csv/install-mode-lost", Severity: lint.Error, Gates: lint.GateOLMv0,
	Doc: `an upgrade removes an install mode
OLM v0 upgrades users of all install modes. For users of a mode that the new version does not support the upgrade fails with
UnsupportedOperatorGroup: the old version is removed, the new one does not run.
Keep supporting the mode, or provide a separate channel for its users.`,
	Reference: "OLM pkg/controller/operators/olm operatorgroup.go; v1alpha1 InstallModeSet.Supports",
	Check:     checkModeLost,
}

// checkModeLost checks the automatic upgrades of OLM v0. It ignores bundles whose install modes are not known.
func checkModeLost(p *lint.Pass) {
	same := contents.NewFindingGroups(p)
	seen := map[[2]*catalogs.Bundle]bool{}
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		for _, i := range g.ByVersion() {
			e, ok := g.Next(i)
			if from, to := c.Entries[i].Bundle, (*catalogs.Bundle)(nil); ok && from != nil {
				if to = c.Entries[e.To].Bundle; to != nil && !seen[[2]*catalogs.Bundle{from, to}] {
					seen[[2]*catalogs.Bundle{from, to}] = true
					reportModesLost(p, same, g, e)
				}
			}
		}
	}
	same.Report("older entry")
}

func reportModesLost(p *lint.Pass, same *contents.FindingGroups, g *graph.Graph, e graph.Edge) {
	from, to := p.Preflight().CSV(g.Channel.Entries[e.From].Bundle), p.Preflight().CSV(g.Channel.Entries[e.To].Bundle)
	if from == nil || to == nil || len(to.Spec.InstallModes) == 0 || from.Err != nil || to.Err != nil {
		return
	}
	kept := to.InstallModes()
	for _, m := range to.Spec.InstallModes {
		if near, ok := spelling.Nearest(m.Type, installModes); ok {
			kept = append(kept, near) // csv/install-modes tells of the misspelt one
		}
	}
	lost := slices.DeleteFunc(from.InstallModes(),
		func(mode string) bool { return slices.Contains(kept, mode) || !slices.Contains(installModes, mode) })
	if len(lost) == 0 {
		return
	}
	f := edges.AtEntry(g, e.To)
	f.Cause, f.Faults = lint.OncePerPackage(), lost
	key := f.Bundle + " " + words.AllOf(lost)
	if same.Has(key) {
		f = edges.AtEntry(g, e.From)
	} else {
		f = f.At(to.Manifest, "spec.installModes")
		f.Message = fmt.Sprintf("%q does not support the install %s %s, which %q does: OLM v0 upgrades its users, and then fails with UnsupportedOperatorGroup",
			g.Name(e.To), words.Plural(len(lost), "mode", "modes"), words.AllOf(lost), g.Name(e.From))
		f.Fix = fmt.Sprintf("keep supporting %s, or provide a separate channel for its users", words.Plural(len(lost), "it", "them"))
		f.Related = edges.RelatedEntries(g, []int{e.From}, "%q supports "+words.Plural(len(lost), "it", "them"))
	}
	same.Add(key, f)
}
