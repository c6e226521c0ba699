package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/changes"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/render"
)

const diffHelp = `examples:
  olmgraph diff published/ catalog/                  the differences of two catalogs, for a review
  olmgraph diff published/ catalog/ red              of one package
  olmgraph diff published/ catalog/ --stat           numbers of differences, a line for each package
  olmgraph diff published/ catalog/ -o comment.md    for a pull request: at most 60 lines, with a diagram

Both are catalogs in any form: a folder, a file, or - for standard input. The differences that affect upgrades are listed, the most
severe first: stranded versions, new upgrades that fail, packages, channels, heads, entries, automatic upgrades, images, APIs of the
heads, and deprecations. Descriptions and icons are not compared. A bundle is named by its version if no other bundle has that version.
A difference that several catalogs, channels or packages share is listed once, with those that follow from it. Of many only some are
listed: --details lists all, -o json those of each catalog and channel. Of two bundle folders
the contents are compared, as by olmgraph path --changes. olmgraph lint --base reports problems of the same changes.

exit status: 0 no differences; 1 differences; 2 misuse; 3 one of the two could
not be opened, is not a catalog, or could not be read and compared completely.`

func diffCommand() command {
	return command{
		name:  "diff",
		usage: "show how a catalog differs from another one, for a review",
		args:  "[flags] BASE CATALOG [PACKAGE]",
		help:  diffHelp,
		flags: []cli.Flag{
			&cli.StringFlag{Name: "package", Usage: "only this `PACKAGE`"},
			&cli.BoolFlag{Name: "details", Usage: "in text all differences and names; also what differs between new heads and what they upgrade"},
			&cli.BoolFlag{Name: "stat", Usage: "in text: numbers of differences, a line for each package"},
			colorFlag(),
		},
		synonyms: map[string]string{"comment": "", "compare": "", "changes": "", "review": "", "impact": "", "pr": ""},
		takes:    takes{base: true, arguments: []argumentKind{0, packageArgument}},
		formats:  answerFormats(render.DiffFormats()),
		answer:   runDiff,
	}
}

func runDiff(c *cli.Context, o *opener, to outputs) error {
	base, ref, pkg, err := o.compared(c)
	if err != nil {
		return err
	}
	options := o.options
	options.Deferred, options.EachVersion = pkg == "" && len(o.bundles) == 0, true
	was := o.beginBase(c.Context, base, nil, options)
	defer was.end()
	options.As = was.asFolder()
	cats, err := o.openVersions(c.Context, ref, options)
	if err != nil {
		return err
	}
	pairs, err := was.openPairs(c.Context, []string{ref}, cats)
	if err != nil {
		return err
	}
	if err := checkCompared(o.logger, base, ref, pairs, pkg); err != nil {
		return err
	}
	d, err := differences(pairs, pkg)
	if err != nil {
		return err
	}
	between, err := betweenBundles(pairs)
	if err != nil {
		return err
	}
	if between != nil {
		d.ByPair = [][]graph.Difference{nil}
		d.Contents = []*changes.Report{between}
	}
	d.OnlyInBase = words.Map(was.removed, func(r compare.Removed) string { return r.Base.Name })
	was.noteRemoved()
	if c.Bool("details") && between == nil {
		if d.Contents, err = contents(pairs, pkg); err != nil {
			return err
		}
	}
	d.Details, d.Stat, d.JSON = c.Bool("details"), c.Bool("stat"), repeatCommand(c, "-o", "json")
	differs := between != nil && len(between.Changes) > 0 || slices.ContainsFunc(d.ByPair, func(of []graph.Difference) bool { return len(of) > 0 })
	o.noteRevisions(differs, base, ref)
	return answerStatus(write(to, render.DiffFormats(), d), false, differs)
}

// compared returns the two references and the package that are compared.
func (o *opener) compared(c *cli.Context) (base, ref, pkg string, err error) {
	args, err := comparedArguments(c.Context, c.Args().Slice())
	if err != nil {
		return "", "", "", err
	}
	if slices.Equal(args, []string{"-"}) && o.stdinIsPatch() {
		return "", "", "", noPatch(args[0], o.command.arrange(c.Context, nil))
	}
	if len(args) == 1 {
		return "", "", "", suggestCommand(misusef("diff needs two catalogs, the older one first, which can be a git revision"), o.command.arrange(c.Context, o.given)...)
	}
	base, ref, pkg = args[0], args[1], c.String("package")
	switch {
	case len(args) == 3 && pkg == "":
		pkg = args[2]
	case len(args) != 2:
		return "", "", "", suggestCommand(misusef("diff compares two catalogs, and at most one package"), o.insteadOfDiff(c.Context, args)...)
	}
	if readsStdinTwice(base, ref) {
		return "", "", "", errStdinTwice
	}
	return base, ref, pkg, nil
}

// noteRevisions says of two git revisions without a difference what is not compared.
func (o *opener) noteRevisions(differs bool, base, ref string) {
	if !differs && strings.HasPrefix(base, "git:") && strings.HasPrefix(ref, "git:") {
		o.logf("two revisions are compared, without what is not committed; for that, leave out the second")
	}
}

