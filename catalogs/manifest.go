package catalogs

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/klauspost/compress/s2"

	"github.com/olmgraph/olmgraph/catalogs/fserror"
	"github.com/olmgraph/olmgraph/catalogs/misspelt"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Object is a Kubernetes object in the manifests of bundles.
type Object struct {
	APIVersion, Kind, Name, Namespace string
	// Fault says why the text is no object, and then the other fields are empty; it has no line break.
	Fault string
	// at is the place in its text of the Fault, or of the object.
	at tree.Place
	// places are those of its parts in its text.
	places tree.Places
	// json is the whole object; packed says that it and places are compressed.
	json   []byte
	packed bool
	load   func() []byte // instead of json, if it is not nil
}

// ObjectOf returns an object whose JSON is loaded when it is asked for.
func ObjectOf(apiVersion, kind, name, namespace string, load func() []byte) *Object {
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
	return unpack(o.json)
}

func (o *Object) pack() { o.json, o.places, o.packed = packed(o.json), packed(o.places), true }

// Size returns how many bytes are kept of the object, which are fewer than it has if they are compressed.
func (o *Object) Size() int { return len(o.json) + len(o.places) }

func packed(text []byte) []byte { return bytes.Clone(s2.EncodeBetter(nil, text)) }

func unpack(text []byte) []byte {
	text, err := s2.Decode(nil, text)
	if err != nil {
		panic(err) // pack made it
	}
	return text
}

// textPlaces returns the places of the parts of the object in its text.
func (o *Object) textPlaces() tree.Places {
	if o.packed {
		return unpack(o.places)
	}
	return o.places
}

// Manifest is one object of one bundle. Bundles with the same text share the Object, so that its address identifies it.
type Manifest struct {
	*Object
	// Pos is the position of the object; of one in base64, that of the property.
	Pos Pos
	// File is the path in the folder of manifests, as "crd.yaml"; "" for a manifest in a property.
	File string
	// Document is the index of the document in its file or property. OLM v0 and opm read the first one only.
	Document int
	// Partial says that it is a ClusterServiceVersion made of an olm.csv.metadata: without deployments, permissions, webhooks and version.
	Partial bool

	reader *Manifests
	// places returns the places of its parts, and their positions; nil where these have none, as in base64.
	places func() (tree.Places, func(tree.Place) Pos)
}

// Manifests reads the manifests of bundles; a text that several have is decoded once. It keeps what it has read, and is
// not safe for concurrent use. The zero value is ready.
type Manifests struct {
	known    map[[sha256.Size]byte][]*Object
	byID     map[string][]*Object // of files, by their blobIDs
	embedded map[*tree.Node]*Object
	bytes    int // of JSON in them, before it was packed
	held     int // of JSON in them, as it is kept
	// last are the two manifests that were located last, mostly those before and after an upgrade.
	last [2]located
}

// located is a manifest with the places of its parts.
type located struct {
	*Manifest
	places tree.Places
	pos    func(tree.Place) Pos
}

// locate returns the places of a manifest, which are known of the last two.
func (m *Manifests) locate(of *Manifest) *located {
	if m.last[0].Manifest != of {
		m.last[0], m.last[1] = m.last[1], m.last[0]
	}
	last := &m.last[0]
	if last.Manifest != of {
		*last = located{Manifest: of}
		last.places, last.pos = of.places()
	}
	return last
}

// HasManifests reports whether the bundle has its manifests, and not only an olm.csv.metadata.
func (b *Bundle) HasManifests() bool {
	return b.Folder != nil || b.embedded != nil || b.PropertyIndex(TypeBundleObject) >= 0
}

// Of returns the manifests of a bundle in the order of its files or properties: those of its folder or that were attached, those in
// olm.bundle.object, or else the partial ClusterServiceVersion of olm.csv.metadata. There are none if the catalog has only the image of
// the bundle.
func (m *Manifests) Of(b *Bundle) ([]*Manifest, error) {
	if b.embedded != nil {
		return m.ofEmbedded(b.embedded), nil
	}
	if b.Folder != nil {
		return m.ofFolder(b.Folder)
	}
	if b.PropertyIndex(TypeBundleObject) < 0 && b.PropertyIndex(TypeCSVMetadata) < 0 || b.document.file == nil {
		return nil, nil
	}
	kind := TypeBundleObject
	if b.PropertyIndex(kind) < 0 {
		kind = TypeCSVMetadata
	}
	var all []*Manifest
	err := b.document.again(func(text []byte) error {
		for i := range b.Properties {
			p := &b.Properties[i]
			if p.Type.Value != kind || p.unread == nil {
				continue
			}
			value, syntax := b.document.expand(text, *p.unread)
			switch {
			case syntax != nil: // reported when the catalog was read
			case kind == TypeCSVMetadata:
				all = append(all, m.metadata(b, p, &value))
				return nil // of several, OLM takes the first
			default:
				all = append(all, m.ofProperty(p, &value)...)
			}
		}
		return nil
	})
	return all, err
}

