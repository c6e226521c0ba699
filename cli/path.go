package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror"
	"github.com/olmgraph/olmgraph/render"
)

const pathHelp = `examples:
  olmgraph path catalog/ prometheus --from 0.32.0             what happens by itself, up to the head
  olmgraph path catalog/ prometheus --from 0.32.0 --to 0.47.0  the shortest way there
  olmgraph path catalog/ prometheus --from all                 what becomes of each version of the channel
  olmgraph path catalog/ prometheus --from 0.32.0 --to 0.56.3 --switch-channels
  olmgraph path catalog/ prometheus --from 0.32.0 --olm v1     what a ClusterExtension gets that names no channels
  olmgraph path catalog/ prometheus --from 0.32.0 --imageset --catalog-image IMAGE > imageset.yaml

CATALOG is a folder, a file, or - for standard input. X and Y are versions or names of bundles. Dependencies on other
operators are shown, but not resolved: olmgraph resolve does that.

Under OLM v0 each bundle has one next, and a user can only stop before an upgrade, so there is at most one way in a channel.
Under OLM v1 a user can ask for the version of any successor; without being asked, it takes the highest. It installs no bundle with the
properties olm.gvk.required, olm.package.required or olm.constraint. Build metadata decides between equal versions, as in
operator-controller v1.8 to v1.10.

X may be a version or a bundle that the catalog does not have any more: what replaces, skips or covers it upgrades it. Where its
name does not end in its version, give NAME@VERSION.

exit status: 0 there is a way; 1 there is none, and why; 2 misuse; 3 the catalog could not be opened,
is no catalog, or something in it could not be read and may be missing.`

func (p *program) pathCommand() *cli.Command {
	return &cli.Command{
		Name:        "path",
		Usage:       "say how to get from one version of an operator to another",
		UsageText:   "[flags] CATALOG PACKAGE --from X [--to Y]",
		Description: pathHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "the installed version or bundle, `X`; or all, for a table of the channel"},
			&cli.StringFlag{Name: "to", Usage: "the wanted version or bundle, `Y` (default: the head; under OLM v1 what a new installation gets)"},
			&cli.StringSliceFlag{Name: "channel", Usage: "the `CHANNEL` of the subscription (default: the default channel, or the first that has X); under OLM v1 one that the ClusterExtension names, repeatable (default: none, so that all count)"},
			olmFlag(),
			featureGatesFlag(),
			&cli.BoolFlag{Name: "switch-channels", Usage: "the subscription may be moved to other channels"},
			&cli.BoolFlag{Name: "all", Usage: "every way, the shortest first"},
			&cli.IntFlag{Name: "limit", Value: 20, Usage: "at most `N` ways with --all"},
			choiceFlag("format", "text", "`FORMAT`", pathFormatNames()...),
			&cli.BoolFlag{Name: "images", Usage: "only the images of the way, one a line, the installed bundle's included"},
			&cli.BoolFlag{Name: "imageset", Usage: "only an ImageSetConfiguration for oc-mirror v2 that mirrors the way and what it requires"},
			&cli.StringFlag{Name: "catalog-image", Usage: "the catalog `IMAGE` that --imageset is to name (default: CATALOG)"},
			colorFlag(),
		},
		Action: func(c *cli.Context) error { return p.path(c.Context, c) },
	}
}

func pathFormatNames() []string {
	var names []string
	for _, f := range render.PathFormats() {
		names = append(names, f.Name)
	}
	return names
}

// pathFlags are the flags of path, checked.
type pathFlags struct {
	asked
	ref, pkg         string
	format           string
	images, imageset bool
	image            string
	style            render.Style
}

func (p *program) pathFlags(c *cli.Context) (*pathFlags, error) {
	f := &pathFlags{
		asked: asked{from: c.String("from"), to: c.String("to"), channels: c.StringSlice("channel"),
			move: c.Bool("switch-channels"), limit: 1},
		ref: c.Args().Get(0), pkg: c.Args().Get(1), format: c.String("format"),
		images: c.Bool("images"), imageset: c.Bool("imageset"), image: c.String("catalog-image"),
	}
	var err error
	if f.olm, err = resolver(c.String("olm")); err != nil {
		return nil, err
	}
	if f.releases, err = bundleReleases(c.StringSlice("feature-gates")); err != nil {
		return nil, err
	}
	if c.Bool("all") {
		f.limit = c.Int("limit")
	}
	if f.style, err = p.style(c.String("color")); err != nil {
		return nil, err
	}
	if f.image == "" {
		f.image = f.ref
	}
	return f, f.check(c)
}

