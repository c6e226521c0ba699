package graph

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// parsePackage reads a package in the language of the tests: channels are separated by lines of dashes. A bundle that is in several
// channels has the version that it has in the first.
func parsePackage(text string) *PackageGraph {
	p := &catalogs.Package{}
	bundles := map[string]*catalogs.Bundle{}
	for i, part := range strings.Split(text, "---") {
		q, c := parseChannel(strings.Split(part, "\n"))
		c.Name.Value = string(rune('a' + i))
		for j := range c.Entries {
			b := c.Entries[j].Bundle
			if b == nil {
				continue
			}
			if first := bundles[b.Name.Value]; first != nil {
				c.Entries[j].Bundle = first
				continue
			}
			bundles[b.Name.Value] = b
			p.Bundles = append(p.Bundles, b)
		}
		p.Channels = append(p.Channels, c)
		p.Deprecations = append(p.Deprecations, q.Deprecations...)
	}
	return NewPackageGraph(p)
}

// plainSteps are the steps from a state by definition: the next under v0; under v1 what is chosen for each version that can be asked
// for, and not rejected.
func plainSteps(pg *PackageGraph, q Question, g *Graph, name string) []string {
	if q.OLM() == V1 {
		return plainPins(pg, q.Extension, name)
	}
	from, ok := g.Index(name)
	if !ok {
		var names []string
		for _, s := range pg.automaticStep(g, name) { // compared with Next if the channel has the bundle
			names = append(names, s.To)
		}
		return names
	}
	order, _ := g.Order()
	if e := plainNext(g, order, from); e.To >= 0 {
		return []string{g.Name(e.To)}
	}
	return nil
}

// plainPins asks for each version of the package in turn, by taking all others out of it.
func plainPins(pg *PackageGraph, x *Extension, installed string) []string {
	own := plainExtension{pkg: x.Package}.release(x.Package.Bundle(installed))
	if x.Package.Bundle(installed) == nil {
		own = plainRelease(pg.Version(installed), nil)
	}
	var names []string
	for _, b := range x.Package.Bundles {
		asked := plainExtension{pkg: x.Package}.release(b)
		if asked == nil {
			continue
		}
		only := *x.Package
		only.Bundles = slices.DeleteFunc(slices.Clone(x.Package.Bundles), func(c *catalogs.Bundle) bool {
			v := plainExtension{pkg: x.Package}.release(c)
			return v == nil || v.version.Compare(asked.version) != 0
		})
		plain := plainExtension{pkg: &only, named: x.NamesChannels}
		for _, g := range x.Channels {
			plain.channels = append(plain.channels, g.Channel)
		}
		if next, refusal := plain.chooseFor(installed, own); refusal == "" && next != "" && next != installed && !slices.Contains(names, next) {
			names = append(names, next)
		}
	}
	return names
}

// plainPaths finds every path that visits no bundle twice and never switches channels twice in a row, as text, by brute force.
func plainPaths(pg *PackageGraph, q Question) []string {
	var all []string
	var walk func(g *Graph, at string, words []string, seen map[string]bool, moved bool)
	walk = func(g *Graph, at string, words []string, seen map[string]bool, moved bool) {
		if at == q.To {
			all = append(all, strings.Join(words, " "))
			return
		}
		for _, to := range plainSteps(pg, q, g, at) {
			if !seen[to] {
				seen[to] = true
				walk(g, to, append(words[:len(words):len(words)], to), seen, false)
				delete(seen, to)
			}
		}
		for _, h := range pg.Graphs {
			if q.SwitchChannels && !moved && h != g && len(plainSteps(pg, q, h, at)) > 0 {
				walk(h, at, append(words[:len(words):len(words)], "@"+h.Channel.Name.Value), seen, true)
			}
		}
	}
	walk(q.Channel, q.From, nil, map[string]bool{q.From: true}, false)
	slices.SortFunc(all, comparePathWords)
	return all
}

func comparePathWords(a, b string) int {
	return cmp.Or(cmp.Compare(strings.Count(a, "@"), strings.Count(b, "@")), cmp.Compare(len(strings.Fields(a)), len(strings.Fields(b))),
		strings.Compare(a, b))
}

