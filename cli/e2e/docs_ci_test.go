package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// snippet decodes the YAML block of docs/ci.md that contains a text.
func snippet(t *testing.T, mark string, into any) {
	t.Helper()
	page := pages(t)["docs/ci.md"]
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?\n)```\n").FindAllStringSubmatch(page, -1) {
		if strings.Contains(block[1], mark) {
			if err := yaml.Unmarshal([]byte(block[1]), into); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("docs/ci.md has no snippet with %s", mark)
}

// change is what a pull request does to the catalog of checkout, and where that is reported.
type change struct {
	name, old, new string
	at             string // file, line and column of the error; "" if there is none
}

func changes() []change {
	return []change{
		{"clean", "name: tide\n", "name: tide\ndescription: Tide tables.\n", ""},
		{"fault", ", replaces: tide.v1.0.0", "", "catalogs/tide/catalog.yaml:10:10"},
	}
}

// inText returns what the text report says of the change.
func (c change) inText() string {
	if c.at == "" {
		return "No problems found"
	}
	return c.at + " error "
}

const tide = `schema: olm.package
name: tide
defaultChannel: stable
---
schema: olm.channel
package: tide
name: stable
entries:
- {name: tide.v1.0.0}
- {name: tide.v1.1.0, replaces: tide.v1.0.0}
---
schema: olm.bundle
package: tide
name: tide.v1.0.0
image: registry.example/tide:1.0.0
properties:
- type: olm.package
  value: {packageName: tide, version: 1.0.0}
---
schema: olm.bundle
package: tide
name: tide.v1.1.0
image: registry.example/tide:1.1.0
properties:
- type: olm.package
  value: {packageName: tide, version: 1.1.0}
