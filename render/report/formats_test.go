package report

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/excerpt"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/text"
)

// hostile has all characters that have a meaning in some format, or cannot be written in one.
var hostile = "line one\nline \"two\", 'quoted': 100% %0A <b>&amp; ]]> ``` ::error:: [x](y) | \x1b[31mred\x07 \u202e 😀 \xff \u009b31m\n  ::stop-commands::x ##[add-mask]y\n::error::z " +
	strings.Repeat("long ", 60) + "end"

const hostileFile = "dir/a b%20\"<&>]]>,:;#?\n😀\x1b\xff.yaml"

// obeyed matches what a runner executes as a command: at the start of a line, or anywhere.
var obeyed = regexp.MustCompile(`(?m)^\s*::|##[A-Za-z]*\[`)

// hostileReport has the same text wherever a report takes one; the second finding does not count.
func hostileReport() Report {
	f := lint.Finding{Rule: "graph/stuck", Severity: lint.Error, Gates: lint.GateOLMv0, Message: hostile, Fix: hostile,
		Subject: lint.Subject{Package: hostile, Channel: hostile, Bundle: hostile},
		Pos:     catalogs.Pos{File: hostileFile, Line: 3, Col: 7},
		Related: []lint.Related{{Pos: catalogs.Pos{File: hostileFile}, Message: hostile}}}
	hidden := f
	hidden.Message, hidden.Suppressed = "hidden "+hostile, "reason "+hostile
	placeless := f
	placeless.Pos, placeless.Severity = catalogs.Pos{}, lint.Info
	return Report{Findings: []lint.Finding{f, hidden, placeless}, Guides: stuckGuide}
}

func stuckGuide() []Guide {
	rules := rules.All()
	i := slices.IndexFunc(rules, func(r lint.Rule) bool { return r.ID == "graph/stuck" })
	return []Guide{{Rule: rules[i], Example: Example{Wrong: "wrong: <a>\n", Right: "right: `b`\n"}}}
}

func write(t *testing.T, name string, r Report) string {
	t.Helper()
	i := slices.IndexFunc(Formats(), func(f text.Format[Report]) bool { return f.Name == name })
	var out bytes.Buffer
	if err := Formats()[i].Write(&out, r, text.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// readBack is a finding as parsed from a report.
type readBack struct{ Message, File string }

// readers parse reports as their consumers do, and return the findings that count.
var readers = map[string]func(*testing.T, string) []readBack{
	"json":   readJSON,
	"sarif":  readSARIF,
	"junit":  readJUnit,
	"github": readGitHub,
	"gitlab": readGitLab,
}

// TestHostile writes hostile text in every format: it must be read back unchanged, and must not be executed as a command.
func TestHostile(t *testing.T) {
	whole := strings.ToValidUTF8(hostile, "\ufffd")
	both, legibleBoth := whole+"\nfix: "+whole, words.EscapeCommands(text.SafeLines(hostile)+"\nfix: "+text.SafeLines(hostile))
	file := strings.ToValidUTF8(hostileFile, "\ufffd")
	want := map[string][]readBack{
		"json":   {{whole, file}, {whole, ""}},
		"sarif":  {{both, hostileFile}, {both, "."}},
		"junit":  {{words.EscapeCommands(text.SafeLines(hostile)), ""}},
		"github": {{legibleBoth, text.SafeLines(hostileFile)}, {legibleBoth, ""}},
		"gitlab": {{both, file}, {both, "."}},
	}
	for _, f := range Formats() {
		out := write(t, f.Name, hostileReport())
		if out != write(t, f.Name, hostileReport()) {
			t.Errorf("%s: not the same twice", f.Name)
		}
		if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool { return words.Unsafe(r) && r != '\n' }) {
			t.Errorf("%s: a control character, or no UTF-8:\n%q", f.Name, out)
		}
		if command := obeyed.FindString(out); command != "" && (f.Name != "github" || !strings.HasPrefix(command, "::")) {
			t.Errorf("%s: a runner obeys %q in\n%s", f.Name, command, out)
		}
		if read := readers[f.Name]; read != nil {
			if diff := cmp.Diff(want[f.Name], read(t, out)); diff != "" {
				t.Errorf("%s: %s", f.Name, diff)
			}
		} else if strings.Contains(out, "hidden") {
			t.Errorf("%s: shows what is suppressed", f.Name)
		}
	}
}

// TestHostileWords checks the formats that only people read.
func TestHostileWords(t *testing.T) {
	r := hostileReport()
	words := strings.Join(strings.Fields(words.EscapeCommands(text.Safe(hostile))), " ")
	if text := strings.ReplaceAll(strings.Join(strings.Fields(write(t, "text", r)), " "), `\::`, "::"); !strings.Contains(text, words) || !strings.Contains(text, "1 suppressed") {
		t.Errorf("text:\n%s", text)
	}
	lines := strings.Split(write(t, "compact", r), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], text.Safe(hostileFile)+":3:7: error: line one line") || !strings.HasSuffix(lines[0], "end [graph/stuck]") {
		t.Errorf("compact: %q", lines)
	}
	markdown := write(t, "markdown", r)
	if !strings.Contains(markdown, text.Markdown(hostile)) || strings.Contains(markdown, "<b>") || !strings.Contains(markdown, "(1 suppressed)") {
		t.Errorf("markdown:\n%s", markdown)
	}
}

