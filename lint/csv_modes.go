package lint

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph"
)

// The ways in which an operator can be installed (OLM: OperatorGroup).
var installModes = []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"}

func checkInstallModes(c *bundleContents) {
	if c.csv.Err != nil {
		return
	}
	listed := c.csv.Spec.InstallModes
	if len(listed) == 0 {
		c.report("spec", "list the four installModes, each with supported: true or false",
			"has no installModes: no OperatorGroup fits it, and it cannot be installed")
		return
	}
	if len(c.csv.InstallModes()) == 0 {
		c.report("spec.installModes", "set supported: true for at least one",
			"supports none of its installModes: it cannot be installed")
	}
	seen := map[string]bool{}
	for i, m := range listed {
		path := fmt.Sprintf("spec.installModes[%d].type", i)
		if seen[m.Type] {
			c.report(path, "keep one of them", "has the install mode %q twice: OLM v0 fails with InvalidInstallModes",
				m.Type).withCauses("twice", m.Type).Gates = GateOLMv0
		} else if !slices.Contains(installModes, m.Type) {
			c.report(path, "use one of "+oneOf(installModes),
				"has the install mode %q, which OLM ignores", m.Type).withCauses(m.Type).Severity = Warning
		}
		seen[m.Type] = true
	}
}

func checkAllNamespaces(c *bundleContents) {
	if modes := c.csv.InstallModes(); len(modes) > 0 && !slices.Contains(modes, csv.AllNamespaces) {
		c.report("spec.installModes", "support AllNamespaces, if the operator can watch all namespaces",
			"supports only %s, not AllNamespaces: OLM v1 installs it only with a namespace to watch in the ClusterExtension", allOf(modes))
	}
}

// checkModeLost looks at what OLM v0 upgrades by itself. Bundles whose install modes are not known are passed by.
func checkModeLost(p *Pass) {
	same := newFold(p)
	seen := map[[2]*catalogs.Bundle]bool{}
	for _, c := range p.Package.Channels {
		g := p.Graph(c)
		for _, i := range g.ByVersion() {
			e, ok := g.Next(i)
			if from, to := c.Entries[i].Bundle, (*catalogs.Bundle)(nil); ok && from != nil {
				if to = c.Entries[e.To].Bundle; to != nil && !seen[[2]*catalogs.Bundle{from, to}] {
					seen[[2]*catalogs.Bundle{from, to}] = true
					p.reportModesLost(same, g, e)
				}
			}
		}
	}
	same.report("older entry")
}

func (p *Pass) reportModesLost(same *foldedFindings, g *graph.Graph, e graph.Edge) {
	from, to := p.Preflight().CSV(g.Channel.Entries[e.From].Bundle), p.Preflight().CSV(g.Channel.Entries[e.To].Bundle)
	if from == nil || to == nil || len(to.Spec.InstallModes) == 0 || from.Err != nil || to.Err != nil {
		return
	}
	kept := to.InstallModes()
	lost := slices.DeleteFunc(from.InstallModes(),
		func(mode string) bool { return slices.Contains(kept, mode) || !slices.Contains(installModes, mode) })
	if len(lost) == 0 {
		return
	}
	f := atEntry(g, e.To)
	f.Cause, f.Each = oncePerPackage(), lost
	key := f.Bundle + " " + allOf(lost)
	if same.byKey[key] == nil {
		f.Pos = firstKnown(to.Manifest.At("spec.installModes"), f.Pos)
		f.Message = fmt.Sprintf("%q does not support the install %s %s, which %q does: OLM v0 upgrades its users, and then fails with UnsupportedOperatorGroup",
			g.Name(e.To), plural(len(lost), "mode", "modes"), allOf(lost), g.Name(e.From))
		f.Fix = fmt.Sprintf("keep supporting %s, or provide a separate channel for its users", plural(len(lost), "it", "them"))
		f.Related = placesOf(g, []int{e.From}, "%q supports "+plural(len(lost), "it", "them"))
	}
	same.add(key, f)
}
