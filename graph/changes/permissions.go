package changes

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/changes/rbac"
)

// scope is where permissions count.
type scope int

const (
	inNamespaces scope = iota // those of the OperatorGroup, or of the operator
	inCluster
)

func (s scope) String() string {
	return [...]string{" in the namespaces of its OperatorGroup", " in the whole cluster"}[s]
}

// granted is a holder of permissions: the operator, whose service accounts are compared together, a subject of a binding, or a role that the bundle
// binds to nobody.
type granted struct {
	rules    [2][]csv.PolicyRule            // by scope
	accounts map[string][2][]csv.PolicyRule // of the operator
	bound    []string                       // to roles that the bundle does not have
	sets     [2]map[string]*rbac.Set        // of accounts, once they are needed
}

// of returns what each service account may do in a scope.
func (g *granted) of(s scope) map[string]*rbac.Set {
	if g.sets[s] == nil {
		g.sets[s] = map[string]*rbac.Set{}
		for account, rules := range g.accounts {
			own, _ := rbac.Of(rules[s])
			g.sets[s][account] = rbac.NewSet(own...)
		}
	}
	return g.sets[s]
}

// operator is the holder of what service accounts may do.
const operator = ""

// role is a Role or a ClusterRole, and what binds it.
type role struct {
	csv.ObjectMeta `json:"metadata"`
	Rules          []csv.PolicyRule `json:"rules"`
	RoleRef        struct {
		Kind, Name string
	} `json:"roleRef"`
	Subjects []struct {
		Kind, Name string
	} `json:"subjects"`
	kind  string
	bound bool
}

// grantsOf returns who may do what by a bundle. OLM makes roles of the permissions of a ClusterServiceVersion (OLM: resolver
// RBACForClusterServiceVersion).
func (c *comparison) grantsOf(b *catalogs.Bundle, of *csv.CSV) map[string]*granted {
	found := map[string]*granted{}
	for s, permissions := range [][]csv.ServiceAccountRules{of.Spec.Install.Spec.Permissions, of.Spec.Install.Spec.ClusterPermissions} {
		for _, p := range permissions {
			grant(found, operator, p.ServiceAccountName, scope(s), p.Rules)
		}
	}
	roles := map[[2]string]*role{}
	var bindings []*role
	for _, m := range c.pkg.Manifests(b) {
		r := &role{kind: m.Kind}
		if m.Kind != "Role" && m.Kind != "ClusterRole" && m.Kind != "RoleBinding" && m.Kind != "ClusterRoleBinding" || json.Unmarshal(m.JSON(), r) != nil {
			continue
		}
		if strings.HasSuffix(m.Kind, "Binding") {
			bindings = append(bindings, r)
		} else {
			roles[[2]string{m.Kind, m.Name}] = r
		}
	}
	for _, binding := range bindings {
		bind(found, binding, roles[[2]string{binding.RoleRef.Kind, binding.RoleRef.Name}])
	}
	for _, key := range slices.SortedFunc(maps.Keys(roles), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if r := roles[key]; !r.bound {
			grant(found, r.kind+" "+r.Name+r.aggregated(), "", scopeOf(r.kind), r.Rules)
		}
	}
	return found
}

func grant(found map[string]*granted, holder, account string, s scope, rules []csv.PolicyRule) *granted {
	g := found[holder]
	if g == nil {
		g = &granted{accounts: map[string][2][]csv.PolicyRule{}}
		found[holder] = g
	}
	g.rules[s] = append(g.rules[s], rules...)
	own := g.accounts[account]
	own[s] = append(own[s], rules...)
	g.accounts[account] = own
	return g
}

func scopeOf(kind string) scope {
	if strings.HasPrefix(kind, "Cluster") {
		return inCluster
	}
	return inNamespaces
}

// bind grants a role, nil if the bundle does not have it, to the subjects of a binding.
func bind(found map[string]*granted, binding, r *role) {
	for _, subject := range binding.Subjects {
		holder, account := subject.Kind+" "+subject.Name, ""
		if subject.Kind == "ServiceAccount" {
			holder, account = operator, subject.Name
		}
		switch {
		case r != nil:
			r.bound = true
			grant(found, holder, account, scopeOf(binding.kind), r.Rules)
		case binding.RoleRef.Name == "cluster-admin":
			grant(found, holder, account, scopeOf(binding.kind), []csv.PolicyRule{
				{Verbs: []string{rbac.All}, APIGroups: []string{rbac.All}, Resources: []string{rbac.All}}})
		default:
			g := grant(found, holder, account, scopeOf(binding.kind), nil)
			g.bound = append(g.bound, binding.RoleRef.Kind+" "+binding.RoleRef.Name+scopeOf(binding.kind).String())
		}
	}
}

// aggregated says of which roles of Kubernetes a ClusterRole becomes a part.
func (r *role) aggregated() string {
	var into []string
	for _, name := range []string{"admin", "edit", "view"} {
		if r.Labels["rbac.authorization.k8s.io/aggregate-to-"+name] == "true" {
			into = append(into, name)
		}
	}
	if len(into) == 0 {
		return ""
	}
	return " (part of " + strings.Join(into, ", ") + ")"
}

