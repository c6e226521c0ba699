package cli

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/page"
	"github.com/olmgraph/olmgraph/render/wording"
)

// renderChange writes the page of a change, and the pictures of it that the user wants beside.
func (d *renderJob) renderChange(ctx context.Context) error {
	change, err := d.readChange(ctx)
	if err != nil {
		return err
	}
	whole := *d
	var packages []*catalogs.Package
	var findings []lint.Finding
	if d.outputs.hasOther("html") {
		if packages, err = whole.choosePackages(); err != nil {
			return err
		}
	}
	if err := d.prepareOutputs(len(packages)); err != nil {
		return err
	}
	if d.outputs.hasOther("html") {
		if findings, err = whole.findings(ctx, packages); err != nil {
			return err
		}
	}
	return d.outputs.each(func(o output) error {
		if o.format == "html" {
			return d.forOutput(o).changePage(ctx, change)
		}
		return whole.forOutput(o).pictures(ctx, packages, findings)
	})
}

// pageChange is what a page of a change shows.
type pageChange struct {
	findings []lint.Finding // new ones
	page.Change
}

// readChange compares the catalogs as diff and lint --base --new do. It selects the packages that differ, of those that the user names. Of
// several OpenShift versions each package is shown at the newest one of those with its worst difference.
func (d *renderJob) readChange(ctx context.Context) (*pageChange, error) {
	for i := range d.pairs {
		if err := d.pairs[i].Read(ctx); err != nil {
			return nil, err
		}
	}
	if err := d.selectChanged(); err != nil {
		return nil, err
	}
	if err := readElsewhere(ctx, d.pairs, "", d.opener.options); err != nil {
		return nil, err
	}
	if d.versions != nil {
		if err := compare.ReadAcross(ctx, d.pairs); err != nil {
			return nil, err
		}
	}
	compared, err := differences(d.pairs, "")
	if err != nil {
		return nil, err
	}
	if len(changedPackages(d.pairs)) > 0 {
		if err := d.indexDependencies(ctx); err != nil {
			return nil, err
		}
	}
	c := &pageChange{}
	if compared.Contents, err = contents(d.pairs, ""); err != nil {
		return nil, err
	}
	c.Headline, c.Told = compared.Summarize()
	d.shownIn = choosePairs(d.pairs, c.Told)
	if d.versions != nil {
		c.In = compared.CatalogsWith
	}
	if c.findings, err = d.changeFindings(ctx, d.pairs, rules.All()); err != nil {
		return nil, err
	}
	back := words.Map(d.pairs, func(p compare.Pair) compare.Pair { return compare.Pair{Now: p.Base, Base: p.Now, Changed: p.Changed} })
	alone := slices.DeleteFunc(rules.All(), func(r lint.Rule) bool { return r.NeedsBase })
	c.Gone, err = d.changeFindings(ctx, back, alone)
	return c, err
}

// choosePairs chooses the catalogs that each package is shown in.
func choosePairs(pairs []compare.Pair, all []wording.Told) map[string]compare.Pair {
	shownIn := map[string]compare.Pair{}
	for _, pair := range pairs {
		for _, name := range pair.Changed {
			shownIn[name] = pair
		}
	}
	for _, told := range all {
		for _, name := range told.Packages {
			shownIn[name] = pairs[told.Catalog]
		}
	}
	return shownIn
}

// changedPackages returns the names of the packages that differ in any of the catalogs.
func changedPackages(pairs []compare.Pair) (all []string) {
	for i := range pairs {
		all = append(all, pairs[i].Changed...)
	}
	return find.Distinct(all)
}

// selectChanged leaves only the selected packages among those that differ.
func (d *renderJob) selectChanged() error {
	if len(d.packages) == 0 {
		return nil
	}
	var all []*catalogs.Catalog
	for _, pair := range d.pairs {
		all = append(all, pair.Now, pair.Base)
	}
	names := d.packages.names()
	for _, name := range names {
		if len(withPackage(all, name)) == 0 {
			return d.noPackage(name, d.ref, all)
		}
	}
	for i := range d.pairs {
		d.pairs[i].Changed = slices.DeleteFunc(d.pairs[i].Changed, func(name string) bool { return !slices.Contains(names, name) })
	}
	return nil
}

// changeFindings returns the findings of catalogs that their bases do not have, those of several once.
func (d *renderJob) changeFindings(ctx context.Context, pairs []compare.Pair, all []lint.Rule) ([]lint.Finding, error) {
	changed := changedPackages(d.pairs)
	o := lint.Options{Rules: all, Config: d.config, Packages: changed, Base: pairs, OnlyNew: true, ForReport: len(pairs) > 1, Progress: d.progress.showChecked, Linted: d.judge,
		Dependencies: d.lintIndex()}
	found, err := lint.Run(ctx, words.Map(pairs, func(p compare.Pair) *catalogs.Catalog { return p.Now }), o)
	found = slices.DeleteFunc(found, func(f lint.Finding) bool {
		return f.Suppressed != "" || f.Package != "" && !slices.Contains(changed, f.Package)
	})
	return lint.UnfoldCRDs(found), err
}

