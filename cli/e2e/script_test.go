// Package e2e holds tests and benchmarks of the whole program, and of what is in the project's root.
package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/olmgraph/olmgraph/cli"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

// TestMain runs olmgraph where a test starts the test program as a process. $ROOT is the root of the project.
func TestMain(m *testing.M) {
	if os.Getenv("ROOT") == "" {
		dir, err := os.Getwd()
		if err != nil {
			panic(err)
		}
		os.Setenv("ROOT", filepath.Dir(filepath.Dir(dir)))
	}
	if graphviz.IsChild() {
		os.Exit(graphviz.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	testscript.Main(m, map[string]func(){"olmgraph": runChecked})
}

// runChecked runs olmgraph as a process. If it writes JSON, that is checked against its schema, and a fault ends it with status 99.
func runChecked() {
	if !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.Contains(arg, "json") }) {
		cli.Main(ruleScripts())
	}
	var out bytes.Buffer
	status := cli.Run(context.Background(), os.Args, os.Stdin, io.MultiWriter(os.Stdout, &out), os.Stderr, ruleScripts())
	if wrong := wrongJSON(os.Args[1:], out.Bytes()); wrong != "" {
		fmt.Fprintln(os.Stderr, wrong)
		os.Exit(99)
	}
	os.Exit(status)
}

// ruleScripts are the scripts of the rules, as main.go embeds them.
func ruleScripts() fs.FS {
	return os.DirFS(filepath.Join(os.Getenv("ROOT"), "testdata", "script", "lint"))
}

// run runs a command line in this process.
func run(t testing.TB, args ...string) (status int, stdout, stderr string) {
	var out, errs strings.Builder
	status = cli.Run(t.Context(), append([]string{"olmgraph"}, args...), nil, &out, &errs, ruleScripts())
	if wrong := wrongJSON(args, []byte(out.String())); wrong != "" {
		t.Errorf("olmgraph %v: %s", args, wrong)
	}
	return status, out.String(), errs.String()
}

var update = flag.Bool("update", false, "rewrite the files that scripts compare output with")

// TestScripts runs every script under testdata/script, which has a folder for each topic.
func TestScripts(t *testing.T) {
	topics, err := filepath.Glob(filepath.Join(os.Getenv("ROOT"), "testdata/script/*"))
	if err != nil || len(topics) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, dir := range topics {
		t.Run(filepath.Base(dir), func(t *testing.T) { runScripts(t, dir) })
	}
}

// runScripts runs the scripts of a folder.
func runScripts(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir:           dir,
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", os.Getenv("ROOT"))
			e.Values[input{}] = new(string)
			if cache, err := os.UserCacheDir(); err == nil {
				e.Setenv("XDG_CACHE_HOME", cache) // a script has no home, and would compile Graphviz at each start
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": checkStatus, "input": setInput, "mistake": checkMistake, "change": checkChange, "unwrapped": matchUnwrapped,
			"image": makeImage, "registry": serveRegistry, "sql": makeDatabase, "running-sql": makeRunningDatabase, "commit": commitFolder,
			"noise": makeNoise, "pack": packFolder, "compress": packFile, "dialogue": speakToEditor,
		},
	})
}

// checkStatus is "status N command args…": the command must end with exactly that status.
func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command args…")
	}
	got := 0
	if args[1] == "olmgraph" {
		got = runInScript(ts, args[2:], ts.Stdout(), ts.Stderr())
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("status %d, want %s", got, args[0])
	}
}

// checkMistake is "mistake FILE OLD NEW WANT": it replaces OLD in a file of a copy of the folder base, and lint must print the one line
// WANT, in which file names are those in the folder, and end with 1. In OLD and NEW, \n is a new line and \t a tab.
func checkMistake(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: mistake FILE OLD NEW WANT")
	}
	checkEdited(ts, args)
}

// checkChange is "change FILE OLD NEW WANT": as mistake, with the files of the folder added too, base as the base, of what it does not have, and with the
// fix of the finding.
func checkChange(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: change FILE OLD NEW WANT FIX")
	}
	checkEdited(ts, args[:4], "--new", "--base", "base")
	out := lintMistake(ts, "-o", "text", "--fail-on", "warning", "--new", "--base", "base")
	if text := strings.Join(strings.Fields(out), " "); !strings.Contains(text, "fix: "+args[4]) || strings.Count(text, "fix: ") != 1 {
		ts.Fatalf("want the fix %q\n%s", args[4], text)
	}
}

// lintMistake lints the folder mistake, which must have findings, and returns the report.
func lintMistake(ts *testscript.TestScript, flags ...string) string {
	var out strings.Builder
	args := append(append([]string{"lint"}, flags...), "mistake")
	if status := runInScript(ts, args, &out, &out); status != 1 {
		ts.Fatalf("olmgraph %s: status %d\n%s", strings.Join(args, " "), status, &out)
	}
	return out.String()
}

// checkEdited is mistake, with further arguments of lint.
func checkEdited(ts *testscript.TestScript, args []string, more ...string) {
	literal := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	ts.Check(os.RemoveAll(ts.MkAbs("mistake")))
	ts.Check(os.CopyFS(ts.MkAbs("mistake"), os.DirFS(ts.MkAbs("base"))))
	if info, err := os.Stat(ts.MkAbs("added")); err == nil && info.IsDir() {
		ts.Check(os.CopyFS(ts.MkAbs("mistake"), os.DirFS(ts.MkAbs("added"))))
	}
	name := ts.MkAbs("mistake/" + args[0])
	text, old := ts.ReadFile(name), literal.Replace(args[1])
	if !strings.Contains(text, old) {
		ts.Fatalf("%s has no %q", args[0], old)
	}
	ts.Check(os.WriteFile(name, []byte(strings.Replace(text, old, literal.Replace(args[2]), 1)), 0o666))
	out := lintMistake(ts, append([]string{"-o", "compact", "--min-severity", "warning", "--fail-on", "warning"}, more...)...)
	if got := strings.ReplaceAll(strings.TrimSpace(out), "mistake/", ""); got != args[3] {
		ts.Fatalf("%q for %q:\n%s\nwant\n%s", args[2], args[1], got, args[3])
	}
}

// matchUnwrapped is "unwrapped [stderr] PATTERN": standard output of the last command must match the regular expression once its lines are joined:
// wherever there was white space there is one space. Of standard error, the lines of each message are joined.
func matchUnwrapped(ts *testscript.TestScript, neg bool, args []string) {
	stream := "stdout"
	if len(args) == 2 && args[0] == "stderr" {
		stream, args = args[0], args[1:]
	}
	if len(args) != 1 {
		ts.Fatalf("usage: unwrapped [stderr] PATTERN")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	text := ts.ReadFile(stream)
	if stream == "stderr" {
		text = strings.ReplaceAll(text, "\n    ", " ")
	} else {
		text = strings.Join(strings.Fields(text), " ")
	}
	if pattern.MatchString(text) == neg {
		ts.Fatalf("%s matches %q: %v\n%s", stream, args[0], neg, text)
	}
}
