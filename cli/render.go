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
lane for each channel: its head at each version, and where a cluster that is updated has no further upgrade. The page is
that of the newest version whose catalog is filled, with these pictures. With --base it shows the changes of all versions, and equal ones once.

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
		synonyms: map[string]string{"graph": "CATALOG", "draw": "CATALOG", "render-graph": "CATALOG", "diagram": "CATALOG", "html": "-o html CATALOG", "mermaid": "-o mermaid CATALOG", "svg": "-o svg CATALOG", "png": "-o png CATALOG", "dependencies": "-o html CATALOG", "requirements": "-o html CATALOG", "tree": "CATALOG"},
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
	d, err := newRenderJob(c, o, to)
	if err != nil {
		return err
	}
	ctx := c.Context
	cats, err := d.openCatalogs(ctx, d.ref)
	if err != nil {
		return err
	}
	if versions, ok := d.packageVersions(c, cats); ok {
		return d.renderVersions(ctx, versions)
	}
	if d.cat, err = d.newestCatalog(cats); err == nil && d.cat == nil {
		d.cat, err = d.singleCatalog(d.ref, cats)
	}
	if err != nil {
		return err
	}
	if d.baseRef != "" {
		if err := d.openBase(ctx); err != nil {
			return err
		}
	}
	if d.base != nil && d.outputs.has("html") {
		return d.renderChange(ctx)
	}
	packages, err := d.choosePackages()
	if err != nil {
		return err
	}
	if d.outputs.has("html") {
		if err := page.CheckSize(packages...); err != nil {
			return err
		}
	}
	if err := d.prepareOutputs(len(packages)); err != nil {
		return err
	}
	findings, err := d.findings(ctx, packages)
	if err != nil {
		return err
	}
	return d.outputs.each(func(o output) error {
		if d := d.forOutput(o); d.format != "html" {
			return d.pictures(ctx, packages, findings)
		}
		return d.forOutput(o).page(ctx, packages, findings)
	})
}

func newRenderJob(c *cli.Context, o *opener, to outputs) (*renderJob, error) {
	if isTerminal(o.stdout) && !c.IsSet("output") {
		file := "upgrades.svg"
		if c.NArg() != 2 {
			file = "pictures/"
		}
		return nil, try(misusef("a diagram cannot be shown in a terminal"), append(slices.Clone(o.given), "-o", file)...)
	}
	d := &renderJob{opener: o, drawer: drawer{timeout: c.Duration("timeout"), pool: graphviz.NewPool()}, ref: c.Args().First(), baseRef: c.String("base"), outputs: to, noted: map[string]bool{}, judgements: &judgements{},
		from: c.String("from"), to: c.String("to")}
	d.options.Unfold = c.Bool("unfold")
	d.options.Mode, d.options.OLM = diagram.EdgeMode(c.String("edges")), parseOLM(c.String("olm"))
	if c.NArg() > 0 {
		d.packages = parseSelection(c.Args().Tail())
	}
	if err := d.check(c); err != nil {
		return nil, err
	}
	var err error
	if text := c.String("min-version"); text != "" {
		v, err := semver.ParseTolerant(text)
		if err != nil {
			return nil, misusef("--min-version %q is not a version", text)
		}
		d.options.Oldest = &v
	}
	if d.config, err = readConfig(c.String("config"), d.ref); err != nil {
		return nil, err
	}
	if d.config.OLM = lint.OLMNames()[0]; c.IsSet("olm") { // as lint does
		d.config.OLM = c.String("olm")
	}
	d.command = d.pageCommand(c)
	return d, nil
}

// check rejects flags that cannot be combined.
func (d *renderJob) check(c *cli.Context) error {
	switch {
	case d.to != "" && d.from == "":
		return misusef("--to needs --from")
	case d.outputs.has("html") && d.from != "":
		return misusef("--from is for pictures: give -o FILE.svg")
	case c.IsSet("base") && d.baseRef == "":
		return misusef("--base needs a catalog to compare with")
	case readsStdinTwice(d.ref, d.baseRef):
		return errStdinTwice
	case c.IsSet("base") && d.from != "":
		return misusef("--base and --from cannot be used together")
	case d.from != "" && len(d.packages) != 1:
		return misusef("--from needs one package")
	}
	return nil
}

