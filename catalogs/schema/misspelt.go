package schema

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Kind is what is misspelt.
type Kind int

const (
	MisspeltKey Kind = iota
	MisspeltSchema
	MisspeltPropertyType
	MisspeltNesting    // a key beside an empty value to which it belongs
	MisspeltKind       // the kind of a manifest
	MisspeltAnnotation // a key of the annotations of a bundle
)

// Correction is a misspelt word and the one that was meant.
type Correction struct {
	Kind       Kind
	Place      tree.Place
	Was, Meant string // Meant is "" for a schema that is like none
	Object     string // "a channel entry"
}

// keys are the keys of an object, with those of the objects in them; lists are left out.
type keys struct {
	name   string
	fields map[string]*keys
}

// newKeys returns keys separated by blanks.
func newKeys(name, words string) *keys {
	k := &keys{name: name, fields: map[string]*keys{}}
	for word := range strings.FieldsSeq(words) {
		k.fields[word] = nil
	}
	return k
}

func (k *keys) with(key string, inner *keys) *keys {
	k.fields[key] = inner
	return k
}

// shapeKeys returns the keys of a shape.
func shapeKeys(s *tree.Shape) *keys {
	k := newKeys(s.Name, "")
	for _, f := range s.Fields {
		inner := f.Shape
		if inner.Kind == tree.ListShape {
			inner = inner.Elem
		}
		k.fields[f.Key] = nil
		if inner.Kind == tree.StructShape {
			k.fields[f.Key] = shapeKeys(inner)
		}
	}
	return k
}

// The keys that opm reads, of an object with those that each one has (opm: alpha/declcfg Meta).
var (
	packageValue = shapeKeys(PropertyShapes["olm.package"])
	objectKeys   = sync.OnceValue(func() map[string]*keys {
		all := map[string]*keys{}
		for _, o := range Objects {
			k := shapeKeys(o.Shape)
			for _, key := range []string{"schema", "name", "package"} {
				k.fields[key] = nil
			}
			k.name = "an " + o.Name + " object"
			all[o.Name] = k
		}
		return all
	})
	typeNames = append(slices.Sorted(maps.Keys(PropertyShapes)), otherProperties...)
)

// CorrectObject corrects an object of a file-based catalog, and returns what it corrected in the order of the text. isForeign reports whether
// a schema is known to be none of OLM's.
func CorrectObject(root *tree.Node, isForeign func(schema string) bool) []Correction {
	var c corrector
	if foldedField(root, "schema") == nil {
		c.schemaKey(root)
	}
	if f := foldedField(root, "schema"); f != nil && f.Value.Kind == tree.String && !isForeign(f.Value.Text) {
		c.schema(root, &f.Value)
		if known := objectKeys()[f.Value.Text]; known != nil {
			c.object(root, known)
		}
	}
	return c.found
}

// CorrectPackageValue corrects the value of an olm.package property.
func CorrectPackageValue(value *tree.Node) []Correction {
	var c corrector
	c.object(value, packageValue)
	return c.found
}

// corrector collects corrections.
type corrector struct{ found []Correction }

// schemaKey corrects the key of a schema of OLM's.
func (c *corrector) schemaKey(root *tree.Node) {
	for i := range root.Fields {
		f := &root.Fields[i]
		if !strings.HasPrefix(f.Value.Text, "olm.") {
			continue
		}
		if _, ok := words.NearestWord(f.Key, []string{"schema"}); ok {
			c.found = append(c.found, Correction{Kind: MisspeltKey, Place: f.Place, Was: f.Key, Meant: "schema", Object: "an object"})
			f.Key = "schema"
			return
		}
	}
}

