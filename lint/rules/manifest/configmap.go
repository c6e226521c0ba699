package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var configmap = lint.Rule{
	ID: "manifest/configmap", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0, Scope: lint.PerCatalog,
	Doc: `a catalog in a ConfigMap is incomplete
The ConfigMap of a CatalogSource of type configmap has three keys in data: customResourceDefinitions, clusterServiceVersions and
packages. Each is a YAML list without duplicates. If one is missing or cannot be read, the pod of the catalog exits at its start,
and nothing is offered. Data that is silently dropped is a warning: all but the last of several packages of a name, and all but
the first of several YAML documents.
Set all three keys in data, each to a YAML list without duplicates.`,
	Reference: "operator-registry pkg/sqlite ConfigMapLoader, cmd/configmap-server",
	Check:     checkConfigMap,
}

func checkConfigMap(p *lint.Pass) {
	const fix = "set all three keys in data, each to a YAML list without duplicates"
	problems.Check(catalogs.ManifestConfigMap, fix)(p)
	reportAs(p, catalogs.ManifestDropped, lint.Finding{Severity: lint.Warning, Gates: lint.GateAdvice, Fix: fix})
}
