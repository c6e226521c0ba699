package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// check compares the results of a graph with those of simple algorithms.
func check(t *testing.T, g *Graph) {
	t.Helper()
	checkOPM(t, g)
	checkV0(t, g)
	checkV1(t, g)
	checkPaths(t, g)
	checkCycles(t, g)
	checkStuck(t, g)
	checkUpgrades(t, g)
}

// checkUpgrades checks that each pair has its upgrade, and that a path of direct upgrades exists for each transitive one.
func checkUpgrades(t *testing.T, g *Graph) {
	t.Helper()
	var want []Upgrade
	for _, to := range g.Entries() {
		for _, from := range g.Entries() {
			e, ok := plainEdge(g, from, to)
			next, hasNext := g.Next(from)
			v0 := hasNext && next.To == to
			v1 := bundleRelease(bundleOrNone(g, from), ReleaseOrder{}) != nil && bundleRelease(bundleOrNone(g, to), ReleaseOrder{}) != nil
			if ok && from != to && (v0 || v1) {
				want = append(want, Upgrade{e, v0, v1})
			}
		}
	}
	checkEqual(t, "upgrades", slices.Collect(g.Upgrades()), want)
	seen := map[string]bool{}
	for _, e := range g.Channel.Entries {
		if seen[e.Name.Value] {
			return // the indices of origins are not the same
		}
		seen[e.Name.Value] = true
	}
	steps := g.DirectUpgrades()
	isStep := func(e Edge) bool {
		return slices.ContainsFunc(steps, func(u Upgrade) bool { return u.From == e.From && u.To == e.To })
	}
	o := channelOrigins(g)
	for _, u := range want {
		if _, ok := o.ShortestPathInto([]int{u.To}, func(i int) bool { return i == u.From }, isStep); !ok {
			t.Errorf("no steps from %s to %s: %v", g.Name(u.From), g.Name(u.To), steps)
		}
	}
	checkShortest(t, g)
}

// channelOrigins returns the entries of a channel, which has no name twice, as origins: the indices are the same.
func channelOrigins(g *Graph) *Origins {
	return (&PackageGraph{Package: &catalogs.Package{}, Graphs: []*Graph{g}}).Origins(nil, "")
}

// checkShortest wants one length of the shortest path between two entries.
func checkShortest(t *testing.T, g *Graph) {
	t.Helper()
	o := channelOrigins(g)
	for _, end := range g.Entries() {
		for _, begin := range g.Entries() {
			way, ok := o.ShortestPathInto([]int{end}, func(i int) bool { return i == begin }, func(Edge) bool { return true })
			if shortest := shortestPath(g, begin, end); begin != end && len(way) != len(shortest) || ok != (len(way) > 0) {
				t.Errorf("way from %s into %s: %v, shortest %v", g.Name(begin), g.Name(end), way, shortest)
			}
		}
	}
}

func bundleOrNone(g *Graph, i int) *catalogs.Bundle {
	if b := g.Channel.Entries[i].Bundle; b != nil {
		return b
	}
	return &catalogs.Bundle{}
}

func checkEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// plainEdge is the edge from one entry to another, by definition.
func plainEdge(g *Graph, from, to int) (Edge, bool) {
	name, v := g.Name(from), g.Version(from)
	e := g.Channel.Entries[to]
	if e.Replaces.Value != "" && e.Replaces.Value == name {
		return Edge{from, to, Replaces, e.Replaces}, true
	}
	for _, skip := range e.Skips {
		if skip.Value == name {
			return Edge{from, to, Skips, skip}, true
		}
	}
	if v != nil && plainContains(e.SkipRange.Value, *v) {
		return Edge{from, to, SkipRange, e.SkipRange}, true
	}
	return noEdge, false
}

func plainContains(text string, v semver.Version) bool {
	in, _ := plainMatch(text, v)
	return in
}

func plainMatch(text string, v semver.Version) (in, crash bool) {
	r, err := semver.ParseRange(text)
	if err != nil {
		return false, false
	}
	defer func() {
		if recover() != nil {
			crash = true
		}
	}()
	return r(v), false
}

