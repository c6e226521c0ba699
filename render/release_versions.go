package render

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/graph/release"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// Releases is the plan of a release for a catalog, or for several: those for OpenShift versions, the oldest first, or templates.
type Releases struct {
	All     []Release
	Without []string     // OpenShift versions for which it is not released, since their catalogs have none of its channels
	Across  *ReleaseEnds // nil if they are not for OpenShift versions
}

// sayAround says for which OpenShift versions there is no release, and who is not upgraded because of it once OpenShift is.
func (v Releases) sayAround(a *answer.Answer) {
	if n := len(v.Without); n > 0 {
		a.Section()
		a.Say(fmt.Sprintf("It is not released for OpenShift %s, whose %s: --ocp %s with --channel releases it there.", words.And(v.Without),
			words.Plural(n, "catalog does not have channel ", "catalogs do not have channel ")+words.Or(words.Quote(v.All[0].Channels)), v.Without[0]))
	}
	if all := v.Across.sentences(); len(all) > 0 {
		a.Section(text.Styled("On a cluster that is updated:", text.Warning))
		a.List(all)
	}
}

// ReleaseEnds are the heads that a cluster no longer upgrades, because of a release, once it is updated to the next OpenShift version.
type ReleaseEnds struct {
	*openshift.Versions // with the release
	Ends                []openshift.End
}

func (r *ReleaseEnds) sentences() (all []string) {
	if r == nil {
		return nil
	}
	for i := range r.Ends {
		e := &r.Ends[i]
		to := r.All[e.To]
		var now *graph.PackageGraph
		if p := r.PackageIn(e.To); p != nil {
			now = graph.NewPackageGraph(p)
		}
		said := fmt.Sprintf("from OpenShift %s to %s, %s of channel %q is not upgraded: %s", r.All[e.From], to, e.Version, e.Channel, endText(e, now))
		if e.Kind == openshift.HeadLower {
			said += fmt.Sprintf(". Release it for OpenShift %s too", to)
		}
		all = append(all, said+".")
	}
	return all
}

// groups returns the plans with the catalogs for which they are the same.
func (v Releases) groups() (all []releaseGroup) {
	byPlan := map[string]int{}
	for i := range v.All {
		plan := v.All[i].planJSON()
		plan.Files = nil
		key, _ := json.Marshal(plan)
		at, known := byPlan[string(key)]
		if !known {
			at = len(all)
			byPlan[string(key)], all = at, append(all, releaseGroup{jsonReleasePlan: plan})
		}
		g, r := &all[at], &v.All[i]
		g.releases, g.Catalogs, g.Files = append(g.releases, r), append(g.Catalogs, r.Catalog.Name), append(g.Files, r.Files...)
		if t := r.Catalog.Template; t != nil {
			g.templates = append(g.templates, path.Base(t.Pos.File))
		} else {
			g.OpenShift = append(g.OpenShift, r.Catalog.OpenShift)
		}
	}
	return all
}

// releaseGroup is catalogs in which a release needs the same: of some OpenShift versions, or of some templates.
type releaseGroup struct {
	OpenShift []string `json:"openshift"` // versions; none of templates
	Catalogs  []string `json:"catalogs"`
	jsonReleasePlan
	templates []string // files
	releases  []*Release
}

func (v Releases) heading(g *releaseGroup) string {
	if len(g.OpenShift) == 0 {
		return words.And(g.templates)
	}
	return "OpenShift " + words.And(versionSpans(len(v.All), func(i int) string { return v.All[i].Catalog.OpenShift },
		func(i int) bool { return slices.Contains(g.releases, &v.All[i]) }))
}

