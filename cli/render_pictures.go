package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
	"github.com/olmgraph/olmgraph/render/page"
)

// pictures draws a picture of each package, several at once.
func (d *renderJob) pictures(ctx context.Context, packages []*catalogs.Package, findings []lint.Finding) error {
	of := byPackage(findings)
	failed := d.forEachPackage(len(packages), func(d *renderJob, i int) error {
		return d.picture(ctx, packages[i], d.packages[i].channels, of[packages[i].Name.Value])
	})
	return errors.Join(failed...)
}

// forEachPackage calls do for n packages, a few at a time, each with a job of its own. It notes what these note, and returns their errors, in
// the order of the packages.
func (d *renderJob) forEachPackage(n int, do func(d *renderJob, i int) error) []error {
	failed, notes := make([]error, n), make([][]string, n)
	d.progress.set("drawing", "pictures", 0, n)
	defer d.progress.end()
	parallel.EachOn(2*runtime.GOMAXPROCS(0), n, func(i int) { // half of them wait for Graphviz
		one := *d
		one.notes = &notes[i]
		failed[i] = do(&one, i)
		d.progress.step()
	})
	for _, message := range slices.Concat(notes...) {
		d.note("%s", message)
	}
	return failed
}

// byPackage returns the findings of each package.
func byPackage(findings []lint.Finding) map[string][]lint.Finding {
	of := map[string][]lint.Finding{}
	for i := range findings {
		of[findings[i].Package] = append(of[findings[i].Package], findings[i])
	}
	return of
}

// findings lints the packages: the pictures show findings at their entries. For a page it checks their CRDs too.
func (d *renderJob) findings(ctx context.Context, packages []*catalogs.Package) ([]lint.Finding, error) {
	o := lint.Options{Rules: rules.All(), Config: d.config, Progress: d.checked}
	defer d.progress.end()
	for _, p := range packages {
		o.Packages = append(o.Packages, p.Name.Value)
	}
	if d.writesPage() {
		if err := d.indexDependencies(ctx); err != nil {
			return nil, err
		}
		if o.Dependencies = d.lintIndex(); d.base == nil {
			o.Linted = d.preflight
		}
	}
	found, err := lint.Run(ctx, []*catalogs.Catalog{d.cat}, o)
	return slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Suppressed != "" }), err
}

func (d *renderJob) picture(ctx context.Context, p *catalogs.Package, channels []string, findings []lint.Finding) error {
	o := d.options
	o.Channels, o.Findings, o.Catalog = channels, findings, d.cat.Name
	a := graph.OfPackage(p)
	if d.from != "" {
		if err := d.findPath(a, channels, &o); err != nil {
			return err
		}
	}
	if d.format == "mermaid" {
		s, err := d.unfolded(a, o)
		if err != nil {
			return err
		}
		return d.mermaid(p.Name.Value, s)
	}
	picture, err := d.draw(ctx, a, o)
	switch {
	case errors.Is(err, graphviz.ErrTimeout):
		return fmt.Errorf("package %s: even the smallest picture takes more than %s; --timeout allows more", p.Name.Value, d.timeout)
	case err != nil:
		return fmt.Errorf("package %s: %w", p.Name.Value, err)
	}
	return d.write(fileName(p.Name.Value), picture)
}

// diagram returns the diagram of a package or, with --base, of its changes.
func (d *renderJob) diagram(a *graph.PackageGraph, o diagram.UpgradeOptions) (*diagram.Diagram, error) {
	s, err := d.unfolded(a, o)
	if err == nil && !o.Unfold {
		s = diagram.Fold(s)
	}
	return s, err
}

func (d *renderJob) unfolded(a *graph.PackageGraph, o diagram.UpgradeOptions) (*diagram.Diagram, error) {
	if d.base == nil {
		o.Root = d.cat.Pos().File
		return diagram.Upgrades(a, o), nil
	}
	return render.ChangeDiagram(compare.Pair{Base: d.base, Now: d.cat}, a.Package.Name.Value, d.baseRef, o)
}

// findPath sets the path to emphasize, or the automatic upgrades if there is none.
func (d *renderJob) findPath(a *graph.PackageGraph, channels []string, o *diagram.UpgradeOptions) error {
	q := &pathRequest{from: d.from, to: d.to, olm: o.OLM}
	if len(channels) == 1 || o.OLM == graph.V1 {
		q.channels = channels
	}
	path, err := q.answer(a)
	if err != nil {
		return err
	}
	o.From, o.FromVersion, o.Path = path.From, path.PackageGraph.Version(path.From), path.Automatic
	if len(path.Paths) > 0 {
		o.Path = path.Paths[0]
	} else {
		d.note("there is no upgrade path from %s to %s: the automatic upgrades are emphasized; see olmgraph path", path.From, path.To)
	}
	return nil
}

// draw draws a package; with fewer edges, and then with fewer entries, if that would take too long.
func (d *renderJob) draw(ctx context.Context, a *graph.PackageGraph, o diagram.UpgradeOptions) ([]byte, error) {
	for _, less := range diagram.Reductions(o) {
		s, err := d.diagram(a, less.Options)
		if err != nil {
			return nil, err
		}
		if less.Note != "" {
			s.Notes = append(s.Notes, less.Note)
		}
		if s.TooLarge() && !less.Last {
			continue
		}
		picture, err := d.drawDiagram(ctx, s)
		if !errors.Is(err, graphviz.ErrTimeout) && !errors.Is(err, graphviz.ErrMemory) || less.Last {
			if less.Note != "" && err == nil {
				d.note("package %s: %s", a.Package.Name.Value, less.Note)
			}
			return picture, err
		}
	}
	return nil, nil
}

