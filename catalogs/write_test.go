package catalogs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRewrite(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "link.yaml")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.yaml", link); err != nil {
		t.Skip(err)
	}
	r, err := Rewrite(link, []byte("old"), []byte("new"))
	if err == nil {
		err = r.Write()
	}
	if text, _ := os.ReadFile(name); err != nil || string(text) != "new" {
		t.Errorf("%q: %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestRewriteChanged writes no file that somebody else wrote in between, early or late.
func TestRewriteChanged(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("other")
	if _, err := Rewrite(name, []byte("old"), []byte("new")); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Error(err)
	}
	write("old")
	r, err := Rewrite(name, []byte("old"), []byte("new"))
	if err != nil {
		t.Fatal(err)
	}
	write("other")
	if err := r.Write(); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if _, err := Rewrite(filepath.Join(dir, "none"), nil, nil); err == nil {
		t.Error("a file that is not there was written")
	}
}

// TestRevise edits documents of a stream, YAML and JSON, and leaves the others as they are.
func TestRevise(t *testing.T) {
	for text, want := range map[string]string{
		"\uFEFF# top\r\n---\r\nskips: [b, b]\r\n---\r\n{bad\r\n---\r\nskips:\r\n- b\r\n- b": "\uFEFF# top\r\n---\r\nskips: [b]\r\n---\r\n{bad\r\n---\r\nskips:\r\n- b",
		"{\"skips\": [\"b\", \"b\"]}\n{\"skips\": [\n\"b\",\n\"b\"]}\n{\n":                  "{\"skips\": [\"b\"]}\n{\"skips\": [\n\"b\"]}\n{\n",
		"{skips: [b, b]}\n": "{skips: [b]}\n",
	} {
		var edits []Edit
		starts := lineStarts([]byte(text))
		for line, start := range starts {
			end := len(text)
			if line+1 < len(starts) {
				end = starts[line+1]
			}
			if i := strings.LastIndex(text[start:end], "b"); i >= 0 && !strings.Contains(text[start:end], "bad") {
				if text[start:end][max(i-1, 0)] == '"' {
					i--
				}
				e := Edit{Pos: Pos{Line: line + 1, Col: i + 1}}
				e.Was = "b"
				edits = append(edits, e)
			}
		}
		got, refused := Revise([]byte(text), edits)
		if string(got) != want { // the first b stays: without it the object would be empty
			t.Errorf("%q, want %q (%v)", text, want, refused)
		}
	}
	if got, refused := Revise([]byte("a: b\n"), []Edit{{Pos: Pos{Line: 9, Col: 1}}}); refused[0] == nil || string(got) != "a: b\n" {
		t.Errorf("%q, %v", got, refused)
	}
}
