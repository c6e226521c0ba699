package crd

import (
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
)

var schemaChanged = lint.Rule{
	ID: "crd/schema-changed", Severity: lint.Error, Gates: lint.GateOLMv1, OtherGates: lint.GateAdvice,
	Doc: `an upgrade changes the schema of a CRD in a way that OLM v1 rejects
Stored objects stay valid and keep their values: a default changes, a type is wider, a pattern is removed, a list or map is merged in
another way, a rule is checked when an object is written. OLM v1 rejects each difference that it does not know to be safe (preflight
crdUpgradeSafety). OLM v0 upgrades, and a ClusterExtension can turn the comparison off: it is an info, and with --olm v1, --olm both or
--gate olmv1 an error, in an alpha version a warning.
Keep the schema as it was, or ship the new one as a new version of the API with a conversion.`,
	Reference: "operator-controller preflights/crdupgradesafety: UnhandledEnforcement; sigs.k8s.io/crdify",
	Check:     checkChanged,
	Asks:      preflight.CheckChanges | preflight.CheckUnseen,
}

// checkChanged reports the upgrades that change the schema of a CRD and narrow nothing.
func checkChanged(p *lint.Pass) {
	for _, g := range schemaChangesOf(p).All {
		if !narrows(g) {
			p.Report(schemaFinding(p, g))
		}
	}
}
