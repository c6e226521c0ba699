package pipeline

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var certProject = lint.Rule{
	ID: "pipeline/cert-project", Severity: lint.Error, Gates: lint.GateCertified | lint.GateMarketplace, Scope: lint.PerCatalog,
	Doc: `an operator does not name its certification project
The pipelines of the certified and the marketplace catalog take the certification project of an operator from cert_project_id in its
ci.yaml, and reject a pull request without one. Whether the project exists is not known offline.
Set cert_project_id in ci.yaml.`,
	Reference: "operator-pipelines check_certification_projects",
	Check:     check(catalogs.NoCertProject, "set cert_project_id in ci.yaml"),
}