func fromJSON(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func fromXML(t *testing.T, text string, into any) {
	t.Helper()
	if err := xml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func readJSON(t *testing.T, text string) (all []readBack) {
	var report jsonReport
	fromJSON(t, text, &report)
	for _, f := range report.Findings {
		if f.Fingerprint == "" {
			t.Error("json: no fingerprint")
		}
		if f.Suppressed == "" {
			all = append(all, readBack{f.Message, f.File})
		}
	}
	if s := report.Summary; s.Errors != 1 || s.Infos != 1 || s.Suppressed != 1 {
		t.Errorf("json: summary %+v", s)
	}
	return all
}

// sarifLog is what is read of SARIF.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Version         string
				SemanticVersion string
				Rules           []struct {
					ID, HelpURI                             string
					ShortDescription, FullDescription, Help sarifText
					Properties                              struct{ Tags []string }
				}
			}
		}
		Results []struct {
			RuleID                      string
			RuleIndex                   *int
			Level                       string
			Message                     sarifText
			Locations, RelatedLocations []struct {
				PhysicalLocation *struct{ ArtifactLocation struct{ URI string } }
			}
			Suppressions []any
		}
		Invocations []struct {
			ToolExecutionNotifications []struct{ Message sarifText }
		}
	}
}

type sarifText struct{ Text, Markdown string }

func readSARIF(t *testing.T, text string) (all []readBack) {
	var log sarifLog
	fromJSON(t, text, &log)
	run := log.Runs[0]
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[*r.RuleIndex].ID != r.RuleID || r.Suppressions == nil {
			t.Errorf("sarif: %+v", r)
		}
		if len(r.Suppressions) > 0 {
			continue
		}
		p := readBack{Message: r.Message.Text}
		if at := r.Locations[0].PhysicalLocation; at != nil {
			p.File, _ = url.PathUnescape(at.ArtifactLocation.URI)
		}
		all = append(all, p)
	}
	return all
}

func readJUnit(t *testing.T, text string) (all []readBack) {
	var report junitReport
	fromXML(t, text, &report)
	for _, s := range report.Suites {
		for _, c := range s.Cases {
			all = append(all, readBack{Message: c.Failure.Message})
		}
	}
	return all
}

// readGitHub does what the runner does with a workflow command.
func readGitHub(t *testing.T, text string) (all []readBack) {
	for line := range strings.Lines(text) {
		_, command, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "::")
		head, message, _ := strings.Cut(command, "::")
		p := readBack{Message: unescape(message, "%0D", "\r", "%0A", "\n", "%25", "%")}
		_, properties, _ := strings.Cut(head, " ")
		for property := range strings.SplitSeq(properties, ",") {
			if file, ok := strings.CutPrefix(property, "file="); ok {
				p.File = unescape(file, "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
			}
		}
		all = append(all, p)
	}
	return all
}

// unescape replaces one pair after the other, as the runner does.
func unescape(s string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		s = strings.ReplaceAll(s, pairs[i], pairs[i+1])
	}
	return s
}

