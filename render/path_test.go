package render

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/gonum/graph/formats/dot"
	"gopkg.in/yaml.v3"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/rendertest"
	"github.com/olmgraph/olmgraph/render/text"
)

// untrustedPath returns a path with hostile names.
func untrustedPath(a, b, message string) *Path {
	packages := rendertest.UntrustedPackage(a, b, message)
	return &Path{PackageGraph: packages, Answer: packages.Ask(graph.Question{Channel: packages.Graphs[0], From: a, To: b, Limit: 1}), OtherChannels: []string{b},
		Dependencies: map[string]*catalogs.Dependencies{b: {MaxOpenShift: catalogs.Text{Value: message, Pos: catalogs.Pos{File: message, Line: 1, Col: 1}},
			Requires: []catalogs.Requirement{{Package: message, Range: message}}}}}
}

var mermaidLine = regexp.MustCompile(`^(%% .*|flowchart LR|   b[01]\("[^"<>]*(<br/>[^"<>]*)*"\)(:::\w+)?|    b[01] (==|--)[>x]\|"[^"<>]*(<br/>[^"<>]*)*"\| b[01]|  classDef .*)$`)

// TestUntrustedVersions writes hostile names in every format of a path and a drawing through several OpenShift versions: all must remain text.
func TestUntrustedVersions(t *testing.T) {
	for _, hostile := range []string{"</script><img src=x onerror=alert(1)>", "\"]; x -> y [", "a|b\n\x1b[31m", "\\", "\u202e", "```\n---"} {
		packages := rendertest.UntrustedPackage(hostile, "b", hostile)
		of := func(minor plan.Minor, has bool) openshift.Version {
			v := openshift.Version{Minor: minor, Catalog: &catalogs.Catalog{Name: hostile}}
			if has {
				v.Packages = map[string]*catalogs.Package{hostile: packages.Package}
			}
			return v
		}
		versions := &openshift.Versions{Package: hostile, All: []openshift.Version{of(18, true), of(19, false), of(20, true)}}
		j, err := versions.Follow(packages.Graphs[0].Channel.Name.Value, graph.InstalledBundle{Name: hostile, Version: "1.0.0"}, "")
		if err != nil {
			t.Fatal(err)
		}
		p := &VersionPath{Path: j, OtherChannels: []string{hostile}, Partial: []string{hostile}}
		for range j.Stages {
			p.AddStage("")
		}
		for _, format := range VersionPathFormats() {
			var out bytes.Buffer
			if err := format.Write(&out, p, text.Style{Width: 60}); err != nil {
				t.Fatal(err)
			}
			if strings.IndexFunc(strings.ReplaceAll(out.String(), "\n", ""), words.Unsafe) >= 0 || format.Name == "markdown" && strings.Contains(out.String(), "<img") {
				t.Errorf("%s: %q", format.Name, out.String())
			}
		}
		drawing, err := diagram.Versions(versions, nil)
		if err != nil {
			t.Fatal(err)
		}
		var drawn bytes.Buffer
		if err := diagram.DOT(&drawn, drawing); err != nil {
			t.Fatal(err)
		}
		if _, err := dot.ParseString(strings.ReplaceAll(drawn.String(), "\uFFFD", "?")); err != nil {
			t.Errorf("no DOT: %v\n%s", err, drawn.String())
		}
	}
}

// FuzzPath writes arbitrary names in every format of a path: all must remain text.
func FuzzPath(f *testing.F) {
	f.Add("a", "b", "2.0.0")
	f.Add("</script><img src=x onerror=alert(1)>", `"]; x -> y [`, "a|b\n\x1b[31m")
	f.Add(`\`, "\u202e", "```\n---")
	f.Fuzz(func(t *testing.T, a, b, message string) {
		if a == b || !utf8.ValidString(a+"|"+b+"|"+message) {
			return // what was read of a catalog is valid
		}
		p := untrustedPath(a, b, message)
		written := map[string]string{}
		for _, format := range PathFormats() {
			var out bytes.Buffer
			if err := format.Write(&out, p, text.Style{Width: 60}); err != nil {
				t.Fatal(err)
			}
			written[format.Name] = out.String()
			if strings.IndexFunc(strings.ReplaceAll(out.String(), "\n", ""), words.Unsafe) >= 0 {
				t.Fatalf("%s commands the terminal: %q", format.Name, out.String())
			}
		}
		if !json.Valid([]byte(written["json"])) {
			t.Fatalf("no JSON: %s", written["json"])
		}
		known := strings.ReplaceAll(written["dot"], "\uFFFD", "?") // the parser takes it for a fault of the text
		if _, err := dot.ParseString(known); err != nil {
			t.Fatalf("no DOT: %v\n%s", err, written["dot"])
		}
		for line := range strings.Lines(written["mermaid"]) {
			if !mermaidLine.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Fatalf("no Mermaid: %s", line)
			}
		}
		checkMarkdown(t, written["markdown"])
		checkImageSet(t, p, message)
	})
}

// checkMarkdown checks that there is no raw HTML, and that the rows of a table have as many cells as its header.
func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	if strings.ContainsAny(strings.ReplaceAll(text, "<br>", ""), "<>@") {
		t.Fatalf("raw HTML or a mention: %s", text)
	}
	cells := 0 // of a row of the table
	for line := range strings.Lines(text) {
		n := strings.Count(line, "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			cells = 0
		case cells == 0:
			cells = n
		case n != cells:
			t.Fatalf("a row of %d cells: %s", n-1, line)
		}
	}
}

func checkImageSet(t *testing.T, p *Path, message string) {
	t.Helper()
	value := func(text string) catalogs.Text { return catalogs.Text{Value: text} }
	selection := &mirror.Selection{Notes: []string{message}, RequiredBy: map[string]string{message: message}, Packages: []imageset.Package{{Name: value(message),
		Channels: []imageset.Channel{{Name: value(p.From), Bounds: imageset.Bounds{Min: value(message), Max: value(p.To)}}}}}}
	var out bytes.Buffer
	if err := ImageSet(&out, p.To, selection); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Kind   string
		Mirror struct {
			Operators []struct {
				Catalog  string
				Packages []struct {
					Name     string
					Channels []struct {
						Name       string
						MinVersion string `yaml:"minVersion"`
						MaxVersion string `yaml:"maxVersion"`
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(out.Bytes(), &read); err != nil {
		t.Fatalf("no YAML: %v\n%s", err, out.String())
	}
	operator := read.Mirror.Operators[0]
	channel := operator.Packages[0].Channels[0]
	want := []string{"ImageSetConfiguration", p.To, message, p.From, message, p.To}
	got := []string{read.Kind, operator.Catalog, operator.Packages[0].Name, channel.Name, channel.MinVersion, channel.MaxVersion}
	for i := range want {
		if unbounded := i >= 4 && message == ""; got[i] != want[i] && !unbounded {
			t.Fatalf("%q was read as %q in\n%s", want[i], got[i], out.String())
		}
	}
}
