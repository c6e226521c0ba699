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

// addUnserved adds the CRDs that a ClusterServiceVersion owns, and that are not there, or do not serve the version: it stays Pending, and the
// older one runs (OLM: requirementStatus). What the older one lacks already is not added.
func (s *clusterState) addUnserved(o *Outcome, from, to *catalogs.Bundle, after map[string]*liveCRD) {
	c := s.pkg.CSV(to)
	var before []csv.CRDDescription
	if old := s.csv(from); old != nil {
		before = old.Spec.CRDs.Owned
	}
	for _, owned := range c.Spec.CRDs.Owned {
		live := after[owned.Name]
		if live == nil {
			live = s.crds[owned.Name]
		}
		says := fmt.Sprintf("owns version %s of CRD %s, which %%s: it stays Pending (RequirementsNotMet)", owned.Version, owned.Name)
		isOld := slices.ContainsFunc(before, func(o csv.CRDDescription) bool { return o.Name == owned.Name && o.Version == owned.Version })
		switch r := (Reason{Row: missingCRD, Kind: csv.Kind, Name: to.Name.Value}); {
		case live != nil && (live.Serves(owned.Version) || isOld && after[owned.Name] == nil):
		case live != nil:
			if live.Has(owned.Version) {
				r.Row = unservedVersion
			}
			r.Message = fmt.Sprintf(says, "does not serve it")
			o.Reasons = append(o.Reasons, r)
		case isOld || owned.Name == "" || s.unreadable(to, owned.Name):
		case s.pkg.anyHas(owned.Name):
			r.Message = fmt.Sprintf(says, "is not in the bundle")
			r.Where = []Condition{{Kind: CRDAbsent, Name: owned.Name}}
			s.add(o, r)
		default:
			r.Message = fmt.Sprintf(says, "is not there")
			o.Reasons = append(o.Reasons, r)
		}
	}
}

// unreadable reports whether a bundle has a CRD that cannot be read.
func (s *clusterState) unreadable(b *catalogs.Bundle, name string) bool {
	own := s.pkg.CRD(b, name)
	return own != nil && own.Outline == nil
}

// anyHas reports whether a bundle of the package has a CRD: OLM leaves it where the bundle was installed.
func (p *Package) anyHas(name string) bool {
	return slices.ContainsFunc(slices.Concat(p.pkg.Bundles, p.pkg.Elsewhere), func(b *catalogs.Bundle) bool { return b.HasManifests() && p.CRD(b, name) != nil })
}

// csv returns the ClusterServiceVersion of a bundle, or what is known of it; nil if that is nothing, or cannot be read.
func (s *clusterState) csv(b *catalogs.Bundle) *csv.CSV {
	if b == nil {
		return nil
	}
	if c := s.pkg.CSV(b); c != nil && c.Err == nil {
		return c
	}
	return nil
}

// addRequirements adds what the newer ClusterServiceVersion requires of the cluster and the older one does not: a version of Kubernetes, and an
// OperatorGroup that fits its install modes (OLM: minKubeVersionStatus, transitionCSVState). Without On.Kubernetes the first is a warning.
func (s *clusterState) addRequirements(o *Outcome, from, to *catalogs.Bundle) {
	old, new := s.csv(from), s.csv(to)
	if old == nil || new == nil {
		return
	}
	wanted, kubernetes := strings.TrimSpace(new.Spec.MinKubeVersion), s.Kubernetes
	if err := csv.UnmetKubernetes(wanted, kubernetes); err != nil {
		o.Reasons = append(o.Reasons, Reason{Row: minKube, Kind: csv.Kind, Name: to.Name.Value, Message: err.Error()})
	} else if before := cmp.Or(strings.TrimSpace(old.Spec.MinKubeVersion), oldestKubernetes); kubernetes == "" && csv.UnmetKubernetes(wanted, before) != nil {
		o.Warnings = append(o.Warnings, Reason{Row: minKube, Kind: csv.Kind, Name: to.Name.Value,
			Message: fmt.Sprintf("waits (RequirementsNotMet) where Kubernetes is older than %s (minKubeVersion)", wanted)})
	}
	if lost := LostInstallModes(old, new); len(lost) > 0 {
		o.Warnings = append(o.Warnings, Reason{Row: modeLost, Kind: csv.Kind, Name: to.Name.Value,
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
