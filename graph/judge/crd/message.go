package crd

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// removal returns the change of a path that was removed.
func (c *comparison) removal(version, path string, was, is fields) Change {
	before := was[path].wholeSchema()
	change := Change{
		Version: version, Path: path, Check: existingFieldRemoval, Was: formatValue(was[path].schema.Type),
		Message: subject(path) + " was removed", At: c.locate(version, path, was, is),
	}
	c.setLoses(&change, before, is)
	if parent := is[before.parent.path]; parent != nil && parent.wholeSchema().schema.AdditionalProperties != nil {
		others := parent.wholeSchema().schema.AdditionalProperties
		change.Narrows = others.Schema == nil && !others.Allows
		if others.Schema != nil {
			found := c.differ.differencesBelow(additionalField, "", before.schema, others.Schema)
			change.Narrows = slices.ContainsFunc(found, difference.rejects)
		}
	}
	return change
}

// setLoses sets whether values at a removed schema are dropped, and says why if they are not.
func (c *comparison) setLoses(change *Change, before *node, is fields) {
	kept := c.whyKept(before, is)
	if kept == "" && isUnusedClaim(before) {
		change.Message = subject(change.Path) + " was removed, which Kubernetes reads in containers only"
		return
	}
	if change.Loses = kept == ""; change.Loses {
		return
	}
	described := "is no longer described"
	if newer := newerVersion(change.Version); newer != change.Version {
		described = "is not described in " + formatValue(newer)
	}
	change.Message = subject(change.Path) + " " + described + kept
}

// whyKept returns why a value at a removed schema is not dropped, as the end of a sentence; "" if it is. It is not if the nearest
// schema above that still exists accepts other fields or keeps unknown ones (apiextensions-apiserver: pruning).
func (c *comparison) whyKept(before *node, is fields) string {
	above := before.parent.wholeSchema()
	for is[above.path] == nil {
		before, above = above, above.parent.wholeSchema()
	}
	s, name := is[above.path].wholeSchema().schema, subject(above.path)
	others := s.AdditionalProperties
	switch {
	case everyObjectHas(before.path):
		return ", but kept: every object has it"
	case c.new.PreserveUnknownFields || isTrue(s.XPreserveUnknownFields):
		return fmt.Sprintf(", but kept: %s keeps unknown fields", name)
	case others == nil || !strings.HasPrefix(before.step, ".properties"):
		return ""
	case others.Schema != nil:
		return fmt.Sprintf(" by its name: the schema of all other fields of %s applies", name)
	case others.Allows && before.schema.Type != "object" && before.schema.Type != "array": // whose contents are dropped
		return fmt.Sprintf(", but kept: %s accepts any other fields", name)
	}
	return ""
}

// everyObjectHas reports whether a path is that of fields which the API server reads and keeps whatever the schema says (apiextensions-apiserver:
// pruning, objectmeta).
func everyObjectHas(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "^."), ".")
	return path != "^" && ofEveryObject["^."+first] != ""
}

// ofEveryObject are the types of what every object has.
var ofEveryObject = map[string]string{"^": "object", "^.apiVersion": "string", "^.kind": "string", "^.metadata": "object"}

// isUnusedClaim reports whether a schema is that of the claims of resources outside of a container, which Kubernetes 1.29 removed from volume claims
// (core/v1 ResourceRequirements, VolumeResourceRequirements).
func isUnusedClaim(n *node) bool {
	if n.step != ".properties[claims]" || n.parent.parent == nil {
		return false
	}
	of, holder := n.parent.wholeSchema().schema.Properties, n.parent.parent.wholeSchema().schema.Properties
	return hasProperties(of, "limits", "requests") && !hasProperties(holder, "image")
}

func hasProperties(all map[string]v1.JSONSchemaProps, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, ok := all[name]; return !ok })
}

const existingFieldRemoval = "existingFieldRemoval"

// handled are the fields for which crdify has checks, except those that OLM's configuration of it ignores. All other differences
// are unhandled.
var handled = []string{"type", "enum", "required", "default", "description",
	"maximum", "minimum", "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"}

// change returns the change for a finding.
func (c *comparison) change(version string, f finding, was, is fields) Change {
	change := Change{Version: version, Path: f.path, Check: f.check, At: c.locate(version, f.path, was, is)}
	before, after := was[f.path], is[f.path]
	if after == nil {
		change.removed = true
		describe(&change, ofCheck(f.check, c.differ.differences(before.schema, &v1.JSONSchemaProps{})))
		change.Message, change.Field, change.Narrows, change.onlyBelow = removedMessage(&change), "", false, false
		c.setLoses(&change, before.wholeSchema(), is)
		return change
	}
	found := ofCheck(f.check, c.differ.differences(before.schema, after.schema))
	if before, after := before.wholeSchema(), after.wholeSchema(); before != was[f.path] || after != is[f.path] {
		// crdify compares one part only: that something differs is right, but not always what.
		found = withoutDescriptions(withoutIntOrString(c.differ.differences(before.schema, after.schema)))
	}
	describe(&change, found)
	c.setPlace(&change, after, found)
	return change
}