// drawDiagram draws a diagram without reducing it.
func (d *renderJob) drawDiagram(ctx context.Context, s *diagram.Diagram) ([]byte, error) {
	var dot bytes.Buffer
	if err := diagram.DOT(&dot, s); err != nil {
		return nil, err
	}
	return d.layOut(ctx, dot.Bytes(), func(w io.Writer, laidOut []byte) error { return diagram.SVG(w, s, laidOut) })
}

// mermaid writes one diagram. If that is too large for GitHub, it folds it; then it writes one for each channel into a folder, or a
// smaller one into a file.
func (d *renderJob) mermaid(pkg string, s *diagram.Diagram) error {
	if !d.options.Unfold {
		s = diagram.Fold(s)
	}
	diagrams := diagram.Mermaid(s)
	file := strings.ReplaceAll(fileName(pkg), ".", "%2E") // channels have dots: otherwise PACKAGE.CHANNEL could be of several packages
	if len(diagrams) > 1 && d.options.Unfold {
		d.note("package %s is too large for one diagram on GitHub: versions that do the same are one node", pkg)
		diagrams = diagram.Mermaid(diagram.Fold(s))
	}
	if len(diagrams) == 1 {
		return d.write(file, []byte(diagrams[0].Text))
	}
	if !d.output.folder {
		chart, left := diagram.SmallMermaid(diagram.Fold(s))
		d.note("package %s is too large for one diagram on GitHub: %s; name a channel, or give a folder for one of each with -o mermaid=FOLDER/", pkg, left)
		return d.write(file, []byte(chart))
	}
	d.note("package %s is too large for one diagram on GitHub: there is one for each of its channels", pkg)
	for _, diagram := range diagrams {
		if err := d.write(file+"."+fileName(diagram.Channel), []byte(diagram.Text)); err != nil {
			return err
		}
	}
	return nil
}

// write writes a picture to the output file, or to a file in the output folder whose name, without the ending, is given.
func (d *renderJob) write(file string, picture []byte) error {
	ext := d.format
	if ext == "mermaid" {
		ext = "mmd"
	}
	to := d.output
	if to.folder {
		to.path = filepath.Join(to.path, file+"."+ext)
	}
	return d.writeOutput(to, picture)
}

// fileName percent-encodes all characters of a name but letters, digits, -, _ and ., so that it is a valid file name.
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

// page writes the HTML page of the packages. A package whose picture cannot be drawn has none on the page.
func (d *renderJob) page(ctx context.Context, packages []*catalogs.Package, findings []lint.Finding) error {
	whole := &page.Page{Title: d.title(), Catalog: d.cat, Findings: findings, OLM: d.options.OLM, Packages: make([]page.Package, len(packages))}
	of := byPackage(findings)
	failed := d.forEachPackage(len(packages), func(d *renderJob, i int) error {
		o := d.options
		o.Channels, o.Findings = d.packages[i].channels, of[packages[i].Name.Value]
		a := graph.OfPackage(packages[i])
		picture, folded, err := d.drawBoth(ctx, a, o)
		whole.Packages[i] = page.Package{PackageGraph: a, Preflight: d.preflights.of(packages[i]), SVG: picture, FoldedSVG: folded}
		return err
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, err := range failed {
		if err != nil {
			d.note("package %s is shown without a picture: %v", packages[i].Name.Value, err)
		}
	}
	if err := d.addDependencies(ctx, whole); err != nil {
		return err
	}
	return d.writePage(whole)
}

// title returns the title of the page: its only package, or the catalog.
func (d *renderJob) title() string {
	if len(d.packages) == 1 {
		return d.packages[0].name
	}
	return filepath.Base(d.ref)
}

// renderer draws diagrams in a format, within a time limit.
type renderer struct {
	format  string
	timeout time.Duration
	pool    *graphviz.Pool
}

func newRenderer(c *cli.Context, format string) renderer {
	return renderer{format, c.Duration("timeout"), graphviz.NewPool()}
}

// layOut returns the picture that Graphviz makes of a graph, or the graph itself if the format is dot. decorate turns the SVG
// of Graphviz into the final one.
func (r *renderer) layOut(ctx context.Context, dot []byte, decorate func(w io.Writer, laidOut []byte) error) ([]byte, error) {
	if r.format == "dot" {
		return dot, nil
	}
	format := graphviz.SVG
	if r.format == "png" {
		format = graphviz.PNG
	}
	picture, err := r.pool.Draw(ctx, dot, format, graphviz.Options{Timeout: r.timeout})
	if err != nil || format == graphviz.PNG {
		return picture, err
	}
	var out bytes.Buffer
	err = decorate(&out, picture)
	return out.Bytes(), err
}

var errGraphTooLarge = errors.New("the graph is too large to draw")

// dependencies draws a dependency graph.
func (r *renderer) dependencies(ctx context.Context, drawing *diagram.Diagram) ([]byte, error) {
	var text bytes.Buffer
	if r.format == "mermaid" {
		return []byte(diagram.Mermaid(drawing)[0].Text), nil
	}
	if err := diagram.DOT(&text, drawing); err != nil {
		return nil, err
	}
	if drawing.TooLarge() && r.format != "dot" {
		return nil, errGraphTooLarge
	}
	picture, err := r.layOut(ctx, text.Bytes(), func(w io.Writer, laidOut []byte) error { return diagram.SVG(w, drawing, laidOut) })
	if errors.Is(err, graphviz.ErrTimeout) {
		err = fmt.Errorf("it takes more than %s; --timeout allows more", r.timeout)
	}
	return picture, err
}
