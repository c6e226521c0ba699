package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

// pictures draws a picture of each package, several at once.
func (d *renderJob) pictures(ctx context.Context, packages []*catalogs.Package, findings []lint.Finding) error {
	of := byPackage(findings)
	failed := d.forEachPackage(len(packages), func(d *renderJob, i int) error {
		return d.picture(ctx, packages[i], d.packages[i].channels, of[packages[i].Name.Value])
	})
	return errors.Join(failed...)
}

func (d *renderJob) picture(ctx context.Context, p *catalogs.Package, channels []string, findings []lint.Finding) error {
	o := d.options
	o.Channels, o.Findings, o.Catalog = channels, findings, d.cat.Name
	a := graph.NewPackageGraph(p)
	if d.from != "" {
		if err := d.findPath(a, channels, &o); err != nil {
			return err
		}
	}
	if d.format == "mermaid" {
		s, err := d.drawUnfolded(a, o)
		if err != nil {
			return err
		}
		return d.mermaid(p.Name.Value, s)
	}
	picture, err := d.draw(ctx, a, o)
	switch {
	case errors.Is(err, graphviz.ErrTimeout):
		return fmt.Errorf("package %s: even the smallest picture takes more than %s; --timeout allows more", p.Name.Value, d.timeout)
	case errors.Is(err, diagram.ErrTooLarge):
		return fmt.Errorf("package %s: %w; name channels for a smaller one, as in %s/CHANNEL, give -o dot, or see olmgraph list", p.Name.Value, err, p.Name.Value)
	case err != nil:
		return fmt.Errorf("package %s: %w", p.Name.Value, err)
	}
	return d.writePicture(fileName(p.Name.Value), picture)
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

// mermaid writes a diagram, folded or, if that is too large for GitHub, reduced.
func (d *renderJob) mermaid(pkg string, s *diagram.Diagram) error {
	if !d.options.Unfold {
		s = diagram.Fold(s)
	}
	chart := diagram.Mermaid(s)
	if !diagram.FitsGitHub(chart) {
		var left string
		chart, left = diagram.SmallMermaid(diagram.Fold(s))
		d.note("package %s is too large for a diagram on GitHub: %s; name a channel for a larger one", pkg, left)
	}
	return d.writePicture(fileName(pkg), []byte(chart))
}
