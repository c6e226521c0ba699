// Package bundled reads what is in bundles: their properties and manifests, which the model does not keep. It reads them where the bundle
// says that they are, in an object of the catalog or in a folder.
package bundled

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"path"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Manifests reads the manifests of bundles; a text that several have is decoded once. It keeps what it has read, and is
// not safe for concurrent use. The zero value is ready.
type Manifests struct {
	known   memo.Map[[sha256.Size]byte, []*Object] // of texts that are not files
	byID    map[string][]*Object                   // of files, by their blobIDs
	folders map[*catalogs.Folder][]*Manifest
	buffer  []byte // for JSON
	bytes   int    // of JSON in them, before it was packed
	held    int    // of JSON in them, as it is kept
	// last are the two manifests that were located last, mostly those before and after an upgrade.
	last [2]located
	// files are the two files that were read again last, for the manifests of one that has many.
	files [2]reread
}

// reread is a file that was read again.
type reread struct {
	*source.File
	roots []*tree.Node // of its documents with an object
}

// located is a manifest that was read again, for the places of its parts.
type located struct {
	*Manifest
	root *tree.Node // nil if it cannot be read again
	pos  func(tree.Place) catalogs.Pos
}

// locate returns the places of a manifest, which are known of the last two.
func (m *Manifests) locate(of *Manifest) *located {
	if m.last[0].Manifest != of {
		m.last[0], m.last[1] = m.last[1], m.last[0]
	}
	last := &m.last[0]
	if last.Manifest != of {
		*last = located{Manifest: of}
		last.root, last.pos = of.read()
	}
	return last
}

// Read returns the manifests of a bundle in the order of its files or properties: those of its folder, those in olm.bundle.object, those that
// the catalog's Supply has, or else the partial ClusterServiceVersion of olm.csv.metadata. There are none if only the image of the bundle is
// known.
func (m *Manifests) Read(b *catalogs.Bundle) ([]*Manifest, error) {
	if with := b.ManifestBundle(); with != nil {
		return m.Read(with)
	}
	if b.Folder != nil {
		return m.folderManifests(b.Folder)
	}
	if b.PropertyIndex(catalogs.TypeBundleObject) < 0 && b.PropertyIndex(catalogs.TypeCSVMetadata) < 0 || b.Document.File == nil {
		return nil, nil
	}
	kind := catalogs.TypeBundleObject
	if b.PropertyIndex(kind) < 0 {
		kind = catalogs.TypeCSVMetadata
	}
	var all []*Manifest
	err := b.Document.Reread(func(text []byte) error {
		for i := range b.Properties {
			p := &b.Properties[i]
			if p.Type.Value != kind || p.RawValue == nil {
				continue
			}
			value, syntax := b.Document.Expand(text, *p.RawValue)
			switch {
			case syntax != nil: // reported when the catalog was read
			case kind == catalogs.TypeCSVMetadata:
				all = append(all, m.metadata(b, p, &value))
				return nil // of several, OLM takes the first
			default:
				all = append(all, m.propertyManifests(p, &value)...)
			}
		}
		return nil
	})
	return all, err
}

// propertyManifests decodes the data of an olm.bundle.object.
func (m *Manifests) propertyManifests(p *catalogs.Property, value *tree.Node) []*Manifest {
	data, err := base64.StdEncoding.DecodeString(value.Str("data"))
	if err != nil || len(data) == 0 {
		return nil // reported by the rules on the property
	}
	var all []*Manifest
	for i, o := range m.textObjects(data) {
		all = append(all, &Manifest{Object: o, Pos: p.Pos, Document: i, reader: m})
	}
	return all
}