func checkOPM(t *testing.T, g *Graph) {
	t.Helper()
	var heads []string
	for _, i := range g.members {
		if !slices.ContainsFunc(g.members, func(j int) bool { return plainNames(g, j, g.Name(i)) }) {
			heads = append(heads, g.Name(i))
		}
	}
	slices.Sort(heads)
	checkEqual(t, "heads", strings.Fields(names(g, g.Heads())), strings.Fields(strings.Join(heads, " ")))
	for _, i := range g.StrandedEntries() {
		if g.IsSkipped(g.Name(i)) || slices.Contains(g.Chain().Entries, i) {
			t.Errorf("%s is stranded, and on the chain or skipped", g.Name(i))
		}
	}
}

func plainNames(g *Graph, i int, name string) bool {
	e := g.Channel.Entries[i]
	return e.Replaces.Value != "" && e.Replaces.Value == name ||
		slices.ContainsFunc(e.Skips, func(s catalogs.Text) bool { return s.Value == name })
}

func checkV0(t *testing.T, g *Graph) {
	t.Helper()
	order, err := g.Order()
	if (err == nil) != (len(order) > 0) {
		t.Errorf("order of %d with error %v", len(order), err)
	}
	for _, i := range order {
		if g.IsSkipped(g.Name(i)) {
			t.Errorf("the order holds %s, which is skipped", g.Name(i))
		}
	}
	for _, i := range g.members {
		want := plainNext(g, order, i)
		checkEqual(t, "next "+g.Name(i), first(g.Next(i)), want)
		hops, end, loop := plainHops(g, order, i)
		gotHops, gotEnd, ok := g.Hops(i)
		checkEqual(t, "hops "+g.Name(i), fmt.Sprint(gotHops, gotEnd, !ok), fmt.Sprint(hops, end, loop))
		version := ""
		if b := g.Channel.Entries[i].Bundle; b != nil {
			version = b.Version.Value
		}
		checkEqual(t, "next of "+g.Name(i), first(g.NextOfInstalled(g.Name(i), version)), want)
	}
	if lost := g.StuckAfterSwitch(g); len(lost) != len(g.Stuck()) {
		t.Errorf("moving to the same channel loses %s, but stuck are %s", names(g, lost), askStuck(g, nil))
	}
}

func plainNext(g *Graph, order []int, from int) Edge {
	for _, to := range order {
		if e, ok := plainEdge(g, from, to); ok {
			if to == from {
				return noEdge
			}
			return e
		}
	}
	return noEdge
}

func plainHops(g *Graph, order []int, from int) (hops, end int, loop bool) {
	met := map[int]bool{}
	for i := from; ; hops++ {
		if met[i] {
			return hops, i, true
		}
		met[i] = true
		next := plainNext(g, order, i)
		if next.To < 0 {
			return hops, i, false
		}
		i = next.To
	}
}

func checkV1(t *testing.T, g *Graph) {
	t.Helper()
	x := plainExtension{g.Package, []*catalogs.Channel{g.Channel}, true, false}
	newest := plainRelease("", nil)
	for _, i := range g.members {
		if v := x.release(g.Package.Bundle(g.Name(i))); v != nil && (newest == nil || v.compare(*newest) > 0) {
			newest = v
		}
	}
	var stuck []int
	for _, i := range g.members {
		checkEqual(t, "successors "+g.Name(i), g.SuccessorsV1(i), plainSuccessors(g, i))
		if g.Package.Bundle(g.Name(i)) == nil {
			continue
		}
		next, _ := x.next(g.Name(i))
		got, _ := g.NextV1(i)
		if got.To >= 0 != (next != "") || next != "" && g.Name(got.To) != next {
			t.Errorf("next of %s under v1: %v, want %q", g.Name(i), got, next)
		}
		own := x.release(g.Package.Bundle(g.Name(i)))
		if own != nil && own.compare(*newest) < 0 && !slices.ContainsFunc(g.Package.Bundles, func(b *catalogs.Bundle) bool {
			return b.Name.Value != g.Name(i) && x.successor(b.Name.Value, g.Name(i), own)
		}) {
			stuck = append(stuck, i)
		}
	}
	checkEqual(t, "stuck under v1", names(g, g.DeadEndsV1()), names(g, stuck))
}

