package bundle

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// checkDependencies checks metadata/dependencies.yaml (operator-registry: pkg/registry types.go).
func checkDependencies(c *contents.Contents) {
	folder := c.Folder
	if folder == nil {
		return
	}
	for _, p := range folder.Malformed {
		f := c.ReportAt(p.Pos, p.Fix, "has a %s that opm cannot read and silently ignores: %s", path.Base(p.Pos.File), p.Message).WithCause(path.Base(p.Pos.File))
		f.Severity, f.Gates = lint.Warning, lint.GateAdvice
	}
	for _, d := range folder.Dependencies {
		if fix, says := dependencyFault(d); says != "" {
			c.ReportAt(d.Pos, fix, "has a dependency %s", says).WithCause(d.Type, string(d.JSON))
		}
	}
}

// dependencyValue has the fields of all types of dependencies.
type dependencyValue struct {
	Group, Version, Kind string
	PackageName          string
	Label                string
	Cel                  *struct{ Rule string }
	All, Any, Not        json.RawMessage
	GVK, Package         json.RawMessage
}

// dependencyFault returns what is wrong with a dependency, and the fix; "" if nothing is.
func dependencyFault(d catalogs.Dependency) (fix, says string) {
	var v dependencyValue
	types := []string{"olm.gvk", "olm.package", "olm.label", "olm.constraint"}
	if !slices.Contains(types, d.Type) {
		return "use one of " + words.QuoteOr(types), fmt.Sprintf("of the type %q, which opm does not know", d.Type)
	}
	if len(d.JSON) == 0 || json.Unmarshal(d.JSON, &v) != nil {
		return "write the value as an object with fields that are strings", fmt.Sprintf("of the type %s that opm cannot read",
			d.Type)
	}
	switch {
	case d.Type == "olm.gvk" && (v.Group == "" || v.Version == "" || v.Kind == ""):
		return "set group, version and kind", "on an API without a group, a version or a kind"
	case d.Type == "olm.package":
		return packageFault(v.PackageName, v.Version)
	case d.Type == "olm.label" && v.Label == "":
		return "set label", "on a label without a name"
	case d.Type == "olm.constraint" && v.Cel != nil && v.Cel.Rule == "":
		return "set cel.rule", "on a constraint without a rule"
	}
	return "", ""
}

// packageFault is dependencyFault for olm.package.
func packageFault(name, span string) (fix, says string) {
	switch {
	case name == "":
		return "set packageName", "on a package without a name"
	case span == "":
		return "set version to a range, for example '>=1.0.0'", fmt.Sprintf("on the package %q without a range of versions", name)
	case graph.ReadRange(span) == nil:
		return "write a range, for example '>=1.0.0 <2.0.0'", fmt.Sprintf("on the package %q in the invalid range %q",
			name, span)
	}
	return "", ""
}

