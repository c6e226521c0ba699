package judge_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// TestRealRefused compares what is said to fail on the automatic paths of real catalogs with what an API server refuses there.
func TestRealRefused(t *testing.T) {
	text, err := os.ReadFile("testdata/refused.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fbc/community-v4.14", "bundle-repo"} {
		t.Run(name, func(t *testing.T) {
			cats := opentest.Open(t, catalogtest.Data(t, name))
			want, found := map[string]bool{}, map[string]bool{}
			for line := range strings.Lines(string(text)) {
				if rest, ok := strings.CutPrefix(strings.TrimSpace(line), name+"\t"); ok {
					want[rest] = true
				}
			}
			for _, p := range cats[0].Packages {
				addRefused(found, p)
			}
			if !maps.Equal(found, want) {
				t.Errorf("refused:\n%s\nwant:\n%s", strings.Join(slices.Sorted(maps.Keys(found)), "\n"), strings.Join(slices.Sorted(maps.Keys(want)), "\n"))
			}
		})
	}
}

// addRefused adds the objects that are refused first on the automatic path from each entry. Bundles with CRDs in v1beta1 are left out, which
// the API server does not serve.
func addRefused(found map[string]bool, p *catalogs.Package) {
	known, all := judge.New(p, judge.Options{}), graph.NewPackageGraph(p)
	isOld := func(name string) bool {
		b := p.Bundle(name)
		return b != nil && slices.ContainsFunc(known.CRDManifests(b), func(m *bundled.Manifest) bool { return m.APIVersion == "apiextensions.k8s.io/v1beta1" })
	}
	for _, g := range all.Graphs {
		for i := range g.Channel.Entries {
			name := g.Name(i)
			path := all.Ask(graph.Question{Channel: g, From: name, To: name}).Automatic
			for _, o := range known.Outcomes(path, graph.V0, nil) {
				for _, r := range o.Reasons {
					field, _, _ := strings.Cut(strings.TrimSuffix(r.Message, ":"), " ")
					if !isOld(o.From) && !isOld(o.To) && len(r.Where) == 0 {
						found[strings.Join([]string{p.Name.Value, o.From, o.To, r.Kind, r.Name, strings.TrimSuffix(field, ":")}, "\t")] = true
					}
				}
			}
		}
	}
}
