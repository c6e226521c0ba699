package crd

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
)

var storageRemoved = lint.Rule{
	ID: "crd/storage-removed", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer,
	Doc: `an upgrade drops the version in which objects are stored
The CRD of the newer bundle lacks the version in which the older one stores its objects. That version is in status.storedVersions:
OLM v0 fails the InstallPlan ("risk of data loss"), OLM v1 and the API server reject the CRD.
Remove a version in this order, with a bundle for each step: set served: false; store objects in another version; migrate the
objects and remove the version from status.storedVersions; then drop it. OLM does none of this automatically.`,
	Reference: "OLM pkg/lib/crd SafeStorageVersionUpgrade; crdify storedVersionRemoval",
	Check:     checkStorageRemoved,
}

// checkStorageRemoved reports upgrades to a CRD without the storage version of the previous bundle.
func checkStorageRemoved(p *lint.Pass) {
	for _, s := range p.Preflight().StoredVersions() {
		var all []preflight.Rejected
		for _, c := range p.Package.Channels {
			direct, _ := s.Rejected(p.Graph(c))
			all = append(all, direct...)
		}
		if len(all) == 0 {
			continue
		}
		r := slices.MinFunc(all, compareRejected)
		reportRejected(p, s, &r, all, lint.Finding{Severity: lint.Error, Message: fmt.Sprintf(
			"%q stores the objects of %s in %s, which %q does not have: Kubernetes refuses the upgrade (\"risk of data loss\")",
			r.Graph.Name(r.From), s.CRD, s.Version, r.Graph.Name(r.To))})
	}
}
