package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

const renderHelp = `examples:
  olmgraph render catalog/ prometheus > prometheus.svg      the upgrade graph of a package
  olmgraph render catalog/ prometheus/stable --format png -o stable.png
  olmgraph render catalog/ -o pictures/                     a picture of every package
  olmgraph render catalog/ --format html -o catalog.html    all packages, in one page to walk through
  olmgraph render catalog/ prometheus --from 0.32.0 --to 0.47.0 > way.svg
  olmgraph render new/ prometheus --base old/ > change.svg  what a change does: added, removed, changed
  olmgraph render catalog/ --requirements > needs.svg       which packages require which others

Bold edges are what OLM does by itself. --edges auto draws these and the chain of replaces, and says the rest in words;
declared draws every replaces and skips of the catalog; all draws what is in a skipRange as well. What would take too long
to draw is drawn with fewer edges, and said so.

--requirements draws what packages require of each other; of the PACKAGEs, whom they need and who needs them. What only older
versions require is dashed, and red is what nothing in the catalog meets.

exit status: 0; 2 misuse; 3 a catalog could not be opened, is no catalog, something in it could not be read and may be missing,
or a picture could not be drawn.`

func (p *program) renderCommand() *cli.Command {
	return &cli.Command{
		Name:        "render",
		Usage:       "draw upgrade graphs",
		UsageText:   "[flags] CATALOG [PACKAGE[/CHANNEL]…]",
		Description: renderHelp,
		Flags: []cli.Flag{
			choiceFlag("format", "svg", "`FORMAT`", drawFormats()...),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to this `FILE`, or into this folder, which ends in / or exists"},
			choiceFlag("edges", "auto", "`WHICH` edges", render.EdgeModes()...),
			olmFlag(),
			&cli.StringFlag{Name: "from", Usage: "emphasize the way from this version or bundle, `X`"},
			&cli.StringFlag{Name: "to", Usage: "to this one, `Y` (default: the head)"},
			&cli.StringFlag{Name: "min-version", Usage: "leave out what is older than this `VERSION`"},
			&cli.BoolFlag{Name: "requirements", Usage: "draw who requires whom instead of upgrades"},
			&cli.StringFlag{Name: "base", Aliases: []string{"diff"}, Usage: "show what has changed since this other `CATALOG`"},
			&cli.DurationFlag{Name: "timeout", Value: 30 * time.Second, Usage: "how long a picture may take: a `TIME` as 30s or 2m"},
			&cli.StringFlag{Name: "config", Usage: "read this `FILE` instead of the nearest .olmgraph.yaml"},
		},
		Action: func(c *cli.Context) error { return p.render(c.Context, c) },
	}
}

func drawFormats() []string { return []string{"svg", "png", "dot", "mermaid", "html"} }

// drawer draws the pictures of one call.
type drawer struct {
	*program
	ref    string
	output string
	folder bool // output is a folder
	// requirements says that the one picture is of who requires whom.
	requirements bool

	options  render.UpgradeOptions
	from, to string
	config   *lint.Config
	wanted   []wantedPackage
	easel

	cat     *catalogs.Catalog
	base    *catalogs.Catalog // or nil
	baseRef string
}

// wantedPackage is a package and, if there are any, the only channels of it that are wanted.
type wantedPackage struct {
	name     string
	channels []string
}

func (p *program) drawer(c *cli.Context) (*drawer, error) {
	d := &drawer{program: p, ref: c.Args().First(), output: outputFile(c.String("output")), from: c.String("from"), to: c.String("to"),
		easel: easel{c.String("format"), c.Duration("timeout"), graphviz.NewPool()}}
	d.options.Mode = render.EdgeMode(c.String("edges"))
	switch {
	case c.NArg() == 0:
		return nil, misusef("no catalog to draw: give a folder, a file, or - for standard input")
	case !slices.Contains(drawFormats(), d.format):
		return nil, misusef("no format %q%s", d.format, didYouMean(d.format, drawFormats()))
	case !slices.Contains(render.EdgeModes(), c.String("edges")):
		return nil, misusef("--edges %q: want %s", c.String("edges"), orList(render.EdgeModes()))
	case d.timeout <= 0:
		return nil, misusef("--timeout %s: want more than nothing", d.timeout)
	case d.to != "" && d.from == "":
		return nil, misusef("--to wants --from as well")
	case d.format == "html" && (d.from != "" || c.IsSet("base")):
		return nil, misusef("--from and --base are for pictures; in the page every way can be asked for")
	case readsTwice(d.ref, c.String("base")):
		return nil, errReadsTwice
	case c.IsSet("base") && d.from != "":
		return nil, misusef("--base and --from show two things: give one")
	}
	d.wanted = wantedPackages(c.Args().Tail())
	if d.requirements = c.Bool("requirements"); d.requirements {
		if err := d.checkRequirements(c); err != nil {
			return nil, err
		}
	}
	return d, d.parse(c)
}

