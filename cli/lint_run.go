package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
)

// lintRun is a run of lint: what the flags ask, and its outcome.
type lintRun struct {
	opener  *opener
	c       *cli.Context
	options lint.Options
	configs *configs

	catalogs   []*catalogs.Catalog
	findings   []lint.Finding
	openErrors error        // of references that could not be opened
	rules      []*lint.Rule // that ran
	noRules    bool         // none ran, but those that always run
	linted     int          // packages
	base       string       // what is said of it
}

// countLinted counts the packages that are linted, and shows the progress.
func (r *lintRun) countLinted(done, total int) {
	r.linted = done
	r.opener.progress.showChecked(done, total)
}

// noteRemovedUnlessIn adds to what is said of the base that catalogs have no counterpart, if no finding says it.
func (b *openingBase) noteRemovedUnlessIn(findings []lint.Finding) {
	if !slices.ContainsFunc(findings, func(f lint.Finding) bool { return f.Rule == lint.CatalogRemoved.ID }) {
		b.noteCompared("not compared with %s of it, without a counterpart", words.Map(b.removed, func(r compare.Removed) string { return strconv.Quote(r.Base.Name) }))
	}
}

// lint lints the catalogs that can be opened: one reference after the other, unless a flag needs all of them together. The
// result includes findings below --min-severity.
func (r *lintRun) lint() error {
	c, o, options := r.c, r.opener, r.options
	named := len(options.Packages) > 0 || len(options.Channels) > 0 // checkSubjects needs all catalogs
	later := !named
	o.options.AsIntended = options.Gates != lint.GateOPM // what opm says of a catalog is about what it reads
	o.options.EachVersion, o.options.Templates = true, true
	if o.options.BundleFolders = options.Config.Bundles; c.IsSet("base") { // a change does not choose them for itself
		o.options.BundleFolders = append([]string{}, options.Config.Bundles...)
	}
	opening, refs := o.options, c.Args().Slice()
	if c.IsSet("base") || c.Bool("fix") || options.Config.Complete || named {
		opening.Deferred = later && c.IsSet("base")
		return r.lintTogether(opening)
	}
	// A reference that is not a path has to be read to know whether it can be opened.
	opening.Deferred = later && !slices.ContainsFunc(refs, func(ref string) bool { return !open.IsPath(ref) })
	return r.lintEach(opening)
}

// lintEach lints each reference as soon as it is open, and releases most of it afterwards.
func (r *lintRun) lintEach(open open.Options) (err error) {
	ctx, refs, options := r.c.Context, r.c.Args().Slice(), r.options
	options.Progress = r.countLinted
	options.ForgetCatalogs, options.MinSeverity, options.ForReport, options.Record = true, lint.Off, true, r.baselineRecorder()
	linter := lint.NewLinter(options)
	for cats, unopened := range r.opener.openEach(ctx, refs, open) {
		opened := repo.Catalogs(cats)
		r.catalogs, r.openErrors = append(r.catalogs, opened...), errors.Join(r.openErrors, unopened)
		if err := cmp.Or(packageAsCatalog(ctx, r.opener, cats, refs), r.configs.add(opened)); err != nil {
			return err
		}
		for _, c := range cats { // one after the other, for the linter forgets them
			if err := c.Read(ctx); err != nil {
				return err
			}
			if err := linter.Add(ctx, c.Catalog); err != nil {
				return err
			}
		}
	}
	r.findings, err = linter.Finish(ctx)
	return err
}

// packageAsCatalog returns the error of a later reference that does not exist and is a package of catalogs, before these are linted whole.
func packageAsCatalog(ctx context.Context, o *opener, cats []*repo.Opened, refs []string) error {
	for _, ref := range refs[1:] {
		for _, c := range cats {
			if disk.Exists(ref) || strings.ContainsAny(ref, `/\:`) || c.Read(ctx) != nil || !slices.Contains(c.PackageNames(), ref) {
				continue
			}
			err := misusef("%q is a package, not a catalog; did you mean --package?", ref)
			if line := o.command.arrange(ctx, o.given); line != nil {
				return suggestCommand(err, line...)
			}
			return suggestInstead(err, ref, "--package", ref)
		}
	}
	return nil
}

