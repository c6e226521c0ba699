package release

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/graph"
)

// The random test judges plans by its own simple model of opm and OLM: an entry is its edges by name, a name is a version.

type entries map[string]Edges

// small are the channels of a package.
type small map[string]entries

// extra is what a test package has besides: deprecated bundles and channels.
type extra struct{ deprecated, deprecatedChannels []string }

func nameVersion(name string) semver.Version { return semver.MustParse(strings.TrimPrefix(name, "v")) }

// allNames are the names of the test by version.
func allNames() []string {
	return []string{"v0.0.0", "v0.9.0", "v1.0.0", "v1.1.0-rc1", "v1.1.0", "v1.1.1", "v1.1.2", "v1.2.0-rc1", "v1.2.0", "v1.2.1", "v1.2.2-rc1",
		"v1.2.2", "v1.3.0", "v1.3.1", "v2.0.0", "v2.1.0"}
}

func rank(name string) int { return slices.Index(allNames(), name) }

func lower(a, b string) bool { return rank(a) < rank(b) }

// newerHead reports whether users want to switch from a channel with one head to a channel with another one: not from a release to a
// pre-release.
func newerHead(head, to string) bool {
	return lower(head, to) && (strings.Contains(head, "-") || !strings.Contains(to, "-"))
}

func byVersion(a, b string) int { return rank(a) - rank(b) }

func (e Edges) covers(name string) bool {
	if e.Replaces == name || slices.Contains(e.Skips, name) {
		return true
	}
	if e.SkipRange == "" {
		return false
	}
	low, high, _ := strings.Cut(strings.TrimPrefix(e.SkipRange, ">="), " <")
	return !lower(name, "v"+low) && lower(name, "v"+high)
}

func (c entries) sortedNames() []string {
	var all []string
	for name := range c {
		all = append(all, name)
	}
	slices.SortFunc(all, byVersion)
	return all
}

