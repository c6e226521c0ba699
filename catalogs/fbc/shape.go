package fbc

import (
	"encoding/base64"
	"fmt"
	"hash/maphash"
	"strconv"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// valuePath is the path of a value inside a property, which is formatted only for a problem.
type valuePath struct {
	parent *valuePath
	key    string
	index  int // of a list item, whose key is empty
}

func (p *valuePath) String() string {
	switch {
	case p.parent == nil:
		return p.key
	case p.key == "":
		return fmt.Sprintf("%s[%d]", p.parent, p.index)
	}
	return p.parent.String() + "." + p.key
}

// checkShape reports where encoding/json would not decode a value into a type.
func checkShape(d *form.Decoder, n *tree.Node, s *tree.Shape, at *valuePath) {
	switch s.Kind {
	case tree.StringShape:
		if n.Kind != tree.String && n.Kind != tree.Null {
			d.WrongType(n, at.String(), "a string")
		}
	case tree.BytesShape:
		checkBytes(d, n, at)
	case tree.BoolShape:
		if n.Kind != tree.Bool && n.Kind != tree.Null {
			d.WrongType(n, at.String(), "true or false")
		}
	case tree.IntShape:
		checkInt(d, n, s, at)
	case tree.StructShape, tree.MapShape:
		if checkObject(d, n, at) {
			checkFields(d, n, s, at)
		}
	case tree.ListShape:
		if n.Kind != tree.List && n.Kind != tree.Null {
			d.WrongType(n, at.String(), "a list")
		}
		for i := range n.Items {
			checkShape(d, &n.Items[i], s.Elem, &valuePath{parent: at, index: i})
		}
	}
}

func checkObject(d *form.Decoder, n *tree.Node, at *valuePath) bool {
	return n.Kind == tree.Map || n.Kind != tree.Null && d.IsObject(n, at.String())
}

func checkFields(d *form.Decoder, n *tree.Node, s *tree.Shape, at *valuePath) {
	for i := range n.Fields {
		f := &n.Fields[i]
		field, key := &tree.Shape{}, f.Key
		if s.Kind == tree.StructShape {
			known := s.Field(key)
			if known == nil {
				continue
			}
			field, key = known.Shape, known.Key
		}
		if !form.RepeatsKey(n.Fields[i+1:], f.Key) {
			checkShape(d, &f.Value, field, &valuePath{parent: at, key: key})
		}
	}
}

// checkBytes reports a value that encoding/json would not decode into []byte: it takes base64, or a list of numbers in which null is 0.
func checkBytes(d *form.Decoder, n *tree.Node, at *valuePath) {
	switch n.Kind {
	case tree.Null:
	case tree.List:
		for i := range n.Items {
			item := &n.Items[i]
			if _, err := strconv.ParseUint(item.Text, 10, 8); item.Kind != tree.Null && (err != nil || item.Kind != tree.Number) {
				d.WrongType(item, at.String(), "base64")
				return
			}
		}
	case tree.String:
		if !validBase64(n.Text) {
			d.Problem(catalogs.FieldType, n.Place, "%s is not base64", at).Field = at.String()
		}
	default:
		d.WrongType(n, at.String(), "base64")
	}
}

func checkInt(d *form.Decoder, n *tree.Node, s *tree.Shape, at *valuePath) {
	if _, err := strconv.ParseInt(n.Text, 10, s.Bits); n.Kind != tree.Null && (n.Kind != tree.Number || err != nil) {
		d.WrongType(n, at.String(), source.Trusted(fmt.Sprintf("a whole number of %d bits", s.Bits)))
	}
}

// CheckManifestProperties reads the properties that hold manifests and returns what opm would reject in them.
func CheckManifestProperties(b *catalogs.Bundle) []catalogs.Problem {
	heavy := false
	for i := range b.Properties {
		heavy = heavy || b.Properties[i].RawValue != nil
	}
	if !heavy {
		return nil
	}
	buffer := b.Document.File.Source.Buffers.Get()
	defer b.Document.File.Source.Buffers.Put(buffer)
	text, err := b.Document.Read(buffer)
	d := form.PartDecoder(b.Document.File, b.Document.Json)
	d.Pkg, d.Bundle = b.Package.Value, b.Name.Value
	if err != nil {
		d.Problem(catalogs.ParseProblem, b.Document.At, "cannot be read a second time: %v", err)
		return d.Problems
	}
	for i := range b.Properties {
		if p := &b.Properties[i]; p.RawValue != nil {
			checkManifestProperty(d, p, b.Document, text)
		}
	}
	return d.Problems
}

func checkManifestProperty(d *form.Decoder, p *catalogs.Property, doc source.Document, text []byte) {
	memo := &doc.File.Source.Valid
	shape := schema.PropertyShapes[p.Type.Value]
	var key uint64
	if p.RawValue.Kind == tree.Raw {
		value := text[p.RawValue.Off:p.RawValue.End]
		key = maphash.Bytes(memo.Seed, value) ^ uint64(len(p.Type.Value))
		if _, ok := memo.Seen.Load(key); ok {
			return
		}
	}
	found := len(d.Problems)
	n, err := doc.Expand(text, *p.RawValue)
	if err != nil {
		d.Syntax(err)
		return
	}
	if p.Type.Value == catalogs.TypeBundleObject {
		checkBundleObject(d, &n)
	} else {
		checkShape(d, &n, shape, &valuePath{key: p.Type.Value})
	}
	if len(d.Problems) == found && key != 0 {
		memo.Seen.Store(key, nil)
	}
}

// checkBundleObject reports data of an olm.bundle.object that is not base64 of YAML or JSON. opm parses only the first document, and none that
// begins with a brace.
func checkBundleObject(d *form.Decoder, n *tree.Node) {
	at := &valuePath{key: catalogs.TypeBundleObject}
	if !checkObject(d, n, at) {
		return
	}
	for v := range d.Values(n, "data") {
		found := len(d.Problems)
		if checkBytes(d, v, &valuePath{parent: at, key: "data"}); len(d.Problems) > found {
			continue
		}
		data := decodeBytes(v)
		if stream.LooksLikeObject(data) {
			continue
		}
		if _, _, err := tree.ParseYAML(data, tree.Place{Line: 1, Col: 1}, nil); err != nil {
			d.Problem(catalogs.BundleObject, v.Place, "line %d of the object that this holds in base64: %s", err.Line, err.Msg)
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