// lintTogether opens all references before it lints them.
func (r *lintRun) lintTogether(open open.Options) (err error) {
	c, o := r.c, r.opener
	ctx, refs := c.Context, c.Args().Slice()
	var base *openingBase
	if c.IsSet("base") { // which decides in which form a folder is read
		base = o.beginBase(ctx, c.String("base"), refs, open)
		defer base.end()
		open.As = base.asFolder()
		open.Templates = open.As.Source != nil && len(refs) == 1
	}
	cats, openErrors := o.openAll(ctx, refs, open)
	r.catalogs, r.openErrors = repo.Catalogs(cats), openErrors
	switch {
	case len(cats) == 0:
		return nil
	case c.Bool("fix") && openErrors != nil: // nothing is written for a part of what was asked
		r.catalogs = nil
		return nil
	}
	if base == nil {
		err = r.configs.add(r.catalogs)
	} else {
		r.catalogs, err = r.withBase(refs, cats, base)
	}
	if err != nil {
		return err
	}
	options := r.options
	if _, none := firstForeign(r.catalogs); !none { // otherwise the finding that it is not a catalog says more
		if err := checkSubjects(r.catalogs, options); err != nil {
			return err
		}
	}
	if c.Bool("fix") {
		if r.catalogs, err = r.fix(options); err != nil {
			return cmp.Or(r.openErrors, err)
		}
	}
	options.MinSeverity, options.Progress, options.ForReport, options.Record = lint.Off, r.countLinted, true, r.baselineRecorder()
	r.findings, err = lint.Run(ctx, r.catalogs, options)
	if base != nil {
		base.noteRemovedUnlessIn(r.findings)
		r.base = base.description
	}
	return err
}

// withBase sets the options of a comparison with a base, and returns the catalogs that are compared.
func (r *lintRun) withBase(refs []string, opened []*repo.Opened, base *openingBase) ([]*catalogs.Catalog, error) {
	ctx, configs, options := r.c.Context, r.configs, &r.options
	var err error
	if options.Base, err = base.openPairs(ctx, refs, opened); err != nil {
		return repo.Catalogs(opened), err
	}
	options.Removed = base.removed
	cats := words.Map(options.Base, func(p compare.Pair) *catalogs.Catalog { return p.Now })
	if err := r.configs.add(slices.Concat(cats, words.Map(base.removed, func(r compare.Removed) *catalogs.Catalog { return r.Base }))); err != nil {
		return cats, err
	}
	if options.Runs(lint.AcrossVersions) {
		if err := compare.ReadAcross(ctx, options.Base); err != nil {
			return cats, err
		}
	}
	if configs.base != nil {
		configs.base.pipelines(options.Base)
		options.Changed = configs.base.changed
	}
	return cats, nil
}

func baselineFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "baseline", Usage: "accept the findings in this `FILE`, even if their lines have moved"},
		&cli.BoolFlag{Name: "write-baseline", Usage: "write the findings to the file of --baseline, and accept them"},
		&cli.StringFlag{Name: "today", Usage: "let suppressions expire as on this `DAY`, as 2027-01-31 (default: today)"},
	}
}

