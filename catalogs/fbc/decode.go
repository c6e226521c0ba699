package fbc

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/maphash"
	"path"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// ObjectDecoder decodes the objects of a file-based catalog.
type ObjectDecoder struct {
	*form.Decoder
	Objects
	filter form.PackageFilter
}

// NewObjectDecoder returns a decoder of the objects of a text.
func NewObjectDecoder(d *form.Decoder, o form.PackageFilter) *ObjectDecoder {
	return &ObjectDecoder{Decoder: d, filter: o}
}

// ReadObjects returns the objects of a whole text.
func ReadObjects(f *source.File, text []byte) *Objects {
	d := NewObjectDecoder(form.NewTextDecoder(f, text), "")
	d.InCatalog = true
	return d.decodeAll()
}

// decodeAll reads the objects of the decoder's text.
func (d *ObjectDecoder) decodeAll() *Objects {
	d.Decoder.Stream(form.UnreadValues, d.DecodeDocument)
	return d.Result()
}

// Result returns the objects that were read, and what there is to report of their text.
func (d *ObjectDecoder) Result() *Objects {
	all := d.Objects
	all.Report = d.Decoder.Report
	return &all
}

// maxUnseparated is the number of objects in a document that are told apart, though what separates them is missing.
const maxUnseparated = 100

// DecodeDocument decodes one document, which has several objects if what separates them was forgotten.
func (d *ObjectDecoder) DecodeDocument(root *tree.Node, text []byte, doc source.Document) {
	if d.AsIntended() && root.Kind == tree.Map {
		for range maxUnseparated {
			rest := splitRepeated(root, "schema")
			if rest == nil {
				break
			}
			d.missingSeparator(root, rest, doc.Json)
			d.decodeObject(root, text, doc)
			root = rest
		}
	}
	d.decodeObject(root, text, doc)
}

// decodeObject decodes one object of a document.
func (d *ObjectDecoder) decodeObject(root *tree.Node, text []byte, doc source.Document) {
	d.count++
	defer func() { d.Pkg, d.Bundle = "", "" }()
	if root.Kind != tree.Map {
		d.reportNotObject(root)
		return
	}
	before := len(d.Problems)
	if d.AsIntended() {
		d.ReportMisspelt(schema.CorrectObject(root, template.IsSchema))
	}
	d.duplicateKeys(root)
	schema, pkg, name := d.metaField(root, "schema"), d.metaField(root, "package"), d.metaField(root, "name")
	d.Pkg = pkg.Value
	if schema.Value == catalogs.SchemaPackage {
		d.Pkg = name.Value
	}
	if !d.filter.Matches(d.Pkg) {
		d.Problems = d.Problems[:before]
		return
	}
	d.Sum(d.Pkg, maphash.Bytes(SumSeed, bytes.TrimSpace(text)))
	for i := range d.Problems[before:] { // found before the package was known
		if p := &d.Problems[before+i]; p.Kind == catalogs.UnknownKey || p.Kind == catalogs.UnknownSchema {
			p.Package = d.Pkg
		}
	}
	switch schema.Value {
	case "":
		d.withoutSchema(root, "an object without a schema")
	case catalogs.SchemaPackage:
		d.Packages = append(d.Packages, d.olmPackage(root, name))
	case catalogs.SchemaChannel:
		d.Channels = append(d.Channels, d.channel(root, name, pkg))
	case catalogs.SchemaBundle:
		if d.Bundle = name.Value; d.InCatalog && name.Value+pkg.Value == "" && root.Get("image") != nil && root.Get("properties") == nil {
			d.noteForeign(form.TemplateBundle, root.Place, false)
			return
		}
		d.Bundles = append(d.Bundles, d.olmBundle(root, name, pkg, text, doc))
	case catalogs.SchemaDeprecations:
		d.deprecations = append(d.deprecations, d.olmDeprecations(root, pkg))
	default:
		d.addOther(root, catalogs.Other{Schema: schema, Package: pkg, Name: name, Pos: d.Pos(root.Place)})
	}
}

// reportNotObject reports a document that is no object.
func (d *ObjectDecoder) reportNotObject(root *tree.Node) {
	if root.Kind == tree.Null {
		d.withoutSchema(root, "an empty document: opm expects an object with a schema")
		return
	}
	p := d.Problem(catalogs.ParseProblem, root.Place, "a document must be an object, not a %s", root.Kind)
	switch {
	case root.Kind == tree.String && d.File.OtherExtension():
		p.Message, p.Fix = form.NotCatalogText, form.NotCatalogFix
	case root.Kind == tree.List:
		p.Fix = "write the objects one after the other, without brackets and commas around them"
	}
}

