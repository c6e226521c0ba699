package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/preflight"
)

// checkMissingCRD looks for owned CRDs that are not among the objects. Of folders manifest/owned-crd says so.
func checkMissingCRD(c *bundleContents) {
	if c.csv.Manifest.File != "" || c.csv.Err != nil {
		return
	}
	for i, owned := range c.csv.Spec.CRDs.Owned {
		path := fmt.Sprintf("spec.customresourcedefinitions.owned[%d]", i)
		f := func(says string, args ...any) *Finding {
			return c.report(path, "add the CRD to the bundle, with that version and kind, or correct the entry", says, args...).
				withCauses(owned.Name, owned.Version, owned.Kind)
		}
		switch crd, brought := c.ownCRD(owned.Name); {
		case !brought:
			f("owns the CRD %q, but does not contain it: OLM v0 never completes the installation without it", owned.Name)
		case crd == nil: // crd/invalid says why it cannot be read
		case owned.Kind != crd.Kind:
			f("owns the CRD %q as kind %q, but contains it as kind %q", owned.Name, owned.Kind, crd.Kind)
		case !crd.Has(owned.Version):
			f("owns version %q of the CRD %q, but its CRD lacks that version: OLM v0 never completes the installation without it", owned.Version,
				owned.Name).Gates = GateHub | GateOLMv0
		}
	}
}

// ownCRD returns the CRD of that name that the bundle brings, nil if that cannot be read.
func (c *bundleContents) ownCRD(name string) (crd *preflight.CRD, brought bool) {
	own := c.pass.Preflight().CRD(c.Bundle, name)
	if own == nil || own.Outline == nil {
		return nil, own != nil
	}
	return own, true
}

func checkExtraCRD(c *bundleContents) {
	for _, own := range c.pass.Preflight().CRDs(c.Bundle) {
		owns := func(crd csv.CRDDescription) bool { return crd.Name == own.Manifest.Name }
		if c.csv.Err == nil && own.Manifest.Name != "" && !slices.ContainsFunc(c.csv.Spec.CRDs.Owned, owns) {
			c.reportOn(own.Manifest, "metadata.name", "list it in spec.customresourcedefinitions.owned, or remove it",
				"contains the CRD %q, which it does not own: OLM installs it without an owner", own.Manifest.Name)
		}
	}
}

func checkOwnedServed(c *bundleContents) {
	for i, owned := range c.csv.Spec.CRDs.Owned {
		crd, _ := c.ownCRD(owned.Name)
		if crd == nil {
			continue
		}
		at := crd.VersionIndex(owned.Version)
		if at >= 0 && !crd.Versions[at].Served {
			c.report(fmt.Sprintf("spec.customresourcedefinitions.owned[%d].version", i),
				"own a version that is served, or serve it",
				"owns version %s of the CRD %q, which its own CRD does not serve: it stays Pending in OLM v0", owned.Version, owned.Name).
				withCauses(owned.Name, owned.Version)
		}
	}
}

// checkOwnedBehind looks for CRDs of which only older versions are owned than the newest that is served.
func checkOwnedBehind(c *bundleContents) {
	for _, crd := range c.pass.Preflight().CRDs(c.Bundle) {
		if crd.Outline == nil {
			continue
		}
		newest := ""
		for _, v := range crd.Versions {
			if v.Served && !v.Deprecated && (newest == "" || apiVersionLess(newest, v.Name)) {
				newest = v.Name
			}
		}
		at := -1
		for i, owned := range c.csv.Spec.CRDs.Owned {
			if owned.Name == crd.Manifest.Name && (at < 0 || apiVersionLess(c.csv.Spec.CRDs.Owned[at].Version, owned.Version)) {
				at = i
			}
		}
		if at >= 0 && newest != "" && apiVersionLess(c.csv.Spec.CRDs.Owned[at].Version, newest) {
			c.report(fmt.Sprintf("spec.customresourcedefinitions.owned[%d].version", at),
				fmt.Sprintf("add an entry for version %s", newest),
				"owns version %s of the CRD %q, but serves the newer %s: the console offers the old one, and bundles that require the new one find no provider",
				c.csv.Spec.CRDs.Owned[at].Version, crd.Manifest.Name, newest).withCauses(crd.Manifest.Name, newest)
		}
	}
}

// apiVersionLess orders versions of APIs as Kubernetes does: v2 above v1 above v1beta2 above v1alpha1. Others have no order.
func apiVersionLess(a, b string) bool {
	x, okX := apiVersionRank(a)
	y, okY := apiVersionRank(b)
	return okX && okY && slices.Compare(x, y) < 0
}

func apiVersionRank(v string) ([]int, bool) {
	var major, minor int
	stage := ""
	spaced := strings.NewReplacer("alpha", " alpha ", "beta", " beta ").Replace(v)
	if n, _ := fmt.Sscanf(spaced, "v%d %s %d", &major, &stage, &minor); n == 0 {
		return nil, false
	}
	switch stage {
	case "":
		return []int{3, major}, v == fmt.Sprintf("v%d", major)
	case "beta":
		return []int{2, major, minor}, v == fmt.Sprintf("v%dbeta%d", major, minor)
	case "alpha":
		return []int{1, major, minor}, v == fmt.Sprintf("v%dalpha%d", major, minor)
	}
	return nil, false
}
