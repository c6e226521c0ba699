package release

import (
	"slices"

	"github.com/olmgraph/olmgraph/graph"
)

// Class is installed bundles for which a plan changes the same, in one channel.
type Class struct {
	Channel string   `json:"channel"`
	From    []string `json:"installed"` // oldest first
	V0      Fate     `json:"v0"`
	V1      Fate     `json:"v1"`
}

// Fate is where the automatic upgrades of a class end before and after the release; "" if there are none, or they never end.
type Fate struct {
	Before string  `json:"before"`
	After  string  `json:"after"`
	Meets  Meeting `json:"reachesRelease" enum:"never,directly,later"`
}

// Meeting says how upgrades meet a release.
type Meeting string

// How upgrades meet a release.
const (
	meetingNever Meeting = "never"
	Directly     Meeting = "directly" // they begin with it
	Later        Meeting = "later"    // they come to it
)

// classes returns the classes of the channels that a plan changes, in the order of its edits, in each those of the newest bundles first. Of a
// channel that was not requested it is the release alone.
func (p *planner) classes(plan *Plan) []Class {
	var all []Class
	done := map[string]bool{}
	for i := range plan.Edits {
		if name := plan.Edits[i].Channel; !done[name] {
			done[name] = true
			all = append(all, p.classesIn(plan, name)...)
		}
	}
	return all
}

func (p *planner) classesIn(plan *Plan, name string) []Class {
	users := []graph.InstalledBundle{p.installedBundle(p.request.Name)}
	was, wasV1 := newRoutes(), newRoutes()
	if c := p.requestedChannel(name); c != nil {
		users = append(users, c.users...)
		was, wasV1 = c.v0, c.v1
	} else if base := p.base.Graph(name); base != nil {
		was, wasV1 = routesV0(base, users), routesV1(p.base.Extension(false, base), users)
	}
	for i := range plan.Edits {
		if e := &plan.Edits[i]; e.Channel == name && e.Added { // heads of other channels
			for _, named := range append([]string{e.After.Replaces}, e.After.Skips...) {
				users = append(users, p.installedBundle(named))
			}
		}
	}
	users = slices.DeleteFunc(users, func(u graph.InstalledBundle) bool { return u.Name == "" })
	slices.SortStableFunc(users, func(a, b graph.InstalledBundle) int { return p.compare(b.Name, a.Name) })
	users = slices.CompactFunc(users, func(a, b graph.InstalledBundle) bool { return a.Name == b.Name })
	g := plan.After.Graph(name)
	is, isV1 := routesV0(g, users), routesV1(plan.After.Extension(false, g), users)
	meets, meetsV1 := map[string]Meeting{}, map[string]Meeting{}
	var classes []Class
	for _, u := range users {
		next := Class{Channel: name, V0: Fate{upgradedTo(was, u.Name), upgradedTo(is, u.Name), is.findMeeting(u.Name, p.request.Name, meets)},
			V1: Fate{upgradedTo(wasV1, u.Name), upgradedTo(isV1, u.Name), isV1.findMeeting(u.Name, p.request.Name, meetsV1)}}
		at := slices.IndexFunc(classes, func(c Class) bool {
			return c.V0 == next.V0 && c.V1 == next.V1 && (c.From[0] == p.request.Name) == (u.Name == p.request.Name)
		})
		if at < 0 {
			at = len(classes)
			classes = append(classes, next)
		}
		classes[at].From = append(classes[at].From, u.Name)
	}
	for i := range classes {
		slices.Reverse(classes[i].From)
	}
	return classes
}

// upgradedTo returns where the upgrades of a bundle end, "" if there are none.
func upgradedTo(r *routes, name string) string {
	if end := r.end(name); end != name {
		return end
	}
	return ""
}
