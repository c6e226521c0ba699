package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/mirror"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render"
)

const mirrorHelp = `examples:
  olmgraph mirror imageset.yaml catalog/                        who is stranded, what is missing, what is not needed
  olmgraph mirror imageset.yaml catalog/ --snapshot cluster.yaml    of the Subscriptions of a cluster
  olmgraph mirror imageset.yaml quay.io/org/a:v4.18=a/ cs-b-v4-18=b/    a catalog for each of the image set
  olmgraph mirror imageset.yaml catalog/ -o catalog | olmgraph lint -

IMAGESET is an ImageSetConfiguration of oc-mirror v2, and CATALOG the catalog that its mirror.operators name, file-based as in the image.
If they name several, give each as NAME=CATALOG: NAME is the image, the CatalogSource that oc-mirror generates, or that of the snapshot.

The catalog is filtered as oc-mirror does, by names and versions, without regard to upgrade paths and dependencies. The answer compares
what OLM v0 does with the whole catalog and with the filtered one. The installed versions are those of the snapshot (as of olmgraph
cluster), in all its namespaces; without one, all versions of the channels that are mirrored. They need not be mirrored themselves.

exit status: 0; 1 users are stranded, a dependency is missing, or oc-mirror or opm reject the
result; 2 misuse; 3 a file could not be opened or read, or is not an image set of oc-mirror v2.`

const ofVersions = "the image set has the versions, and path --imageset writes one for an upgrade"

func mirrorOutputs() formatList {
	return formatList{names: append(formatNames(render.MirrorFormats()), catalogFormat)}
}

// catalogFormat is the format that is the filtered catalog.
const catalogFormat = "catalog"

// mirrorNeedless returns the flags that people give mirror and that it does not have, with why.
func mirrorNeedless() map[string]string {
	all := map[string]string{}
	for why, names := range map[string][]string{
		ofVersions:                         {"min", "max", "min-version", "max-version", "minVersion", "maxVersion", "from", "to", "from-version", "to-version"},
		"the image set names the packages": {"package", "p"},
		"the image set names the channels": {"channel"},
		"mirror writes nothing":            {"dry-run"},
		noSizes:                            {"size", "sizes"},
		onePath:                            {"generate", "suggest", "create", "init"},
		"mirror counts them; oc-mirror --v2 with --dry-run lists them in working-dir/dry-run/mapping.txt": {"images"},
		"mirror changes no image set; it says what to write":                                              {"fix"},
		andListed: {"lifecycle", "lifecycles"},
		"mirror deletes nothing; oc-mirror delete does": {"delete"},
		"mirror judges as oc-mirror v2":                 {"v2"},
	} {
		for _, name := range names {
			all[name] = why
		}
	}
	return all
}

func mirrorCommand() command {
	return command{
		name:  "mirror",
		usage: "show what oc-mirror mirrors of catalogs, and who is stranded",
		args:  "[flags] IMAGESET CATALOG...",
		help:  mirrorHelp,
		flags: []cli.Flag{
			snapshotFlag("only what is installed in a cluster counts: its objects in a `FILE`"),
			&cli.StringFlag{Name: "namespace", Aliases: []string{"n"}, Usage: "only the Subscriptions of the namespace of this `NAME`"},
			&cli.BoolFlag{Name: "details", Usage: "each channel in which users are stranded, and what to mirror for them, in text"},
			&cli.StringFlag{Name: "of", Usage: "for -o catalog, where there are several: the `NAME` of one, as in NAME=CATALOG"},
			colorFlag(),
		},
		synonyms: map[string]string{"imageset": "", "index prune": "-o catalog", "imageset shrink": "", "oc-mirror": "", "filter": "-o catalog", "prune": "-o catalog", "shrink": "", "size": ""},
		needless: mirrorNeedless(),
		formats:  mirrorOutputs(),
		check:    checkMirror,
		answer:   runMirror,
	}
}

