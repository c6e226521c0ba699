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
	release.Plan
	Notes   []string          `json:"notes"` // whether it is written as the other entries are, and what would be different otherwise
	Edits   []jsonReleaseEdit `json:"edits"`
	Streams []string          `json:"streams"` // of a semver template, in which the image is listed
	Image   string            `json:"image"`
	Files   []FileChange      `json:"files"`
	Written bool              `json:"written"`
	Why     string            `json:"notWritten"` // why the files cannot be written; "" if they can, or for the form of the catalog
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

func (r *Release) planJSON() jsonReleasePlan {
	out := jsonReleasePlan{Plan: *r.Plan, Notes: r.remarks(), Streams: r.Streams, Image: r.Image, Files: r.Files, Written: r.Write && r.Refusal == nil, Why: r.NotWritten}
	for i := range r.Plan.Edits {
		e := &r.Plan.Edits[i]
		one := jsonReleaseEdit{Channel: e.Channel, NewChannel: e.NewChannel, Added: e.Added, Removed: e.Removed}
		if !e.Removed {
			one.After = releaseEntryJSON(e.Entry, &e.After)
		}
		if !e.Added {
			one.Before = releaseEntryJSON(e.Entry, &e.Before)
		}
		out.Edits = append(out.Edits, one)
	}
	return out
}

func releaseEntryJSON(name string, e *release.Edges) *jsonReleaseEntry {
	return &jsonReleaseEntry{name, e.Replaces, e.Skips, e.SkipRange}
}
