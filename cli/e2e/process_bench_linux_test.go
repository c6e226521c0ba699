package e2e

import (
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
