package page

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/rendertest"
)

// draw draws a package as simply as a page can use it: a row of boxes for each channel.
func draw(a *graph.PackageGraph) []byte {
	const width, height = 150, 90
	var b bytes.Buffer
	columns := 1
	for _, g := range a.Graphs {
		columns = max(columns, len(g.Entries()))
	}
	fmt.Fprintf(&b, `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" class="olmgraph" role="img" viewBox="0 0 %d %d">`,
		columns*width+20, len(a.Graphs)*height+20)
	b.WriteString(`<style media="all">.olmgraph{--box:#fff;--ink:#222;--line:#777}@media (prefers-color-scheme:dark){.olmgraph{--box:#20262d;--ink:#e8e8e8;--line:#999}}` +
		`.olmgraph rect{fill:var(--box);stroke:var(--line)}.olmgraph text{fill:var(--ink);font:12px sans-serif}` +
		`.olmgraph .edge path{fill:none;stroke:var(--line)}.olmgraph .cluster rect{fill:none}</style>`)
	for c, g := range a.Graphs {
		sketchChannel(&b, c, g, width, height)
	}
	b.WriteString("</svg>")
	return b.Bytes()
}

func sketchChannel(b *bytes.Buffer, c int, g *graph.Graph, width, height int) {
	column := map[int]int{}
	sorted := g.ByVersion()
	fmt.Fprintf(b, `<g class="cluster" id="c%d"><title>%s</title><rect x="4" y="%d" width="%d" height="%d"/></g>`,
		c, xmlText(g.Channel.Name.Value), 10+c*height, len(sorted)*width+8, height-8)
	for at, i := range sorted {
		column[i] = len(sorted) - 1 - at
	}
	y := 10 + c*height + 30
	for _, row := range g.Rows() {
		next, hasNext := g.Next(row.Entry)
		for _, e := range g.Edges(row.Entry) {
			class := e.Kind.String()
			if hasNext && next.To == e.To {
				class = "next " + class
			}
			sketchEdge(b, c, e, class, column, width, y)
		}
		if hasNext && next.Kind == graph.SkipRange {
			sketchEdge(b, c, next, "next range", column, width, y)
		}
	}
	for _, row := range g.Rows() {
		class, x := "node", column[row.Entry]*width+14
		for name, holds := range map[string]bool{" head": row.Head, " stuck": row.Stuck} {
			if holds {
				class += name
			}
		}
		name := xmlText(g.Name(row.Entry))
		fmt.Fprintf(b, `<g class="%s" id="e%d-%d" tabindex="-1" aria-label="%s"><title>%s</title><rect x="%d" y="%d" width="120" height="36" rx="4"/>`+
			`<text x="%d" y="%d">%s</text></g>`, class, c, row.Entry, name, name, x, y-12, x+6, y+10, name[max(0, len(name)-16):])
	}
}

func sketchEdge(b *bytes.Buffer, c int, e graph.Edge, class string, column map[int]int, width, y int) {
	from, to := column[e.From]*width+134, column[e.To]*width+14
	fmt.Fprintf(b, `<g class="edge %s" data-from="e%d-%d" data-to="e%d-%d"><path d="M%d %dL%d %d"/></g>`,
		class, c, e.From, c, e.To, from, y+6, to, y+6)
}

func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// newPage makes a page of a catalog with sketches.
func newPage(t testing.TB, ref string) *Page {
	t.Helper()
	cats := opentest.Open(t, ref)
	var judgements sync.Map
	linted := func(c *catalogs.Catalog, p *catalogs.Package, known *judge.Package) {
		judgements.Store(p, NewJudgement(c, p, known))
	}
	findings, err := lint.Run(context.Background(), cats, lint.Options{Rules: rules.All(), Linted: linted})
	if err != nil {
		t.Fatal(err)
	}
	p := &Page{Title: filepath.Base(ref), Catalog: cats[0], Findings: findings, Dependencies: rendertest.DependencyIndex(t, ref),
		Roots: []string{ref}, Command: Command{Catalog: "the catalog"}}
	for _, pkg := range cats[0].Packages {
		packageGraph := graph.NewPackageGraph(pkg)
		checked, _ := judgements.Load(pkg)
		p.Packages = append(p.Packages, Package{PackageGraph: packageGraph, Judgement: checked.(*Judgement), SVG: draw(packageGraph)})
	}
	return p
}

// pageFile writes a page of a catalog to a file.
func pageFile(t testing.TB, p *Page) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	var out bytes.Buffer
	if err := HTML(&out, p); err != nil {
		t.Fatal(err)
	}
	catalogtest.Write(t, name, out.String())
	return name
}