// folderManifests decodes the files of a folder, which several catalogs of a repository can have, once.
func (m *Manifests) folderManifests(o *catalogs.Folder) ([]*Manifest, error) {
	if known, ok := m.folders[o]; ok {
		return known, nil
	}
	var all []*Manifest
	for _, name := range o.Paths {
		f := o.Source.File(name)
		objects, err := m.fileObjects(f)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read a second time: %w", f.Name, disk.Cause(err))
		}
		for i, object := range objects {
			one := &Manifest{Object: object, File: path.Base(name), Document: i, reader: m}
			d := form.PartDecoder(f, false)
			one.Pos = d.Pos(object.at)
			one.read = func() (*tree.Node, func(tree.Place) catalogs.Pos) { return m.rereadDocument(f, i), d.Pos }
			all = append(all, one)
		}
	}
	if m.folders == nil {
		m.folders = map[*catalogs.Folder][]*Manifest{}
	}
	m.folders[o] = all
	return all, nil
}

// rereadDocument reads a document of a file again, by its index among those with an object; nil if it cannot be read.
func (m *Manifests) rereadDocument(f *source.File, index int) *tree.Node {
	if m.files[0].File != f {
		m.files[0], m.files[1] = m.files[1], m.files[0]
	}
	last := &m.files[0]
	if last.File != f {
		*last = reread{File: f}
		buffer := f.Source.Buffers.Get()
		defer f.Source.Buffers.Put(buffer)
		if text, err := source.ReadInto(f, buffer); err == nil {
			last.roots = slices.Collect(nonEmptyDocuments(form.NewTextDecoder(f, text)))
		}
	}
	if index >= len(last.roots) {
		return nil
	}
	return last.roots[index]
}

// fileObjects returns the objects of a file. Of files with the same text one is read, and none if they are known since the catalog was read.
func (m *Manifests) fileObjects(f *source.File) (all []*Object, err error) {
	buffer := f.Source.Buffers.Get()
	defer f.Source.Buffers.Put(buffer)
	var text []byte
	id, hasID := f.KnownID()
	if !hasID {
		if text, err = source.ReadInto(f, buffer); err != nil {
			return nil, err
		}
		id = source.BlobID(text)
	}
	if known, ok := m.byID[id]; ok {
		return known, nil
	}
	if kept, _ := f.Source.Cache().Objects.Load(id); kept != nil {
		all = kept.([]*Object)
		for _, o := range all {
			m.bytes, m.held = m.bytes+len(o.json), m.held+o.Size()
		}
	} else {
		if hasID {
			if text, err = source.ReadInto(f, buffer); err != nil {
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

// textObjects returns the objects of a text that is not a file.
func (m *Manifests) textObjects(text []byte) []*Object {
	return m.known.Get(sha256.Sum256(text), func() []*Object { return m.objects(text, &source.File{}) })
}

// objects decodes the documents of a text, which is that of a file unless its source is nil.
func (m *Manifests) objects(text []byte, f *source.File) (all []*Object) {
	d := form.NewTextDecoder(f, text)
	for root := range nonEmptyDocuments(d) {
		o := newObject(root, &m.buffer)
		m.keep(o)
		all = append(all, o)
	}
	for _, p := range d.Faults() {
		all = append(all, &Object{Fault: p.Message, at: tree.Place{Line: p.Pos.Line, Col: p.Pos.Col}})
	}
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

// metadata returns the part of a ClusterServiceVersion that an olm.csv.metadata has (opm: alpha/property CSVMetadata).
func (m *Manifests) metadata(b *catalogs.Bundle, p *catalogs.Property, value *tree.Node) *Manifest {
	d := form.PartDecoder(b.Document.File, b.Document.Json)
	o := NewObject(asCSV(b, value))
	known := m.known.Get(sha256.Sum256(o.json), func() []*Object { return []*Object{o} })
	return &Manifest{Object: known[0], Pos: p.Pos, Partial: true, reader: m, read: func() (*tree.Node, func(tree.Place) catalogs.Pos) {
		var buffer []byte
		text, err := b.Document.Read(&buffer)
		if err != nil {
			return nil, nil
		}
		value, syntax := b.Document.Expand(text, *p.RawValue)
		if syntax != nil {
			return nil, nil
		}
		return asCSV(b, &value), d.Pos
	}}
}

// asCSV moves the parts of an olm.csv.metadata to where they are in a ClusterServiceVersion.
func asCSV(b *catalogs.Bundle, value *tree.Node) *tree.Node {
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
