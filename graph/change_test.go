package graph

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// TestChange compares the outcomes of random changes with those of a simple model of the entries.
func TestChange(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	rounds, stranded, freed := catalogtest.Rounds(4000), 0, 0
	for range rounds {
		was := sample(r, 8)
		is := mutant(r, was)
		c := &Change{Base: parseGraph(was), Now: parseGraph(is)}
		checkChange(t, c)
		for _, o := range c.Outcomes() {
			if o.IsStranded() {
				stranded++
			}
			if o.isUnstranded() {
				freed++
			}
		}
		if t.Failed() {
			t.Fatalf("from\n%s\nto\n%s", was, is)
		}
	}
	if stranded < rounds/8 || freed < rounds/40 {
		t.Errorf("only %d stranded and %d freed", stranded, freed)
	}
}

// mutant takes out, adds and changes lines of a channel.
func mutant(r *rand.Rand, text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	more := strings.Split(strings.TrimSpace(sample(r, 10)), "\n")
	for range 1 + r.IntN(3) {
		at := r.IntN(len(lines))
		switch r.IntN(4) {
		case 0:
			if len(lines) > 1 {
				lines = slices.Delete(lines, at, at+1)
			}
		case 1:
			lines[at] = more[r.IntN(len(more))]
		case 2:
			lines = append(lines, more[len(more)-1])
		case 3:
			words := strings.Fields(lines[at])
			lines[at] = strings.Join(words[:1+r.IntN(len(words))], " ")
			if strings.Count(lines[at], `"`)%2 == 1 {
				lines[at] += `"`
			}
		}
	}
	return strings.Join(lines, "\n")
}

func checkChange(t *testing.T, c *Change) {
	t.Helper()
	var stranded []string
	for _, o := range c.Outcomes() {
		name := c.Base.Name(o.Entry)
		before := plainArrives(c.Base, name, c.Base.Version(o.Entry))
		after := plainArrives(c.Now, name, c.Base.Version(o.Entry))
		if o.ReachedHead != before || o.ReachesHead != after {
			t.Errorf("%s reached the head: %v, want %v; reaches it: %v, want %v", name, o.ReachedHead, before, o.ReachesHead, after)
		}
		if before && !after {
			stranded = append(stranded, name)
		}
	}
	if _, err := c.Now.Order(); err != nil {
		return
	}
	order, _ := c.Now.Order()
	var lost []string
	for _, loss := range c.Strandings() {
		lost = append(lost, splitNames(c.Base, loss.Stranded)...)
		if c.Now.reachesHead(order[0]) && !c.Now.reachesHead(loss.FixEntry) || !c.Now.Offers(loss.FixEntry) {
			t.Errorf("%s does not free %s", c.Now.Name(loss.FixEntry), loss.At)
		}
	}
	slices.Sort(lost)
	slices.Sort(stranded)
	checkEqual(t, "losses", lost, stranded)
	for _, m := range c.FindDropped() {
		if name := m.Name; plainArrives(c.Now, name, nil) {
			t.Errorf("%s is not dropped", name)
		}
	}
	for _, e := range c.LongerRoutes() {
		if slices.Contains(stranded, c.Base.Name(e.From)) {
			t.Errorf("%s is stranded, not on a longer way", c.Base.Name(e.From))
		}
	}
}

func splitNames(g *Graph, entries []int) []string { return strings.Fields(names(g, entries)) }

// plainArrives reports whether who has a bundle installed comes to the head by OLM v0, going step by step, and stays there.
func plainArrives(g *Graph, name string, version *semver.Version) bool {
	order, err := g.Order()
	if err != nil {
		return false
	}
	for range 2 + len(g.members) {
		to := slices.IndexFunc(order, func(i int) bool { return plainTakes(g, i, name, version) })
		if to < 0 || g.Name(order[to]) == name {
			return name == g.Name(order[0])
		}
		name, version = g.Name(order[to]), g.Version(order[to])
	}
	return false
}

func plainTakes(g *Graph, to int, name string, version *semver.Version) bool {
	e := g.Channel.Entries[to]
	if e.Replaces.Value != "" && e.Replaces.Value == name || version != nil && plainContains(e.SkipRange.Value, *version) {
		return true
	}
	for _, skip := range e.Skips {
		if skip.Value == name {
			return true
		}
	}
	return false
}

// TestNoChange compares a channel with itself: no entry is stranded or unstranded, and no upgrade changes.
func TestNoChange(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 2000 {
		text := sample(r, 10)
		c := &Change{Base: parseGraph(text), Now: parseGraph(text)}
		for _, o := range c.Outcomes() {
			if o.IsStranded() || o.isUnstranded() || o.NextBefore.To != o.NextNow.To || !o.Kept {
				t.Fatalf("%s\nhas changed: %+v", text, o)
			}
			if was, is := c.nextOfV1(o.Entry); was != is {
				t.Fatalf("%s\nunder OLM v1 from %s: %q, %q", text, c.Base.Name(o.Entry), was, is)
			}
		}
		if len(c.Strandings()) > 0 || len(c.LongerRoutes()) > 0 || len(c.FindDropped()) > 0 {
			t.Fatalf("%s\nhas losses", text)
		}
	}
}

// TestDroppedByRange: a name without a bundle is not dropped if the version in it is in a skipRange.
func TestDroppedByRange(t *testing.T) {
	base := parseGraph("a.v2.0.0 replaces my.vendor.v1.2.3")
	if dropped := (&Change{Base: base, Now: parseGraph(`a.v2.0.0 range ">=1.0.0 <2.0.0"`)}).FindDropped(); len(dropped) > 0 {
		t.Errorf("%s is dropped, but its version is in the skipRange", dropped[0].Name)
	}
	if dropped := (&Change{Base: base, Now: parseGraph(`a.v2.0.0 range ">=1.3.0 <2.0.0"`)}).FindDropped(); len(dropped) != 1 {
		t.Error("a version outside the skipRange is not dropped")
	}
}