// changePage writes the page of a change: the packages that differ, those with the worst effect first.
func (d *renderJob) changePage(ctx context.Context, c *pageChange) error {
	whole := &page.Page{Title: d.packages.title(d.ref), Catalog: d.cat, Findings: c.findings, OLM: d.options.OLM, Change: &c.Change}
	names := c.shownPackages()
	if err := page.CheckSize(slices.Concat(words.Map(names, func(name string) *catalogs.Package { return d.shownIn[name].Now.Package(name) }),
		words.Map(names, func(name string) *catalogs.Package { return d.shownIn[name].Base.Package(name) }))...); err != nil {
		return err
	}
	d.packages = d.packages.withNames(names)
	whole.Packages = make([]page.Package, len(names))
	now, gone := byPackage(c.findings), byPackage(c.Gone)
	failed := d.forEachPackage(len(names), func(d *renderJob, i int) error {
		pair, one := d.shownIn[names[i]], *d
		one.cat, one.base = pair.Now, pair.Base
		to := &whole.Packages[i]
		if d.versions != nil {
			one.baseRef, to.OpenShift = subReference(d.baseRef, pair.Base.Name), pair.Now.OpenShift
		}
		return one.changedPackage(ctx, d.packages[i], now[names[i]], gone[names[i]], to)
	})
	return d.finish(ctx, whole, failed, "all of its pictures")
}

// shownPackages returns the packages with a difference or a finding, in the order of what is told.
func (c *pageChange) shownPackages() []string {
	var names []string
	for _, told := range c.Told {
		names = append(names, told.Packages...)
	}
	for _, f := range slices.Concat(c.findings, c.Gone) {
		if f.Package != "" && !slices.Contains(names, f.Package) {
			names = append(names, f.Package)
		}
	}
	return names
}

// changedPackage draws a package before and after a change, and both in one picture, with the findings that are gone and new.
func (d *renderJob) changedPackage(ctx context.Context, p selectedPackage, findings, gone []lint.Finding, to *page.Package) error {
	before, after := d.base.Package(p.name), d.cat.Package(p.name)
	one := *d
	one.base = nil
	o := d.options
	o.Channels, o.Catalog = p.channels, d.base.Name
	var failed [3]error
	if before != nil {
		o.Findings = gone
		to.Before = &page.Before{PackageGraph: graph.NewPackageGraph(before), Judgement: d.judgements.find(before)}
		to.Before.SVG, to.Before.FoldedSVG, failed[0] = one.drawBoth(ctx, to.Before.PackageGraph, o)
	}
	to.Removed = after == nil
	to.PackageGraph = graph.NewPackageGraph(cmp.Or(after, &catalogs.Package{Name: catalogs.Text{Value: p.name}}))
	if to.Removed {
		return failed[0]
	}
	to.Judgement = d.judgements.find(after)
	o.Findings, o.Catalog = findings, d.cat.Name
	to.SVG, to.FoldedSVG, failed[1] = one.drawBoth(ctx, to.PackageGraph, o)
	if before != nil {
		to.ChangeSVG, to.FoldedChangeSVG, failed[2] = d.drawBoth(ctx, to.PackageGraph, o)
	}
	return cmp.Or(failed[0], failed[1], failed[2])
}

// drawBoth draws a package with each of its versions and, if some do the same, with one node for these, which the page shows first.
func (d *renderJob) drawBoth(ctx context.Context, a *graph.PackageGraph, o diagram.UpgradeOptions) (all, folded []byte, err error) {
	o.Unfold = true
	if all, err = d.draw(ctx, a, o); err != nil {
		return nil, nil, err
	}
	o.Unfold = false
	s, err := d.diagram(a, o)
	if err != nil || s.TooLarge() != nil || !slices.ContainsFunc(s.Groups, hasMembers) {
		return all, nil, err
	}
	folded, err = d.drawWhole(ctx, s)
	return all, folded, err
}

// hasMembers reports whether a node of a group stands for others.
func hasMembers(g diagram.Group) bool {
	return slices.ContainsFunc(g.Nodes, func(n *diagram.Node) bool { return n.Members != nil })
}

// page writes the HTML page of the packages. A package whose picture cannot be drawn has none on the page.
func (d *renderJob) page(ctx context.Context, packages []*catalogs.Package, findings []lint.Finding) error {
	whole := &page.Page{Title: d.packages.title(d.ref), Catalog: d.cat, Findings: findings, OLM: d.options.OLM, Packages: make([]page.Package, len(packages))}
	if d.versions != nil {
		whole.Title += ", OpenShift " + d.command.Newest
	}
	of := byPackage(findings)
	failed := d.forEachPackage(len(packages), func(d *renderJob, i int) error {
		o := d.options
		o.Channels, o.Findings = d.packages[i].channels, of[packages[i].Name.Value]
		to := &whole.Packages[i]
		to.PackageGraph, to.Judgement = graph.NewPackageGraph(packages[i]), d.judgements.find(packages[i])
		var failed [2]error
		if d.cat.Package(packages[i].Name.Value) != nil {
			to.SVG, to.FoldedSVG, failed[0] = d.drawBoth(ctx, to.PackageGraph, o)
		}
		if d.versions != nil {
			to.VersionsSVG, failed[1] = d.lanes(ctx, d.packages[i])
		}
		return cmp.Or(failed[0], failed[1])
	})
	return d.finish(ctx, whole, failed, "a picture")
}

// finish writes a page, and says which packages lack a picture on it.
func (d *renderJob) finish(ctx context.Context, whole *page.Page, failed []error, lacks string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, err := range failed {
		if err != nil {
			whole.Packages[i].NoPicture = err.Error()
			d.note("package %s is shown without %s: %v", d.packages[i].name, lacks, err)
		}
	}
	whole.Dependencies, whole.Roots, whole.Command = d.index, []string{d.ref, d.baseGiven, d.baseOpened}, d.command
	var out bytes.Buffer
	if err := page.HTML(&out, whole); err != nil {
		return err
	}
	return d.writePicture("", out.Bytes())
}
