package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

// pictures draws a picture of each package, several at once.
func (j *renderJob) pictures(ctx context.Context, packages []*catalogs.Package, findings []lint.Finding) error {
	counted := pictureRules()
	of := findingsByPackage(slices.DeleteFunc(slices.Clone(findings), func(f lint.Finding) bool { // beside a page all rules are checked
		return !slices.ContainsFunc(counted, func(r lint.Rule) bool { return r.ID == f.Rule })
	}))
	failed := j.forEachPackage(len(packages), func(j *renderJob, i int) error {
		return j.picture(ctx, packages[i], j.packages[i].channels, of[packages[i].Name.Value])
	})
	return errors.Join(failed...)
}

func (j *renderJob) picture(ctx context.Context, p *catalogs.Package, channels []string, findings []lint.Finding) error {
	o := j.options
	o.Channels, o.Findings, o.Catalog = channels, findings, j.cat.Name
	pg := graph.NewPackageGraph(p)
	if j.from != "" {
		if err := j.emphasizePath(pg, channels, &o); err != nil {
			return err
		}
	}
	if j.format == "mermaid" {
		d, err := j.unfoldedDiagram(pg, o)
		if err != nil {
			return err
		}
		return j.writeMermaid(p.Name.Value, d)
	}
	picture, err := j.draw(ctx, pg, o)
	switch {
	case errors.Is(err, graphviz.ErrTimeout):
		return fmt.Errorf("package %s: even the smallest picture takes more than %s; --timeout allows more", p.Name.Value, j.timeout)
	case errors.Is(err, diagram.ErrTooLarge):
		return fmt.Errorf("package %s: %w; name channels for a smaller one, as in %s/CHANNEL, give -o dot, or see olmgraph list", p.Name.Value, err, p.Name.Value)
	case err != nil:
		return fmt.Errorf("package %s: %w", p.Name.Value, err)
	}
	return j.writePicture(fileName(p.Name.Value), picture)
}

// emphasizePath sets the path to emphasize, or the automatic upgrades if there is none.
func (j *renderJob) emphasizePath(pg *graph.PackageGraph, channels []string, o *diagram.UpgradeOptions) error {
	q := &pathRequest{from: j.from, to: j.to, olm: o.OLM}
	if len(channels) == 1 || o.OLM == graph.V1 {
		q.channels = channels
	}
	path, err := q.answer(pg)
	if err != nil {
		return err
	}
	if path.PackageGraph.Package.Bundle(path.From) == nil {
		j.note("no bundle of the package is %s: the upgrades of what is not in the catalog are drawn", j.from)
	}
	o.From, o.FromVersion, o.Path = path.From, path.PackageGraph.Version(path.From), path.Automatic
	if len(path.Paths) > 0 {
		o.Path = path.Paths[0]
	} else {
		j.note("there is no upgrade path from %s to %s without a switch of channels: the automatic upgrades are emphasized; see olmgraph path", path.From, path.To)
	}
	return nil
}

// writeMermaid writes a diagram, folded or, if that is too large for GitHub, reduced.
func (j *renderJob) writeMermaid(pkg string, d *diagram.Diagram) error {
	if !j.options.Unfold {
		d = diagram.Fold(d)
	}
	chart := diagram.Mermaid(d)
	if !diagram.FitsGitHub(chart) {
		var left string
		chart, left = diagram.SmallMermaid(diagram.Fold(d))
		j.note("package %s is too large for a diagram on GitHub: %s; name a channel for a larger one", pkg, left)
	}
	return j.writePicture(fileName(pkg), []byte(chart))
}