func (c *comparison) comparePermissions() {
	before, after := c.grantsOf(c.from, c.old), c.grantsOf(c.to, c.new)
	holders := slices.Collect(maps.Keys(before))
	holders = slices.AppendSeq(holders, maps.Keys(after))
	slices.Sort(holders)
	none := &granted{}
	for _, holder := range slices.Compact(holders) {
		old, new := before[holder], after[holder]
		if old == nil {
			old = none
		}
		if new == nil {
			new = none
		}
		c.compareHolder(holder, old, new)
	}
}

// sides are the permissions of a holder before and after, by scope.
type sides struct{ old, new [2][]rbac.Permission }

func (c *comparison) compareHolder(holder string, old, new *granted) {
	var p sides
	for s := range p.old {
		var ok, both bool
		p.old[s], ok = rbac.Of(old.rules[s])
		p.new[s], both = rbac.Of(new.rules[s])
		if !ok || !both {
			c.add(Permissions, true, holder, "has too many permissions to be compared")
			return
		}
	}
	set := func(of ...[]rbac.Permission) *rbac.Set { return rbac.NewSet(slices.Concat(of...)...) }
	namespacedBefore, namespacedNow := set(p.old[inNamespaces]), set(p.new[inNamespaces])
	c.addGained(holder, new, inCluster, rbac.Minus(p.new[inCluster], set(p.old[inCluster])), namespacedBefore)
	c.addGained(holder, new, inNamespaces, rbac.Minus(p.new[inNamespaces], set(p.old[:]...)), nil)
	var lost, narrowed []rbac.Permission
	for _, l := range rbac.Minus(p.old[inCluster], set(p.new[inCluster])) {
		if namespacedNow.Covers(l) {
			narrowed = append(narrowed, l)
		} else {
			lost = append(lost, l)
		}
	}
	c.addPermissions(holder, old, inCluster, false, lost, "may no longer ", inCluster.String())
	c.addPermissions(holder, old, inCluster, false, narrowed, "may now only"+inNamespaces.String()+": ", "")
	c.addPermissions(holder, old, inNamespaces, false, rbac.Minus(p.old[inNamespaces], set(p.new[:]...)), "may no longer ", inNamespaces.String())
	for _, r := range new.bound {
		if !slices.Contains(old.bound, r) {
			c.add(Permissions, true, nameOf(holder, new, nil, inCluster), "gets the "+r+", which is not in the bundle")
		}
	}
	for _, r := range old.bound {
		if !slices.Contains(new.bound, r) {
			c.add(Permissions, false, nameOf(holder, old, nil, inCluster), "no longer gets the "+r)
		}
	}
}

// addGained adds what a holder may do now: first what gives more than it says, and what it could do in its namespaces only.
func (c *comparison) addGained(holder string, new *granted, s scope, gained []rbac.Permission, namespaced *rbac.Set) {
	risks := map[string][]rbac.Permission{} // by what they give
	var widened, plain []rbac.Permission
	for _, p := range gained {
		switch gives, risky := rbac.Risk(p, c.ownsGroup); {
		case risky:
			risks[gives] = append(risks[gives], p)
		case namespaced != nil && namespaced.Covers(p):
			widened = append(widened, p)
		default:
			plain = append(plain, p)
		}
	}
	for _, gives := range slices.Sorted(maps.Keys(risks)) {
		after := s.String()
		if gives != "" {
			after += ", which gives " + gives
		}
		c.addPermissions(holder, new, s, true, risks[gives], "may now ", after)
	}
	c.addPermissions(holder, new, s, false, plain, "may now ", s.String())
	c.addPermissions(holder, new, s, true, widened, "may now in the whole cluster, and not only"+inNamespaces.String()+": ", "")
}

// addPermissions adds a change for each line of permissions, between two parts of a sentence.
func (c *comparison) addPermissions(holder string, g *granted, s scope, first bool, all []rbac.Permission, said, after string) {
	byName := map[string][]rbac.Permission{}
	for _, p := range all {
		name := nameOf(holder, g, &p, s)
		byName[name] = append(byName[name], p)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		for _, l := range rbac.Lines(byName[name]) {
			c.add(Permissions, first, name, said+sayLine(l)+after)
		}
	}
}

// nameOf names a holder: of the operator the service accounts that have a permission, or all if there is none.
func nameOf(holder string, g *granted, p *rbac.Permission, s scope) string {
	if holder != operator {
		return holder
	}
	var names []string
	sets := g.of(s)
	for _, account := range slices.Sorted(maps.Keys(sets)) {
		if p == nil || sets[account].Covers(*p) {
			names = append(names, account)
		}
	}
	if len(names) == 1 {
		return "service account " + names[0]
	}
	return "service accounts " + strings.Join(names, ", ")
}

func sayLine(l rbac.Line) string {
	verbs := strings.Join(l.Verbs, ", ")
	if slices.Equal(l.Verbs, []string{rbac.All}) {
		verbs = "do anything (*) with"
	}
	said := verbs + " " + strings.Join(l.Resources, ", ")
	if len(l.Names) > 0 {
		said += " named " + strings.Join(l.Names, ", ")
	}
	return said
}

// ownsGroup reports whether the newer bundle has a CRD in an API group.
func (c *comparison) ownsGroup(group string) bool {
	return slices.ContainsFunc(c.new.OwnedAPIs(), func(a catalogs.API) bool { return a.Group == group })
}