// ofProperty decodes the data of an olm.bundle.object.
func (m *Manifests) ofProperty(p *Property, value *tree.Node) []*Manifest {
	data, err := base64.StdEncoding.DecodeString(value.Str("data"))
	if err != nil || len(data) == 0 {
		return nil // reported by the rules on the property
	}
	var all []*Manifest
	for i, o := range m.objects(data, &file{}) {
		all = append(all, &Manifest{Object: o, Pos: p.Pos, Document: i, reader: m})
	}
	return all
}

// ofFolder decodes the files of a folder.
func (m *Manifests) ofFolder(o *Folder) ([]*Manifest, error) {
	var all []*Manifest
	for _, name := range o.paths {
		f := o.source.file(name)
		objects, err := m.ofFile(f)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read a second time: %w", f.name, fserror.Cause(err))
		}
		for i, object := range objects {
			one := &Manifest{Object: object, File: path.Base(name), Document: i, reader: m}
			d := partDecoder(f, false)
			one.Pos = d.pos(object.at)
			one.places = func() (tree.Places, func(tree.Place) Pos) { return object.textPlaces(), d.pos }
			all = append(all, one)
		}
	}
	return all, nil
}

// ofFile returns the objects of a file. Of files with the same text one is read, and none if they are known since the catalog was read.
func (m *Manifests) ofFile(f *file) (all []*Object, err error) {
	var text []byte
	id, isGit := f.gitID()
	if !isGit {
		if text, err = readAll(f); err != nil {
			return nil, err
		}
		id = blobIDOf(text)
	}
	if known, ok := m.byID[id]; ok {
		return known, nil
	}
	if kept, _ := f.source.cache().objects.Load(id); kept != nil {
		all = kept.([]*Object)
		for _, o := range all {
			m.bytes, m.held = m.bytes+len(o.json), m.held+o.Size()
		}
	} else {
		if isGit {
			if text, err = readAll(f); err != nil {
				return nil, err
			}
		}
		all = m.objects(text, f)
	}
	if id != "" {
		if m.byID == nil {
			m.byID = map[string][]*Object{}
		}
		m.byID[id] = all
	}
	return all, nil
}

// objects decodes the documents of a text, which is that of a file unless its source is nil.
func (m *Manifests) objects(text []byte, f *file) []*Object {
	key := sha256.Sum256(text)
	if known, ok := m.known[key]; ok {
		return known
	}
	var all []*Object
	d := decoderOf(f, text)
	for root := range objectsOf(d) {
		o := newObject(root, f.source != nil)
		m.keep(o)
		all = append(all, o)
	}
	for _, p := range d.faults() {
		all = append(all, &Object{Fault: p.Message, at: tree.Place{Line: p.Pos.Line, Col: p.Pos.Col}})
	}
	if m.known == nil {
		m.known = map[[sha256.Size]byte][]*Object{}
	}
	m.known[key] = all
	return all
}

// maxUncompressed is how many bytes of JSON are kept uncompressed. Further objects are compressed if they are larger than
// minCompressed bytes.
const (
	maxUncompressed = 24 << 20
	minCompressed   = 4 << 10
)

// Bytes returns the size of all objects, as they are kept.
func (m *Manifests) Bytes() int { return m.held }

func (m *Manifests) keep(o *Object) {
	if m.bytes += len(o.json); m.bytes > maxUncompressed && len(o.json) > minCompressed {
		o.pack()
	}
	m.held += o.Size()
}

// newObject returns the object of a document, with the places of its parts if they are those in a file.
func newObject(root *tree.Node, inFile bool) *Object {
	if root.Kind != tree.Map {
		return &Object{Fault: fmt.Sprintf("an object is wanted, not a %s", root.Kind), at: root.Place}
	}
	o := &Object{APIVersion: root.Str("apiVersion"), Kind: root.Str("kind"), json: root.AppendJSON(nil), at: root.Place}
	if metadata := root.Get("metadata"); metadata != nil {
		o.Name, o.Namespace = metadata.Str("name"), metadata.Str("namespace")
	}
	if inFile {
		o.places = root.Places()
	}
	return o
}

// objectsOf yields the documents of a decoder's text, except empty ones, which kubectl ignores as well.
func objectsOf(d *decoder) iter.Seq[*tree.Node] {
	return func(yield func(*tree.Node) bool) {
		for root := range d.documents() {
			if d.asIntended() {
				misspelt.Manifest(root) // reported where the folder is read
			}
			if root.Kind != tree.Null && !yield(root) {
				return
			}
		}
	}
}

