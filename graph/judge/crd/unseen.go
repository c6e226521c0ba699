package crd

import (
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Unseen returns the differences that can make valid objects invalid and that crdify does not detect: of allOf, anyOf, oneOf and
// not it compares the last part only, and it compares added schemas with nothing, though objects can have had any value there. OLM
// v1 accepts these changes, and OLM v0 rejects them if an object becomes invalid. Their Check is "unseen".
func Unseen(old, new *Definition) (changes []Change, err error) {
	defer recoverTo("comparing the CustomResourceDefinitions", &err)
	c, err := newComparison(old, new)
	if err != nil {
		return nil, err
	}
	c.eachVersion(func(name string, was, is fields) {
		for _, path := range sortedNames(was) {
			if before, after := was[path], is[path]; after != nil && (before.wholeSchema() != before || after.wholeSchema() != after) {
				c.unseen(name, before, after, was, is)
			}
		}
		for _, path := range sortedNames(is) {
			if was[path] == nil {
				c.unseenAddition(name, is[path].wholeSchema(), was)
			}
		}
	})
	return c.changes, nil
}

// unseen adds how two schemas differ as a whole, if crdify finds nothing at their path and the difference narrows.
func (c *comparison) unseen(version string, before, after *node, was, is fields) {
	if len(c.compareSchemas(before.path, *before.schema, *after.schema)) > 0 {
		return
	}
	found := c.differ.differences(before.wholeSchema().schema, after.wholeSchema().schema)
	found = slices.DeleteFunc(withoutIntOrString(found), func(d difference) bool { return !d.rejects() })
	if len(found) > 0 {
		change := Change{Version: version, Path: before.path, Check: "unseen", At: c.locate(version, before.path, was, is)}
		describe(&change, found)
		c.setPlace(&change, after, found)
		c.changes = append(c.changes, change)
	}
}

// unseenAddition adds a schema that did not exist before, if objects can have had a value there that does not match it.
func (c *comparison) unseenAddition(version string, after *node, was fields) {
	parent := was[after.parent.path]
	if parent == nil || everyObjectHas(after.path) {
		return
	}
	if found := c.differ.narrowedByAddition(parent.wholeSchema().schema, after.step, after.schema); len(found) > 0 {
		change := Change{Version: version, Path: after.path, Check: "unseen", At: c.schemaPath(version) + after.kubernetesPath()}
		describe(&change, found)
		c.changes = append(c.changes, change)
	}
}

// narrowedByAddition returns why a value at a step below a schema that did not describe it may not match the schema that now does.
// Unknown fields are dropped before an object is stored, unless the schema accepts other fields or keeps unknown ones.
func (f *differ) narrowedByAddition(s *v1.JSONSchemaProps, step string, is *v1.JSONSchemaProps) []difference {
	anything := []difference{{text: "has a schema now, and could have any value", narrows: true}}
	others := s.AdditionalProperties
	switch property := strings.HasPrefix(step, ".properties"); {
	case property && others != nil && others.Schema != nil:
		found := f.differencesBelow(additionalField, "", others.Schema, is)
		return slices.DeleteFunc(found, func(d difference) bool { return !d.rejects() })
	case s.Type == "",
		property && (isTrue(s.XPreserveUnknownFields) || others != nil && others.Allows),
		strings.HasPrefix(step, ".items") && s.Type == "array",
		step == "."+additionalField && s.Type == "object" && isTrue(s.XPreserveUnknownFields):
		return anything
	}
	return nil
}
