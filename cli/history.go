package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/history"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render"
)

// changesAtOnce is how many changes are judged at once: each needs the memory of a run of lint.
const changesAtOnce = 2

// notOfChanges are the flags of history that are not those with which lint judges a change.
var notOfChanges = []string{"last", "output", "o", "details", "color", "bundles", "catalog"}

const historyHelp = `examples:
  olmgraph history --last 100 .                what lint says of the last 100 changes of this repository
  olmgraph history git:origin/main:catalogs    of those of a branch and a folder

PATH is a folder of the git repository that the working directory is in, or git:REVISION:PATH. Each change is judged as by
olmgraph lint --new --base git:PARENT:PATH git:COMMIT:PATH, with the flags of lint; PARENT is its first parent. A mistake was corrected
by a later change, within 90 days; an innocent change was not: docs/history.md has the exact definition.

exit status: 0; 2 misuse; 3 the repository, or what --bundles or --catalog names, could not be read. A change that cannot be read is counted.`

func historyCommand() command {
	decided := []string{"base", "new", "min-severity", "details", "write-baseline", "today", "trust-changes", "fail-on"}
	flags := slices.DeleteFunc(append(lintFlags(), baselineFlags()...), func(f cli.Flag) bool { return slices.Contains(decided, f.Names()[0]) })
	return command{
		name:  "history",
		usage: "judge the merged changes of a repository, and show which of them were later corrected",
		args:  "[flags] PATH…",
		help:  historyHelp,
		flags: append([]cli.Flag{
			&cli.IntFlag{Name: "last", Value: 100, Usage: "this `NUMBER` of changes"},
			&cli.BoolFlag{Name: "details", Usage: "list all changes that were judged, in text and Markdown"},
			enumFlag("fail-on", "error", "a change with findings of this `SEVERITY` or above is blocked", "info", "warning", "error", "none"),
			&cli.BoolFlag{Name: "trust-changes", Usage: "comments, configuration and baseline count as the change has them, and removed catalogs warn"},
		}, flags...),
		synonyms: map[string]string{"log": "", "blame": ""},
		formats:  answerFormats(render.HistoryFormats()),
		answer:   runHistory,
	}
}

// runHistory judges the last changes of a repository, each as lint judges it with its first parent as the base.
func runHistory(c *cli.Context, o *opener, to outputs) error {
	if c.Int("last") < 1 {
		return misusef("--last %d: want at least 1 change", c.Int("last"))
	}
	revision, names, err := pathsInHistory(c.Args().Slice())
	if err != nil {
		return err
	}
	commits, err := gittree.FirstParents(c.Context, ".", revision, c.Int("last"), open.Git(&o.options))
	if err != nil {
		return fmt.Errorf("git:%s: %w", revision, err)
	}
	if len(commits) == 0 {
		return fmt.Errorf("git:%s: no change to judge: no commit with a parent is in this clone", revision)
	}
	changes, err := o.judgeAll(c, commits, names)
	if err != nil {
		return err
	}
	defer o.progress.printDuration()
	h := &render.History{Revision: revision, Asked: c.Int("last"), Changes: changes, All: c.Bool("details")}
	h.Count()
	return write(to, render.HistoryFormats(), h)
}

// pathsInHistory returns the revision at which the history begins, and the paths from the root of the repository that references name.
func pathsInHistory(refs []string) (revision string, names []string, err error) {
	for i, ref := range refs {
		of, name := "HEAD", ""
		s, rest, isScheme := open.CutScheme(ref)
		switch at, err := filepath.Abs(ref); {
		case isScheme && s.Prefix == "git:":
			of, name, _ = strings.Cut(rest, ":")
		case isScheme || err != nil:
			return "", nil, misusef("history needs a folder of a git repository, or git:REVISION:PATH, not %s", ref)
		default:
			var inside bool
			if name, inside = gittree.WorkTreePath(".", at); !inside {
				return "", nil, misusef("%s is not in the git repository of the working directory, of which history reads the changes; for a bare one give git:HEAD:", ref)
			}
			if name == "." {
				name = "" // . is the working directory
			}
		}
		if i > 0 && of != revision {
			return "", nil, misusef("history judges the changes of one revision, not of %s and %s", revision, of)
		}
		revision, names = of, append(names, name)
	}
	return revision, names, nil
}

// judgeAll judges changes, the newest first, and finds which later ones correct them.
func (o *opener) judgeAll(c *cli.Context, commits []gittree.Commit, names []string) ([]render.HistoryChange, error) {
	n := len(commits)
	changes, steps, failed := make([]render.HistoryChange, n), make([]history.Change, n), make([]error, n)
	o.progress.set("judging", "changes", 0, n)
	parallel.EachOn(changesAtOnce, n, func(i int) {
		at := n - 1 - i // in steps, the oldest first
		steps[at].Date = commits[i].Date
		if c.Context.Err() == nil {
			changes[i], steps[at].Steps, failed[i] = o.judgeChange(c, commits[i], names)
		}
		o.progress.step()
	})
	if err := cmp.Or(c.Context.Err(), errors.Join(failed...)); err != nil {
		return nil, err
	}
	for at, corrections := range history.Corrections(steps) {
		change := &changes[n-1-at]
		if slices.Contains([]string{render.Skipped, render.NoCatalog, render.NotReadable}, change.Verdict) {
			continue
		}
		change.Fate = history.ChangeOutcome(steps[at].Date, steps[n-1].Date, corrections)
		for _, by := range corrections {
			later := &changes[n-1-by.By]
			change.Corrected = append(change.Corrected, render.CorrectedLater{By: later.Commit, Date: later.Date, Steps: by.Steps})
		}
	}
	return changes, nil
}

