package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
)

// CRDHistory is what the bundles of a channel bring of one CRD.
type CRDHistory struct {
	Name, Kind, Scope string // as the newest bundle has it
	Stations          []CRDStation
}

// CRDStation is one entry of a channel, as far as a CRD goes.
type CRDStation struct {
	Bundle, Version string
	Pos             catalogs.Pos // of the CRD, or of the bundle that has none
	Brought         bool         // the bundle brings the CRD
	Fault           string       // why it could not be read
	Versions        []CRDVersion // in the order of the text
	// Stored are the versions that status.storedVersions can have on a cluster with the bundle, by name: all that were stored
	// on some way here.
	Stored []string
	// Since is the bundle with which this one is compared: the newest that is upgraded to it. Empty if there is none.
	Since string
	// Changes says what is new since then: of versions, and what OLM v1 refuses in the schemas.
	Changes []CRDChange
	// Altered reports that the CRD is another text than it was, even if no change is worth a word.
	Altered bool
	lost    []string
}

// Lost returns the versions that may be stored and that the bundle's CRD has not: with them it is refused.
func (s *CRDStation) Lost() []string { return s.lost }

// CRDVersion is one version of a CRD.
type CRDVersion struct {
	Name                        string
	Served, Storage, Deprecated bool
}

// CRDChange is one change of a CRD, in words: of a schema, which OLM v1 refuses, or of its versions.
type CRDChange struct {
	Message string
	Schema  bool
}

// CRDHistories returns what the bundles of a channel bring of each CRD, by name; the newest bundles come first. There is nothing
// where the catalog has no manifests.
func CRDHistories(cat *catalogs.Catalog, pkg *catalogs.Package, c *catalogs.Channel, config *Config) []CRDHistory {
	h := newHistorian(cat, pkg, c, config)
	h.schemas = true
	return h.histories()
}

// CRDOutlines is CRDHistories without what is new in the schemas, which is most of the work.
func CRDOutlines(cat *catalogs.Catalog, pkg *catalogs.Package, c *catalogs.Channel, config *Config) []CRDHistory {
	return newHistorian(cat, pkg, c, config).histories()
}

func (h *historian) histories() []CRDHistory {
	var all []CRDHistory
	for _, name := range h.names() {
		all = append(all, h.history(name))
	}
	return all
}

// historian works the histories of one channel out.
type historian struct {
	pass  *Pass
	graph *graph.Graph
	order []int         // the entries, newest first
	since map[int]int   // by entry, the newest one that is upgraded to it
	into  map[int][]int // by entry, all of them that are
	// schemas are compared.
	schemas bool
}

func newPass(cat *catalogs.Catalog, pkg *catalogs.Package, config *Config) *Pass {
	if config == nil {
		config = &Config{}
	}
	return &Pass{Catalog: cat, Package: pkg, Config: config, facts: &facts{}}
}

func newHistorian(cat *catalogs.Catalog, pkg *catalogs.Package, c *catalogs.Channel, config *Config) *historian {
	p := newPass(cat, pkg, config)
	h := &historian{pass: p, graph: p.Graph(c), since: map[int]int{}, into: map[int][]int{}}
	h.order = h.graph.ByVersion()
	place := map[int]int{}
	for at, i := range h.order {
		place[i] = at
	}
	for u := range h.graph.Upgrades() {
		h.into[u.To] = append(h.into[u.To], u.From)
	}
	for _, u := range h.graph.DirectUpgrades() {
		if best, ok := h.since[u.To]; place[u.From] > place[u.To] && (!ok || place[u.From] < place[best]) {
			h.since[u.To] = u.From
		}
	}
	return h
}

func (h *historian) bundle(i int) *catalogs.Bundle { return h.graph.Channel.Entries[i].Bundle }

// own returns the CRD of an entry's bundle, readable or not; nil if it brings none.
func (h *historian) own(i int, name string) *ownCRD {
	if b := h.bundle(i); b != nil {
		return h.pass.ownCRD(b, name)
	}
	return nil
}

