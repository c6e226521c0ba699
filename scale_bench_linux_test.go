package main

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// BenchmarkScale has one process look at an index of 400 packages and 12,000 bundles, and tells its peak of memory. It takes
// 1 GB of disk.
func BenchmarkScale(b *testing.B) {
	g := grown{packages: 400, bundles: 30, words: 850}
	dir := g.folder(b)
	for _, args := range [][]string{{"lint", "--gate", "opm"}, {"lint", "--only", "graph/*"}, {"lint"}, {"list"}} {
		b.Run(strings.Join(args, "-"), func(b *testing.B) {
			var peaks []int64
			for b.Loop() {
				cmd := exec.Command("olmgraph", append(slices.Clone(args), dir)...)
				out, err := cmd.CombinedOutput()
				if err != nil && cmd.ProcessState.ExitCode() != 1 {
					b.Fatalf("%v: %s", err, out)
				}
				peaks = append(peaks, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss/1024)
			}
			b.ReportMetric(float64(slices.Max(peaks)), "MiB-peak")
		})
	}
}