func runMirror(c *cli.Context, o *opener, to outputs) error {
	file := c.Args().First()
	text, err := o.readImageSet(file)
	switch {
	case errors.Is(err, os.ErrNotExist) && slices.ContainsFunc(c.Args().Tail(), isImageSet):
		rest := slices.DeleteFunc(slices.Clone(o.given), func(w string) bool { return w == file })
		return suggestCommand(fmt.Errorf("%w: the image set comes first", err), o.command.arrange(c.Context, rest)...)
	case errors.Is(err, os.ErrNotExist) && !isReference(file):
		return suggestCommand(fmt.Errorf("%w: %s", err, onePath), pathCommand().arrange(c.Context, append([]string{"--imageset"}, o.given[1:]...))...)
	case errors.Is(err, os.ErrNotExist):
		return insteadOfImageSet(err, file)
	case err != nil:
		return err
	}
	config, err := imageset.Parse(file, text)
	if err != nil {
		return insteadOfImageSet(err, file)
	}
	cluster, err := readSubscriptions(c, o)
	if err != nil {
		return err
	}
	whole, err := o.openMirrored(c.Context, config, cluster, c.Args().Tail())
	if err != nil {
		return err
	}
	report, err := judgeCoverage(c.Context, config, whole, cluster)
	if err != nil {
		return err
	}
	if to.has(catalogFormat) {
		return writeFiltered(o.logger, to, report)
	}
	return answerStatus(write(to, render.MirrorFormats(), render.Mirror{Report: report, Details: c.Bool("details")}), false, report.Failed())
}

// noImageSet returns the error of a first argument that is no image set but a command, as init of oc-mirror; nil if it is none.
func noImageSet(c *cli.Context, given []string) error {
	word := c.Args().First()
	other, synonym, n := findSynonym([]string{"mirror", word})
	if n < 2 || disk.Exists(word) {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(given), func(w string) bool { return w == word })
	line := other.arrange(c.Context, append(strings.Fields(other.synonyms[synonym]), rest[1:]...))
	return suggestCommand(misusef("mirror has no command %q%s", word, words.Prefix(": ", other.why(synonym))), line...)
}

// insteadOfImageSet adds to the error of a file that is no image set the only one beside it.
func insteadOfImageSet(err error, file string) error {
	set, ok := onlyImageSet(filepath.Dir(file))
	if !ok || isImageSet(file) {
		return err
	}
	return suggestInstead(fmt.Errorf("%w; did you mean %s?", err, set), file, set)
}

// imageSetFile matches a file that somebody takes for a new image set.
var imageSetFile = regexp.MustCompile(`^([^=]*/)?imageset[^/=]*\.ya?ml$`)

// checkMirror rejects missing arguments and flags that cannot be combined.
func checkMirror(c *cli.Context, given []string) error {
	file, mirror := c.Args().First(), mirrorCommand()
	stdin := slices.DeleteFunc(append(c.Args().Slice(), snapshotFiles(c)...), func(a string) bool { return a != "-" && !strings.HasSuffix(a, "=-") })
	isPackage := func(w string) bool { return !disk.Exists(w) && len(foldersOf(w)) > 0 }
	switch err := noImageSet(c, given); {
	case err != nil:
		return err
	case isImageSet(file) && slices.ContainsFunc(c.Args().Tail(), isPackage):
		return suggestCommand(misusef("the image set names the packages"), mirror.arrange(c.Context, given)...)
	case disk.IsFolder(file):
		return suggestCommand(misusef("mirror needs an image set before its catalogs, and %s is a folder", file), mirror.arrange(c.Context, given)...)
	case imageSetFile.MatchString(c.String("output")):
		line := pathCommand().arrange(c.Context, append([]string{"--imageset", "-o", c.String("output")}, c.Args().Tail()...))
		return suggestCommand(misusef("mirror writes a report, or the filtered catalog; path --imageset writes an image set for an upgrade or a version"), line...)
	case slices.ContainsFunc(c.Args().Tail(), isSnapshot):
		return suggestCommand(misusef("mirror takes the objects of a cluster with --snapshot"), mirror.arrange(c.Context, given)...)
	case c.NArg() < 2:
		return suggestCommand(misusef("mirror needs an image set and its catalogs"), mirror.arrange(c.Context, given)...)
	case len(stdin) > 1:
		return errStdinTwice
	case c.IsSet("namespace") && !c.IsSet("snapshot"):
		return misusef("--namespace needs --snapshot")
	}
	return nil
}

