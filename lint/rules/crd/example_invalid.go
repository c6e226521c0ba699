package crd

import (
	"fmt"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
)

var exampleInvalid = lint.Rule{
	ID: "crd/example-invalid", Severity: lint.Warning, Gates: lint.GateOLMv0,
	Doc: `an example of the older bundle is not valid after the upgrade
Before it updates a CRD, OLM v0 validates all objects on the cluster with the new schema, and fails the InstallPlan if one does
not match. The older bundle's own examples (alm-examples), which users copy, do not match.
Let the new schema accept what the old one accepted, or ship it as a new version.`,
	Reference: "OLM catalog operator validateExistingCRs",
	Check:     eachCRDUpgrade(checkExamples),
	Asks:      preflight.CheckExamples,
}

// checkExamples reports examples of the old bundle, as the old CRD stores them, that the new CRD rejects.
func checkExamples(p *lint.Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
	if old.Manifest.Object == new.Manifest.Object || !s.V0 || narrowsIn(p, s, new.Manifest.Name) {
		return
	}
	for _, example := range p.Preflight().BrokenExamples(s.From, old, new) {
		f := lint.Finding{
			Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
			Cause:   append(causeOf(new, &example.Faults[0]), s.From.Name.Value, new.Manifest.Name, example.API.Version),
			Message: fmt.Sprintf("%s of example %d in %q does not match its CRD in %q: %s", example.API.Kind, example.Index+1, s.From.Name.Value, s.To.Name.Value,
				crd.Summary(example.Faults)),
			Fix: "let the new schema accept what the old one accepted, or ship it as a new version",
		}
		p.Report(f.At(new.Manifest, versionPath(new, example.API.Version)))
	}
}
