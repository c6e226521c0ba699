package catalogs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// shape is the Go type that opm decodes a value into, as far as encoding/json would refuse a value because of it.
type shape struct {
	kind   shapeKind
	fields map[string]*shape // of a struct
	elem   *shape            // of a list or a map
}

type shapeKind uint8

const (
	anything shapeKind = iota
	stringShape
	bytesShape
	boolShape
	intShape
	int32Shape
	structShape
	listShape
	mapShape
)

var (
	aString = &shape{kind: stringShape}
	aBool   = &shape{kind: boolShape}
	raw     = &shape{kind: anything}
	strs    = listOf(aString)
	strMap  = &shape{kind: mapShape, elem: aString}
)

func listOf(elem *shape) *shape { return &shape{kind: listShape, elem: elem} }

func structOf(fields map[string]*shape) *shape { return &shape{kind: structShape, fields: fields} }

// stringsOf is a struct of string fields.
func stringsOf(keys string) *shape {
	fields := map[string]*shape{}
	for key := range strings.FieldsSeq(keys) {
		fields[key] = aString
	}
	return structOf(fields)
}

// with returns a copy of a struct with more fields.
func (s *shape) with(key string, field *shape) *shape {
	fields := map[string]*shape{key: field}
	for k, f := range s.fields {
		fields[k] = f
	}
	return structOf(fields)
}

var (
	descriptors = listOf(stringsOf("path displayName description").with("x-descriptors", strs).with("value", raw))
	described   = stringsOf("name version kind displayName description").
			with("resources", listOf(stringsOf("name kind version"))).
			with("statusDescriptors", descriptors).
			with("specDescriptors", descriptors).
			with("actionDescriptors", descriptors)
	apiService = described.with("group", aString).with("deploymentName", aString).
			with("containerPort", &shape{kind: int32Shape})
	link = stringsOf("name url")
)

// propertyShapes are the types of properties into which opm looks (opm: alpha/property Parse).
var propertyShapes = map[string]*shape{
	TypePackage:         stringsOf("packageName version release"),
	TypePackageRequired: stringsOf("packageName versionRange"),
	TypeGVK:             stringsOf("group kind version"),
	TypeGVKRequired:     stringsOf("group kind version"),
	TypeChannel:         stringsOf("channelName").with("priority", &shape{kind: intShape}),
	TypeBundleObject:    structOf(map[string]*shape{"data": {kind: bytesShape}}),
	TypeCSVMetadata: structOf(map[string]*shape{
		"annotations":           strMap,
		"apiServiceDefinitions": structOf(map[string]*shape{"owned": listOf(apiService), "required": listOf(apiService)}),
		"crdDescriptions":       structOf(map[string]*shape{"owned": listOf(described), "required": listOf(described)}),
		"description":           aString,
		"displayName":           aString,
		"installModes":          listOf(stringsOf("type").with("supported", aBool)),
		"keywords":              strs,
		"labels":                strMap,
		"links":                 listOf(link),
		"maintainers":           listOf(stringsOf("name email")),
		"maturity":              aString,
		"minKubeVersion":        aString,
		"nativeAPIs":            listOf(stringsOf("group version kind")),
		"provider":              link,
	}),
}

// where is the way to a value inside a property, written out only when there is something to say about it.
type where struct {
	up    *where
	key   string
	index int // of a list item, whose key is empty
}

func (w *where) String() string {
	switch {
	case w.up == nil:
		return w.key
	case w.key == "":
		return fmt.Sprintf("%s[%d]", w.up, w.index)
	}
	return w.up.String() + "." + w.key
}

// shape reports where encoding/json would refuse to decode a value.
func (d *decoder) shape(n *tree.Node, s *shape, at *where) {
	switch s.kind {
	case stringShape:
		if n.Kind != tree.String && n.Kind != tree.Null {
			d.wrongType(n, at.String(), "a string")
		}
	case bytesShape:
		d.checkBytes(n, at)
	case boolShape:
		if n.Kind != tree.Bool && n.Kind != tree.Null {
			d.wrongType(n, at.String(), "true or false")
		}
	case intShape, int32Shape:
		d.checkInt(n, s, at)
	case structShape, mapShape:
		if d.objectAt(n, at) {
			d.fields(n, s, at)
		}
	case listShape:
		if n.Kind != tree.List && n.Kind != tree.Null {
			d.wrongType(n, at.String(), "a list")
		}
		for i := range n.Items {
			d.shape(&n.Items[i], s.elem, &where{up: at, index: i})
		}
	}
}

func (d *decoder) objectAt(n *tree.Node, at *where) bool {
	return n.Kind == tree.Map || n.Kind != tree.Null && d.isObject(n, at.String())
}

func (d *decoder) fields(n *tree.Node, s *shape, at *where) {
	for i := range n.Fields {
		f := &n.Fields[i]
		field, key := s.elem, f.Key
		if s.kind == structShape {
			if field = s.fields[key]; field == nil {
				if field, key = s.folded(key); field == nil {
					continue
				}
				d.folded(f, key)
			}
		}
		if !standsAgain(n.Fields[i+1:], f.Key) {
			d.shape(&f.Value, field, &where{up: at, key: key})
		}
	}
}

// folded returns the field that encoding/json takes for a key in the wrong case.
func (s *shape) folded(key string) (*shape, string) {
	for k, field := range s.fields {
		if strings.EqualFold(k, key) {
			return field, k
		}
	}
	return nil, ""
}

// standsAgain reports whether a key is among fields. Of more than it can look through in no time it sees only the first:
// nobody writes the same key that far apart.
func standsAgain(fields []tree.Field, key string) bool {
	for i := range fields[:min(len(fields), 200)] {
		if fields[i].Key == key {
			return true
		}
	}
	return false
}

// checkBytes wants base64, or the list of numbers that encoding/json takes as well.
func (d *decoder) checkBytes(n *tree.Node, at *where) {
	switch n.Kind {
	case tree.Null:
	case tree.List:
		for i := range n.Items {
			if _, err := strconv.ParseUint(n.Items[i].Text, 10, 8); err != nil || n.Items[i].Kind != tree.Number {
				d.wrongType(&n.Items[i], at.String(), "base64")
				return
			}
		}
	case tree.String:
		if !validBase64(n.Text) {
			d.problem(FieldType, n.Place, "%s is not base64", at)
		}
	default:
		d.wrongType(n, at.String(), "base64")
	}
}

func (d *decoder) checkInt(n *tree.Node, s *shape, at *where) {
	size := 64
	if s.kind == int32Shape {
		size = 32
	}
	if _, err := strconv.ParseInt(n.Text, 10, size); n.Kind != tree.Null && (n.Kind != tree.Number || err != nil) {
		d.wrongType(n, at.String(), fmt.Sprintf("a whole number of %d bits", size))
	}
}
