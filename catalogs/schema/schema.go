// Package schema knows which fields objects of catalogs and bundles have: it finds keys, schemas and types of properties that are probably misspelt and
// corrects them, since opm ignores what it does not know without a word, and holds ClusterServiceVersions against their CRD. It knows no version of that
// but the one of schema.txt.
package schema

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed schema.txt
var schemaText string

// root returns the type of a ClusterServiceVersion.
var root = sync.OnceValue(func() *valueType {
	objects := map[string]*objectType{}
	for line := range strings.Lines(schemaText) {
		if name, fields, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			objects[name] = &objectType{fields: map[string]*fieldType{}}
			objects[name].parse(fields, objects)
		}
	}
	return &valueType{kind: 'o', object: objects["ClusterServiceVersion"]}
})

// csvSpecKeys returns the keys of the spec of a ClusterServiceVersion.
func csvSpecKeys() []string {
	return slices.Collect(maps.Keys(root().object.fields["spec"].valueType.object.fields))
}

// objectType has the fields of a kind of objects, by their keys.
type objectType struct {
	fields   map[string]*fieldType
	required []string // keys of those with a mark
}

type fieldType struct {
	*valueType
	// mark is '!' or '~' if the field is required: see schema.txt.
	mark byte
}

// valueType is the type of a value. kind is that of schema.txt, 's' of a string and 'o' of an object.
type valueType struct {
	kind   byte
	object *objectType
	values []string   // of a string, nil for any
	items  *valueType // of a list or a map
	keys   []string   // by which the items of a list are unique, each with a colon and its default if it has one
}

// parse adds the fields of a line of schema.txt; objects are those of the lines before it.
func (o *objectType) parse(line string, objects map[string]*objectType) {
	for one := range strings.FieldsSeq(line) {
		f := &fieldType{}
		if one[0] == '!' || one[0] == '~' {
			f.mark, one = one[0], one[1:]
		}
		key, kind, typed := strings.Cut(one, "=")
		switch {
		case !typed:
			kind = "s"
		case kind == "":
			kind = key
		}
		f.valueType = parseType(kind, objects)
		if o.fields[key] = f; f.mark != 0 {
			o.required = append(o.required, key)
		}
	}
}

func parseType(text string, objects map[string]*objectType) *valueType {
	if of, isMap := strings.CutPrefix(text, "{}"); isMap {
		return &valueType{kind: '{', items: parseType(of, objects)}
	}
	if text[0] == '[' {
		t := &valueType{kind: '['}
		of := text[1:]
		if keys, rest, unique := strings.Cut(of, "]"); unique {
			t.keys, of = strings.Split(keys, "+"), rest
		}
		t.items = parseType(of, objects)
		return t
	}
	if len(text) == 1 {
		return &valueType{kind: text[0]}
	}
	if o := objects[text]; o != nil {
		return &valueType{kind: 'o', object: o}
	}
	return &valueType{kind: 's', values: strings.Split(text, "|")}
}
