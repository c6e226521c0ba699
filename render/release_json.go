package render

import (
	"github.com/olmgraph/olmgraph/graph/release"
	"github.com/olmgraph/olmgraph/render/text"
)

// jsonRelease is the JSON form of what a release needs.
type jsonRelease struct {
	text.Document
	Package string    `json:"package"`
	Release jsonEntry `json:"release"`
	jsonReleasePlan
	// Versions are the plans for several catalogs, equal ones once. Then the plan above is empty.
	Versions []jsonVersionRelease `json:"versions"`
	// Without are the OpenShift versions for which it is not released, since their catalogs have none of its channels.
	Without []string `json:"notReleasedFor"`
	// Across says who is not upgraded any more on a cluster that is updated to another OpenShift version, because of the release.
	Across []string `json:"acrossVersions"`
}

// jsonVersionRelease is the plan for the catalogs of some OpenShift versions, or for some templates.
type jsonVersionRelease struct {
	OpenShift []string `json:"openshift"` // versions; none of templates
	Catalogs  []string `json:"catalogs"`
	jsonReleasePlan
}

// jsonReleasePlan is what a release needs in a catalog.
type jsonReleasePlan struct {
	Channels  []string             `json:"channels"`
	InsteadOf []string             `json:"insteadOf"`
	Exact     bool                 `json:"exact"` // the search was not cut short
	Notes     []string             `json:"notes"` // whether it is written as the other entries are, and what would be different otherwise
	Refusal   *jsonReleaseRefusal  `json:"refusal"`
	Edits     []jsonReleaseEdit    `json:"edits"`
	Users     []jsonInstalledUsers `json:"users"`
	Prune     []string             `json:"prune"`
	Unused    []string             `json:"unused"`  // bundles that are removed, since no channel has them any more
	Streams   []string             `json:"streams"` // of a semver template, in which the image is listed
	Image     string               `json:"image"`
	CSV       *jsonReleaseEntry    `json:"csv"`      // the edges in the ClusterServiceVersion of a bundle folder, which catalogs do not read; null without one
	Findings  []jsonReleaseFinding `json:"findings"` // what the CRDs of a bundle folder break
	Files     []jsonFileChange     `json:"files"`
	Written   bool                 `json:"written"`
	Why       string               `json:"notWritten"` // why the files cannot be written; "" if they can, or for the form of the catalog
}

// jsonReleaseFinding is a finding of lint on the release.
type jsonReleaseFinding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity" enum:"info,warning,error"`
	Message  string `json:"message"`
}

type jsonFileChange struct {
	File string `json:"file"`
	Diff string `json:"diff"`
}

type jsonReleaseRefusal struct {
	Channel    string `json:"channel"` // "" if it is about several
	Constraint string `json:"constraint"`
	Change     string `json:"change"`
}

type jsonReleaseEdit struct {
	Channel    string            `json:"channel"`
	NewChannel bool              `json:"newChannel"`
	Added      bool              `json:"added"`
	Removed    bool              `json:"removed"`
	Before     *jsonReleaseEntry `json:"before"` // null if the entry is added
	After      *jsonReleaseEntry `json:"after"`  // null if the entry is removed
}

// jsonReleaseEntry is an entry as in a file-based catalog.
type jsonReleaseEntry struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces"`
	Skips     []string `json:"skips"`
	SkipRange string   `json:"skipRange"`
}

// jsonInstalledUsers are installed bundles with the same fate.
type jsonInstalledUsers struct {
	Channel   string   `json:"channel"`
	Installed []string `json:"installed"`
	V0        jsonFate `json:"v0"`
	V1        jsonFate `json:"v1"`
}

// jsonFate is where automatic upgrades end; "" if there are none.
type jsonFate struct {
	Before  string `json:"before"`
	After   string `json:"after"`
	Reaches string `json:"reachesRelease" enum:"never,directly,later"`
}

func (r Release) json() jsonRelease {
	return jsonRelease{Document: text.NewDocument(), Package: r.Package.Name.Value, Release: jsonEntry{Name: r.Name, Version: r.Version},
		jsonReleasePlan: r.planJSON(), Across: r.Across.sentences(), Without: r.Without}
}

func (r Release) planJSON() jsonReleasePlan {
	out := jsonReleasePlan{
		Channels:  r.Channels,
		InsteadOf: r.InsteadOf,
		Exact:     r.Exact,
		Notes:     r.remarks(),
		Refusal:   (*jsonReleaseRefusal)(r.Refusal),
		Prune:     r.Prune,
		Unused:    r.Unused,
		Streams:   r.Streams,
		Image:     r.Image,
		Written:   r.Write && r.Refusal == nil,
		Why:       r.NotWritten,
	}
	if r.Own != nil {
		out.CSV = releaseEntryJSON(r.Name, r.Own)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		out.Findings = append(out.Findings, jsonReleaseFinding{f.Rule, f.Severity.String(), f.Message})
	}
	for _, f := range r.Files {
		out.Files = append(out.Files, jsonFileChange(f))
	}
	for i := range r.Edits {
		e := &r.Edits[i]
		one := jsonReleaseEdit{Channel: e.Channel, NewChannel: e.NewChannel, Added: e.Added, Removed: e.Removed}
		if !e.Removed {
			one.After = releaseEntryJSON(e.Entry, &e.After)
		}
		if !e.Added {
			one.Before = releaseEntryJSON(e.Entry, &e.Before)
		}
		out.Edits = append(out.Edits, one)
	}
	for i := range r.Classes {
		c := &r.Classes[i]
		out.Users = append(out.Users, jsonInstalledUsers{c.Channel, c.From, fateJSON(c.V0), fateJSON(c.V1)})
	}
	return out
}

func releaseEntryJSON(name string, e *release.Edges) *jsonReleaseEntry {
	return &jsonReleaseEntry{name, e.Replaces, e.Skips, e.SkipRange}
}

func fateJSON(f release.Fate) jsonFate { return jsonFate{f.Before, f.After, f.Meets.String()} }