// parse reads the flags that need it.
func (d *drawer) parse(c *cli.Context) error {
	var err error
	if d.options.OLM, err = resolver(c.String("olm")); err != nil {
		return err
	}
	if text := c.String("min-version"); text != "" {
		v, err := semver.ParseTolerant(text)
		if err != nil {
			return misusef("--min-version %q is no version", text)
		}
		d.options.Oldest = &v
	}
	if d.from != "" && len(d.wanted) != 1 {
		return misusef("--from is about one package: name it")
	}
	d.config, err = readConfig(c.String("config"), d.ref)
	return err
}

// wantedPackages reads PACKAGE and PACKAGE/CHANNEL.
func wantedPackages(args []string) []wantedPackage {
	var all []wantedPackage
	for _, arg := range args {
		name, channel, one := strings.Cut(arg, "/")
		at := slices.IndexFunc(all, func(w wantedPackage) bool { return w.name == name })
		if at < 0 {
			at = len(all)
			all = append(all, wantedPackage{name: name})
		}
		if one {
			all[at].channels = append(all[at].channels, channel)
		}
	}
	return all
}

func (p *program) render(ctx context.Context, c *cli.Context) error {
	d, err := p.drawer(c)
	if err != nil {
		return err
	}
	if d.cat, err = d.open(ctx, d.ref); err != nil {
		return err
	}
	if d.baseRef = c.String("base"); d.baseRef != "" {
		if d.base, err = d.open(ctx, d.baseRef); err != nil {
			return err
		}
	}
	named := names(d.wanted)
	packages, err := d.choose()
	if err != nil {
		return err
	}
	if d.requirements {
		return d.needs(ctx, named)
	}
	if err := d.place(len(packages)); err != nil {
		return err
	}
	if d.format == "html" {
		return d.page(ctx, packages)
	}
	return d.pictures(ctx, packages)
}

// open opens the one catalog of a reference, or the one package of it that is wanted.
func (d *drawer) open(ctx context.Context, ref string) (*catalogs.Catalog, error) {
	o, about := d.reading, ""
	if len(d.wanted) == 1 && ref != "-" && !d.requirements {
		about = d.wanted[0].name
	}
	if d.format != "html" { // the page says who requires a package, so that it takes all of them
		o.Package = about
	}
	cats, err := d.opened(ctx, ref, o)
	if err != nil {
		return nil, err
	}
	if len(cats) == 1 {
		all := cats
		if o.Package != "" && len(cats[0].Packages) == 0 { // whether it is a catalog is seen when all of it is read
			o.Package = ""
			if all, err = d.opened(ctx, ref, o); err != nil {
				return nil, err
			}
		}
		return cats[0], d.checkAnswerable(ref, all, about)
	}
	var names []string
	for _, c := range cats {
		names = append(names, within(ref, c.Name))
	}
	return nil, misusef("%s holds several catalogs: give one of %s", ref, strings.Join(names, ", "))
}

// choose finds the packages that are wanted: all if none is named.
func (d *drawer) choose() ([]*catalogs.Package, error) {
	var found []*catalogs.Package
	if len(d.wanted) == 0 {
		for _, p := range d.cat.Packages {
			found = append(found, p)
			d.wanted = append(d.wanted, wantedPackage{name: p.Name.Value})
		}
		if len(found) == 0 {
			return nil, misusef("%s has no packages", d.ref)
		}
		return found, nil
	}
	for _, w := range d.wanted {
		at := slices.IndexFunc(d.cat.Packages, func(p *catalogs.Package) bool { return p.Name.Value == w.name })
		if at < 0 {
			return nil, d.unknownPackage(w.name)
		}
		p := d.cat.Packages[at]
		for _, channel := range w.channels {
			if p.Channel(channel) == nil {
				return nil, misusef("no channel %q in package %q%s", channel, w.name, didYouMean(channel, channelNames(graph.AtlasOf(p))))
			}
		}
		found = append(found, p)
	}
	return found, nil
}

