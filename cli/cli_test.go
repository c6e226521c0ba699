package cli

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/cli/schema"
	"github.com/olmgraph/olmgraph/graph/messages"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

// TestWelcome checks that the text without a command has every command.
func TestWelcome(t *testing.T) {
	for _, c := range (&session{logger: newLogger(nil)}).app().Commands {
		if !c.Hidden && !strings.Contains(welcome, "\n  olmgraph "+c.Name+" ") {
			t.Errorf("the welcome lacks %s", c.Name)
		}
	}
}

// TestOrigin reads what the Go command records in a checkout, in a changed one, of a module in the proxy, and where it records nothing.
func TestOrigin(t *testing.T) {
	module := debug.Module{Path: "example.com/tool", Version: "v1.2.3"}
	inProxy := module
	inProxy.Sum = "h1:abc="
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "false"}}
	changed := slices.Clone(commit)
	changed[2].Value = "true"
	for want, info := range map[string]debug.BuildInfo{
		"built from commit 0123abcd of 2026-01-02T03:04:05Z\n":                                    {Main: module, Settings: commit},
		"built from commit 0123abcd of 2026-01-02T03:04:05Z, and changes that are in no commit\n": {Main: module, Settings: changed},
		"built from example.com/tool@v1.2.3 h1:abc=\n":                                            {Main: inProxy},
		"": {Main: module},
	} {
		if got := buildOrigin(&info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestExitStatusPage checks that the table of exit statuses has every command.
func TestExitStatusPage(t *testing.T) {
	table, err := os.ReadFile("../docs/exit-status.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range (&session{logger: newLogger(nil)}).app().Commands {
		if !c.Hidden && !strings.Contains(string(table), "`"+c.Name+"` |") && !strings.Contains(string(table), "`"+c.Name+"`,") {
			t.Errorf("the table of exit statuses lacks %s", c.Name)
		}
	}
}

// TestJSONSchemas wants a schema for every command that writes JSON but template, whose JSON is opm's.
func TestJSONSchemas(t *testing.T) {
	for _, c := range (&session{logger: newLogger(nil)}).app().Commands {
		_, has := schema.Read(c.Name)
		if wants := slices.Contains(commandFormats(c), "json") && c.Name != "template"; wants != has {
			t.Errorf("%s writes JSON with a schema: %v, and has a schema: %v", c.Name, wants, has)
		}
	}
}

// unread is standard input that nothing may read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("standard input is read")
	return 0, io.EOF
}

// TestNoQuestions runs every command without arguments and with wrong ones: none reads an answer from standard input.
func TestNoQuestions(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range (&session{logger: newLogger(nil)}).app().Commands {
		for _, args := range [][]string{{}, {"--help"}, {"none"}, {"none", "none", "1.0.0"}, {"none", "-o", "json"}, {"init"}, {"init"}} {
			if c.Name == "complete" || c.Name == "lsp" {
				continue // what they read is what their caller sends
			}
			Run(t.Context(), append([]string{"olmgraph", c.Name}, args...), unread{t}, io.Discard, io.Discard, fstest.MapFS{})
		}
	}
}

// TestScripted wants a script for every command and each of its formats; the first format is the default, and needs no flag.
func TestScripted(t *testing.T) {
	scripts, err := filepath.Glob("../testdata/script/*/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	calls := map[string]string{}
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)olmgraph ([a-z]+)(.*)$`).FindAllSubmatch(text, -1) {
			calls[string(m[1])] += string(m[2]) + " \n"
		}
	}
	for _, c := range (&session{logger: newLogger(nil)}).app().Commands {
		if !c.Hidden && calls[c.Name] == "" {
			t.Errorf("no script in testdata/script calls olmgraph %s", c.Name)
		}
		for _, f := range c.Flags {
			formats, ok := f.(enumFlagValue)
			if !ok || formats.Names()[0] != "output" {
				continue
			}
			for _, format := range formats.values[1:] {
				named := strings.Join(append(endings(format), "$"), "|") // the format, or a file with its ending
				if !regexp.MustCompile(`(-o|--output)[ =](` + format + `[ =]|\S+(` + named + `)\s)`).MatchString(calls[c.Name]) {
					t.Errorf("no script in testdata/script calls olmgraph %s -o %s", c.Name, format)
				}
			}
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct{ ref, name, want string }{
		{"catalogs", "v4.18", "catalogs/v4.18"}, {"catalogs/", "v4.18", "catalogs/v4.18"}, {"catalogs/", "", "catalogs"}, {"/", "v4.18", "/v4.18"},
		{"docker://registry.example/a:v1", "", "docker://registry.example/a:v1"}, {"git:HEAD:", "v4.18", "git:HEAD:v4.18"}, {"git:HEAD:a", "v4.18", "git:HEAD:a/v4.18"},
	} {
		if got := subReference(c.ref, c.name); got != c.want {
			t.Errorf("%q in %q is %q, want %q", c.name, c.ref, got, c.want)
		}
	}
}

// TestPicturesAtOnce draws the packages of a catalog concurrently, for the race detector.
func TestPicturesAtOnce(t *testing.T) {
	for _, catalog := range []string{"harbour", "large"} {
		for _, format := range []string{"dot", "mermaid"} {
			dir := t.TempDir()
			var out, errs bytes.Buffer
			args := []string{"olmgraph", "render", filepath.Join("..", "testdata", "catalogs", catalog), "-o", format + "=" + dir + "/"}
			if got := Run(t.Context(), args, nil, &out, &errs, fstest.MapFS{}); got != statusClean {
				t.Errorf("%s as %s: status %d: %s", catalog, format, got, &errs)
			}
			if files, err := os.ReadDir(dir); len(files) != 2 {
				t.Errorf("%s as %s: %v, %v", catalog, format, files, err)
			}
		}
	}
}

// TestUnified checks the headers of a diff, as git apply reads them, for a path below the root folder.
func TestUnified(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.yaml":  "--- a/a/b.yaml\n+++ b/a/b.yaml\n@@ -1,2 +1,1 @@\n-x\n y\n",
		"/a/b.yaml": "--- a/a/b.yaml\n+++ b/a/b.yaml\n@@ -1,2 +1,1 @@\n-x\n y\n",
	} {
		if got := string(unifiedDiff(name, []byte("x\ny\n"), []byte("y\n"))); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestLintProgress checks that a linter reports each package, one call at a time, and also of catalogs that are added later.
func TestLintProgress(t *testing.T) {
	var calls []string
	linter := lint.NewLinter(lint.Options{Rules: rules.All(), Progress: func(done, total int) { calls = append(calls, fmt.Sprintf("%d/%d", done, total)) }})
	for _, name := range []string{"harbour", "stuck"} {
		cats := opentest.Open(t, filepath.Join("..", "testdata", "catalogs", name))
		if err := linter.Add(t.Context(), cats...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := linter.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(calls, " "), "0/3 1/3 2/3 3/3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestReadingTotal checks that the total is shown of catalogs that are read after all were opened.
func TestReadingTotal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		catalogtest.Write(t, filepath.Join(dir, "catalog.yaml"), string(make([]byte, 3<<20)))
		p := &progress{w: io.Discard}
		for range 2 {
			p.startReading(t.Context(), dir)
			synctest.Wait()
			p.end()
		}
		p.add(4 << 20)
		if got, want := p.line(), "reading: 4 of 6 MiB …"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// TestHelpWidth checks that the help of all commands fits the width and loses no word.
func TestHelpWidth(t *testing.T) {
	for _, c := range (&session{logger: newLogger(nil)}).app().Commands {
		common := flagNames(commonFlags())
		wide := strings.Fields(strings.ReplaceAll(commandHelp(c, common, 1000), `\`, ""))
		for _, width := range []int{60, 80, 120} {
			if n := strings.Count(shortHelp(c, common, 80), "\n"); n > 50 {
				t.Errorf("%s --help has %d lines: it is to fit a screen of 50", c.Name, n)
			}
			help := commandHelp(c, common, width)
			for line := range strings.Lines(help) {
				if got := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); got > width && strings.Contains(strings.TrimSuffix(strings.TrimSpace(line), ` \`), " ") {
					t.Errorf("%s --help: %d columns of %d: %s", c.Name, got, width, line)
				}
			}
			if got := strings.Fields(strings.ReplaceAll(help, `\`, "")); !slices.Equal(got, wide) {
				t.Errorf("%s --help has other words at %d columns", c.Name, width)
			}
		}
	}
	var out, errs bytes.Buffer
	if got := Run(t.Context(), []string{"olmgraph", "help"}, nil, &out, &errs, nil); got != statusClean || strings.Contains(out.String(), "former name") {
		t.Errorf("status %d: %s%s", got, &out, &errs)
	}
}

// TestAgain: a suggested command line has every flag of the given one that selects what is read or found.
func TestAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	for dir, image := range map[string]string{"was": "i", "now": "j"} {
		var catalog strings.Builder
		for i := range 40 {
			fmt.Fprintf(&catalog, `{schema: olm.package, name: p%[1]d, defaultChannel: a}
---
{schema: olm.channel, package: p%[1]d, name: a, entries: [{name: p%[1]d.v1}]}
---
{schema: olm.bundle, package: p%[1]d, name: p%[1]d.v1, image: %[2]s, properties: [{type: olm.package, value: {packageName: p%[1]d, version: 1.0.0}}]}
---
`, i, image)
		}
		catalogtest.Write(t, filepath.Join(dir, "catalog.yaml"), catalog.String())
	}
	for want, args := range map[string][]string{
		"`olmgraph diff -o json --platform linux/arm64 --max-size 1GiB was now`\n": {"diff", "--max-size", "1GiB", "--platform", "linux/arm64",
			"-o", "markdown", "--color", "never", "was", "now"},
		"olmgraph lint --details --pipeline community --only 'published,image/*' --package p1 --base was --new --platform linux/arm64 now\n": {"lint", "--pipeline", "community",
			"--only", "published", "--only", "image/*", "--package", "p1", "--base", "was", "--new", "--platform", "linux/arm64", "--fail-on", "info", "now"},
	} {
		var out, errs bytes.Buffer
		Run(t.Context(), append([]string{"olmgraph"}, args...), strings.NewReader(""), &out, &errs, fstest.MapFS{})
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not suggested:\n%s%s", want, out.String(), errs.String())
		}
	}
}

// TestMermaidFiles: packages whose names have dots have a file each, and messages are in the order of the packages,
// though the first ones take longest.
func TestMermaidFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	var catalog strings.Builder
	for _, p := range []struct {
		name     string
		channels []string
		entries  int
	}{{"a", []string{"b", "b.c"}, 150}, {"a.b", []string{"c", "z"}, 60}, {"a.b.c", []string{"x"}, 1}} {
		fmt.Fprintf(&catalog, "{schema: olm.package, name: %s, defaultChannel: %s}\n---\n", p.name, p.channels[0])
		for _, channel := range p.channels {
			fmt.Fprintf(&catalog, "schema: olm.channel\npackage: %s\nname: %s\nentries:\n", p.name, channel)
			for i := range p.entries {
				var skips []string
				for j := max(0, i-9); j < i; j++ {
					skips = append(skips, fmt.Sprintf("v1.%d.0", j))
				}
				fmt.Fprintf(&catalog, "- {name: v1.%d.0, replaces: v1.%d.0, skips: [%s]}\n", i, i-1, strings.Join(skips, ", "))
			}
			catalog.WriteString("---\n")
		}
		for i := range p.entries {
			fmt.Fprintf(&catalog, "{schema: olm.bundle, package: %[1]s, name: v1.%[2]d.0, image: i, properties: [{type: olm.package, value: {packageName: %[1]s, version: 1.%[2]d.0}}]}\n---\n", p.name, i)
		}
	}
	catalogtest.Write(t, "catalog.yaml", catalog.String())
	var out, errs bytes.Buffer
	Run(t.Context(), []string{"olmgraph", "render", "catalog.yaml", "--edges", "declared", "-o", "mermaid=pictures/"}, unread{t}, &out, &errs, fstest.MapFS{})
	var told []string
	for _, m := range regexp.MustCompile(`(?m)^olmgraph: package (\S+) .*`).FindAllStringSubmatch(errs.String(), -1) {
		told = append(told, m[1])
	}
	if !slices.Equal(told, []string{"a", "a.b"}) {
		t.Errorf("messages about %q:\n%s", told, &errs)
	}
	entries, err := os.ReadDir("pictures")
	var files []string
	for _, e := range entries {
		files = append(files, e.Name())
	}
	if want := []string{"a.b.c.mmd", "a.b.mmd", "a.mmd"}; err != nil || !slices.Equal(files, want) {
		t.Errorf("files %q, want %q: %v", files, want, err)
	}
}

// TestIndexedOnce: what lints the packages for pictures and the page does not index dependencies that are indexed.
func TestIndexedOnce(t *testing.T) {
	cats := opentest.Open(t, filepath.Join("..", "testdata", "catalogs", "harbour"))
	known := &resolve.DependencyIndex{}
	j := &renderJob{opener: &opener{session: &session{logger: newLogger(nil)}}, cat: cats[0], index: known, config: &lint.Config{}, judgements: &judgements{}, outputs: outputs{all: []output{{format: "html"}}}}
	if _, err := j.findings(t.Context(), j.cat.Packages); err != nil || j.index != known {
		t.Errorf("the dependencies are indexed again: %v", err)
	}
}

// TestExplainedCommands checks that the commands of olmgraph which explain prints exist, with their flags and rules.
func TestExplainedCommands(t *testing.T) {
	var commands []string
	for _, m := range messages.All() {
		for _, s := range m.Steps {
			commands = append(commands, s.Command)
		}
	}
	for _, term := range messages.AllTerms() {
		commands = append(commands, term.Do.Command)
	}
	app := (&session{logger: newLogger(nil)}).app()
	n := 0
	for _, line := range commands {
		for _, m := range regexp.MustCompile(`(?:^|\| *)olmgraph ([^|>]*)`).FindAllStringSubmatch(line, -1) {
			n++
			args := strings.Fields(m[1])
			command := app.Command(args[0])
			if command == nil {
				if args[0] != "CATALOG" {
					t.Errorf("%s: no command %s", line, args[0])
				}
				continue
			}
			for i, arg := range args {
				name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
				if arg != "-" && strings.HasPrefix(arg, "-") && flagNamed(command.Flags, name) == nil {
					t.Errorf("%s: no flag %s", line, arg)
				}
				if i == 0 || args[i-1] != "--only" {
					continue
				}
				for _, id := range strings.Split(strings.Trim(arg, "'"), ",") {
					if !slices.ContainsFunc(rules.All(), func(r lint.Rule) bool { return matches(&r, id) }) {
						t.Errorf("%s: no rule %s", line, id)
					}
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d commands", n)
	}
}

// typedFlags are what people take for flags: other names of flags and of commands.
func typedFlags() []string {
	all := slices.Collect(maps.Keys(flagSynonyms()))
	for _, cmd := range commands() {
		all = slices.AppendSeq(append(all, cmd.name), maps.Keys(cmd.synonyms))
	}
	all = slices.DeleteFunc(all, func(name string) bool { return name == "" || strings.Contains(name, " ") })
	slices.Sort(all)
	return slices.Compact(all)
}

// TestTyped asks what is meant by every synonym, and by every command with flags that it does not have, with arguments of any kind behind it: each line that
// is suggested begins with a command or a catalog.
func TestTyped(t *testing.T) {
	harbour, err := filepath.Abs(filepath.Join("..", "testdata", "catalogs", "harbour"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS("harbour", os.DirFS(harbour)); err != nil {
		t.Fatal(err)
	}
	tails := [][]string{nil, {"-o"}, {"-o", "new.svg"}, {"--output=new.json", "harbour", "-"}, {"harbour", "--to", "2.0.0", "--package"},
		{"harbour", "harbour", "1.0.0", "--template", "x", "--channels", "stable"}, {"--nosuch=x", "--", "", "a,b", "1.0.0..2.0.0", "HEAD~1"}}
	check := func(err error, args []string) {
		line := suggestedArgs(err, args)
		if line != nil && !slices.ContainsFunc(commands(), func(c command) bool { return c.name == line[0] }) && !slices.Contains([]string{"--help", "harbour", "CATALOG"}, line[0]) {
			t.Errorf("%q suggests %q", args, line)
		}
	}
	for _, cmd := range commands() {
		for _, flag := range typedFlags() {
			if cmd.hidden {
				break
			}
			args := []string{cmd.name, "--" + flag, "harbour"}
			check(noFlag(t.Context(), args, cmd.forCLI(), flag), args)
		}
		for _, tail := range tails {
			for synonym := range cmd.synonyms {
				args := append(strings.Fields(synonym), tail...)
				check(noCommand(t.Context(), args), args)
			}
			if !cmd.hidden {
				args := append([]string{cmd.name}, tail...)
				check(noFlag(t.Context(), args, cmd.forCLI(), "nosuch"), args)
			}
		}
	}
}
