package fbc

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func nothing(string) bool { return false }

func TestFiles(t *testing.T) {
	files := fstest.MapFS{
		".indexignore":          {Data: []byte("# comment\n*.md\ndocs/\n!docs/keep.yaml\n/top.txt\n")},
		"a/catalog.yaml":        {},
		"a/README.md":           {},
		"a/.indexignore":        {Data: []byte("!README.md\nlocal\n")},
		"a/local":               {},
		"a/.hidden":             {},
		"docs/x.yaml":           {},
		"docs/keep.yaml":        {},
		"top.txt":               {},
		"b/top.txt":             {},
		"b/.indexignore/no.yml": {},
	}
	names, faults := CatalogFiles(files, files.Open, nothing)
	want := []string{"a/.hidden", "a/README.md", "a/catalog.yaml", "b/.indexignore/no.yml", "b/top.txt", "docs/keep.yaml"}
	if !slices.Equal(names, want) || len(faults) > 0 {
		t.Errorf("got %v, and faults %v", names, faults)
	}
}

func TestFaults(t *testing.T) {
	files := fstest.MapFS{
		"x.yaml":         {},
		"a/.indexignore": {Data: []byte("a\n\n" + strings.Repeat("b", 1<<20))},
		"b/.indexignore": {},
	}
	closed := errors.New("closed")
	names, faults := CatalogFiles(files, func(name string) (fs.File, error) {
		if name == "b/.indexignore" {
			return nil, closed
		}
		return files.Open(name)
	}, nothing)
	if len(names) != 1 || len(faults) != 2 || faults[0].Line != 3 || faults[1] != (IgnoreFault{"b/.indexignore", 0, closed}) {
		t.Errorf("got %v, and faults %v", names, faults)
	}
}

func TestSkippedAndIgnored(t *testing.T) {
	files := fstest.MapFS{".indexignore": {Data: []byte(".git\n")}, ".git/HEAD": {}, "a/.git": {}, "a/b.yaml": {}, "c/d/e.yaml": {}}
	names, faults := CatalogFiles(files, files.Open, func(name string) bool { return name == "a/.git" || name == "c" })
	if !slices.Equal(names, []string{"a/b.yaml"}) || len(faults) > 0 {
		t.Errorf("got %v, and faults %v", names, faults)
	}
	if !isIgnored(files.Open, ".git/HEAD") || isIgnored(files.Open, "a/b.yaml") || isIgnored(fstest.MapFS{}.Open, ".git/HEAD") {
		t.Error("what is ignored")
	}
}
