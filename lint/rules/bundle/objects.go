package bundle

import (
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

// inCatalog returns a check that is skipped for bundles in folders: manifest/owned-crd reports those.
func inCatalog(check func(*contents.Contents)) func(*contents.Contents) {
	return func(c *contents.Contents) {
		if c.CSV != nil && c.CSV.Manifest.File == "" {
			check(c)
		}
	}
}
