package object

import (
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var defaultSCC = lint.Rule{
	ID: "object/default-scc", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `a role may change the security context constraints of OpenShift
The security context constraints that OpenShift ships define the permissions of every pod. A subject that can change them can
change the security of the whole cluster. A role without resourceNames can change all of them.
Create separate constraints, and name them in resourceNames.`,
	Reference: "operator-framework/api object.go audit",
	Check:     contents.InHeads(contents.EachPolicyRule(checkSCC)),
}

// defaultSCCs are the security context constraints that OpenShift ships (operator-framework/api: object.go).
var defaultSCCs = []string{"privileged", "restricted", "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork",
	"node-exporter", "nonroot"}

func checkSCC(c *contents.Contents, o *contents.ObjectWithRules, path string, r *csv.PolicyRule) {
	if o.Manifest.Kind == csv.Kind || !r.Allows("security.openshift.io", []string{"securitycontextconstraints"}, "delete", "update", "patch") {
		return
	}
	switch {
	case len(r.ResourceNames) == 0:
		c.ReportOn(o.Manifest, path, "name the operator's own constraints in resourceNames",
			"may change or delete all security context constraints of OpenShift, by %s, and with them the permissions of all other pods", o.Description)
	case words.AnyOf(r.ResourceNames, defaultSCCs...):
		c.ReportOn(o.Manifest, path, "create separate constraints instead",
			"may change or delete security context constraints that OpenShift ships, by %s", o.Description).WithCause(r.ResourceNames...)
	}
}
