package cli

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
)

func script(t *testing.T, shell string) string {
	t.Helper()
	var out bytes.Buffer
	if status := Run(context.Background(), []string{"olmgraph", "completion", shell}, nil, &out, &out, nil); status != 0 {
		t.Fatal(status, out.String())
	}
	return out.String()
}

// run runs a text in a shell, if this machine has it.
func run(t *testing.T, shell, text string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skip(err)
	}
	command := exec.Command(shell)
	command.Stdin = strings.NewReader(text)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

func TestBashCompletes(t *testing.T) {
	for line, want := range map[string]string{
		"olmgraph li":                           "lint list",
		"olmgraph lint --gate ol":               "olmv0 olmv1",
		"olmgraph lint cat --fail":              "--fail-on",
		"olmgraph explain graph/stuck":          "graph/stuck graph/stuck-v1",
		"olmgraph path cat pkg --olm v":         "v0 v1",
		"olmgraph lint catal --output s":        "sarif",
		"olmgraph lint --only graph/stuck":      "graph/stuck graph/stuck-v1",
		"olmgraph lint catal --min-severity e":  "error",
		"olmgraph lint catal --fail-on n":       "none",
		"olmgraph crds cat pkg --olm b":         "both",
		"olmgraph render cat --edges a":         "auto all",
		"olmgraph rules --output m":             "markdown",
		"olmgraph list cat --color a":           "auto always",
		"olmgraph resolve --namespace x":        "",
		"olmgraph resolve -n x":                 "",
		"olmgraph render c -o sv":               "svg",
		"olmgraph resolve cat --output m":       "mermaid",
		"olmgraph lint --config x":              "",
		"olmgraph lint catal":                   "",
		"olmgraph render c --output html --sty": "",
	} {
		words := strings.Fields(line)
		text := script(t, "bash") + "COMP_WORDS=(" + line + ") COMP_CWORD=" + string(rune('0'+len(words)-1)) + "; _olmgraph; echo ${COMPREPLY[*]}\n"
		if got := strings.TrimSpace(run(t, "bash", text)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestFishCompletes(t *testing.T) {
	for line, want := range map[string]string{"olmgraph li": "lint", "olmgraph lint --gate ol": "olmv1", "olmgraph explain graph/stuck": "graph/stuck-v1"} {
		if got := run(t, "fish", script(t, "fish")+"complete -C '"+line+"'\n"); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestZshReads(t *testing.T) {
	text := "autoload -U compinit; compinit -D\n" + strings.Replace(script(t, "zsh"), "_olmgraph \"$@\"\n", "whence -w _olmgraph\n", 1)
	if got := run(t, "zsh", text); !strings.Contains(got, "function") {
		t.Error(got)
	}
}
