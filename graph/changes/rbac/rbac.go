// Package rbac compares what roles permit, as the RBAC authorizer of Kubernetes reads them.
package rbac

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
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

// maxPermissions bounds what rules of a bundle are taken apart to.
const maxPermissions = 50_000

// Of returns what rules permit, each permission once, in order; false if that are too many.
func Of(rules []csv.PolicyRule) (all []Permission, ok bool) {
	found := map[Permission]bool{}
	for _, r := range rules {
		names := r.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		if len(found)+len(r.Verbs)*(len(r.APIGroups)*len(r.Resources)*len(names)+len(r.NonResourceURLs)) > maxPermissions {
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
	return sorted(found), true
}

func sorted(set map[Permission]bool) []Permission {
	return slices.SortedFunc(maps.Keys(set), func(a, b Permission) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Verb, b.Verb))
	})
}

// Set is a set of permissions.
type Set struct {
	all  map[Permission]bool
	urls []Permission // those with a URL that ends in All
}

// NewSet returns a set.
func NewSet(all ...Permission) *Set {
	s := &Set{all: map[Permission]bool{}}
	for _, p := range all {
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

// Minus returns the permissions that a set does not cover, each once, without those that another one of them covers.
func Minus(all []Permission, s *Set) []Permission {
	left := map[Permission]bool{}
	for _, p := range all {
		if !s.Covers(p) {
			left[p] = true
		}
	}
	kept := NewSet(slices.Collect(maps.Keys(left))...)
	for p := range left {
		if kept.covers(p, func(wide Permission) bool { return wide != p && !NewSet(p).Covers(wide) }) {
			delete(left, p)
		}
	}
	return sorted(left)
}

// Line is what permissions have in common: each of the verbs on each of the resources, which are named with their groups, as deployments.apps.
type Line struct {
	Verbs, Resources []string
	Names            []string // of the only objects
}

// Lines puts permissions together.
func Lines(all []Permission) []Line {
	type where struct{ resource, name string }
	verbs := map[where][]string{}
	var order []where
	for _, p := range all {
		at := where{Resource(p), p.Name}
		if verbs[at] == nil {
			order = append(order, at)
		}
		verbs[at] = append(verbs[at], p.Verb)
	}
	var lines []Line
	index := map[string]int{}
	for _, at := range order {
		key := at.resource + "\x00" + strings.Join(verbs[at], " ")
		if at.name == "" {
			key = "\x00" + strings.Join(verbs[at], " ")
		}
		i, ok := index[key]
		if !ok {
			i = len(lines)
			index[key] = i
			lines = append(lines, Line{Verbs: verbs[at]})
		}
		l := &lines[i]
		if !slices.Contains(l.Resources, at.resource) {
			l.Resources = append(l.Resources, at.resource)
		}
		if at.name != "" {
			l.Names = append(l.Names, at.name)
		}
	}
	return lines
}

// Resource names the resource of a permission with its group, as Kubernetes does, or its URL; wildcards in words.
func Resource(p Permission) string {
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

// risks are the permissions by which somebody gets more than they say, what each gives, and in which API group; a "" verb is any.
var risks = []struct{ verb, group, resource, gives string }{
	{"", "", "secrets", "Secrets"},
	{"escalate", "rbac.authorization.k8s.io", "roles", "any permission"},
	{"escalate", "rbac.authorization.k8s.io", "clusterroles", "any permission"},
	{"bind", "rbac.authorization.k8s.io", "roles", "any role"},
	{"bind", "rbac.authorization.k8s.io", "clusterroles", "any role"},
	{"impersonate", "", "users", "what others may do"},
	{"impersonate", "", "groups", "what others may do"},
	{"impersonate", "", "serviceaccounts", "what others may do"},
	{"create", "", "serviceaccounts/token", "what service accounts may do"},
	{"create", "", "pods/exec", "commands in pods"},
	{"get", "", "pods/exec", "commands in pods"},
	{"create", "", "pods/attach", "commands in pods"},
	{"patch", "", "pods/ephemeralcontainers", "commands in pods"},
	{"update", "", "pods/ephemeralcontainers", "commands in pods"},
	{"create", "", "nodes/proxy", "commands on nodes"},
	{"get", "", "nodes/proxy", "commands on nodes"},
	{"use", "security.openshift.io", "securitycontextconstraints", "the rights of other SecurityContextConstraints"},
}

// Risk reports whether a permission gives more than an operator needs for its own resources, and what it gives beyond its words. One on named
// objects alone counts for SecurityContextConstraints. A wildcard for resources or groups counts, but for those of groups that are owned.
func Risk(p Permission, owned func(group string) bool) (gives string, risky bool) {
	switch {
	case p.URL != "":
		return "", false
	case p.Group == All, p.Resource == All && !owned(p.Group):
		return "", true
	}
	only := NewSet(p)
	for _, r := range risks {
		risk := Permission{r.verb, r.group, r.resource, p.Name, ""}
		if r.verb == "" {
			risk.Verb = p.Verb
		}
		if only.Covers(risk) && (p.Name == "" || r.verb == "use") {
			return r.gives, true
		}
	}
	return "", false
}
