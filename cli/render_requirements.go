package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/page"
)

// checkRequirements rejects flags and arguments that are for pictures of upgrades only.
func (d *renderJob) checkRequirements(c *cli.Context) error {
	if d.writesPage() {
		return misusef("--requirements is for pictures; the page of -o FILE.html always has them")
	}
	for _, name := range []string{"edges", "unfold", "from", "to", "base", "min-version", "olm"} {
		if c.IsSet(name) {
			return misusef("--%s and --requirements cannot be used together", name)
		}
	}
	for _, w := range d.packages {
		if len(w.channels) > 0 {
			return misusef("--requirements takes packages: give %s without a channel", w.name)
		}
	}
	return nil
}

// dependencyIndex indexes the dependencies of the catalog, which has been read completely.
func (d *renderJob) dependencyIndex(ctx context.Context) (*resolve.DependencyIndex, error) {
	ready, err := resolve.NewCatalog(ctx, d.cat)
	if err != nil {
		return nil, err
	}
	return resolve.NewDependencyIndex(ctx, ready)
}

// drawRequirements draws the dependencies of some packages, or of all if packages is empty. Without dependencies it writes no
// picture.
func (d *renderJob) drawRequirements(ctx context.Context, packages []string) error {
	m, err := d.dependencyIndex(ctx)
	if err != nil {
		return err
	}
	drawing := diagram.Dependencies(m, d.catalogName(), packages)
	if len(drawing.Nodes) == 0 {
		whose := "no package of " + d.ref + " has dependencies on another package"
		if len(packages) > 0 {
			whose = "no other package has dependencies on " + strings.Join(packages, " or ") + ", and it has none on other packages"
		}
		d.note("%s: there is nothing to draw", whose)
		return nil
	}
	if err := d.prepareOutputs(1); err != nil {
		return err
	}
	return writeAll(d.outputs, func(o output) error { return d.forOutput(o).dependencyPicture(ctx, drawing) })
}

// dependencyPicture draws the dependencies in one format.
func (d *renderJob) dependencyPicture(ctx context.Context, drawing *diagram.Diagram) error {
	picture, err := d.dependencies(ctx, drawing)
	if err != nil {
		return fmt.Errorf("the picture of the dependencies: %w; name packages for a smaller one, or give -o dot", err)
	}
	if d.format == "mermaid" && !diagram.FitsGitHub(string(picture)) {
		d.note("the diagram is too large for GitHub: name packages for a smaller one")
	}
	return d.write("requirements", picture)
}

// addDependencies adds the dependencies to a page, without a picture if they cannot be drawn.
func (d *renderJob) addDependencies(ctx context.Context, page *page.Page) error {
	var err error
	if page.Dependencies, err = d.dependencyIndex(ctx); err != nil {
		return err
	}
	drawing := diagram.Dependencies(page.Dependencies, d.catalogName(), nil)
	if len(d.packages) < len(d.cat.Packages) {
		drawing = diagram.Dependencies(page.Dependencies, d.catalogName(), selectedNames(d.packages))
	}
	if len(drawing.Nodes) == 0 {
		return nil
	}
	picture, err := d.dependencies(ctx, drawing)
	if err != nil {
		d.note("the dependencies are shown without a picture: %v; olmgraph render --requirements draws those of selected packages", err)
		return ctx.Err()
	}
	page.DependencyDiagram, page.DependencySVG = drawing, picture
	return nil
}

// catalogName returns the name of the catalog for the title: its own, that of its folder or file, or "".
func (d *renderJob) catalogName() string {
	name := filepath.Base(d.ref)
	if strings.Trim(name, "./-") == "" {
		name = ""
	}
	return cmp.Or(d.cat.Name, name)
}

// selectedNames returns the names of selected packages.
func selectedNames(wanted []selectedPackage) []string {
	var all []string
	for _, w := range wanted {
		all = append(all, w.name)
	}
	return all
}
