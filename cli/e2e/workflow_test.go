package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// workflow is a workflow of GitHub with one job.
type workflow struct {
	Name        string
	On          any
	Permissions map[string]string
	Jobs        map[string]struct {
		If          string
		Permissions map[string]string
		Steps       []step
	}
}

// fakeGH answers as gh does for a repository, of which the folder FAKE has pulls.json, comments.json and the artifact; jq evaluates what
// gh's own would.
const fakeGH = `#!/usr/bin/env bash
set -euo pipefail
[ -n "$GH_TOKEN" ]
echo "$*" >>"$FAKE/calls"
filter=.
for ((i = 1; i < $#; i++)); do j=$((i + 1)); if [ "${!i}" = --jq ]; then filter=${!j}; fi; done
answer() { jq -r "$filter" "$1"; }
change() { jq "$@" "$FAKE/comments.json" >"$FAKE/new" && mv "$FAKE/new" "$FAKE/comments.json"; }
case "$*" in
  "api -X GET repos/o/r/pulls -f state=open -f head=fork:a;b "*) answer "$FAKE/pulls.json" ;;
  "run download 7 --name olmgraph --dir change") cp -a "$FAKE/artifact" change ;;
  "api --paginate repos/o/r/issues/5/comments "*) answer "$FAKE/comments.json" ;;
  "api -X POST repos/o/r/issues/5/comments -F body=@comment.md "*)
    change --rawfile body comment.md '. + [{id: 30, user: {login: "github-actions[bot]"}, body: $body}]' ;;
  "api -X PATCH repos/o/r/issues/comments/30 -F body=@comment.md "*)
    change --rawfile body comment.md 'map(if .id == 30 then .body = $body else . end)' ;;
  *) exit 99 ;;
esac
`

// commenter runs the second workflow of docs/ci.md.
type commenter struct {
	t    *testing.T
	step step
	fake string // folder of what gh answers
}

// comment is a comment as the API of GitHub has it.
type comment struct {
	ID   int               `json:"id"`
	User map[string]string `json:"user"`
	Body string            `json:"body"`
}

func newCommenter(t *testing.T) *commenter {
	t.Helper()
	needCommands(t, "bash", "jq", "awk")
	var w workflow
	snippet(t, "workflow_run", &w)
	c := &commenter{t: t, step: w.Jobs["comment"].Steps[0], fake: t.TempDir()}
	c.write("gh", fakeGH)
	if err := os.Chmod(filepath.Join(c.fake, "gh"), 0o777); err != nil {
		t.Fatal(err)
	}
	c.write("pulls.json", `[{"number": 4, "head": {"sha": "old"}}, {"number": 5, "head": {"sha": "abc"}}]`)
	c.write("comments.json", `[{"id": 10, "user": {"login": "somebody"}, "body": "<!-- olmgraph --> mine"}, {"id": 20, "user": {"login": "github-actions[bot]"}, "body": "other"}]`)
	return c
}

func (c *commenter) write(name, text string) {
	c.t.Helper()
	file := filepath.Join(c.fake, name)
	catalogtest.Write(c.t, file, text)
}

// run runs the workflow after a run of the first one for a commit, and returns the comments that it made, and how it called gh.
func (c *commenter) run(commit, result string) (bodies []string, calls string) {
	c.t.Helper()
	os.Remove(filepath.Join(c.fake, "calls"))
	event := "github.event.workflow_run."
	j := &job{t: c.t, temp: c.t.TempDir(), dir: c.t.TempDir(), values: map[string]string{"github.token": "secret", "github.repository": "o/r", event + "id": "7",
		event + "conclusion": result, event + "html_url": "https://github.com/o/r/actions/runs/7", event + "head_sha": commit,
		event + "head_repository.owner.login": "fork", event + "head_branch": "a;b"}}
	j.env = append(os.Environ(), "FAKE="+c.fake, "PATH="+c.fake+string(os.PathListSeparator)+os.Getenv("PATH"))
	if j.script(c.step); j.failed {
		c.t.Fatal(j.out)
	}
	text, err := os.ReadFile(filepath.Join(c.fake, "comments.json"))
	if err != nil {
		c.t.Fatal(err)
	}
	var all []comment
	if err := json.Unmarshal(text, &all); err != nil {
		c.t.Fatal(err)
	}
	if all[0].Body != "<!-- olmgraph --> mine" || all[1].Body != "other" {
		c.t.Errorf("a comment of somebody else was changed: %v", all[:2])
	}
	for _, one := range all[2:] {
		bodies = append(bodies, one.Body)
	}
	log, _ := os.ReadFile(filepath.Join(c.fake, "calls"))
	return bodies, string(log)
}

// TestWorkflowRights checks that what runs with the files of a pull request may only read, and that what may comment runs nothing of it.
func TestWorkflowRights(t *testing.T) {
	var check, post workflow
	snippet(t, "actions/checkout", &check)
	snippet(t, "workflow_run", &post)
	if diff := cmp.Diff(map[string]string{"contents": "read"}, check.Permissions); diff != "" || check.On != "pull_request" {
		t.Errorf("the workflow of the pull request runs on %v: %s", check.On, diff)
	}
	if with := check.Jobs["olmgraph"].Steps[0].With; with["persist-credentials"] != "false" || check.Jobs["olmgraph"].Permissions != nil {
		t.Errorf("a token is left to what follows: %v", with)
	}
	on := map[string]any{"workflow_run": map[string]any{"workflows": []any{check.Name}, "types": []any{"completed"}}}
	if diff := cmp.Diff(on, post.On); diff != "" {
		t.Error(diff)
	}
	job := post.Jobs["comment"]
	if diff := cmp.Diff(map[string]string{"actions": "read", "pull-requests": "write"}, job.Permissions); diff != "" || post.Permissions == nil || len(post.Permissions) > 0 {
		t.Errorf("the workflow that comments may do more: %v %s", post.Permissions, diff)
	}
	if len(post.Jobs) != 1 || len(job.Steps) != 1 || job.Steps[0].Uses != "" || strings.Contains(job.Steps[0].Run, "${{") ||
		!strings.Contains(job.If, "workflow_run.event == 'pull_request'") || strings.Contains(job.Steps[0].Run, "git ") {
		t.Errorf("the workflow that comments uses another action, a checkout, or text of the event as code: %+v", job)
	}
}

