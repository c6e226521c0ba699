package changes

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/changes/rbac"
)

// scope is where permissions count; each includes those before it.
type scope int

const (
	inOwnNamespace scope = iota
	inNamespaces         // those of the OperatorGroup
	inCluster
	scopes = iota
)

func (s scope) String() string {
	return [...]string{" in the namespace of the operator", " in the namespaces of the OperatorGroup", " in the whole cluster"}[s]
}

// byScope are rules, by where they count.
type byScope [scopes][]csv.PolicyRule

func (b *byScope) add(s scope, rules []csv.PolicyRule) { b[s] = append(b[s], rules...) }

// role is a Role or a ClusterRole, or what binds one.
type role struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Rules       []csv.PolicyRule `json:"rules"`
	Aggregation json.RawMessage  `json:"aggregationRule"`
	RoleRef     struct {
		Kind, Name string
	} `json:"roleRef"`
	Subjects []struct{ Kind, Name, Namespace string } `json:"subjects"`
	bound    bool
}

// grants are what a bundle lets others do.
type grants struct {
	accounts map[string]bool                // the service accounts of the operator
	holders  map[string]*byScope            // rules of service accounts, users and groups
	roles    map[string]*role               // by kind and name
	bindings map[string]map[string]*byScope // rules of holders by a binding, by kind and name
	external map[string]map[string]string   // roles that the bundle binds and does not have, and where, by holder and binding
}

// collectGrants returns what a bundle lets others do. OLM makes roles of the permissions of a ClusterServiceVersion; where the OperatorGroup selects
// all namespaces they count in the whole cluster, which is known if the newer bundle supports nothing else (OLM: resolver
// RBACForClusterServiceVersion, ensureSingletonRBAC).
func (c *comparison) collectGrants(b *catalogs.Bundle, of *csv.CSV) *grants {
	g := &grants{map[string]bool{}, map[string]*byScope{}, map[string]*role{}, map[string]map[string]*byScope{}, map[string]map[string]string{}}
	watched, modes := inNamespaces, c.new.InstallModes()
	if slices.Contains(modes, csv.AllNamespaces) && (len(modes) == 1 || c.olm == graph.V1) {
		watched = inCluster
	}
	g.addAccounts(watched, of.Spec.Install.Spec.Permissions)
	g.addAccounts(inCluster, of.Spec.Install.Spec.ClusterPermissions)
	for _, d := range of.Spec.Install.Spec.Deployments {
		g.accounts[cmp.Or(d.Spec.Template.Spec.ServiceAccountName, "default")] = true
	}
	bindings := map[string]*role{}
	for _, m := range c.pkg.Manifests(b) {
		switch r, name := (&role{}), m.Kind+" "+m.Name; {
		case m.Kind == "ServiceAccount":
			g.accounts[m.Name] = true
		case !isRole(strings.TrimSuffix(m.Kind, "Binding")):
		case json.Unmarshal(m.JSON(), r) != nil:
			c.add(Permissions, true, name, "cannot be read")
		case strings.HasSuffix(m.Kind, "Binding"):
			bindings[name] = r
		default:
			g.roles[name] = r
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bindings)) {
		g.bind(name, bindings[name])
	}
	return g
}

func (g *grants) addAccounts(s scope, all []csv.ServiceAccountRules) {
	for _, p := range all {
		g.accounts[p.ServiceAccountName] = true
		holderRules(g.holders, "service account "+p.ServiceAccountName).add(s, p.Rules)
	}
}

func holderRules(of map[string]*byScope, holder string) *byScope {
	if of[holder] == nil {
		of[holder] = &byScope{}
	}
	return of[holder]
}

func roleScope(kind string) scope {
	if strings.HasPrefix(kind, "Cluster") {
		return inCluster
	}
	return inOwnNamespace
}

