package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/page"
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
		j.note("the catalog of OpenShift %s has only %s so far: the page opens at %s", last.String(), words.Count(len(last.Catalog.Packages), "package"), newest.String())
	}
	j.command.Newest = newest.String()
	for _, v := range slices.Backward(versions) {
		j.command.All = append(j.command.All, v.String())
	}
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

// addOtherVersions adds the packages of a page as the catalogs for the other OpenShift versions have them, where they differ.
func (j *renderJob) addOtherVersions(ctx context.Context, whole *page.Page) error {
	if len(j.versions) == 0 {
		return nil
	}
	var all []*catalogs.Package
	differing := map[*catalogs.Catalog][]int{}
	for i := range whole.Packages {
		name := j.packages[i].name
		now := j.cat.Package(name)
		for _, v := range j.versions {
			if then := v.Packages[name]; v.Catalog != j.cat && (then != nil || now != nil) && (then == nil || now == nil || j.cat.Sums[name] == 0 || j.cat.Sums[name] != v.Catalog.Sums[name]) {
				differing[v.Catalog], all = append(differing[v.Catalog], i), append(all, then)
			}
		}
		all = append(all, now)
	}
	if err := page.CheckSize(all...); err != nil {
		j.note("the page shows OpenShift %s alone: with all versions it is %v", j.command.Newest, err)
		j.command.All = nil
		return nil
	}
	whole.Versions = map[string]string{}
	for _, v := range j.versions {
		if err := j.addOtherVersion(ctx, whole, v, differing[v.Catalog]); err != nil {
			return err
		}
	}
	return nil
}

// addOtherVersion adds those of the packages of a page at these indexes that an OpenShift version has, and what lint finds there.
func (j *renderJob) addOtherVersion(ctx context.Context, whole *page.Page, v openshift.Version, differing []int) error {
	one := *j
	one.cat, one.versions, one.index = v.Catalog, nil, nil
	packages := words.Map(differing, func(i int) *catalogs.Package {
		name := whole.Packages[i].PackageGraph.Package.Name
		return cmp.Or(v.Packages[name.Value], &catalogs.Package{Name: name})
	})
	var findings []lint.Finding
	if slices.ContainsFunc(packages, func(p *catalogs.Package) bool { return v.Packages[p.Name.Value] != nil }) {
		var err error
		if findings, err = one.findings(ctx, packages); err != nil {
			return err
		}
		whole.Versions[v.Catalog.Name] = v.String()
		whole.Findings = append(whole.Findings, findings...)
	}
	of := findingsByPackage(findings)
	states := make([]*page.State, len(packages))
	failed := one.forEachPackage(len(packages), func(one *renderJob, n int) (err error) {
		p := packages[n]
		states[n] = &page.State{PackageGraph: graph.NewPackageGraph(p), Judgement: one.judgements.find(p)}
		if len(p.Channels) > 0 {
			o := one.options
			o.Channels, o.Findings, o.Catalog = one.packages[differing[n]].channels, of[p.Name.Value], one.cat.Name
			states[n].SVG, states[n].FoldedSVG, err = one.drawBoth(ctx, states[n].PackageGraph, o)
		}
		return err
	})
	for n, i := range differing {
		to := &whole.Packages[i]
		if to.Others == nil {
			to.Others = map[string]*page.State{}
		}
		to.Others[v.String()] = states[n]
		if failed[n] != nil {
			j.note("package %s is shown without a picture in OpenShift %s: %v", j.packages[i].name, v, failed[n])
		}
	}
	return nil
}

// lanes draws a package in the catalogs of the OpenShift versions, nil if it is the same in all of them.
func (j *renderJob) lanes(ctx context.Context, p selectedPackage) ([]byte, error) {
	drawing, err := diagram.Versions(&openshift.Versions{Package: p.name, All: j.versions}, p.channels)
	if err != nil || len(drawing.Groups) < 2 {
		return nil, err
	}
	return j.drawUnreduced(ctx, drawing)
}