// TestWorkflows pushes to a pull request twice: the check fails and then passes, there is one comment, which is changed, and an artifact each time.
func TestWorkflows(t *testing.T) {
	needCommands(t, "bash", "curl", "tar", "git")
	c := newCommenter(t)
	var check workflow
	snippet(t, "actions/checkout", &check)
	use := check.Jobs["olmgraph"].Steps[1]
	const program = "#!/bin/sh\nexec olmgraph \"$@\"\n"
	path := pathWithCurl(t, program)
	last := ""
	for i, change := range []change{changes()[1], changes()[0]} {
		dir := fetched(t, origin(t, change), "refs/remotes/pull/1/merge", "--depth=2", "+refs/pull/1/merge:refs/remotes/pull/1/merge")
		j := newJob(t, "v1.2.3", releasedFile(program), dir, use.With)
		j.env = append(j.env, path)
		j.run()
		if j.failed != (change.at != "") || !strings.HasPrefix(j.uses(), "actions/upload-artifact@") || j.used[0].With["name"] != "olmgraph" {
			t.Fatalf("failed: %v, uses %s:\n%s", j.failed, j.uses(), j.out)
		}
		artifact := j.used[0].With["path"]
		page, err := os.ReadFile(filepath.Join(artifact, "change.html"))
		if err != nil || !strings.HasPrefix(strings.ToLower(string(page)), "<!doctype html>") || !strings.HasSuffix(string(page), "</html>\n") {
			t.Errorf("the page of the change: %v", err)
		}
		os.RemoveAll(filepath.Join(c.fake, "artifact"))
		if err := os.CopyFS(filepath.Join(c.fake, "artifact"), os.DirFS(artifact)); err != nil {
			t.Fatal(err)
		}
		result := map[bool]string{true: "failure", false: "success"}[j.failed]
		bodies, calls := c.run("abc", result)
		method := []string{"api -X POST ", "api -X PATCH "}[i]
		if len(bodies) != 1 || bodies[0] == last || strings.Count(calls, "\n") != 4 || !strings.Contains(calls, method) {
			t.Fatalf("%d comments:\n%s\n%s", len(bodies), calls, bodies)
		}
		last = bodies[0]
		title, text := "### olmgraph: passed\n", "No problems found"
		if j.failed {
			title, text = "### olmgraph: failed\n\n```mermaid\n", change.at
		}
		if !strings.Contains(last, title) || !strings.Contains(last, text) {
			t.Errorf("the comment:\n%s", last)
		}
	}
	if bodies, calls := c.run("older", "failure"); bodies[0] != last || strings.Contains(calls, "comments") {
		t.Errorf("a run of a commit that is not the head any more comments:\n%s", calls)
	}
}

// TestHostileArtifact gives the second workflow what a fork can upload: all of it must be in blocks of code, bounded, and none of it read
// from elsewhere.
func TestHostileArtifact(t *testing.T) {
	evil := "@everyone https://evil.example ![x](//evil.example/x.png) <img src=x>\n```\n````\n~~~\n</details>\n### fixed #1\r\x1b[31m\u202e ::error::x\n"
	for name, picture := range map[string]string{
		"link": "flowchart LR\n a-->b; click a \"x\"\n", "image": "a@{ img: \"x\" }\n", "directive": "%%{init: {}}%%\n", "image of HTML": "a[\"<img src=x>\"]\n", "address": "a[https://evil.example]\n",
		"size": strings.Repeat("a-->b\n", 10_000), "plain": "flowchart LR\n a-->b\n",
	} {
		c := newCommenter(t)
		c.write("secret", "of the runner")
		c.write("artifact/change.md", evil+"```mermaid\n"+picture+"```\n"+evil)
		c.write("artifact/lint.txt", strings.Repeat(evil, 20_000))
		c.write("artifact/number", "1")
		if err := os.Symlink(filepath.Join(c.fake, "secret"), filepath.Join(c.fake, "artifact", "change.txt")); err != nil {
			t.Fatal(err)
		}
		bodies, _ := c.run("abc", "failure")
		body := bodies[0]
		if len(body) > 65_536 || strings.Contains(body, "of the runner") || strings.Contains(body, "```mermaid") != (name == "plain") {
			t.Errorf("%s: %d bytes:\n%.2000s", name, len(body), body)
		}
		if strings.ContainsFunc(body, func(r rune) bool { return r > '~' || r < ' ' && r != '\n' }) {
			t.Errorf("%s: a character that is not printable", name)
		}
		outside := regexp.MustCompile("(?s)```(text|mermaid)\n.*?\n```\n").ReplaceAllString(body, "")
		var lines []string
		for line := range strings.Lines(outside) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
		want := []string{"<!-- olmgraph -->", "### olmgraph: failed",
			"[The whole report, and the page of the change](https://github.com/o/r/actions/runs/7), of abc"}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("%s: outside of code: %s", name, diff)
		}
	}
}
