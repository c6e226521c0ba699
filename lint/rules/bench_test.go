package rules

import (
	"context"
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/lint"
)

// BenchmarkLint reads and lints real catalogs: the graph alone, what opm checks, and everything.
func BenchmarkLint(b *testing.B) {
	for _, catalog := range []string{"community-v4.14", "community-v4.18", "community-v4.18.json", "community-v4.20", "community-v4.22"} {
		for _, what := range []struct {
			name string
			o    lint.Options
		}{
			{"graph", lint.Options{Rules: family("graph")}},
			{"crd", lint.Options{Rules: family("crd")}},
			{"opm", lint.Options{Rules: All(), Gates: lint.GateOPM}},
			{"all", lint.Options{Rules: All()}},
		} {
			b.Run(catalog+"/"+what.name, func(b *testing.B) {
				ref := catalogtest.Data(b, "fbc/"+catalog)
				ctx := context.Background()
				b.ReportAllocs()
				for b.Loop() {
					cats := opentest.Open(b, ref)
					if _, err := lint.Run(ctx, cats, what.o); err != nil {
						b.Fatal(err)
					}
					b.SetBytes(cats[0].Stats.Bytes)
				}
			})
		}
	}
}

// BenchmarkCRDs checks the CRDs of a repository of bundles, which is read once.
func BenchmarkCRDs(b *testing.B) {
	cats := opentest.Open(b, catalogtest.Data(b, "bundle-repo"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := lint.Run(context.Background(), cats, lint.Options{Rules: family("crd")}); err != nil {
			b.Fatal(err)
		}
	}
}

// family returns the rules of families.
func family(names ...string) []lint.Rule {
	return slices.DeleteFunc(All(), func(r lint.Rule) bool { return !slices.Contains(names, r.Family()) })
}
