package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/graph/messages"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// pages returns the pages of the documentation, by name, the README among them.
func pages(t *testing.T) map[string]string {
	t.Helper()
	t.Chdir(os.Getenv("ROOT"))
	names, err := filepath.Glob("docs/*.md")
	if err != nil || len(names) < 10 {
		t.Fatalf("only %d pages in docs: %v", len(names), err)
	}
	all := map[string]string{}
	for _, name := range append(names, "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.ToSlash(name)] = string(text)
	}
	return all
}

var consoleBlock = regexp.MustCompile("(?s)```console\n\\$ olmgraph ([^\n]*)\n(.*?)```\n")

// TestConsoleBlocks checks that the commands in the documentation print the output below them. With -update it writes it.
func TestConsoleBlocks(t *testing.T) {
	blocks := 0
	for name, text := range pages(t) {
		now := consoleBlock.ReplaceAllStringFunc(text, func(block string) string {
			blocks++
			command := consoleBlock.FindStringSubmatch(block)[1]
			_, out, errs := run(t, strings.Fields(command)...)
			if errs != "" {
				t.Errorf("%s: olmgraph %s prints on standard error: %s", name, command, errs)
			}
			return "```console\n$ olmgraph " + command + "\n" + strings.TrimSpace(out) + "\n```\n"
		})
		checkPage(t, name, text, now)
	}
	if blocks < 10 {
		t.Errorf("only %d console blocks were found", blocks)
	}
}

// checkPage compares a page with what it should be. With -update it writes it.
func checkPage(t *testing.T, name, text, want string) {
	t.Helper()
	switch {
	case text == want:
	case *update:
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Error(err)
		}
	default:
		at := 0
		for at < min(len(text), len(want)) && text[at] == want[at] {
			at++
		}
		t.Errorf("%s is not up to date from line %d on (go test ./cli/e2e -run %s -update writes it); want\n%s", name,
			strings.Count(text[:at], "\n")+1, t.Name(), want[at:min(len(want), at+2000)])
	}
}

var link = regexp.MustCompile(`\]\(([^)#: ]+\.(?:md|svg|png|html))?(#[a-z0-9-]+)?\)`)

// TestLinks checks that the README links to every page, that the help names those in docs, and that linked pages and headings exist.
func TestLinks(t *testing.T) {
	all := pages(t)
	_, help, _ := run(t, "--help")
	for name, text := range all {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := name
			if m[1] != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), m[1]))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
			if m[2] != "" && !slices.Contains(anchors(all[target]), m[2]) {
				t.Errorf("%s links to %s%s, and there is no such heading", name, target, m[2])
			}
		}
		if name != "README.md" && !strings.Contains(all["README.md"], "("+name) {
			t.Errorf("the README has no link to %s", name)
		}
		if page, inDocs := strings.CutPrefix(name, "docs/"); inDocs && !strings.Contains(help, page) {
			t.Errorf("olmgraph --help does not name %s", name)
		}
	}
}

// anchors returns the anchors of the headings of a page, as forges make them.
func anchors(text string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		kept := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, "#"+strings.ReplaceAll(kept, " ", "-"))
	}
	return all
}

// TestFormatsPage checks that docs/formats.md has each format of a report.
func TestFormatsPage(t *testing.T) {
	page := pages(t)["docs/formats.md"]
	for _, f := range report.Formats() {
		if row := "| `" + f.Name + "` | " + f.For + " |\n"; !strings.Contains(page, row) {
			t.Errorf("docs/formats.md has no row\n%s", row)
		}
	}
}

// TestRulesPage compares docs/rules.md with the rules. With -update it writes it.
func TestRulesPage(t *testing.T) {
	const begin, end = "<!-- rules: made by olmgraph rules -o markdown -->\n", "<!-- end of rules -->"
	var table bytes.Buffer
	var guides []report.Guide
	for _, r := range rules.All() {
		guides = append(guides, report.Guide{Rule: r})
	}
	markdown := slices.IndexFunc(render.RuleFormats(), func(f text.Format[[]report.Guide]) bool { return f.Name == "markdown" })
	if err := render.RuleFormats()[markdown].Write(&table, guides, text.Style{}); err != nil {
		t.Fatal(err)
	}
	checkTable(t, "docs/rules.md", begin, end, table.String())
}

// checkTable compares a table in a page, between two comments.
func checkTable(t *testing.T, name, begin, end, table string) {
	t.Helper()
	page := pages(t)[name]
	before, rest, found := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", name)
	}
	checkPage(t, name, page, before+begin+table+end+after)
}

// TestMessagesPage compares docs/messages.md with the messages that are explained. With -update it writes it.
func TestMessagesPage(t *testing.T) {
	const begin, end = "<!-- messages: made by TestMessagesPage -->\n", "<!-- end of messages -->"
	var table strings.Builder
	table.WriteString("| message | what it says | stops | acts | source |\n|---|---|---|---|---|\n")
	cell := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
	known := map[string]bool{}
	for _, r := range rules.All() {
		known[r.ID], known[r.Family()] = true, true
	}
	for _, m := range messages.All() {
		named := m.Earlier
		for _, s := range m.Steps {
			if _, only, ok := strings.Cut(s.Command, "--only "); ok {
				named += ", " + strings.ReplaceAll(only, ",", ", ")
			}
		}
		for _, rule := range strings.Split(named, ", ") {
			if rule != "" && !strings.HasPrefix(rule, "olmgraph ") && !known[rule] {
				t.Errorf("%s: no rule %q", m.Name, rule)
			}
		}
		said := "`" + strings.Join(m.Patterns, "`, `") + "`"
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", m.Name, cell(said), m.Stops, m.Who, cell(text.Markdown(m.Source)))
	}
	checkTable(t, "docs/messages.md", begin, end, table.String())
}

// TestPipelinesPage checks that each rule that docs/pipelines.md names exists, and that those of the static tests have a script each.
func TestPipelinesPage(t *testing.T) {
	page := pages(t)["docs/pipelines.md"]
	_, rest, _ := strings.Cut(page, "<!-- checks:")
	static, _, whole := strings.Cut(rest, "<!-- end of checks -->")
	if checks := strings.Count(static, "| `check_"); !whole || checks < 21 {
		t.Errorf("docs/pipelines.md has %d checks of the static tests", checks)
	}
	known := map[string]bool{}
	for _, r := range rules.All() {
		known[r.ID] = true
	}
	for _, m := range regexp.MustCompile("`([a-z]+/[a-z0-9-]+)`").FindAllStringSubmatch(page, -1) {
		if !known[m[1]] {
			t.Errorf("docs/pipelines.md names the rule %s, which does not exist", m[1])
		}
		script := "testdata/script/lint/" + strings.ReplaceAll(m[1], "/", "-") + ".txtar"
		if _, err := os.Stat(script); err != nil && strings.Contains(static, m[0]) {
			t.Error(err)
		}
	}
}