func plainSuccessors(g *Graph, from int) []Edge {
	var successors []Edge
	for _, to := range g.members {
		if e, ok := plainEdge(g, from, to); ok && to != from {
			successors = append(successors, e)
		}
	}
	return successors
}

// checkPaths compares with Floyd and Warshall's table of distances.
func checkPaths(t *testing.T, g *Graph) {
	t.Helper()
	far := len(g.Channel.Entries) + 1
	d := map[[2]int]int{}
	for _, i := range g.members {
		for _, j := range g.members {
			d[[2]int{i, j}] = far
			if _, ok := plainEdge(g, i, j); ok {
				d[[2]int{i, j}] = 1
			}
			if i == j {
				d[[2]int{i, j}] = 0
			}
		}
	}
	for _, k := range g.members {
		for _, i := range g.members {
			for _, j := range g.members {
				d[[2]int{i, j}] = min(d[[2]int{i, j}], d[[2]int{i, k}]+d[[2]int{k, j}])
			}
		}
	}
	var unreached []int
	for _, i := range g.members {
		reached := len(g.Heads()) == 0
		for _, j := range g.members {
			checkPath(t, g, i, j, d[[2]int{i, j}]%far)
			reached = reached || slices.Contains(g.Heads(), j) && d[[2]int{i, j}] < far
		}
		if !reached {
			unreached = append(unreached, i)
		}
	}
	checkEqual(t, "unreached", names(g, withoutPathToHead(g)), names(g, unreached))
}

// shortestPath returns a path of fewest edges of any kind; nil if there is none.
func shortestPath(g *Graph, from, to int) []Edge {
	step := g.searchBackwards([]int{to}, allEdges()).towards
	var path []Edge
	for i := from; i != to; i = step[i].To {
		if step[i].To < 0 {
			return nil
		}
		path = append(path, step[i])
	}
	return path
}

// withoutPathToHead returns the entries from which no edges of any kind lead to a head. Empty if there is no head.
func withoutPathToHead(g *Graph) []int {
	heads := g.Heads()
	if len(heads) == 0 {
		return nil
	}
	reaches := g.searchBackwards(heads, allEdges()).assigned
	return slices.DeleteFunc(slices.Clone(g.members), func(i int) bool { return reaches[i] })
}

func allEdges() edgeFilter {
	return edgeFilter{offers: func(int) bool { return true }, follows: func(Edge) bool { return true }}
}

func checkPath(t *testing.T, g *Graph, from, to, length int) {
	t.Helper()
	path := shortestPath(g, from, to)
	if len(path) != length {
		t.Errorf("path from %s to %s has %d edges, want %d", g.Name(from), g.Name(to), len(path), length)
	}
	for _, e := range path {
		if want, _ := plainEdge(g, from, e.To); e != want {
			t.Errorf("%v is no edge from %s", e, g.Name(from))
		}
		from = e.To
	}
}

func checkCycles(t *testing.T, g *Graph) {
	t.Helper()
	seen := map[int]bool{}
	for _, loop := range g.Cycles() {
		for i, e := range loop {
			if e.To != loop[(i+1)%len(loop)].From || !slices.Contains(g.Edges(e.From), e) {
				t.Errorf("no loop: %v", loop)
			}
			if seen[e.From] {
				t.Errorf("%s is in two components", g.Name(e.From))
			}
			seen[e.From] = true
			if g.Name(e.From) < g.Name(loop[0].From) {
				t.Errorf("the loop of %s begins with %s", g.Name(e.From), g.Name(loop[0].From))
			}
		}
	}
	// An entry that reaches itself reaches a loop that was returned.
	for _, i := range g.members {
		if reach := declaredReach(g, i); reach[i] && !slices.ContainsFunc(g.Cycles(), func(l []Edge) bool {
			return reach[l[0].From] && declaredReach(g, l[0].From)[i]
		}) {
			t.Errorf("nothing told of the loop through %s", g.Name(i))
		}
	}
}