func (d *drawer) unknownPackage(name string) error {
	cats := []*catalogs.Catalog{d.cat}
	if d.ref != "-" {
		if all, err := catalogs.Open(context.Background(), d.ref, d.reading); err == nil {
			cats = all
		}
	}
	return d.noPackage(name, d.ref, cats)
}

// place decides where the pictures go.
func (d *drawer) place(pictures int) error {
	info, err := os.Stat(d.output)
	d.folder = d.output != "" && (os.IsPathSeparator(d.output[len(d.output)-1]) || err == nil && info.IsDir())
	switch {
	case d.format == "html" && d.folder:
		return misusef("the page is one file: give -o FILE")
	case d.format != "html" && pictures > 1 && !d.folder:
		return misusef("%d packages are %d pictures: give a folder that they go into with -o FOLDER/, or --format html", pictures, pictures)
	case d.output == "" && d.format == "png" && isTerminal(d.stdout):
		return misusef("a PNG is nothing to read on a terminal: give -o FILE")
	}
	if d.folder {
		if err := os.MkdirAll(d.output, 0o777); err != nil {
			return fmt.Errorf("the folder of the pictures cannot be made: %w", err)
		}
	}
	return nil
}

// pictures draws one for each package, several at once.
func (d *drawer) pictures(ctx context.Context, packages []*catalogs.Package) error {
	findings, err := d.findings(ctx, packages)
	if err != nil {
		return err
	}
	failed := d.each(packages, func(i int) error { return d.picture(ctx, packages[i], d.wanted[i].channels, findings) })
	return errors.Join(failed...)
}

// each does something for each package, on all processors, and returns what failed in the order of the packages.
func (d *drawer) each(packages []*catalogs.Package, do func(i int) error) []error {
	failed := make([]error, len(packages))
	var wg sync.WaitGroup
	for i := range packages {
		wg.Go(func() { failed[i] = do(i) })
	}
	wg.Wait()
	return failed
}

// findings lints the packages: what is wrong with an entry is shown on it.
func (d *drawer) findings(ctx context.Context, packages []*catalogs.Package) ([]lint.Finding, error) {
	o := lint.Options{Rules: lint.Rules(), Config: d.config}
	for _, p := range packages {
		o.Packages = append(o.Packages, p.Name.Value)
	}
	return lint.Run(ctx, []*catalogs.Catalog{d.cat}, o)
}

func (d *drawer) picture(ctx context.Context, p *catalogs.Package, channels []string, findings []lint.Finding) error {
	o := d.options
	o.Channels, o.Findings, o.Catalog = channels, findings, d.cat.Name
	a := graph.AtlasOf(p)
	if d.from != "" {
		if err := d.way(a, channels, &o); err != nil {
			return err
		}
	}
	if d.format == "mermaid" {
		return d.mermaid(p.Name.Value, d.sketch(a, o))
	}
	picture, err := d.draw(ctx, a, o)
	switch {
	case errors.Is(err, graphviz.ErrTimeout):
		return fmt.Errorf("package %s: even the smallest picture takes more than %s; --timeout allows more", p.Name.Value, d.timeout)
	case err != nil:
		return fmt.Errorf("package %s: %w", p.Name.Value, err)
	}
	return d.write(p.Name.Value, picture)
}

// sketch sketches a package, or what has changed in it.
func (d *drawer) sketch(a *graph.Atlas, o render.UpgradeOptions) *render.Diagram {
	now := render.UpgradeDiagram(a, o)
	if d.base == nil {
		return now
	}
	before := &catalogs.Package{Name: a.Package.Name}
	for _, p := range d.base.Packages {
		if p.Name.Value == a.Package.Name.Value {
			before = p
		}
	}
	o.Findings = nil
	changes := render.Diff(render.UpgradeDiagram(graph.AtlasOf(before), o), now)
	changes.Title += ", compared with " + d.baseRef
	return changes
}