// checkProperties checks the annotations that contain properties. opm drops properties that it cannot parse; OLM v0 fails.
func checkProperties(c *contents.Contents) {
	const authored, written = "olm.properties", "operatorframework.io/properties"
	annotations := c.CSV.Metadata.Annotations
	if text, ok := annotations[authored]; ok {
		var list []struct {
			Type  string
			Value json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			c.Report(contents.AnnotationPath(authored), `write a JSON list, for example [{"type": "olm.maxOpenShiftVersion", "value": "4.18"}]`,
				"has an annotation %s that is not a JSON list of properties: opm silently drops all of them", authored)
		}
		if f := c.Folder; f != nil && f.AnnotationsPos.IsKnown() {
			f := c.Report(contents.AnnotationPath(authored), "move them to metadata/properties.yaml",
				"has its properties in the annotation %s and not in metadata/properties.yaml: the community pipeline warns of it", authored)
			f.Gates = lint.GateCommunity
		}
		for _, p := range list {
			if p.Type == "" || len(p.Value) == 0 {
				c.Report(contents.AnnotationPath(authored), "give each property a type and a value",
					"has in the annotation %s a property %q without a type or a value", authored, p.Type).WithCause(p.Type)
			}
		}
	}
	if text, ok := annotations[written]; ok {
		var object struct{ Properties []json.RawMessage }
		if json.Unmarshal([]byte(text), &object) != nil {
			f := c.Report(contents.AnnotationPath(written), "remove it: OLM v0 writes it itself",
				"has an annotation %s that is not a JSON object: OLM v0 resolves nothing in its namespace", written)
			f.Severity, f.Gates = lint.Error, lint.GateOLMv0
		}
	}
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
	driftOfRange(c)
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

// bundleEntries returns the entries of a bundle in all channels of its package.
func bundleEntries(pkg *catalogs.Package, b *catalogs.Bundle) []*catalogs.Entry {
	var all []*catalogs.Entry
	for _, ch := range pkg.Channels {
		for i := range ch.Entries {
			if ch.Entries[i].Bundle == b {
				all = append(all, &ch.Entries[i])
			}
		}
	}
	return all
}

// driftOfEdge reports a value of the ClusterServiceVersion that no entry has.
func driftOfEdge(c *contents.Contents, path, field, stated string, of func(*catalogs.Entry) string) *lint.Finding {
	entries := bundleEntries(c.Pass.Package, c.Bundle)
	agrees := func(e *catalogs.Entry) bool { return of(e) == stated }
	if stated == "" || len(entries) == 0 || slices.ContainsFunc(entries, agrees) {
		return nil
	}
	says := "no " + field
	if other := of(entries[0]); other != "" {
		says = fmt.Sprintf("%q", other)
	}
	return c.Report(path, "change the entry if this is intended, or remove it from the ClusterServiceVersion",
		"states %s %q in its ClusterServiceVersion, but its entry has %s, which takes effect", field, stated, says)
}

// driftOfRange reports the skipRange of a ClusterServiceVersion that no entry has. It is a warning for a new bundle, unless that of the head before was
// in no entry either, which is a habit.
func driftOfRange(c *contents.Contents) {
	const key = "olm.skipRange"
	f := driftOfEdge(c, contents.AnnotationPath(key), "skipRange", c.CSV.Metadata.Annotations[key], entryRange)
	if f == nil || c.Pass.BasePackage == nil || c.Pass.IsPublished(c.Name.Value) {
		return
	}
	drifted := func(b *catalogs.Bundle) bool {
		now := c.Pass.Package.Bundle(b.Name.Value)
		if now == nil || c.Pass.Judge().CSV(now) == nil {
			return true // not known
		}
		stated := c.Pass.Judge().CSV(now).Metadata.Annotations[key]
		return stated != "" && !slices.ContainsFunc(bundleEntries(c.Pass.BasePackage, b), func(e *catalogs.Entry) bool { return entryRange(e) == stated })
	}
	for _, ch := range c.Pass.Package.Channels {
		if i, in := c.Pass.Graph(ch).Index(c.Name.Value); in && !contents.HadBefore(c.Pass, ch.Name.Value, drifted) {
			f.Severity = lint.Warning
			f.Related = []lint.Related{{Pos: catalogs.KnownPos(ch.Entries[i].SkipRange.Pos, ch.Entries[i].Pos), Message: "its entry"}}
			return
		}
	}
}

func entryRange(e *catalogs.Entry) string { return e.SkipRange.Value }

func driftOfSkips(c *contents.Contents) {
	stated, entries := c.CSV.Spec.Skips, bundleEntries(c.Pass.Package, c.Bundle)
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
			"skips %s in its ClusterServiceVersion, but its entry does not, which takes effect", words.QuoteSome(lost))
	}
}

// checkMisfit reports manifests that are not those of the bundle.
func checkMisfit(c *contents.Contents) {
	if misfit := c.Misfit(); misfit != "" {
		c.ReportAt(c.Pos, "render the bundle again, or correct the one with the manifests",
			"was checked without manifests: the bundle of that name that has them %s", misfit)
	}
}
