package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
	"github.com/olmgraph/olmgraph/render/page"
)

const renderHelp = `examples:
  olmgraph render catalog/ prometheus > prometheus.svg      the upgrade graph of a package
  olmgraph render catalog/ prometheus/stable -o stable.png
  olmgraph render catalog/ -o pictures/                     a picture of every package
  olmgraph render catalog/ -o png=pictures/ -o catalog.html  all packages, also in one interactive page
  olmgraph render catalog/ prometheus --from 0.32.0 --to 0.47.0 > path.svg
  olmgraph render new/ prometheus --base old/ > change.svg  a change: added, removed, changed
  olmgraph render new/ --base old/ -o change.html           a change, as a page
  olmgraph render catalogs/ prometheus > versions.svg       its channels at each OpenShift version

Bold edges are automatic upgrades. --edges auto draws these and the chain of replaces, and describes the rest in words;
declared draws every replaces and skips of the catalog; all also draws skipRanges. Versions that do the same are one node, as
"1.0.0 to 4.5.1, 22 versions", and the unchanged channels of a change are a note: --unfold draws each. A graph that would take too long to draw is drawn with fewer edges, and a
message says so.

For a package in a folder with a catalog for each OpenShift version (--ocp 4.14..4.18 selects a range), the picture has a
lane for each channel: its head at each version, and where a cluster that is updated has no further upgrade. The page
opens at the newest version whose catalog is filled, switches to the others, and has these pictures. With --base it shows the changes of all versions, and equal ones once.

exit status: 0; 2 misuse; 3 a catalog could not be opened or read
completely, is not a catalog, or a picture could not be drawn.`

func renderCommand() command {
	return command{
		name:  "render",
		usage: "draw upgrade graphs",
		args:  "[flags] CATALOG [PACKAGE[/CHANNEL]…]",
		help:  renderHelp,
		flags: []cli.Flag{
			enumFlag("edges", "auto", "`WHICH` edges", diagram.EdgeModes()...),
			&cli.BoolFlag{Name: "unfold", Usage: "draw each of the versions that do the same, and the unchanged channels of a change"},
			olmFlag(),
			&cli.StringFlag{Name: "from", Usage: "emphasize the path from this version or bundle, `X`"},
			&cli.StringFlag{Name: "to", Usage: "to this one, `Y` (default: the head)"},
			&cli.StringFlag{Name: "min-version", Usage: "leave out entries older than this `VERSION`"},
			&cli.StringFlag{Name: "base", Usage: "show the changes since this `CATALOG`"},
			timeoutFlag(),
			configFlag(),
		},
		synonyms: map[string]string{"graph": "", "generate graph": "", "draw": "", "render-graph": "", "diagram": "", "html": "-o html", "serve": "-o html", "dot": "-o dot", "mermaid": "-o mermaid", "svg": "-o svg", "png": "-o png", "dependencies": "-o html", "deps": "-o html", "requirements": "-o html", "tree": ""},
		takes:    takes{catalog: true, ranges: true, channel: "/", arguments: []argumentKind{packageOrChannelArgument, packageOrChannelArgument, packageOrChannelArgument}},
		formats:  renderOutputs(),
		answer:   runRender,
	}
}

// renderOutputs lists the formats of pictures, and the page.
func renderOutputs() formatList {
	return formatList{[]string{"svg", "png", "dot", "mermaid", "html"}, true}
}

