package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

const module = "github.com/olmgraph/olmgraph"

// layers are the top-level folders; each may import those before it.
var layers = []string{"catalogs", "graph", "lint", "render", "cli"}

// importers are the folders that may import a heavy dependency. blang/semver, gonum, go-graphviz, lipgloss, urfave/cli and yaml.v3 are part of
// the design: each has to be used.
var importers = map[string][]string{
	"gopkg.in/yaml.v3":                       []string{"catalogs", "lint"},
	"go.yaml.in/yaml/v2":                     []string{"catalogs"},
	"gonum.org/v1/gonum":                     []string{"graph"},
	"github.com/goccy/go-graphviz":           []string{"render/diagram/graphviz"},
	"github.com/fogleman/gg":                 []string{"render/diagram/graphviz"},
	"golang.org/x/image":                     []string{"render/diagram/graphviz"},
	"github.com/charmbracelet":               []string{"render/text"},
	"github.com/urfave/cli/v2":               []string{"cli"},
	"github.com/cpuguy83/go-md2man/v2":       []string{"cli"},
	"github.com/creachadair/jrpc2":           []string{"cli/lsp"},
	"github.com/go-git/go-git/v5":            []string{"catalogs"},
	"github.com/go-git/go-billy/v5":          []string{"catalogs"},
	"modernc.org/sqlite":                     []string{"catalogs"},
	"github.com/distribution":                []string{"catalogs/schema", "graph/changes"},
	"github.com/mattn/go-runewidth":          []string{"render/text", "render/report"},
	"github.com/muesli/termenv":              []string{"render/text"},
	"golang.org/x/term":                      []string{"cli"},
	"golang.org/x/tools/txtar":               []string{"render/report"},
	"github.com/blang/semver/v4":             []string{"catalogs", "graph", "lint", "render", "cli"},
	"github.com/Masterminds/semver/v3":       []string{"graph/mirror"},
	"github.com/google/cel-go":               []string{"graph/resolve"},
	"github.com/google/go-cmp":               nil,
	"github.com/go-json-experiment/json":     {"catalogs/tree", "render/text"},
	"github.com/santhosh-tekuri/jsonschema":  nil,
	"k8s.io/apiextensions-apiserver":         []string{"graph/judge/crd"},
	"k8s.io/apimachinery":                    []string{"graph/judge/crd"},
	"sigs.k8s.io/crdify":                     []string{"graph/judge/crd"},
	"github.com/rogpeppe/go-internal":        []string{"cli"},
	"github.com/google/go-containerregistry": []string{"catalogs"},
	"github.com/klauspost/compress":          []string{"catalogs", "graph/snapshot"},
}

// renderLayers are the packages of render; each may import those before it. Graphviz, which is a child process, imports none of
// them.
var renderLayers = []string{"render/diagram/graphviz", "render/text", "render/answer", "render/wording", "render/report", "render/diagram", "render/page", "render"}

// catalogLayers are the packages of catalogs that know of catalogs; each may import those before it. All others know of none.
var catalogLayers = []string{"catalogs/source", "catalogs", "catalogs/excerpt", "catalogs/form", "catalogs/edit", "catalogs/bundled", "catalogs/pipelineconfig", "catalogs/fbc",
	"catalogs/manifests", "catalogs/listing", "catalogs/expansion", "catalogs/repo", "catalogs/open", "catalogs/compare"}

// networkPackage is the only package that may use the network.
const networkPackage = "catalogs/image/"

// TestImports checks that every import follows the order of the layers and the importers of heavy dependencies.
func TestImports(t *testing.T) {
	eachSource(t, func(path string) {
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			switch inside, ok := strings.CutPrefix(imported, module+"/"); {
			case ok:
				if !mayImport(filepath.ToSlash(filepath.Dir(path)), inside) {
					t.Errorf("%s imports %s, which is not below it", path, inside)
				}
			case imported == "net" || imported == "net/http":
				if !strings.HasPrefix(filepath.ToSlash(path), networkPackage) {
					t.Errorf("%s imports %s: nothing but the reader of registries uses the network", path, imported)
				}
			case strings.Contains(strings.SplitN(imported, "/", 2)[0], "."):
				if !mayImportDependency(imported, path) {
					t.Errorf("%s imports %s, which that folder may not import", path, imported)
				}
			}
		}
	})
}