// addOther adds an object of a schema that is not one of OLM's.
func (d *ObjectDecoder) addOther(root *tree.Node, o catalogs.Other) {
	if d.File.Source.IsRestricted(d.File.Name) {
		return
	}
	d.others = append(d.others, o)
	if template.IsSchema(o.Schema.Value) {
		d.noteForeign(form.TemplateKind(o.Schema.Value), root.Place, true)
	}
}

// splitRepeated takes the fields of an object from the first key on that is set a second time, if a key is among the repeated ones, and
// returns an object of them; nil if it is not. Two objects were probably meant, and what separates them was forgotten.
func splitRepeated(n *tree.Node, key string) *tree.Node {
	seen, first := map[string]bool{}, -1
	for i := range n.Fields {
		k := n.Fields[i].Key
		if seen[k] && first < 0 {
			first = i
		}
		if seen[k] && k == key {
			rest := &tree.Node{Kind: tree.Map, Place: n.Fields[first].Place, Fields: n.Fields[first:]}
			n.Fields = n.Fields[:first:first]
			return rest
		}
		seen[k] = true
	}
	return nil
}

// missingSeparator reports that two documents are read as one. An indented separator line is read as a part of the value before it.
func (d *ObjectDecoder) missingSeparator(n, rest *tree.Node, json bool) {
	if json {
		d.Problem(catalogs.ParseProblem, rest.Place, "the keys of two objects are in one, and of each key opm takes only the last").Fix = "end the first object with } before this key, and begin the second with {"
		return
	}
	message := "a line --- is missing before this line: the keys of two objects are in one document, and of each key opm takes only the last"
	if last := &n.Fields[len(n.Fields)-1].Value; strings.HasSuffix(last.Text, " ---") {
		last.Text = strings.TrimSuffix(last.Text, " ---")
		message = "the line --- before this line is indented, so that it does not separate documents, and of each key opm takes only the last"
	}
	d.Problem(catalogs.ParseProblem, rest.Place, "%s", source.Trusted(message)).Fix = "write --- at the start of a line of its own"
}

// duplicateKeys reports top-level keys that differ in case only, which opm rejects, and keys that occur twice, of which it silently
// takes the last.
func (d *ObjectDecoder) duplicateKeys(root *tree.Node) {
	seen := make(map[string]*tree.Field, len(root.Fields))
	for i := range root.Fields {
		f := &root.Fields[i]
		folded := form.FoldKey(f.Key)
		g := seen[folded]
		seen[folded] = f
		switch {
		case g == nil:
		case f.Key == g.Key:
			d.Problem(catalogs.RepeatedKey, f.Place, "%q is set a second time (first in line %d): opm takes only the last value", f.Key, g.Line).Cause = []string{f.Key}
		default:
			d.Problem(catalogs.DuplicateKey, f.Place, "the keys %q and %q differ in case only (the other one is in line %d): opm rejects the object",
				min(f.Key, g.Key), max(f.Key, g.Key), g.Line).Cause = []string{min(f.Key, g.Key), max(f.Key, g.Key)}
		}
	}
}

// metaField returns schema, package or name, which have to be strings in documents of any schema (opm: alpha/declcfg Meta).
func (d *ObjectDecoder) metaField(root *tree.Node, key string) catalogs.Text {
	v := root.Get(key)
	if v == nil {
		for f := range d.MatchingFields(root, key) {
			v = &f.Value
		}
	}
	switch {
	case v == nil:
		return catalogs.Text{}
	case v.Kind == tree.Null:
		d.Problem(catalogs.FieldType, v.Place, "%s is null, but opm expects a string", source.Trusted(key)).Field = key
		return catalogs.Text{Pos: d.Pos(v.Place)}
	}
	return d.StringValue(v, source.Trusted(key))
}

func validBase64(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil
}

