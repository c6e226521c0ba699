package catalogs

import (
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
	bytes64 = &shape{kind: bytesShape}
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
	TypeBundleObject:    structOf(map[string]*shape{"data": bytes64}),
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

// shape reports where encoding/json would refuse to decode a value.
func (d *decoder) shape(n *tree.Node, s *shape, what string) {
	if n.Kind == tree.Null {
		return
	}
	switch s.kind {
	case stringShape:
		d.text(n, what)
	case bytesShape:
		d.checkBytes(n, what)
	case boolShape:
		if n.Kind != tree.Bool {
			d.wrongType(n, what, "true or false")
		}
	case intShape, int32Shape:
		d.checkInt(n, s, what)
	case structShape:
		if d.isObject(n, what) {
			d.structFields(n, s)
		}
	case mapShape:
		if d.isObject(n, what) {
			for _, f := range effective(n.Fields) {
				d.shape(&f.Value, s.elem, f.Key)
			}
		}
	case listShape:
		if n.Kind != tree.List {
			d.wrongType(n, what, "a list")
			return
		}
		for i := range n.Items {
			d.shape(&n.Items[i], s.elem, "an item of "+what)
		}
	}
}

func (d *decoder) structFields(n *tree.Node, s *shape) {
	for _, f := range effective(n.Fields) {
		if field, ok := s.fields[f.Key]; ok {
			d.shape(&f.Value, field, f.Key)
			continue
		}
		for key, field := range s.fields {
			if strings.EqualFold(key, f.Key) {
				d.folded(f, key)
				d.shape(&f.Value, field, key)
			}
		}
	}
}

// effective returns the fields without those that stand again further down.
func effective(fields []tree.Field) []*tree.Field {
	last := make(map[string]int, len(fields))
	for i := range fields {
		last[fields[i].Key] = i
	}
	kept := make([]*tree.Field, 0, len(last))
	for i := range fields {
		if last[fields[i].Key] == i {
			kept = append(kept, &fields[i])
		}
	}
	return kept
}

// checkBytes wants base64, or the list of numbers that encoding/json takes as well.
func (d *decoder) checkBytes(n *tree.Node, what string) {
	if n.Kind == tree.List {
		for i := range n.Items {
			if v, err := strconv.ParseUint(n.Items[i].Text, 10, 8); err != nil || n.Items[i].Kind != tree.Number || v > 255 {
				d.wrongType(&n.Items[i], "an item of "+what, "a byte")
				return
			}
		}
		return
	}
	if t := d.text(n, what); !validBase64(t.Value) {
		d.problem(FieldType, n.Place, "%s is not base64: opm refuses the catalog", what)
	}
}

func (d *decoder) checkInt(n *tree.Node, s *shape, what string) {
	size := 64
	if s.kind == int32Shape {
		size = 32
	}
	if _, err := strconv.ParseInt(n.Text, 10, size); n.Kind != tree.Number || err != nil {
		d.wrongType(n, what, "a whole number of "+strconv.Itoa(size)+" bits")
	}
}