// doors are the folders and files that open files, and why.
var doors = map[string]string{
	"catalogs/disk/":                        "the door",
	"catalogs/catalogtest/":                 "of tests",
	"catalogs/gittree/regular_files.go":     "go-git's file system, which passes the door",
	"render/diagram/graphviz/privatecache/": "the program's own cache, which nobody else can write",
	"render/diagram/graphviz/run_linux.go":  "a child process",
	"render/diagram/graphviz/limit_unix.go": "its limits",
	"catalogs/image/guard.go":               "addresses of connections",
	"catalogs/image/registry.go":            "errors of connections",
	"cli/main.go":                           "signals",
	"cli/session.go":                        "errors of pipes",
}

// TestDoor checks that nothing else than package disk opens, reads or stats a file on disk.
func TestDoor(t *testing.T) {
	forbidden := map[string][]string{
		"os":            {"Open", "OpenFile", "OpenInRoot", "OpenRoot", "Create", "CreateTemp", "ReadFile", "WriteFile", "ReadDir", "Readlink", "Rename", "Stat", "Lstat", "DirFS", "CopyFS", "Truncate"},
		"path/filepath": {"Glob", "Walk", "WalkDir", "EvalSymlinks"},
	}
	whole := []string{"io/ioutil", "syscall", "golang.org/x/sys", "github.com/go-git/go-billy/v5/osfs"}
	eachSource(t, func(path string) {
		name := filepath.ToSlash(path)
		for door := range doors {
			if strings.HasPrefix(name, door) {
				return
			}
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		local := map[string][]string{} // what must not be selected, by the name of the import
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			as := filepath.Base(imported)
			if spec.Name != nil {
				as = spec.Name.Name
			}
			local[as] = forbidden[imported]
			if as == "." || slices.ContainsFunc(whole, func(w string) bool { return imported == w || strings.HasPrefix(imported, w+"/") }) {
				t.Errorf("%s imports %s: files are opened by catalogs/disk", name, imported)
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && slices.Contains(local[x.Name], s.Sel.Name) {
					t.Errorf("%s: %s.%s: files are opened by catalogs/disk", files.Position(n.Pos()), x.Name, s.Sel.Name)
				}
			}
			return true
		})
	})
}

// mayImport reports whether a package may import another one.
func mayImport(importer, imported string) bool {
	layer, _, _ := strings.Cut(importer, "/")
	other, _, _ := strings.Cut(imported, "/")
	at := slices.Index(layers, layer)
	switch {
	case at >= 0 && layer != other && slices.Index(layers, other) >= at:
		return false
	case strings.HasPrefix(imported, "lint/rules"):
		return mayImportRules(importer, imported)
	case slices.Contains(catalogLayers, imported) && slices.Contains(catalogLayers, importer):
		return slices.Index(catalogLayers, importer) > slices.Index(catalogLayers, imported)
	case strings.HasPrefix(imported, "render") && strings.HasPrefix(importer, "render"):
		return mayImportRender(importer, imported)
	}
	return true
}

// mayImportRender reports whether a package of render may import another one: those before it.
func mayImportRender(importer, imported string) bool {
	at := slices.Index(renderLayers, importer)
	return at < 0 || at > slices.Index(renderLayers, imported) && imported != "render/diagram/graphviz"
}

// mayImportRules reports whether a package may import one of rules: a family what families share, the collector the families, and the
// command line the collector.
func mayImportRules(importer, imported string) bool {
	switch {
	case strings.HasPrefix(imported, "lint/rules/internal/"):
		return strings.HasPrefix(importer, "lint/rules/")
	case imported != "lint/rules":
		return importer == "lint/rules"
	}
	return importer == "cli"
}