// baselineOptions sets the options of the baseline flags. With --write-baseline the file need not exist.
func baselineOptions(c *cli.Context, o *lint.Options, base *baseFiles) error {
	o.Today = c.String("today")
	if o.Today == "" {
		o.Today = time.Now().Format(time.DateOnly)
	} else if _, err := time.Parse(time.DateOnly, o.Today); err != nil {
		return misusef("--today %q: want a day as 2027-01-31", o.Today)
	}
	name, write := c.String("baseline"), c.Bool("write-baseline")
	switch {
	case name == "" && write:
		err := misusef("--write-baseline needs --baseline FILE")
		for _, arg := range c.Args().Slice() {
			if !disk.Exists(arg) && strings.HasSuffix(arg, ".json") {
				return suggestInstead(err, "--write-baseline", "--write-baseline", "--baseline")
			}
		}
		return err
	case write:
		return checkCompleteRun(c)
	case name == "":
		return nil
	}
	text, err := base.read(name)
	if err == nil && text == nil {
		return nil // the base has none
	}
	if errors.Is(err, fs.ErrNotExist) {
		if meansRevision(c.Context, name) || strings.HasPrefix(name, "git:") {
			return suggestInstead(misusef("baseline %s does not exist; --base compares with a git revision", name), "--baseline", "--base")
		}
		return misusef("baseline %s does not exist: --write-baseline writes one", name)
	}
	if err != nil {
		return fmt.Errorf("the baseline cannot be read: %w", err)
	}
	if o.Baseline, err = lint.ParseBaseline(name, text); err != nil {
		return misuse{err}
	}
	return nil
}

// checkCompleteRun rejects flags that hide findings: findings missing from a baseline would be reported as new.
func checkCompleteRun(c *cli.Context) error {
	for _, flag := range []string{"gate", "only", "skip", "package", "channel", "base", "new", "olm"} {
		if c.IsSet(flag) && c.String(flag) != "both" { // --olm both finds most
			return misusef("--write-baseline needs all findings: leave --%s out", flag)
		}
	}
	return nil
}

// baselineRecorder returns the function that writes the findings of a run to the baseline, nil if it is not to be written.
func (r *lintRun) baselineRecorder() func([]lint.Finding) error {
	if !r.c.Bool("write-baseline") {
		return nil
	}
	return func(all []lint.Finding) error {
		if len(r.catalogs) == 0 {
			return nil
		}
		return r.opener.writeBaseline(r.c.String("baseline"), all, r.openErrors)
	}
}

// writeBaseline writes the findings to a baseline and accepts them, unless a catalog could not be opened.
func (o *opener) writeBaseline(name string, findings []lint.Finding, unopened error) error {
	if unopened != nil {
		return o.logf("%s is not written: not all catalogs could be opened", name)
	}
	text, err := lint.WriteBaseline(findings)
	if err == nil {
		err = o.writeFile(name, text)
	}
	if err != nil {
		return fmt.Errorf("the baseline cannot be written: %w", err)
	}
	accepted, err := lint.ParseBaseline(name, text)
	if err != nil {
		return err
	}
	accepted.Accept(findings)
	return o.logf("%s accepts the present findings", name)
}

// noRules reports whether only the rules ran that always run, and that nobody asked for.
func noRules(c *cli.Context, o lint.Options, cats []*catalogs.Catalog) bool {
	asked := slices.ContainsFunc(o.Rules, func(r lint.Rule) bool {
		return r.Unchecked.AlwaysReported() && slices.ContainsFunc(c.StringSlice("only"), func(pattern string) bool { return matches(&r, pattern) })
	})
	return !asked && len(o.RulesRun(cats)) == 0
}

// checkSubjects rejects packages and channels that no catalog has: with a misspelt name every catalog would look clean.
func checkSubjects(cats []*catalogs.Catalog, o lint.Options) error {
	var channels []string
	for _, c := range cats {
		for _, p := range c.Packages {
			for _, ch := range p.Channels {
				if len(o.Packages) == 0 || slices.Contains(o.Packages, p.Name.Value) {
					channels = append(channels, ch.Name.Value)
				}
			}
		}
	}
	for _, s := range []struct {
		what          string
		wanted, known []string
	}{{"package", o.Packages, packageNames(cats)}, {"channel", o.Channels, channels}} {
		slices.Sort(s.known)
		known := slices.Compact(s.known)
		for _, name := range s.wanted {
			if !slices.Contains(known, name) {
				return suggestName(misusef("no %s %q in the catalog%s", s.what, name, didYouMean(name, known)), name, known)
			}
		}
	}
	return nil
}

func matches(r *lint.Rule, pattern string) bool {
	ok, _ := path.Match(pattern, r.ID)
	return ok || r.Family() == pattern
}
