package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// TestKilled kills olmgraph at random moments while it writes: the file has its old content or all of the new one.
func TestKilled(t *testing.T) {
	catalog := read(t, "../../testdata/catalogs/stuck/lighthouse/catalog.yaml")
	for _, c := range []struct{ file, args string }{
		{"picture.dot", "render catalog lighthouse -o picture.dot"},
		{"page.html", "render catalog -o page.html"},
		{"report.json", "lint catalog -o json=report.json"},
		{"baseline.json", "lint catalog --baseline baseline.json --write-baseline"},
		{"catalog/catalog.yaml", "lint catalog --fix"},
		{"catalog/catalog.yaml", "release catalog lighthouse 9.0.0 --write"},
	} {
		t.Run(c.args, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, c.file)
			before := []byte("as it was\n")
			reset := func() {
				write(t, filepath.Join(dir, "catalog", "catalog.yaml"), catalog)
				if c.file != "catalog/catalog.yaml" {
					write(t, path, before)
				} else {
					before = catalog
				}
			}
			reset()
			begun := time.Now()
			if err := tool(dir, c.args).Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
				t.Fatal(err)
			}
			takes := time.Since(begun)
			after := read(t, path)
			if bytes.Equal(before, after) {
				t.Fatalf("olmgraph %s writes nothing", c.args)
			}
			tries := catalogtest.Rounds(40)
			r, written := rand.New(rand.NewPCG(1, 2)), 0
			for range tries {
				reset()
				cmd := tool(dir, c.args)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				// Most of the time it reads; the writing is at the end.
				time.Sleep(takes/2 + time.Duration(r.Int64N(int64(takes))))
				cmd.Process.Kill()
				cmd.Wait()
				switch text := read(t, path); {
				case bytes.Equal(text, after):
					written++
				case !bytes.Equal(text, before):
					t.Fatalf("it is neither what it was nor what it should be:\n%s", text)
				}
			}
			t.Logf("written %d times of %d", written, tries)
		})
	}
}

// TestInterrupted interrupts olmgraph while it waits for input.
func TestInterrupted(t *testing.T) {
	for _, args := range []string{"lint -", "list -", "path - boat --from 1.0.0", "render - boat", "crds - boat", "release - boat 9.0.0", "mirror - testdata/catalogs/clean", "diff - testdata/catalogs/clean",
		"cluster --snapshot - testdata/catalogs/clean"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			cmd := tool(os.Getenv("ROOT"), args)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
			// More than a pipe holds: once it is written the tool reads.
			if _, err := in.Write(bytes.Repeat([]byte("# waves\n"), 1<<16)); err != nil {
				t.Fatal(err)
			}
			cmd.Process.Signal(os.Interrupt)
			err = cmd.Wait()
			if !late.Stop() || cmd.ProcessState.ExitCode() != 130 || errs.String() != "olmgraph: interrupted\n" {
				t.Errorf("%v, %q", err, errs.String())
			}
		})
	}
}

// tool returns a call of olmgraph in a folder.
func tool(dir, args string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", "exec olmgraph "+args)
	cmd.Dir = dir
	return cmd
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text, 0o666)); err != nil {
		t.Fatal(err)
	}
}

// TestManySubstitutions wants an error where opm would validate the catalog again and again.
func TestManySubstitutions(t *testing.T) {
	const n = 500
	template, published := strings.Builder{}, strings.Builder{}
	template.WriteString("schema: olm.template.substitutes\nentries:\n- {schema: olm.package, name: p, defaultChannel: stable}\n- schema: olm.channel\n  package: p\n  name: stable\n  entries:\n")
	published.WriteString("schema: olm.package\nname: p\n")
	for i := range n {
		fmt.Fprintf(&template, "  - {name: p.v1.0.%d-0, replaces: %q}\n", i, map[bool]string{true: fmt.Sprintf("p.v1.0.%d-0", i-1)}[i > 0])
	}
	bundle := "{schema: olm.bundle, name: p.v%[1]s, package: p, image: 'q.io/p:%[1]s', properties: [{type: olm.package, value: {packageName: p, version: %[1]s}}]}\n"
	for i := range n {
		fmt.Fprintf(&template, "- "+bundle, fmt.Sprintf("1.0.%d-0", i))
		fmt.Fprintf(&published, "---\n"+bundle, fmt.Sprintf("1.0.%d", i))
	}
	template.WriteString("substitutions:\n")
	for i := range n {
		fmt.Fprintf(&template, "- {name: 'q.io/p:1.0.%[1]d', base: p.v1.0.%[1]d-0}\n", i)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "t.yaml"), []byte(template.String()))
	write(t, filepath.Join(dir, "published.yaml"), []byte(published.String()))
	status, _, stderr := run(t, "template", filepath.Join(dir, "t.yaml"), "--catalog", filepath.Join(dir, "published.yaml"))
	if status != 3 || !strings.Contains(strings.ReplaceAll(stderr, "\n    ", " "), "olmgraph does not validate them") {
		t.Errorf("status %d: %.500s", status, stderr)
	}
}

// TestClosedOutput: a reader that has gone changes no status, and kills no process.
func TestClosedOutput(t *testing.T) {
	for args, want := range map[string]int{"lint catalogs/stuck": 1, "render catalogs/harbour -o html": 0, "list catalogs/stuck": 0} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := tool("../../testdata", args)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &errs
		cmd.Run()
		if w.Close(); cmd.ProcessState.ExitCode() != want || errs.Len() > 0 {
			t.Errorf("%s: %v: %s", args, cmd.ProcessState, &errs)
		}
	}
}
