package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/graph/release/amend"
	"github.com/olmgraph/olmgraph/render"
)

// releaseJobs are a call of release for each of several catalogs, and all catalogs for OpenShift versions of the reference; none of templates.
type releaseJobs struct {
	jobs     []*releaseJob
	versions *openshift.Versions
	without  []string // the OpenShift versions whose catalogs have none of the channels
}

// newReleaseJobs opens the catalogs that the release is for, and returns the version: one catalog, those for several OpenShift versions, or several
// templates.
func newReleaseJobs(c *cli.Context, o *opener) (all releaseJobs, version string, err error) {
	ref, wanted := c.Args().First(), o.versions
	o.versions = versionRange{from: "all"} // a release concerns those beside it, too
	cats, name, rest, err := o.openPackages(c.Context, ref, c.Args().Tail(), true, false)
	if err != nil {
		return all, "", err
	}
	versions, ok := versionedCatalogs(cats, name)
	if ok {
		all.versions = &openshift.Versions{Package: name, All: versions}
	}
	if cats, err = wanted.selectCatalogs(ref, cats); err != nil {
		return all, "", err
	}
	cats = o.onlyMapped(preferWithChannels(cats, name))
	noVersion := func(c *catalogs.Catalog) bool { return c.OpenShift == "" || c.OtherVersions }
	noTemplate := func(c *catalogs.Catalog) bool { return c.Template == nil }
	switch {
	case len(cats) == 0:
		return all, "", misusef("%s has no package %q for OpenShift %s", ref, name, c.String("ocp"))
	case len(cats) > 1 && slices.ContainsFunc(cats, noTemplate) && (!ok || slices.ContainsFunc(cats, noVersion)):
		return all, "", o.severalCatalogs(fmt.Sprintf("package %q is in", name), ref, cats, name)
	case len(rest) != 1:
		line := []string{c.Command.Name, ref, name, "VERSION"}
		if len(rest) > 1 {
			line = ofAllVersions(o.given)
		}
		return all, "", suggestCommand(misusef("release needs one version after the package"), line...)
	}
	if err := requireEdges(ref, cats...); err != nil {
		return all, "", err
	}
	for _, cat := range cats {
		if err := o.inTemplates(ref, cat.Package(name)); err != nil {
			return all, "", err
		}
		all.jobs = append(all.jobs, &releaseJob{opener: o, ref: ref, cat: cat, pkg: cat.Package(name), image: c.String("image"), write: c.Bool("write"),
			channels: c.StringSlice("channel")})
	}
	for _, j := range all.jobs {
		at := slices.IndexFunc(versions, func(v openshift.Version) bool { return v.Catalog == j.cat })
		for _, v := range slices.Backward(versions[:max(at, 0)]) {
			if p := v.Packages[name]; p != nil {
				j.before = append(j.before, p)
			}
		}
	}
	if len(cats) > 1 && ok {
		err = all.selectChannels(rest[0])
	}
	return all, rest[0], err
}

// onlyMapped returns catalogs without templates that ci.yaml of the operator does not name, if it names others: no catalog is made of them.
func (o *opener) onlyMapped(cats []*catalogs.Catalog) []*catalogs.Catalog {
	mapped := slices.DeleteFunc(slices.Clone(cats), func(c *catalogs.Catalog) bool {
		t := c.Templates
		return t == nil || !slices.ContainsFunc(t.Mapped(), func(m catalogs.Mapped) bool { return m.Template == t.Template })
	})
	if len(mapped) == 0 {
		return cats
	}
	for _, c := range cats {
		if !slices.Contains(mapped, c) && c.Template != nil {
			o.logf("%s is left out: ci.yaml maps it to no catalog", c.Pos().File)
		}
	}
	return slices.DeleteFunc(slices.Clone(cats), func(c *catalogs.Catalog) bool { return c.Template != nil && !slices.Contains(mapped, c) })
}