func (h *historian) names() []string {
	var names []string
	for _, i := range h.order {
		if b := h.bundle(i); b != nil {
			for _, c := range h.pass.CRDs(b) {
				names = append(names, c.Manifest.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (h *historian) history(name string) CRDHistory {
	out := CRDHistory{Name: name}
	stored := h.stored(name)
	for _, i := range h.order {
		b := h.bundle(i)
		if b == nil {
			continue
		}
		s := CRDStation{Bundle: b.Name.Value, Version: b.Version.Value, Pos: b.Pos, Stored: stored[i]}
		if c := h.own(i, name); c != nil {
			s.Brought, s.Pos = true, c.Manifest.Pos
			s.describe(c)
			if c.Outline != nil && out.Kind == "" {
				out.Kind, out.Scope = c.Kind, c.Scope
			}
		}
		s.lost = h.lost(name, i, stored)
		if since, ok := h.since[i]; ok {
			s.Since = h.graph.Name(since)
			s.compare(h, since, i, name)
		}
		out.Stations = append(out.Stations, s)
	}
	return out
}

// lost returns the versions that a user who is upgraded to an entry may have stored, and that its CRD has not.
func (h *historian) lost(name string, to int, stored map[int][]string) []string {
	c := h.own(to, name)
	if c == nil || c.Outline == nil {
		return nil
	}
	var lost []string
	for _, from := range h.into[to] {
		for _, version := range stored[from] {
			if !c.has(version) && !slices.Contains(lost, version) {
				lost = append(lost, version)
			}
		}
	}
	slices.Sort(lost)
	return lost
}

func (s *CRDStation) describe(c *ownCRD) {
	if c.err != nil {
		s.Fault = c.err.Error()
		return
	}
	for _, v := range c.Versions {
		s.Versions = append(s.Versions, CRDVersion{v.Name, v.Served, v.Storage, v.Deprecated})
	}
}

// stored returns, for each entry, the versions that may be stored on a cluster which has it.
func (h *historian) stored(name string) map[int][]string {
	var versions []string
	for _, i := range h.order {
		if c := h.own(i, name); c != nil && c.Outline != nil {
			versions = append(versions, c.StorageVersion())
		}
	}
	slices.Sort(versions)
	stored := map[int][]string{}
	for _, version := range slices.Compact(versions) {
		s := &storage{pass: h.pass, crd: name, version: version}
		reached := h.graph.ReachedFrom(func(i int) bool { return s.stores(h.graph, i) },
			func(e graph.Edge) bool { return s.carries(h.graph, e) })
		for i, ok := range reached {
			if ok && version != "" {
				stored[i] = append(stored[i], version)
			}
		}
	}
	return stored
}

// compare says what is new since another entry.
func (s *CRDStation) compare(h *historian, since, i int, name string) {
	old, new := h.own(since, name), h.own(i, name)
	switch {
	case old == nil && new == nil:
	case old == nil:
		s.Changes, s.Altered = []CRDChange{{Message: "new"}}, true
	case new == nil:
		s.Changes, s.Altered = []CRDChange{{Message: "no longer brought"}}, true
	case old.Object == new.Object:
	case old.Outline != nil && new.Outline != nil:
		s.Altered = true
		s.Changes = versionChanges(old.Outline, new.Outline)
		if h.schemas {
			s.Changes = append(s.Changes, h.schemaChanges(since, i, old, new)...)
		}
	}
}

func versionChanges(old, new *crd.Outline) []CRDChange {
	var all []CRDChange
	say := func(format string, args ...any) { all = append(all, CRDChange{Message: fmt.Sprintf(format, args...)}) }
	for _, v := range new.Versions {
		at := versionOf(old, v.Name)
		if at < 0 {
			say("%s is new", v.Name)
			continue
		}
		was := &old.Versions[at]
		switch {
		case was.Served && !v.Served:
			say("%s is no longer served", v.Name)
		case !was.Served && v.Served:
			say("%s is served again", v.Name)
		}
		if v.Deprecated && !was.Deprecated {
			say("%s is deprecated", v.Name)
		}
	}
	for _, v := range old.Versions {
		if versionOf(new, v.Name) < 0 {
			say("%s is gone", v.Name)
		}
	}
	if was, is := old.StorageVersion(), new.StorageVersion(); was != is {
		say("stored in %s, was %s", is, was)
	}
	return all
}

// versionOf returns where a CRD has a version, or -1.
func versionOf(d *crd.Outline, name string) int {
	return slices.IndexFunc(d.Versions, func(v crd.Version) bool { return v.Name == name })
}

func (h *historian) schemaChanges(since, i int, old, new *ownCRD) []CRDChange {
	changes, err := h.pass.changesIn(h.bundle(since), h.bundle(i), old, new)
	if err != nil {
		return []CRDChange{{Message: "schemas not compared: " + err.Error()}}
	}
	var all []CRDChange
	for _, c := range changes {
		all = append(all, CRDChange{Message: strings.TrimPrefix(c.Version+": "+c.Message, ": "), Schema: true})
	}
	return all
}