func runRender(c *cli.Context, o *opener, to outputs) error {
	j, err := newRenderJob(c, o, to)
	if err != nil {
		return err
	}
	ctx := c.Context
	cats, err := j.openCatalogs(ctx, j.ref)
	if err != nil {
		return err
	}
	if versions, ok := j.packageVersions(c, cats); ok {
		return j.renderVersions(ctx, versions)
	}
	if j.cat, err = j.newestCatalog(cats); err == nil && j.cat == nil {
		j.cat, err = j.singleCatalog(j.ref, cats)
	}
	if err != nil {
		return err
	}
	if j.baseRef != "" {
		if err := j.openBase(ctx); err != nil {
			return err
		}
	}
	if j.base != nil && j.outputs.has("html") {
		return j.renderChange(ctx)
	}
	packages, err := j.choosePackages()
	if err != nil {
		return err
	}
	if j.outputs.has("html") {
		if err := page.CheckSize(packages...); err != nil {
			return err
		}
	}
	if err := j.prepareOutputs(len(packages)); err != nil {
		return err
	}
	if isTemplate(j.ref) && !c.IsSet("output") { // as opm renders one
		j.logf("this is the upgrade graph; the catalog that the template makes: %s", commandLine("template", j.ref))
	}
	findings, err := j.findings(ctx, packages)
	if err != nil {
		return err
	}
	return j.outputs.each(func(o output) error {
		one := j.forOutput(o)
		if o.format == "html" {
			return one.page(ctx, packages, findings)
		}
		return one.pictures(ctx, packages, findings)
	})
}

func newRenderJob(c *cli.Context, o *opener, to outputs) (*renderJob, error) {
	j := &renderJob{opener: o, drawer: drawer{timeout: c.Duration("timeout"), pool: graphviz.NewPool()}, ref: c.Args().First(), baseRef: c.String("base"), outputs: to, noted: map[string]bool{}, judgements: &judgements{},
		from: c.String("from"), to: c.String("to")}
	j.options.Unfold = c.Bool("unfold")
	j.options.Mode, j.options.OLM = diagram.EdgeMode(c.String("edges")), parseOLM(c.String("olm"))
	if c.NArg() > 0 {
		j.packages = parseSelection(c.Args().Tail())
	}
	if err := j.check(c); err != nil {
		return nil, err
	}
	var err error
	if text := c.String("min-version"); text != "" {
		v, err := semver.ParseTolerant(text)
		if err != nil {
			return nil, misusef("--min-version %q is not a version", text)
		}
		j.options.Oldest = &v
	}
	if j.config, err = readConfig(c.String("config"), j.ref); err != nil {
		return nil, err
	}
	if j.config.OLM = lint.OLMNames()[0]; c.IsSet("olm") { // as lint does
		j.config.OLM = c.String("olm")
	}
	j.command = j.pageCommand(c)
	return j, nil
}

// check rejects flags that cannot be combined.
func (j *renderJob) check(c *cli.Context) error {
	switch {
	case j.to != "" && j.from == "":
		return misusef("--to needs --from")
	case j.outputs.has("html") && j.from != "":
		return misusef("--from is for pictures: give -o FILE.svg")
	case c.IsSet("base") && j.baseRef == "":
		return misusef("--base needs a catalog to compare with")
	case readsStdinTwice(j.ref, j.baseRef):
		return errStdinTwice
	case c.IsSet("base") && j.from != "":
		return misusef("--base and --from cannot be used together")
	case j.from != "" && len(j.packages) != 1:
		return misusef("--from needs one package")
	}
	return nil
}

// openCatalogs opens the catalogs of a reference; if one package is selected, with that package alone unless the page is written.
func (j *renderJob) openCatalogs(ctx context.Context, ref string) ([]*catalogs.Catalog, error) {
	pkg, whole := "", j.outputs.has("html") // the page shows dependents, which are found in all packages
	if len(j.packages) == 1 {
		pkg = j.packages[0].name
	}
	return j.openMerged(ctx, ref, pkg, whole)
}

// singleCatalog returns the only catalog of a reference, or the only one that has the package.
func (j *renderJob) singleCatalog(ref string, cats []*catalogs.Catalog) (*catalogs.Catalog, error) {
	if len(cats) != 1 {
		if len(j.packages) == 1 && j.baseRef == "" {
			switch found := preferWithChannels(cats, j.packages[0].name); len(found) {
			case 0:
				return nil, j.noPackage(j.packages[0].name, ref, cats)
			case 1:
				return found[0], nil
			}
		}
		return nil, j.severalCatalogs(ref+" holds", ref, cats, "")
	}
	return cats[0], nil
}