// TestRealPages writes a page of each real catalog, and of each package.
func TestRealPages(t *testing.T) {
	refs := catalogtest.Match(t, "fbc/community-v4.*")
	for _, ref := range rendertest.Fewer(refs) {
		if filepath.Ext(ref) == ".json" {
			continue // the same once more
		}
		whole := newPage(t, ref)
		var pictures int
		for i := range whole.Packages {
			pictures += len(whole.Packages[i].SVG)
			alone := *whole
			alone.Packages = whole.Packages[i : i+1]
			checkPage(t, &alone)
		}
		size, data := checkPage(t, whole)
		if size > 5_000_000 {
			t.Errorf("%s: %d bytes", ref, size)
		}
		t.Logf("%s: %d packages, %d bytes, data %d, pictures %d", ref, len(whole.Packages), size, data, pictures)
	}
}

// checkPage checks that the data of a page can be parsed, and returns the sizes of page and data.
func checkPage(t *testing.T, p *Page) (size, data int) {
	t.Helper()
	var out bytes.Buffer
	if err := HTML(&out, p); err != nil {
		t.Fatal(err)
	}
	_, rest, found := bytes.Cut(out.Bytes(), []byte(`<script type="application/json" id="data">`))
	text, _, ended := bytes.Cut(rest, []byte("</script>"))
	var read pageData
	if err := json.Unmarshal(text, &read); err != nil || !found || !ended || len(read.Packages) != len(p.Packages) {
		t.Errorf("the data of %s cannot be read: %v", p.Packages[0].PackageGraph.Package.Name.Value, err)
	}
	return out.Len(), len(text)
}

// TestPageScript checks that nothing in the script ends its element, and that pages are deterministic.
func TestPageScript(t *testing.T) {
	script, err := joinScripts(pageScripts())
	if err != nil || strings.Contains(script, "</script") || strings.Contains(script, "<!--") {
		t.Errorf("%v: the script is cut off in HTML", err)
	}
	var first, second bytes.Buffer
	page := newPage(t, "../../testdata/catalogs/harbour")
	if err := errors.Join(HTML(&first, page), HTML(&second, page)); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("%v, or two pages of one catalog differ", err)
	}
}

// TestJudgements: a page is the same whether its packages were checked after they were linted, or are when it is written.
func TestJudgements(t *testing.T) {
	check := func(ref string) {
		var linted, alone bytes.Buffer
		page := newPage(t, ref)
		if err := HTML(&linted, page); err != nil {
			t.Fatal(err)
		}
		for i := range page.Packages {
			page.Packages[i].Judgement = nil
		}
		if err := HTML(&alone, page); err != nil || !bytes.Equal(linted.Bytes(), alone.Bytes()) {
			t.Errorf("%s: %v, or the pages differ", ref, err)
		}
	}
	check("../../testdata/catalogs/marina")
	for _, ref := range catalogtest.Match(t, "fbc/community-v4.14") {
		check(ref)
	}
}

// TestCheckSize refuses a page of too many entries, or of too many packages.
func TestCheckSize(t *testing.T) {
	large := &catalogs.Package{Channels: []*catalogs.Channel{{Entries: make([]catalogs.Entry, maxShown/2)}}}
	if err := CheckSize(large, nil); err != nil {
		t.Error(err)
	}
	for _, all := range [][]*catalogs.Package{{large, large}, slices.Repeat([]*catalogs.Package{new(catalogs.Package)}, maxShown/perPackage+1)} {
		if err := CheckSize(all...); err == nil {
			t.Errorf("a page of %d packages", len(all))
		}
	}
}

// sketch draws a diagram without edges, with its IDs and classes.
func sketch(d *diagram.Diagram) []byte {
	var b bytes.Buffer
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 400">`)
	for row, g := range d.Groups {
		fmt.Fprintf(&b, `<g class="cluster" id="%s"></g>`, g.ID)
		for column, n := range g.Nodes {
			class := "node"
			for name, marks := range map[string]diagram.Mark{" added": diagram.MarkAdded, " removed": diagram.MarkRemoved, " stuck": diagram.MarkStranded} {
				if n.Marks&marks != 0 {
					class += name
				}
			}
			var members []string
			for _, m := range n.Members {
				members = append(members, m.ID)
			}
			fmt.Fprintf(&b, `<g class="%s" id="%s" data-members="%s"><rect x="%d" y="%d" width="90" height="30"/></g>`, class, n.ID, strings.Join(members, " "), 10+column*130, 10+row*90)
		}
	}
	b.WriteString("</svg>")
	return b.Bytes()
}
