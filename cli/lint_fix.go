package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/release/amend"
	"github.com/olmgraph/olmgraph/lint"
)

func fixFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "fix", Usage: "apply fixes that are unambiguous to the files, and report the remaining findings"},
		&cli.BoolFlag{Name: "diff", Usage: "with --fix: show the changes without writing them; exit with 1 if there are any"},
	}
}

// checkFix rejects flags that cannot be combined with --fix, and references that cannot be edited.
func checkFix(c *cli.Context, o *opener, refs []string) error {
	switch {
	case !c.Bool("fix") && c.Bool("diff"):
		return suggestCommand(misusef("--diff needs --fix"), o.command.arrange(c.Context, o.given)...)
	case !c.Bool("fix"):
		return nil
	case c.IsSet("base"):
		return misusef("--fix fixes a catalog, not a change: leave --base out")
	case c.Bool("diff") && c.Bool("write-baseline"):
		return misusef("--diff writes nothing: leave --write-baseline out")
	}
	for _, ref := range refs {
		if !open.IsPath(ref) {
			return notEditable(ref)
		}
	}
	return nil
}

func notEditable(what string) error {
	return suggestInstead(misusef("--fix edits only file-based catalogs in files and folders on disk, which %s is not", what), "--fix")
}

// fix applies fixes to the files of catalogs and returns the catalogs read again. With --diff it only writes the changes.
func (r *lintRun) fix(options lint.Options) ([]*catalogs.Catalog, error) {
	c, o, cats := r.c, r.opener, r.catalogs
	ctx, refs := c.Context, c.Args().Slice()
	if err := editable(cats, refs); err != nil {
		return nil, err
	}
	reopen := func(revised map[string][]byte) ([]*catalogs.Catalog, error) {
		open := o.options
		open.Overlay = revised
		again, err := o.openAll(ctx, refs, open)
		if len(again) == len(cats) {
			err = nil // the same references failed before, and their error is kept by the caller
		}
		return repo.Catalogs(again), err
	}
	m, err := lint.ApplyFixes(ctx, cats, options, reopen)
	if err != nil {
		return nil, err
	}
	if c.Bool("diff") {
		return nil, showFixes(o, m, cats)
	}
	var files []amend.File
	for _, f := range m.Files {
		files = append(files, amend.File{Name: f.Name, Old: f.Old, New: f.New})
	}
	if err := o.replaceFiles(files, "fixed"); err != nil {
		return nil, err
	}
	o.reportFixes(m, "fixed")
	if len(m.Files) == 0 {
		return cats, nil
	}
	return reopen(nil)
}

// editable returns an error if none of the catalogs can be edited.
func editable(cats []*catalogs.Catalog, refs []string) error {
	for _, cat := range cats {
		if cat.OnDisk() && (cat.Editable() || cat.Template != nil || cat.Templates != nil) {
			return nil
		}
	}
	return notEditable(fmt.Sprintf("%s (%s)", refs[0], cats[0].Form))
}

// showFixes writes the changes as a unified diff. Its status is statusFindings if there are changes or something cannot be
// read.
func showFixes(o *opener, m *lint.FixResult, cats []*catalogs.Catalog) error {
	for _, f := range m.Files {
		if _, err := o.stdout.Write(unifiedDiff(f.Name, f.Old, f.New)); err != nil {
			return err
		}
	}
	o.reportFixes(m, "to be fixed")
	for _, c := range cats {
		for _, problem := range c.Problems {
			if problem.Kind == catalogs.ParseProblem {
				o.logf("%s: %s", problem.Pos, problem.Message)
				return status(statusFindings)
			}
		}
		if found, none := c.NoPackage(); none {
			o.logf("%s", notCatalog(c.Name, found))
			return status(statusFindings)
		}
	}
	if len(m.Files) > 0 {
		return status(statusFindings)
	}
	o.logf("lint without --fix shows all findings")
	return status(statusClean)
}

// unifiedDiff returns the unified diff of a file, without the first line of package diff, which is a command line. Paths have no
// leading slash, so that the diff applies in the root folder.
func unifiedDiff(file string, old, new []byte) []byte {
	name := strings.TrimLeft(file, "/")
	_, text, _ := bytes.Cut(diff.Diff("a/"+name, old, "b/"+name, new), []byte("\n"))
	return text
}

// reportFixes reports the files that are fixed and the findings that are not. how is "fixed" or "to be fixed".
func (l *logger) reportFixes(m *lint.FixResult, how string) {
	for i := range m.Unfixed {
		left := &m.Unfixed[i]
		l.logf("%s: %s is not %s: %s", left.Pos, left.Rule, how, left.Why)
	}
	for _, f := range m.Files {
		l.logf("%s: %s %s", f.Name, words.Count(f.Fixed, "finding"), how)
	}
	if n := len(m.Files); n == 0 && len(m.Unfixed) == 0 {
		l.logf("nothing is %s: no finding has a fix that is unambiguous", how)
	} else if n != 1 {
		l.logf("%s %s in %s", words.Count(m.Fixed, "finding"), how, words.Count(n, "file"))
	}
}

// fixCommand returns the command that shows what --fix would change, or "" if it cannot change the catalogs.
func fixCommand(c *cli.Context, cats []*catalogs.Catalog) string {
	refs := c.Args().Slice()
	if c.Bool("fix") || c.IsSet("base") || editable(cats, refs) != nil || slices.ContainsFunc(refs, func(ref string) bool { return !open.IsPath(ref) }) {
		return ""
	}
	return repeatCommand(c, "--fix", "--diff")
}
