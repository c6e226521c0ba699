package contents

import (
	"encoding/json"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// ObjectWithRules is a part of a bundle with rules of a role.
type ObjectWithRules struct {
	Manifest    *bundled.Manifest
	path        string
	Description string
	Name        string // of the service account or the role
	Rules       []csv.PolicyRule
	ClusterWide bool // rules for the whole cluster
}

// ObjectsWithRules returns the permissions of the ClusterServiceVersion and the roles of a bundle.
func (c *Contents) ObjectsWithRules() []ObjectWithRules {
	var all []ObjectWithRules
	if c.CSV != nil && !c.CSV.Manifest.Partial {
		for i, p := range c.CSV.Spec.Install.Spec.Permissions {
			all = append(all,
				ObjectWithRules{c.CSV.Manifest, fmt.Sprintf("spec.install.spec.permissions[%d].rules", i),
					fmt.Sprintf("the permissions of %q", p.ServiceAccountName), p.ServiceAccountName, p.Rules, false})
		}
		for i, p := range c.CSV.Spec.Install.Spec.ClusterPermissions {
			all = append(all,
				ObjectWithRules{c.CSV.Manifest, fmt.Sprintf("spec.install.spec.clusterPermissions[%d].rules", i),
					fmt.Sprintf("the clusterPermissions of %q", p.ServiceAccountName), p.ServiceAccountName, p.Rules, true})
		}
	}
	for _, m := range c.Objects() {
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

// EachPolicyRule returns a check that calls check for each rule of a role.
func EachPolicyRule(check func(c *Contents, o *ObjectWithRules, path string, r *csv.PolicyRule)) func(*Contents) {
	return func(c *Contents) {
		for _, o := range c.ObjectsWithRules() {
			for i := range o.Rules {
				check(c, &o, fmt.Sprintf("%s[%d]", o.path, i), &o.Rules[i])
			}
		}
	}
}