func (f *pathFlags) check(c *cli.Context) error {
	switch {
	case c.NArg() < 2:
		return misusef("path wants a catalog and a package: olmgraph path CATALOG PACKAGE --from X")
	case c.NArg() > 2:
		return misusef("path wants one catalog and one package, not %s", strings.Join(c.Args().Slice()[2:], " ")+" as well")
	case f.from == "":
		return misusef("path wants --from X: the installed version or bundle, or all")
	case f.limit < 1:
		return misusef("--limit %d: want at least 1", f.limit)
	case !slices.Contains(pathFormatNames(), f.format):
		return misusef("no format %q%s", f.format, didYouMean(f.format, pathFormatNames()))
	case c.IsSet("limit") && !c.Bool("all"):
		return misusef("--limit only goes with --all")
	case c.IsSet("catalog-image") && !f.imageset:
		return misusef("--catalog-image only goes with --imageset")
	case f.images && f.imageset:
		return misusef("--images and --imageset are two outputs: give one")
	case (f.images || f.imageset) && (c.IsSet("format") || c.Bool("all")):
		return misusef("--images and --imageset write the shortest way in a form of their own: drop --format and --all")
	case f.from == "all":
		return f.checkTable(c)
	}
	return f.asked.check()
}

// checkTable checks the flags that go with --from all.
func (f *pathFlags) checkTable(c *cli.Context) error {
	switch {
	case f.to != "" || f.move || c.Bool("all") || f.images || f.imageset:
		return misusef("--from all is a table: it takes --channel, --olm, --feature-gates and --format only")
	case f.format == "mermaid" || f.format == "dot":
		return misusef("--from all is a table: want --format text, json or markdown")
	}
	return f.asked.check()
}

func resolver(name string) (graph.Resolver, error) {
	for _, r := range []graph.Resolver{graph.V0, graph.V1} {
		if r.String() == name {
			return r, nil
		}
	}
	return graph.V0, misusef("--olm %q: want v0 or v1", name)
}

func (p *program) path(ctx context.Context, c *cli.Context) error {
	f, err := p.pathFlags(c)
	if err != nil {
		return err
	}
	cat, pkg, err := p.openPackage(ctx, f.ref, f.pkg, f.imageset)
	if err != nil {
		return err
	}
	a := graph.AtlasOf(pkg)
	if f.from == "all" {
		if err := needEdges(f.ref, cat); err != nil {
			return err
		}
		return p.table(f, a)
	}
	path, err := f.ask(a)
	if err != nil {
		return err
	}
	answer := path.Answer
	if err := needEdges(f.ref, cat); err != nil && (answer.Obstacle != nil || f.olm == graph.V1) {
		return err
	}
	switch {
	case answer.Obstacle != nil && (f.images || f.imageset):
		err = render.PathText(p.stderr, path, render.Style{Width: widthOf(p.stderr)})
	case f.images:
		if !a.Has(answer.From) {
			p.say("%s is not in this catalog: its image is not listed", answer.From)
		}
		return render.Images(p.stdout, path, answer.Ways[0])
	case f.imageset:
		return p.imageSet(ctx, f, cat, answer)
	default:
		err = p.show(f, path)
	}
	if err == nil && answer.Obstacle != nil {
		return status(statusFindings)
	}
	return err
}

func (p *program) show(f *pathFlags, path *render.Path) error {
	var err error
	if path.Dependencies, err = dependencies(path); err != nil {
		return err
	}
	for _, format := range render.PathFormats() {
		if format.Name == f.format {
			return format.Write(p.stdout, path, f.style)
		}
	}
	return nil
}