// setPlace sets the place of a change to the first differing field of the new schema, if that exists.
func (c *comparison) setPlace(change *Change, after *node, found []difference) {
	if len(found) > 0 && (found[0].is != "" || found[0].path != "") {
		change.At = c.schemaPath(newerVersion(change.Version)) + after.wholeSchema().kubernetesPath() + "." + found[0].field
	}
}

// ofCheck returns the differences that a check is about.
func ofCheck(check string, all []difference) []difference {
	return slices.DeleteFunc(all, func(d difference) bool {
		return d.field != check && (check != unhandled || slices.Contains(handled, d.field))
	})
}

// withoutDescriptions leaves out descriptions, which are ignored, unless nothing else differs.
func withoutDescriptions(all []difference) []difference {
	if others := slices.DeleteFunc(slices.Clone(all), func(d difference) bool { return d.field == "description" }); len(others) > 0 {
		return others
	}
	return all
}

// newerVersion returns the version in which a change is seen: the second of two.
func newerVersion(version string) string {
	if _, newer, two := strings.Cut(version, " -> "); two {
		return newer
	}
	return version
}

// removedMessage returns the message for a finding that is due to a removed path.
func removedMessage(change *Change) string {
	what := "was removed"
	if newer := newerVersion(change.Version); newer != change.Version {
		what = "is not in " + formatValue(newer)
	}
	if change.Check == unhandled || change.Check == "required" || change.Was == "" {
		return fmt.Sprintf("%s %s", subject(change.Path), what)
	}
	return fmt.Sprintf("%s %s, with its %s %s", subject(change.Path), what, change.Check, change.Was)
}

// describe sets the message and the values of a change from its differences.
func describe(change *Change, found []difference) {
	const most = 4
	change.setEffects(found)
	shown := found[:min(len(found), most)]
	var was, is []string
	for _, d := range shown {
		was, is = append(was, d.was), append(is, d.is)
	}
	change.Was, change.Is = joinValues(was), joinValues(is)
	change.Message = sentence(change.Path, shown)
	switch more := len(found) - len(shown); {
	case len(found) >= maxDifferences:
		change.Message += " and many more differences"
	case more > 0:
		change.Message += fmt.Sprintf(" and %d more differences", more)
	}
}

// setEffects sets what the differences do to objects, and the field of the one that matters most.
func (c *Change) setEffects(found []difference) {
	c.onlyBelow, c.Ample = len(found) > 0, true
	for i, d := range found {
		if d.field == "type" && d.is != "" && d.is == ofEveryObject[c.Path] {
			d.narrows = false
		}
		if breaks := d.narrows || d.loses; i == 0 || breaks && !c.Narrows && !c.Loses {
			c.Field = d.field
		}
		c.Narrows, c.Ample = c.Narrows || d.rejects(), c.Ample && (d.unlikely || !d.rejects())
		if d.field == "required" && d.narrows {
			c.Required += len(d.properties)
		}
		c.Loses = c.Loses || d.loses
		c.onlyBelow = c.onlyBelow && d.path != ""
	}
	c.Ample = c.Ample && c.Narrows
}

// joinValues joins the values of several differences.
func joinValues(values []string) string {
	return strings.Join(slices.DeleteFunc(values, func(s string) bool { return s == "" }), "; ")
}

// sentence returns differences at a path as a sentence that names each subject once.
func sentence(path string, found []difference) string {
	if len(found) == 0 {
		return subject(path) + " differs"
	}
	var said strings.Builder
	last := ""
	for i, d := range found {
		subject, words := d.subject(path), d.text
		if len(d.properties) > 1 {
			words = strings.Replace(words, "is ", "are ", 1)
		}
		switch {
		case i > 0 && subject == last:
			said.WriteString(", " + words)
			continue
		case i > 0:
			said.WriteString("; ")
		}
		said.WriteString(subject + " " + words)
		last = subject
	}
	return said.String()
}

// subject returns the name of what a difference describes.
func (d difference) subject(path string) string {
	if len(d.properties) == 0 {
		return subject(path + d.path)
	}
	var names []string
	for _, name := range d.properties {
		names = append(names, subject(path+d.path+"."+name))
	}
	return words.JoinSome(names, 6)
}

// subject returns the name of a path in a sentence.
func subject(path string) string {
	if path == "^" {
		return "the object"
	}
	return oneLine(strings.TrimPrefix(strings.TrimPrefix(path, "^"), "."), maxMessage)
}