// metadata returns the part of a ClusterServiceVersion that an olm.csv.metadata has (opm: alpha/property CSVMetadata).
func (m *Manifests) metadata(b *Bundle, p *Property, value *tree.Node) *Manifest {
	d := partDecoder(b.document.file, b.document.json)
	csv := asCSV(b, value)
	key := sha256.Sum256(csv.AppendJSON(nil))
	known := m.known[key]
	if known == nil {
		known = []*Object{newObject(csv, false)}
		if m.known == nil {
			m.known = map[[sha256.Size]byte][]*Object{}
		}
		m.known[key] = known
	}
	return &Manifest{Object: known[0], Pos: p.Pos, Partial: true, reader: m, places: func() (tree.Places, func(tree.Place) Pos) {
		var buffer []byte
		text, err := b.document.read(&buffer)
		if err != nil {
			return nil, nil
		}
		value, syntax := b.document.expand(text, *p.unread)
		if syntax != nil {
			return nil, nil
		}
		return asCSV(b, &value).Places(), d.pos
	}}
}

// asCSV moves the parts of an olm.csv.metadata to where they are in a ClusterServiceVersion.
func asCSV(b *Bundle, value *tree.Node) *tree.Node {
	object := func(fields ...tree.Field) tree.Node {
		return tree.Node{Kind: tree.Map, Place: value.Place, Fields: fields}
	}
	text := func(key, s string) tree.Field {
		return tree.Field{Key: key, Place: value.Place, Value: tree.Node{Kind: tree.String, Text: s, Place: value.Place}}
	}
	metadata, spec := object(text("name", b.Name.Value)), object()
	for _, f := range value.Fields {
		switch f.Key {
		case "annotations", "labels":
			metadata.Fields = append(metadata.Fields, f)
		case "crdDescriptions":
			f.Key = "customresourcedefinitions"
			spec.Fields = append(spec.Fields, f)
		case "apiServiceDefinitions":
			f.Key = "apiservicedefinitions"
			spec.Fields = append(spec.Fields, f)
		default:
			spec.Fields = append(spec.Fields, f)
		}
	}
	csv := object(text("apiVersion", "operators.coreos.com/v1alpha1"), text("kind", "ClusterServiceVersion"),
		tree.Field{Key: "metadata", Value: metadata}, tree.Field{Key: "spec", Value: spec})
	return &csv
}

// At returns the position of a part of the object, by its path as Kubernetes writes it: spec.versions[0].schema or
// metadata.annotations[a.b/c]. If there is no such part, it is the position of the innermost part around it; in base64, that of the
// property.
func (m *Manifest) At(path string) Pos {
	if m.places == nil {
		return m.Pos
	}
	known := m.reader.locate(m)
	place, ok := known.places.At(pathKeys(path))
	if !ok {
		return m.Pos
	}
	return known.pos(place)
}

// Encoded reports whether the source shows the object only in another form, as base64, so that the positions of its parts are not
// known.
func (m *Manifest) Encoded() bool { return m.places == nil }

// Part returns the path and the value of a part of the object, or of the innermost part around it. The value is JSON; "" for a
// list or an object. See At for the path.
func (m *Manifest) Part(path string) (found, value string) {
	decoder := json.NewDecoder(bytes.NewReader(m.JSON()))
	decoder.UseNumber()
	var part any
	if err := decoder.Decode(&part); err != nil {
		return "", ""
	}
	for i, key := range pathKeys(path) {
		next, ok := child(part, key)
		if !ok {
			break
		}
		part, found = next, path[:pathPart.FindAllStringIndex(path, i+1)[i][1]]
	}
	switch part.(type) {
	case map[string]any, []any:
		return found, ""
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(part); err != nil {
		return found, ""
	}
	return found, strings.TrimSuffix(text.String(), "\n")
}

// child returns the part of a value with a key or an index.
func child(of any, key string) (any, bool) {
	switch of := of.(type) {
	case map[string]any:
		v, ok := of[key]
		return v, ok
	case []any:
		if i, err := strconv.Atoi(key); err == nil && 0 <= i && i < len(of) {
			return of[i], true
		}
	}
	return nil, false
}

// pathPart matches a key or an index of a path: in brackets, or between dots.
var pathPart = regexp.MustCompile(`\[([^]]*)\]|([^.[]+)`)

// pathKeys returns the keys and indices of a path.
func pathKeys(path string) []string {
	var keys []string
	for _, part := range pathPart.FindAllStringSubmatch(path, -1) {
		keys = append(keys, part[1]+part[2])
	}
	return keys
}

// ParseObjects returns the objects in a text of YAML or JSON as kubectl prints it: its documents, and the items of lists among them. The
// error has the line of the first document that cannot be read; the other objects are returned nevertheless.
func ParseObjects(text []byte) (all []*Object, err error) {
	d := decoderOf(&file{}, text)
	for root := range objectsOf(d) {
		all = appendObjects(all, root, 0)
	}
	if faults := d.faults(); len(faults) > 0 {
		err = fmt.Errorf("line %d: %s", faults[0].Pos.Line, faults[0].Message)
	}
	return all, err
}

func appendObjects(all []*Object, root *tree.Node, depth int) []*Object {
	const deepest = 8
	items := root.Get("items")
	if kind := root.Str("kind"); !strings.HasSuffix(kind, "List") || items == nil || items.Kind != tree.List || depth > deepest {
		return append(all, newObject(root, false))
	}
	for i := range items.Items {
		all = appendObjects(all, &items.Items[i], depth+1)
	}
	return all
}