// dependencies reads what the bundles on the ways require.
func dependencies(path *render.Path) (map[string]*catalogs.Dependencies, error) {
	names := []string{path.From}
	for _, way := range append([]graph.Way{path.Course}, path.Ways...) {
		for i := range way {
			names = append(names, way[i].To)
		}
	}
	found := map[string]*catalogs.Dependencies{}
	for _, name := range names {
		b := path.Atlas.Package.Bundle(name)
		if b == nil || found[name] != nil {
			continue
		}
		deps, err := b.Dependencies()
		if err != nil {
			return nil, err
		}
		found[name] = deps
	}
	return found, nil
}

func (p *program) imageSet(ctx context.Context, f *pathFlags, cat *catalogs.Catalog, answer *graph.Answer) error {
	selection, err := mirror.Of(ctx, cat, f.pkg, answer, answer.Ways[0])
	if err != nil {
		return err
	}
	if f.image == f.ref {
		p.say("oc-mirror wants an image: say with --catalog-image which one %s is", f.ref)
	}
	return render.ImageSet(p.stdout, f.image, selection)
}

// table writes what becomes of each bundle that can be installed.
func (p *program) table(f *pathFlags, a *graph.Atlas) error {
	graphs, err := f.graphs(a)
	if err != nil {
		return err
	}
	t := &render.ChannelTable{Atlas: a}
	if f.olm == graph.V1 {
		t.Question.Extension = a.Extension(f.releases, graphs...)
	} else if len(graphs) > 0 {
		t.Question.Channel = graphs[0]
	} else if t.Question.Channel = a.Graph(a.Package.DefaultChannel.Value); t.Question.Channel == nil {
		return misusef("package %q has no default channel: say which with --channel: %s", a.Package.Name.Value, strings.Join(channelNames(a), ", "))
	}
	write := map[string]func() error{
		"text":     func() error { return render.ChannelTableText(p.stdout, t, f.style) },
		"json":     func() error { return render.ChannelTableJSON(p.stdout, t) },
		"markdown": func() error { return render.ChannelTableMarkdown(p.stdout, t) },
	}
	return write[f.format]()
}

// openPackage opens what a package needs of a catalog, or all of it, and returns both.
func (p *program) openPackage(ctx context.Context, ref, name string, whole bool) (*catalogs.Catalog, *catalogs.Package, error) {
	cats, err := p.openFor(ctx, ref, name, whole)
	if err != nil {
		return nil, nil, err
	}
	return onePackage(cats, ref, name)
}

// openFor opens what a package needs of catalogs, or all of them. One must have it, unless it is empty.
func (p *program) openFor(ctx context.Context, ref, pkg string, whole bool) ([]*catalogs.Catalog, error) {
	progress := newProgress(p.stderr)
	defer progress.end()
	o := p.reading
	o.Package, o.Progress = pkg, progress.add
	if whole || ref == "-" { // what is piped in cannot be read again for the names of other packages
		o.Package = ""
	}
	cats, err := p.opened(ctx, ref, o)
	if err != nil {
		return nil, err
	}
	missing := pkg != "" && !slices.Contains(packageNames(cats), pkg)
	if missing && o.Package != "" {
		o.Package = ""
		if cats, err = p.opened(ctx, ref, o); err != nil {
			return nil, err
		}
	}
	if err := p.checkAnswerable(ref, cats, pkg); err != nil {
		return nil, err
	}
	if missing {
		return nil, p.noPackage(pkg, ref, cats)
	}
	return cats, nil
}

// onePackage finds the package, which must be in one of the catalogs only.
func onePackage(cats []*catalogs.Catalog, ref, name string) (*catalogs.Catalog, *catalogs.Package, error) {
	var cat *catalogs.Catalog
	var pkg *catalogs.Package
	var holding []string
	for _, c := range cats {
		for _, p := range c.Packages {
			if p.Name.Value == name {
				cat, pkg = c, p
				holding = append(holding, within(ref, c.Name))
			}
		}
	}
	if len(holding) > 1 {
		return nil, nil, misusef("package %q is in several catalogs: give one of %s", name, strings.Join(holding, ", "))
	}
	return cat, pkg, nil
}

func packageNames(cats []*catalogs.Catalog) []string {
	var names []string
	for _, c := range cats {
		for _, p := range c.Packages {
			if !slices.Contains(names, p.Name.Value) {
				names = append(names, p.Name.Value)
			}
		}
	}
	return names
}
