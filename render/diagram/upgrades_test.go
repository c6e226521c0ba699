package diagram

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/gonum/graph/formats/dot"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
	"github.com/olmgraph/olmgraph/render/rendertest"
)

func TestMain(m *testing.M) {
	if graphviz.IsChild() {
		os.Exit(graphviz.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestRealPictures draws every package of the real catalogs.
func TestRealPictures(t *testing.T) {
	refs := catalogtest.Match(t, "fbc/community-v4.??")
	pool := graphviz.NewPool()
	for _, ref := range rendertest.Fewer(refs) {
		modes := []EdgeMode{Auto}
		if strings.HasSuffix(ref, "v4.20") {
			modes = []EdgeMode{Auto, modeDeclared, All}
		}
		cats := opentest.Open(t, ref)
		findings, err := lint.Run(context.Background(), cats, lint.Options{Rules: rules.All()})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		free := make(chan struct{}, runtime.GOMAXPROCS(0))
		for i, p := range cats[0].Packages {
			if rendertest.UnderRace && i%8 != 0 {
				continue // Graphviz is some thirty times slower then, and draws the same
			}
			for _, mode := range modes {
				wg.Go(func() {
					free <- struct{}{}
					defer func() { <-free }()
					d := Upgrades(graph.NewPackageGraph(p), UpgradeOptions{Mode: mode, Findings: findings})
					checkDiagram(t, pool, d)
					if mode == Auto {
						folded := Fold(d)
						checkLegible(t, folded, drawPicture(t, pool, folded))
					}
				})
			}
		}
		wg.Wait()
		t.Logf("%s: %d packages", filepath.Base(ref), len(cats[0].Packages))
	}
}

// checkDiagram draws a diagram twice, and writes it as Mermaid.
func checkDiagram(t *testing.T, pool *graphviz.Pool, d *Diagram) {
	var pictures [2][]byte
	for i := range pictures {
		pictures[i] = drawPicture(t, pool, d)
	}
	if !bytes.Equal(pictures[0], pictures[1]) {
		t.Errorf("%s: another picture each time", d.Title)
	}
	checkSVG(t, d, pictures[0])
	checkLegible(t, d, pictures[0])
	if chart, _ := SmallMermaid(d); len(chart) >= 50_000 {
		t.Errorf("%s: a diagram of %d characters", d.Title, len(chart))
	}
}

func drawPicture(t *testing.T, pool *graphviz.Pool, d *Diagram) []byte {
	var text, picture bytes.Buffer
	if err := DOT(&text, d); err != nil {
		t.Error(err)
	}
	laidOut, err := pool.Draw(context.Background(), text.Bytes(), graphviz.SVG, 0)
	if err != nil {
		t.Errorf("%s: %v", d.Title, err)
		return nil
	}
	if err := SVG(&picture, d, laidOut); err != nil {
		t.Errorf("%s: %v", d.Title, err)
	}
	return picture.Bytes()
}

// harmlessElements are the elements that a picture may contain.
var harmlessElements = []string{"svg", "title", "desc", "style", "g", "polygon", "polyline", "path", "ellipse", "text"}

// checkSVG checks that a picture is well-formed XML of harmless elements, with every node and edge once.
func checkSVG(t *testing.T, d *Diagram, picture []byte) {
	met := countParts(t, d.Title, picture)
	for _, g := range d.Groups {
		for i := range g.Nodes {
			if met[g.Nodes[i].ID] != 1 {
				t.Errorf("%s: node %s occurs %d times", d.Title, g.Nodes[i].ID, met[g.Nodes[i].ID])
			}
		}
		for i := range g.Edges {
			if id := g.Edges[i].id(); met[id] != 1 {
				t.Errorf("%s: arrow %s occurs %d times", d.Title, id, met[id])
			}
		}
	}
}

// countParts checks that a picture is well-formed XML of harmless elements, and returns the number of occurrences of each ID.
func countParts(t *testing.T, title string, picture []byte) map[string]int {
	met := map[string]int{}
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return met
		}
		if err != nil {
			t.Errorf("%s: %v", title, err)
			return met
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains(harmlessElements, e.Name.Local) {
			t.Errorf("%s: an element %s", title, e.Name.Local)
		}
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || strings.HasSuffix(a.Name.Local, "href") {
				t.Errorf("%s: an attribute %s", title, a.Name.Local)
			}
			if a.Name.Local == "id" {
				met[a.Value]++
			}
		}
	}
}

// untrustedDiagram returns a diagram with hostile names.
func untrustedDiagram(a, b, message string) *Diagram {
	d := Upgrades(rendertest.UntrustedPackage(a, b, message), UpgradeOptions{Mode: Auto, Catalog: message})
	d.Groups[0].Note = message
	d.Notes = append(d.Notes, message)
	return d
}

// TestUntrusted draws hostile names.
func TestUntrusted(t *testing.T) {
	for _, name := range []string{
		`</title><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `"]; x -> y [label="`, `&lt;b&gt;`, "\x1b[31m\u202e",
		`</B></FONT>><BR/>`, `\N\G\E`, "日本語のとても長い名前", strings.Repeat("long", 100),
	} {
		d := untrustedDiagram(name, "b"+name, name)
		picture := drawPicture(t, graphviz.NewPool(), d)
		checkSVG(t, d, picture)
		if !bytes.Contains(picture, []byte("<title>")) || bytes.Contains(picture, []byte("<script")) {
			t.Errorf("%q: %s", name, picture)
		}
	}
}

var mermaidGraphLine = regexp.MustCompile(`^(%% .*|flowchart LR|  subgraph c0\["[^"<>]*"\]|   c0note\["[^"<>]*"\]:::note|    direction LR|  end|` +
	`   e0_[01](\("[^"<>]*(<br/>[^"<>]*)*"\)|\{\{"[^"<>]*(<br/>[^"<>]*)*"\}\})(:::\w+)?|    e0_0 .* e0_1|  classDef .*)$`)

// FuzzUpgrades writes arbitrary names as DOT and Mermaid: all must remain text.
func FuzzUpgrades(f *testing.F) {
	f.Add("a", "b", "2.0.0")
	f.Add("<B>", "&amp;", ">=1.0.0 <2.0.0")
	f.Add("\\N", "]]>", "a\nb")
	f.Fuzz(func(t *testing.T, a, b, message string) {
		if a == b || !utf8.ValidString(a+"|"+b+"|"+message) {
			return
		}
		d := untrustedDiagram(a, b, message)
		var text bytes.Buffer
		if err := DOT(&text, d); err != nil {
			t.Fatal(err)
		}
		if _, err := dot.ParseString(strings.ReplaceAll(text.String(), "\uFFFD", "?")); err != nil {
			t.Fatalf("no DOT: %v\n%s", err, text.String())
		}
		for line := range strings.Lines(Mermaid(d)) {
			if line = strings.TrimSuffix(line, "\n"); !mermaidGraphLine.MatchString(line) {
				t.Fatalf("no Mermaid: %q", line)
			}
		}
	})
}

func TestCompareNatural(t *testing.T) {
	sorted := []string{"", "alpha", "stable-3.6", "stable-3.9", "stable-3.10", "stable-3.10.1", "stable-03.11", "stable-x"}
	for i := range sorted {
		for j := range sorted {
			if got := compareNatural(sorted[i], sorted[j]); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%q and %q: %d", sorted[i], sorted[j], got)
			}
		}
	}
}

// TestReductions checks that each reduction draws less, and that the last one is small for every package.
func TestReductions(t *testing.T) {
	all := Reductions(UpgradeOptions{Mode: All})
	if len(all) != 5 || !all[4].Last || all[4].Options.Mode != Auto || all[4].Options.Newest != 20 || all[0].Note != "" {
		t.Errorf("%+v", all)
	}
	cats := opentest.Open(t, filepath.Join("..", "..", "testdata", "catalogs", "large"))
	before := 1 << 20
	for _, r := range all {
		d := Upgrades(graph.NewPackageGraph(cats[0].Packages[0]), r.Options)
		parts := len(d.Groups[0].Nodes) + len(d.Groups[0].Edges)
		if parts > before || r.Last && d.TooLarge() != nil {
			t.Errorf("%d parts after %d", parts, before)
		}
		before = parts
	}
}

// TestLongEdges draws nodes each of which has an edge to the next one, and many an edge to the last one, unless there are too many.
func TestLongEdges(t *testing.T) {
	for most, drawn := range map[int]bool{20: true, 70: true, 85: false, 600: false} {
		for _, groups := range []int{0, 1, 15} {
			d := &Diagram{}
			for i := range most {
				d.Edges = append(d.Edges, &Edge{From: fmt.Sprint(i), To: fmt.Sprint(i + 1)}, &Edge{From: fmt.Sprint(i), To: fmt.Sprint(most)})
			}
			if groups > 0 {
				d.Groups, d.Edges = slices.Repeat([]Group{{Edges: d.Edges}}, groups), nil
			}
			if got := d.TooLarge() == nil; got != (drawn && (groups < 15 || most == 20)) {
				t.Errorf("%d groups of %d: %v", groups, most, d.TooLarge())
			}
		}
	}
	turning := &Diagram{Edges: []*Edge{{From: "a", To: "b"}, {From: "b", To: "c"}, {From: "c", To: "a"}}}
	if err := turning.TooLarge(); err != nil {
		t.Error(err)
	}
}

// legendEdge is the path of an edge of the legend in a picture of Graphviz.
var legendEdge = regexp.MustCompile(`class="legend">\s*<title>[^<]*</title>\s*<path fill="none"[^>]* d="M([^"]*)"`)

// TestLegendIsStraight: the samples of edges are level in each picture of the catalogs of tests, and all can be read.
func TestLegendIsStraight(t *testing.T) {
	pool, samples := graphviz.NewPool(), 0
	for _, name := range []string{"harbour", "large", "stuck"} {
		cats := opentest.Open(t, "../../testdata/catalogs/"+name)
		for _, p := range cats[0].Packages {
			d := Fold(Upgrades(graph.NewPackageGraph(p), UpgradeOptions{}))
			picture := drawPicture(t, pool, d)
			checkLegible(t, d, picture)
			for _, path := range legendEdge.FindAllSubmatch(picture, -1) {
				points := strings.FieldsFunc(string(path[1]), func(r rune) bool { return r == ' ' || r == 'C' })
				_, height, _ := strings.Cut(points[0], ",")
				if samples++; slices.ContainsFunc(points, func(p string) bool { return !strings.HasSuffix(p, ","+height) }) {
					t.Errorf("%s: an edge of the legend is not level: %s", p.Name.Value, path[1])
				}
			}
		}
	}
	if samples < 10 {
		t.Errorf("%d edges in legends", samples)
	}
}
