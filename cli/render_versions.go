package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/diagram"
)

// packageVersions returns the package that is asked for in the catalogs of several OpenShift versions; false if it is not that, or the flags are for one.
func (j *renderJob) packageVersions(c *cli.Context, cats []*catalogs.Catalog) (*openshift.Versions, bool) {
	forOne := slices.ContainsFunc([]string{"edges", "unfold", "olm", "from", "to", "min-version", "base"}, c.IsSet)
	if forOne || j.outputs.has("html") || len(j.packages) != 1 || len(withPackage(cats, j.packages[0].name)) == 0 {
		return nil, false
	}
	v := &openshift.Versions{Package: j.packages[0].name}
	var ok bool
	if v.All, ok = versionedCatalogs(cats, v.Package); !ok || v.PackageIn(len(v.All)-1) != nil {
		return v, ok
	}
	if whole, err := j.openMerged(c.Context, j.ref, "", true); err == nil { // how many packages the newest has, to tell whether it is filled
		v.All, ok = versionedCatalogs(whole, v.Package)
	}
	return v, ok
}

// renderVersions draws a package in the catalogs of several OpenShift versions.
func (j *renderJob) renderVersions(ctx context.Context, v *openshift.Versions) error {
	for _, name := range j.packages[0].channels {
		var unknown error
		for _, s := range eachSelector(v) {
			if _, unknown = s.channels([]string{name}); unknown == nil {
				break
			}
		}
		if unknown != nil {
			return unknown
		}
	}
	drawing, err := diagram.Versions(v, j.packages[0].channels)
	if err != nil {
		return err
	}
	if err := j.prepareOutputs(1); err != nil {
		return err
	}
	return j.outputs.each(func(o output) error {
		one := j.forOutput(o)
		picture, err := one.drawUnreduced(ctx, drawing)
		if err != nil {
			return fmt.Errorf("the picture of package %q: %w", v.Package, err)
		}
		return one.writePicture(fileName(v.Package), picture)
	})
}

// newestCatalog returns the newest filled catalog, if a page is written of several for OpenShift versions; nil if not.
func (j *renderJob) newestCatalog(cats []*catalogs.Catalog) (*catalogs.Catalog, error) {
	versions, ok := versionedCatalogs(cats, "")
	if !ok || len(versions) < len(cats) || !j.outputs.has("html") || j.baseRef != "" && j.outputs.hasOther("html") {
		return nil, nil
	}
	j.versions = versions
	newest := versions[openshift.NewestFilled(versions)]
	if last := versions[len(versions)-1]; last.Catalog != newest.Catalog {
		j.note("the catalog of OpenShift %s has only %s so far: the page shows that of %s; --ocp %s shows it", last.String(), words.Count(len(last.Catalog.Packages), "package"), newest.String(), last.String())
	}
	j.command.Newest = newest.String()
	if i := slices.Index(j.command.Flags, "--ocp"); i >= 0 {
		j.command.Versions, j.command.Flags = j.command.Flags[i:i+2], slices.Delete(slices.Clone(j.command.Flags), i, i+2)
	}
	return newest.Catalog, requireEdges(j.ref, newest.Catalog)
}

// versionCatalogs returns the catalogs of the OpenShift versions of the page.
func (j *renderJob) versionCatalogs() []*catalogs.Catalog {
	return words.Map(j.versions, func(v openshift.Version) *catalogs.Catalog { return v.Catalog })
}

// allPackages returns the names of the packages of the catalog, and of those of older versions.
func (j *renderJob) allPackages() []string {
	return packageNames(append([]*catalogs.Catalog{j.cat}, j.versionCatalogs()...))
}

// formerPackage returns a package that the catalog does not have: of the base, or of an older OpenShift version; nil if they do not have it either.
func (j *renderJob) formerPackage(name string) (was *catalogs.Package) {
	if j.base != nil {
		return j.base.Package(name)
	}
	for _, v := range j.versions {
		if p := v.Packages[name]; p != nil {
			was = p
		}
	}
	return was
}

// acrossVersions returns the findings of the rules that compare OpenShift versions, as those of the newest catalog.
func (j *renderJob) acrossVersions(ctx context.Context, o lint.Options) ([]lint.Finding, error) {
	o.Rules = slices.DeleteFunc(rules.All(), func(r lint.Rule) bool { return r.Scope != lint.AcrossVersions })
	o.AllRules, o.Packages, o.Dependencies, o.Linted = rules.All(), j.packages.names(), nil, nil
	found, err := lint.Run(ctx, j.versionCatalogs(), o)
	for i := range found {
		found[i].Catalog = j.cat.Name
	}
	return found, err
}

// lanes draws a package in the catalogs of the OpenShift versions, nil if it is the same in all of them.
func (j *renderJob) lanes(ctx context.Context, p selectedPackage) ([]byte, error) {
	drawing, err := diagram.Versions(&openshift.Versions{Package: p.name, All: j.versions}, p.channels)
	if err != nil || len(drawing.Groups) < 2 {
		return nil, err
	}
	return j.drawUnreduced(ctx, drawing)
}
