package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/release"
	"github.com/olmgraph/olmgraph/graph/release/amend"
	"github.com/olmgraph/olmgraph/render"
)

// releaseJob is one call of release: its flags and the catalog.
type releaseJob struct {
	*opener
	ref   string
	cat   *catalogs.Catalog
	pkg   *catalogs.Package
	image string // of the release, "" if it is not given
	known bool   // the bundle of the image is known
	write bool

	channels []string            // of the release; none for the usual ones
	before   []*catalogs.Package // in the catalogs of earlier OpenShift versions, the nearest first

	changed []amend.File // by the release
	failed  error        // why the change of the files is not known
}

// checkWrites returns why nothing can be written into the catalog, "" if something can.
func (j *releaseJob) checkWrites() string {
	switch {
	case !open.IsPath(j.ref) || !j.cat.OnDisk():
		return fmt.Sprintf("%s is not a file or folder on disk", j.ref)
	case j.cat.Template != nil && j.cat.Template.Schema == template.Substitutes:
		return fmt.Sprintf("opm changes the entries of %s by its substitutions", j.ref)
	case j.cat.Template != nil || j.cat.Editable():
		return ""
	}
	return fmt.Sprintf("%s (%s) is neither a file-based catalog nor a template", j.ref, j.cat.Form)
}

// errNotAsPlanned says that what was written would be read otherwise than planned.
var errNotAsPlanned = errors.New("olmgraph would read the new files differently than planned")

// applyEdits returns the files with the edits of a plan, which are read again: then they are what was planned.
func (j *releaseJob) applyEdits(ctx context.Context, r *render.Release) ([]amend.File, error) {
	plan := r.Plan
	change := amend.Change{Catalog: j.cat, Package: j.pkg, Plan: plan, Image: j.image, Streams: r.Streams}
	if r.Streams != nil && j.image == "" {
		return nil, nil
	}
	files, err := change.Files()
	if err != nil || r.Streams != nil && !j.known { // without its bundle opm's expansion is not known
		return files, err
	}
	pkg, err := j.reread(ctx, files)
	if err != nil {
		return nil, err
	}
	if pkg == nil || !samePackage(pkg, plan) {
		return nil, fmt.Errorf("%s: %w", files[0].Name, errNotAsPlanned)
	}
	return files, nil
}

// reread opens the catalog with other texts of files, and returns the package; nil if it is not there.
func (j *releaseJob) reread(ctx context.Context, files []amend.File) (*catalogs.Package, error) {
	options := j.options
	options.Package, options.Deferred, options.Overlay = j.pkg.Name.Value, true, map[string][]byte{}
	for _, f := range files {
		options.Overlay[f.Name] = f.New
	}
	cats, err := open.Catalogs(ctx, j.ref, options)
	i := slices.IndexFunc(cats, func(c *repo.Opened) bool { return c.Name == j.cat.Name })
	if err != nil || i < 0 {
		return nil, err
	}
	if err := cats[i].Read(ctx); err != nil {
		return nil, err
	}
	return cats[i].Package(j.pkg.Name.Value), nil
}

// samePackage reports whether a package has the channels and the bundles of a plan; that of the release may be missing.
func samePackage(pkg *catalogs.Package, plan *release.Plan) bool {
	want := plan.After.Package
	if len(pkg.Channels) != len(want.Channels) {
		return false
	}
	for _, c := range want.Channels {
		if is := pkg.Channel(c.Name.Value); is == nil || !slices.Equal(entriesByName(is), entriesByName(c)) {
			return false
		}
	}
	names := func(p *catalogs.Package) []string {
		var all []string
		for _, b := range p.Bundles {
			if b.Name.Value != plan.Name && !b.Guessed {
				all = append(all, b.Name.Value)
			}
		}
		slices.Sort(all)
		return all
	}
	return slices.Equal(names(pkg), names(want))
}

// entriesByName returns the entries of a channel as text, sorted.
func entriesByName(c *catalogs.Channel) []string {
	var all []string
	for i := range c.Entries {
		e := &c.Entries[i]
		one := fmt.Sprintf("%q %q %q", e.Name.Value, e.Replaces.Value, e.SkipRange.Value)
		skips := slices.Sorted(slices.Values(catalogs.Values(e.Skips)))
		one += fmt.Sprintf(" %q", skips)
		all = append(all, one)
	}
	slices.Sort(all)
	return all
}

// fileChanges returns how files change.
func fileChanges(files []amend.File) []render.FileChange {
	var all []render.FileChange
	for _, f := range files {
		all = append(all, render.FileChange{File: f.Name, Diff: string(unifiedDiff(f.Name, f.Old, f.New))})
	}
	return all
}

