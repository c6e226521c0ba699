package e2e

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/olmgraph/olmgraph/cli"
)

// inProcess guards the working directory and the environment of the test, which a script's olmgraph has for its own while it runs. A
// process for each of two thousand command lines would take longer to start than to answer.
var inProcess sync.Mutex

// environment has the variables that olmgraph reads. They are those of the script, as for a process.
var environment = []string{"HOME", "USERPROFILE", "PATH", "TMPDIR", "TMP", "TERM", "NO_COLOR", "SHELL", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "DOCKER_CONFIG", "REGISTRY_AUTH_FILE"}

// input is the key of the standard input of the next olmgraph.
type input struct{}

// setInput is "input FILE": the next olmgraph after "status" reads the file as standard input.
func setInput(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: input FILE")
	}
	*ts.Value(input{}).(*string) = ts.ReadFile(args[0])
}

// runInScript runs olmgraph in the folder and environment of a script.
func runInScript(ts *testscript.TestScript, args []string, stdout, stderr io.Writer) int {
	inProcess.Lock()
	defer inProcess.Unlock()
	was, err := os.Getwd()
	ts.Check(err)
	for _, name := range environment {
		value, set := os.LookupEnv(name)
		if set {
			defer os.Setenv(name, value)
		} else {
			defer os.Unsetenv(name)
		}
		if wanted := ts.Getenv(name); wanted != "" {
			os.Setenv(name, wanted)
		} else {
			os.Unsetenv(name)
		}
	}
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(was)
	stdin := ts.Value(input{}).(*string)
	in := strings.NewReader(*stdin)
	*stdin = ""
	var out bytes.Buffer
	status := cli.Run(context.Background(), append([]string{"olmgraph"}, args...), in, io.MultiWriter(stdout, &out), stderr, ruleScripts())
	if wrong := wrongJSON(args, out.Bytes()); wrong != "" {
		ts.Fatalf("%s", wrong)
	}
	return status
}
