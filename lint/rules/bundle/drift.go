package bundle

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var drift = lint.Rule{
	ID: "bundle/drift", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `the catalog and the ClusterServiceVersion differ
In a file-based catalog only the channel entry states what a bundle replaces and skips; the values in its ClusterServiceVersion
have no effect, and mislead people who read or edit them there. A different name or version is a warning: OLM v0 installs one and
searches for the other.
Give both the same values in the next bundle, or remove replaces, skips and olm.skipRange from the ClusterServiceVersion.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel; OLM resolver",
	Check:     contents.InHeads(contents.WithCSV(checkDrift)),
}

// checkDrift compares a ClusterServiceVersion with the olm.bundle and the channel entries of a file-based catalog. Other forms
// are converted from the ClusterServiceVersion.
func checkDrift(c *contents.Contents) {
	if c.Pass.Catalog.Form != catalogs.FileBased {
		return
	}
	if !c.CSV.Manifest.Partial {
		driftOfName(c)
		driftOfEdge(c, "spec.replaces", "replaces", c.CSV.Spec.Replaces,
			func(e *catalogs.Entry) string { return e.Replaces.Value })
		driftOfSkips(c)
	}
	driftOfEdge(c, contents.AnnotationPath("olm.skipRange"), "skipRange", c.CSV.Metadata.Annotations["olm.skipRange"],
		func(e *catalogs.Entry) string { return e.SkipRange.Value })
}

func driftOfName(c *contents.Contents) {
	if name := c.CSV.Manifest.Object.Name; name != c.Name.Value {
		c.Report("metadata.name", "give both the same name",
			"has a ClusterServiceVersion of another name, %q: OLM v0 searches for the installed bundle by the wrong name", name).Severity = lint.Warning
	}
	if version := c.CSV.Spec.Version; version != "" && c.Version.Value != "" && version != c.Version.Value && c.CSV.Err == nil {
		c.Report("spec.version", "give both the same version",
			"has version %s in the catalog, but %s in its ClusterServiceVersion: users see another version than a skipRange covers", c.Version.Value, version).
			Severity = lint.Warning
	}
}

// entriesOf returns the entries of the bundle in all channels.
func entriesOf(c *contents.Contents) []*catalogs.Entry {
	var all []*catalogs.Entry
	for _, ch := range c.Pass.Package.Channels {
		for i := range ch.Entries {
			if ch.Entries[i].Bundle == c.Bundle {
				all = append(all, &ch.Entries[i])
			}
		}
	}
	return all
}

// driftOfEdge reports a value of the ClusterServiceVersion that no entry has.
func driftOfEdge(c *contents.Contents, path, field, stated string, of func(*catalogs.Entry) string) {
	entries := entriesOf(c)
	agrees := func(e *catalogs.Entry) bool { return of(e) == stated }
	if stated == "" || len(entries) == 0 || slices.ContainsFunc(entries, agrees) {
		return
	}
	says := "no " + field
	if other := of(entries[0]); other != "" {
		says = fmt.Sprintf("%q", other)
	}
	c.Report(path, "change the entry if this is intended, or remove it from the ClusterServiceVersion",
		"states %s %q in its ClusterServiceVersion, but its entry has %s, which takes effect", field, stated, says)
}

func driftOfSkips(c *contents.Contents) {
	stated, entries := c.CSV.Spec.Skips, entriesOf(c)
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
		c.Report("spec.skips", "add it to the entry if it should be skipped, or remove it from the ClusterServiceVersion",
			"skips %s in its ClusterServiceVersion, but its entry does not, which takes effect", words.AllOf(lost))
	}
}
