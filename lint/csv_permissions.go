package lint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// objectWithRules is a place in a bundle that has rules of a role.
type objectWithRules struct {
	on    *catalogs.Manifest
	path  string
	what  string
	name  string // of the service account or the role
	rules []csv.PolicyRule
	wide  bool // for the whole cluster
}

// objectsWithRules are all the rules that a bundle brings: those of the ClusterServiceVersion and those of its roles.
func (c *bundleContents) objectsWithRules() []objectWithRules {
	var all []objectWithRules
	if c.csv != nil && !c.csv.Manifest.Partial {
		for i, p := range c.csv.Spec.Install.Spec.Permissions {
			all = append(all,
				objectWithRules{c.csv.Manifest, fmt.Sprintf("spec.install.spec.permissions[%d].rules", i),
					fmt.Sprintf("the permissions of %q", p.ServiceAccountName), p.ServiceAccountName, p.Rules, false})
		}
		for i, p := range c.csv.Spec.Install.Spec.ClusterPermissions {
			all = append(all,
				objectWithRules{c.csv.Manifest, fmt.Sprintf("spec.install.spec.clusterPermissions[%d].rules", i),
					fmt.Sprintf("the clusterPermissions of %q", p.ServiceAccountName), p.ServiceAccountName, p.Rules, true})
		}
	}
	for _, m := range c.objects() {
		if m.Kind != "Role" && m.Kind != "ClusterRole" {
			continue
		}
		var role struct {
			Rules []csv.PolicyRule `json:"rules"`
		}
		if json.Unmarshal(m.JSON(), &role) == nil {
			all = append(all, objectWithRules{m, "rules", fmt.Sprintf("%s %q", m.Kind, m.Name), m.Name, role.Rules, m.Kind == "ClusterRole"})
		}
	}
	return all
}

// eachRule makes a check of a question about one rule of a role.
func eachRule(check func(c *bundleContents, o *objectWithRules, path string, r *csv.PolicyRule)) func(*bundleContents) {
	return func(c *bundleContents) {
		for _, o := range c.objectsWithRules() {
			for i := range o.rules {
				check(c, &o, fmt.Sprintf("%s[%d]", o.path, i), &o.rules[i])
			}
		}
	}
}

// checkRule refuses what the API server does (Kubernetes: pkg/apis/rbac/validation ValidatePolicyRule).
func checkRule(c *bundleContents, o *objectWithRules, path string, r *csv.PolicyRule) {
	if c.csv != nil && c.csv.Err != nil {
		return
	}
	bad := func(fix, says string) {
		c.reportOn(o.on, path, fix, "has in %s a rule %s: the API server refuses the role", o.what, says).withCauses(o.name).withCauses(ruleParts(r)...)
	}
	switch {
	case len(r.Verbs) == 0:
		bad("set verbs", "without verbs, on "+allOf(append(slices.Clone(r.Resources), r.NonResourceURLs...)))
	case len(r.NonResourceURLs) > 0 && !o.wide:
		bad("move it to the clusterPermissions", "on the paths "+allOf(r.NonResourceURLs)+", which apply to the whole cluster")
	case len(r.NonResourceURLs) > 0 && (len(r.APIGroups) > 0 || len(r.Resources) > 0 || len(r.ResourceNames) > 0):
		bad("split it into two rules", "on paths, "+allOf(r.NonResourceURLs)+", and on resources in one rule")
	case len(r.NonResourceURLs) == 0 && len(r.APIGroups) == 0:
		bad(`set apiGroups, [""] for the core API`, "without apiGroups, on "+allOf(r.Resources))
	case len(r.NonResourceURLs) == 0 && len(r.Resources) == 0:
		bad("set resources", "without resources, in "+allOf(r.APIGroups))
	}
}

func anyOf(have []string, want ...string) bool {
	return slices.ContainsFunc(have, func(h string) bool { return slices.Contains(want, h) })
}

// ruleParts are what a rule names, but for its verbs.
func ruleParts(r *csv.PolicyRule) []string {
	return slices.Concat(r.APIGroups, []string{"/"}, r.Resources, []string{"/"}, r.ResourceNames, []string{"/"}, r.NonResourceURLs)
}

func checkCreateCRDs(c *bundleContents, o *objectWithRules, path string, r *csv.PolicyRule) {
	if o.on == c.csv.Manifest && r.Allows("apiextensions.k8s.io", []string{"customresourcedefinitions", "*"}, "create", "patch") {
		c.reportOn(o.on, path, "put the CRDs into the bundle, or require their operator",
			"may create and change CRDs, by %s: OLM does not track them, and cannot prevent data loss in an upgrade", o.what).withCauses(o.name)
	}
}

// The security context constraints that OpenShift comes with (operator-framework/api: object.go).
var defaultSCCs = []string{"privileged", "restricted", "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork",
	"node-exporter", "nonroot"}

func checkSCC(c *bundleContents, o *objectWithRules, path string, r *csv.PolicyRule) {
	if o.on.Kind == csv.Kind || !r.Allows("security.openshift.io", []string{"securitycontextconstraints"}, "delete", "update", "patch") {
		return
	}
	switch {
	case len(r.ResourceNames) == 0:
		f := c.reportOn(o.on, path, "name the operator's own constraints in resourceNames",
			"may change or delete all security context constraints of OpenShift, by %s, and with them the permissions of all other pods", o.what)
		f.Severity, f.Gates = Warning, GateAdvice
	case anyOf(r.ResourceNames, defaultSCCs...):
		c.reportOn(o.on, path, "create separate constraints instead",
			"may change or delete security context constraints that OpenShift ships, by %s", o.what).withCauses(r.ResourceNames...)
	}
}

func checkPDBRule(c *bundleContents, o *objectWithRules, path string, r *csv.PolicyRule) {
	if o.on.Kind != csv.Kind && r.Allows("policy", []string{"poddisruptionbudgets"}, "create", "update", "patch") {
		c.reportOn(o.on, path, "give it read access only, unless it must create them",
			"may create disruption budgets, by %s: one that allows no disruption prevents nodes from being drained", o.what)
	}
}
