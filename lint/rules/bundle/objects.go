package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

func checkDocuments(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.File != "" && m.Document > 0 {
			c.ReportOn(m, "", "move it to its own file",
				"contains the %s %q as another document of the file %s, of which OLM v0 and opm read only the first one: it is not installed",
				m.Kind, m.Name, m.File)
		}
	}
}

// checkSeveralCSVs reports several ClusterServiceVersions in properties. For folders manifest/csv-count reports them.
func checkSeveralCSVs(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.Kind == csv.Kind && m.File == "" && c.CSV != nil && m.Object != c.CSV.Manifest.Object {
			c.ReportOn(m, "", "keep one",
				"has the ClusterServiceVersion %q beside %q: which of the two is installed is not defined", m.Name, c.CSV.Manifest.Object.Name).WithCause(m.Name, c.CSV.Manifest.Object.Name)
		}
	}
}

func checkNetworkPolicy(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.Kind == "NetworkPolicy" && strings.HasPrefix(m.APIVersion, "networking.k8s.io/") {
			c.ReportOn(m, "", "let the operator create it", "contains the NetworkPolicy %q: the pipelines reject it, although OLM installs it", m.Name)
		}
	}
}

func checkExtraCRD(c *contents.Contents) {
	for _, own := range c.Pass.Judge().CRDs(c.Bundle) {
		owns := func(crd csv.CRDDescription) bool { return crd.Name == own.Manifest.Name }
		if c.CSV.Err == nil && own.Manifest.Name != "" && !slices.ContainsFunc(c.CSV.Spec.CRDs.Owned, owns) {
			c.ReportOn(own.Manifest, "metadata.name", "list it in spec.customresourcedefinitions.owned, or remove it",
				"contains the CRD %q, which it does not own: OLM installs it without an owner", own.Manifest.Name)
		}
	}
}

// checkOwnedBehind reports CRDs with a served version newer than all owned ones.
func checkOwnedBehind(c *contents.Contents) {
	for _, crd := range c.Pass.Judge().CRDs(c.Bundle) {
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

// inCatalog returns a check that is skipped for bundles in folders: manifest/owned-crd reports those.
func inCatalog(check func(*contents.Contents)) func(*contents.Contents) {
	return func(c *contents.Contents) {
		if c.CSV != nil && c.CSV.Manifest.File == "" {
			check(c)
		}
	}
}
