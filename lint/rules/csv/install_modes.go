package csv

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// installModes are the install modes of an operator (OLM: OperatorGroup).
var installModes = []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"}

func checkInstallModes(c *contents.Contents) {
	if c.CSV.Err != nil {
		return
	}
	listed := c.CSV.Spec.InstallModes
	if len(listed) == 0 {
		c.Report("spec", "list the four installModes, each with supported: true or false",
			"has no installModes: no OperatorGroup fits it, and it cannot be installed")
		return
	}
	if len(c.CSV.InstallModes()) == 0 {
		c.Report("spec.installModes", "set supported: true for at least one",
			"supports none of its installModes: it cannot be installed")
	}
	seen := map[string]bool{}
	for i, m := range listed {
		path := fmt.Sprintf("spec.installModes[%d].type", i)
		if seen[m.Type] {
			c.Report(path, "keep one of them", "has the install mode %q twice: OLM v0 fails with InvalidInstallModes",
				m.Type).WithCause("twice", m.Type).Gates = lint.GateOLMv0
		} else if !slices.Contains(installModes, m.Type) {
			f := c.Report(path, "use one of "+words.OneOf(installModes), "has the install mode %q, which OLM ignores", m.Type).WithCause(m.Type)
			f.Severity, f.Gates = lint.Warning, lint.GateOLMv0
			if near, ok := spelling.Nearest(m.Type, installModes); ok {
				f.Severity, f.Fix = lint.Error, "write "+near
			}
		}
		seen[m.Type] = true
	}
}

// upgradeIn is an edge of a channel.
type upgradeIn struct {
	*graph.Graph
	graph.Edge
}

// checkModeLost checks the automatic upgrades of OLM v0. It ignores bundles whose install modes are not known. That an operator dropped some is
// one finding, at a bundle that is added or else the newest.
func checkModeLost(p *lint.Pass) {
	same := contents.NewFindingGroups(p)
	seen := map[[2]*catalogs.Bundle]bool{}
	var all []upgradeIn
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		for _, i := range g.ByVersion() {
			e, ok := g.Next(i)
			if from, to := c.Entries[i].Bundle, (*catalogs.Bundle)(nil); ok && from != nil {
				if to = c.Entries[e.To].Bundle; to != nil && !seen[[2]*catalogs.Bundle{from, to}] {
					seen[[2]*catalogs.Bundle{from, to}] = true
					all = append(all, upgradeIn{g, e})
				}
			}
		}
	}
	target := func(u upgradeIn) *catalogs.Bundle { return u.Channel.Entries[u.To].Bundle }
	slices.SortStableFunc(all, func(a, b upgradeIn) int { return contents.AddedFirst(p.BasePackage, target(a), target(b)) })
	for _, u := range all {
		reportModesLost(p, same, u.Graph, u.Edge)
	}
	same.Report("upgrade")
}

func reportModesLost(p *lint.Pass, same *contents.FindingGroups, g *graph.Graph, e graph.Edge) {
	from, to := p.Preflight().CSV(g.Channel.Entries[e.From].Bundle), p.Preflight().CSV(g.Channel.Entries[e.To].Bundle)
	if from == nil || to == nil || len(to.Spec.InstallModes) == 0 || from.Err != nil || to.Err != nil {
		return
	}
	lost := preflight.LostInstallModes(from, to)
	for _, m := range to.Spec.InstallModes {
		if near, ok := spelling.Nearest(m.Type, installModes); ok { // csv/install-modes tells of the misspelt one
			lost = slices.DeleteFunc(lost, func(mode string) bool { return mode == near })
		}
	}
	lost = slices.DeleteFunc(lost, func(mode string) bool { return !slices.Contains(installModes, mode) })
	if len(lost) == 0 {
		return
	}
	f := edges.AtEntry(g, e.To)
	f.Cause, f.Faults, f.From = lint.OncePerPackage(), lost, g.Name(e.From)
	key := words.AllOf(lost)
	if !same.Has(key) {
		f = f.At(to.Manifest, "spec.installModes")
		f.Message = fmt.Sprintf("%q does not support the install %s %s, which %q does: OLM v0 upgrades its users, and then fails with UnsupportedOperatorGroup",
			g.Name(e.To), phrase.Plural(len(lost), "mode", "modes"), words.AllOf(lost), g.Name(e.From))
		f.Fix = fmt.Sprintf("keep supporting %s, or provide a separate channel for its users", phrase.Plural(len(lost), "it", "them"))
		f.Related = edges.RelatedEntries(g, []int{e.From}, "%q supports "+phrase.Plural(len(lost), "it", "them"))
	}
	same.Add(key, f)
}

func checkAllNamespaces(c *contents.Contents) {
	if modes := c.CSV.InstallModes(); len(modes) > 0 && !slices.Contains(modes, csv.AllNamespaces) {
		c.Report("spec.installModes", "support AllNamespaces, if the operator can watch all namespaces",
			"supports only %s, not AllNamespaces: OLM v1 installs it only with a namespace to watch in the ClusterExtension", words.AllOf(modes))
	}
}