// bind grants the role of a binding to its subjects.
func (g *grants) bind(name string, binding *role) {
	r := g.roles[binding.RoleRef.Kind+" "+binding.RoleRef.Name]
	g.bindings[name] = map[string]*byScope{}
	for _, subject := range binding.Subjects {
		holder := strings.ToLower(subject.Kind) + " " + subject.Name
		if subject.Kind == "ServiceAccount" {
			holder = "service account " + subject.Name
			if !g.accounts[subject.Name] && subject.Namespace != "" {
				holder = "service account " + subject.Namespace + "/" + subject.Name
			}
		}
		rules := []csv.PolicyRule{{Verbs: []string{rbac.All}, APIGroups: []string{rbac.All}, Resources: []string{rbac.All}}}
		switch {
		case r != nil:
			r.bound, rules = true, r.Rules
		case binding.RoleRef.Name == "cluster-admin":
		case binding.RoleRef.Name != "":
			if g.external[holder] == nil {
				g.external[holder] = map[string]string{}
			}
			g.external[holder][name] = binding.RoleRef.Kind + " " + binding.RoleRef.Name + roleScope(name).String()
			continue
		default:
			continue
		}
		holderRules(g.holders, holder).add(roleScope(name), rules)
		holderRules(g.bindings[name], holder).add(roleScope(name), rules)
	}
}

// aggregatesInto says of which roles of Kubernetes a ClusterRole becomes a part.
func (r *role) aggregatesInto() (into []string) {
	for _, name := range []string{"admin", "edit", "view"} {
		if r.Metadata.Labels["rbac.authorization.k8s.io/aggregate-to-"+name] == "true" {
			into = append(into, name)
		}
	}
	return into
}

func (c *comparison) comparePermissions() {
	before, after := c.collectGrants(c.from, c.old), c.collectGrants(c.to, c.new)
	gone, added := onlyIn(before.accounts, after.accounts)
	renamed := len(gone) == 1 && len(added) == 1
	for name := range after.external {
		holderRules(after.holders, name)
	}
	for _, name := range words.SortedKeys(before.holders, after.holders) {
		h := holder{c, name, &byScope{}, holderRules(after.holders, name)}
		account := strings.TrimPrefix(name, "service account ")
		isGone, isAdded := slices.Contains(gone, account), slices.Contains(added, account)
		switch was, had := before.holders[name]; {
		case had && isGone:
			if !renamed {
				c.add(Permissions, false, name, "is removed")
			}
			continue
		case had:
			h.old = was
		case isAdded && renamed:
			h.old = holderRules(before.holders, "service account "+gone[0])
			c.add(Permissions, false, name, "was "+gone[0])
		case isAdded:
			c.add(Permissions, false, name, "is new")
		}
		h.keepBindings(before, after)
		h.compare()
		for _, binding := range slices.Sorted(maps.Keys(after.external[name])) {
			if r := after.external[name][binding]; before.external[name][binding] != r {
				c.add(Permissions, true, name, "gets the "+r+", which is not in the bundle")
			}
		}
	}
	c.compareRoles(before, after)
}

// keepBindings adds what OLM v0 leaves of bindings that the newer bundle does not have.
func (h *holder) keepBindings(before, after *grants) {
	if h.olm == graph.V1 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(before.bindings)) {
		if rules := before.bindings[name][h.name]; rules != nil && after.bindings[name] == nil {
			for s := range rules {
				h.new.add(scope(s), rules[s])
			}
			h.add(Permissions, false, h.name, "keeps what "+name+" gives, which stays on the cluster")
		}
	}
}

// compareRoles compares the roles that both bundles have, and bind to nobody: whoever installs the operator can.
func (c *comparison) compareRoles(before, after *grants) {
	for _, name := range slices.Sorted(maps.Keys(after.roles)) {
		new, old := after.roles[name], before.roles[name]
		if old == nil {
			old = &role{}
		}
		for _, of := range subtract(new.aggregatesInto(), old.aggregatesInto()) {
			c.add(Permissions, true, name, "becomes part of the role "+of+" of users")
		}
		for _, of := range subtract(old.aggregatesInto(), new.aggregatesInto()) {
			c.add(Permissions, false, name, "is no longer part of the role "+of+" of users")
		}
		if string(old.Aggregation) != string(new.Aggregation) && len(new.Aggregation) > 0 {
			c.add(Permissions, true, name, "takes over the rules of other roles: "+cut(string(new.Aggregation)))
		}
		if old.bound || new.bound {
			continue
		}
		h := holder{c, name, &byScope{}, &byScope{}}
		h.old.add(roleScope(name), old.Rules)
		h.new.add(roleScope(name), new.Rules)
		h.compare()
	}
}

