package e2e

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/report"
)

// TestExamples runs the catalogs of the examples of explain: in one the rule fires, in the other it does not, and the example
// is a part of them.
func TestExamples(t *testing.T) {
	for _, r := range rules.All() {
		if r.ID == "catalog/rule-failed" { // which no catalog makes fail
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			script, err := fs.ReadFile(ruleScripts(), strings.ReplaceAll(r.ID, "/", "-")+".txtar")
			if err != nil {
				t.Fatal(err)
			}
			example := report.ReadExample(script, r.ID)
			if example.Wrong == example.Right && example.Wrong != "" {
				t.Error("wrong and right look the same")
			}
			if r.Scope == lint.ReportedByRun {
				return // what is wrong there is the configuration
			}
			if bytes.Contains(script, []byte("\nnoise ")) {
				t.Skip("what is wrong is too large to be shown")
			}
			wrong, right := report.ScriptRuns(script, r.ID)
			if !fires(t, wrong, r.ID) {
				t.Errorf("it does not fire: olmgraph lint %v", wrong.Args)
			}
			if fires(t, right, r.ID) {
				t.Errorf("it fires: olmgraph lint %v", right.Args)
			}
			checkExcerpt(t, example.Wrong, wrong)
			checkExcerpt(t, example.Right, right)
			if r.Effect() == "" || r.Fix() == "" {
				t.Error("the documentation does not say why it hurts, or what to do")
			}
		})
	}
}

// fires writes the files of a run, runs it and reports whether the rule has findings.
func fires(t *testing.T, trial report.ScriptRun, rule string) bool {
	t.Helper()
	t.Chdir(t.TempDir())
	if len(trial.Files) == 0 {
		t.Fatal("the script has no such catalog")
	}
	for _, f := range trial.Files {
		catalogtest.Write(t, f.Name, string(f.Data))
	}
	_, out, errs := run(t, append([]string{"lint", "-o", "json"}, trial.Args...)...)
	var report struct{ Findings []struct{ Rule string } }
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("olmgraph lint %v: %v: %s", trial.Args, err, errs)
	}
	return slices.ContainsFunc(report.Findings, func(f struct{ Rule string }) bool { return f.Rule == rule })
}

// checkExcerpt checks that each line of an example is in the catalog, except comments for omitted lines and cut lines.
func checkExcerpt(t *testing.T, example string, trial report.ScriptRun) {
	t.Helper()
	var text strings.Builder
	for _, f := range trial.Files {
		text.Write(f.Data)
	}
	for line := range strings.Lines(example) {
		begin := strings.TrimSuffix(strings.TrimSpace(line), "…")
		if line = strings.TrimSpace(line); line != "---" && !strings.HasPrefix(line, "# ") && !strings.Contains(text.String(), begin) {
			t.Errorf("the catalog has no line %q", line)
		}
	}
}
