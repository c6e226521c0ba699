// Package rbac compares what roles permit, as the RBAC authorizer of Kubernetes reads them.
package rbac

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/memo"
)

// All stands for all verbs, API groups, resources or URLs.
const All = "*"

// Permission is one verb on one resource, or on one URL (Kubernetes: rbac/v1 evaluation helpers). A resource may be "*/scale", that subresource
// of all; a URL may end in All.
type Permission struct {
	Verb, Group, Resource string
	Name                  string // of the only object, "" for all
	URL                   string // instead of a resource
}

// MaxPermissions bounds what rules are taken apart to; real bundles have some thousands. URLs are fewer, since each is compared with each.
const (
	MaxPermissions = 50_000
	maxURLs        = 1000
)

// Permissions returns what rules permit, each permission once, in order; false if that are too many.
func Permissions(rules []csv.PolicyRule) (all []Permission, ok bool) {
	found, urls := map[Permission]bool{}, 0
	for _, r := range rules {
		r.Verbs = slices.DeleteFunc(slices.Clone(r.Verbs), func(verb string) bool { return verb == "" })
		if urls += len(r.Verbs) * len(r.NonResourceURLs); urls > maxURLs {
			return nil, false
		}
		names := r.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		if longest := max(len(r.Verbs), len(r.APIGroups), len(r.Resources), len(names)); longest > MaxPermissions || // the product could overflow
			len(found)+len(r.Verbs)*(len(r.APIGroups)*len(r.Resources)*len(names)+len(r.NonResourceURLs)) > MaxPermissions {
			return nil, false
		}
		for _, verb := range r.Verbs {
			for _, url := range r.NonResourceURLs {
				found[Permission{Verb: verb, URL: url}] = true
			}
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					for _, name := range names {
						found[Permission{verb, group, resource, name, ""}] = true
					}
				}
			}
		}
	}
	return sortPermissions(found), true
}

func sortPermissions(set map[Permission]bool) []Permission {
	return slices.SortedFunc(maps.Keys(set), func(a, b Permission) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Verb, b.Verb))
	})
}

// Set is a set of permissions.
type Set struct {
	all  map[Permission]bool
	urls []Permission // those with a URL that ends in All
}

// NewSet returns the set of all that is in some lists.
func NewSet(lists ...[]Permission) *Set {
	s := &Set{all: map[Permission]bool{}}
	for _, p := range slices.Concat(lists...) {
		s.all[p] = true
		if strings.HasSuffix(p.URL, All) {
			s.urls = append(s.urls, p)
		}
	}
	return s
}

// Covers reports whether one permission of the set permits all that p permits. If none does, the set does not permit all of it: what a wildcard
// stands for has no end.
func (s *Set) Covers(p Permission) bool { return s.covers(p, func(Permission) bool { return true }) }

// covers is Covers by the permissions of the set that count.
func (s *Set) covers(p Permission, counts func(Permission) bool) bool {
	for _, verb := range []string{p.Verb, All} {
		if p.URL != "" {
			if wide := (Permission{Verb: verb, URL: p.URL}); s.all[wide] && counts(wide) {
				return true
			}
			continue
		}
		for _, group := range []string{p.Group, All} {
			for _, resource := range wider(p.Resource) {
				for _, name := range []string{p.Name, ""} {
					if wide := (Permission{verb, group, resource, name, ""}); s.all[wide] && counts(wide) {
						return true
					}
				}
			}
		}
	}
	return p.URL != "" && slices.ContainsFunc(s.urls, func(wide Permission) bool {
		return (wide.Verb == All || wide.Verb == p.Verb) && coversURL(wide.URL, p.URL) && counts(wide)
	})
}

// wider returns the resources of rules that cover a resource.
func wider(resource string) []string {
	all := []string{resource, All}
	if _, sub, ok := strings.Cut(resource, "/"); ok {
		all = append(all, "*/"+sub)
	}
	return all
}

func coversURL(wide, url string) bool {
	return wide == All || wide == url || strings.HasPrefix(strings.TrimRight(url, All), strings.TrimRight(wide, All))
}

// Subtract returns the permissions that a set does not cover, each once, without those that another one of them covers.
func Subtract(all []Permission, s *Set) []Permission {
	left := map[Permission]bool{}
	for _, p := range all {
		if !s.Covers(p) {
			left[p] = true
		}
	}
	kept := NewSet(slices.Collect(maps.Keys(left)))
	for p := range left {
		if kept.covers(p, func(wide Permission) bool { return wide != p && !NewSet([]Permission{p}).Covers(wide) }) {
			delete(left, p)
		}
	}
	return sortPermissions(left)
}