// schema corrects a schema. One that begins with olm. and is like none of OLM's is reported as it is.
func (c *corrector) schema(root, value *tree.Node) {
	was := value.Text
	if Lookup(was) != nil {
		return
	}
	var names []string
	for _, o := range Objects {
		names = append(names, o.Name)
	}
	meant, ok := words.NearestWord(was, names)
	if !ok && !strings.Contains(was, ".") {
		meant, ok = words.NearestWord("olm."+was, names)
		ok = ok && hasAnyKey(root, Lookup(meant).own)
	}
	switch {
	case ok:
		value.Text = meant
	case !strings.HasPrefix(was, "olm."):
		return
	}
	c.found = append(c.found, Correction{Kind: MisspeltSchema, Place: value.Place, Was: was, Meant: meant, Object: "an object"})
}

func hasAnyKey(n *tree.Node, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return foldedField(n, key) != nil })
}

// object corrects the keys of an object and of the objects in it.
func (c *corrector) object(n *tree.Node, known *keys) {
	if n.Kind == tree.List {
		for i := range n.Items {
			c.object(&n.Items[i], known)
		}
		return
	}
	if n.Kind != tree.Map {
		return
	}
	if slices.ContainsFunc(n.Fields, func(f tree.Field) bool { return !knowsKey(known, f.Key) }) {
		c.rename(n, known)
	}
	if known.name == property.Name {
		c.property(n)
	}
	for i := range n.Fields {
		if inner := known.fields[n.Fields[i].Key]; inner != nil {
			c.object(&n.Fields[i].Value, inner)
		}
	}
}

// rename gives the unknown keys of an object the names of missing ones that they are like.
func (c *corrector) rename(n *tree.Node, known *keys) {
	var missing []string
	for key := range known.fields { // NearestWord sorts them
		if foldedField(n, key) == nil {
			missing = append(missing, key)
		}
	}
	for i := range n.Fields {
		f := &n.Fields[i]
		if knowsKey(known, f.Key) {
			continue
		}
		meant, ok := words.NearestWord(f.Key, missing)
		if !ok || foldedField(n, meant) != nil {
			continue
		}
		c.found = append(c.found, Correction{Kind: MisspeltKey, Place: f.Place, Was: f.Key, Meant: meant, Object: known.name})
		f.Key = meant
	}
}

// property corrects the type of a property, and reports the fields of an olm.package property that are beside its value.
func (c *corrector) property(n *tree.Node) {
	kind := foldedField(n, "type")
	if kind == nil || kind.Value.Kind != tree.String {
		return
	}
	if was := kind.Value.Text; strings.HasPrefix(was, "olm") && !slices.Contains(typeNames, was) {
		if meant, ok := words.NearestWord(was, typeNames); ok {
			c.found = append(c.found, Correction{Kind: MisspeltPropertyType, Place: kind.Value.Place, Was: was, Meant: meant, Object: property.Name})
			kind.Value.Text = meant
		}
	}
	value := foldedField(n, "value")
	if value == nil || !isEmpty(&value.Value) || kind.Value.Text != "olm.package" {
		return
	}
	inner := tree.Node{Kind: tree.Map, Place: value.Value.Place}
	for i := range n.Fields {
		if f := &n.Fields[i]; knowsKey(packageValue, f.Key) {
			inner.Fields = append(inner.Fields, *f)
		}
	}
	if len(inner.Fields) > 0 {
		f := inner.Fields[0]
		c.found = append(c.found, Correction{Kind: MisspeltNesting, Place: f.Place, Was: f.Key, Meant: f.Key, Object: property.Name})
		value.Value = inner
	}
}

// isEmpty reports whether a value is null, which may be left unread.
func isEmpty(n *tree.Node) bool {
	return n.Kind == tree.Null || n.Kind == tree.Raw && n.End-n.Off <= len("null")
}

// knowsKey reports whether a key is known, in any case.
func knowsKey(known *keys, key string) bool {
	if _, ok := known.fields[key]; ok {
		return true
	}
	for k := range known.fields {
		if strings.EqualFold(k, key) {
			return true
		}
	}
	return false
}

// foldedField returns a field by its key, in any case; or nil.
func foldedField(n *tree.Node, key string) *tree.Field {
	for i := range n.Fields {
		if f := &n.Fields[i]; f.Key == key || strings.EqualFold(f.Key, key) {
			return f
		}
	}
	return nil
}
