package rbac

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// request is what the API server asks its authorizer.
type request struct{ verb, group, resource, subresource, name, url string }

// allows is the RBAC authorizer (Kubernetes: plugin/pkg/auth/authorizer/rbac RuleAllows, pkg/apis/rbac/v1 evaluation helpers).
func allows(rules []csv.PolicyRule, q request) bool {
	has := func(list []string, is func(string) bool) bool {
		for _, one := range list {
			if is(one) {
				return true
			}
		}
		return false
	}
	for _, r := range rules {
		if !has(r.Verbs, func(v string) bool { return v == "*" || v == q.verb }) {
			continue
		}
		if q.url != "" {
			if has(r.NonResourceURLs, func(u string) bool {
				return u == "*" || u == q.url || strings.HasSuffix(u, "*") && strings.HasPrefix(q.url, strings.TrimRight(u, "*"))
			}) {
				return true
			}
			continue
		}
		combined := q.resource
		if q.subresource != "" {
			combined += "/" + q.subresource
		}
		if has(r.APIGroups, func(g string) bool { return g == "*" || g == q.group }) &&
			has(r.Resources, func(x string) bool {
				return x == "*" || x == combined || q.subresource != "" && x == "*/"+q.subresource
			}) && (len(r.ResourceNames) == 0 || has(r.ResourceNames, func(n string) bool { return n == q.name })) {
			return true
		}
	}
	return false
}

func TestTooManyPermissions(t *testing.T) {
	many := slices.Repeat([]string{"a"}, 1<<16) // whose number to the fourth power is 0 in 64 bits
	if _, ok := Permissions([]csv.PolicyRule{{Verbs: many, APIGroups: many, Resources: many, ResourceNames: many}}); ok {
		t.Error("they are not too many")
	}
}

// universe has all requests of a small cluster; "other" stands for what no rule names.
func universe() (all []request) {
	for _, verb := range []string{"get", "list", "other"} {
		for _, url := range []string{"/a", "/a/b", "/a/other", "/ab", "/aother", "/other"} {
			all = append(all, request{verb: verb, url: url})
		}
		for _, group := range []string{"", "apps", "other"} {
			for _, resource := range []string{"pods", "secrets", "other"} {
				for _, sub := range []string{"", "scale", "other"} {
					for _, name := range []string{"", "x", "y", "other"} {
						all = append(all, request{verb, group, resource, sub, name, ""})
					}
				}
			}
		}
	}
	return all
}

func randomRules(r *rand.Rand) []csv.PolicyRule {
	some := func(of ...string) (all []string) {
		for range 1 + r.IntN(2) {
			all = append(all, of[r.IntN(len(of))])
		}
		return all
	}
	var rules []csv.PolicyRule
	for range r.IntN(4) {
		rule := csv.PolicyRule{Verbs: some("get", "get", "list", "*")}
		if r.IntN(5) == 0 {
			rule.NonResourceURLs = some("/a", "/a/b", "/a*", "/a/*", "*")
		} else {
			rule.APIGroups, rule.Resources = some("", "", "apps", "*"), some("pods", "secrets", "*", "*/scale", "pods/scale")
			if r.IntN(3) == 0 {
				rule.ResourceNames = some("x", "y")
			}
		}
		rules = append(rules, rule)
	}
	return rules
}

// TestMinus compares with the authorizer, asked for everything: each request that is newly permitted is in the difference, and each permission
// in it permits one.
func TestMinus(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	asked := universe()
	for range catalogtest.Rounds(100_000) {
		old, new := randomRules(r), randomRules(r)
		before, _ := Permissions(old)
		after, _ := Permissions(new)
		gained := Subtract(after, NewSet(before))
		useful := make([]bool, len(gained))
		for _, q := range asked {
			if allows(old, q) {
				continue
			}
			found := false
			for i, p := range gained {
				if allows([]csv.PolicyRule{permissionRule(p)}, q) {
					found, useful[i] = true, true
				}
			}
			if found != allows(new, q) {
				t.Fatalf("%+v: in the difference: %t\nold %+v\nnew %+v\ndifference %+v", q, found, old, new, gained)
			}
		}
		for i, p := range gained {
			if !useful[i] {
				t.Fatalf("%+v permits nothing new\nold %+v\nnew %+v", p, old, new)
			}
			for j, other := range gained {
				if i != j && NewSet([]Permission{other}).Covers(p) {
					t.Fatalf("%+v covers %+v", other, p)
				}
			}
		}
	}
}

func permissionRule(p Permission) csv.PolicyRule {
	r := csv.PolicyRule{Verbs: []string{p.Verb}}
	if p.URL != "" {
		r.NonResourceURLs = []string{p.URL}
		return r
	}
	r.APIGroups, r.Resources = []string{p.Group}, []string{p.Resource}
	if p.Name != "" {
		r.ResourceNames = []string{p.Name}
	}
	return r
}

func TestLines(t *testing.T) {
	all, _ := Permissions([]csv.PolicyRule{
		{Verbs: []string{"get", "list"}, APIGroups: []string{"", "apps"}, Resources: []string{"pods", "services"}},
		{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"secrets", "configmaps"}, ResourceNames: []string{"a", "b"}},
		{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}},
	})
	want := []Line{
		{Verbs: []string{"get"}, Resources: []string{"/metrics"}},
		{Verbs: []string{"get"}, Resources: []string{"configmaps", "secrets"}, Names: []string{"a", "b"}},
		{Verbs: []string{"get", "list"}, Resources: []string{"pods", "services", "pods.apps", "services.apps"}},
	}
	if got := Lines(all); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestRisk(t *testing.T) {
	owned := func(group string) bool { return group == "sea.example" }
	for p, want := range map[Permission]string{
		{"*", "*", "*", "", ""}:            "*",
		{"*", "sea.example", "*", "", ""}:  "",
		{"get", "apps", "*", "", ""}:       "*",
		{"list", "", "secrets", "", ""}:    "can read all Secrets",
		{"get", "", "secrets", "boat", ""}: "",
		{"bind", "rbac.authorization.k8s.io", "clusterroles", "cluster-admin", ""}: "can bind roles with more rights than its own",
		{"get", "", "pods", "", ""}:    "",
		{"*", "", "pods/exec", "", ""}: "can run commands in pods",
		{"use", "security.openshift.io", "securitycontextconstraints", "anyuid", ""}: "can give pods more rights on nodes",
		{Verb: "*", URL: "*"}: "",
	} {
		gives, risky := Risk(p, owned)
		if risky && gives == "" {
			gives = "*"
		}
		if gives != want {
			t.Errorf("%+v: %q, want %q", p, gives, want)
		}
	}
}

// TestTooMany: what a stranger writes is not taken apart without end.
func TestTooMany(t *testing.T) {
	many := strings.Fields(strings.Repeat("x ", 1000))
	if _, ok := Permissions([]csv.PolicyRule{{Verbs: many, APIGroups: []string{""}, Resources: many}}); ok {
		t.Error("a million permissions")
	}
}
