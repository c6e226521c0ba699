package page

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/graph"
)

// TestPagePaths compares the paths on the page between any two entries of every channel with those of graph.Ask.
func TestPagePaths(t *testing.T) {
	browser := newBrowser(t)
	for _, ref := range []string{"../../testdata/catalogs/harbour", "../../testdata/catalogs/stuck", tangle(t)} {
		page := pageOf(t, ref)
		page.Roots = nil // so that positions are those of the catalog
		p := newTab(t, browser, pageFile(t, page), "")
		for _, shown := range page.Packages {
			p.hash("p=" + shown.PackageGraph.Package.Name.Value)
			for _, g := range shown.PackageGraph.Graphs {
				comparePaths(p, shown.PackageGraph, g)
			}
		}
	}
}

// pageStep is an upgrade in an answer of the page.
type pageStep struct {
	From, To, Kind, Value, File string
	Line                        int
	Automatic                   bool
}

func comparePaths(p *tab, a *graph.PackageGraph, g *graph.Graph) {
	var names []string
	for _, i := range g.Entries() {
		names = append(names, g.Name(i))
	}
	froms := slices.Clone(names)
	for _, row := range a.RemovedRows(graph.Question{Channel: g}) {
		froms = append(froms, row.Name)
	}
	list, _ := json.Marshal(names)
	fromList, _ := json.Marshal(froms)
	answers := get[map[string]*[]pageStep](p, fmt.Sprintf(`(() => {
		const names = %s, froms = %s, answers = {};
		for (const olm of ["v0", "v1"]) for (const from of froms) for (const to of names)
			answers[olm + " " + from + " " + to] = olmgraph.path(%s, from, to, olm) ?? null;
		return answers;
	})()`, list, fromList, quote(g.Channel.Name.Value)))
	if want := 2 * len(froms) * len(names); len(answers) != want {
		p.t.Errorf("%d answers, not %d", len(answers), want)
	}
	for _, asked := range []graph.Question{{Channel: g}, {Extension: a.Extension(false, g)}} {
		for _, from := range froms {
			for _, to := range names {
				asked.From, asked.To, asked.Limit = from, to, 1
				answer := a.WithRemoved(graph.BundleNamed(from)).Ask(asked)
				question := asked.OLM().String() + " " + from + " " + to
				if diff := cmp.Diff(askedSteps(answer), answers[question]); diff != "" {
					p.t.Errorf("%s in %s: %s", question, g.Channel.Name.Value, diff)
				}
			}
		}
	}
}

// askedSteps returns the only path of an answer, or nil.
func askedSteps(answer *graph.Answer) *[]pageStep {
	if len(answer.Paths) == 0 {
		return nil
	}
	steps := []pageStep{}
	for _, s := range answer.Paths[0] {
		where := s.Edge.Where
		steps = append(steps, pageStep{From: s.From, To: s.To, Kind: s.Edge.Kind.String(), Value: where.Value, File: where.Pos.File,
			Line: where.Pos.Line, Automatic: s.Automatic})
	}
	return &steps
}

// tangle writes a catalog of a package whose channels have edges at random, skipRanges among them, the same ones each time.
func tangle(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	versions := []string{"1.0.0", "1.1.0", "1.1.0+2", "1.2.0", "2", "2.0.0", "2.1.0-rc.1", "2.0.0", "2.1.0"}
	name := func(i int) string { return fmt.Sprintf("t.v%d", i) }
	var b strings.Builder
	b.WriteString("schema: olm.package\nname: t\ndefaultChannel: c0\n")
	for c := range 12 {
		fmt.Fprintf(&b, "---\nschema: olm.channel\npackage: t\nname: c%d\nentries:\n", c)
		for i := range versions {
			fmt.Fprintf(&b, "- name: %s\n", name(i))
			if i > 0 {
				fmt.Fprintf(&b, "  replaces: %s\n", name(max(0, i-1-random.IntN(2))))
			}
			if random.IntN(3) == 0 {
				fmt.Fprintf(&b, "  skips: [%s, %s, t.v1.%d.5]\n", name(random.IntN(len(versions))), name(random.IntN(len(versions))), random.IntN(3))
			}
			if random.IntN(3) == 0 {
				fmt.Fprintf(&b, "  skipRange: '>=1.%d.0 <2.%d.0'\n", random.IntN(3), random.IntN(2))
			}
		}
	}
	for i, v := range versions {
		fmt.Fprintf(&b, "---\nschema: olm.bundle\npackage: t\nname: %s\nimage: i\nproperties:\n"+
			"- {type: olm.package, value: {packageName: t, version: '%s'}}\n", name(i), v)
		if v == "1.2.0" {
			b.WriteString("- {type: olm.gvk.required, value: {group: g, version: v1, kind: K}}\n")
		}
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "catalog.yaml"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}
