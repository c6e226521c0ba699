package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// ownCRD returns the CRD of that name in the bundle, nil if it cannot be parsed, and whether the bundle contains it.
func ownCRD(c *contents.Contents, name string) (crd *preflight.CRD, present bool) {
	own := c.Pass.Preflight().CRD(c.Bundle, name)
	if own == nil || own.Outline == nil {
		return nil, own != nil
	}
	return own, true
}

// checkMissingCRD reports owned CRDs that are not among the objects of the bundle. For folders manifest/owned-crd reports them.
func checkMissingCRD(c *contents.Contents) {
	if c.CSV.Manifest.File != "" || c.CSV.Err != nil {
		return
	}
	for i, owned := range c.CSV.Spec.CRDs.Owned {
		path := fmt.Sprintf("spec.customresourcedefinitions.owned[%d]", i)
		f := func(says string, args ...any) *lint.Finding {
			return c.Report(path, "add the CRD to the bundle, with that version and kind, or correct the entry", says, args...).
				WithCause(owned.Name, owned.Version, owned.Kind)
		}
		switch crd, present := ownCRD(c, owned.Name); {
		case !present:
			f("owns the CRD %q, but does not contain it: OLM v0 never completes the installation without it", owned.Name)
		case crd == nil: // crd/invalid reports it
		case owned.Kind != crd.Kind:
			f("owns the CRD %q as kind %q, but contains it as kind %q", owned.Name, owned.Kind, crd.Kind)
		case !crd.Has(owned.Version):
			f("owns version %q of the CRD %q, but its CRD lacks that version: OLM v0 never completes the installation without it", owned.Version,
				owned.Name).Gates = lint.GatePipelines | lint.GateOLMv0
		}
	}
}

func checkExtraCRD(c *contents.Contents) {
	for _, own := range c.Pass.Preflight().CRDs(c.Bundle) {
		owns := func(crd csv.CRDDescription) bool { return crd.Name == own.Manifest.Name }
		if c.CSV.Err == nil && own.Manifest.Name != "" && !slices.ContainsFunc(c.CSV.Spec.CRDs.Owned, owns) {
			c.ReportOn(own.Manifest, "metadata.name", "list it in spec.customresourcedefinitions.owned, or remove it",
				"contains the CRD %q, which it does not own: OLM installs it without an owner", own.Manifest.Name)
		}
	}
}

func checkOwnedServed(c *contents.Contents) {
	for i, owned := range c.CSV.Spec.CRDs.Owned {
		crd, _ := ownCRD(c, owned.Name)
		if crd == nil {
			continue
		}
		at := crd.VersionIndex(owned.Version)
		if at >= 0 && !crd.Versions[at].Served {
			c.Report(fmt.Sprintf("spec.customresourcedefinitions.owned[%d].version", i),
				"own a version that is served, or serve it",
				"owns version %s of the CRD %q, which its own CRD does not serve: it stays Pending in OLM v0", owned.Version, owned.Name).
				WithCause(owned.Name, owned.Version)
		}
	}
}

// checkOwnedBehind reports CRDs with a served version newer than all owned ones.
func checkOwnedBehind(c *contents.Contents) {
	for _, crd := range c.Pass.Preflight().CRDs(c.Bundle) {
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
		for i, owned := range c.CSV.Spec.CRDs.Owned {
			if owned.Name == crd.Manifest.Name && (at < 0 || apiVersionLess(c.CSV.Spec.CRDs.Owned[at].Version, owned.Version)) {
				at = i
			}
		}
		if at >= 0 && newest != "" && apiVersionLess(c.CSV.Spec.CRDs.Owned[at].Version, newest) {
			c.Report(fmt.Sprintf("spec.customresourcedefinitions.owned[%d].version", at),
				fmt.Sprintf("add an entry for version %s", newest),
				"owns version %s of the CRD %q, but serves the newer %s: the console offers the old one, and bundles that require the new one find no provider",
				c.CSV.Spec.CRDs.Owned[at].Version, crd.Manifest.Name, newest).WithCause(crd.Manifest.Name, newest)
		}
	}
}

// apiVersionLess compares API versions as Kubernetes does: v2 > v1 > v1beta2 > v1alpha1. It returns false for other names.
func apiVersionLess(a, b string) bool {
	x, okX := apiVersionRank(a)
	y, okY := apiVersionRank(b)
	return okX && okY && slices.Compare(x, y) < 0
}

// apiVersionRank returns the stage and numbers of an API version, for comparison.
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
