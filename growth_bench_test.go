package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/cli"
)

// sizes of catalogs: four times as many packages each time, so that what grows faster than they do is seen.
var sizes = []int{1, 4, 16}

// BenchmarkForms lints a catalog in each form and size. The figures per bundle should not grow with the size.
func BenchmarkForms(b *testing.B) {
	for _, form := range []struct {
		name string
		make func(grown, testing.TB) string
	}{
		{"folder", grown.folder}, {"json", grown.file}, {"image", grown.image}, {"sqlite", grown.database}, {"repository", grown.repository},
	} {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("%s/%dx", form.name, size), func(b *testing.B) {
				g := grown{packages: 4 * size, bundles: 30, words: 60}
				ask(b, g, "lint", "--format", "json", form.make(g, b))
			})
		}
	}
}

// BenchmarkVerbs asks each question of a folder in each size.
func BenchmarkVerbs(b *testing.B) {
	for _, verb := range []struct {
		name string
		args []string // in which catalog is the folder
	}{
		{"lint", []string{"lint", "catalog"}},
		{"lint-opm", []string{"lint", "--gate", "opm", "catalog"}},
		{"list", []string{"list", "catalog", "bundles"}},
		{"path", []string{"path", "catalog", "operator-1", "--from", "0.0.0"}},
		{"path-all", []string{"path", "catalog", "operator-1", "--from", "all"}},
		{"render-dot", []string{"render", "catalog", "operator-1", "--format", "dot"}},
		{"crds", []string{"crds", "catalog", "operator-1"}},
		{"diff", []string{"diff", "catalog", "catalog"}},
		{"resolve", []string{"resolve", "--namespace", "namespace.yaml", "catalog"}},
	} {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("%s/%dx", verb.name, size), func(b *testing.B) {
				g := grown{packages: 4 * size, bundles: 30, words: 60}
				b.Chdir(filepath.Dir(g.folder(b)))
				if err := os.WriteFile("namespace.yaml", []byte(g.namespace()), 0o666); err != nil {
					b.Fatal(err)
				}
				ask(b, g, verb.args...)
			})
		}
	}
}

// namespace subscribes to every package, with its oldest version installed.
func (g grown) namespace() string {
	var out strings.Builder
	out.WriteString("subscriptions:\n")
	for p := range g.packages {
		fmt.Fprintf(&out, "- {package: %s, channel: stable, installed: %s}\n", g.pkg(p), g.name(p, 0))
	}
	return out.String()
}

func ask(b *testing.B, g grown, args ...string) {
	b.ReportAllocs()
	for b.Loop() {
		var out, errs bytes.Buffer
		if status := cli.Run(context.Background(), append([]string{"olmgraph"}, args...), nil, &out, &errs, ruleScripts()); status > 1 {
			b.Fatalf("olmgraph %v: status %d: %s", args, status, &errs)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*g.packages*g.bundles), "ns/bundle")
}
