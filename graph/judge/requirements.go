package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// oldestKubernetes is the oldest version on which OLM runs: its own CRDs are in apiextensions.k8s.io/v1.
const oldestKubernetes = "1.16"

// addUnserved adds the CRDs that a ClusterServiceVersion owns, and that are not there, or do not serve the version: it stays Pending, and the
// older one runs (OLM: requirementStatus). What the older one lacks already is not added.
func (s *clusterState) addUnserved(o *Outcome, from, to *catalogs.Bundle, after map[string]*liveCRD) {
	c := s.pkg.CSV(to)
	var before []csv.CRDDescription
	if old := s.pkg.readableCSV(from); old != nil {
		before = old.Spec.CRDs.Owned
	}
	for _, owned := range c.Spec.CRDs.Owned {
		live := after[owned.Name]
		if live == nil {
			live = s.crds[owned.Name]
		}
		says := func(lacks string) string {
			return fmt.Sprintf("owns version %s of CRD %s, which %s: it stays Pending (RequirementsNotMet)", owned.Version, owned.Name, lacks)
		}
		isOld := slices.ContainsFunc(before, func(o csv.CRDDescription) bool { return o.Name == owned.Name && o.Version == owned.Version })
		switch r := (Reason{Row: missingCRD, Kind: csv.Kind, Name: to.Name.Value}); {
		case live != nil && (live.Serves(owned.Version) || isOld && after[owned.Name] == nil):
		case live != nil:
			if live.Has(owned.Version) {
				r.Row = unservedVersion
			}
			r.Message = says("does not serve it")
			o.Reasons = append(o.Reasons, r)
		case isOld || owned.Name == "" || s.unreadable(to, owned.Name):
		case s.pkg.anyHas(owned.Name):
			r.Message = says("is not in the bundle")
			r.Where = []Condition{{Kind: crdAbsent, Name: owned.Name}}
			s.add(o, r)
		default:
			r.Message = says("is not there")
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

// readableCSV returns the ClusterServiceVersion of a bundle, or what is known of it; nil if that is nothing, or cannot be read.
func (p *Package) readableCSV(b *catalogs.Bundle) *csv.CSV {
	if b == nil {
		return nil
	}
	if c := p.CSV(b); c != nil && c.Err == nil {
		return c
	}
	return nil
}

// checkMinKube reports the version of Kubernetes that a ClusterServiceVersion requires (OLM: minKubeVersionStatus).
func checkMinKube(c *bundleCase) {
	text := strings.TrimSpace(c.CSV.Spec.MinKubeVersion)
	v, err := semver.Parse(strings.TrimPrefix(text, "v"))
	const path, three = "spec.minKubeVersion", "write three numbers, for example 1.25.0"
	switch {
	case text == "":
		return
	case err != nil:
		c.report(path, three, "has the minKubeVersion %q, which is not a version of three numbers: OLM v0 never completes the installation", text).WithCause(text)
		return
	case strings.HasPrefix(text, "v"):
		c.report(path, three, "has the minKubeVersion %q: operator-framework/api allows no leading v", text).WithCause(text).Gates = GatePipelines
	}
	r := c.report(path, "keep it out of catalogs for older clusters", "needs Kubernetes %s (minKubeVersion)", v).WithCause(text)
	r.Gates, r.Where = GateOLMv0, []Condition{{Kind: KubernetesBefore, Name: v.String()}}
}

// findLostModes finds the install modes that the older bundle supports and the newer one does not (OLM: transitionCSVState), without
// misspelt ones, which csv/install-modes has.
func findLostModes(c *upgradeCase) {
	old, new := c.pkg.readableCSV(c.From), c.pkg.readableCSV(c.To)
	if old == nil || new == nil {
		return
	}
	misspelt := func(mode string) bool {
		return slices.ContainsFunc(new.Spec.InstallModes, func(m csv.InstallMode) bool {
			near, ok := words.Nearest(m.Type, csv.KnownInstallModes)
			return ok && near == mode
		})
	}
	lost := slices.DeleteFunc(LostInstallModes(old, new), func(mode string) bool { return !slices.Contains(csv.KnownInstallModes, mode) || misspelt(mode) })
	if len(lost) == 0 {
		return
	}
	r := c.add(new.Manifest, "spec.installModes", "no longer supports the install %s %s (UnsupportedOperatorGroup)", words.Plural(len(lost), "mode", "modes"), words.QuoteSome(lost))
	r.Kind, r.Name, r.Faults, r.Where = csv.Kind, c.To.Name.Value, lost, []Condition{{Kind: groupNeeds, Modes: lost}}
	r.Old, r.OldPath = old.Manifest, "spec.installModes"
	r.Fix = fmt.Sprintf("keep supporting %s, or provide a separate channel for its users", words.Plural(len(lost), "it", "them"))
}

// LostInstallModes returns the install modes that a ClusterServiceVersion supports and a newer one does not.
func LostInstallModes(old, new *csv.CSV) []string {
	if len(new.Spec.InstallModes) == 0 {
		return nil
	}
	kept := new.InstallModes()
	return slices.DeleteFunc(old.InstallModes(), func(mode string) bool { return slices.Contains(kept, mode) })
}
