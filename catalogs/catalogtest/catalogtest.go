// Package catalogtest finds real catalogs for tests: in ../shared/data beside the project, which only some machines have. It also says how
// long tests may take.
package catalogtest

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Data returns the path of a file or folder of the real data, given by its slash-separated name in it. Where there is none the test
// is skipped.
func Data(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(folder(tb), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("the real data is not beside the project: %v", err)
	}
	return path
}

// Match returns the paths in the real data that match a slash-separated pattern of filepath.Match, in order. Where there are none the
// test is skipped.
func Match(tb testing.TB, pattern string) []string {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(folder(tb), filepath.FromSlash(pattern)))
	if err != nil {
		tb.Fatal(err)
	}
	if len(paths) == 0 {
		tb.Skipf("the real data is not beside the project: there is no shared/data/%s", pattern)
	}
	return paths
}

// runsLong reports whether tests may take long: OLMGRAPH_LONG is set, as in the nightly run.
func runsLong() bool { return os.Getenv("OLMGRAPH_LONG") != "" }

// SkipUnlessLong skips a test that takes long, but in the nightly run.
func SkipUnlessLong(tb testing.TB) {
	tb.Helper()
	if !runsLong() {
		tb.Skip("it takes long: OLMGRAPH_LONG=1 runs it")
	}
}

// Rounds returns how many of all random cases a test tries: all in the nightly run, else a quarter, and with -short a tenth.
func Rounds(all int) int {
	switch {
	case runsLong():
		return all
	case testing.Short():
		return all / 10
	}
	return all / 4
}

// CheckGrowth wants the processor time of do to grow at most with the given power of n, on any machine: the shortest of some of 4n is compared with that of n.
// do(n) should take milliseconds.
func CheckGrowth(tb testing.TB, power, n int, do func(n int)) {
	tb.Helper()
	small, large := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	const tries, tolerated = 6, 2.5
	for range tries {
		for n, shortest := range map[int]*time.Duration{n: &small, 4 * n: &large} {
			start := processorTime()
			do(n)
			*shortest = min(*shortest, max(processorTime()-start, 50*time.Microsecond))
		}
		if float64(large) <= float64(small)*tolerated*math.Pow(4, float64(power)) {
			return
		}
	}
	tb.Errorf("%d takes %s, and 4 times as many %s", n, small, large)
}

// folder is where real data would be: beside the project's root, which is the nearest folder above that has a go.mod.
func folder(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared", "data")
		}
		above := filepath.Dir(dir)
		if above == dir {
			tb.Fatal("the test does not run in a folder of the project")
		}
		dir = above
	}
}

// Write writes a file, and makes its folder; an error ends the test.
func Write(tb testing.TB, name, text string) {
	tb.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		tb.Fatal(err)
	}
}
