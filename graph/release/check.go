package release

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
)

// verdict says what is wrong with a channel after some edits. Never alone is set; none is if nothing is wrong.
type verdict struct {
	force []string // every right answer with these edits, and further skips of the release, skips these names
	cover []string // and skips or covers these
	never *Refusal // no further skips make it right, as far as is known
}

func (v *verdict) isCorrect() bool { return v.never == nil && v.countFaults() == 0 }

// countFaults counts what the release must skip or cover.
func (v *verdict) countFaults() int { return len(v.force) + len(v.cover) }

// add adds a name that the release must skip.
func (k *check) add(name string) { k.addTo(&k.force, name) }

func (k *check) addTo(names *[]string, name string) {
	switch {
	case k.older(k.request.Name, name):
		k.refuse("let a newer entry replace, skip or cover it", "%s is newer than the release and would no longer be upgraded, or not be on the path of replaces", name)
	case !slices.Contains(*names, name):
		*names = append(*names, name)
	}
}

// refuse rules the edits out.
func (v *verdict) refuse(change, format string, args ...any) {
	if v.never == nil {
		v.never = &Refusal{Constraint: fmt.Sprintf(format, args...), Change: change}
	}
}

// check is one check of a channel.
type check struct {
	*planner
	*channel
	now *graph.Graph
	verdict
}

// check checks a channel after edits.
func (p *planner) check(c *channel, now *graph.Graph) verdict {
	p.work -= c.size + 1
	k := &check{planner: p, channel: c, now: now}
	for _, step := range []func(*check){(*check).heads, (*check).checkOffers, (*check).upgradesV0, (*check).upgradesV1} {
		if step(k); !k.isCorrect() {
			break
		}
	}
	return k.verdict
}

// heads checks that opm and OLM v0 find the planned head, and can follow replaces from it.
func (k *check) heads() {
	head := k.plannedHead(k.channel)
	ok := false
	for _, i := range k.now.Heads() {
		switch name := k.now.Name(i); name {
		case head:
			ok = true
		case k.request.Name:
			k.refuse("let an entry replace it", "nothing replaces %s, which is older than the head %s", name, head)
		default:
			k.add(name)
		}
	}
	if !ok {
		k.refuse("remove that edge", "an entry replaces or skips %s, which is to be the head", head)
	}
	if _, err := k.now.Order(); err != nil && k.countFaults() == 0 {
		k.refuse("replace an older entry", "%v", err)
	}
	if k.now.Chain().Cycle != nil {
		k.refuse("replace an older entry", "replaces forms a cycle")
	}
}

// checkOffers checks that opm finds all entries, and that OLM v0 offers the release and no withdrawn bundle.
func (k *check) checkOffers() {
	for _, i := range k.now.StrandedEntries() {
		if k.now.Name(i) == k.request.Name {
			k.refuse("let an entry replace it", "%s is not on the path of replaces from the head", k.request.Name)
		}
		k.add(k.now.Name(i))
	}
	for _, name := range k.banned {
		if i, has := k.now.Index(name); has && k.now.Offers(i) {
			k.add(name)
		}
	}
	if i, has := k.now.Index(k.request.Name); has && k.countFaults() == 0 && !k.now.Offers(i) {
		k.refuse("remove that skip", "OLM v0 does not offer %s, which is skipped or not on the path from the head", k.request.Name)
	}
}

// reachesHead returns what must be upgraded to the head under OLM v0.
func (k *check) reachesHead(name string) bool {
	return k.channel.head != "" && k.channel.v0.end(name) == k.channel.head || name == k.request.Name
}

// allUsers returns what may be installed after the release.
func (k *check) allUsers() []graph.InstalledBundle {
	return append(slices.Clone(k.users), k.installedBundle(k.request.Name))
}

func (k *check) upgradesV0() {
	all, head := k.allUsers(), k.plannedHead(k.channel)
	now := routesV0(k.now, all)
	lost := ""
	for _, u := range all {
		switch next, end := now.next[u.Name], now.end(u.Name); {
		case k.older(next, u.Name) && k.channel.v0.next[u.Name] != next:
			if lost = cmp.Or(lost, u.Name); next == k.request.Name {
				k.refuse("replace and skip older versions only", "%s would be downgraded to %s", u.Name, next)
			}
		case end == head, !k.reachesHead(u.Name):
		case end != "" && k.reachesHead(end):
			k.stop(end)
		default:
			lost = cmp.Or(lost, u.Name)
		}
	}
	k.ruleOut(lost)
}

// stop says that a bundle has no upgrade though it must have one.
func (k *check) stop(name string) {
	if name == k.request.Name {
		k.refuse("let a newer entry replace, skip or cover it", "nothing upgrades %s to the head", name)
		return
	}
	k.addTo(&k.cover, name)
}

// ruleOut rules out edits with which a bundle gets elsewhere than it must, unless there is something that must be done first.
func (k *check) ruleOut(name string) {
	if name != "" && k.countFaults() == 0 {
		k.refuse("change the other entries first", "%s would no longer be upgraded to the head", name)
	}
}

// upgradesV1 checks the channel for a ClusterExtension that names it, unless OLM v1 does not install the release at all.
func (k *check) upgradesV1() {
	if k.refusal != nil {
		return
	}
	all := k.allUsers()
	now := routesV1((&graph.PackageGraph{Package: k.with}).Extension(false, k.now), all)
	lost := ""
	for _, u := range all {
		next := now.next[u.Name]
		switch {
		case k.bans[next] && slices.Contains(k.banned, next):
			k.stop(u.Name)
		case k.older(next, u.Name) && k.channel.v1.next[u.Name] != next:
			k.downV1(u.Name, next)
		case !k.shortV1(u.Name, now):
		case k.shortV1(now.end(u.Name), now):
			k.stop(now.end(u.Name))
		default:
			lost = cmp.Or(lost, u.Name)
		}
	}
	k.ruleOut(lost)
}

func (k *check) downV1(name, lower string) {
	if lower == k.request.Name {
		k.refuse("replace and skip older versions only, and deprecate no newer ones", "OLM v1 would downgrade %s to %s", name, lower)
		return
	}
	k.stop(name)
}

// shortV1 reports whether the upgrades of a bundle do not get to the head though they did, or less far than they did.
func (k *check) shortV1(name string, now *routes) bool {
	was, end, head := k.channel.v1.end(name), now.end(name), k.plannedHead(k.channel)
	switch {
	case name == k.request.Name && k.deprecated[head]: // OLM v1 prefers what is not
		was = name
	case was == k.channel.head && was != "" || name == k.request.Name:
		was = head
	}
	if end == was || !k.older(end, was) {
		return false
	}
	if end == k.request.Name && k.deprecated[was] {
		k.refuse("remove that deprecation", "%s is deprecated: OLM v1 prefers the older %s, and %s ends there", was, end, name)
	}
	return true
}
