package judge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// ObjectWithRules is a part of a bundle with rules of a role.
type ObjectWithRules struct {
	Manifest    *bundled.Manifest
	Path        string // of the rules
	Description string
	Name        string // of the service account or the role
	Rules       []csv.PolicyRule
	ClusterWide bool // rules for the whole cluster
}

// ObjectsWithRules returns the permissions of the ClusterServiceVersion and the roles of a bundle.
func (p *Package) ObjectsWithRules(b *catalogs.Bundle) []ObjectWithRules {
	var all []ObjectWithRules
	if owner := p.CSV(b); owner != nil && !owner.Manifest.Partial {
		for i, a := range owner.Spec.Install.Spec.Permissions {
			all = append(all,
				ObjectWithRules{owner.Manifest, fmt.Sprintf("spec.install.spec.permissions[%d].rules", i),
					fmt.Sprintf("the permissions of %q", a.ServiceAccountName), a.ServiceAccountName, a.Rules, false})
		}
		for i, a := range owner.Spec.Install.Spec.ClusterPermissions {
			all = append(all,
				ObjectWithRules{owner.Manifest, fmt.Sprintf("spec.install.spec.clusterPermissions[%d].rules", i),
					fmt.Sprintf("the clusterPermissions of %q", a.ServiceAccountName), a.ServiceAccountName, a.Rules, true})
		}
	}
	for _, m := range p.Objects(b) {
		if m.Kind != "Role" && m.Kind != "ClusterRole" {
			continue
		}
		var role struct {
			Rules []csv.PolicyRule `json:"rules"`
		}
		if json.Unmarshal(m.JSON(), &role) == nil {
			all = append(all, ObjectWithRules{m, "rules", fmt.Sprintf("%s %q", m.Kind, m.Name), m.Name, role.Rules, m.Kind == "ClusterRole"})
		}
	}
	return all
}

// MayCreateCRDs reports whether the permissions of an operator let it create CRDs. Rules with resourceNames do not allow create
// (Kubernetes: RBAC).
func (p *Package) MayCreateCRDs(b *catalogs.Bundle) bool {
	return p.allowsOnCRDs(b, func(r *csv.PolicyRule) bool { return createsCRDs(*r) })
}

func createsCRDs(r csv.PolicyRule) bool {
	return words.ContainsAny(r.APIGroups, "apiextensions.k8s.io", "*") && words.ContainsAny(r.Resources, "customresourcedefinitions", "*") &&
		words.ContainsAny(r.Verbs, "create", "*") && len(r.ResourceNames) == 0
}

// ProbablyCreates reports whether an operator that may create CRDs probably creates those that an upgrade removes from its bundle: all of its
// deployments may, and none was removed with the CRDs.
func (p *Package) ProbablyCreates(from, to *catalogs.Bundle) bool {
	old, new := p.readableCSV(from), p.readableCSV(to)
	if old == nil || new == nil {
		return false
	}
	may := map[string]bool{}
	for _, o := range p.ObjectsWithRules(to) {
		if o.Manifest.Kind == csv.Kind && slices.ContainsFunc(o.Rules, createsCRDs) {
			may[o.Name] = true
		}
	}
	kept := map[string]bool{}
	for _, d := range new.Spec.Install.Spec.Deployments {
		if kept[d.Name] = true; !may[cmp.Or(d.Spec.Template.Spec.ServiceAccountName, "default")] {
			return false
		}
	}
	return !slices.ContainsFunc(old.Spec.Install.Spec.Deployments, func(d csv.Deployment) bool { return !kept[d.Name] })
}

// MayEditStoredVersions reports whether the permissions of an operator name what it needs to remove a version from status.storedVersions
// of a CRD: customresourcedefinitions/status (Kubernetes: apiextensions-apiserver). Those for all resources do not say that it does.
func (p *Package) MayEditStoredVersions(b *catalogs.Bundle, crd string) bool {
	return p.allowsOnCRDs(b, func(r *csv.PolicyRule) bool {
		return words.ContainsAny(r.Resources, "customresourcedefinitions/status") && words.ContainsAny(r.Verbs, "update", "patch", "*") &&
			(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, crd))
	})
}

