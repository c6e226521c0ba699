package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// CRDHistory is one CRD in the bundles of a channel.
type CRDHistory struct {
	Name      string        `json:"name"`
	Kind      string        `json:"kind"` // as the newest bundle has it, like Scope
	Scope     string        `json:"scope"`
	Revisions []CRDRevision `json:"bundles"`
}

// CRDRevision is one CRD in one entry of a channel.
type CRDRevision struct {
	Bundle   string        `json:"bundle"`
	Version  string        `json:"version"`             // of the bundle
	InBundle bool          `json:"inBundle"`            // the bundle has the CRD
	Error    string        `json:"error"`               // why it could not be read
	Removed  int           `json:"removedInKubernetes"` // the minor version that removed the API in which it is declared; 0: none did
	Versions []crd.Version `json:"versions"`            // in the order of the text
	// Stored are the versions that status.storedVersions can have on a cluster with the bundle, by name: all that were stored
	// on some path to it.
	Stored []string `json:"mayBeStored"`
	// MissingVersions may be stored, and the bundle's CRD does not have them: Kubernetes rejects the CRD if they are.
	MissingVersions []string `json:"rejectedStoredVersions"`
	// Since is the bundle with which this one is compared: the newest that is upgraded to it. Empty if there is none.
	Since string `json:"since"`
	// Changes are the changes since then: of versions, and of schemas if OLM v1 rejects them.
	Changes []CRDChange `json:"changes"`
	// Fails says why OLM v0 or the API server rejects the upgrade since then because of this CRD, but for versions that may be stored.
	Fails []CRDFailure `json:"fails"`
	// TextChanged is set if the text of the CRD differs, even if there are no Changes.
	TextChanged  bool `json:"-"`
	catalogs.Pos      // of the CRD, or of the bundle if it has none
}

// CRDChange is one change of a CRD as a sentence: of a schema, which OLM v1 rejects, or of its versions.
type CRDChange struct {
	Message string `json:"message"`
	Schema  bool   `json:"schema"` // a change of the schema, which OLM v1 rejects
	Lost    bool   `json:"-"`      // a version is not served any more
}

// CRDFailure is why an upgrade fails, and where: everywhere without conditions.
type CRDFailure struct {
	Message string   `json:"message"`
	Where   []string `json:"where"`
	Unfit   bool     `json:"-"` // where an object does not match the new schema
}

// Histories returns the history of each CRD in the bundles of a channel, by name, the newest bundles first. It is empty if the
// catalog has no manifests.
func (p *Package) Histories(c *catalogs.Channel) []CRDHistory {
	return p.histories(c, true)
}

// VersionHistories is Histories without the changes of schemas, which take most of the time.
func (p *Package) VersionHistories(c *catalogs.Channel) []CRDHistory {
	return p.histories(c, false)
}

// historyBuilder builds the histories of one channel.
type historyBuilder struct {
	pkg     *Package
	graph   *graph.Graph
	order   []int         // the entries, newest first
	since   map[int]int   // by entry, the newest one that is upgraded to it
	into    map[int][]int // by origin, all that are upgraded to it in the channel
	schemas bool          // schemas are compared

	storable []*StoredVersion // by name
	outcomes map[int]Outcome  // by entry, of the upgrade since then
}

func (p *Package) histories(c *catalogs.Channel, schemas bool) []CRDHistory {
	h := &historyBuilder{pkg: p, graph: p.graph(c), since: map[int]int{}, into: map[int][]int{}, outcomes: map[int]Outcome{}, schemas: schemas, storable: p.storageVersions()}
	h.order = h.graph.ByVersion()
	place := map[int]int{}
	for at, i := range h.order {
		place[i] = at
	}
	p.origins().Upgrades([]*graph.Graph{h.graph}, func(int) bool { return true }, func(_ *graph.Graph, u graph.Upgrade) {
		h.into[u.To] = append(h.into[u.To], u.From)
	})
	for _, u := range h.graph.DirectUpgrades() {
		if best, ok := h.since[u.To]; place[u.From] > place[u.To] && (!ok || place[u.From] < place[best]) {
			h.since[u.To] = u.From
		}
	}
	var all []CRDHistory
	for _, name := range h.names() {
		all = append(all, h.history(name))
	}
	return all
}

func (h *historyBuilder) bundle(i int) *catalogs.Bundle { return h.graph.Channel.Entries[i].Bundle }

// isSeen reports whether the manifests of an entry are known.
func (h *historyBuilder) isSeen(i int) bool {
	b := h.bundle(i)
	return b != nil && b.HasManifests()
}

// crd returns the CRD of an entry's bundle, readable or not; nil if it brings none.
func (h *historyBuilder) crd(i int, name string) *CRD {
	if b := h.bundle(i); b != nil {
		return h.pkg.CRD(b, name)
	}
	return nil
}