// readGitLab checks what GitLab requires: a list of issues, each with a description, a check name, a unique fingerprint, one of
// five severities, and a line in a file relative to the repository, without a leading ./.
func readGitLab(t *testing.T, text string) (all []readBack) {
	var issues []gitlabIssue
	fromJSON(t, text, &issues)
	met := map[string]bool{}
	for _, i := range issues {
		severe := slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, i.Severity)
		if i.Check == "" || met[i.Fingerprint] || !severe || i.Location.Lines.Begin < 1 || strings.HasPrefix(i.Location.Path, "./") {
			t.Errorf("gitlab: %+v", i)
		}
		met[i.Fingerprint] = true
		all = append(all, readBack{i.Description, i.Location.Path})
	}
	return all
}

// FuzzFormats writes any text as message and file name: the formats for programs must remain valid.
func FuzzFormats(f *testing.F) {
	f.Add(hostile, hostileFile)
	f.Add("\r\n::error::", "%")
	f.Fuzz(func(t *testing.T, message, file string) {
		found := lint.Finding{Rule: "a/b", Severity: lint.Error, Message: message, Subject: lint.Subject{Package: message}, Pos: catalogs.Pos{File: file, Line: 1, Col: 1}}
		r := Report{Findings: []lint.Finding{found}}
		for _, name := range []string{"json", "sarif", "gitlab"} {
			fromJSON(t, write(t, name, r), new(any))
		}
		fromXML(t, write(t, "junit", r), new(struct{}))
		for _, name := range []string{"github", "compact"} {
			if out := write(t, name, r); strings.Count(out, "\n") != 1 || strings.Contains(out, "\r") {
				t.Errorf("%s: more than one line: %q", name, out)
			}
		}
		if got := readGitHub(t, write(t, "github", r)); got[0].Message != words.EscapeCommands(text.SafeLines(message)) {
			t.Errorf("github: %q", got)
		}
	})
}

// TestGitLabFingerprints checks that the same finding in two places has different fingerprints.
func TestGitLabFingerprints(t *testing.T) {
	r := hostileReport()
	r.Findings = append(r.Findings[:1], r.Findings[0])
	readGitLab(t, write(t, "gitlab", r))
}

// TestGitHubLimit checks that as many annotations of each level are written as GitHub shows, the worst first, and the others counted.
func TestGitHubLimit(t *testing.T) {
	var r Report
	for i := range 36 {
		r.Findings = append(r.Findings, lint.Finding{Rule: "graph/stuck", Severity: []lint.Severity{lint.Warning, lint.Error, lint.Warning}[i%3], Message: "m",
			Subject: lint.Subject{Package: strconv.Itoa(i)}, Pos: catalogs.Pos{File: "./a.yaml", Line: i + 1, Col: 3}})
	}
	r.Findings = append(r.Findings, lint.Finding{Rule: "graph/stuck", Severity: lint.Info, Message: "m"}, lint.Finding{Rule: "a/b", Severity: lint.Error, Suppressed: "s"})
	lines := strings.Split(write(t, "github", r), "\n")
	var levels []string
	for _, line := range lines[:len(lines)-2] {
		levels = append(levels, strings.Fields(line)[0])
	}
	want := slices.Concat(slices.Repeat([]string{"::error"}, 10), slices.Repeat([]string{"::warning"}, 10), []string{"::notice"})
	if diff := cmp.Diff(want, levels); diff != "" {
		t.Error(diff)
	}
	if want := "::error file=a.yaml,line=2,col=3,title=graph/stuck::m"; lines[0] != want {
		t.Errorf("%s, want %s", lines[0], want)
	}
	if rest := lines[21]; !strings.Contains(rest, "2 more errors and 14 more warnings") {
		t.Error(rest)
	}
}

