package upgrade

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// checkNotServed reports each kind once.
func checkNotServed(p *lint.Pass) {
	same := contents.NewFindingGroups(p)
	for _, u := range upgradesOf(p) {
		for _, m := range p.Preflight().NotServed(u.From, u.To) {
			if forOpenShift(p.Catalog) && preflight.ServedByOpenShift(m.Kind) {
				continue
			}
			f := lint.Finding{
				Gates:   lint.OLMGates(u.V0, u.V1),
				Subject: lint.Subject{Channel: u.Channel, Bundle: u.To.Name.Value},
				From:    u.From.Name.Value,
				Cause:   []string{m.Kind},
				Message: fmt.Sprintf("the upgrade from %q to %q fails where the cluster does not serve %s (%s), of which %q has none",
					u.From.Name.Value, u.To.Name.Value, m.Kind, m.APIVersion, u.From.Name.Value),
				Fix: "let the operator create it where the kind is served, or say in the description what the cluster needs",
			}
			same.Add(m.Kind, f.At(m, "kind"))
		}
	}
	same.Report("upgrade")
}

// forOpenShift reports whether a catalog is one for OpenShift, by its name or the configuration of its pipeline.
func forOpenShift(c *catalogs.Catalog) bool { return c.OpenShift != "" || c.Repository != nil }
