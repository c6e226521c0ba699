package render

import (
	"fmt"
	"path"
	"reflect"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// VersionReleases is the plan of a release for several catalogs: those for OpenShift versions, the oldest first, or templates.
type VersionReleases struct {
	All     []Release
	Without []string     // OpenShift versions for which it is not released, since their catalogs have none of its channels
	Across  *ReleaseEnds // nil for templates
}

// sayWithout says for which OpenShift versions there is no release.
func sayWithout(a *answer.Answer, versions, channels []string) {
	if len(versions) == 0 {
		return
	}
	a.Section()
	a.Say(fmt.Sprintf("It is not released for OpenShift %s, whose %s: --ocp %s with --channel releases it there.", phrase.And(versions),
		phrase.Plural(len(versions), "catalog does not have channel ", "catalogs do not have channel ")+phrase.Or(phrase.Quoted(channels)), versions[0]))
}

// ReleaseEnds are the heads that a cluster no longer upgrades, because of a release, once it is updated to the next OpenShift version.
type ReleaseEnds struct {
	*openshift.Versions // with the release
	Ends                []openshift.End
}

func (r *ReleaseEnds) say(a *answer.Answer) {
	if all := r.sentences(); len(all) > 0 {
		a.Section(text.Styled("On a cluster that is updated:", text.Warning))
		a.List(all)
	}
}

func (r *ReleaseEnds) sentences() (all []string) {
	if r == nil {
		return nil
	}
	for i := range r.Ends {
		e := &r.Ends[i]
		to := r.All[e.To].Minor
		var now *graph.PackageGraph
		if p := r.In(e.To); p != nil {
			now = graph.OfPackage(p)
		}
		said := fmt.Sprintf("from OpenShift %s to %s, %s of channel %q is not upgraded: %s", r.All[e.From].Minor, to, e.Version, e.Channel, endText(e, now))
		if e.Kind == openshift.HeadLower {
			said += fmt.Sprintf(". Release it for OpenShift %s too", to)
		}
		all = append(all, said+".")
	}
	return all
}

// groups returns the plans with the catalogs for which they are the same.
func (v VersionReleases) groups() (all []releaseGroup) {
	for i := range v.All {
		plan := v.All[i].planJSON()
		plan.Files = nil
		at := slices.IndexFunc(all, func(g releaseGroup) bool { return reflect.DeepEqual(g.plan, plan) })
		if at < 0 {
			at = len(all)
			all = append(all, releaseGroup{plan: plan})
		}
		all[at].releases = append(all[at].releases, &v.All[i])
	}
	return all
}

// releaseGroup is catalogs in which a release needs the same.
type releaseGroup struct {
	plan     jsonReleasePlan // without its files
	releases []*Release
}

// names names the catalogs: their OpenShift versions, or the files of templates.
func (g *releaseGroup) names() (versions, files []string) {
	for _, r := range g.releases {
		if t := r.Catalog.Template; t != nil {
			files = append(files, path.Base(t.Pos.File))
		} else {
			versions = append(versions, r.Catalog.OpenShift)
		}
	}
	return versions, files
}

func (v VersionReleases) heading(g *releaseGroup) string {
	if versions, files := g.names(); len(versions) == 0 {
		return phrase.And(files)
	}
	return "OpenShift " + phrase.And(versionSpans(len(v.All), func(i int) string { return v.All[i].Catalog.OpenShift },
		func(i int) bool { return slices.Contains(g.releases, &v.All[i]) }))
}

// say says what is to be written into each catalog, equal plans once.
func (v VersionReleases) say() *answer.Answer {
	first := &v.All[0]
	a := answer.New("package ", text.Styled(first.Package.Name.Value, text.Name), ", release ", text.Styled(first.Name, text.Name), ", version ", first.Version)
	var next []step
	changed := 0
	for _, g := range v.groups() {
		a.Section(v.heading(&g))
		r := *g.releases[0]
		r.Files = nil // they are those of one catalog
		r.sayPlan(a)
		for _, s := range r.next() {
			if r.Refusal == nil && !slices.Contains(next, s) {
				next = append(next, s)
			}
		}
		var names []string
		for _, r := range g.releases {
			names = append(names, phrase.Of(r.Files, func(f FileChange) string { return f.File })...)
		}
		if changed += len(names); len(names) > 0 {
			a.Section()
			a.Say("Files: ", someNames(names, 12), ".")
		}
	}
	sayWithout(a, v.Without, first.Channels)
	v.Across.say(a)
	sayNext(a.InMarkdown(), next)
	refused := slices.ContainsFunc(v.All, func(r Release) bool { return r.Refusal != nil })
	if changed > 0 && !first.Write && !refused {
		next = append(next, step{fmt.Sprintf("Write it into %s, with the same command and", phrase.Count(changed, "file")), "--write"})
	}
	sayNext(a.InText(), next)
	return a
}

func (v VersionReleases) json() jsonRelease {
	first := &v.All[0]
	out := jsonRelease{Document: text.NewDocument(), Package: first.Package.Name.Value, Release: jsonEntry{Name: first.Name, Version: first.Version}, Across: v.Across.sentences(), Without: v.Without}
	for _, g := range v.groups() {
		one := jsonVersionRelease{jsonReleasePlan: g.plan}
		one.OpenShift, _ = g.names()
		for _, r := range g.releases {
			one.Catalogs = append(one.Catalogs, r.Catalog.Name)
			for _, f := range r.Files {
				one.Files = append(one.Files, jsonFileChange(f))
			}
		}
		out.Versions = append(out.Versions, one)
	}
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
