package crds

import (
	"slices"
	"strings"
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
			if after := is[path].whole(); was[path] == nil && wasOpen(was[after.parent.path], after.step) {
				c.changes = append(c.changes, Change{
					Version: name, Path: path, Check: "unseen", At: c.schemaPath(name) + after.way(), Narrows: true,
					Message: subject(path) + " has to fit a schema now, and could be anything",
				})
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
	found := c.words.differences(before.whole().schema, after.whole().schema)
	found = slices.DeleteFunc(saidOnce(found), func(d difference) bool { return !d.narrows })
	if len(found) > 0 {
		change := Change{Version: version, Path: before.path, Check: "unseen", At: c.at(version, before.path, was, is)}
		describe(&change, found)
		c.place(&change, after, found)
		c.changes = append(c.changes, change)
	}
}

// wasOpen says whether objects can have had something at a step below a schema though nothing was said of it there. A field
// that is not known is dropped before it is stored, unless unknown ones are kept.
func wasOpen(n *node, step string) bool {
	if n == nil {
		return false
	}
	s := n.whole().schema
	if strings.HasPrefix(step, ".properties") {
		return s.Type == "" || set(s.XPreserveUnknownFields) || s.AdditionalProperties != nil && (s.AdditionalProperties.Schema != nil || s.AdditionalProperties.Allows)
	}
	return s.Type != "object" || step == ".additionalProperties" && set(s.XPreserveUnknownFields)
}