// openCatalogs opens the catalogs of a reference; if one package is selected, with that package alone unless the page is written.
func (d *renderJob) openCatalogs(ctx context.Context, ref string) ([]*catalogs.Catalog, error) {
	about, whole := "", d.outputs.has("html") // the page shows dependents, which are found in all packages
	if len(d.packages) == 1 {
		about = d.packages[0].name
	}
	return d.openPublished(ctx, ref, about, whole)
}

// singleCatalog returns the only catalog of a reference.
func (d *renderJob) singleCatalog(ref string, cats []*catalogs.Catalog) (*catalogs.Catalog, error) {
	if len(cats) != 1 {
		if len(d.packages) == 1 && d.baseRef == "" && len(withPackage(cats, d.packages[0].name)) == 0 {
			return nil, d.noPackage(d.packages[0].name, ref, cats)
		}
		return nil, d.severalCatalogs(ref+" holds", ref, cats, "")
	}
	return cats[0], nil
}

// openBase opens the catalog that is compared with, which is empty if its path is new, and names its commit in baseRef. Of several OpenShift
// versions it opens that of each, and cat and base are the newest ones.
func (d *renderJob) openBase(ctx context.Context) error {
	base, err := d.findBase(ctx, d.baseRef, []string{d.ref})
	if err != nil {
		return err
	}
	at := base.at
	d.baseGiven, d.baseOpened, d.baseRef = d.baseRef, at.Ref, cmp.Or(at.Note, withoutFolders(d.baseRef))
	all, err := d.openCatalogs(ctx, at.Ref)
	d.missing.allow(repo.FromCatalogs(all...))
	isNew := base.isNew(ctx, err)
	if err != nil && !isNew {
		return err
	}
	now := d.versionCatalogs()
	if d.versions == nil {
		now = []*catalogs.Catalog{d.cat}
		if _, err := d.singleCatalog(at.Ref, all); err != nil && !isNew {
			return err
		}
	}
	pairs, alone := compare.Pairs(ctx, repo.FromCatalogs(now...), repo.FromCatalogs(all...), false)
	if err := base.setUnpaired(ctx, []string{d.ref}, pairs, alone, isNew); err != nil {
		return err
	}
	base.noteRemoved()
	d.pairs = slices.DeleteFunc(pairs, func(p compare.Pair) bool { return p.Base == nil })
	if len(d.pairs) == 0 {
		return errNoPairs
	}
	newest := d.pairs[len(d.pairs)-1]
	d.cat, d.base = newest.Now, newest.Base
	return nil
}

// choosePackages returns the selected packages, or all if none is selected.
func (d *renderJob) choosePackages() ([]*catalogs.Package, error) {
	if len(d.packages) == 0 {
		for _, name := range d.allPackages() {
			d.packages = append(d.packages, selectedPackage{name: name})
		}
		if len(d.packages) == 0 {
			return nil, misusef("%s has no packages", d.ref)
		}
	}
	var found []*catalogs.Package
	known := map[string]*catalogs.Package{}
	for _, p := range slices.Backward(d.cat.Packages) {
		known[p.Name.Value] = p
	}
	for i := range d.packages {
		w := &d.packages[i]
		p := known[w.name]
		if p == nil {
			if was := d.formerPackage(w.name); was != nil { // removed: the picture shows what there was
				found = append(found, &catalogs.Package{Name: was.Name})
				continue
			}
		}
		if p == nil && !strings.Contains(w.name, "@") {
			if meant, _, ok := d.likelyPackage(w.name, []*catalogs.Catalog{d.cat}, true); ok {
				w.name, p = meant, d.cat.Package(meant)
			}
		}
		if p == nil {
			return nil, d.noPackage(w.name, d.ref, []*catalogs.Catalog{d.cat})
		}
		if len(w.channels) > 0 {
			if _, err := (selector{graph.NewPackageGraph(p)}).channels(w.channels); err != nil {
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
func (d *renderJob) pageCommand(c *cli.Context) page.Command {
	named := page.Command{Catalog: withoutFolders(d.ref), Base: withoutFolders(d.baseRef), Packages: d.packages.names()}
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