// replaceFiles replaces the texts of files. It prepares all of them first, so that nothing is done if one cannot be. A file of which nothing is
// left is removed. done is "written" or "fixed", for errors.
func (s streams) replaceFiles(files []amend.File, done string) error {
	if s.trying {
		return errTrying
	}
	var all []*disk.Replacement
	for _, f := range files {
		r, err := disk.Prepare(f.Name, f.Old, f.New)
		if err != nil {
			return fmt.Errorf("nothing was %s: %w", done, err)
		}
		all = append(all, r)
	}
	for n, f := range files {
		do := all[n].Commit
		if len(f.New) == 0 {
			do = func() error { return os.Remove(filepath.FromSlash(f.Name)) }
		}
		if err := do(); err != nil {
			return fmt.Errorf("%d of %d files were %s: %w", n, len(files), done, err)
		}
	}
	return nil
}

// change finds how the files of the catalog change. The error is that there are none that --write can write.
func (j *releaseJob) change(ctx context.Context, r *render.Release) error {
	switch why := j.checkWrites(); {
	case why != "" && j.write:
		return misusef("--write edits only file-based catalogs, and templates of schema olm.template.basic or olm.semver, in files and folders on disk: %s", why)
	case why == "" && r.Refusal == nil:
		if j.changed, j.failed = j.applyEdits(ctx, r); j.failed != nil {
			r.NotWritten = j.failed.Error()
		}
	}
	r.Files = fileChanges(j.changed)
	return nil
}

// planGenerated answers for a template of schema olm.semver, of which opm makes the edges of versions.
func (j *releaseJob) planGenerated(s selector, text string, channels []string) (*render.Release, error) {
	name, version, err := s.releaseName(text)
	if err != nil {
		return nil, err
	}
	streams, err := s.streams(channels)
	if err != nil {
		return nil, err
	}
	if b := j.pkg.Bundle(name); b != nil {
		if j.image != "" && j.image != b.Image.Value {
			return nil, misusef("--image %s: the image of %s is %s", j.image, name, b.Image.Value)
		}
		j.image, j.known = b.Image.Value, true
	}
	r := &render.Release{Catalog: j.cat, Package: j.pkg, Image: j.image, Streams: streams}
	request := release.Request{Name: name, Version: version}
	bundle := template.Bundle{Name: name, Package: j.pkg.Name.Value, Version: version}
	now, err := expansion.ExpandWithImage(j.cat.Template, cmp.Or(j.image, "new image"), bundle, streams)
	switch {
	case err != nil:
		r.Plan = &release.Plan{Request: request, Refusal: &release.Refusal{Constraint: "opm rejects the template then: " + err.Error(), Change: "give the release another version, or list another image"}}
		return r, nil
	case now == nil:
		return nil, fmt.Errorf("%s: opm makes no channels of it", j.ref)
	}
	if r.Plan = release.NewGeneratedPlan(s.PackageGraph, now, request); r.Refusal == nil && len(r.Edits) == 0 {
		r.Refusal = &release.Refusal{Constraint: fmt.Sprintf("%s is listed there already", name), Change: "name a stream that does not list it: --channel candidate, fast or stable"}
	}
	return r, nil
}

// streams returns the streams of a template of schema olm.semver that are named by themselves or by one of their channels; that of the default
// channel if none is.
func (s selector) streams(channels []string) ([]string, error) {
	if len(channels) == 0 {
		channels = []string{s.Package.DefaultChannel.Value}
	}
	var found []string
	for _, name := range channels {
		stream, _, _ := strings.Cut(strings.ToLower(name), "-v")
		if !slices.Contains(template.Archetypes(), stream) {
			return nil, misusef("--channel %q: a template of schema olm.semver lists images in %s", name, words.List(template.Archetypes(), "or"))
		}
		if !slices.Contains(found, stream) {
			found = append(found, stream)
		}
	}
	return found, nil
}

// lowerThan returns the entries of channels that are lower than a version.
func (s selector) lowerThan(version string, channels []string) ([]string, error) {
	limit, err := semver.ParseTolerant(version)
	if err != nil {
		return nil, misusef("--prune %q: want a version: the entries below it are dropped", version)
	}
	var names []string
	for _, channel := range channels {
		g := s.Graph(channel)
		if g == nil {
			continue
		}
		for _, i := range g.Entries() {
			name := g.Name(i)
			v, ok := graph.VersionIn(name)
			if of := g.Channel.Entries[i].Bundle; of != nil && of.Semver() != nil {
				v, ok = *of.Semver(), true
			}
			if ok && v.LT(limit) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, misusef("--prune %s: no entry of these channels is lower", version)
	}
	return names, nil
}