// users are the entries and the names in their edges.
func (c entries) users() []string {
	all := c.sortedNames()
	for _, name := range c.sortedNames() {
		all = append(all, c[name].Skips...)
		if r := c[name].Replaces; r != "" {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, byVersion)
	return slices.Compact(all)
}

func (c entries) isSkipped(name string) bool {
	for _, e := range c {
		if slices.Contains(e.Skips, name) {
			return true
		}
	}
	return false
}

// head is the only head, "" if there is none or opm rejects the channel (alpha/model Channel.Head, validateReplacesChain), or OLM v0 cannot
// sort it (resolver sortChannel).
func (c entries) head() string {
	named := map[string]bool{}
	for _, e := range c {
		named[e.Replaces] = true
		for _, s := range e.Skips {
			named[s] = true
		}
	}
	head := ""
	for name := range c {
		if !named[name] {
			if head != "" {
				return ""
			}
			head = name
		}
	}
	if head == "" {
		return ""
	}
	if !c.chained(head) || !c.sorted0(head) {
		return ""
	}
	return head
}

// chained reports whether all entries are skipped or on the path of replaces from the head, which has no loop.
func (c entries) chained(head string) bool {
	on := map[string]bool{}
	for at := head; ; at = c[at].Replaces {
		if on[at] {
			return false
		}
		on[at] = true
		if _, ok := c[c[at].Replaces]; !ok || c.isSkipped(c[at].Replaces) {
			break
		}
	}
	for name := range c {
		if !on[name] && !c.isSkipped(name) {
			return false
		}
	}
	return true
}

// sorted0 reports whether OLM v0 gets to the end of replaces from the head.
func (c entries) sorted0(head string) bool {
	met := map[string]bool{}
	for at, ok := head, true; ok; _, ok = c[at] {
		if met[at] {
			return false
		}
		met[at] = true
		at = c[at].Replaces
	}
	return true
}

// offered is what OLM v0 offers, head first.
func (c entries) offered() []string {
	var all []string
	for at := c.head(); ; at = c[at].Replaces {
		if _, ok := c[at]; !ok {
			return all
		}
		if !c.isSkipped(at) {
			all = append(all, at)
		}
	}
}

// wayV0 is the automatic upgrades of OLM v0.
func (c entries) wayV0(name string) []string { return c.wayFrom(name, c.offered()) }

func (c entries) wayFrom(name string, order []string) []string {
	way := []string{name}
	for {
		next := ""
		for _, to := range order {
			if c[to].covers(way[len(way)-1]) {
				next = to
				break
			}
		}
		if next == "" || slices.Contains(way, next) {
			return way
		}
		way = append(way, next)
	}
}

// wayV1 is the automatic upgrades of OLM v1 where a ClusterExtension names these channels: to the newest of those that are not deprecated, or
// else of those that are.
func wayV1(name string, deprecated []string, channels ...entries) []string {
	better := func(a, b string) bool {
		if x, y := slices.Contains(deprecated, a), slices.Contains(deprecated, b); x != y {
			return y
		}
		return lower(b, a)
	}
	way := []string{name}
	for {
		last := way[len(way)-1]
		best := ""
		for _, c := range channels {
			for to, e := range c {
				if (e.covers(last) || to == last) && (best == "" || better(to, best)) { // it is a candidate too, if the catalog has it
					best = to
				}
			}
		}
		if best == "" || best == last || slices.Contains(way, best) {
			return way
		}
		way = append(way, best)
	}
}

func last(way []string) string { return way[len(way)-1] }

func (s small) all() []entries {
	var all []entries
	for _, name := range s.names() {
		all = append(all, s[name])
	}
	return all
}

func (s small) names() []string {
	var all []string
	for name := range s {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func (s small) users() []string {
	var all []string
	for _, c := range s {
		all = append(all, c.users()...)
	}
	slices.SortFunc(all, byVersion)
	return slices.Compact(all)
}

func stepsDown(before, after []string) bool {
	for i := 1; i < len(after); i++ {
		was := slices.Index(before, after[i-1])
		same := was >= 0 && was+1 < len(before) && before[was+1] == after[i]
		if lower(after[i], after[i-1]) && !same {
			return true
		}
	}
	return false
}

// judge judges edits of a package.
type judge struct {
	before  small
	request Request
	extra   extra
	heads   map[string]string
	ways    map[string][]string // before the release, by what is asked
}

func newJudge(before small, r Request, more extra) *judge {
	j := &judge{before, r, more, map[string]string{}, map[string][]string{}}
	for name, c := range before {
		j.heads[name] = c.head()
	}
	return j
}

func (j *judge) cached(key string, way func() []string) []string {
	if j.ways[key] == nil {
		j.ways[key] = way()
	}
	return j.ways[key]
}

func (j *judge) wayV0(channel, x string) []string {
	return j.cached("v0 "+channel+" "+x, func() []string { return j.before[channel].wayV0(x) })
}

func (j *judge) wayV1(channel, x string) []string {
	return j.cached("v1 "+channel+" "+x, func() []string { return wayV1(x, j.extra.deprecated, j.before[channel]) })
}

func (j *judge) anyV1(x string) []string {
	return j.cached("any "+x, func() []string { return wayV1(x, j.extra.deprecated, j.before.all()...) })
}

// goal is the head that a channel is to have.
func (j *judge) goal(channel string) string {
	if head := j.heads[channel]; head != "" && (!slices.Contains(j.request.Channels, channel) || lower(j.request.Name, head)) {
		return head
	}
	return j.request.Name
}

// wrong says what is wrong with the package after edits, "" if nothing is.
func (j *judge) wrong(edits []Edit) string {
	after := j.before.apply(edits)
	for _, e := range edits {
		if head := after[e.Channel].head(); head != j.goal(e.Channel) {
			return fmt.Sprintf("head of %s is %q", e.Channel, head)
		}
	}
	for _, e := range edits {
		if message := j.wrongChannel(e.Channel, after[e.Channel]); message != "" {
			return message
		}
	}
	if message := j.wrongSwitch(after); message != "" {
		return message
	}
	return j.wrongV1(after)
}

func (j *judge) wrongChannel(name string, is entries) string {
	was, n, goal := j.before[name], j.request.Name, j.goal(name)
	requested := slices.Contains(j.request.Channels, name)
	if requested {
		if message := j.wrongRelease(was, is); message != "" {
			return message
		}
	}
	head, offered := j.heads[name], is.offered()
	for _, x := range append(was.users(), n) {
		new := x == n && requested
		way, wayBefore := is.wayFrom(x, offered), j.wayV0(name, x)
		if stepsDown(wayBefore, way) || (new || head != "" && last(wayBefore) == head) && last(way) != goal {
			return fmt.Sprintf("%s ends at %s in %s", x, last(way), name)
		}
		if !requested {
			continue
		}
		way, wayBefore = wayV1(x, j.extra.deprecated, is), j.wayV1(name, x)
		end := last(wayBefore)
		if new && slices.Contains(j.extra.deprecated, goal) {
			end = x
		} else if new || end == head {
			end = goal
		}
		if stepsDown(wayBefore, way) || lower(last(way), end) {
			return fmt.Sprintf("OLM v1: %s ends at %s in %s", x, last(way), name)
		}
		for _, b := range j.request.InsteadOf {
			if _, has := was[b]; has && slices.Contains(way[1:], b) {
				return "OLM v1 gives " + b + " to " + x
			}
		}
	}
	return ""
}

// wrongRelease checks the entry of the release.
func (j *judge) wrongRelease(was, is entries) string {
	n, offered := j.request.Name, is.offered()
	for _, x := range is.users() {
		if e := is[n]; lower(n, x) && (e.Replaces == x || slices.Contains(e.Skips, x)) {
			return n + " replaces or skips " + x
		}
	}
	for x, e := range is {
		if lower(x, n) && (e.Replaces == n || slices.Contains(e.Skips, n)) {
			return x + " replaces or skips " + n
		}
	}
	if !slices.Contains(offered, n) {
		return n + " is not offered"
	}
	for _, b := range j.request.InsteadOf {
		if slices.Contains(offered, b) {
			return b + " is offered"
		}
		if low, ok := lowest(was[b].SkipRange); ok && !slices.Contains(j.request.Prune, b) && !(Edges{SkipRange: is[n].SkipRange}).covers("v"+low) {
			return "what " + b + " covered is not"
		}
	}
	for _, b := range j.request.Prune {
		low, ok := lowest(was[b].SkipRange)
		if ok && !(Edges{SkipRange: is[n].SkipRange}).covers("v"+low) && !j.stillCovered(was, "v"+low, b) {
			return "what " + b + " covered is not"
		}
	}
	return ""
}

// stillCovered reports whether the entries that stay cover versions.
func (j *judge) stillCovered(was entries, names ...string) bool {
	rest := maps.Clone(was)
	for _, gone := range j.request.Prune {
		delete(rest, gone)
	}
	return !slices.ContainsFunc(names, func(x string) bool {
		return !slices.ContainsFunc(rest.sortedNames(), func(e string) bool {
			return !slices.Contains(j.request.InsteadOf, e) && !rest.isSkipped(e) && Edges{SkipRange: rest[e].SkipRange}.covers(x)
		})
	})
}

func lowest(text string) (string, bool) {
	r, err := graph.ParseRange(text)
	if err != nil {
		return "", false
	}
	v, ok := r.Lowest()
	return v.String(), ok
}

// wrongSwitch checks switches between channels.
func (j *judge) wrongSwitch(after small) string {
	heads := map[string]string{}
	for name, c := range after {
		heads[name] = c.head()
	}
	takesBefore := func(to, x string) bool { return j.heads[to] != "" && last(j.wayV0(to, x)) == j.heads[to] }
	for from := range after {
		taken, takenBefore, newer, newerBefore := false, false, false, false
		is, was := heads[from], j.heads[from]
		for to := range after {
			if lower(is, heads[to]) {
				newer = newer || newerHead(is, heads[to])
				takes := last(after[to].wayV0(is)) == heads[to]
				taken = taken || takes
				if was != "" && takesBefore(to, was) && !takes {
					return "switch from " + from + " to " + to
				}
			}
			if was != "" && j.heads[to] != "" && lower(was, j.heads[to]) {
				newerBefore = true
				takenBefore = takenBefore || takesBefore(to, was)
			}
		}
		if newer && !taken && !(newerBefore && !takenBefore) {
			return "switch from " + from
		}
	}
	return ""
}

// wrongV1 checks a ClusterExtension that names no channels.
func (j *judge) wrongV1(after small) string {
	all := after.all()
	for _, x := range append(j.before.users(), j.request.Name) {
		way, wayBefore := wayV1(x, j.extra.deprecated, all...), j.anyV1(x)
		if stepsDown(wayBefore, way) {
			return "OLM v1: down from " + x
		}
		end := last(wayBefore)
		if x == j.request.Name && !slices.Contains(j.before.users(), x) {
			end = x
		}
		for _, name := range j.request.Channels {
			head := j.heads[name]
			if head == "" || lower(j.request.Name, head) {
				continue
			}
			if h := last(j.anyV1(head)); x == j.request.Name && lower(end, h) {
				end = h
			}
			if end == head && lower(head, j.request.Name) {
				end = j.request.Name
			}
		}
		if lower(last(way), end) {
			return fmt.Sprintf("OLM v1: %s ends at %s, not %s", x, last(way), end)
		}
		for _, b := range j.request.InsteadOf {
			if slices.Contains(way[1:], b) && j.everywhere(b) {
				return "OLM v1 gives " + b
			}
		}
	}
	return ""
}

// everywhere reports whether a bundle is withdrawn from all channels that have it.
func (j *judge) everywhere(b string) bool {
	for name, c := range j.before {
		if _, has := c[b]; has && !slices.Contains(j.request.Channels, name) {
			return false
		}
	}
	return true
}

// buildPackage makes a package of the channels.
func buildPackage(s small, more extra) *catalogs.Package {
	p := &catalogs.Package{Name: catalogs.Text{Value: "p"}}
	bundles := map[string]*catalogs.Bundle{}
	for _, name := range s.names() {
		c := &catalogs.Channel{Name: catalogs.Text{Value: name}}
		for _, n := range s[name].sortedNames() {
			if bundles[n] == nil {
				bundles[n] = &catalogs.Bundle{Name: catalogs.Text{Value: n}, Version: catalogs.Text{Value: nameVersion(n).String()}}
				p.Bundles = append(p.Bundles, bundles[n])
			}
			e := catalogs.Entry{Name: catalogs.Text{Value: n}, Bundle: bundles[n]}
			edges := s[name][n]
			edges.set(&e)
			c.Entries = append(c.Entries, e)
		}
		p.Channels = append(p.Channels, c)
	}
	d := &catalogs.Deprecations{Package: p.Name}
	for _, name := range more.deprecated {
		if bundles[name] != nil {
			d.Entries = append(d.Entries, catalogs.Deprecation{Schema: catalogs.Text{Value: catalogs.SchemaBundle}, Name: catalogs.Text{Value: name}, Message: catalogs.Text{Value: "old"}})
		}
	}
	for _, name := range more.deprecatedChannels {
		d.Entries = append(d.Entries, catalogs.Deprecation{Schema: catalogs.Text{Value: catalogs.SchemaChannel}, Name: catalogs.Text{Value: name}, Message: catalogs.Text{Value: "old"}})
	}
	if len(d.Entries) > 0 {
		p.Deprecations = append(p.Deprecations, d)
	}
	return p
}

// editedChannel returns a channel with the edits that are its own.
func (s small) editedChannel(channel string, edits []Edit) entries {
	is := maps.Clone(s[channel])
	if is == nil {
		is = entries{}
	}
	for _, e := range edits {
		if e.Channel == channel && e.Removed {
			delete(is, e.Entry)
		} else if e.Channel == channel {
			is[e.Entry] = e.After
		}
	}
	return is
}

func (s small) apply(edits []Edit) small {
	out := maps.Clone(s)
	for _, e := range edits {
		out[e.Channel] = s.editedChannel(e.Channel, edits)
	}
	return out
}

// random returns a small package that opm accepts.
func random(r *rand.Rand) small {
	pool := []string{"v1.0.0", "v1.1.0-rc1", "v1.1.0", "v1.1.1", "v1.2.0-rc1", "v1.2.0", "v1.2.1", "v1.3.0", "v2.0.0"}
	s := small{}
	for i := range 1 + r.IntN(3) {
		for {
			c := entries{}
			var below []string
			for _, name := range pool {
				if r.IntN(3) > 0 || len(c) == 4 {
					continue
				}
				e := Edges{Replaces: pick(r, append([]string{"", "v0.9.0"}, below...))}
				if len(below) > 0 && r.IntN(4) > 0 {
					e.Replaces = below[len(below)-1]
				}
				for _, b := range below {
					if r.IntN(4) == 0 && b != e.Replaces {
						e.Skips = append(e.Skips, b)
					}
				}
				if r.IntN(5) == 0 {
					e.SkipRange = fmt.Sprintf(">=%s <%s", nameVersion(pick(r, append(below, "v0.9.0"))), nameVersion(name))
				}
				c[name] = e
				below = append(below, name)
			}
			if c.head() != "" {
				s[fmt.Sprint("c", i)] = c
				break
			}
		}
	}
	return s
}

func pick(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

// randomExtra deprecates some bundles and channels.
func randomExtra(r *rand.Rand, s small) extra {
	var more extra
	if r.IntN(3) > 0 {
		return more
	}
	for _, name := range s.names() {
		if r.IntN(3) == 0 {
			more.deprecatedChannels = append(more.deprecatedChannels, name)
		}
		for _, n := range s[name].sortedNames() {
			if r.IntN(3) == 0 && !slices.Contains(more.deprecated, n) {
				more.deprecated = append(more.deprecated, n)
			}
		}
	}
	return more
}

func randomRequest(r *rand.Rand, s small) Request {
	q := Request{Name: pick(r, []string{"v1.1.2", "v1.2.2-rc1", "v1.2.2", "v1.3.1", "v2.1.0"})}
	q.Version = nameVersion(q.Name).String()
	for _, name := range s.names() {
		if r.IntN(3) == 0 {
			q.Channels = append(q.Channels, name)
		}
	}
	if q.Channels == nil || r.IntN(8) == 0 {
		q.Channels = append(q.Channels, "new")
	}
	if len(q.Channels) > 2 {
		q.Channels = q.Channels[:2]
	}
	if c := s[q.Channels[0]]; c != nil && r.IntN(3) == 0 {
		if b := pick(r, c.sortedNames()); lower(b, q.Name) {
			q.InsteadOf = []string{b}
		}
	}
	if c := s[q.Channels[0]]; c != nil && r.IntN(4) == 0 {
		all := c.sortedNames()
		if r.IntN(2) == 0 {
			q.Prune = all[:1+r.IntN(len(all))]
		} else {
			q.Prune = []string{pick(r, all)}
		}
	}
	return q
}

func (s small) String() string {
	var b strings.Builder
	for _, name := range s.names() {
		fmt.Fprintf(&b, "%s:\n", name)
		for _, n := range s[name].sortedNames() {
			e := s[name][n]
			fmt.Fprintf(&b, "  %s replaces %q skips %v range %q\n", n, e.Replaces, e.Skips, e.SkipRange)
		}
	}
	return b.String()
}

// TestRandom checks that no plan leaves anybody worse off, nor one that also skips what is said to be freed by that.
func TestRandom(t *testing.T) {
	n, seeds := catalogtest.Rounds(3000), 4
	if text := os.Getenv("OLMGRAPH_RELEASE_SEEDS"); text != "" {
		fmt.Sscan(text, &seeds)
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r, refused, kinds := rand.New(rand.NewPCG(23, seed)), 0, map[string]int{}
			for i := range n {
				s := random(r)
				more, q := randomExtra(r, s), randomRequest(r, s)
				plan := NewPlan(graph.NewPackageGraph(buildPackage(s, more)), q)
				if plan.Refusal != nil {
					refused++
					kinds[plan.Refusal.Constraint]++
					continue
				}
				if wrong := wrongPlan(newJudge(s, q, more), plan); wrong != "" {
					t.Fatalf("%d: %+v %+v\n%s%s", i, q, more, s, wrong)
				}
			}
			t.Logf("%d of %d refused: %v", refused, n, kinds)
			if refused > n/5 {
				t.Errorf("%d of %d refused", refused, n)
			}
		})
	}
}

// wrongPlan says what is wrong with a plan, or with what it says more skips would free.
func wrongPlan(j *judge, plan *Plan) string {
	if message := j.wrong(plan.Edits); message != "" {
		return fmt.Sprintf("plan %+v: %s", plan.Edits, message)
	}
	edits := slices.Clone(plan.Edits)
	for _, f := range plan.Frees {
		i := slices.IndexFunc(edits, func(e Edit) bool { return e.Channel == f.Channel && e.Added })
		edits[i].After.Skips = append(slices.Clone(edits[i].After.Skips), f.Name)
	}
	if message := j.wrong(edits); message != "" {
		return fmt.Sprintf("plan %+v with %+v: %s", plan.Edits, plan.Frees, message)
	}
	return ""
}