// allowsOnCRDs reports whether a rule on CRDs in the permissions of an operator is as wanted. CRDs are cluster-scoped, so that namespaced
// permissions count only if the operator watches all namespaces (OLM: ensureSingletonRBAC).
func (p *Package) allowsOnCRDs(b *catalogs.Bundle, wanted func(*csv.PolicyRule) bool) bool {
	for _, o := range p.ObjectsWithRules(b) {
		if o.Manifest.Kind != csv.Kind || !o.ClusterWide && !slices.Contains(p.CSV(b).InstallModes(), csv.AllNamespaces) {
			continue
		}
		if slices.ContainsFunc(o.Rules, func(r csv.PolicyRule) bool {
			return words.ContainsAny(r.APIGroups, "apiextensions.k8s.io", "*") && wanted(&r)
		}) {
			return true
		}
	}
	return false
}

// checkRules checks the rules of roles.
func checkRules(c *bundleCase) {
	if c.CSV != nil && c.CSV.Err != nil {
		return
	}
	for _, o := range c.pkg.ObjectsWithRules(c.Bundle) {
		for i := range o.Rules {
			checkRule(c, &o, fmt.Sprintf("%s[%d]", o.Path, i), &o.Rules[i])
		}
	}
}

// checkRule reports rules of roles that the API server rejects (Kubernetes: pkg/apis/rbac/validation ValidatePolicyRule).
func checkRule(c *bundleCase, o *ObjectWithRules, path string, r *csv.PolicyRule) {
	bad := func(fix, says string) {
		c.reportOn(o.Manifest, path, fix, "has in %s a rule %s: the API server rejects the role", o.Description, says).WithCause(o.Name).WithCause(ruleParts(r)...)
	}
	lacks := func(part, fix, where string) {
		if o.Manifest.Kind == csv.Kind {
			if f := misspeltPart(c, path, part); f != nil {
				path, fix, where = f.Path, "write "+part, fmt.Sprintf(", but the unknown key %q%s", f.Key, where)
			}
		}
		bad(fix, "without "+part+where)
	}
	switch {
	case r.Verbs == nil && o.Manifest.Kind == csv.Kind: // see csv/required-field
	case len(r.Verbs) == 0:
		on := ""
		if all := slices.Concat(r.Resources, r.NonResourceURLs); len(all) > 0 {
			on = ", on " + words.QuoteSome(all)
		}
		bad("set verbs", "without verbs"+on)
	case len(r.NonResourceURLs) > 0 && !o.ClusterWide:
		bad("move it to the clusterPermissions", "on the paths "+words.QuoteSome(r.NonResourceURLs)+", which apply to the whole cluster")
	case len(r.NonResourceURLs) > 0 && (len(r.APIGroups) > 0 || len(r.Resources) > 0 || len(r.ResourceNames) > 0):
		bad("split it into two rules", "on paths, "+words.QuoteSome(r.NonResourceURLs)+", and on resources in one rule")
	case len(r.NonResourceURLs) > 0:
	case len(r.APIGroups) == 0:
		lacks("apiGroups", `set apiGroups, [""] for the core API`, ", on "+words.QuoteSome(r.Resources))
	case len(r.Resources) == 0:
		lacks("resources", "set resources", ", in "+words.QuoteSome(r.APIGroups))
	}
}

// misspeltPart returns the unknown key of a rule of the ClusterServiceVersion that is like one that the rule lacks; nil if there is none.
func misspeltPart(c *bundleCase, rule, part string) *schema.Fault {
	return find.Pointer(c.CSV.Faults(), func(f schema.Fault) bool { return f.Object == rule && f.Meant == part && f.Kind == schema.UnknownKey })
}

// isMisspeltPart reports whether csv/rules tells of an unknown key.
func isMisspeltPart(f *schema.Fault) bool {
	return strings.HasPrefix(f.Object, "spec.install.spec.") && strings.Contains(f.Object, ".rules[") && (f.Meant == "apiGroups" || f.Meant == "resources")
}

// ruleParts returns what a rule names, except for its verbs.
func ruleParts(r *csv.PolicyRule) []string {
	return slices.Concat(r.APIGroups, []string{"/"}, r.Resources, []string{"/"}, r.ResourceNames, []string{"/"}, r.NonResourceURLs)
}
