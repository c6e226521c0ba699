package lint

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// checkDrift compares a ClusterServiceVersion with what a file-based catalog says of it. In the other forms the catalog is made
// from it.
func checkDrift(c *bundleContents) {
	if c.pass.Catalog.Form != catalogs.FileBased {
		return
	}
	if !c.csv.Manifest.Partial {
		c.driftOfName()
		c.driftOfEdge("spec.replaces", "replaces", c.csv.Spec.Replaces,
			func(e *catalogs.Entry) string { return e.Replaces.Value })
		c.driftOfSkips()
	}
	c.driftOfEdge(annotationPath("olm.skipRange"), "skipRange", c.csv.Metadata.Annotations["olm.skipRange"],
		func(e *catalogs.Entry) string { return e.SkipRange.Value })
}

func (c *bundleContents) driftOfName() {
	if name := c.csv.Manifest.Object.Name; name != c.Name.Value {
		c.report("metadata.name", "give both the same name",
			"has a ClusterServiceVersion of another name, %q: OLM v0 searches for the installed bundle by the wrong name", name).Severity = Warning
	}
	if version := c.csv.Spec.Version; version != "" && c.Version.Value != "" && version != c.Version.Value && c.csv.Err == nil {
		c.report("spec.version", "give both the same version",
			"has version %s in the catalog, but %s in its ClusterServiceVersion: users see another version than a skipRange covers", c.Version.Value, version).
			Severity = Warning
	}
}

// entries are those of the bundle in the channels.
func (c *bundleContents) entries() []*catalogs.Entry {
	var all []*catalogs.Entry
	for _, ch := range c.pass.Package.Channels {
		for i := range ch.Entries {
			if ch.Entries[i].Bundle == c.Bundle {
				all = append(all, &ch.Entries[i])
			}
		}
	}
	return all
}

// driftOfEdge reports what none of the entries says.
func (c *bundleContents) driftOfEdge(path, field, stated string, of func(*catalogs.Entry) string) {
	entries := c.entries()
	agrees := func(e *catalogs.Entry) bool { return of(e) == stated }
	if stated == "" || len(entries) == 0 || slices.ContainsFunc(entries, agrees) {
		return
	}
	says := "no " + field
	if other := of(entries[0]); other != "" {
		says = fmt.Sprintf("%q", other)
	}
	c.report(path, "change the entry if this is intended, or remove it from the ClusterServiceVersion",
		"states %s %q in its ClusterServiceVersion, but its entry has %s, which takes effect", field, stated, says)
}

func (c *bundleContents) driftOfSkips() {
	stated, entries := c.csv.Spec.Skips, c.entries()
	if len(entries) == 0 {
		return
	}
	skipped := map[string]bool{}
	for _, e := range entries {
		for _, s := range e.Skips {
			skipped[s.Value] = true
		}
	}
	lost := slices.DeleteFunc(slices.Clone(stated), func(name string) bool { return skipped[name] })
	if len(lost) > 0 {
		c.report("spec.skips", "add it to the entry if it should be skipped, or remove it from the ClusterServiceVersion",
			"skips %s in its ClusterServiceVersion, but its entry does not, which takes effect", allOf(lost))
	}
}
