package bundled

import (
	"bytes"
	"fmt"
	"iter"
	"strings"

	"github.com/klauspost/compress/s2"

	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Object is a Kubernetes object in the manifests of bundles.
type Object struct {
	APIVersion, Kind, Name, Namespace string
	// Fault says why the text is no object, and then the other fields are empty; it has no line break.
	Fault string
	// at is the place in its text of the Fault, or of the object.
	at tree.Place
	// json is the whole object; packed says that it is compressed.
	json   []byte
	packed bool
	load   func() []byte // instead of json, if it is not nil
}

// NewLazyObject returns an object whose JSON is loaded when it is asked for.
func NewLazyObject(apiVersion, kind, name, namespace string, load func() []byte) *Object {
	return &Object{APIVersion: apiVersion, Kind: kind, Name: name, Namespace: namespace, load: load}
}

// JSON returns the whole object as Kubernetes sees it, YAML 1.1 scalars resolved; nothing where there is a Fault.
func (o *Object) JSON() []byte {
	switch {
	case o.load != nil:
		return o.load()
	case !o.packed:
		return o.json
	}
	text, err := s2.Decode(nil, o.json)
	if err != nil {
		panic(err) // pack made it
	}
	return text
}

func (o *Object) pack() { o.json, o.packed = bytes.Clone(s2.EncodeBetter(nil, o.json)), true }

// Size returns how many bytes are kept of the object, which are fewer than it has if they are compressed.
func (o *Object) Size() int { return len(o.json) }

// NewObject returns the object of a document.
func NewObject(root *tree.Node) *Object { return newObject(root, new([]byte)) }

// newObject is NewObject with a buffer for the JSON.
func newObject(root *tree.Node, buffer *[]byte) *Object {
	if root.Kind != tree.Map {
		return &Object{Fault: fmt.Sprintf("an object is wanted, not a %s", root.Kind), at: root.Place}
	}
	*buffer = root.AppendJSON((*buffer)[:0])
	o := &Object{APIVersion: root.Str("apiVersion"), Kind: root.Str("kind"), json: bytes.Clone(*buffer), at: root.Place}
	if metadata := root.Get("metadata"); metadata != nil {
		o.Name, o.Namespace = metadata.Str("name"), metadata.Str("namespace")
	}
	return o
}

// nonEmptyDocuments yields the documents of a decoder's text, except empty ones, which kubectl ignores as well.
func nonEmptyDocuments(d *form.Decoder) iter.Seq[*tree.Node] {
	return func(yield func(*tree.Node) bool) {
		for root := range d.Documents() {
			if d.AsIntended() {
				schema.CorrectManifest(root) // reported where the folder is read
			}
			if root.Kind != tree.Null && !yield(root) {
				return
			}
		}
	}
}

// ParseObjects returns the objects in a text of YAML or JSON as kubectl prints it: its documents, and the items of lists among them. The
// error has the line of the first document that cannot be read; the other objects are returned nevertheless.
func ParseObjects(text []byte) (all []*Object, err error) {
	d := form.NewTextDecoder(&source.File{}, text)
	for root := range nonEmptyDocuments(d) {
		all = appendObjects(all, root, 0)
	}
	if faults := d.Faults(); len(faults) > 0 {
		err = fmt.Errorf("line %d: %s", faults[0].Pos.Line, faults[0].Message)
	}
	return all, err
}

func appendObjects(all []*Object, root *tree.Node, depth int) []*Object {
	const deepest = 8
	items := root.Get("items")
	if kind := root.Str("kind"); !strings.HasSuffix(kind, "List") || items == nil || items.Kind != tree.List || depth > deepest {
		return append(all, NewObject(root))
	}
	for i := range items.Items {
		all = appendObjects(all, &items.Items[i], depth+1)
	}
	return all
}
