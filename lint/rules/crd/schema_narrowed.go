package crd

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var schemaNarrowed = lint.Rule{
	ID: "crd/schema-narrowed", Severity: lint.Error, Gates: lint.GateOLMv1, OtherGates: lint.GateOLMv0 | lint.GateAdvice,
	Doc: `an upgrade narrows the schema of a CRD
Objects that were valid become invalid or lose values: a field is removed or required, its type, pattern or limit is narrower. OLM v1
compares both schemas and rejects the upgrade (preflight crdUpgradeSafety). OLM v0 fails the InstallPlan if an object on the cluster
does not match the new schema. Values of removed fields are dropped silently, which OLM v0 does not refuse. It is a warning in an alpha version, and where OLM v1
does not see the change (in all but the last part of an anyOf or allOf, and in new fields) or does not install the bundles. From
OpenShift 4.18 on, where users can have both, it is a warning too: OLM v0 upgrades them, and a ClusterExtension can turn the comparison
off (spec.install.preflight.crdUpgradeSafety). It is an error with --olm v1, --olm both or --gate olmv1.
Keep the schema as it was, or ship the new one as a new version of the API with a conversion.`,
	Reference: "operator-controller preflights/crdupgradesafety; sigs.k8s.io/crdify; OLM catalog operator validateExistingCRs",
	Check:     checkNarrowed,
	Asks:      preflight.CheckChanges | preflight.CheckUnseen | preflight.CheckExamples,
}

// narrowsIn reports whether crd/schema-narrowed tells of an upgrade that it makes objects invalid.
func narrowsIn(p *lint.Pass, s *preflight.Upgrade, name string) bool {
	return p.Runs(schemaNarrowed.ID, s.Channel) && slices.ContainsFunc(schemaChangesOf(p).All, func(g *schemaGroup) bool {
		return slices.ContainsFunc(g.Parts, func(c *schemaChange) bool {
			return c.Narrows && c.in.new.Manifest.Name == name && (c.in.upgrade == s || slices.ContainsFunc(g.Also, func(o lint.Occurrence) bool { return o.Bundle == s.To.Name.Value }))
		})
	})
}

// checkNarrowed reports the upgrades that narrow the schema of a CRD, and those whose schemas are not compared.
func checkNarrowed(p *lint.Pass) {
	changes := schemaChangesOf(p)
	for _, g := range changes.All {
		if narrows(g) {
			f := schemaFinding(p, g)
			if in := g.Parts[0].in; in.upgrade.V0 && len(p.Preflight().BrokenExamples(in.upgrade.From, in.old, in.new)) > 0 {
				f.Message += fmt.Sprintf("; an example of %q does not match any more", in.upgrade.From.Name.Value)
			}
			p.Report(f)
		}
	}
	f := contents.NewFindingGroups(p)
	for _, u := range changes.notCompared {
		f.Add(u.new.Manifest.Name+u.err.Error(), u.finding())
	}
	f.Report("upgrade")
}