func (d *ObjectDecoder) olmPackage(n *tree.Node, name catalogs.Text) *catalogs.Package {
	p := &catalogs.Package{Name: name, DefaultChannel: d.StringField(n, "defaultChannel"), Pos: d.Pos(n.Place)}
	before := len(d.Problems)
	if v := d.LastValue(n, "icon"); v != nil && d.IsObject(v, source.Trusted("icon")) {
		p.Icon = &catalogs.Icon{MediaType: d.StringField(v, "mediatype")}
		if data := d.LastValue(v, "base64data"); data != nil {
			checkBytes(d.Decoder, data, &valuePath{key: "base64data"})
			p.Icon.Data = catalogs.Text{Value: data.Text, Pos: d.Pos(data.Place)}
		}
	}
	d.StringField(n, "description")
	for i := range d.Problems[before:] {
		d.Problems[before+i].DisplayOnly = true
	}
	d.Properties(n, nil)
	return p
}

func (d *ObjectDecoder) channel(n *tree.Node, name, pkg catalogs.Text) *catalogs.Channel {
	c := &catalogs.Channel{Name: name, Package: pkg, Pos: d.Pos(n.Place)}
	items := d.ListField(n, "entries")
	c.Entries = make([]catalogs.Entry, 0, len(items))
	for i := range items {
		item := &items[i]
		for d.AsIntended() && item.Kind == tree.Map {
			rest := splitRepeated(item, "name")
			if rest == nil {
				break
			}
			d.Problem(catalogs.ParseProblem, rest.Place, "a hyphen is missing: an entry sets %q a second time, and opm takes only the last value", rest.Fields[0].Key).Fix =
				"begin each entry with - name"
			c.Entries = append(c.Entries, d.entry(item))
			item = rest
		}
		if d.IsObject(item, source.Trusted("an entry")) {
			c.Entries = append(c.Entries, d.entry(item))
		} else if d.AsIntended() && item.Kind == tree.String {
			c.Entries = append(c.Entries, catalogs.Entry{Name: catalogs.Text{Value: item.Text, Pos: d.Pos(item.Place)}, Pos: d.Pos(item.Place)})
		}
	}
	d.Properties(n, nil)
	return c
}

func (d *ObjectDecoder) entry(n *tree.Node) catalogs.Entry {
	e := catalogs.Entry{Name: d.StringField(n, "name"), Replaces: d.StringField(n, "replaces"), SkipRange: d.StringField(n, "skipRange"), Pos: d.Pos(n.Place)}
	if e.Name.Value != "" {
		e.Pos = e.Name.Pos
	}
	for _, item := range d.ListField(n, "skips") {
		skip := d.StringValue(&item, "an item of skips")
		if item.Kind == tree.Null {
			skip.Pos = d.Pos(item.Place)
		}
		e.Skips = append(e.Skips, skip)
	}
	return e
}

func (d *ObjectDecoder) olmBundle(n *tree.Node, name, pkg catalogs.Text, text []byte, doc source.Document) *catalogs.Bundle {
	b := &catalogs.Bundle{Name: name, Package: pkg, Image: d.StringField(n, "image"), Pos: d.Pos(n.Place), Document: doc}
	versioned := false
	b.Properties = d.Properties(n, func(p *catalogs.Property, v *tree.Node) {
		built := d.checkValue(b, p, v, text)
		if p.Type.Value == catalogs.TypePackage && built != nil && !versioned {
			versioned = true
			d.setVersion(b, built)
		}
	})
	for _, item := range d.ListField(n, "relatedImages") {
		if d.IsObject(&item, source.Trusted("an item of relatedImages")) {
			b.RelatedImages = append(b.RelatedImages, catalogs.RelatedImage{Name: d.StringField(&item, "name"), Image: d.StringField(&item, "image")})
		}
	}
	return b
}

// setVersion sets the version of a bundle from an olm.package property. Fields of a wrong type were reported before.
func (d *ObjectDecoder) setVersion(b *catalogs.Bundle, n *tree.Node) {
	quiet := form.Decoder{File: d.File, Chunk: d.Chunk}
	if !quiet.IsObject(n, source.Trusted("value")) {
		return
	}
	b.PackageName, b.Release = quiet.StringField(n, "packageName"), quiet.StringField(n, "release")
	b.SetVersion(quiet.StringField(n, "version"))
}