// judgeChange judges a change as the GitHub action does, and returns what it did. An error is one of the command line.
func (o *opener) judgeChange(c *cli.Context, commit gittree.Commit, names []string) (change render.HistoryChange, steps []history.Step, err error) {
	change = render.HistoryChange{Commit: commit.Hash, Date: commitDay(commit), Subject: commit.Subject, Verdict: render.NotReadable}
	discard := &words.Writer{To: io.Discard}
	quiet := &session{streams: streams{stdin: strings.NewReader(""), stdout: discard}, logger: newLogger(discard), rules: o.rules}
	judging, err := asChange(c, commit, names)
	if err != nil {
		return change, nil, err
	}
	of, err := newOpener(judging, quiet, &command{})
	if err != nil {
		return change, nil, err
	}
	of.options.Git, of.options.Sources, of.supplies = o.options.Git, o.options.Sources, o.supplies
	run, err := judgeCatalogs(judging, of)
	err = of.missing.finish(err)
	found := slices.DeleteFunc(run.findings, func(f lint.Finding) bool {
		return f.Suppressed != "" || f.Rule == lint.Changed.ID && !strings.HasPrefix(f.Pos.File, "git:") // the working directory is not part of the change
	})
	result := lintStatus(found, parseSeverity(c.String("fail-on")), errors.Join(err, run.openErrors))
	var wrong misuse
	switch {
	case errors.As(err, &wrong):
		return change, nil, err
	case errors.Is(result, gittree.ErrNoPath), errors.Is(result, open.ErrNoCatalog):
		change.Verdict = render.NoCatalog
	case result == status(statusIncomplete):
		change.Why = "a file could not be read, or a rule failed"
	case result != nil && result != status(statusFindings):
		first, _, _ := strings.Cut(result.Error(), "\n")
		change.Why = strings.TrimPrefix(first, judging.Args().First()+": ")
	default:
		steps = history.Steps(historyPairs(run.options.Base))
		change.Judge(found, len(steps) > 0 || differs(judging.Context, run.options.Base), result != nil)
	}
	return change, steps, nil
}

// commitDay returns the day of a commit, in UTC.
func commitDay(c gittree.Commit) string { return time.Unix(c.Date, 0).UTC().Format(time.DateOnly) }

// asChange returns the flags of lint with which a change is judged: those that are given, with its first parent as the base.
func asChange(c *cli.Context, commit gittree.Commit, names []string) (*cli.Context, error) {
	cmd := lintCommand()
	command := cmd.forCLI()
	set := flag.NewFlagSet(command.Name, flag.ContinueOnError)
	var err error
	for _, f := range command.Flags {
		err = cmp.Or(err, f.Apply(set))
	}
	for _, name := range c.LocalFlagNames() {
		if slices.Contains(notOfChanges, name) {
			continue
		}
		values := c.StringSlice(name)
		if values == nil {
			values = []string{fmt.Sprint(c.Value(name))}
		}
		for _, value := range values {
			err = cmp.Or(err, set.Set(name, value))
		}
	}
	base, refs := "git:"+commit.Parent+":", []string{"--"}
	if len(names) == 1 {
		base += names[0]
	}
	for _, name := range names {
		refs = append(refs, "git:"+commit.Hash+":"+name)
	}
	err = cmp.Or(err, set.Set("base", base), set.Set("new", "true"), set.Set("today", commitDay(commit)), set.Parse(refs))
	judging := cli.NewContext(c.App, set, nil)
	judging.Context, judging.Command = c.Context, command
	return judging, err
}

// historyPairs returns the catalogs of a comparison, by names that tell those of one change apart and are the same in another one.
func historyPairs(pairs []compare.Pair) []history.Pair {
	return words.Map(pairs, func(p compare.Pair) history.Pair {
		name := strings.Join(strings.Fields(fmt.Sprint(p.Now.Form, " ", p.Now.Name, " ", p.Now.OpenShift)), " ")
		return history.Pair{Name: name, Was: p.Base, Is: p.Now, Others: p.Elsewhere}
	})
}

// differs reports whether a package of a catalog differs from the base: of bundles that are not in a file-based catalog their folders.
func differs(ctx context.Context, pairs []compare.Pair) bool {
	return slices.ContainsFunc(pairs, func(p compare.Pair) bool {
		if p.Base == nil {
			return p.Now.HasPackage()
		}
		return slices.ContainsFunc(p.Changed, func(name string) bool {
			now, was := bundleFolders(p.Now, name), bundleFolders(p.Base, name)
			return len(now) == 0 || !slices.Equal(now, was) || slices.ContainsFunc(now, func(dir string) bool { return !p.Now.Source.SameFolder(ctx, p.Base.Source, dir) })
		})
	})
}

// bundleFolders returns the folders of the bundles of a package, which have manifests and metadata; none if one has no folder.
func bundleFolders(c *catalogs.Catalog, pkg string) (all []string) {
	p := c.Package(pkg)
	if p == nil {
		return nil
	}
	for _, b := range p.Bundles {
		if b.Folder == nil {
			return nil
		}
		all = append(all, b.Folder.Dir)
	}
	return all
}