// way finds the way to be emphasized.
func (d *drawer) way(a *graph.Atlas, channels []string, o *render.UpgradeOptions) error {
	f := &asked{from: d.from, to: d.to, olm: o.OLM, limit: 1}
	if len(channels) == 1 || o.OLM == graph.V1 {
		f.channels = channels
	}
	path, err := f.ask(a)
	if err != nil {
		return err
	}
	o.From, o.FromVersion, o.Way = path.From, path.Atlas.Version(path.From), path.Course
	if len(path.Ways) > 0 {
		o.Way = path.Ways[0]
	} else {
		d.say("there is no way from %s to %s: what is emphasized are the automatic upgrades; see olmgraph path", path.From, path.To)
	}
	return nil
}

// draw makes a picture; with fewer edges, and at last with fewer entries, if it would take too long.
func (d *drawer) draw(ctx context.Context, a *graph.Atlas, o render.UpgradeOptions) ([]byte, error) {
	for _, less := range render.Reductions(o) {
		s := d.sketch(a, less.Options)
		if less.Note != "" {
			s.Notes = append(s.Notes, less.Note)
		}
		if s.TooLarge() && !less.Last {
			continue
		}
		picture, err := d.drawn(ctx, s)
		if !errors.Is(err, graphviz.ErrTimeout) && !errors.Is(err, graphviz.ErrMemory) || less.Last {
			if less.Note != "" && err == nil {
				d.say("package %s: %s", a.Package.Name.Value, less.Note)
			}
			return picture, err
		}
	}
	return nil, nil
}

// drawn draws a sketch as it is.
func (d *drawer) drawn(ctx context.Context, s *render.Diagram) ([]byte, error) {
	var dot bytes.Buffer
	if err := render.DOT(&dot, s); err != nil {
		return nil, err
	}
	return d.lay(ctx, dot.Bytes(), func(w io.Writer, laidOut []byte) error { return render.SVG(w, s, laidOut) })
}

// mermaid writes one diagram, or one for each channel if GitHub would not draw them together.
func (d *drawer) mermaid(pkg string, s *render.Diagram) error {
	diagrams := render.Mermaid(s)
	if len(diagrams) == 1 {
		return d.write(pkg, []byte(diagrams[0].Text))
	}
	if !d.folder {
		return misusef("package %s is too large for one diagram on GitHub: name a channel, or give a folder for one of each with -o FOLDER/", pkg)
	}
	d.say("package %s is too large for one diagram on GitHub: there is one for each of its channels", pkg)
	for _, diagram := range diagrams {
		if err := d.write(pkg+"."+diagram.Channel, []byte(diagram.Text)); err != nil {
			return err
		}
	}
	return nil
}

// write puts a picture where it belongs.
func (d *drawer) write(name string, picture []byte) error {
	ext := d.format
	if ext == "mermaid" {
		ext = "mmd"
	}
	file := d.output
	if d.folder {
		file = filepath.Join(d.output, fileName(name)+"."+ext)
	}
	return d.deliver(file, d.format, picture)
}

// fileName makes a name of a file of any name: what is not surely harmless is written as its code.
func fileName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// page writes the page of all packages. One whose picture cannot be drawn is shown without.
func (d *drawer) page(ctx context.Context, packages []*catalogs.Package) error {
	findings, err := d.findings(ctx, packages)
	if err != nil {
		return err
	}
	page := &render.Page{Title: d.title(), Catalog: d.cat, Findings: findings, OLM: d.options.OLM, Packages: make([]render.PagePackage, len(packages))}
	failed := d.each(packages, func(i int) error {
		o := d.options
		o.Channels, o.Findings = d.wanted[i].channels, findings
		a := graph.AtlasOf(packages[i])
		picture, err := d.draw(ctx, a, o)
		page.Packages[i] = render.PagePackage{Atlas: a, SVG: picture}
		return err
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, err := range failed {
		if err != nil {
			d.say("package %s is shown without a picture: %v", packages[i].Name.Value, err)
		}
	}
	if err := d.pageNeeds(ctx, page); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := render.HTML(&out, page); err != nil {
		return err
	}
	return d.write("", out.Bytes())
}

// title names the page: after its only package, or the catalog.
func (d *drawer) title() string {
	if len(d.wanted) == 1 {
		return d.wanted[0].name
	}
	return filepath.Base(d.ref)
}
