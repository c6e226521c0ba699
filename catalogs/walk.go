package catalogs

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/olmgraph/olmgraph/catalogs/fserror"
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
			problem(name, "cannot be read: %v", fserror.Cause(err))
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir():
		case entry.Name() == ignoreFile:
			more, line, err := readPatterns(&file{source: s, path: name, name: s.display(name)})
			if err != nil {
				problem(name, "cannot be read: %v", fserror.Cause(err))
				if line > 0 {
					problems[len(problems)-1].Pos.Line, problems[len(problems)-1].Pos.Col = line, 1
				}
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

// readPatterns reads an .indexignore file; its patterns hold in its folder and below. Of an error, it returns the line as well, which
// is 0 if there is none.
func readPatterns(f *file) (patterns []gitignore.Pattern, line int, err error) {
	opened, _, err := open(f)
	if err != nil {
		return nil, 0, err
	}
	defer opened.Close()
	var domain []string
	if dir := path.Dir(f.path); dir != "." {
		domain = strings.Split(dir, "/")
	}
	lines := bufio.NewScanner(opened)
	for ; lines.Scan(); line++ {
		if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
			patterns = append(patterns, gitignore.ParsePattern(line, domain))
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return patterns, line + 1, fmt.Errorf("the line has %d KiB or more: opm refuses the catalog", bufio.MaxScanTokenSize>>10)
	default:
		return patterns, 0, err
	}
}