// holder has permissions.
type holder struct {
	*comparison
	name     string
	old, new *byScope
}

// compare adds what the holder may do now and not before, and the reverse.
func (h *holder) compare() {
	var old, new [scopes][]rbac.Permission
	for s := range old {
		var read [2]bool
		old[s], read[0] = rbac.Permissions(h.old[s])
		new[s], read[1] = rbac.Permissions(h.new[s])
		h.permissions += len(old[s]) + len(new[s])
		if read != [2]bool{true, true} || h.permissions > rbac.MaxPermissions {
			h.add(Permissions, true, h.name, "has too many permissions to be compared")
			return
		}
	}
	for s := range scope(scopes) {
		h.addGained(s, rbac.Subtract(new[s], rbac.NewSet(slices.Concat(old[s:]...), slices.Concat(new[s+1:]...))), old)
		narrower := rbac.NewSet(new[:s]...)
		var lost, narrowed []rbac.Permission
		for _, p := range rbac.Subtract(old[s], rbac.NewSet(slices.Concat(old[s+1:]...), slices.Concat(new[s:]...))) {
			if narrower.Covers(p) {
				narrowed = append(narrowed, p)
			} else {
				lost = append(lost, p)
			}
		}
		h.addLines(false, lost, "may no longer ", s.String())
		h.addLines(false, narrowed, "may now in fewer namespaces only: ", "")
	}
}

// addGained adds what the holder may do now: first what gives more than it says, unless it had that already, and what it could do in fewer
// namespaces only.
func (h *holder) addGained(s scope, gained []rbac.Permission, old [scopes][]rbac.Permission) {
	could := map[string]bool{}
	for _, p := range slices.Concat(old[s:]...) {
		can, _ := rbac.Risk(p, h.ownsGroup)
		could[can] = can != ""
	}
	narrower := rbac.NewSet(old[:s]...)
	risks := map[string][]rbac.Permission{} // by what they give
	var widened, plain []rbac.Permission
	for _, p := range gained {
		switch can, risky := rbac.Risk(p, h.ownsGroup); {
		case risky && !could[can]:
			risks[can] = append(risks[can], p)
		case narrower.Covers(p):
			widened = append(widened, p)
		default:
			plain = append(plain, p)
		}
	}
	for _, can := range slices.Sorted(maps.Keys(risks)) {
		after := s.String()
		if can != "" {
			after += ": it " + can
		}
		h.addLines(true, risks[can], "may now ", after)
	}
	h.addLines(false, plain, "may now ", s.String())
	h.addLines(true, widened, "may now"+s.String()+", before in fewer namespaces: ", "")
}

// addLines adds a change for each line of permissions, between two parts of a sentence.
func (h *holder) addLines(first bool, all []rbac.Permission, said, after string) {
	for _, l := range rbac.Lines(all) {
		verbs := strings.Join(l.Verbs, ", ")
		if slices.Equal(l.Verbs, []string{rbac.All}) {
			verbs = "use all verbs (*) on"
		}
		line := said + verbs + " " + strings.Join(l.Resources, ", ")
		if len(l.Names) > 0 {
			line += " named " + strings.Join(l.Names, ", ")
		}
		h.add(Permissions, first, h.name, line+after)
	}
}

// ownsGroup reports whether the newer bundle has a CRD in an API group.
func (c *comparison) ownsGroup(group string) bool {
	return slices.ContainsFunc(c.new.OwnedAPIs(), func(a catalogs.API) bool { return a.Group == group })
}
