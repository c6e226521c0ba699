package fbc

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// IgnoreFile is the name of the files with patterns. They are in the syntax of .gitignore, and apply to their folder and all below.
const IgnoreFile = ".indexignore"

// IgnoreFault is a file or folder that cannot be read.
type IgnoreFault struct {
	Name string
	Line int // of a file with patterns; 0 if it is not about a line
	Err  error
}

// CatalogFiles returns the files that opm reads, whatever their names, in lexical order. Ignored folders are searched as well, so that a
// pattern can include a file in them again (opm: alpha/declcfg walkFiles). open opens the files with patterns. Files and folders for which
// skip returns true are left out.
func CatalogFiles(fsys fs.FS, open func(name string) (fs.File, error), skip func(name string) bool) (names []string, faults []IgnoreFault) {
	var patterns []gitignore.Pattern
	fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case skip(name):
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case err != nil:
			faults = append(faults, IgnoreFault{Name: name, Err: err})
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir():
		case entry.Name() == IgnoreFile:
			more, line, err := readPatterns(name, open)
			if err != nil {
				faults = append(faults, IgnoreFault{name, line, err})
			}
			patterns = append(patterns, more...)
		default:
			names = append(names, name)
		}
		return nil
	})
	if len(patterns) == 0 {
		return names, faults
	}
	ignored := gitignore.NewMatcher(patterns)
	kept := names[:0]
	for _, name := range names {
		if !ignored.Match(strings.Split(name, "/"), false) {
			kept = append(kept, name)
		}
	}
	return kept, faults
}

// isIgnored reports whether the .indexignore of a folder, without those below it, makes opm ignore a file.
func isIgnored(open func(name string) (fs.File, error), name string) bool {
	patterns, _, err := readPatterns(IgnoreFile, open)
	return err == nil && gitignore.NewMatcher(patterns).Match(strings.Split(name, "/"), false)
}

// readPatterns reads a file with patterns. It returns the line that an error is about, or 0.
func readPatterns(name string, open func(name string) (fs.File, error)) (patterns []gitignore.Pattern, line int, err error) {
	f, err := open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	var folder []string
	if dir := path.Dir(name); dir != "." {
		folder = strings.Split(dir, "/")
	}
	lines := bufio.NewScanner(f)
	for ; lines.Scan(); line++ {
		if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
			patterns = append(patterns, gitignore.ParsePattern(line, folder))
		}
	}
	err = lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return patterns, line + 1, fmt.Errorf("the line has %d KiB or more: opm rejects the catalog", bufio.MaxScanTokenSize>>10)
	}
	return patterns, 0, err
}
