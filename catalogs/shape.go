package catalogs

import (
	"encoding/base64"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

var (
	aString = &tree.Shape{Kind: tree.AString}
	aBool   = &tree.Shape{Kind: tree.ABool}
	raw     = &tree.Shape{Kind: tree.Any}
	strs    = listOf(aString)
	strMap  = &tree.Shape{Kind: tree.MapOf, Elem: aString}
)

func listOf(elem *tree.Shape) *tree.Shape { return &tree.Shape{Kind: tree.ListOf, Elem: elem} }

func structOf(fields map[string]*tree.Shape) *tree.Shape {
	return &tree.Shape{Kind: tree.Struct, Fields: fields}
}

// stringsOf returns a struct of string fields, whose keys are separated by blanks.
func stringsOf(keys string) *tree.Shape {
	fields := map[string]*tree.Shape{}
	for key := range strings.FieldsSeq(keys) {
		fields[key] = aString
	}
	return structOf(fields)
}

// with returns a copy of a struct with one more field.
func with(s *tree.Shape, key string, field *tree.Shape) *tree.Shape {
	fields := map[string]*tree.Shape{key: field}
	for k, f := range s.Fields {
		fields[k] = f
	}
	return structOf(fields)
}

var (
	descriptors = listOf(with(with(stringsOf("path displayName description"), "x-descriptors", strs), "value", raw))
	described   = with(with(with(with(stringsOf("name version kind displayName description"),
		"resources", listOf(stringsOf("name kind version"))),
		"statusDescriptors", descriptors), "specDescriptors", descriptors), "actionDescriptors", descriptors)
	apiService = with(with(with(described, "group", aString), "deploymentName", aString),
		"containerPort", &tree.Shape{Kind: tree.Int32})
	link = stringsOf("name url")
)

// propertyShapes are the types of the values that opm parses, by the type of the property (opm: alpha/property Parse).
var propertyShapes = map[string]*tree.Shape{
	TypePackage:         stringsOf("packageName version release"),
	TypePackageRequired: stringsOf("packageName versionRange"),
	TypeGVK:             stringsOf("group kind version"),
	TypeGVKRequired:     stringsOf("group kind version"),
	TypeChannel:         with(stringsOf("channelName"), "priority", &tree.Shape{Kind: tree.Int}),
	TypeBundleObject:    structOf(map[string]*tree.Shape{"data": {Kind: tree.ObjectBytes}}),
	TypeCSVMetadata: structOf(map[string]*tree.Shape{
		"annotations":           strMap,
		"apiServiceDefinitions": structOf(map[string]*tree.Shape{"owned": listOf(apiService), "required": listOf(apiService)}),
		"crdDescriptions":       structOf(map[string]*tree.Shape{"owned": listOf(described), "required": listOf(described)}),
		"description":           aString,
		"displayName":           aString,
		"installModes":          listOf(with(stringsOf("type"), "supported", aBool)),
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

// where is the path of a value inside a property, which is formatted only for a problem.
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

// shape reports where encoding/json would refuse to decode a value into a type.
func (d *decoder) shape(n *tree.Node, s *tree.Shape, at *where) {
	switch s.Kind {
	case tree.AString:
		if n.Kind != tree.String && n.Kind != tree.Null {
			d.wrongType(n, at.String(), "a string")
		}
	case tree.Bytes, tree.ObjectBytes:
		d.checkBytes(n, at)
	case tree.ABool:
		if n.Kind != tree.Bool && n.Kind != tree.Null {
			d.wrongType(n, at.String(), "true or false")
		}
	case tree.Int, tree.Int32:
		d.checkInt(n, s, at)
	case tree.Struct, tree.MapOf:
		if d.objectAt(n, at) {
			d.fields(n, s, at)
		}
	case tree.ListOf:
		if n.Kind != tree.List && n.Kind != tree.Null {
			d.wrongType(n, at.String(), "a list")
		}
		for i := range n.Items {
			d.shape(&n.Items[i], s.Elem, &where{up: at, index: i})
		}
	}
}

func (d *decoder) objectAt(n *tree.Node, at *where) bool {
	return n.Kind == tree.Map || n.Kind != tree.Null && d.isObject(n, at.String())
}

func (d *decoder) fields(n *tree.Node, s *tree.Shape, at *where) {
	for i := range n.Fields {
		f := &n.Fields[i]
		field, key := s.Elem, f.Key
		if s.Kind == tree.Struct {
			if field = s.Fields[key]; field == nil {
				if field, key = s.Folded(key); field == nil {
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

// standsAgain reports whether a key is among the first 200 fields: searching more for each field of a large object would take quadratic
// time.
func standsAgain(fields []tree.Field, key string) bool {
	for i := range fields[:min(len(fields), 200)] {
		if fields[i].Key == key {
			return true
		}
	}
	return false
}

// checkBytes reports a value that encoding/json would not decode into []byte: it takes base64, or a list of numbers in which null is 0.
func (d *decoder) checkBytes(n *tree.Node, at *where) {
	switch n.Kind {
	case tree.Null:
	case tree.List:
		for i := range n.Items {
			item := &n.Items[i]
			if _, err := strconv.ParseUint(item.Text, 10, 8); item.Kind != tree.Null && (err != nil || item.Kind != tree.Number) {
				d.wrongType(item, at.String(), "base64")
				return
			}
		}
	case tree.String:
		if !validBase64(n.Text) {
			d.problem(FieldType, n.Place, "%s is not base64", at).Field = at.String()
		}
	default:
		d.wrongType(n, at.String(), "base64")
	}
}

func (d *decoder) checkInt(n *tree.Node, s *tree.Shape, at *where) {
	size := 64
	if s.Kind == tree.Int32 {
		size = 32
	}
	if _, err := strconv.ParseInt(n.Text, 10, size); n.Kind != tree.Null && (n.Kind != tree.Number || err != nil) {
		d.wrongType(n, at.String(), own(fmt.Sprintf("a whole number of %d bits", size)))
	}
}

// clean has the hashes of values without a problem: dozens of bundles may have the same one.
type clean struct {
	seed maphash.Seed
	seen sync.Map // of uint64
}

// Check reads the properties that hold manifests and returns what opm would refuse in them.
func (b *Bundle) Check() []Problem {
	heavy := false
	for i := range b.Properties {
		heavy = heavy || b.Properties[i].heavy != nil
	}
	if !heavy {
		return nil
	}
	buffer := b.raw.file.source.buffers.Get()
	defer b.raw.file.source.buffers.Put(buffer)
	text, err := b.raw.read(buffer)
	d := partDecoder(b.raw.file, b.raw.json)
	d.pkg, d.bundle = b.Package.Value, b.Name.Value
	if err != nil {
		d.problem(ParseProblem, b.raw.at, "cannot be read a second time: %v", err)
		return d.problems
	}
	for i := range b.Properties {
		if p := &b.Properties[i]; p.heavy != nil {
			d.checkHeavy(p, b.raw, text)
		}
	}
	return d.problems
}

func (d *decoder) checkHeavy(p *Property, doc document, text []byte) {
	memo := &doc.file.source.clean
	shape := propertyShapes[p.Type.Value]
	var key uint64
	if p.heavy.Kind == tree.Raw {
		value := text[p.heavy.Off:p.heavy.End]
		key = maphash.Bytes(memo.seed, value) ^ uint64(len(p.Type.Value))
		if _, ok := memo.seen.Load(key); ok {
			return
		}
		if doc.fits(text, *p.heavy, shape) {
			memo.seen.Store(key, nil)
			return
		}
	}
	found := len(d.problems)
	n, err := doc.expand(text, *p.heavy)
	if err != nil {
		d.syntax(err)
		return
	}
	if p.Type.Value == TypeBundleObject {
		d.checkObject(&n)
	} else {
		d.shape(&n, shape, &where{key: p.Type.Value})
	}
	if len(d.problems) == found && key != 0 {
		memo.seen.Store(key, nil)
	}
}

// checkObject reports data of an olm.bundle.object that is not base64 of YAML or JSON. opm parses only the first document, and none that
// begins with a brace.
func (d *decoder) checkObject(n *tree.Node) {
	at := &where{key: TypeBundleObject}
	if !d.objectAt(n, at) {
		return
	}
	for v := range d.values(n, "data") {
		found := len(d.problems)
		if d.checkBytes(v, &where{up: at, key: "data"}); len(d.problems) > found {
			continue
		}
		data := bytesOf(v)
		if stream.LooksLikeObject(data) {
			continue
		}
		if _, _, err := tree.ParseYAML(data, tree.Place{Line: 1, Col: 1}, nil); err != nil {
			d.problem(BundleObject, v.Place, "line %d of the object that this holds in base64: %s", err.Line, err.Msg)
		}
	}
}

// bytesOf returns the bytes of a value that passed checkBytes.
func bytesOf(n *tree.Node) []byte {
	if n.Kind != tree.List {
		data, _ := base64.StdEncoding.DecodeString(n.Text)
		return data
	}
	data := make([]byte, len(n.Items))
	for i := range n.Items {
		b, _ := strconv.ParseUint(n.Items[i].Text, 10, 8) // null is 0
		data[i] = byte(b)
	}
	return data
}
