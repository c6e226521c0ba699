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

func TestZshReads(t *testing.T) {
	text := "autoload -U compinit; compinit -D\n" + strings.Replace(script(t, "zsh"), "_olmgraph \"$@\"\n", "whence -w _olmgraph\n", 1)
	if got := run(t, "zsh", text); !strings.Contains(got, "function") {
		t.Error(got)
	}
}
