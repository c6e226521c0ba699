package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// closed is a pipe whose reader has closed it.
type closed struct{}

func (closed) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

// TestClosedPipe runs every command with a closed pipe as standard output: status and messages do not change.
func TestClosedPipe(t *testing.T) {
	from := func(name string) string { return filepath.Join("..", "testdata", filepath.FromSlash(name)) }
	stuck, harbour, change := from("catalogs/stuck"), from("catalogs/harbour"), from("catalogs/change")
	for _, args := range [][]string{
		{},
		{"lint", stuck},
		{"lint", stuck, "--fail-on", "none"},
		{"lint", stuck, "-o", "json"},
		{"lint", stuck, "-o", "compact", "-o", "sarif=" + filepath.Join(t.TempDir(), "none", "x")},
		{"lint", stuck, "--fix", "--diff"},
		{"lint", from("catalogs/clean")},
		{"lint", "--help"},
		{"path", harbour, "harbour", "--from", "1.0.0"},
		{"path", harbour, "harbour", "--from", "all"},
		{"path", harbour, "harbour", "--from", "1.0.0", "--images"},
		{"path", harbour, "harbour", "--from", "1.0.0", "--imageset"},
		{"path", stuck, "lighthouse", "--from", "1.0.0"},
		{"path", stuck, "lighthouse", "--from", "1.0.0", "--images"},
		{stuck},
		{stuck, "lighthouse"},
		{"list", stuck},
		{"list", from("catalogs/broken"), "bundles"},
		{"render", harbour, "harbour", "-o", "dot"},
		{"render", harbour, "harbour", "-o", "mermaid"},
		{"crds", from("catalogs/marina"), "boat"},
		{"resolve", "--snapshot", from("namespaces/tide.yaml"), from("catalogs/tide")},
		{"diff", filepath.Join(change, "old"), filepath.Join(change, "new")},
		{"diff", stuck, stuck},
		{"rules"},
		{"explain", "graph/stuck"},
		{"config", "schema"},
		{"completion", "bash"},
		{"version"},
	} {
		var out, errs, quiet bytes.Buffer
		args = append([]string{"olmgraph"}, args...)
		want := Run(context.Background(), args, nil, &out, &errs, fstest.MapFS{})
		if got := Run(context.Background(), args, nil, closed{}, &quiet, fstest.MapFS{}); got != want || quiet.String() != errs.String() {
			t.Errorf("%s: status %d, want %d: %s", strings.Join(args, " "), got, want, &quiet)
		}
		if got := Run(context.Background(), args, nil, &out, closed{}, fstest.MapFS{}); got != want {
			t.Errorf("%s: status %d without stderr, want %d", strings.Join(args, " "), got, want)
		}
	}
}

// TestClosedPipeFile is the same for a report that is written to a named pipe.
func TestClosedPipeFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("pipes have names in /dev/fd on Linux")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var errs bytes.Buffer
	args := []string{"olmgraph", "lint", "../testdata/catalogs/stuck", "-o", "json=/dev/fd/" + strconv.Itoa(int(w.Fd()))}
	if got := Run(context.Background(), args, nil, nil, &errs, fstest.MapFS{}); got != statusFindings || errs.Len() > 0 {
		t.Errorf("status %d: %s", got, &errs)
	}
}
