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

// checkStorageRemoved reports upgrades to CRDs without the storage version of the previous bundle, each version of a CRD once.
func checkStorageRemoved(p *lint.Pass) {
	var lost []lostVersion
	for _, s := range p.Preflight().StoredVersions() {
		l := lostVersion{stored: s, severity: lint.Error}
		for _, c := range p.Package.Channels {
			direct, _ := s.Rejected(p.Graph(c))
			l.all = append(l.all, direct...)
		}
		if len(l.all) > 0 {
			l.upgrade = slices.MinFunc(l.all, compareRejected)
			lost = append(lost, l)
		}
	}
	reportLost(p, lost, func(r *preflight.Rejected, lost []lostVersion) string {
		first, from, to := lost[0].stored, r.Graph.Name(r.From), r.Graph.Name(r.To)
		if len(lost) == 1 {
			return fmt.Sprintf("%q stores the objects of %s in %s, which %q does not have: Kubernetes rejects the upgrade (\"risk of data loss\")",
				from, first.CRD, first.Version, to)
		}
		return fmt.Sprintf("%q stores the objects of %d CRDs in versions that %q does not have: Kubernetes rejects the upgrade (\"risk of data loss\"): %s",
			from, len(lost), to, byVersion(lost))
	})
}
