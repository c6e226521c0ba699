package diagram

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/gonum/graph/formats/dot"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
	"github.com/olmgraph/olmgraph/render/rendertest"
)

func dependencyPicture(t testing.TB, pool *graphviz.Pool, drawing *Diagram) []byte {
	t.Helper()
	var text, picture bytes.Buffer
	if err := DOT(&text, drawing); err != nil {
		t.Fatal(err)
	}
	laidOut, err := pool.Draw(context.Background(), text.Bytes(), graphviz.SVG, graphviz.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", drawing.Title, err, text.String())
	}
	if err := SVG(&picture, drawing, laidOut); err != nil {
		t.Fatalf("%s: %v", drawing.Title, err)
	}
	checkLegible(t, drawing, picture.Bytes())
	return picture.Bytes()
}

// checkDependencies draws a diagram twice, and checks that every node and edge occurs once.
func checkDependencies(t *testing.T, pool *graphviz.Pool, drawing *Diagram) []byte {
	t.Helper()
	picture := dependencyPicture(t, pool, drawing)
	if !bytes.Equal(picture, dependencyPicture(t, pool, drawing)) {
		t.Errorf("%s: another picture each time", drawing.Title)
	}
	met := partsOf(t, drawing.Title, picture)
	for _, n := range drawing.Nodes {
		if met[n.ID] != 1 {
			t.Errorf("%s: node %s occurs %d times", drawing.Title, n.ID, met[n.ID])
		}
	}
	for _, e := range drawing.Edges {
		if met[e.id()] != 1 {
			t.Errorf("%s: edge %s occurs %d times", drawing.Title, e.id(), met[e.id()])
		}
	}
	return picture
}

// TestRealDependencies draws the dependencies in the real catalogs. Every node must have an edge.
func TestRealDependencies(t *testing.T) {
	refs := catalogtest.Match(t, "fbc/community-v4.??")
	for _, ref := range rendertest.Fewer(refs) {
		drawing := Dependencies(rendertest.DependencyIndex(t, ref), filepath.Base(ref), nil)
		checkDependencies(t, graphviz.NewPool(), drawing)
		for _, n := range drawing.Nodes {
			if !slices.ContainsFunc(drawing.Edges, func(e *Edge) bool { return e.From == n.ID || e.To == n.ID }) {
				t.Errorf("%s: %s has no edge", ref, n.Name)
			}
		}
		t.Logf("%s: %d nodes, %d edges", filepath.Base(ref), len(drawing.Nodes), len(drawing.Edges))
	}
}

// untrustedDependencies has all kinds of nodes and edges, with hostile names.
func untrustedDependencies(a, b string) *Diagram {
	s := newBuilder(dependencyKind(), "n")
	s.Title, s.Notes = a, []string{b, a + " " + b}
	from := s.node("first", a)
	for at := range 12 {
		m := New << at
		n := s.node(fmt.Sprint(at), b)
		n.mark(m, a)
		s.addEdge(from, n, m, a+b, b)
		s.addEdge(n, s.missing(a, b), 0, "", a)
	}
	return s.Diagram
}

