package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/render/diagram"
)

// versionsOf returns the package that is asked for in the catalogs of several OpenShift versions; false if it is not that, or the flags are for one.
func (d *renderJob) versionsOf(c *cli.Context, cats []*catalogs.Catalog) (*openshift.Versions, bool) {
	forOne := slices.ContainsFunc([]string{"edges", "unfold", "olm", "from", "to", "min-version", "base", "requirements"}, c.IsSet)
	if forOne || d.writesPage() || len(d.packages) != 1 || len(withPackage(cats, d.packages[0].name)) == 0 {
		return nil, false
	}
	all, ok := openShiftVersionsOf(cats, d.packages[0].name)
	return &openshift.Versions{Package: d.packages[0].name, All: all}, ok
}

// renderVersions draws a package in the catalogs of several OpenShift versions.
func (d *renderJob) renderVersions(ctx context.Context, v *openshift.Versions) error {
	for _, name := range d.packages[0].channels {
		var unknown error
		for _, s := range selectorsOf(v) {
			if _, unknown = s.channels([]string{name}); unknown == nil {
				break
			}
		}
		if unknown != nil {
			return unknown
		}
	}
	drawing, err := diagram.Versions(v, d.packages[0].channels)
	if err != nil {
		return err
	}
	if err := d.prepareOutputs(1); err != nil {
		return err
	}
	return writeAll(d.outputs, func(o output) error {
		one := d.forOutput(o)
		picture, err := one.whole(ctx, drawing)
		if err != nil {
			return fmt.Errorf("the picture of package %q: %w", v.Package, err)
		}
		return one.write(fileName(v.Package), picture)
	})
}
