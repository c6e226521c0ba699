package crd

import (
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Unseen are differences by which objects that were valid can be invalid now, and that crdify does not see. Where a schema has
// allOf, anyOf, oneOf or not, it takes the last part of them for the whole. And what is new is compared with nothing, though
// objects can have had anything there. So OLM v1 lets them pass, and OLM v0 refuses them if such an object exists. Their Check
// is "unseen".
func Unseen(old, new *Definition) (changes []Change, err error) {
	defer recovered("comparing the CustomResourceDefinitions", &err)
	c, err := newComparison(old, new)
	if err != nil {
		return nil, err
	}
	c.eachVersion(func(name string, was, is fields) {
		for _, path := range sortedPaths(was) {
			if before, after := was[path], is[path]; after != nil && (before.whole() != before || after.whole() != after) {
				c.unseen(name, before, after, was, is)
			}
		}
		for _, path := range sortedPaths(is) {
			if was[path] == nil {
				c.unseenAddition(name, is[path].whole(), was)
			}
		}
	})
	return c.changes, nil
}

// unseen notes how the whole of two schemas differs, if crdify has nothing to say at their path and it narrows.
func (c *comparison) unseen(version string, before, after *node, was, is fields) {
	if len(c.compareAt(before.path, *before.schema, *after.schema)) > 0 {
		return
	}
	found := c.differ.differences(before.whole().schema, after.whole().schema)
	found = slices.DeleteFunc(withoutIntOrString(found), func(d difference) bool { return !d.narrows })
	if len(found) > 0 {
		change := Change{Version: version, Path: before.path, Check: "unseen", At: c.at(version, before.path, was, is)}
		describe(&change, found)
		c.setPlace(&change, after, found)
		c.changes = append(c.changes, change)
	}
}

// unseenAddition notes a schema where there was none, if something could have been there that does not fit it.
func (c *comparison) unseenAddition(version string, after *node, was fields) {
	parent := was[after.parent.path]
	if parent == nil {
		return
	}
	if found := c.differ.narrowedByAddition(parent.whole().schema, after.step, after.schema); len(found) > 0 {
		change := Change{Version: version, Path: after.path, Check: "unseen", At: c.schemaPath(version) + after.kubernetesPath()}
		describe(&change, found)
		c.changes = append(c.changes, change)
	}
}

// narrowedByAddition lists why a value at a step below a schema that says nothing of it itself need not fit the schema that is there now. A
// field that is not known is dropped before it is stored, unless other ones are taken or unknown ones are kept.
func (f *differ) narrowedByAddition(s *v1.JSONSchemaProps, step string, is *v1.JSONSchemaProps) []difference {
	anything := []difference{{text: "has a schema now, and could have any value", narrows: true}}
	others := s.AdditionalProperties
	switch property := strings.HasPrefix(step, ".properties"); {
	case property && others != nil && others.Schema != nil:
		found := f.differencesBelow(additionalField, "", others.Schema, is)
		return slices.DeleteFunc(found, func(d difference) bool { return !d.narrows })
	case s.Type == "",
		property && (isTrue(s.XPreserveUnknownFields) || others != nil && others.Allows),
		strings.HasPrefix(step, ".items") && s.Type == "array",
		step == "."+additionalField && s.Type == "object" && isTrue(s.XPreserveUnknownFields):
		return anything
	}
	return nil
}