// TestManyFindings checks that no format, but for Markdown, which is cut at 65,000 bytes, has more than 200 lines of one rule for people, or 1,000 findings for programs, and that each counts the rest.
func TestManyFindings(t *testing.T) {
	var r Report
	for i := range 6000 {
		r.Findings = append(r.Findings, lint.Finding{Rule: "a/b", Severity: lint.Error, Message: "m" + strconv.Itoa(i), Fix: "f" + strconv.Itoa(i), Subject: lint.Subject{Package: "p"}})
	}
	for format, most := range map[string]int{"text": 215, "compact": 201, "json": 26_100, "sarif": 30_000, "junit": 2015, "gitlab": 14_000, "github": 31} {
		text := write(t, format, r)
		if n := strings.Count(text, "\n"); n > most || format != "github" && !strings.Contains(text, "left out") {
			t.Errorf("%s has %d lines, want at most %d, and the number of those left out", format, n, most)
		}
		if format == "json" && !strings.Contains(text, `"errors": 6000`) {
			t.Errorf("%s does not count all", format)
		}
	}
	r.Details = true
	if n := strings.Count(write(t, "text", r), "\n"); n < 9000 || n > 10_020 {
		t.Errorf("%d lines with details", n)
	}
}

// TestSARIFLimit checks that a report has no more results than GitHub accepts, the most severe ones, and says what is left out.
func TestSARIFLimit(t *testing.T) {
	var r Report
	for i := range mostResults + 2 {
		r.Findings = append(r.Findings, lint.Finding{Rule: "a/" + strconv.Itoa(i/500), Severity: lint.Warning, Subject: lint.Subject{Package: strconv.Itoa(i)}})
	}
	r.Findings[1].Suppressed = "s"
	r.Findings[2].Severity = lint.Info
	r.Findings[mostResults+1].Severity = lint.Error
	var log sarifLog
	fromJSON(t, write(t, "sarif", r), &log)
	run := log.Runs[0]
	if n := len(run.Results); n != mostResults || run.Results[0].Level != "error" || run.Results[n-1].Level != "warning" {
		t.Errorf("%d results, %+v first", n, run.Results[0])
	}
	if said := run.Invocations[0].ToolExecutionNotifications[0].Message.Text; !strings.Contains(said, words.Count(2, "finding")) {
		t.Error(said)
	}
}

// TestSARIFForGitHub checks what GitHub requires of each report, or it rejects all of it: a file in each location, texts of rules that
// are not too long, and as many tags as it shows. The version is that of the tool, also as a semantic version where it is one.
func TestSARIFForGitHub(t *testing.T) {
	for name, r := range sampleReports(t) {
		var log sarifLog
		r.Version = "v1.2.3"
		fromJSON(t, write(t, "sarif", r), &log)
		driver := log.Runs[0].Tool.Driver
		if driver.Version != "v1.2.3" || driver.SemanticVersion != "1.2.3" {
			t.Errorf("%s: version %q, %q", name, driver.Version, driver.SemanticVersion)
		}
		for _, g := range driver.Rules {
			texts := []string{g.ID, g.ShortDescription.Text, g.FullDescription.Text, g.Help.Text, g.Help.Markdown, g.HelpURI}
			if slices.Contains(texts, "") || len(g.ID) > 255 || max(len(g.ShortDescription.Text), len(g.FullDescription.Text)) > 1024 || len(g.Properties.Tags) > 10 {
				t.Errorf("%s: %+v", name, g)
			}
		}
		for _, result := range log.Runs[0].Results {
			for _, at := range append(result.Locations, result.RelatedLocations...) {
				if at.PhysicalLocation == nil || at.PhysicalLocation.ArtifactLocation.URI == "" {
					t.Errorf("%s: %s has a location without a file", name, result.RuleID)
				}
			}
		}
	}
	for version, want := range map[string]string{"": "", "(devel)": "", "v0.0.0-20260102030405-0123456789ab+dirty": "0.0.0-20260102030405-0123456789ab+dirty"} {
		if got := semanticVersion(version); got != want {
			t.Errorf("%s: %s", version, got)
		}
	}
}

