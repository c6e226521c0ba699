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
func (j *renderJob) renderChange(ctx context.Context) error {
	change, err := j.readChange(ctx)
	if err != nil {
		return err
	}
	whole := *j
	var packages []*catalogs.Package
	var findings []lint.Finding
	if j.outputs.hasOther("html") {
		if packages, err = whole.choosePackages(); err != nil {
			return err
		}
	}
	if err := j.prepareOutputs(len(packages)); err != nil {
		return err
	}
	if j.outputs.hasOther("html") {
		if findings, err = whole.findings(ctx, packages); err != nil {
			return err
		}
	}
	return j.outputs.each(func(o output) error {
		if o.format == "html" {
			return j.forOutput(o).changePage(ctx, change)
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
func (j *renderJob) readChange(ctx context.Context) (*pageChange, error) {
	for i := range j.pairs {
		if err := j.pairs[i].Read(ctx); err != nil {
			return nil, err
		}
	}
	if err := j.selectChanged(); err != nil {
		return nil, err
	}
	if err := readElsewhere(ctx, j.pairs, "", j.opener.options); err != nil {
		return nil, err
	}
	if j.versions != nil {
		if err := compare.ReadAcross(ctx, j.pairs); err != nil {
			return nil, err
		}
	}
	compared, err := differences(j.pairs, "")
	if err != nil {
		return nil, err
	}
	if len(changedPackages(j.pairs)) > 0 {
		if err := j.indexDependencies(ctx); err != nil {
			return nil, err
		}
	}
	c := &pageChange{}
	if compared.Contents, err = contents(j.pairs, ""); err != nil {
		return nil, err
	}
	c.Headline, c.Told = compared.Summarize()
	j.shownIn = choosePairs(j.pairs, c.Told)
	if j.versions != nil {
		c.In = compared.CatalogsWith
	}
	if c.findings, err = j.changeFindings(ctx, j.pairs, rules.All()); err != nil {
		return nil, err
	}
	back := words.Map(j.pairs, func(p compare.Pair) compare.Pair { return compare.Pair{Now: p.Base, Base: p.Now, Changed: p.Changed} })
	alone := slices.DeleteFunc(rules.All(), func(r lint.Rule) bool { return r.NeedsBase })
	c.Gone, err = j.changeFindings(ctx, back, alone)
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
func (j *renderJob) selectChanged() error {
	if len(j.packages) == 0 {
		return nil
	}
	var all []*catalogs.Catalog
	for _, pair := range j.pairs {
		all = append(all, pair.Now, pair.Base)
	}
	names := j.packages.names()
	for _, name := range names {
		if len(withPackage(all, name)) == 0 {
			return j.noPackage(name, j.ref, all)
		}
	}
	for i := range j.pairs {
		j.pairs[i].Changed = slices.DeleteFunc(j.pairs[i].Changed, func(name string) bool { return !slices.Contains(names, name) })
	}
	return nil
}

// changeFindings returns the findings of catalogs that their bases do not have, those of several once.
func (j *renderJob) changeFindings(ctx context.Context, pairs []compare.Pair, all []lint.Rule) ([]lint.Finding, error) {
	changed := changedPackages(j.pairs)
	o := lint.Options{Rules: all, Config: j.config, Packages: changed, Base: pairs, OnlyNew: true, ForReport: len(pairs) > 1, Progress: j.progress.showChecked, Linted: j.storeJudgement,
		Dependencies: j.lintIndex()}
	found, err := lint.Run(ctx, words.Map(pairs, func(p compare.Pair) *catalogs.Catalog { return p.Now }), o)
	found = slices.DeleteFunc(found, func(f lint.Finding) bool {
		return f.Suppressed != "" || f.Package != "" && !slices.Contains(changed, f.Package)
	})
	return lint.UnfoldCRDs(found), err
}

// changePage writes the page of a change: the packages that differ, those with the worst effect first.
func (j *renderJob) changePage(ctx context.Context, c *pageChange) error {
	whole := &page.Page{Title: j.packages.title(j.ref), Catalog: j.cat, Findings: c.findings, OLM: j.options.OLM, Change: &c.Change}
	names := c.shownPackages()
	if err := page.CheckSize(slices.Concat(words.Map(names, func(name string) *catalogs.Package { return j.shownIn[name].Now.Package(name) }),
		words.Map(names, func(name string) *catalogs.Package { return j.shownIn[name].Base.Package(name) }))...); err != nil {
		return err
	}
	j.packages = j.packages.withNames(names)
	whole.Packages = make([]page.Package, len(names))
	now, gone := findingsByPackage(c.findings), findingsByPackage(c.Gone)
	failed := j.forEachPackage(len(names), func(j *renderJob, i int) error {
		pair, one := j.shownIn[names[i]], *j
		one.cat, one.base = pair.Now, pair.Base
		to := &whole.Packages[i]
		if j.versions != nil {
			one.baseRef, to.OpenShift = subReference(j.baseRef, pair.Base.Name), pair.Now.OpenShift
		}
		return one.changedPackage(ctx, j.packages[i], now[names[i]], gone[names[i]], to)
	})
	return j.finish(ctx, whole, failed, "all of its pictures")
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
func (j *renderJob) changedPackage(ctx context.Context, p selectedPackage, findings, gone []lint.Finding, to *page.Package) error {
	before, after := j.base.Package(p.name), j.cat.Package(p.name)
	one := *j
	one.base = nil
	o := j.options
	o.Channels, o.Catalog = p.channels, j.base.Name
	var failed [3]error
	if before != nil {
		o.Findings = gone
		to.Before = &page.State{PackageGraph: graph.NewPackageGraph(before), Judgement: j.judgements.find(before)}
		to.Before.SVG, to.Before.FoldedSVG, failed[0] = one.drawBoth(ctx, to.Before.PackageGraph, o)
	}
	to.Removed = after == nil
	to.PackageGraph = graph.NewPackageGraph(cmp.Or(after, &catalogs.Package{Name: catalogs.Text{Value: p.name}}))
	if to.Removed {
		return failed[0]
	}
	to.Judgement = j.judgements.find(after)
	o.Findings, o.Catalog = findings, j.cat.Name
	to.SVG, to.FoldedSVG, failed[1] = one.drawBoth(ctx, to.PackageGraph, o)
	if before != nil {
		to.ChangeSVG, to.FoldedChangeSVG, failed[2] = j.drawBoth(ctx, to.PackageGraph, o)
	}
	return cmp.Or(failed[0], failed[1], failed[2])
}

// drawBoth draws a package with each of its versions and, if some do the same, with one node for these, which the page shows first.
func (j *renderJob) drawBoth(ctx context.Context, pg *graph.PackageGraph, o diagram.UpgradeOptions) (all, folded []byte, err error) {
	o.Unfold = true
	if all, err = j.draw(ctx, pg, o); err != nil {
		return nil, nil, err
	}
	o.Unfold = false
	d, err := j.diagram(pg, o)
	if err != nil || d.TooLarge() != nil || !slices.ContainsFunc(d.Groups, hasMembers) {
		return all, nil, err
	}
	folded, err = j.drawUnreduced(ctx, d)
	return all, folded, err
}

// hasMembers reports whether a node of a group stands for others.
func hasMembers(g diagram.Group) bool {
	return slices.ContainsFunc(g.Nodes, func(n *diagram.Node) bool { return n.Members != nil })
}

// page writes the HTML page of the packages. A package whose picture cannot be drawn has none on the page.
func (j *renderJob) page(ctx context.Context, packages []*catalogs.Package, findings []lint.Finding) error {
	whole := &page.Page{Title: j.packages.title(j.ref), Catalog: j.cat, Findings: findings, OLM: j.options.OLM, Packages: make([]page.Package, len(packages))}
	if j.versions != nil {
		whole.Title += ", OpenShift " + j.command.Newest
	}
	of := findingsByPackage(findings)
	failed := j.forEachPackage(len(packages), func(j *renderJob, i int) error {
		o := j.options
		o.Channels, o.Findings = j.packages[i].channels, of[packages[i].Name.Value]
		to := &whole.Packages[i]
		to.PackageGraph, to.Judgement = graph.NewPackageGraph(packages[i]), j.judgements.find(packages[i])
		var failed [2]error
		if j.cat.Package(packages[i].Name.Value) != nil {
			to.SVG, to.FoldedSVG, failed[0] = j.drawBoth(ctx, to.PackageGraph, o)
		}
		if j.versions != nil {
			to.VersionsSVG, failed[1] = j.lanes(ctx, j.packages[i])
		}
		return cmp.Or(failed[0], failed[1])
	})
	if err := j.addOtherVersions(ctx, whole); err != nil {
		return err
	}
	return j.finish(ctx, whole, failed, "a picture")
}

// finish writes a page, and says which packages lack a picture on it.
func (j *renderJob) finish(ctx context.Context, whole *page.Page, failed []error, lacks string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, err := range failed {
		if err != nil {
			whole.Packages[i].NoPicture = err.Error()
			j.note("package %s is shown without %s: %v", j.packages[i].name, lacks, err)
		}
	}
	whole.Dependencies, whole.Roots, whole.Command = j.index, []string{j.ref, j.baseGiven, j.baseOpened}, j.command
	var out bytes.Buffer
	if err := page.HTML(&out, whole); err != nil {
		return err
	}
	return j.writePicture("", out.Bytes())
}