// TestUntrustedDependencies draws hostile names.
func TestUntrustedDependencies(t *testing.T) {
	pool := graphviz.NewPool()
	for _, name := range rendertest.Fewer([]string{
		`</title><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `"]; x -> y [label="`, `&lt;b&gt;`, "\x1b[31m\u202e",
		`</B></FONT>><BR/>`, `</TD></TR></TABLE>>`, `\N\G\E`, "日本語のとても長い名前", strings.Repeat("long", 100), "",
	}) {
		picture := checkDependencies(t, pool, untrustedDependencies(name, "b"+name))
		if bytes.Contains(picture, []byte("<script")) || bytes.Contains(picture, []byte("\u202e")) {
			t.Errorf("%q: %s", name, picture)
		}
	}
}

var mermaidWebLine = regexp.MustCompile(`^(%% .*|flowchart LR|` +
	`   n\d+(\("[^"<>]*(<br/>[^"<>]*)*"\)|\{\{"[^"<>]*(<br/>[^"<>]*)*"\}\}|\(\["[^"<>]*(<br/>[^"<>]*)*"\]\))(:::\w+)?|` +
	`    n\d+ (===|==>|-\.->|-->)(\|"[^"<>|]*(<br/>[^"<>|]*)*"\|)? n\d+|  classDef .*)$`)

// FuzzDependencies writes arbitrary names as DOT and Mermaid: all must remain text.
func FuzzDependencies(f *testing.F) {
	f.Add("a", "b")
	f.Add("<B>", "&amp;")
	f.Add("\\N", "]]>|\n")
	f.Add("", "\u00a0")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a + "|" + b) {
			return
		}
		drawing := untrustedDependencies(a, b)
		var text bytes.Buffer
		if err := DOT(&text, drawing); err != nil {
			t.Fatal(err)
		}
		if _, err := dot.ParseString(strings.ReplaceAll(text.String(), "\uFFFD", "?")); err != nil {
			t.Fatalf("no DOT: %v\n%s", err, text.String())
		}
		for line := range strings.Lines(Mermaid(drawing)) {
			if line = strings.TrimSuffix(line, "\n"); !mermaidWebLine.MatchString(line) {
				t.Fatalf("no Mermaid: %q", line)
			}
		}
	})
}

func TestBroken(t *testing.T) {
	for text, want := range map[string][]string{
		"":                       {""},
		"short":                  {"short"},
		"ten letter s here":      {"ten letter", "\u00a0\u00a0\u00a0s here"},
		"onewordthatistoolong x": {"onewordthatistoolong", "\u00a0\u00a0\u00a0x"},
	} {
		if got := wrapText(text, 10); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestDependenciesTooLarge checks that a diagram that Graphviz would not finish is rejected, and a merely large one is not.
func TestDependenciesTooLarge(t *testing.T) {
	s := newBuilder(dependencyKind(), "n")
	for i := range 60 {
		for j := range 30 {
			if s.addEdge(s.node(fmt.Sprint("a", i), "a"), s.node(fmt.Sprint("b", j), "b"), 0, "", ""); (s.TooLarge() != nil) != (len(s.Edges) > 1500) {
				t.Fatalf("%d edges: %v", len(s.Edges), s.TooLarge())
			}
		}
	}
}

// TestNamespaceDiagramOrigins follows operators over several steps: a new one that is upgraded later is new, and one that ends
// as it began is neither new nor upgraded.
func TestNamespaceDiagramOrigins(t *testing.T) {
	install := func(name, replaces string) resolve.Install {
		return resolve.Install{Operator: resolve.Operator{Name: name}, Replaces: replaces}
	}
	step := func(all ...resolve.Install) *resolve.Resolution { return &resolve.Resolution{Installs: all} }
	w := &namespaceBuilder{ResolveReport: &resolve.ResolveReport{Before: resolve.Namespace{Installed: []resolve.InstalledOperator{{Name: "a1"}, {Name: "b1"}, {Name: "c1"}}},
		Trace: &resolve.Trace{Steps: []*resolve.Resolution{
			step(install("a2", "a1"), install("d1", ""), install("b2", "b1")), step(install("a3", "a2"), install("d2", "d1"), install("b1", "b2"))}}}}
	want := map[string]string{"a3": "a1", "b1": "b1", "c1": "c1", "d2": ""}
	if got := w.origins(); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// TestNamespaceDiagramTitle checks the title for each end of a trace.
func TestNamespaceDiagramTitle(t *testing.T) {
	steps := []*resolve.Resolution{{}, {}}
	for want, o := range map[string]*resolve.ResolveReport{
		"no upgrades":                                      {Trace: &resolve.Trace{}},
		"no more upgrades after 2 steps":                   {Trace: &resolve.Trace{Steps: steps}},
		"more than 2 steps":                                {Trace: &resolve.Trace{Steps: steps, End: resolve.Limit}},
		"the same steps repeat endlessly":                  {Trace: &resolve.Trace{Steps: steps, End: resolve.Loop}},
		"after 1 step OLM can no longer resolve it":        {Trace: &resolve.Trace{Steps: steps, End: resolve.Unresolvable}},
		"OLM cannot resolve it, and changes nothing in it": {Trace: &resolve.Trace{Steps: steps[:1], End: resolve.Unresolvable}},
		"OLM does not resolve it, and changes nothing in it": {Trace: &resolve.Trace{End: resolve.Unresolvable, Steps: []*resolve.Resolution{
			{Faults: []resolve.Fault{{Kind: resolve.InvalidGroups, Groups: &resolve.OperatorGroups{}}}}}}},
	} {
		if got := Namespace(o).Title; got != `namespace "": `+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