// checkValue checks the value of a property, unless it holds a manifest. It returns the value if it had to be built for that.
func (d *ObjectDecoder) checkValue(b *catalogs.Bundle, p *catalogs.Property, v *tree.Node, text []byte) *tree.Node {
	shape := schema.PropertyShapes[p.Type.Value]
	switch {
	case p.HoldsManifest():
		kept := *v // a pointer into the tree would keep all of it
		p.RawValue = &kept
		return nil
	case shape == nil:
		return nil
	}
	built, err := b.Document.Expand(text, *v)
	if err != nil {
		d.Syntax(err)
		return nil
	}
	if p.Type.Value == catalogs.TypePackage && d.AsIntended() {
		d.ReportMisspelt(schema.CorrectPackageValue(&built))
	}
	checkShape(d.Decoder, &built, shape, &valuePath{key: p.Type.Value})
	return &built
}

func (d *ObjectDecoder) olmDeprecations(n *tree.Node, pkg catalogs.Text) *catalogs.Deprecations {
	out := &catalogs.Deprecations{Package: pkg, Pos: d.Pos(n.Place)}
	for _, item := range d.ListField(n, "entries") {
		if !d.IsObject(&item, source.Trusted("an entry")) {
			continue
		}
		e := catalogs.Deprecation{Message: d.StringField(&item, "message"), Pos: d.Pos(item.Place)}
		if ref := d.LastValue(&item, "reference"); ref != nil && d.IsObject(ref, source.Trusted("reference")) {
			e.Schema, e.Name = d.StringField(ref, "schema"), d.StringField(ref, "name")
			e.Pos = d.Pos(ref.Place)
		}
		out.Entries = append(out.Entries, e)
	}
	return out
}

// noteForeign notes a document that is no part of a catalog. Of what is outside the catalog it does not say what it is: a Secret
// has a kind as well.
func (d *ObjectDecoder) noteForeign(f form.ForeignKind, at tree.Place, template bool) {
	if f != form.ConfigKind && d.File.Source.IsRestricted(d.File.Name) {
		f = outsideKind
	}
	d.foreign = append(d.foreign, catalogs.Foreign{What: f.What, Fix: f.Fix, Pos: d.Pos(at), Count: 1, Template: template, Bundle: f == form.TemplateBundle})
}

// withoutSchema recognises a document without a schema, or reports that it lacks one.
func (d *ObjectDecoder) withoutSchema(root *tree.Node, message source.Trusted) {
	f, known := form.ForeignKind{}, false
	if path.Base(d.File.Path) == catalogs.ConfigName {
		f, known = form.ConfigKind, true
	} else if root.Kind == tree.Map {
		f, known = form.RecogniseDocument(root)
	}
	if known {
		d.noteForeign(f, root.Place, false)
		return
	}
	d.Problem(catalogs.SchemaMissing, root.Place, "%s", message)
}

// mergeForeign keeps the first of the documents of a kind in each file, and counts them.
func mergeForeign(all []catalogs.Foreign) []catalogs.Foreign {
	type key struct{ file, what string }
	first := map[key]int{}
	var merged []catalogs.Foreign
	for _, f := range all {
		k := key{f.Pos.File, f.What}
		if i, met := first[k]; met {
			merged[i].Count++
			continue
		}
		first[k] = len(merged)
		merged = append(merged, f)
	}
	return merged
}

// foreignProblems are what opm rejects of what is no part of a catalog: one problem a file and kind.
func foreignProblems(all []catalogs.Foreign) []catalogs.Problem {
	var found []catalogs.Problem
	for _, f := range all {
		if f.Template {
			continue
		}
		what := f.What
		if f.Count > 1 {
			what = fmt.Sprintf("%s (%d objects)", f.What, f.Count)
		}
		message := what + ": opm takes it for a part of the catalog, and rejects the catalog"
		if !f.Bundle {
			message += ", since it has no schema"
		}
		found = append(found, catalogs.Problem{Kind: catalogs.SchemaMissing, Pos: f.Pos, Message: message, Fix: f.Fix, Foreign: true})
	}
	return found
}

// outsideKind is the kind of each recognised document outside the catalog.
var outsideKind = form.ForeignKind{What: "an object of another program", Fix: "take it out of the catalog's folder, or name it in .indexignore"}

// decodeChunk decodes the documents of a chunk that belong to the wanted package. The scratch may be used again afterwards.
func decodeChunk(f *source.File, c stream.Chunk, o form.PackageFilter, scratch *tree.Scratch) *Objects {
	d := NewObjectDecoder(form.NewDecoder(f, c, scratch), o)
	d.InCatalog = true
	if o != "" && !words.MayContain(c.Text, string(o)) {
		return d.Result()
	}
	form.NoteIgnores(f, c)
	return d.decodeAll()
}
