package fbc

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/fbcwriter"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// WriterCatalog returns the objects of a file-based catalog to write them. The packages may have fewer channels, entries, bundles and deprecations
// than the text, and other default channels; of everything else the text counts. The bundles are read when they are written. An error means
// that a file has changed, or cannot be read a second time.
func WriterCatalog(c *catalogs.Catalog) (*fbcwriter.Catalog, error) {
	out := &fbcwriter.Catalog{}
	add := map[catalogs.Pos]func(*tree.Node){}
	var files []string
	note := func(at catalogs.Pos, do func(*tree.Node)) {
		add[at] = do
		if !slices.Contains(files, at.File) {
			files = append(files, at.File)
		}
	}
	for _, p := range c.Packages {
		if p.IsDefined() {
			note(p.Pos, func(n *tree.Node) { out.AddPackageAs(*n, p.DefaultChannel.Value) })
		}
		for _, ch := range p.Channels {
			note(ch.Pos, func(n *tree.Node) {
				out.AddChannel(p.Name.Value, ch.Name.Value, WrittenEntries(ch), n.Get("properties"))
			})
		}
		for _, b := range p.Bundles {
			out.AddBundle(p.Name.Value, b.Name.Value, func() (tree.Node, error) { return Render(b) })
		}
		for _, d := range p.Deprecations {
			out.AddDeprecations(p.Name.Value, writtenDeprecations(d))
		}
	}
	for i := range c.Others {
		note(c.Others[i].Pos, out.Add)
	}
	for _, name := range files {
		if err := eachObject(c, name, add); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eachObject reads a file again, and calls the function for the position of each object that has one.
func eachObject(c *catalogs.Catalog, name string, do map[catalogs.Pos]func(*tree.Node)) error {
	text, err := c.ReadFile(name)
	if err != nil {
		return err
	}
	for root, doc := range form.NewTextDecoder(&source.File{}, text).Documents() {
		found := do[catalogs.Pos{File: name, Line: root.Line, Col: root.Col}]
		if found == nil {
			continue
		}
		n, syntax := doc.Parse(text[doc.Off : doc.Off+int64(doc.Size)]) // what is read of a document is overwritten by the next one
		if syntax != nil {
			return fmt.Errorf("%s has changed since it was read: %w", name, syntax)
		}
		found(&n)
	}
	return nil
}

func writtenDeprecations(d *catalogs.Deprecations) []fbcwriter.Deprecation {
	var all []fbcwriter.Deprecation
	for i := range d.Entries {
		e := &d.Entries[i]
		all = append(all, fbcwriter.Deprecation{Schema: e.Schema.Value, Name: e.Name.Value, Message: e.Message.Value})
	}
	return all
}

// WrittenEntries returns the entries of a channel as opm writes them.
func WrittenEntries(c *catalogs.Channel) []fbcwriter.Entry {
	var all []fbcwriter.Entry
	for i := range c.Entries {
		e := &c.Entries[i]
		one := fbcwriter.Entry{Name: e.Name.Value, Replaces: e.Replaces.Value, SkipRange: e.SkipRange.Value}
		for _, skip := range e.Skips {
			one.Skips = append(one.Skips, skip.Value)
		}
		all = append(all, one)
	}
	return all
}

// Render returns the bundle as it was published, or as opm renders its image.
func Render(b *catalogs.Bundle) (root tree.Node, err error) {
	if b.Document.File == nil {
		return ofManifests(b)
	}
	err = b.Document.Reread(func(text []byte) error {
		var syntax *tree.Error
		root, syntax = b.Document.Parse(text)
		if syntax != nil {
			return fmt.Errorf("%s has changed since it was read: %w", b.Document.File.Name, syntax)
		}
		return nil
	})
	return root, err
}

// ofManifests returns the bundle as opm renders it of its manifests.
func ofManifests(b *catalogs.Bundle) (tree.Node, error) {
	manifests, err := new(bundled.Manifests).Read(b)
	if err == nil && (b.Folder == nil || len(manifests) == 0) {
		err = fmt.Errorf("%s: only its name is known: give --catalog, a catalog in which it was published", b.Image.Value)
	}
	if err != nil {
		return tree.Node{}, err
	}
	made := fbcwriter.Bundle{Name: b.Name.Value, Package: b.Package.Value, Image: b.Image.Value}
	for _, p := range b.Derived.Properties {
		made.Properties = append(made.Properties, fbcwriter.Property{Type: p.Type, Value: p.Value})
	}
	for _, m := range manifests {
		made.Manifests = append(made.Manifests, m.Object.JSON())
	}
	return made.Render()
}
