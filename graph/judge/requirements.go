package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// oldestKubernetes is the oldest version on which OLM runs: its own CRDs are in apiextensions.k8s.io/v1.
const oldestKubernetes = "1.16"

// addUnserved adds a warning for each CRD that will not serve a version which the ClusterServiceVersion owns: it stays Pending, and the older
// one runs (OLM: requirementStatus).
func (s *clusterState) addUnserved(o *Outcome, to *catalogs.Bundle, after map[string]*liveCRD) {
	c := s.pkg.CSV(to)
	if c == nil || c.Err != nil {
		return
	}
	for _, owned := range c.Spec.CRDs.Owned {
		if live := after[owned.Name]; live != nil && !live.Serves(owned.Version) {
			o.Warnings = append(o.Warnings, Reason{Kind: csv.Kind, Name: to.Name.Value,
				Message: fmt.Sprintf("waits (RequirementsNotMet), since CRD %s does not serve %s, which it owns", owned.Name, owned.Version)})
		}
	}
}

// addRequirements adds what the newer ClusterServiceVersion requires of the cluster and the older one does not: a version of Kubernetes, and an
// OperatorGroup that fits its install modes (OLM: minKubeVersionStatus, transitionCSVState). Without Options.Kubernetes the first is a warning.
func (s *clusterState) addRequirements(o *Outcome, from, to *catalogs.Bundle) {
	old, new := s.pkg.CSV(from), s.pkg.CSV(to)
	wanted, kubernetes := strings.TrimSpace(new.Spec.MinKubeVersion), s.pkg.options.Kubernetes
	if err := csv.UnmetKubernetes(wanted, kubernetes); err != nil {
		o.Reasons = append(o.Reasons, Reason{Kind: csv.Kind, Name: to.Name.Value, Message: err.Error()})
	} else if before := cmp.Or(strings.TrimSpace(old.Spec.MinKubeVersion), oldestKubernetes); kubernetes == "" && csv.UnmetKubernetes(wanted, before) != nil {
		o.Warnings = append(o.Warnings, Reason{Kind: csv.Kind, Name: to.Name.Value,
			Message: fmt.Sprintf("waits (RequirementsNotMet) where Kubernetes is older than %s (minKubeVersion)", wanted)})
	}
	if lost := LostInstallModes(old, new); len(lost) > 0 {
		o.Warnings = append(o.Warnings, Reason{Kind: csv.Kind, Name: to.Name.Value,
			Message: "fails (UnsupportedOperatorGroup) where the OperatorGroup needs " + strings.Join(lost, " or ") + ", which it no longer supports"})
	}
}

// LostInstallModes returns the install modes that a ClusterServiceVersion supports and a newer one does not.
func LostInstallModes(old, new *csv.CSV) []string {
	if len(new.Spec.InstallModes) == 0 {
		return nil
	}
	kept := new.InstallModes()
	return slices.DeleteFunc(old.InstallModes(), func(mode string) bool { return slices.Contains(kept, mode) })
}