`

// git runs git in a folder, with no configuration but what the test has.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// origin makes a repository as a forge has it: main; feature, which makes the change; and refs/pull/1/merge, the merge of the two.
// Since feature began, main has got an operator with a fault, which is none of the pull request's.
func origin(t *testing.T, c change) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, "catalogs", name, "catalog.yaml")
		catalogtest.Write(t, file, text)
	}
	commit := func(message string) {
		git(t, dir, "add", ".")
		git(t, dir, "commit", "-qm", message)
	}
	git(t, dir, "init", "-q", "-b", "main")
	write("tide", tide)
	commit("tide")
	git(t, dir, "checkout", "-qb", "feature")
	write("tide", strings.Replace(tide, c.old, c.new, 1))
	commit("the change")
	git(t, dir, "checkout", "-q", "main")
	write("reef", strings.Replace(strings.ReplaceAll(tide, "tide", "reef"), "defaultChannel: stable", "defaultChannel: none", 1))
	commit("a fault on main")
	git(t, dir, "checkout", "-q", "--detach")
	git(t, dir, "merge", "-q", "--no-ff", "-m", "merge", "feature")
	git(t, dir, "update-ref", "refs/pull/1/merge", "HEAD")
	git(t, dir, "checkout", "-q", "main")
	return dir
}

// fetched makes a checkout as runners do: they fetch refspecs, and check out one commit without a branch.
func fetched(t *testing.T, from, head string, fetch ...string) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	git(t, dir, "remote", "add", "origin", "file://"+filepath.ToSlash(from))
	git(t, dir, append([]string{"fetch", "-q", "--no-tags", "origin"}, fetch...)...)
	git(t, dir, "checkout", "-q", "--detach", head)
	return dir
}

// checkRun checks what a run of olmgraph in a pipeline said.
func checkRun(t *testing.T, c change, failed bool, out, want string) {
	t.Helper()
	if failed != (c.at != "") || !strings.Contains(out, want) || strings.Contains(out, "reef") {
		t.Errorf("failed: %v, want %q in\n%s", failed, want, out)
	}
}

func TestGitHubSnippet(t *testing.T) {
	needCommands(t, "bash", "curl", "tar", "git")
	var w workflow
	snippet(t, "actions/checkout", &w)
	steps := w.Jobs["olmgraph"].Steps
	checkout, use := steps[0], steps[1]
	if !strings.HasPrefix(checkout.Uses, "actions/checkout@") || checkout.With["fetch-depth"] != "2" ||
		!strings.HasPrefix(use.Uses, "olmgraph/olmgraph@") {
		t.Fatalf("%+v", steps)
	}
	const program = "#!/bin/sh\nexec olmgraph \"$@\"\n"
	path := pathWithCurl(t, program)
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			from := origin(t, c)
			for base, depth := range map[string]string{ // what actions/checkout fetches with fetch-depth 0, and with 2
				use.With["base"]:           "--depth=2",
				"git:origin/main:catalogs": "+refs/heads/*:refs/remotes/origin/*",
			} {
				inputs := maps.Clone(use.With)
				inputs["base"], inputs["upload-sarif"], inputs["artifact"] = base, "true", ""
				j := newJob(t, "v1.2.3", releasedFile(program), fetched(t, from, "refs/remotes/pull/1/merge", depth, "+refs/pull/1/merge:refs/remotes/pull/1/merge"), inputs)
				j.env = append(j.env, path)
				j.run()
				want, summary := c.inText(), "### olmgraph: no problems found"
				if c.at != "" {
					want, summary = annotation(c.at), "### olmgraph: 1 error, "
				}
				checkRun(t, c, j.failed, j.out, want)
				if !strings.HasPrefix(j.summary(), summary) {
					t.Errorf("summary:\n%s", j.summary())
				}
				checkUpload(t, j, c)
			}
		})
	}
}

// annotation returns the start of the annotation of an error at a position.
func annotation(at string) string {
	parts := strings.Split(at, ":")
	return "::error file=" + parts[0] + ",line=" + parts[1] + ",col=" + parts[2] + ",title="
}

// checkUpload checks that a job uploads the report, even if it has failed, and nothing else.
func checkUpload(t *testing.T, j *job, c change) {
	t.Helper()
	if !strings.HasPrefix(j.uses(), "github/codeql-action/upload-sarif@") || len(j.used) != 1 {
		t.Fatalf("used %q", j.uses())
	}
	text, err := os.ReadFile(j.used[0].With["sarif_file"])
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct{ Results []struct{ Level string } }
	}
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	if hasError := slices.ContainsFunc(log.Runs[0].Results, func(r struct{ Level string }) bool { return r.Level == "error" }); hasError != (c.at != "") {
		t.Errorf("the uploaded report has an error: %v", hasError)
	}
}

func TestGitLabSnippet(t *testing.T) {
	needCommands(t, "bash", "git")
	var pipeline map[string]struct {
		Rules     []struct{ If string }
		Variables map[string]string
		Script    []string
		Artifacts struct {
			When    string
			Reports struct{ Codequality string }
		}
	}
	snippet(t, "codequality", &pipeline)
	p := pipeline["olmgraph"]
	if len(p.Rules) != 1 || p.Rules[0].If != `$CI_PIPELINE_SOURCE == "merge_request_event"` || p.Variables["GIT_DEPTH"] != "0" ||
		p.Artifacts.When != "always" {
		t.Errorf("%+v", p)
	}
	path := pathWithGo(t, "#!/bin/sh\necho \"go $*\"\n")
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			from := origin(t, c)
			for head, fetch := range map[string]string{ // with merged results, and without
				"refs/pipelines/1": "+refs/pull/1/merge:refs/pipelines/1",
				"refs/pipelines/2": "+refs/heads/feature:refs/pipelines/2",
			} {
				dir := fetched(t, from, head, fetch)
				run := exec.Command("bash", "-eo", "pipefail", "-c", strings.Join(p.Script, "\n"))
				run.Dir = dir
				run.Env = append(os.Environ(), "CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main", path)
				out, err := run.CombinedOutput()
				checkRun(t, c, err != nil, strings.ReplaceAll(string(out), from, ""), c.inText())
				if !strings.HasPrefix(string(out), "go install github.com/olmgraph/olmgraph@latest\n") {
					t.Errorf("the script does not install olmgraph:\n%s", out)
				}
				checkQuality(t, filepath.Join(dir, p.Artifacts.Reports.Codequality), c)
			}
		})
	}
}

// checkQuality checks that a Code Quality report has the error.
func checkQuality(t *testing.T, file string, c change) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var issues []struct {
		Severity string
		Location struct{ Path string }
	}
	if err := json.Unmarshal(text, &issues); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, i := range issues {
		found = found || i.Severity == "critical" && i.Location.Path == strings.Split(c.at, ":")[0]
	}
	if found != (c.at != "") {
		t.Errorf("%s:\n%s", file, text)
	}
}

// tektonTask is the part of a task of Tekton that the test runs.
type tektonTask struct {
	Spec struct {
		Params []struct {
			Name    string
			Default any
		}
		Workspaces []struct {
			Name     string
			ReadOnly bool `yaml:"readOnly"`
		}
		Steps []struct {
			WorkingDir string `yaml:"workingDir"`
			Args       []string
		}
	}
}

// command returns the command of the only step, in workspaces, with flags.
func (task *tektonTask) command(t *testing.T, workspaces map[string]string, flags ...string) *exec.Cmd {
	t.Helper()
	values := map[string]string{}
	for _, w := range task.Spec.Workspaces {
		if workspaces[w.Name] == "" || w.ReadOnly != (w.Name == "source") {
			t.Errorf("%+v", w)
		}
		values["$(workspaces."+w.Name+".path)"] = workspaces[w.Name]
	}
	for _, p := range task.Spec.Params {
		if text, ok := p.Default.(string); ok {
			values["$(params."+p.Name+")"] = text
		}
	}
	expand := func(s string) string {
		return regexp.MustCompile(`\$\(.*?\)`).ReplaceAllStringFunc(s, func(name string) string {
			if values[name] == "" {
				t.Errorf("no value for %s", name)
			}
			return values[name]
		})
	}
	var args []string
	for _, arg := range task.Spec.Steps[0].Args {
		if arg == "$(params.flags[*])" {
			args = append(args, flags...)
			continue
		}
		args = append(args, expand(arg))
	}
	c := exec.Command("olmgraph", args...)
	c.Dir = expand(task.Spec.Steps[0].WorkingDir)
	return c
}

func TestTektonSnippet(t *testing.T) {
	needCommands(t, "git")
	var task tektonTask
	snippet(t, "tekton.dev", &task)
	dockerfile, err := os.ReadFile(filepath.Join(os.Getenv("ROOT"), "Dockerfile"))
	if err != nil || !strings.Contains(string(dockerfile), `ENTRYPOINT ["/usr/bin/olmgraph"]`) {
		t.Fatalf("the image does not run olmgraph: %v", err)
	}
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			source := fetched(t, origin(t, c), "refs/remotes/origin/feature", "+refs/heads/*:refs/remotes/origin/*")
			report := t.TempDir()
			readOnly(t, source)
			run := task.command(t, map[string]string{"source": source, "report": report}, "--base=git:origin/main:catalogs", "--new")
			out, err := run.CombinedOutput()
			checkRun(t, c, err != nil, string(out), c.inText())
			if text, err := os.ReadFile(filepath.Join(report, "olmgraph.xml")); err != nil || strings.Contains(string(text), "<failure") != (c.at != "") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// readOnly takes the right to write from a folder, until the test ends.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o777) })
}

func TestPreCommitSnippet(t *testing.T) {
	needCommands(t, "bash", "git")
	type hook struct {
		ID, Entry, Language string
		Args                []string
		PassFilenames       bool `yaml:"pass_filenames"`
	}
	var config struct {
		Repos []struct{ Hooks []hook }
	}
	snippet(t, "hooks:", &config)
	text, err := os.ReadFile(filepath.Join(os.Getenv("ROOT"), ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks []hook
	if err := yaml.Unmarshal(text, &hooks); err != nil {
		t.Fatal(err)
	}
	used := config.Repos[0].Hooks[0]
	i := slices.IndexFunc(hooks, func(h hook) bool { return h.ID == used.ID })
	if i < 0 || hooks[i].PassFilenames || hooks[i].Language != "golang" {
		t.Fatalf("%+v in %+v", used, hooks)
	}
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			from := origin(t, c)
			dir := fetched(t, from, "refs/heads/feature", "+refs/heads/*:refs/heads/*")
			run := exec.Command("olmgraph", append(strings.Fields(hooks[i].Entry)[1:], used.Args...)...)
			run.Dir = dir
			out, err := run.CombinedOutput()
			want := "0 errors" // and warnings, since there is no base
			if c.at != "" {
				want = "catalogs/tide/catalog.yaml:9:10 error " // which change is the cause is not known without a base
			}
			checkRun(t, c, err != nil, string(out), want)
		})
	}
}
