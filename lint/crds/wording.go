package crds

import (
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// removed words a path that is gone.
func (c *comparison) removed(version, path string, was, is fields) Change {
	change := Change{
		Version: version, Path: path, Check: existingFieldRemoval, Was: plain(was[path].schema.Type),
		Message: subject(path) + " is gone", At: c.at(version, path, was, is),
	}
	if parent := is[was[path].parent.path]; parent != nil && parent.schema.AdditionalProperties != nil {
		others := parent.schema.AdditionalProperties
		change.Narrows = others.Schema != nil || !others.Allows
	}
	return change
}

const existingFieldRemoval = "existingFieldRemoval"

// handled are the fields on which crdify has checks of their own, but for those of which it says nothing in a configuration
// like OLM's. All other differences are unhandled.
var handled = []string{"type", "enum", "required", "default", "description",
	"maximum", "minimum", "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"}

// change words what a check found.
func (c *comparison) change(version string, f finding, was, is fields) Change {
	after := &v1.JSONSchemaProps{}
	if n := is[f.path]; n != nil {
		after = n.schema
	}
	change := Change{Version: version, Path: f.path, Check: f.check, At: c.at(version, f.path, was, is)}
	found := slices.DeleteFunc(differences(was[f.path].schema, after), func(d difference) bool {
		return d.field != f.check && (f.check != unhandled || slices.Contains(handled, d.field))
	})
	describe(&change, found)
	return change
}

// describe says in a change what differs.
func describe(change *Change, found []difference) {
	var words []string
	change.echo = len(found) > 0
	for _, d := range found {
		words = append(words, d.words)
		change.Narrows = change.Narrows || d.narrows
		change.echo = change.echo && d.nested
	}
	if len(found) == 0 {
		words = []string{"differs"}
	}
	if len(found) == 1 {
		change.Was, change.Is = found[0].was, found[0].is
	}
	change.Message = subject(change.Path) + " " + cut(strings.Join(words, ", "), maxMessage)
}

// subject names a path in a sentence.
func subject(path string) string {
	if path == "^" {
		return "the object"
	}
	return oneLine(strings.TrimPrefix(strings.TrimPrefix(path, "^"), "."), maxMessage)
}
