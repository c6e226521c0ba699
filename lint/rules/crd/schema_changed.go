package crd

import (
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
)

var schemaChanged = lint.Rule{
	ID: "crd/schema-changed", Severity: lint.Error, Gates: lint.GateOLMv1, OtherGates: lint.GateAdvice,
	Doc: `an upgrade changes the schema of a CRD in a way that OLM v1 rejects
All objects stay valid and keep their values: a default changes, a type is wider, a pattern is removed, a list or map is merged in
another way. OLM v1 rejects each difference that it does not know to be safe (preflight crdUpgradeSafety). It is a warning in an
alpha version, and an info where OLM v1 does not install the bundles. From OpenShift 4.18 on, where users can have both, it is a warning
too: OLM v0 upgrades them, and a ClusterExtension can turn the comparison off. It is an error with --olm v1, --olm both or --gate olmv1.
Keep the schema as it was, or ship the new one as a new version of the API with a conversion.`,
	Reference: "operator-controller preflights/crdupgradesafety: UnhandledEnforcement; sigs.k8s.io/crdify",
	Check:     checkChanged,
	Asks:      preflight.CheckChanges | preflight.CheckUnseen,
}

// checkChanged reports the upgrades that change the schema of a CRD and narrow nothing.
func checkChanged(p *lint.Pass) {
	for _, g := range schemaChangesOf(p).All {
		if !narrows(g) {
			p.Report(schemaFinding(g))
		}
	}
}