// Line is what permissions have in common: each of the verbs on each of the resources, which are named with their groups, as deployments.apps.
type Line struct {
	Verbs, Resources []string
	Names            []string // of the only objects
}

// Lines puts permissions together: first the names of one resource, then resources, with the same verbs.
func Lines(all []Permission) []Line {
	type where struct{ resource, name string }
	verbs := map[where][]string{}
	var order []where
	for _, p := range all {
		at := where{resourceName(p), p.Name}
		if verbs[at] == nil {
			order = append(order, at)
		}
		verbs[at] = append(verbs[at], p.Verb)
	}
	var byResource memo.Groups[[2]string, string] // names by resource and verbs
	for _, at := range order {
		byResource.Add([2]string{at.resource, strings.Join(verbs[at], " ")}, at.name)
	}
	var byVerbs memo.Groups[[2]string, string] // resources by verbs and names
	for key, names := range byResource.All() {
		byVerbs.Add([2]string{key[1], strings.Join(names, " ")}, key[0])
	}
	var lines []Line
	for key, resources := range byVerbs.All() {
		l := Line{Verbs: strings.Fields(key[0]), Resources: resources}
		if key[1] != "" {
			l.Names = strings.Fields(key[1])
		}
		lines = append(lines, l)
	}
	return lines
}

// resourceName names the resource of a permission with its group, as Kubernetes does, or its URL; wildcards in words.
func resourceName(p Permission) string {
	switch {
	case p.URL == All:
		return "all URLs"
	case p.URL != "":
		return p.URL
	case p.Resource == All && p.Group == All:
		return "all resources of all API groups"
	case p.Resource == All:
		return "all resources of " + cmp.Or(p.Group, "the core API group")
	case p.Group == All:
		return p.Resource + " of all API groups"
	case p.Group == "":
		return p.Resource
	}
	return p.Resource + "." + p.Group
}

// risk is a permission that gives more than it says.
type risk struct {
	verbs, group, resources string
	can                     string
	named                   bool // one on named objects alone gives it as well
}

const rbacGroup, write = "rbac.authorization.k8s.io", "create update patch"

var risks = []risk{
	{"get list watch", "", "secrets", "can read all Secrets", false},
	{"create update patch delete deletecollection", "", "secrets", "can change all Secrets", false},
	{"escalate", rbacGroup, "roles clusterroles", "can give itself any permission", true},
	{"bind", rbacGroup, "roles clusterroles", "can bind roles with more rights than its own", true},
	{"impersonate", "", "users groups serviceaccounts", "can act as others", true},
	{"create", "", "serviceaccounts/token", "can act as service accounts", true},
	{"create get", "", "pods/exec pods/attach", "can run commands in pods", false},
	{"update patch", "", "pods/ephemeralcontainers", "can run commands in pods", false},
	{"create get", "", "nodes/proxy", "can run commands on nodes", false},
	{"use", "security.openshift.io", "securitycontextconstraints", "can give pods more rights on nodes", true},
	{write, "security.openshift.io", "securitycontextconstraints", "can give pods more rights on nodes", true},
	{write, "admissionregistration.k8s.io", "mutatingwebhookconfigurations validatingwebhookconfigurations", "can intercept requests of others", false},
	{write, "apiregistration.k8s.io", "apiservices", "can serve APIs of others", false},
	{write, rbacGroup, "clusterrolebindings", "can give others its permissions in the whole cluster", false},
}

// Risk reports whether a permission gives more than an operator needs for its own resources, and what its holder can do beyond its words. A
// wildcard for resources or groups counts, but for those of groups that are owned.
func Risk(p Permission, owned func(group string) bool) (can string, risky bool) {
	switch {
	case p.URL != "":
		return "", false
	case p.Group == All, p.Resource == All && !owned(p.Group):
		return "", true
	}
	only := NewSet([]Permission{p})
	for _, r := range risks {
		if p.Name != "" && !r.named {
			continue
		}
		for verb := range strings.FieldsSeq(r.verbs) {
			for resource := range strings.FieldsSeq(r.resources) {
				if only.Covers(Permission{verb, r.group, resource, p.Name, ""}) {
					return r.can, true
				}
			}
		}
	}
	return "", false
}