func (h *historyBuilder) names() []string {
	var names []string
	for _, i := range h.order {
		if b := h.bundle(i); b != nil {
			for _, c := range h.pkg.CRDs(b) {
				names = append(names, c.Manifest.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (h *historyBuilder) history(name string) CRDHistory {
	out := CRDHistory{Name: name}
	stored := h.storedVersions(name)
	for _, i := range h.order {
		b := h.bundle(i)
		if b == nil {
			continue
		}
		at, _ := h.pkg.origins().Index(b.Name.Value)
		r := CRDRevision{Bundle: b.Name.Value, Version: b.Version.Value, Pos: b.Pos, Stored: stored[at]}
		if c := h.crd(i, name); c != nil {
			r.InBundle, r.Pos = true, c.Manifest.Pos
			if c.Manifest.APIVersion == crd.V1beta1 {
				r.Removed = crdV1beta1Removed
			}
			r.describe(c)
			if c.Outline != nil {
				r.MissingVersions = h.missingVersions(c, at, stored)
				if out.Kind == "" {
					out.Kind, out.Scope = c.Kind, c.Scope
				}
			}
		}
		if since, ok := h.since[i]; ok {
			r.Since = h.graph.Name(since)
			r.compare(h, since, i, name)
			r.Fails = h.findFailures(since, i, name)
		}
		out.Revisions = append(out.Revisions, r)
	}
	return out
}

// missingVersions returns the versions that may be stored when an entry is upgraded to and that its CRD does not have.
func (h *historyBuilder) missingVersions(c *CRD, to int, stored map[int][]string) []string {
	var lost []string
	for _, from := range h.into[to] {
		lost = append(lost, stored[from]...)
	}
	slices.Sort(lost)
	return slices.DeleteFunc(slices.Compact(lost), c.Has)
}

func (r *CRDRevision) describe(c *CRD) {
	if c.Err != nil {
		r.Error = c.Err.Error()
		return
	}
	r.Versions = c.Versions
}

// storedVersions returns, for each origin, the versions that may be stored on a cluster with it.
func (h *historyBuilder) storedVersions(name string) map[int][]string {
	stored := map[int][]string{}
	for _, s := range h.storable {
		if s.CRD != name {
			continue
		}
		for i, ok := range h.pkg.origins().ReachedFrom(s.storedBy, s.keptAlong) {
			if ok {
				stored[i] = append(stored[i], s.Version)
			}
		}
	}
	return stored
}

// findFailures returns why the upgrade from one entry to another fails because of a CRD, and where.
func (h *historyBuilder) findFailures(since, i int, name string) (all []CRDFailure) {
	if old, new := h.crd(since, name), h.crd(i, name); !h.schemas || new == nil || old != nil && old.Manifest.Object == new.Manifest.Object {
		return nil
	}
	judged, ok := h.outcomes[i]
	if !ok {
		judged = h.pkg.JudgeUpgrade(h.bundle(since), h.bundle(i), On{OLM: graph.V0, Unseen: true})
		h.outcomes[i] = judged
	}
	for _, r := range slices.Concat(judged.Reasons, judged.Warnings) {
		ofCRD := r.Kind == crd.Kind && r.Name == name || r.Manifest != nil && r.Manifest.Kind == crd.Kind && r.Manifest.Name == name
		if ofCRD && r.Row != storageRemoved && r.Stops(graph.V0) {
			all = append(all, CRDFailure{r.Message, words.Map(r.Where, Condition.String), r.NeedsUnfitObjects()})
		}
	}
	return all
}

// compare sets the changes since another entry.
func (r *CRDRevision) compare(h *historyBuilder, since, i int, name string) {
	old, new := h.crd(since, name), h.crd(i, name)
	switch {
	case old == nil && new == nil:
	case old == nil && !h.isSeen(since), new == nil && !h.isSeen(i):
		r.Changes = []CRDChange{{Message: "not known: a bundle has no manifests"}}
	case old == nil:
		r.Changes, r.TextChanged = []CRDChange{{Message: "new"}}, true
	case new == nil:
		r.Changes, r.TextChanged = []CRDChange{{Message: "no longer in the bundle"}}, true
	case old.Manifest.Object == new.Manifest.Object:
	case old.Outline != nil && new.Outline != nil:
		r.TextChanged = true
		r.Changes = VersionChanges(old.Outline, new.Outline)
		if h.schemas {
			r.Changes = append(r.Changes, h.schemaChanges(since, i, old, new)...)
		}
	}
}

// VersionChanges returns what changes of the versions of a CRD.
func VersionChanges(old, new *crd.Outline) []CRDChange {
	var all []CRDChange
	add := func(lost bool, format string, args ...any) {
		all = append(all, CRDChange{Message: fmt.Sprintf(format, args...), Lost: lost})
	}
	say := func(format string, args ...any) { add(false, format, args...) }
	for _, v := range new.Versions {
		at := old.VersionIndex(v.Name)
		if at < 0 {
			say("%s is new", v.Name)
			continue
		}
		was := &old.Versions[at]
		switch {
		case was.Served && !v.Served:
			add(true, "%s is no longer served", v.Name)
		case !was.Served && v.Served:
			say("%s is served again", v.Name)
		}
		if v.Deprecated && !was.Deprecated {
			say("%s is deprecated", v.Name)
		}
	}
	for _, v := range old.Versions {
		if new.VersionIndex(v.Name) < 0 {
			add(v.Served, "%s is removed", v.Name)
		}
	}
	if was, is := old.StorageVersion(), new.StorageVersion(); was != is {
		say("stored in %s, was %s", is, was)
	}
	return all
}

func (h *historyBuilder) schemaChanges(since, i int, old, new *CRD) []CRDChange {
	changes, err := h.pkg.Changes(h.bundle(since), h.bundle(i), old, new)
	if err != nil {
		return []CRDChange{{Message: "schemas not compared: " + err.Error()}}
	}
	var all []CRDChange
	for _, c := range changes {
		if c.Check == "scope" { // the API server rejects it: see CRDRevision.Fails
			continue
		}
		all = append(all, CRDChange{Message: strings.TrimPrefix(c.Version+": "+c.Message, ": "), Schema: true})
	}
	return all
}
