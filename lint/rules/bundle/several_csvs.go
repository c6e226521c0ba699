package bundle

import (
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var severalCSVs = lint.Rule{
	ID: "bundle/several-csvs", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
	Doc: `a bundle has several ClusterServiceVersions
A bundle is one version of one operator. If there are several ClusterServiceVersions, opm takes the first one and OLM v1 the last
one.
Keep one.`,
	Reference: "operator-registry pkg/registry ReadCSVFromBundleDirectory",
	Check:     contents.InAllBundles(checkSeveralCSVs),
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
