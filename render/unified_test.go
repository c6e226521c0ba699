package render

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"a\n", "a\n", ""},
		{"a\nb\nc\n", "a\nc\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n a\n-b\n c\n"},
		{"a\n", "a\nb", "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n a\n+b\n\\ No newline at end of file\n"},
		{"", "a\n", "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"},
		{"a\r\nb\r\n", "a\r\nc\r\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\nx\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n",
			"--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -7,4 +8,3 @@\n 7\n 8\n 9\n-x\n"},
	} {
		var out strings.Builder
		if err := Unified(&out, "f", []byte(test.old), []byte(test.new)); err != nil || out.String() != test.want {
			t.Errorf("%q to %q: %v\n%s\nwant\n%s", test.old, test.new, err, out.String(), test.want)
		}
	}
}

// TestUnifiedName writes the headers of a file's absolute path as git does.
func TestUnifiedName(t *testing.T) {
	for name, want := range map[string]string{"a/b.yaml": "--- a/a/b.yaml\n+++ b/a/b.yaml\n", "/a/b.yaml": "--- a/a/b.yaml\n+++ b/a/b.yaml\n"} {
		var out strings.Builder
		if err := Unified(&out, name, []byte("x"), []byte("y")); err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}

// TestUnifiedApplies lets git make one text of another by the difference of the two.
func TestUnifiedApplies(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("the program git is not there")
	}
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	for n := range 25 {
		old, new := randomLines(r, r.IntN(40)), randomLines(r, r.IntN(40))
		if n%2 == 0 && len(old) > 10 {
			new = old[:7] + "z\n" + old[9:]
		}
		var diff strings.Builder
		Unified(&diff, "f", []byte(old), []byte(new))
		if old == new {
			continue
		}
		os.WriteFile(filepath.Join(dir, "f"), []byte(old), 0o600)
		cmd := exec.Command(git, "apply", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, diff.String())
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != new {
			t.Fatalf("%q, want %q\n%s", got, new, diff.String())
		}
	}
}

func randomLines(r *rand.Rand, n int) string {
	text := "top\n"
	for range n {
		text += fmt.Sprintf("%d\n", r.IntN(6))
	}
	if r.IntN(4) == 0 {
		text += "end"
	}
	return text
}

// TestUnifiedOfStrangers shows texts that have nothing in common as one change.
func TestUnifiedOfStrangers(t *testing.T) {
	var a, b strings.Builder
	for i := range 3 * maxChanges {
		fmt.Fprintf(&a, "a%d\n", i)
		fmt.Fprintf(&b, "b%d\n", i)
	}
	var out strings.Builder
	if err := Unified(&out, "f", []byte(a.String()), []byte(b.String())); err != nil || strings.Count(out.String(), "@@") != 2 {
		t.Errorf("%v: %.200s", err, out.String())
	}
}