// selectChannels selects the channels of the release in the catalogs for several OpenShift versions: the given ones, or else those that it has in the
// newest catalog. Catalogs that do not have them, which others have, are left out: a channel of another name may be for other versions.
func (all *releaseJobs) selectChannels(version string) error {
	newest := all.jobs[len(all.jobs)-1]
	names := newest.channels
	if len(names) == 0 {
		usual, err := selector{graph.NewPackageGraph(newest.pkg)}.release(version, nil, nil)
		if err != nil {
			return all.inCatalog(newest, err)
		}
		names = usual.Channels
	}
	var with []*releaseJob
	for _, j := range all.jobs {
		has := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return j.pkg.Channel(name) == nil })
		if j.channels = has; len(has) > 0 {
			with = append(with, j)
		} else {
			all.without = append(all.without, j.cat.OpenShift)
		}
	}
	if len(with) > 0 {
		all.jobs = with
		return nil
	}
	for _, j := range all.jobs { // the channels are new
		j.channels = names
	}
	all.without = nil
	return nil
}

// makePlan returns the plan of the release for each catalog, with the files that it changes.
func (all *releaseJobs) makePlan(c *cli.Context, version string) (out render.Releases, err error) {
	rejected := false
	for _, j := range all.jobs {
		r, err := j.makePlan(c, version)
		if err == nil {
			err = j.change(c.Context, r)
		}
		if err != nil {
			return out, all.inCatalog(j, err)
		}
		rejected = rejected || r.Refusal != nil
		out.All = append(out.All, *r)
	}
	out.Without = all.without
	failed := slices.ContainsFunc(all.jobs, func(j *releaseJob) bool { return j.failed != nil })
	for i := range out.All {
		out.All[i].Write = c.Bool("write") && !rejected && !failed
	}
	if all.versions != nil {
		out.Across, err = render.NewReleaseEnds(all.versions, out.All)
	}
	return out, err
}

// inCatalog adds to an error of which of several catalogs it is.
func (all *releaseJobs) inCatalog(j *releaseJob, err error) error {
	var wrong misuse
	switch {
	case len(all.jobs) == 1:
		return err
	case errors.As(err, &wrong):
		return misuse{fmt.Errorf("%s: %w", j.cat.Pos(), err)}
	}
	return fmt.Errorf("%s: %w", j.cat.Pos(), err)
}

// outputs rejects formats that the answer does not have, and returns a function that writes it.
func (all *releaseJobs) outputs(to outputs) (func(render.Releases) error, error) {
	j, formats := all.jobs[0], render.ReleaseFormats()
	err := checkReleaseOutputs(to, j.cat)
	if len(all.jobs) > 1 {
		if j.cat.Template == nil {
			formats = formats[:len(formats)-1]
		}
		err = checkFormats(to, "a release in several catalogs", formats)
	}
	return func(out render.Releases) error { return write(to, formats, out) }, err
}

// write writes the files of all catalogs, with --write; none of them if that of one cannot be.
func (all *releaseJobs) write(out *render.Releases) error {
	var files []amend.File
	for i, j := range all.jobs {
		switch {
		case out.All[i].Refusal != nil:
			return status(statusFindings)
		case j.write && j.failed != nil:
			return fmt.Errorf("nothing was written: %w", j.failed)
		case j.write && j.changed == nil:
			return misusef("--write needs --image: the template lists images")
		}
		files = append(files, j.changed...)
	}
	if !all.jobs[0].write {
		return nil
	}
	if err := all.jobs[0].replaceFiles(files, "written"); err != nil {
		return err
	}
	for _, f := range files {
		what := "written"
		if len(f.New) == 0 {
			what = "removed"
		}
		all.jobs[0].logf("%s: %s", f.Name, what)
	}
	return nil
}

// noteTemplates says which changed files are made of a template: what is written there is lost when it is made again.
func (r *releaseJobs) noteTemplates(version string) {
	told := map[string]bool{}
	for _, j := range r.jobs {
		for _, f := range j.changed {
			if t := repo.TemplateFor(j.cat, f.Name); t != "" && !told[t] {
				told[t] = true
				line := []string{releaseName, t, j.pkg.Name.Value, version}
				for _, name := range j.channels {
					line = append(line, "--channel", name)
				}
				j.logf("%s is made of %s, and loses the release when it is made again: %s", f.Name, t, commandLine(line...))
			}
		}
	}
}
