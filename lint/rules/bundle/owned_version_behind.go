package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var ownedVersionBehind = lint.Rule{
	ID: "bundle/owned-version-behind", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `the newest served version of a CRD is not owned
The console generates forms for the owned versions. In a catalog that is made from the ClusterServiceVersion, a bundle that
requires the newer version finds no provider.
Add an entry for the newest version to spec.customresourcedefinitions.owned.`,
	Reference: "OLM pkg/controller/registry/resolver",
	Check:     contents.InHeads(contents.WithReadableCSV(checkOwnedBehind)),
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