// say says what is to be written into each catalog, equal plans once.
func (v Releases) say() *answer.Answer {
	first := &v.All[0]
	a := answer.New("package ", text.Styled(first.Package.Name.Value, text.Name), ", release ", text.Styled(first.Name, text.Name), ", version ", first.Version)
	if len(v.All) == 1 {
		a.Section()
		first.sayPlan(a)
		if first.Refusal == nil {
			v.sayAround(a)
			sayNext(a.InText(), first.nextSteps())
			reviewed := *first
			reviewed.Write = true // the reader of a pull request does not write it
			sayNext(a.InMarkdown(), reviewed.nextSteps())
		}
		return a
	}
	var next []step
	changed := 0
	for _, g := range v.groups() {
		a.Section(v.heading(&g))
		r := *g.releases[0]
		r.Files = nil // they are those of one catalog
		r.sayPlan(a)
		for _, s := range r.nextSteps() {
			if r.Refusal == nil && !slices.Contains(next, s) {
				next = append(next, s)
			}
		}
		names := words.Map(g.Files, func(f FileChange) string { return f.File })
		if changed += len(names); len(names) > 0 {
			a.Section()
			a.Say("Files: ", someNames(names, 12), ".")
		}
	}
	v.sayAround(a)
	sayNext(a.InMarkdown(), next)
	refused := slices.ContainsFunc(v.All, func(r Release) bool { return r.Refusal != nil })
	needsImage := slices.ContainsFunc(v.All, func(r Release) bool { return r.Streams != nil && r.Image == "" })
	if changed > 0 && !first.Write && !refused && !needsImage {
		next = append(next, step{fmt.Sprintf("To write it into %s, run the same command with", words.Count(changed, "file")), "--write"})
	}
	sayNext(a.InText(), next)
	return a
}

func (v Releases) json() jsonRelease {
	first := &v.All[0]
	out := jsonRelease{Package: first.Package.Name.Value, Release: jsonEntry{Name: first.Name, Version: first.Version}, Across: v.Across.sentences(), Without: v.Without}
	if len(v.All) == 1 {
		out.jsonReleasePlan = first.planJSON()
		return out
	}
	out.Versions = v.groups()
	return out
}

// NewReleaseEnds finds who is no longer upgraded on a cluster that is updated, once packages are as planned. An error is of a catalog that has changed.
func NewReleaseEnds(before *openshift.Versions, all []Release) (*ReleaseEnds, error) {
	after := &openshift.Versions{Package: before.Package}
	for _, v := range before.All {
		for i := range all {
			if r := &all[i]; r.Catalog == v.Catalog && r.Refusal == nil {
				v.Packages = map[string]*catalogs.Package{before.Package: r.After.Package}
			}
		}
		after.All = append(after.All, v)
	}
	ends, err := after.NewEnds(before)
	return &ReleaseEnds{after, ends}, err
}

// jsonRelease is the JSON form of what a release needs.
type jsonRelease struct {
	Package string    `json:"package"`
	Release jsonEntry `json:"release"`
	jsonReleasePlan
	// Versions are the plans for several catalogs, equal ones once. Then the plan above is empty.
	Versions []releaseGroup `json:"versions"`
	// Without are the OpenShift versions for which it is not released, since their catalogs have none of its channels.
	Without []string `json:"notReleasedFor"`
	// Across says who is not upgraded any more on a cluster that is updated to another OpenShift version, because of the release.
	Across []string `json:"acrossVersions"`
}

// jsonReleasePlan is what a release needs in a catalog.
type jsonReleasePlan struct {
	release.Plan
	Notes   []string          `json:"notes"` // whether it is written as the other entries are, and what else changes
	Edits   []jsonReleaseEdit `json:"edits"`
	Failing []judge.Failing   `json:"failing"` // upgrades of OLM v0 to the release that fail on the cluster, if its bundle is known
	Streams []string          `json:"streams"` // of a semver template, in which the image is listed
	Image   string            `json:"image"`
	Files   []FileChange      `json:"files"`
	Written bool              `json:"written"`
	Why     string            `json:"notWritten"` // why the files cannot be written; "" if they can, or for the form of the catalog
}

type jsonReleaseEdit struct {
	release.Edit
	Before *jsonReleaseEntry `json:"before"` // null if the entry is added
	After  *jsonReleaseEntry `json:"after"`  // null if the entry is removed
}

// jsonReleaseEntry is an entry as in a file-based catalog.
type jsonReleaseEntry struct {
	Name string `json:"name"`
	release.Edges
}

func (r *Release) planJSON() jsonReleasePlan {
	out := jsonReleasePlan{Plan: *r.Plan, Notes: r.remarks(), Failing: r.Failing, Streams: r.Streams, Image: r.Image, Files: r.Files, Written: r.Write && r.Refusal == nil, Why: r.NotWritten}
	for i := range r.Plan.Edits {
		e := &r.Plan.Edits[i]
		one := jsonReleaseEdit{Edit: *e}
		if !e.Removed {
			one.After = &jsonReleaseEntry{e.Entry, e.After}
		}
		if !e.Added {
			one.Before = &jsonReleaseEntry{e.Entry, e.Before}
		}
		out.Edits = append(out.Edits, one)
	}
	return out
}
