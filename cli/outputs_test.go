package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/render/report"
)

// TestOutputs parses values of -o, in a folder that has a folder called "there".
func TestOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("there", 0o755); err != nil {
		t.Fatal(err)
	}
	pictures, reports := renderOutputs(), formatsOf(report.Formats())
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
		{reports, "c.xml", nil},
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
	if _, err := reports.parse([]string{"c.xml"}); !strings.Contains(err.Error(), "-o junit=c.xml or -o checkstyle=c.xml") {
		t.Error(err)
	}
}

// TestFormerFormat checks that --format still works, alone and with the file that -o names, and what is to be written instead.
func TestFormerFormat(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	harbour := filepath.Join(root, "testdata", "catalogs", "harbour")
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"list --format json":                           "json",
		"render " + harbour + " --format dot -o a.b":   "dot=a.b",
		"render " + harbour + " --format dot -o c/":    "dot=c/",
		"path --format text --format json=a.json":      "text -o json=a.json",
		"rules --format json -o markdown=d.md":         "json -o markdown=d.md",
		"render " + harbour + " --format dot -o -":     "dot=-",
		"render " + harbour + " --format=dot -o e.png": "dot=e.png",
	} {
		words := strings.Fields(args)
		switch words[0] {
		case "list":
			words = append(words, harbour)
		case "path":
			words = append(words, harbour, "harbour", "1.0.0")
		case "render":
			if words[len(words)-1] != "c/" {
				words = append(words, "harbour")
			}
		}
		var out, errs bytes.Buffer
		if got := Run(t.Context(), append([]string{"olmgraph"}, words...), nil, &out, &errs, fstest.MapFS{}); got != statusClean {
			t.Errorf("%s: status %d", args, got)
		}
		if got := errs.String(); got != "olmgraph: --format is gone in the next release: use -o "+want+"\n" {
			t.Errorf("%s: %s", args, got)
		}
	}
	for name, want := range map[string]string{"a.b": "graph", "c/harbour.dot": "graph", "e.png": "graph", "a.json": "{", "d.md": "|"} {
		if text, err := os.ReadFile(name); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v: %.100s", name, err, text)
		}
	}
}
