package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

const bundleAnnotation = "operators.operatorframework.io.bundle."

// checkMetadata looks at metadata/annotations.yaml (operator-registry: pkg/lib/bundle validateAnnotations). That a package or
// channel is missing is manifest/annotations.
func checkMetadata(c *bundleContents) {
	folder := c.Folder()
	if folder == nil || !folder.AnnotationsPos.Known() {
		return
	}
	for _, a := range []struct{ name, want string }{{"mediatype.v1", "registry+v1"}, {"manifests.v1", "manifests/"},
		{"metadata.v1", "metadata/"}} {
		key := bundleAnnotation + a.name
		value, ok := folder.Annotation(key)
		switch {
		case !ok:
			c.reportAt(folder.AnnotationsPos, fmt.Sprintf("add %s: %s", key, a.want),
				"lacks the annotation %s: opm alpha bundle validate refuses it", key).withCauses(key)
		case a.name == "mediatype.v1" && value.Value != a.want:
			c.reportAt(value.Pos, "write "+a.want,
				"has the media type %q, but a ClusterServiceVersion: opm alpha bundle validate refuses it", value.Value).withCauses(key)
		}
	}
	checkChannelNames(c, folder)
}

// checkChannelNames looks at the annotations with the names of channels.
func checkChannelNames(c *bundleContents, folder *catalogs.Folder) {
	channels, _ := folder.Annotation(bundleAnnotation + "channels.v1")
	listed := strings.Split(channels.Value, ",")
	for _, name := range listed {
		if channels.Value != "" && strings.TrimSpace(name) != name || channels.Value != "" && name == "" {
			c.reportAt(channels.Pos, "separate the names by commas only",
				"has the channel %q in its annotation, with spaces or without a name: users cannot name it", name).withCauses("channels", name).Severity = Warning
		}
	}
	value, ok := folder.Annotation(bundleAnnotation + "channel.default.v1")
	switch {
	case ok && value.Value == "":
		c.reportAt(value.Pos, "name a channel, or remove the annotation",
			"has an empty default channel: opm alpha bundle validate refuses it").withCauses("defaultChannel", "")
	case ok && !slices.Contains(listed, value.Value) && c.isEmptyChannel(value.Value):
		c.reportAt(value.Pos, "name one of its channels", "has the default channel %q, which no bundle names", value.Value).withCauses("defaultChannel", value.Value)
	}
}

// isEmptyChannel reports whether the package has channels, but none of that name.
func (c *bundleContents) isEmptyChannel(channel string) bool {
	return len(c.pass.Package.Channels) > 0 && c.pass.Package.Channel(channel) == nil
}

// checkDependencies looks at metadata/dependencies.yaml (operator-registry: pkg/registry types.go).
func checkDependencies(c *bundleContents) {
	folder := c.Folder()
	if folder == nil {
		return
	}
	for _, d := range folder.Dependencies {
		if fix, says := dependencyFault(d); says != "" {
			c.reportAt(d.Pos, fix, "has a dependency %s", says).withCauses(d.Type, string(d.JSON))
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

func dependencyFault(d catalogs.Dependency) (fix, says string) {
	var v dependencyValue
	types := []string{"olm.gvk", "olm.package", "olm.label", "olm.constraint"}
	if !slices.Contains(types, d.Type) {
		return "use one of " + oneOf(types), fmt.Sprintf("of the type %q, which opm does not know", d.Type)
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

func packageFault(name, span string) (fix, says string) {
	switch {
	case name == "":
		return "set packageName", "on a package without a name"
	case span == "":
		return "set version to a range, for example '>=1.0.0'", fmt.Sprintf("on the package %q without a range of versions", name)
	case readRange(span).err != nil:
		return "write a range, for example '>=1.0.0 <2.0.0'", fmt.Sprintf("on the package %q in the invalid range %q",
			name, span)
	}
	return "", ""
}

// checkProperties looks at the annotations that hold properties: opm drops those that it cannot read, OLM v0 stops at them.
func checkProperties(c *bundleContents) {
	const authored, written = "olm.properties", "operatorframework.io/properties"
	annotations := c.csv.Metadata.Annotations
	if text, ok := annotations[authored]; ok {
		var list []struct {
			Type  string
			Value json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			c.report(annotationPath(authored), `write a JSON list, for example [{"type": "olm.maxOpenShiftVersion", "value": "4.18"}]`,
				"has an annotation %s that is not a JSON list of properties: opm silently drops all of them", authored)
		}
		for _, p := range list {
			if p.Type == "" || len(p.Value) == 0 {
				c.report(annotationPath(authored), "give each property a type and a value",
					"has in the annotation %s a property %q without a type or a value", authored, p.Type).withCauses(p.Type)
			}
		}
	}
	if text, ok := annotations[written]; ok {
		var object struct{ Properties []json.RawMessage }
		if json.Unmarshal([]byte(text), &object) != nil {
			f := c.report(annotationPath(written), "remove it: OLM v0 writes it itself",
				"has an annotation %s that is not a JSON object: OLM v0 resolves nothing in its namespace", written)
			f.Severity, f.Gates = Error, GateOLMv0
		}
	}
}

func checkFolderName(c *bundleContents) {
	folder := c.Folder()
	if folder == nil || c.pass.Catalog.Form != catalogs.Repository {
		return
	}
	if version := c.csv.Spec.Version; version != "" && folder.Name != version {
		c.reportAt(folder.Pos, "rename the folder to "+version,
			"has the version %s, but is in the folder %q: the repository's pipeline refuses it", version, folder.Name).withCauses(version, folder.Name)
	}
}

// namePrefix is what the name of a bundle has before its version.
func namePrefix(name string) string {
	prefix, _, _ := strings.Cut(name, ".")
	return prefix
}

// checkPrefix reports the newest bundle if all the others are called something else. Where these are at odds, nobody says what
// is right.
func checkPrefix(p *Pass) {
	bundles := newestFirst(p.Package)
	if len(bundles) < 2 {
		return
	}
	now, before := bundles[0].Name.Value, bundles[1].Name.Value
	want := namePrefix(before)
	other := func(b *catalogs.Bundle) bool { return namePrefix(b.Name.Value) != want }
	if namePrefix(now) == want || slices.ContainsFunc(bundles[1:], other) {
		return
	}
	p.Report(Finding{
		Subject: Subject{Bundle: now}, Pos: bundles[0].Pos,
		Message: fmt.Sprintf("%q begins with %q, but the older bundles, as %q, with %q: the pipelines refuse a new bundle of another name", now, namePrefix(now), before, want),
		Fix:     fmt.Sprintf("name it %s.v… as the others", want),
		Related: []Related{{Pos: bundles[1].Pos, Message: fmt.Sprintf("%q", before)}},
	})
}
