package crd

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
)

var immutable = lint.Rule{
	ID: "crd/immutable", Severity: lint.Error, Gates: lint.GateAPIServer, OtherGates: lint.GateOLMv0 | lint.GateOLMv1,
	Doc: `an upgrade changes an immutable field of a CRD
The scope and the kind of an established CRD cannot change, preserveUnknownFields cannot be enabled again, and some rules apply to
new schemas only. The API server rejects the update, and the upgrade fails.
Revert the change, or ship the new form under another name.`,
	Reference: "k8s.io/apiextensions-apiserver ValidateCustomResourceDefinitionUpdate",
	Check:     eachCRDUpgrade(checkRejectedUpdate),
}

// checkRejectedUpdate reports what the API server rejects in the update of a CRD, except for stored versions.
func checkRejectedUpdate(p *lint.Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
	if old.Manifest.Object == new.Manifest.Object {
		return
	}
	faults, err := crd.UpdateFaults(old.Outline, new.Outline, []string{old.StorageVersion()})
	if err != nil {
		return // reported by crd/invalid
	}
	for _, fault := range faults {
		if strings.HasPrefix(fault.Path, "status.storedVersions") {
			continue // crd/storage-removed
		}
		f := lint.Finding{
			Gates:   lint.GateAPIServer | upgradeGates(s),
			Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
			Cause:   append(causeOf(new, &fault), s.From.Name.Value, new.Manifest.Name),
			Message: fmt.Sprintf("Kubernetes rejects the upgrade from %q to %q: CRD %s, %s%s",
				s.From.Name.Value, s.To.Name.Value, new.Manifest.Name, fault, releaseSuffix(s)),
			Fix:     "revert the change, or ship the new form under another name",
			Related: []lint.Related{relatedBefore(old, fault.Path)},
		}
		p.Report(f.At(new.Manifest, fault.Path))
	}
}

// upgradeGates returns the gates of the OLM generations that make an upgrade.
func upgradeGates(s *preflight.Upgrade) lint.Gates { return lint.OLMGates(s.V0, s.V1) }
