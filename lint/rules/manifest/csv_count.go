package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var csvCount = lint.Rule{
	ID: "manifest/csv-count", Severity: lint.Error, Gates: lint.GateOPM | lint.GatePipelines, Scope: lint.PerCatalog,
	Doc: `a folder has no CSV, or several
A bundle has exactly one ClusterServiceVersion, which OLM installs. opm rejects a bundle without one. Of several in a bundle opm
takes the first by file name, OLM installs the last, and operator-sdk bundle validate rejects the bundle. In package manifests
each CSV in a folder is a separate version, and a folder without one is ignored: a warning.
Keep one CSV in a bundle; in package manifests remove a folder without one.`,
	Reference: "operator-registry pkg/registry bundleParser, pkg/configmap BundleLoader, pkg/sqlite DirectoryLoader; operator-framework/api pkg/manifests",
	Check:     checkCSVCount,
}

func checkCSVCount(p *lint.Pass) {
	const fix = "keep exactly one ClusterServiceVersion in the bundle"
	problems.Check(catalogs.ManifestCSVs, fix)(p)
	reportAs(p, catalogs.ManifestSecondCSV, lint.Finding{Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0 | lint.GateOLMv1, Fix: fix})
	reportAs(p, catalogs.ManifestNoVersion, lint.Finding{Severity: lint.Warning, Gates: lint.GateAdvice, Fix: "add the ClusterServiceVersion, or remove the folder"})
}
