package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/render/report"
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
		{"cluster", "--snapshot", from("namespaces/tide.yaml"), from("catalogs/tide")},
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

// TestOutputs parses values of -o, in a folder that has a folder called "there".
func TestOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("there", 0o755); err != nil {
		t.Fatal(err)
	}
	pictures, reports := renderOutputs(), answerFormats(report.Formats())
	for _, c := range []struct {
		of     formatList
		values string
		want   []output // none is a misuse
	}{
		{pictures, "", []output{{format: "svg"}}},
		{pictures, "png", []output{{format: "png"}}},
		{pictures, "-", []output{{format: "svg"}}},
		{pictures, "png=-", []output{{format: "png"}}},
		{pictures, "k.png", []output{{"png", "k.png", false}}},
		{pictures, "K.PNG", []output{{"png", "K.PNG", false}}},
		{pictures, "svg=k.png", []output{{"svg", "k.png", false}}},
		{pictures, "./a=b.gv", []output{{"dot", "a=b.gv", false}}},
		{pictures, "there", []output{{"svg", "there", true}}},
		{pictures, "new/ png=new/", []output{{"svg", "new", true}, {"png", "new", true}}},
		{pictures, "there png=there dot=a.b c.html", []output{{"svg", "there", true}, {"png", "there", true}, {"dot", "a.b", false}, {"html", "c.html", false}}},
		{pictures, "there svg=./there/", nil},
		{pictures, "k.png dot=./k.png", nil},
		{pictures, "svg png", nil},
		{pictures, "./svg", nil},
		{pictures, "svg=", nil},
		{pictures, "sgv=a.svg", nil},
		{pictures, "json", nil},
		{pictures, "a.json", nil},
		{pictures, "picture", nil},
		{reports, "compact a.json b.sarif junit=c.xml d.sarif.json e.md f.txt",
			[]output{{format: "compact"}, {"json", "a.json", false}, {"sarif", "b.sarif", false}, {"junit", "c.xml", false}, {"sarif", "d.sarif.json", false}, {"markdown", "e.md", false}, {"text", "f.txt", false}}},
		{reports, "c.xml", []output{{"junit", "c.xml", false}}},
		{reports, "there", nil},
		{reports, "json=there", nil},
		{reports, "text -", nil},
		{reports, "text json=/dev/stdout", nil},
	} {
		got, err := c.of.parse(strings.Fields(c.values))
		var wrong misuse
		if !slices.Equal(got, c.want) || errors.As(err, &wrong) != (c.want == nil) {
			t.Errorf("-o %s: %v, %v", c.values, got, err)
		}
	}
}

// TestUnreadBase: a base from standard input, of which the end is yet to come, does not keep an error back.
func TestUnreadBase(t *testing.T) {
	for _, args := range [][]string{{"diff", "-", "nowhere"}, {"lint", "--base", "-", "nowhere"}} {
		endless, w := io.Pipe()
		var out, errs bytes.Buffer
		got := Run(t.Context(), append([]string{"olmgraph"}, args...), endless, &out, &errs, fstest.MapFS{})
		if got != statusIncomplete || !strings.Contains(errs.String(), "nowhere: no such file or folder") {
			t.Errorf("%v: status %d, %s", args, got, errs.String())
		}
		w.Close()
	}
}