// TestShortLines checks that names and details of any length make no line that a reader of a report cannot show, and no report without end,
// and that the finding is still there. JSON counts what it leaves out.
func TestShortLines(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	f := lint.Finding{Rule: "graph/stuck", Severity: lint.Error, Message: "users of " + long, Fix: long, Subject: lint.Subject{Package: long},
		Pos: catalogs.Pos{File: "a.yaml", Line: 1, Col: 1}}
	for range 1000 {
		f.Details = append(f.Details, lint.Related{Pos: f.Pos, Message: long})
		f.Related = append(f.Related, lint.Related{Pos: f.Pos, Message: "m"})
		f.Also = append(f.Also, lint.Occurrence{Subject: lint.Subject{Channel: "c"}, Pos: f.Pos})
	}
	for _, name := range []string{"compact", "sarif", "junit", "github", "gitlab", "markdown"} {
		out := write(t, name, Report{Findings: []lint.Finding{f}, Guides: stuckGuide})
		longest := 0
		for line := range strings.Lines(out) {
			longest = max(longest, len(line))
		}
		if longest > 3500 || len(out) > 60_000 || !strings.Contains(out, "users of x") {
			t.Errorf("%s: a line of %d bytes, %d in all:\n%.300s", name, longest, len(out), out)
		}
	}
	r := Report{Findings: []lint.Finding{f}}
	f.Details = append(f.Details, f.Details...)
	r.Findings[0].Details = f.Details
	if got := r.findingJSON(r.Findings[0]); len(got.Details) != mostFindings || got.LeftOut != len(f.Details)-mostFindings {
		t.Errorf("JSON has %d details of %d, and %d are left out", len(got.Details), len(f.Details), got.LeftOut)
	}
}

// TestMarkdownLimit checks that a comment that is too long is cut, with a correct note.
func TestMarkdownLimit(t *testing.T) {
	r := Report{Infos: true}
	for i := range 3000 {
		r.Findings = append(r.Findings, lint.Finding{Rule: "graph/stuck", Severity: lint.Severity(i%3 + 1), Message: hostile,
			Subject: lint.Subject{Package: strings.Repeat("p", i%7+1)}})
	}
	slices.SortStableFunc(r.Findings, func(a, b lint.Finding) int { return int(b.Severity - a.Severity) })
	out := write(t, "markdown", r)
	shown := strings.Count(out, "\n- **")
	_, note, cut := strings.Cut(out, "**Cut:** ")
	if len(out) > markdownLimit || shown == 0 || !cut || !strings.HasPrefix(note, words.Count(3000-shown, "finding")+" of 7 packages") {
		t.Errorf("%d bytes, %d shown: %s", len(out), shown, note)
	}
	if strings.Count(out, "<details") != strings.Count(out, "</details>") || !strings.Contains(out, "- **error**") {
		t.Error("a fold is open, or the worst was cut")
	}
}

// TestSARIFColumns checks that byte columns become UTF-16 columns.
func TestSARIFColumns(t *testing.T) {
	p := catalogs.Pos{File: "f", Line: 1, Col: len("é😀: ") + 1}
	s := sarif{excerpts: map[catalogs.Pos]excerpt.Excerpt{p: {Text: "é😀: x", Col: p.Col}}}
	if got := s.column(p); got != 6 {
		t.Errorf("column %d, want 6", got)
	}
	if got := s.column(catalogs.Pos{File: "g", Line: 1, Col: 1}); got != 0 {
		t.Errorf("column %d in a file that is not there", got)
	}
}

func TestSARIFURI(t *testing.T) {
	for name, want := range map[string]string{
		"a b/c.yaml": "a%20b/c.yaml", "./x.yaml": "x.yaml", "v4.18:x": "v4.18%3Ax", "/abs/ü": "file:///abs/%C3%BC", "../up": "../up", "%": "%25",
		"C:/w/a b.yaml": "file:///C:/w/a%20b.yaml", "C:x": "C%3Ax", "v4.18:/x": "v4.18%3A/x",
	} {
		if got := sarifURI(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

// sampleReports are reports for the schema tests: without findings, with hostile text, and of the small catalogs.
func sampleReports(t *testing.T) map[string]Report {
	t.Helper()
	all := map[string]Report{"empty": {}, "hostile": hostileReport()}
	for _, name := range []string{"broken", "clean", "marina"} {
		cats := opentest.Open(t, filepath.Join("..", "..", "testdata", "catalogs", name))
		findings, err := lint.Run(context.Background(), cats, lint.Options{Rules: rules.All()})
		if err != nil {
			t.Fatal(err)
		}
		all[name] = Report{Catalogs: cats, Findings: findings, Version: "v1.2.3", Guides: func() []Guide {
			var guides []Guide
			for _, r := range rules.All() {
				guides = append(guides, Guide{Rule: r})
			}
			return guides
		}}
	}
	return all
}
