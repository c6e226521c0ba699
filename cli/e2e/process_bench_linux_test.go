package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// BenchmarkScale lints an index of 400 packages and 12,000 bundles in a process, and reports its peak of memory. It takes 1 GB
// of disk.
func BenchmarkScale(b *testing.B) {
	g := grown{packages: 400, bundles: 30, words: 850}
	dir := g.folder(b)
	for _, args := range []string{"lint --gate opm", "lint --only graph/*", "lint", "list"} {
		b.Run(strings.ReplaceAll(args, " ", "-"), func(b *testing.B) {
			measure(b, "olmgraph", append(strings.Fields(args), dir)...)
		})
	}
	if opm := os.Getenv("OLMGRAPH_OPM"); opm != "" {
		b.Run("opm-validate", func(b *testing.B) { measure(b, opm, "validate", dir) })
	}
}

// BenchmarkPeer runs opm, which OLMGRAPH_OPM names, and olmgraph on real catalogs, each as a process.
func BenchmarkPeer(b *testing.B) {
	opm := os.Getenv("OLMGRAPH_OPM")
	if opm == "" {
		b.Skip("OLMGRAPH_OPM does not say where opm is")
	}
	for _, name := range []string{"community-v4.14", "community-v4.20"} {
		dir := catalogtest.Data(b, "fbc/"+name)
		for _, c := range []struct{ what, program, args string }{
			{"validate", opm, "validate"},
			{"validate", "olmgraph", "lint --gate opm"},
			{"validate-and-everything-else", "olmgraph", "lint"},
			{"list-channels", opm, "alpha list channels"},
			{"list-channels", "olmgraph", "list channels"},
			{"list-bundles", opm, "alpha list bundles"},
			{"list-bundles", "olmgraph", "list bundles"},
			{"render-graph", opm, "alpha render-graph"},
			{"render-graph", "olmgraph", "render -o mermaid=" + b.TempDir() + "/"},
		} {
			b.Run(name+"/"+c.what+"/"+filepath.Base(c.program), func(b *testing.B) {
				args := strings.Fields(c.args)
				if args[0] == "list" {
					args = []string{"list", dir, args[1]}
				} else {
					args = append(args, dir)
				}
				measure(b, c.program, args...)
			})
		}
	}
}

// BenchmarkPage lints a catalog and writes its page: many packages of one bundle, a long channel, and real catalogs.
func BenchmarkPage(b *testing.B) {
	for _, c := range []struct{ name, dir string }{
		{"packages", bare(b, 2000, 1)}, {"channel", bare(b, 1, 1000)},
		{"community-v4.14", catalogtest.Data(b, "fbc/community-v4.14")}, {"community-v4.20", catalogtest.Data(b, "fbc/community-v4.20")},
	} {
		b.Run(c.name+"/lint", func(b *testing.B) { measure(b, "olmgraph", "lint", c.dir) })
		b.Run(c.name+"/page", func(b *testing.B) {
			measure(b, "olmgraph", "render", "-o", filepath.Join(b.TempDir(), "page.html"), c.dir)
		})
	}
}

// bare writes a catalog of packages with one channel, in which each bundle replaces the one before, and returns its folder.
func bare(b *testing.B, packages, bundles int) string {
	var out strings.Builder
	for p := range packages {
		fmt.Fprintf(&out, `{"schema":"olm.package","name":"p%d","defaultChannel":"stable"}`+"\n", p)
		var entries []string
		for i := range bundles {
			entries = append(entries, fmt.Sprintf(`{"name":"p%d.v1.%d.0","replaces":"p%[1]d.v1.%[3]d.0"}`, p, i, i-1))
			fmt.Fprintf(&out, `{"schema":"olm.bundle","package":"p%d","name":"p%[1]d.v1.%d.0","image":"quay.io/p/p%[1]d@sha256:%064[2]x",`+
				`"properties":[{"type":"olm.package","value":{"packageName":"p%[1]d","version":"1.%[2]d.0"}}]}`+"\n", p, i)
		}
		entries[0] = fmt.Sprintf(`{"name":"p%d.v1.0.0"}`, p)
		fmt.Fprintf(&out, `{"schema":"olm.channel","package":"p%d","name":"stable","entries":[%s]}`+"\n", p, strings.Join(entries, ","))
	}
	dir := b.TempDir()
	catalogtest.Write(b, filepath.Join(dir, "catalog.json"), out.String())
	return dir
}

// measure runs a program b.N times, and reports its peak of memory.
func measure(b *testing.B, program string, args ...string) {
	var peaks []int64
	for b.Loop() {
		cmd := exec.Command(program, args...)
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.ExitCode() != 1 {
			b.Fatalf("%s %v: %v: %s", program, args, err, out)
		}
		peaks = append(peaks, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss/1024)
	}
	b.ReportMetric(float64(slices.Max(peaks)), "MiB-peak")
}
