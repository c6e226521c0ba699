package release

import (
	"slices"

	"github.com/olmgraph/olmgraph/graph"
)

// routes are the automatic upgrades of installed bundles, by name.
type routes struct {
	next map[string]string
	ends map[string]string
}

func newRoutes() *routes { return &routes{next: map[string]string{}, ends: map[string]string{}} }

// routesV0 returns the upgrades of OLM v0 in a channel, of its entries and of some installed bundles.
func routesV0(g *graph.Graph, users []graph.InstalledBundle) *routes {
	r := newRoutes()
	for _, i := range g.Entries() {
		if e, ok := g.Next(i); ok {
			r.next[g.Name(i)] = g.Name(e.To)
		}
	}
	others := slices.DeleteFunc(slices.Clone(users), func(u graph.InstalledBundle) bool {
		_, ok := g.Index(u.Name)
		return ok
	})
	for i, e := range g.NextOfAllInstalled(others) {
		if e.To >= 0 {
			r.next[others[i].Name] = g.Name(e.To)
		}
	}
	return r
}

// routesV1 returns the upgrades of OLM v1 of some installed bundles, and of what these are upgraded to.
func routesV1(x *graph.Extension, users []graph.InstalledBundle) *routes {
	r := newRoutes()
	for _, in := range users {
		for in.Name != "" {
			if _, met := r.next[in.Name]; met {
				break
			}
			next := ""
			if c := x.Choose(in); c.Step != nil && c.Refusal == nil {
				next = c.Bundle
			}
			r.next[in.Name] = next
			in = graph.InstalledBundle{Name: next}
		}
	}
	return r
}

// end returns where the upgrades of a bundle end, "" if they never do.
func (r *routes) end(name string) string {
	if end, known := r.ends[name]; known {
		return end
	}
	var path []string
	last, met := name, map[string]bool{}
	for {
		end, known := r.ends[last]
		if known || met[last] { // or back to one of them
			last = end
			break
		}
		path, met[last] = append(path, last), true
		if r.next[last] == "" {
			break
		}
		last = r.next[last]
	}
	for _, on := range path {
		r.ends[on] = last
	}
	return last
}

// path returns a bundle and what it is upgraded to, up to the end or the first that repeats.
func (r *routes) path(name string) []string {
	path, met := []string{name}, map[string]bool{name: true}
	for at := r.next[name]; at != "" && !met[at]; at = r.next[at] {
		met[at] = true
		path = append(path, at)
	}
	return path
}

// findMeeting returns how the upgrades of a bundle come to the release, and notes it of all those on its way.
func (r *routes) findMeeting(name, release string, known map[string]Meeting) Meeting {
	var passed []string
	found := meetingNever
	for at := name; at != ""; at = r.next[at] {
		if m, done := known[at]; done {
			found = m
			break
		}
		known[at] = meetingNever // in a loop
		if r.next[at] == release {
			known[at], found = Directly, Directly
			break
		}
		passed = append(passed, at)
	}
	if found != meetingNever {
		for _, on := range passed {
			known[on] = Later
		}
	}
	return known[name]
}
