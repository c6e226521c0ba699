package diagram

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
)

// describeGroup describes nodes and edges, sorted.
func describeGroup(g *Group) []string {
	var lines []string
	for _, n := range g.Nodes {
		lines = append(lines, fmt.Sprintf("%+v", *n))
	}
	for _, e := range g.Edges {
		lines = append(lines, fmt.Sprintf("%+v", *e))
	}
	slices.Sort(lines)
	return lines
}

// readFold returns the edges of a group as a reader of its picture finds them, by the rules of Fold alone: without the members
// of edges.
func readFold(g *Group) []string {
	var lines []string
	node := map[string]*Node{}
	add := func(from, to *Node, e *Edge) {
		lines = append(lines, fmt.Sprint(from.Name, " ", to.Name, " ", e.Kind, " ", e.Marks))
	}
	for _, n := range g.Nodes {
		node[n.ID] = n
		for i, e := range n.Inner {
			add(n.Members[i], n.Members[i+1], e)
		}
	}
	for _, e := range g.Edges {
		from, to := []*Node{node[e.From]}, []*Node{node[e.To]}
		if n := from[0]; n.Members != nil {
			if from = n.Members; n.Inner != nil && !e.Each {
				from = from[len(from)-1:]
			}
		}
		if n := to[0]; n.Members != nil {
			if to = n.Members; n.Inner != nil {
				to = to[:1]
			}
		}
		for _, f := range from {
			for _, t := range to {
				add(f, t, e)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// checkFold checks that a folded diagram tells all that the diagram tells, and returns the number of folded nodes.
func checkFold(t *testing.T, d *Diagram) int {
	t.Helper()
	folded, count := Fold(d), 0
	back := unfold(folded)
	for i := range d.Groups {
		if was, is := describeGroup(&d.Groups[i]), describeGroup(&back.Groups[i]); !slices.Equal(was, is) {
			t.Errorf("%s: was\n%s\nis\n%s", d.Title, strings.Join(was, "\n"), strings.Join(is, "\n"))
		}
		if was, is := readFold(&d.Groups[i]), readFold(&folded.Groups[i]); !slices.Equal(was, is) {
			t.Errorf("%s: edges were\n%s\nand are\n%s", d.Title, strings.Join(was, "\n"), strings.Join(is, "\n"))
		}
		count += checkParts(t, d.Title, &folded.Groups[i])
	}
	return count
}

// checkParts checks the nodes and edges of a folded group, and returns the number of folded nodes.
func checkParts(t *testing.T, title string, g *Group) int {
	t.Helper()
	count := 0
	ids := map[string]bool{}
	for _, n := range g.Nodes {
		if n.Members != nil {
			count++
		}
		for _, m := range n.Members {
			if m.Marks != n.Marks || m.Errors > 0 != (n.Errors > 0) || m.Warnings > 0 != (n.Warnings > 0) || m.Marks&(markHead|markOnPath) != 0 {
				t.Errorf("%s: %v has the member %v", title, n, m)
			}
		}
		if ids[n.ID] {
			t.Errorf("%s: node %s occurs twice", title, n.ID)
		}
		ids[n.ID] = true
	}
	for _, e := range g.Edges {
		if ids[e.id()] || !ids[e.From] || !ids[e.To] {
			t.Errorf("%s: edge %s occurs twice, or has no ends", title, e.id())
		}
		ids[e.id()] = true
	}
	return count
}

// readAnswers returns the automatic upgrade and the marks of each entry, by name, as a reader of the picture finds them.
func readAnswers(g *Group) (map[string]string, map[string]Mark) {
	next, marks := map[string]string{}, map[string]Mark{}
	for _, line := range readFold(g) {
		var from, to string
		var kind EdgeKind
		fmt.Sscan(line, &from, &to, &kind)
		if kind.isAutomatic() {
			next[from] = to
		}
	}
	for _, n := range g.Nodes {
		for _, m := range append(n.Members, n) {
			marks[m.Name] = n.Marks
		}
	}
	return next, marks
}

// checkAnswers checks that a folded diagram, read by the rules of Fold, answers as the graph does: next, reachable, heads, stuck.
func checkAnswers(t *testing.T, d *Diagram, pg *graph.PackageGraph) {
	t.Helper()
	folded := Fold(d)
	for i := range folded.Groups {
		g := pg.Graph(folded.Groups[i].Channel)
		next, marks := readAnswers(&folded.Groups[i])
		stuck := map[int]bool{}
		for _, one := range g.Stuck() {
			stuck[one.Entry] = true
		}
		_, err := g.Order()
		for _, e := range g.Entries() {
			want := ""
			if edge, ok := g.Next(e); ok && edge.To != e {
				want = g.Name(edge.To)
			}
			if next[g.Name(e)] != want {
				t.Errorf("%s: %s is upgraded to %q, want %q", d.Title, g.Name(e), next[g.Name(e)], want)
			}
			if head, one := g.Head(); err == nil && one && (marks[g.Name(e)]&markHead != 0) != (head == e) || marks[g.Name(e)]&markStuck != 0 != stuck[e] {
				t.Errorf("%s: %s has the marks %x", d.Title, g.Name(e), marks[g.Name(e)])
			}
			end, steps := g.Name(e), 0
			for next[end] != "" && steps <= len(next) {
				end, steps = next[end], steps+1
			}
			if _, last, ok := g.Hops(e); ok && g.Name(last) != end {
				t.Errorf("%s: upgrades of %s end at %s, want %s", d.Title, g.Name(e), end, g.Name(last))
			}
		}
	}
}

// randomFoldable returns a package with fans, chains and exceptions from them.
func randomFoldable(t *testing.T, r *rand.Rand) *graph.PackageGraph {
	size := 8 + r.IntN(24)
	var b strings.Builder
	b.WriteString("schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n")
	odd := 3 + r.IntN(20)
	for v := range size {
		fmt.Fprintf(&b, "- name: p.v1.%d.0\n", v)
		if v > 0 && r.IntN(odd) > 0 {
			fmt.Fprintf(&b, "  replaces: p.v1.%d.0\n", v-1)
		} else if v > 0 {
			fmt.Fprintf(&b, "  replaces: p.v1.%d.0\n", r.IntN(size))
		}
		if r.IntN(odd) == 0 || v == size-1 {
			from := r.IntN(v + 1)
			fmt.Fprintf(&b, "  skipRange: \">=1.%d.0 <1.%d.0\"\n", from, from+r.IntN(v-from+1))
		}
		if r.IntN(odd) == 0 {
			fmt.Fprintf(&b, "  skips: [p.v1.%d.0, p.v1.%d.0]\n", r.IntN(size), r.IntN(size))
		}
	}
	for v := range size {
		fmt.Fprintf(&b, "---\nschema: olm.bundle\npackage: p\nname: p.v1.%d.0\nimage: i/p:%d\nproperties:\n- {type: olm.package, value: {packageName: p, version: 1.%d.0}}\n", v, v, v)
	}
	return graph.NewPackageGraph(opentest.Text(t, b.String()).Packages[0])
}

// TestFold folds random packages, in all modes, and their changes.
func TestFold(t *testing.T) {
	folds := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 26))
		pg := randomFoldable(t, r)
		for _, mode := range []EdgeMode{Auto, modeDeclared, All} {
			o := UpgradeOptions{Mode: mode}
			folds += checkFold(t, Upgrades(pg, o))
			checkAnswers(t, Upgrades(pg, o), pg)
			checkFold(t, Diff(Upgrades(randomFoldable(t, r), o), Upgrades(pg, o)))
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if folds < 25 {
		t.Errorf("only %d folded nodes", folds)
	}
}

// TestFoldFan checks that the versions that one entry skips are one node, and that those with a mark of their own are not in it.
func TestFoldFan(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n")
	for v := range 22 {
		fmt.Fprintf(&b, "- {name: p.v1.%d.0}\n", v)
	}
	b.WriteString("- {name: p.v2.0.0, skips: [")
	for v := range 22 {
		fmt.Fprintf(&b, "p.v1.%d.0, ", v)
	}
	b.WriteString("]}\n---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.bundle, name: p.v1.7.0}, message: old}\n")
	for v := range 22 {
		fmt.Fprintf(&b, "---\nschema: olm.bundle\npackage: p\nname: p.v1.%d.0\nimage: i/p:%d\nproperties:\n- {type: olm.package, value: {packageName: p, version: 1.%d.0}}\n", v, v, v)
	}
	b.WriteString("---\nschema: olm.bundle\npackage: p\nname: p.v2.0.0\nimage: i/p\nproperties:\n- {type: olm.package, value: {packageName: p, version: 2.0.0}}\n")
	g := Fold(Upgrades(graph.NewPackageGraph(opentest.Text(t, b.String()).Packages[0]), UpgradeOptions{Mode: Auto})).Groups[0]
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name+" "+n.Version)
	}
	want := []string{"21 versions 1.0.0 to 1.21.0", "p.v1.7.0 1.7.0", "p.v2.0.0 2.0.0"}
	if !slices.Equal(names, want) || len(g.Edges) != 2 {
		t.Errorf("%q, %d edges; want %q, 2 edges", names, len(g.Edges), want)
	}
}

// TestFoldWide checks that a channel that is wider than a screen has rows of four versions folded, and a narrower one none.
func TestFoldWide(t *testing.T) {
	for versions, want := range map[int]int{10: 10, 24: 8} {
		var g Group
		for v := range versions {
			n := &Node{ID: fmt.Sprint("n", v), Name: fmt.Sprintf("p.v1.%d.0", v)}
			if v%6 == 5 {
				n.Warnings = 1
			}
			if g.Nodes = append(g.Nodes, n); v > 0 {
				g.Edges = append(g.Edges, &Edge{From: fmt.Sprint("n", v-1), To: n.ID, Kind: kindNextReplaces})
			}
		}
		g.Nodes[versions-1].Marks = markHead
		if got := Fold(&Diagram{Groups: []Group{g}}).Groups[0]; len(got.Nodes) != want || len(g.Nodes) != versions {
			t.Errorf("%d versions are drawn as %d nodes, want %d", versions, len(got.Nodes), want)
		}
	}
}

// TestFoldCost checks that the work grows neither with the cube of entries each of which skips all older ones, nor with the square of those that skip the
// same one alone.
func TestFoldCost(t *testing.T) {
	const entries = 100
	var g Group
	for to := range entries * entries / 10 {
		g.Nodes = append(g.Nodes, &Node{ID: fmt.Sprint("s", to)})
		g.Edges = append(g.Edges, &Edge{From: "n0", To: fmt.Sprint("s", to), Kind: kindSkips})
	}
	for to := range entries {
		g.Nodes = append(g.Nodes, &Node{ID: fmt.Sprint("n", to), Name: fmt.Sprint("p.v", to)})
		for from := range to {
			g.Edges = append(g.Edges, &Edge{From: fmt.Sprint("n", from), To: fmt.Sprint("n", to), Kind: kindSkips})
		}
	}
	allocations := testing.AllocsPerRun(1, func() {
		if got := Fold(&Diagram{Groups: []Group{g}}).Groups[0]; len(got.Nodes) != entries+1 {
			t.Errorf("%d nodes", len(got.Nodes))
		}
	})
	if allocations > 30*entries*entries {
		t.Errorf("%.0f allocations", allocations)
	}
}

// TestColumns checks that small channels are put beside each other.
func TestColumns(t *testing.T) {
	for groups, want := range map[int]int{1: 1, 8: 3, 12: 4} {
		if got, _ := columnsFor(slices.Repeat([]Group{{Nodes: []*Node{{ID: "n", Name: "p.v1.0.0"}}}}, groups)); got != want {
			t.Errorf("%d channels are drawn in %d columns, want %d", groups, got, want)
		}
	}
}

// TestFoldReal folds every package of the real catalogs.
func TestFoldReal(t *testing.T) {
	for _, ref := range catalogtest.Match(t, "fbc/community-v4.??") {
		cats := opentest.Open(t, ref)
		nodes, folded := 0, 0
		for _, p := range cats[0].Packages {
			for _, mode := range []EdgeMode{Auto, All} {
				d := Upgrades(graph.NewPackageGraph(p), UpgradeOptions{Mode: mode})
				checkFold(t, d)
				for i, g := range Fold(d).Groups {
					nodes, folded = nodes+len(d.Groups[i].Nodes), folded+len(g.Nodes)
				}
			}
		}
		t.Logf("%s: %d nodes of %d", ref, folded, nodes)
	}
}

// TestSmallMermaid checks that a diagram of any size has one that GitHub draws.
func TestSmallMermaid(t *testing.T) {
	for _, size := range [][2]int{{1, 900}, {40, 40}, {2000, 2}} {
		d := &Diagram{Kind: upgradeKind()}
		for c := range size[0] {
			g := Group{ID: fmt.Sprintf("c%d", c), Channel: fmt.Sprintf("channel-%d", c), Title: fmt.Sprintf("channel channel-%d", c)}
			for i := range size[1] {
				g.Nodes = append(g.Nodes, &Node{ID: fmt.Sprintf("e%d-%d", c, i), Name: fmt.Sprintf("p.v1.%d.0", i), Version: fmt.Sprintf("1.%d.0", i)})
				if i > 0 {
					g.Edges = append(g.Edges, &Edge{From: g.Nodes[i-1].ID, To: g.Nodes[i].ID})
				}
			}
			d.Groups = append(d.Groups, g)
		}
		chart, note := SmallMermaid(d)
		if !FitsGitHub(chart) || !strings.Contains(chart, note) || !strings.Contains(chart, fmt.Sprintf("1.%d.0", size[1]-1)) {
			t.Errorf("%v: %d characters, %q", size, len(chart), note)
		}
	}
}

// unfold returns a diagram of Fold with all nodes and edges; their order may differ from the one that was folded.
func unfold(d *Diagram) *Diagram {
	out := *d
	out.Groups = slices.Clone(d.Groups)
	for i := range out.Groups {
		g := &out.Groups[i]
		nodes, edges := g.Nodes, g.Edges
		g.Nodes, g.Edges = nil, nil
		for _, n := range nodes {
			if n.Members == nil {
				n = &Node{Members: []*Node{n}}
			}
			g.Nodes, g.Edges = append(g.Nodes, n.Members...), append(g.Edges, n.Inner...)
		}
		for _, e := range edges {
			if e.Members == nil {
				e = &Edge{Members: []*Edge{e}}
			}
			g.Edges = append(g.Edges, e.Members...)
		}
	}
	return &out
}