func declaredReach(g *Graph, from int) map[int]bool {
	reach := map[int]bool{}
	for todo := []int{from}; len(todo) > 0; todo = todo[1:] {
		for _, e := range g.Edges(todo[0]) {
			if !reach[e.To] {
				reach[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	return reach
}

// checkStuck applies each fix alone, and all of them together.
func checkStuck(t *testing.T, g *Graph) {
	t.Helper()
	all := g.Stuck()
	if _, err := g.Order(); err != nil {
		return
	}
	head, _ := g.Head()
	for _, i := range g.members {
		if next, ok := g.Next(i); !ok != (i == head || slices.ContainsFunc(all, func(s Stuck) bool { return s.Entry == i })) && i != head {
			t.Errorf("%s has next %v, and stuck says otherwise", g.Name(i), next)
		}
	}
	together := g.Channel
	for _, s := range all {
		if len(s.AlsoSkip) > 0 && len(s.Unskip) == 0 && len(g.StrandedEntries()) == 0 {
			t.Errorf("the fix of %s skips others although opm accepts the channel", g.Name(s.Entry))
		}
		checkFix(t, g, applyFix(g.Channel, s), s)
		together = applyFix(together, s)
	}
	checkFix(t, g, together, all...)
}

// applyFix returns a copy of the channel in which the fix is applied.
func applyFix(c *catalogs.Channel, s Stuck) *catalogs.Channel {
	fixed := *c
	fixed.Entries = slices.Clone(c.Entries)
	if len(s.Unskip) > 0 {
		for _, u := range s.Unskip {
			e := &fixed.Entries[u.To]
			e.Skips = slices.DeleteFunc(slices.Clone(e.Skips), func(t catalogs.Text) bool { return t.Value == c.Entries[u.From].Name.Value })
		}
		return &fixed
	}
	if s.FixEntry < 0 {
		return &fixed
	}
	e := &fixed.Entries[s.FixEntry]
	e.Skips = slices.Clone(e.Skips)
	for _, i := range append([]int{s.Entry}, s.AlsoSkip...) {
		e.Skips = append(e.Skips, c.Entries[i].Name)
	}
	return &fixed
}

func checkFix(t *testing.T, g *Graph, c *catalogs.Channel, stuck ...Stuck) {
	t.Helper()
	after := New(g.Package, c)
	if _, err := after.Order(); err != nil || !slices.Equal(g.Heads(), after.Heads()) {
		t.Errorf("fixed: heads %s became %s: %v", names(g, g.Heads()), names(g, after.Heads()), err)
	}
	for _, s := range stuck {
		checkFreed(t, g, after, s)
	}
	for _, i := range after.StrandedEntries() {
		if !slices.Contains(g.StrandedEntries(), i) {
			t.Errorf("fixed: opm strands %s", g.Name(i))
		}
	}
	for _, s := range after.Stuck() {
		if !slices.ContainsFunc(g.Stuck(), func(b Stuck) bool { return b.Entry == s.Entry }) {
			t.Errorf("fixed: %s is now stuck (fixes %v)", g.Name(s.Entry), stuck)
		}
	}
	for _, i := range g.members {
		was, _ := g.Next(i)
		is, _ := after.Next(i)
		if is.To >= 0 && is.To != was.To && after.older(is.To, i) && (was.To < 0 || !g.older(was.To, i)) {
			t.Errorf("fixed: %s now leads down to %s (fixes %v)", g.Name(i), g.Name(is.To), stuck)
		}
	}
}

// checkFreed wants an entry that was stuck to be upgraded once the fix is applied.
func checkFreed(t *testing.T, g, after *Graph, s Stuck) {
	t.Helper()
	for _, u := range s.Unskip {
		if e, ok := plainEdge(after, u.From, u.To); !ok || e.Kind != Replaces || !after.Offers(u.From) {
			t.Errorf("%s is not offered once %s does not skip it", g.Name(u.From), g.Name(u.To))
		}
	}
	if s.FixEntry < 0 && len(s.Unskip) == 0 {
		checkAllOlder(t, g, s)
		return
	}
	if s.FixEntry >= 0 && !g.Offers(s.FixEntry) {
		t.Errorf("%s cannot take over: it is not offered", g.Name(s.FixEntry))
	}
	if _, ok := after.Next(s.Entry); !ok {
		t.Errorf("%s does not free %s", g.Name(s.FixEntry), g.Name(s.Entry))
	}
}

// checkAllOlder holds that the head is older than a stuck entry that nothing should skip, or that a version is not known.
func checkAllOlder(t *testing.T, g *Graph, s Stuck) {
	t.Helper()
	order, _ := g.Order()
	unknown := func(i int) bool { return g.Version(i) == nil }
	if !g.older(order[0], s.Entry) && !slices.ContainsFunc(append(g.automaticV0().sourcesByEnd()[s.Entry], s.Entry), unknown) {
		t.Errorf("%s could take over %s", g.Name(order[0]), g.Name(s.Entry))
	}
}

// sample writes a channel of up to n entries in the language of the tests. Most of them have an order.
func sample(r *rand.Rand, n int) string {
	var b strings.Builder
	n = 1 + r.IntN(n)
	for i := range n {
		fmt.Fprintf(&b, "v%d", i)
		if i > 0 && r.IntN(8) > 0 {
			fmt.Fprintf(&b, " replaces v%d", max(0, i-1-r.IntN(2)*r.IntN(3)))
		} else if r.IntN(8) == 0 {
			fmt.Fprintf(&b, " replaces v%d", r.IntN(n+1))
		}
		for r.IntN(3) == 0 {
			fmt.Fprintf(&b, " skips v%d", r.IntN(i+1+r.IntN(2)))
		}
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, " range %q", sampleRange(r, n))
		}
		for _, odd := range []string{" deprecated", " is 3.0.0-rc.1", " is 1.0.0+2", " is none", " bare"} {
			if r.IntN(20) == 0 {
				b.WriteString(odd)
			}
		}
		b.WriteString("\n")
	}
	// Most channels have one head: skip the other ones.
	if g := parseGraph(b.String()); len(g.Heads()) > 1 && r.IntN(10) > 0 {
		return b.String() + fmt.Sprintf("v%d replaces %s skips %s\n", n, g.Name(g.Heads()[r.IntN(2)]),
			names(g, g.Heads()[r.IntN(2):]))
	}
	return b.String()
}

// sampleRange writes a range around versions 0 to n.
func sampleRange(r *rand.Rand, n int) string {
	version := func() string {
		v := fmt.Sprintf("%d.%d.%d", r.IntN(n+1), r.IntN(2)*r.IntN(3), r.IntN(2)*r.IntN(3))
		switch r.IntN(12) {
		case 0:
			return v + "-rc.1"
		case 1:
			return v + "-x.1+b.1"
		case 2:
			return v + "+b"
		case 3:
			return fmt.Sprintf("%d.x", r.IntN(n+1))
		case 4:
			return fmt.Sprintf("%d.%d.x", r.IntN(n+1), r.IntN(3))
		case 5:
			return fmt.Sprintf("%d.x.x", r.IntN(n+1))
		}
		return v
	}
	operators := []string{"", "=", "==", "!", "!=", ">", ">=", "<", "<=", ">= ", " >=", "^", "! "}
	text := operators[r.IntN(len(operators))] + version()
	for r.IntN(2) == 0 {
		text += []string{" ", "  ", " || ", " ", "||", " || 1 || "}[r.IntN(6)] + operators[r.IntN(len(operators))] + version()
	}
	return text
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounds := catalogtest.Rounds(2000)
	orders, stuck, also, unskipped := 0, 0, 0, 0
	for range rounds {
		text := sample(r, 12)
		g := parseGraph(text)
		check(t, g)
		if t.Failed() {
			t.Fatalf("in\n%s", text)
		}
		if _, err := g.Order(); err == nil {
			orders++
		}
		stuck += len(g.Stuck())
		for _, s := range g.Stuck() {
			also += len(s.AlsoSkip)
			unskipped += len(s.Unskip)
		}
	}
	t.Logf("%d channels, %d with an order, %d stuck entries, %d skipped along, %d no longer skipped", rounds, orders, stuck, also, unskipped)
	if orders < rounds/4 || stuck < rounds/10 || also < rounds/100 || unskipped < rounds/100 {
		t.Error("the samples no longer try anything")
	}
}

func TestLost(t *testing.T) {
	stable := parseGraph("v1\nv2 replaces v1\nv3 replaces v2")
	fast := parseGraph("v2 range \"<1.5.0\"\nv4 replaces v2")
	if got := names(stable, stable.StuckAfterSwitch(fast)); got != "v3" {
		t.Errorf("lost on the way from stable to fast: %s", got)
	}
	if got := names(fast, fast.StuckAfterSwitch(stable)); got != "v4" {
		t.Errorf("lost on the way from fast to stable: %s", got)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		from, to := sample(r, 8), sample(r, 8)
		g, h := parseGraph(from), parseGraph(to)
		checkEqual(t, "lost from\n"+from+"to\n"+to, names(g, g.StuckAfterSwitch(h)), names(g, plainLost(g, h)))
	}
}

func plainLost(g, to *Graph) []int {
	order, err := to.Order()
	var lost []int
	for _, i := range g.members {
		version := ""
		if b := g.Channel.Entries[i].Bundle; b != nil {
			version = b.Version.Value
		}
		if _, ok := to.NextOfInstalled(g.Name(i), version); err == nil && !ok && g.Name(i) != to.Name(order[0]) {
			lost = append(lost, i)
		}
	}
	return lost
}

func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	crashes := 0
	for range catalogtest.Rounds(20_000) {
		text := sampleRange(r, 4)
		if vr, err := ParseRange(text); err == nil {
			checkSpans(t, text, vr, sampleVersions(r))
			if vr.Crashes() {
				crashes++
			}
		}
	}
	if crashes == 0 {
		t.Error("no range crashes")
	}
}

func sampleVersions(r *rand.Rand) []semver.Version {
	var versions []semver.Version
	for range r.IntN(40) {
		suffix := []string{"", "", "", "-0", "-rc.1", "-rc.2", "-x.1", "-x.2"}[r.IntN(8)]
		versions = append(versions, semver.MustParse(fmt.Sprintf("%d.%d.%d%s", r.IntN(6), r.IntN(4), r.IntN(3), suffix)))
	}
	slices.SortFunc(versions, semver.Version.Compare)
	return slices.CompactFunc(versions, semver.Version.Equals)
}

func checkSpans(t *testing.T, text string, r *Range, versions []semver.Version) {
	t.Helper()
	spans := r.spans(versions)
	for i, v := range versions {
		in := slices.ContainsFunc(spans, func(s span) bool { return s.low <= i && i < s.high })
		want, crash := plainMatch(text, v)
		if in != want || r.Contains(v) != want {
			t.Fatalf("%q contains %s: got %v, want %v", text, v, in, want)
		}
		if crash && !r.Crashes() || want && r.IsEmpty() {
			t.Fatalf("%q at %s: crashes %v, empty %v", text, v, r.Crashes(), r.IsEmpty())
		}
		if from := slices.ContainsFunc(versions[i:], r.Contains); from && !r.ContainsFrom(v) {
			t.Fatalf("%q contains nothing from %s on", text, v)
		}
	}
}

func FuzzGraph(f *testing.F) {
	for _, s := range scripts(f) {
		f.Add(s.entries)
	}
	f.Fuzz(func(t *testing.T, entries string) {
		if g := parseGraph(entries); len(g.Channel.Entries) <= 24 {
			check(t, g)
		}
	})
}

func FuzzRange(f *testing.F) {
	for _, text := range []string{">=1.0.0 <2.0.0", "1.x || !2.0.0", "1.x.x", "> 1.0.0-rc.x1", "1.0.0 || 1 || 2.0.0", "^1.x"} {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if r, err := ParseRange(text); err == nil {
			versions := sampleVersions(rand.New(rand.NewPCG(seed, 1)))
			for _, v := range slices.Concat(r.changes, r.named, []semver.Version{lowestVersion}) {
				versions = append(versions, v, nextVersion(v))
			}
			slices.SortFunc(versions, semver.Version.Compare)
			checkSpans(t, text, r, slices.CompactFunc(versions, semver.Version.Equals))
		}
	})
}
