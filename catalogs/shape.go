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
	stringShape     = &tree.Shape{Kind: tree.StringShape}
	boolShape       = &tree.Shape{Kind: tree.BoolShape}
	anyShape        = &tree.Shape{Kind: tree.AnyShape}
	stringListShape = listOf(stringShape)
	stringMapShape  = &tree.Shape{Kind: tree.MapShape, Elem: stringShape}
)

func listOf(elem *tree.Shape) *tree.Shape { return &tree.Shape{Kind: tree.ListShape, Elem: elem} }

func structOf(fields map[string]*tree.Shape) *tree.Shape {
	return &tree.Shape{Kind: tree.StructShape, Fields: fields}
}

// stringsOf returns a struct of string fields, whose keys are separated by blanks.
func stringsOf(keys string) *tree.Shape {
	fields := map[string]*tree.Shape{}
	for key := range strings.FieldsSeq(keys) {
		fields[key] = stringShape
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
	descriptors = listOf(with(with(stringsOf("path displayName description"), "x-descriptors", stringListShape), "value", anyShape))
	described   = with(with(with(with(stringsOf("name version kind displayName description"),
		"resources", listOf(stringsOf("name kind version"))),
		"statusDescriptors", descriptors), "specDescriptors", descriptors), "actionDescriptors", descriptors)
	apiService = with(with(with(described, "group", stringShape), "deploymentName", stringShape),
		"containerPort", &tree.Shape{Kind: tree.Int32Shape})
	link = stringsOf("name url")
)

// propertyShapes are the types of the values that opm parses, by the type of the property (opm: alpha/property Parse).
var propertyShapes = map[string]*tree.Shape{
	TypePackage:         stringsOf("packageName version release"),
	TypePackageRequired: stringsOf("packageName versionRange"),
	TypeGVK:             stringsOf("group kind version"),
	TypeGVKRequired:     stringsOf("group kind version"),
	TypeChannel:         with(stringsOf("channelName"), "priority", &tree.Shape{Kind: tree.IntShape}),
	TypeBundleObject:    structOf(map[string]*tree.Shape{"data": {Kind: tree.ObjectBytesShape}}),
	TypeCSVMetadata: structOf(map[string]*tree.Shape{
		"annotations":           stringMapShape,
		"apiServiceDefinitions": structOf(map[string]*tree.Shape{"owned": listOf(apiService), "required": listOf(apiService)}),
		"crdDescriptions":       structOf(map[string]*tree.Shape{"owned": listOf(described), "required": listOf(described)}),
		"description":           stringShape,
		"displayName":           stringShape,
		"installModes":          listOf(with(stringsOf("type"), "supported", boolShape)),
		"keywords":              stringListShape,
		"labels":                stringMapShape,
		"links":                 listOf(link),
		"maintainers":           listOf(stringsOf("name email")),
		"maturity":              stringShape,
		"minKubeVersion":        stringShape,
		"nativeAPIs":            listOf(stringsOf("group version kind")),
		"provider":              link,
	}),
}

// valuePath is the path of a value inside a property, which is formatted only for a problem.
type valuePath struct {
	parent *valuePath
	key    string
	index  int // of a list item, whose key is empty
}

func (w *valuePath) String() string {
	switch {
	case w.parent == nil:
		return w.key
	case w.key == "":
		return fmt.Sprintf("%s[%d]", w.parent, w.index)
	}
	return w.parent.String() + "." + w.key
}

// checkShape reports where encoding/json would not decode a value into a type.
func (d *decoder) checkShape(n *tree.Node, s *tree.Shape, at *valuePath) {
	switch s.Kind {
	case tree.StringShape:
		if n.Kind != tree.String && n.Kind != tree.Null {
			d.wrongType(n, at.String(), "a string")
		}
	case tree.BytesShape, tree.ObjectBytesShape:
		d.checkBytes(n, at)
	case tree.BoolShape:
		if n.Kind != tree.Bool && n.Kind != tree.Null {
			d.wrongType(n, at.String(), "true or false")
		}
	case tree.IntShape, tree.Int32Shape:
		d.checkInt(n, s, at)
	case tree.StructShape, tree.MapShape:
		if d.checkObject(n, at) {
			d.checkFields(n, s, at)
		}
	case tree.ListShape:
		if n.Kind != tree.List && n.Kind != tree.Null {
			d.wrongType(n, at.String(), "a list")
		}
		for i := range n.Items {
			d.checkShape(&n.Items[i], s.Elem, &valuePath{parent: at, index: i})
		}
	}
}

func (d *decoder) checkObject(n *tree.Node, at *valuePath) bool {
	return n.Kind == tree.Map || n.Kind != tree.Null && d.isObject(n, at.String())
}

func (d *decoder) checkFields(n *tree.Node, s *tree.Shape, at *valuePath) {
	for i := range n.Fields {
		f := &n.Fields[i]
		field, key := s.Elem, f.Key
		if s.Kind == tree.StructShape {
			if field = s.Fields[key]; field == nil {
				if field, key = s.Folded(key); field == nil {
					continue
				}
				d.reportCase(f, key)
			}
		}
		if !repeatsKey(n.Fields[i+1:], f.Key) {
			d.checkShape(&f.Value, field, &valuePath{parent: at, key: key})
		}
	}
}

// repeatsKey reports whether a key is among the first 200 fields: searching more for each field of a large object would take quadratic
// time.
func repeatsKey(fields []tree.Field, key string) bool {
	for i := range fields[:min(len(fields), 200)] {
		if fields[i].Key == key {
			return true
		}
	}
	return false
}

// checkBytes reports a value that encoding/json would not decode into []byte: it takes base64, or a list of numbers in which null is 0.
func (d *decoder) checkBytes(n *tree.Node, at *valuePath) {
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

func (d *decoder) checkInt(n *tree.Node, s *tree.Shape, at *valuePath) {
	size := 64
	if s.Kind == tree.Int32Shape {
		size = 32
	}
	if _, err := strconv.ParseInt(n.Text, 10, size); n.Kind != tree.Null && (n.Kind != tree.Number || err != nil) {
		d.wrongType(n, at.String(), trusted(fmt.Sprintf("a whole number of %d bits", size)))
	}
}

// validValues has the hashes of values without a problem: dozens of bundles may have the same one.
type validValues struct {
	seed maphash.Seed
	seen sync.Map // of uint64
}

// CheckManifestProperties reads the properties that hold manifests and returns what opm would reject in them.
func (b *Bundle) CheckManifestProperties() []Problem {
	heavy := false
	for i := range b.Properties {
		heavy = heavy || b.Properties[i].unread != nil
	}
	if !heavy {
		return nil
	}
	buffer := b.document.file.source.buffers.Get()
	defer b.document.file.source.buffers.Put(buffer)
	text, err := b.document.read(buffer)
	d := partDecoder(b.document.file, b.document.json)
	d.pkg, d.bundle = b.Package.Value, b.Name.Value
	if err != nil {
		d.problem(ParseProblem, b.document.at, "cannot be read a second time: %v", err)
		return d.problems
	}
	for i := range b.Properties {
		if p := &b.Properties[i]; p.unread != nil {
			d.checkManifestProperty(p, b.document, text)
		}
	}
	return d.problems
}

func (d *decoder) checkManifestProperty(p *Property, doc document, text []byte) {
	memo := &doc.file.source.valid
	shape := propertyShapes[p.Type.Value]
	var key uint64
	if p.unread.Kind == tree.Raw {
		value := text[p.unread.Off:p.unread.End]
		key = maphash.Bytes(memo.seed, value) ^ uint64(len(p.Type.Value))
		if _, ok := memo.seen.Load(key); ok {
			return
		}
		if doc.fits(text, *p.unread, shape) {
			memo.seen.Store(key, nil)
			return
		}
	}
	found := len(d.problems)
	n, err := doc.expand(text, *p.unread)
	if err != nil {
		d.syntax(err)
		return
	}
	if p.Type.Value == TypeBundleObject {
		d.checkBundleObject(&n)
	} else {
		d.checkShape(&n, shape, &valuePath{key: p.Type.Value})
	}
	if len(d.problems) == found && key != 0 {
		memo.seen.Store(key, nil)
	}
}

// checkBundleObject reports data of an olm.bundle.object that is not base64 of YAML or JSON. opm parses only the first document, and none that
// begins with a brace.
func (d *decoder) checkBundleObject(n *tree.Node) {
	at := &valuePath{key: TypeBundleObject}
	if !d.checkObject(n, at) {
		return
	}
	for v := range d.values(n, "data") {
		found := len(d.problems)
		if d.checkBytes(v, &valuePath{parent: at, key: "data"}); len(d.problems) > found {
			continue
		}
		data := decodeBytes(v)
		if stream.LooksLikeObject(data) {
			continue
		}
		if _, _, err := tree.ParseYAML(data, tree.Place{Line: 1, Col: 1}, nil); err != nil {
			d.problem(BundleObject, v.Place, "line %d of the object that this holds in base64: %s", err.Line, err.Msg)
		}
	}
}

// decodeBytes returns the bytes of a value that passed checkBytes.
func decodeBytes(n *tree.Node) []byte {
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