func mayImportDependency(imported, path string) bool {
	for dependency, allowed := range importers {
		if imported == dependency || strings.HasPrefix(imported, dependency+"/") {
			return slices.ContainsFunc(allowed, func(folder string) bool { return strings.HasPrefix(filepath.ToSlash(path), folder+"/") })
		}
	}
	return false
}

// eachSource calls do for every Go file that is no test.
func eachSource(t *testing.T, do func(path string)) {
	t.Helper()
	t.Chdir(os.Getenv("ROOT"))
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			do(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRulesAreWhole checks that each rule has a title, a reason, a fix and a reference, and a script in which it fires and is
// silent.
func TestRulesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules.All() {
		if seen[r.ID] {
			t.Errorf("%s is declared twice", r.ID)
		}
		seen[r.ID] = true
		silent := r.Severity == lint.Off && !strings.Contains(r.Doc, "off unless")
		if silent || r.Gates == 0 || r.Reference == "" || r.Check == nil && r.Scope != lint.ReportedByRun || strings.Count(r.Doc, "\n") < 2 {
			t.Errorf("%s lacks a severity, a gate, a reference, a check, or words on why it matters and what to do", r.ID)
		}
		if r.ID == lint.RuleFailed.ID {
			continue // no catalog is known with which a rule fails: see TestFailingRule
		}
		name := filepath.Join("..", "..", "testdata", "script", "lint", strings.ReplaceAll(r.ID, "/", "-")+".txtar")
		script, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("%s has no script: %v", r.ID, err)
			continue
		}
		if fires, silent := shownBy(string(script), r); !fires || !silent {
			t.Errorf("%s: the rule fires: %v, is silent: %v", name, fires, silent)
		}
	}
}

// shownBy reports whether a script has a run of lint in which a rule must fire, and one in which it runs and must not.
func shownBy(script string, r lint.Rule) (fires, silent bool) {
	tag := `\[` + r.ID + `\]` // as patterns have it
	looks := false
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "-- "):
			return fires, silent
		case strings.HasPrefix(line, "stdout "), strings.HasPrefix(line, "unwrapped "):
			fires = fires || looks && strings.Contains(line, tag)
		case strings.HasPrefix(line, "! stdout "), strings.HasPrefix(line, "! unwrapped "):
			silent = silent || looks && strings.Contains(line, tag)
		case slices.Contains(words, "exec") || slices.Contains(words, "status"):
			refused := words[0] == "status" && words[1] != "0" && words[1] != "1"
			looks = strings.Contains(line, "olmgraph lint ") && !refused && runsRule(words, r)
		}
	}
	return fires, silent
}

// runsRule reports whether a command line runs a rule: by name, by family, or as one of all.
func runsRule(words []string, r lint.Rule) bool {
	names := func(flag string) []string {
		if i := slices.Index(words, flag); i >= 0 && i+1 < len(words) {
			return strings.Split(words[i+1], ",")
		}
		return nil
	}
	meant := func(name string) bool { return name == r.ID || name == r.Family() }
	only := names("--only")
	return (len(only) == 0 || slices.ContainsFunc(only, meant)) && !slices.ContainsFunc(names("--skip"), meant)
}

// TestSecurityTable checks that every test that SECURITY.md names exists.
func TestSecurityTable(t *testing.T) {
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	err = filepath.WalkDir(os.Getenv("ROOT"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			source, err := os.ReadFile(path)
			tests.Write(source)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`").FindAllSubmatch(text, -1)
	if len(names) < 20 {
		t.Errorf("only %d tests are named", len(names))
	}
	for _, name := range names {
		if !strings.Contains(tests.String(), "func "+string(name[1])+"(") {
			t.Errorf("SECURITY.md names %s, which is no test", name[1])
		}
	}
}
