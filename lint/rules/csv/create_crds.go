package csv

import (
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var createCRDs = lint.Rule{
	ID: "csv/create-crds", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `an operator may create CRDs
OLM tracks the owner of CRDs in a bundle, and protects stored objects in upgrades. It does not know CRDs that an operator creates.
Put the CRDs into the bundle, or require the operator that has them.`,
	Reference: "operator-framework/api good_practices.go validateRBACForCRDsWith",
	Check:     contents.InHeads(contents.WithReadableCSV(contents.EachPolicyRule(checkCreateCRDs))),
}

func checkCreateCRDs(c *contents.Contents, o *contents.ObjectWithRules, path string, r *csv.PolicyRule) {
	if o.Manifest == c.CSV.Manifest && r.Allows("apiextensions.k8s.io", []string{"customresourcedefinitions", "*"}, "create", "patch") {
		c.ReportOn(o.Manifest, path, "put the CRDs into the bundle, or require their operator",
			"may create and change CRDs, by %s: OLM does not track them, and cannot prevent data loss in an upgrade", o.Description).WithCause(o.Name)
	}
}
