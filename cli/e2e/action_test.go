package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestAction runs what action.yml runs, as GitHub's runners do, with a program that prints its arguments.
func TestAction(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs struct{ Steps []struct{ Name, Run string } }
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	steps := action.Runs.Steps
	lint := steps[len(steps)-1]
	temp := t.TempDir()
	if err := os.Mkdir(filepath.Join(temp, "olmgraph"), 0o777); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(temp, "olmgraph", "olmgraph")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s|' \"$@\"\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	summary := filepath.Join(temp, "olmgraph", "summary.md")
	always := "lint|-o|github|-o|markdown=" + summary + "|"
	for _, test := range []struct{ catalog, base, only, args, sarif, want string }{
		{catalog: ".", want: ".|"},
		{catalog: "a b\n  c\n\n", args: "--gate opm\n--skip 'x'\n", want: "--gate|opm|--skip|'x'|a|b|c|"},
		{catalog: "*", base: "git:HEAD:a b", only: "true", sarif: "x y", want: "--base|git:HEAD:a b|--new|-o|sarif=x y|*|"},
		{catalog: ".", base: "old", only: "false", want: "--base|old|.|"},
		{catalog: ".", only: "true", want: ".|"},
	} {
		run := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", lint.Run)
		run.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "all.md"), "CATALOG="+test.catalog,
			"BASE="+test.base, "NEW_ONLY="+test.only, "ARGS="+test.args, "SARIF="+test.sarif)
		out, err := run.Output()
		if got := strings.TrimPrefix(string(out), always); got != test.want || run.ProcessState.ExitCode() != 1 {
			t.Errorf("%+v: olmgraph gets %s (%v)", test, out, err)
		}
	}
}