// readSubscriptions reads the snapshot; nil if none is given.
func readSubscriptions(c *cli.Context, o *opener) (*mirror.Cluster, error) {
	if len(snapshotFiles(c)) == 0 {
		return nil, nil
	}
	s, err := readSnapshot(o, c, snapshotFiles(c))
	if err != nil {
		return nil, err
	}
	cluster, err := mirror.NewCluster(s, c.String("namespace"))
	if err != nil {
		return nil, snapshotError(snapshotFiles(c), err)
	}
	return cluster, nil
}

// readImageSet reads the image set of a file, or standard input.
func (s streams) readImageSet(name string) (text []byte, err error) {
	err = s.readFile(name, func(_ string, from io.Reader) error {
		text, err = disk.ReadAll(from, maxImageSet)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("IMAGESET: %w", err)
	}
	return text, nil
}

// maxImageSet bounds the size of an image set, in bytes.
const maxImageSet = 16 << 20

// openMirrored opens the catalog of each operator of the image set.
func (o *opener) openMirrored(ctx context.Context, config *imageset.Config, cluster *mirror.Cluster, args []string) ([]*catalogs.Catalog, error) {
	if len(config.Operators) == 0 {
		return nil, fmt.Errorf("%s: the image set mirrors no operators", config.File)
	}
	refs := make([]string, len(config.Operators))
	for _, arg := range args {
		at, name, ref, err := parseOperatorArg(config, cluster, arg)
		switch {
		case err != nil:
			return nil, err
		case refs[at] != "":
			err := misusef("catalog %s is given twice, as %s and as %s: leave one out, or give the folder of both if they are its parts", config.Operators[at].Catalog.Value, refs[at], ref)
			others := slices.DeleteFunc(slices.Clone(args), func(w string) bool { return w == catalogOfImageSet(config.File) })
			if len(others) == len(args)-1 {
				return nil, suggestCommand(err, slices.DeleteFunc(slices.Clone(o.given), func(w string) bool { return slices.Contains(others, w) })...)
			}
			return nil, err
		}
		refs[at] = ref
		if cluster != nil && name != "" {
			cluster.Named[name] = at
		}
	}
	var all []*catalogs.Catalog
	for i, ref := range refs {
		if ref == "" {
			return nil, misusef("the image set mirrors %s: give its catalog as %[1]s=CATALOG", config.Operators[i].Catalog.Value)
		}
		one, err := o.fileBased(ctx, ref)
		if err != nil {
			return nil, err
		}
		image := config.Operators[i].Catalog.Value
		if version := catalogs.OpenShiftVersion(image[strings.LastIndexAny(image, ":/")+1:]); version != "" && one.OpenShift != "" && version != one.OpenShift {
			o.logf("the image set mirrors %s, for OpenShift %s, and %s is for %s", image, version, ref, one.OpenShift)
		}
		all = append(all, one)
	}
	return all, nil
}

// fileBased opens a catalog that oc-mirror can filter.
func (o *opener) fileBased(ctx context.Context, ref string) (*catalogs.Catalog, error) {
	cats, err := o.openFor(ctx, ref, "", true)
	switch {
	case err != nil:
		return nil, err
	case len(cats) != 1:
		return nil, misusef("%s holds %d catalogs: give one of %s", ref, len(cats), strings.Join(references(ref, cats), ", "))
	case cats[0].Form != catalogs.FileBased || cats[0].Template != nil:
		return nil, fmt.Errorf("%s: oc-mirror filters file-based catalogs only; the form of this one is %s", ref, cats[0].Form)
	}
	return cats[0], nil
}

// parseOperatorArg returns the index of the operator that an argument, CATALOG or NAME=CATALOG, is the catalog of.
func parseOperatorArg(config *imageset.Config, cluster *mirror.Cluster, arg string) (at int, name, ref string, err error) {
	name, ref, named := strings.Cut(arg, "=")
	if named {
		if at, ok := operatorNamed(config, cluster, name); ok {
			return at, name, ref, nil
		}
	}
	names := words.Map(config.Operators, func(o imageset.Operator) string { return o.Catalog.Value })
	switch {
	case named && (len(names) > 1 || !disk.Exists(arg) && disk.Exists(ref)):
		return 0, "", "", suggestInstead(misusef("the image set mirrors no catalog %q%s", name, didYouMean(name, names)), arg, ref)
	case len(names) == 1:
		return 0, "", arg, nil
	}
	return 0, "", "", misusef("the image set mirrors several catalogs: give NAME=%s%s", arg, didYouMean("", names))
}

// operatorNamed returns the operator of that image or CatalogSource.
func operatorNamed(config *imageset.Config, cluster *mirror.Cluster, name string) (int, bool) {
	image := ""
	if cluster != nil {
		if i := slices.IndexFunc(cluster.Sources, func(s mirror.Source) bool { return s.Name == name }); i >= 0 {
			image = cluster.Sources[i].Image
			if len(config.Operators) == 1 {
				return 0, true
			}
		}
	}
	for i := range config.Operators {
		one := &config.Operators[i]
		source, _ := one.CatalogSource()
		if name == one.Catalog.Value || name == source || image != "" && one.SameRepository(image) {
			return i, true
		}
	}
	return 0, false
}

// judgeCoverage is mirror.Check with what opm rejects.
func judgeCoverage(ctx context.Context, config *imageset.Config, whole []*catalogs.Catalog, cluster *mirror.Cluster) (*mirror.Report, error) {
	report, err := mirror.Check(ctx, config, whole, cluster)
	if err == nil {
		err = addInvalid(ctx, report)
	}
	return report, err
}

// addInvalid adds a finding for each package that is left as opm rejects it.
func addInvalid(ctx context.Context, report *mirror.Report) error {
	for _, c := range report.Catalogs {
		if c.Left == nil || len(c.Left.Packages) == 0 || c.Left == c.Whole {
			continue
		}
		findings, err := lint.Run(ctx, []*catalogs.Catalog{c.Left}, lint.Options{Rules: rules.All(), Gates: lint.GateOPM, MinSeverity: lint.Error})
		if err != nil {
			return err
		}
		var byPackage memo.Groups[string, string]
		for i := range findings {
			if f := &findings[i]; f.Unchecked != lint.NoPackage {
				byPackage.Add(f.Package, f.Message)
			}
		}
		for pkg, messages := range byPackage.All() {
			report.AddInvalid(c, pkg, messages)
		}
	}
	return nil
}

// writeFiltered writes the filtered catalog.
func writeFiltered(l *logger, to outputs, report *mirror.Report) error {
	if len(to.all) > 1 {
		return misusef("-o catalog writes the filtered catalog: leave other formats out")
	}
	at := 0
	if name := to.c.String("of"); name != "" || len(report.Catalogs) > 1 {
		found, ok := operatorNamed(report.Config, report.Cluster, name)
		if !ok {
			names := words.Map(report.Catalogs, func(c *mirror.Catalog) string { return c.Operator.Catalog.Value })
			return misusef("-o catalog writes one catalog: give --of NAME%s", didYouMean(name, names))
		}
		at = found
	}
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Severity != mirror.Info {
			l.logf("%s: %s: %s", f.Pos, f.Severity, f.Message)
		}
	}
	left := report.Catalogs[at].Left
	if left == nil || len(report.Config.Faults) > 0 {
		return status(statusFindings)
	}
	made, err := fbc.WriterCatalog(left)
	if err != nil {
		return err
	}
	return answerStatus(to.writeFBC(output{format: "yaml", path: to.all[0].path}, made), false, report.Failed())
}