// openBase opens the catalog that is compared with, which is empty if its path is new, and names its commit in baseRef. Of several OpenShift
// versions it opens that of each, and cat and base are the newest ones.
func (j *renderJob) openBase(ctx context.Context) error {
	base, err := j.findBase(ctx, j.baseRef, []string{j.ref})
	if err != nil {
		return err
	}
	at := base.found
	j.baseGiven, j.baseOpened, j.baseRef = j.baseRef, at.Ref, cmp.Or(at.Note, withoutFolders(j.baseRef))
	all, err := j.openCatalogs(ctx, at.Ref)
	j.missing.allow(repo.FromCatalogs(all...))
	isNew := base.isNew(ctx, err)
	if err != nil && !isNew {
		return err
	}
	now := j.versionCatalogs()
	if j.versions == nil {
		now = []*catalogs.Catalog{j.cat}
		if _, err := j.singleCatalog(at.Ref, all); err != nil && !isNew {
			return err
		}
	}
	pairs, alone := compare.Pairs(ctx, repo.FromCatalogs(now...), repo.FromCatalogs(all...), false)
	if err := base.setUnpaired(ctx, []string{j.ref}, pairs, alone, isNew); err != nil {
		return err
	}
	base.noteRemoved()
	j.pairs = slices.DeleteFunc(pairs, func(p compare.Pair) bool { return p.Base == nil })
	if len(j.pairs) == 0 {
		return errNoPairs
	}
	newest := j.pairs[len(j.pairs)-1]
	j.cat, j.base = newest.Now, newest.Base
	return nil
}

// choosePackages returns the selected packages, or all if none is selected.
func (j *renderJob) choosePackages() ([]*catalogs.Package, error) {
	if len(j.packages) == 0 {
		for _, name := range j.allPackages() {
			j.packages = append(j.packages, selectedPackage{name: name})
		}
		if len(j.packages) == 0 {
			return nil, misusef("%s has no packages", j.ref)
		}
	}
	var found []*catalogs.Package
	known := map[string]*catalogs.Package{}
	for _, p := range slices.Backward(j.cat.Packages) {
		known[p.Name.Value] = p
	}
	for i := range j.packages {
		selected := &j.packages[i]
		p := known[selected.name]
		if p == nil {
			if was := j.formerPackage(selected.name); was != nil { // removed: the picture shows what there was
				found = append(found, &catalogs.Package{Name: was.Name})
				continue
			}
		}
		if p == nil && !strings.Contains(selected.name, "@") {
			if meant, _, ok := j.likelyPackage(selected.name, []*catalogs.Catalog{j.cat}, true); ok {
				selected.name, p = meant, j.cat.Package(meant)
			}
		}
		if p == nil {
			return nil, j.noPackage(selected.name, j.ref, []*catalogs.Catalog{j.cat})
		}
		if len(selected.channels) > 0 {
			if _, err := (selector{graph.NewPackageGraph(p)}).channels(selected.channels); err != nil {
				return nil, err
			}
		}
		found = append(found, p)
	}
	return found, nil
}

// withoutFolders returns the last part of an absolute path, whose folders only this machine has, and any other reference as it is.
func withoutFolders(ref string) string {
	if filepath.IsAbs(ref) {
		return filepath.Base(ref)
	}
	return ref
}

// pageCommand returns how the user names what a page shows.
func (j *renderJob) pageCommand(c *cli.Context) page.Command {
	named := page.Command{Catalog: withoutFolders(j.ref), Base: withoutFolders(j.baseRef), Packages: j.packages.names()}
	for _, name := range []string{"ocp", "platform", "max-size", "bundles", "catalog", "opm", "config", "insecure"} {
		if !c.IsSet(name) {
			continue
		}
		switch value := c.Value(name).(type) {
		case bool:
			named.Flags = append(named.Flags, "--"+name)
		case string:
			if name == "config" {
				named.Lint = append(named.Lint, "--"+name, withoutFolders(value))
			} else {
				named.Flags = append(named.Flags, "--"+name, withoutFolders(value))
			}
		default:
			named.Flags = append(named.Flags, "--"+name, strings.Join(words.Map(c.StringSlice(name), withoutFolders), ","))
		}
	}
	return named
}
