package catalogs

import (
	"bufio"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

const ignoreFile = ".indexignore"

// walk returns the files below the root of a source that opm reads as parts of the catalog: all of them, whatever their
// name, but for .indexignore files and what those say. Ignored folders are looked into, so that a pattern can take a file
// in them back (opm: alpha/declcfg walkFiles).
func walk(s *source) (paths []string, problems []Problem) {
	problem := func(name string, format string, args ...any) {
		problems = append(problems, Problem{Kind: ParseProblem, Pos: Pos{File: s.display(name)},
			Message: fmt.Sprintf(format, args...)})
	}
	var patterns []gitignore.Pattern
	fs.WalkDir(s.fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			problem(name, "cannot be read: %v", cause(err))
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir():
		case entry.Name() == ignoreFile:
			more, err := readPatterns(s.fsys, name)
			if err != nil {
				problem(name, "cannot be read: %v", cause(err))
			}
			patterns = append(patterns, more...)
		default:
			paths = append(paths, name)
		}
		return nil
	})
	if len(patterns) == 0 {
		return paths, problems
	}
	ignored := gitignore.NewMatcher(patterns)
	kept := paths[:0]
	for _, name := range paths {
		if !ignored.Match(strings.Split(name, "/"), false) {
			kept = append(kept, name)
		}
	}
	return kept, problems
}

// readPatterns reads an .indexignore file; its patterns hold in its folder and below.
func readPatterns(fsys fs.FS, name string) ([]gitignore.Pattern, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var domain []string
	if dir := path.Dir(name); dir != "." {
		domain = strings.Split(dir, "/")
	}
	var patterns []gitignore.Pattern
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
			patterns = append(patterns, gitignore.ParsePattern(line, domain))
		}
	}
	return patterns, lines.Err()
}