func pathWords(p Path) string {
	var words []string
	for i := range p {
		word := p[i].To
		if p[i].Switch() {
			word = "@" + p[i].Graph.Channel.Name.Value
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// checkAsk holds the answers to every question about a small package against brute force.
func checkAsk(t *testing.T, pg *PackageGraph) {
	t.Helper()
	var names []string
	for _, g := range pg.Graphs {
		for _, i := range g.Entries() {
			names = append(names, g.Name(i))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	pg = pg.WithRemoved(InstalledBundle{Name: "gone", Version: "1.0.0"})
	for _, g := range pg.Graphs {
		for _, to := range names {
			checkQuestion(t, pg, Question{Channel: g, From: "gone", To: to})
			checkQuestion(t, pg, Question{Extension: pg.Extension(false, g), From: "gone", To: to})
			checkQuestion(t, pg, Question{Extension: pg.Extension(false), From: "gone", To: to})
		}
		for _, from := range g.Entries() {
			for _, to := range names {
				for _, move := range []bool{false, true} {
					checkQuestion(t, pg, Question{Channel: g, From: g.Name(from), To: to, SwitchChannels: move})
				}
				checkQuestion(t, pg, Question{Extension: pg.Extension(false, g), From: g.Name(from), To: to})
				checkQuestion(t, pg, Question{Extension: pg.Extension(false), From: g.Name(from), To: to})
			}
		}
	}
}

func checkQuestion(t *testing.T, pg *PackageGraph, q Question) {
	t.Helper()
	what := fmt.Sprintf("%s from %s to %s, move %v", q.OLM(), q.From, q.To, q.SwitchChannels)
	want := plainPaths(pg, q)
	q.Limit = len(want) + 1
	all := pg.Ask(q)
	var got []string
	for _, p := range all.Paths {
		got = append(got, pathWords(p))
		checkIsPath(t, pg, q, p)
	}
	if !slices.IsSortedFunc(got, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "@"), strings.Count(b, "@")), cmp.Compare(len(strings.Fields(a)), len(strings.Fields(b))))
	}) {
		t.Errorf("%s: not the shortest first: %v", what, got)
	}
	slices.SortFunc(got, comparePathWords)
	checkEqual(t, what, got, want)
	if (all.Obstacle == nil) != (len(want) > 0) || all.MorePaths {
		t.Errorf("%s: %d ways, more %v, obstacle %v", what, len(want), all.MorePaths, all.Obstacle)
	}
	q.Limit = 1
	one := pg.Ask(q)
	if len(one.Paths) > 0 != (len(want) > 0) {
		t.Errorf("%s: one way: %v, brute force %v", what, one.Paths, want)
	} else if len(want) > 0 && len(strings.Fields(want[0])) != len(one.Paths[0]) {
		t.Errorf("%s: %s is not as short as %s", what, pathWords(one.Paths[0]), want[0])
	}
	if q.OLM() == V0 && !q.SwitchChannels && q.From != q.To {
		if from, ok := q.Channel.Index(q.From); ok {
			checkReachable(t, q, from, len(want) > 0)
		}
	}
	checkObstacle(t, pg, one)
}

// checkIsPath checks a path: each step begins where the last one ended, and is an edge of its channel.
func checkIsPath(t *testing.T, pg *PackageGraph, q Question, p Path) {
	t.Helper()
	at, g := q.From, q.Channel
	for i := range p {
		s := &p[i]
		if s.From != at || q.OLM() == V0 && !s.Switch() && s.Graph != g {
			t.Errorf("step %d of %s does not go on from %s", i, pathWords(p), at)
		}
		at, g = s.To, s.Graph
		if s.Switch() {
			continue
		}
		checkStep(t, q.OLM(), s)
	}
	if at != q.To {
		t.Errorf("%s does not lead to %s", pathWords(p), q.To)
	}
}

// checkStep wants the edge of an upgrade to be one that its target declares.
func checkStep(t *testing.T, olm Generation, s *Step) {
	t.Helper()
	if s.Graph.Name(s.Edge.To) != s.To || s.Edge.From >= 0 && s.Graph.Name(s.Edge.From) != s.From {
		t.Errorf("%v is not the edge from %s to %s", s.Edge, s.From, s.To)
	}
	if olm == V1 && s.Edge.Kind != SameVersion && !declares(s) {
		t.Errorf("%v is no edge", s.Edge)
	}
	if s.Edge.From >= 0 && olm == V0 {
		if e, ok := plainEdge(s.Graph, s.Edge.From, s.Edge.To); !ok || e != s.Edge {
			t.Errorf("%v is no edge", s.Edge)
		}
	}
}

// declares reports whether an entry of the target has the field that makes a step: OLM v1 looks at all entries of a name.
func declares(s *Step) bool {
	return slices.ContainsFunc(s.Graph.Channel.Entries, func(e catalogs.Entry) bool {
		if e.Name.Value != s.To {
			return false
		}
		for kind, where := range declaredNames(&e) {
			if kind == s.Edge.Kind && where == s.Edge.Where && where.Value == s.From {
				return true
			}
		}
		return s.Edge.Kind == SkipRange && e.SkipRange == s.Edge.Where
	})
}

// checkReachable checks that there is a path if and only if the graph has one.
func checkReachable(t *testing.T, q Question, from int, found bool) {
	t.Helper()
	to, ok := q.Channel.Index(q.To)
	if !ok {
		if found {
			t.Errorf("a way to %s, which the channel does not have", q.To)
		}
		return
	}
	if found != slices.Contains(q.Channel.Reachable(from), to) {
		t.Errorf("way from %s to %s: %v, but reachable are %s", q.From, q.To, found, names(q.Channel, q.Channel.Reachable(from)))
	}
	if found != slices.Contains(q.Channel.automaticSources(to), from) {
		t.Errorf("%s is reached from %s", q.To, names(q.Channel, q.Channel.automaticSources(to)))
	}
}

func checkObstacle(t *testing.T, pg *PackageGraph, answer *Answer) {
	t.Helper()
	o, q := answer.Obstacle, answer.Question
	if o == nil {
		return
	}
	for _, name := range o.ReachableFrom {
		pg := pg
		if !pg.Has(name) { // only skips of the channel name it
			pg = pg.WithRemoved(ParseBundleName(name))
		}
		if len(plainPaths(pg, Question{Channel: q.Channel, Extension: q.Extension, From: name, To: q.To})) == 0 {
			t.Errorf("%s is not reached from %s", q.To, name)
		}
	}
	for _, g := range o.ChannelsWithPath {
		if len(plainPaths(pg, Question{Channel: g, From: q.From, To: q.To})) == 0 {
			t.Errorf("%s is not reached in %s", q.To, g.Channel.Name.Value)
		}
	}
	stops := q.From + " " + pathWords(answer.Automatic)
	if q.OLM() == V0 && !q.SwitchChannels && o.Nearest != "" && !slices.Contains(strings.Fields(stops), o.Nearest) {
		t.Errorf("%s is nowhere on the way: %s", o.Nearest, stops)
	}
	if o.Overshoot != nil && (!q.SwitchChannels && o.Overshoot.From != o.Nearest && o.Nearest != "" || !pg.older(q.To, o.Overshoot.To)) {
		t.Errorf("%v goes past %s, and nearest is %s", o.Overshoot, q.To, o.Nearest)
	}
}

// TestAsk asks everything about small random packages of up to three channels.
func TestAsk(t *testing.T) {
	for seed := range uint64(catalogtest.Rounds(150)) {
		r := rand.New(rand.NewPCG(seed, 7))
		var parts []string
		for range 1 + r.IntN(3) {
			parts = append(parts, randomChannel(r, 1+r.IntN(5)))
		}
		text := strings.Join(parts, "---\n")
		checkAsk(t, parsePackage(text))
		if t.Failed() {
			t.Fatal(text)
		}
	}
}

// TestAskV1 asks everything about packages in which bundles have the same version, releases and requirements.
func TestAskV1(t *testing.T) {
	for seed := range uint64(catalogtest.Rounds(60)) {
		text := randomPackage(rand.New(rand.NewPCG(seed, 13)))
		checkAsk(t, parsePackage(text))
		if t.Failed() {
			t.Fatal(text)
		}
	}
}

// randomChannel says a channel of some of the versions v1 to v6.
func randomChannel(r *rand.Rand, size int) string {
	var b strings.Builder
	name := func() string {
		if r.IntN(9) == 0 {
			return "gone"
		}
		return fmt.Sprintf("v%d", 1+r.IntN(6))
	}
	for _, v := range r.Perm(6)[:size] {
		fmt.Fprintf(&b, "v%d", v+1)
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, " replaces %s", name())
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, " skips %s %s", name(), name())
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, " range %q", fmt.Sprintf(">=%d.0.0 <%d.0.0", 1+r.IntN(4), 2+r.IntN(6)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func FuzzAsk(f *testing.F) {
	f.Add("v1\nv2 replaces v1\n---\nv2\nv3 replaces v2 skips v1\n")
	f.Add("v1\nv2 range \"<2.0.0\"\nv3 replaces v2\n---v3\nv1 replaces v3")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 300 || strings.Count(text, "---") > 2 || strings.Count(text, "\n") > 10 {
			return
		}
		pg := parsePackage(text)
		for _, g := range pg.Graphs {
			for _, i := range g.Entries() {
				if name := g.Name(i); name == "" || strings.ContainsAny(name, " @") || len(g.Entries()) > 6 {
					return // the paths cannot be written as text, or brute force would take too long
				}
			}
		}
		checkAsk(t, pg)
	})
}
