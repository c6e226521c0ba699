package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

func TestMain(m *testing.M) {
	if graphviz.IsChild() {
		os.Exit(graphviz.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	testscript.Main(m, map[string]func(){"olmgraph": main})
}

// TestScripts runs every script under testdata/script, a folder a topic.
func TestScripts(t *testing.T) {
	topics, err := filepath.Glob("testdata/script/*")
	if err != nil || len(topics) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, dir := range topics {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir: dir,
				Setup: func(e *testscript.Env) error {
					root, err := os.Getwd()
					e.Setenv("ROOT", root)
					if cache, err := os.UserCacheDir(); err == nil {
						e.Setenv("XDG_CACHE_HOME", cache) // a script has no home, and would compile Graphviz at each start
					}
					return err
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"status": checkStatus, "image": makeImage, "registry": serveRegistry, "sql": makeDatabase, "running-sql": makeRunningDatabase, "commit": commitFolder, "noise": makeNoise, "pack": packFolder, "compress": packFile,
				},
			})
		})
	}
}

// checkStatus is "status N command args…": the command must end with exactly that status.
func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command args…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
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