// insteadOfDiff returns the command line for more arguments than diff has: that of path for two versions in one catalog.
func (o *opener) insteadOfDiff(ctx context.Context, args []string) []string {
	if line := pathCommand().arrange(ctx, append(slices.Clone(o.given[1:]), "--changes")); line != nil && slices.ContainsFunc(args, isVersion) {
		return line
	}
	if len(args) > 2 && !isVersion(args[2]) {
		return append([]string{"diff"}, args[:3]...)
	}
	return append([]string{"diff"}, args[:2]...)
}

// stdinIsPatch reports whether standard input begins as a patch does.
func (o *opener) stdinIsPatch() bool {
	r := bufio.NewReader(o.stdin)
	o.stdin = r
	begin, _ := r.Peek(len("diff --git "))
	return string(begin) == "diff --git "
}

func noPatch(ref string, line []string) error {
	return suggestion{error: misusef("a patch has no catalog: its changes are those of the repository"), args: line, was: ref}
}

// betweenBundles compares the contents of two bundle folders that have different bundles of one package, nil if that is not what is compared: they have
// no users that a difference of channels could strand.
func betweenBundles(pairs []compare.Pair) (*changes.Report, error) {
	if len(pairs) != 1 || pairs[0].Base == nil {
		return nil, nil
	}
	from, to := onlyBundle(pairs[0].Base), onlyBundle(pairs[0].Now)
	if from == nil || to == nil || from.Package.Value != to.Package.Value || from.Name.Value == to.Name.Value {
		return nil, nil
	}
	return changes.Compare(judge.New(pairs[0].Now.Packages[0], judge.Options{}), from, to, graph.V0)
}

// onlyBundle returns the bundle of a catalog that is one bundle folder.
func onlyBundle(c *catalogs.Catalog) *catalogs.Bundle {
	if len(c.Packages) != 1 || len(c.Packages[0].Bundles) != 1 || c.Packages[0].Bundles[0].Folder == nil {
		return nil
	}
	return c.Packages[0].Bundles[0]
}

var errNoPairs = errors.New("no catalog of BASE corresponds to one of CATALOG")

// differences compares the packages whose text has changed. If pkg is not "", it compares only that package.
func differences(pairs []compare.Pair, pkg string) (render.Differences, error) {
	var d render.Differences
	var known []string
	for _, pair := range pairs {
		if pair.Base == nil {
			d.Unpaired = append(d.Unpaired, pair.Now.Name) // reported by openPairs, too
			continue
		}
		var of []graph.Difference
		for _, c := range []*catalogs.Catalog{pair.Now, pair.Base} {
			known = append(known, c.PackageNames()...)
		}
		for _, name := range pair.Changed {
			if t := pair.Now.Template; pkg != "" && name != pkg || t != nil && t.IsGenerated() && len(t.Unknown) > 0 { // what it makes is not known
				continue
			}
			more, err := judge.Diff(pair.Base.Package(name), pair.Now.Package(name))
			if err != nil {
				return d, err
			}
			of = append(of, more...)
		}
		d.Pairs, d.ByPair = append(d.Pairs, pair), append(d.ByPair, of)
	}
	slices.Sort(known)
	if known = slices.Compact(known); pkg != "" && !slices.Contains(known, pkg) {
		if strings.Contains(pkg, "/") && disk.Exists(pkg) {
			return d, suggestInstead(misusef("diff takes two catalogs, not also %s", pkg), pkg)
		}
		return d, suggestName(misusef("no package %q in either catalog%s", pkg, didYouMean(pkg, known)), pkg, known)
	}
	if len(d.Pairs) == 0 {
		return d, errNoPairs
	}
	return d, nil
}

// contents compares the new heads of packages with what they upgrade, each pair of bundles once.
func contents(pairs []compare.Pair, pkg string) (all []*changes.Report, err error) {
	seen := map[string]bool{}
	for _, pair := range pairs {
		if pair.Base == nil {
			continue
		}
		for _, name := range pair.Changed {
			now := pair.Now.Package(name)
			if now == nil || pkg != "" && name != pkg {
				continue
			}
			found, err := changes.OfRelease(pair.Base.Package(name), now)
			if err != nil {
				return nil, err
			}
			for _, r := range found {
				key := name + " " + r.From.Name.Value + " " + r.From.Image.Value + " " + r.To.Name.Value + " " + r.To.Image.Value
				if !seen[key] {
					seen[key] = true
					all = append(all, r)
				}
			}
		}
	}
	return all, nil
}

// checkCompared returns an error if one side of the comparison is not a catalog, and warns of what could not be read on either
// side.
func checkCompared(l *logger, base, ref string, pairs []compare.Pair, pkg string) error {
	var was, now []*catalogs.Catalog
	for _, pair := range pairs {
		now = append(now, pair.Now)
		if pair.Base != nil {
			was = append(was, pair.Base)
		}
	}
	if err := l.checkIsCatalog(base, was, pkg); err != nil {
		return err
	}
	return cmp.Or(l.checkIsCatalog(ref, now, pkg), requireEdges(ref, now...))
}
