package catalogs

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"hash/maphash"
	"iter"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/catalogs/mention"
	"github.com/olmgraph/olmgraph/catalogs/misspelt"
	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/syntax"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// objects are the objects of one chunk, in the order of the text.
type objects struct {
	packages     []*Package
	channels     []*Channel
	bundles      []*Bundle
	deprecations []*Deprecations
	others       []Other
	foreign      []Foreign
	sums         map[string]uint64 // by package, of the texts of its objects; the same in any order
	count        int
	text         reading // of the texts that they are in
}

func (o *objects) add(more *objects) {
	o.packages = append(o.packages, more.packages...)
	o.channels = append(o.channels, more.channels...)
	o.bundles = append(o.bundles, more.bundles...)
	o.deprecations = append(o.deprecations, more.deprecations...)
	o.others = append(o.others, more.others...)
	o.text.problems = append(o.text.problems, more.text.problems...)
	o.foreign = append(o.foreign, more.foreign...)
	o.text.unread.Merge(&more.text.unread)
	o.count += more.count
	for pkg, sum := range more.sums {
		o.sum(pkg, sum)
	}
}

// sumSeed is the seed of all sums, which are compared within one process and not stored.
var sumSeed = maphash.MakeSeed()

func (o *objects) sum(pkg string, sum uint64) {
	if o.sums == nil {
		o.sums = map[string]uint64{}
	}
	o.sums[pkg] += sum
}

// reading is what there is to report of a text that was read.
type reading struct {
	problems   []Problem
	unread     mention.Words // of what could not be read as documents
	firstError int           // see stream.Reader.Read
}

// decoder decodes the values of documents as opm does with encoding/json, which accepts null for any value, ignores unknown keys and the
// case of keys, and rejects values of a wrong type.
type decoder struct {
	reading
	file        *file
	chunk       stream.Chunk
	inCatalog   bool   // the file is one of a file-based catalog, of which opm reads every file
	pkg, bundle string // of the object that is being decoded, for its problems
	scratch     *tree.Scratch
}

func newDecoder(f *file, c stream.Chunk, scratch *tree.Scratch) *decoder {
	return &decoder{reading: reading{firstError: -1}, file: f, chunk: c, scratch: scratch}
}

// objectDecoder decodes the objects of a file-based catalog.
type objectDecoder struct {
	*decoder
	objects
	filter packageFilter
}

// newObjectDecoder returns a decoder of the objects of a text.
func newObjectDecoder(d *decoder, o packageFilter) *objectDecoder {
	return &objectDecoder{decoder: d, filter: o}
}

// readObjectsIn returns the objects of a whole text.
func readObjectsIn(f *file, text []byte) *objects {
	d := newObjectDecoder(decoderOf(f, text), "")
	d.inCatalog = true
	return d.stream()
}

// stream reads the objects of the decoder's text.
func (d *objectDecoder) stream() *objects {
	d.decoder.stream(unreadValues, d.object)
	return d.read()
}

// read returns the objects that were read, and what there is to report of their text.
func (d *objectDecoder) read() *objects {
	all := d.objects
	all.text = d.reading
	return &all
}

func (d *decoder) pos(p tree.Place) Pos {
	if d.file.source != nil && d.file.source.database {
		return Pos{File: d.file.name}
	}
	if d.file.embedding != nil {
		p = d.file.embedding.place(p)
	}
	return Pos{File: d.file.name, Line: p.Line, Col: p.Col}
}

// partDecoder returns a decoder for parts of a file's documents, which are JSON or YAML.
func partDecoder(f *file, json bool) *decoder {
	return newDecoder(f, stream.Chunk{JSON: json}, new(tree.Scratch))
}

func (d *decoder) problem(kind ProblemKind, at tree.Place, format string, args ...any) *Problem {
	p := Problem{Kind: kind, Pos: d.pos(at), Package: d.pkg, Bundle: d.bundle, Message: d.file.message(format, args...)}
	if d.file.source.restricted(d.file.name) {
		p.Package, p.Bundle = "", ""
	}
	d.problems = append(d.problems, p)
	return &d.problems[len(d.problems)-1]
}

// otherExtension reports whether a file has an extension that is not one of a catalog's.
func (f *file) otherExtension() bool {
	ext := strings.ToLower(path.Ext(f.name))
	return ext != "" && !slices.Contains([]string{".yaml", ".yml", ".json"}, ext)
}

// What to say of a file that is no part of a catalog.
const (
	notCatalogText = "neither YAML nor JSON of a catalog, and opm reads every file in the folder"
	notCatalogFix  = "move it out of the folder, or list it in .indexignore"
)

// syntaxIn reports why a text is not a document.
func (d *decoder) syntaxIn(lost stream.Document, err *tree.Error) {
	switch {
	case d.file.source.restricted(d.file.name):
		d.syntax(err)
	case d.file.embedding == nil && d.inCatalog && d.file.otherExtension():
		d.problem(ParseProblem, err.Place, notCatalogText).Fix = notCatalogFix
	default:
		m := syntax.Explain(lost.Text, lost.At, lost.JSON, err)
		d.problem(ParseProblem, m.Place, "%s", m.Message).Fix = m.Fix
	}
}

func (d *decoder) syntax(err *tree.Error) {
	if d.file.source.restricted(d.file.name) {
		d.problem(ParseProblem, err.Place, "neither YAML nor JSON that can be read: %s", err.Msg)
		return
	}
	d.problem(ParseProblem, err.Place, "%s", err.Msg)
}

// maxForgotten is the number of objects in a document that are told apart, though what separates them is missing.
const maxForgotten = 100

// object decodes one document, which has several objects if what separates them was forgotten.
func (d *objectDecoder) object(root *tree.Node, text []byte, doc document) {
	if d.asIntended() && root.Kind == tree.Map {
		for range maxForgotten {
			rest := splitRepeated(root, "schema")
			if rest == nil {
				break
			}
			d.missingSeparator(root, rest, doc.json)
			d.objectAlone(root, text, doc)
			root = rest
		}
	}
	d.objectAlone(root, text, doc)
}

// objectAlone decodes one object of a document.
func (d *objectDecoder) objectAlone(root *tree.Node, text []byte, doc document) {
	d.count++
	defer func() { d.pkg, d.bundle = "", "" }()
	if root.Kind != tree.Map {
		d.noObject(root)
		return
	}
	before := len(d.problems)
	if d.asIntended() {
		d.misspelt(misspelt.Object(root, template.IsSchema))
	}
	d.duplicateKeys(root)
	schema, pkg, name := d.metaField(root, "schema"), d.metaField(root, "package"), d.metaField(root, "name")
	d.pkg = pkg.Value
	if schema.Value == SchemaPackage {
		d.pkg = name.Value
	}
	if !d.filter.wants(d.pkg) {
		d.problems = d.problems[:before]
		return
	}
	d.sum(d.pkg, maphash.Bytes(sumSeed, bytes.TrimSpace(text)))
	for i := range d.problems[before:] { // found before the package was known
		if p := &d.problems[before+i]; p.Kind == UnknownKey || p.Kind == UnknownSchema {
			p.Package = d.pkg
		}
	}
	switch schema.Value {
	case "":
		d.withoutSchema(root, "an object without a schema")
	case SchemaPackage:
		d.packages = append(d.packages, d.olmPackage(root, name))
	case SchemaChannel:
		d.channels = append(d.channels, d.channel(root, name, pkg))
	case SchemaBundle:
		d.bundle = name.Value
		d.bundles = append(d.bundles, d.olmBundle(root, name, pkg, text, doc))
	case SchemaDeprecations:
		d.deprecations = append(d.deprecations, d.olmDeprecations(root, pkg))
	default:
		d.other(root, Other{Schema: schema, Package: pkg, Name: name, Pos: d.pos(root.Place)}, before)
	}
}

// noObject reports a document that is no object.
func (d *objectDecoder) noObject(root *tree.Node) {
	if root.Kind == tree.Null {
		d.withoutSchema(root, "an empty document: opm expects an object with a schema")
		return
	}
	p := d.problem(ParseProblem, root.Place, "a document must be an object, not a %s", root.Kind)
	switch {
	case root.Kind == tree.String && d.file.otherExtension():
		p.Message, p.Fix = notCatalogText, notCatalogFix
	case root.Kind == tree.List:
		p.Fix = "write the objects one after the other, without brackets and commas around them"
	}
}

// other adds an object of a schema that is not one of OLM's. Its problems begin at an index.
func (d *objectDecoder) other(root *tree.Node, o Other, problems int) {
	if d.file.source.restricted(d.file.name) {
		return
	}
	d.others = append(d.others, o)
	if template.IsSchema(o.Schema.Value) { // opm's templates are written in any case
		kept := slices.DeleteFunc(d.problems[problems:], func(p Problem) bool { return p.Kind == CaseFoldedField })
		d.problems = d.problems[:problems+len(kept)]
		d.noteForeign(templateKind(o.Schema.Value), root.Place, true)
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
func (d *objectDecoder) missingSeparator(n, rest *tree.Node, json bool) {
	if json {
		d.problem(ParseProblem, rest.Place, "the keys of two objects are in one, and of each key opm takes only the last").Fix = "end the first object with } before this key, and begin the second with {"
		return
	}
	message := "a line --- is missing before this line: the keys of two objects are in one document, and of each key opm takes only the last"
	if last := &n.Fields[len(n.Fields)-1].Value; strings.HasSuffix(last.Text, " ---") {
		last.Text = strings.TrimSuffix(last.Text, " ---")
		message = "the line --- before this line is indented, so that it does not separate documents, and of each key opm takes only the last"
	}
	d.problem(ParseProblem, rest.Place, "%s", trusted(message)).Fix = "write --- at the start of a line of its own"
}

// asIntended reports whether misspelt words and values of a wrong type are read as what was probably meant: see Options.AsIntended.
func (d *decoder) asIntended() bool { return d.file.source != nil && d.file.source.asIntended }

// misspelt reports words that were corrected.
func (d *decoder) misspelt(all []misspelt.Correction) {
	for _, c := range all {
		kind, message, fix := UnknownKey, "%s has the unknown key %q, which is ignored: did you mean %q?", fmt.Sprintf("write %s", c.Meant)
		args := []any{trusted(c.Object), c.Was, c.Meant}
		switch {
		case c.Kind == misspelt.ObjectKind:
			message, args = "unknown kind %q: did you mean %q?", args[1:]
		case c.Kind == misspelt.Annotation:
			message = "%s has the unknown annotation %q: did you mean %q?"
		case c.Kind == misspelt.NoField:
			message, args = "%q is no field of a ClusterServiceVersion, and is ignored: OLM reads the annotation %q", args[1:]
			fix = "set it in metadata.annotations"
		case c.Kind == misspelt.PropertyType:
			message = "%s has the unknown type %q: did you mean %q?"
		case c.Kind == misspelt.Nesting:
			message, fix = "%s has the key %q beside value, and value is empty: %[2]s belongs in value", "indent it, and the keys after it, more than value"
			args = args[:2]
		case c.Kind == misspelt.Schema && c.Meant != "":
			kind, message, args = UnknownSchema, "unknown schema %q: did you mean %q? opm ignores the object", args[1:]
		case c.Kind == misspelt.Schema:
			kind, message, args = UnknownSchema, "unknown schema %q: opm ignores the object", args[1:2]
			fix = "write olm.package, olm.channel, olm.bundle or olm.deprecations, or a name of your own without olm."
		}
		p := d.problem(kind, c.Place, message, args...)
		p.Cause, p.Fix, p.Like = []string{c.Was}, fix, c.Meant
	}
}

// duplicateKeys reports top-level keys that differ in case only, which opm rejects, and keys that occur twice, of which it silently
// takes the last.
func (d *objectDecoder) duplicateKeys(root *tree.Node) {
	seen := make(map[string]*tree.Field, len(root.Fields))
	for i := range root.Fields {
		f := &root.Fields[i]
		folded := foldKey(f.Key)
		g := seen[folded]
		seen[folded] = f
		switch {
		case g == nil:
		case f.Key == g.Key:
			d.problem(RepeatedKey, f.Place, "%q is set a second time (first in line %d): opm takes only the last value", f.Key, g.Line).Cause = []string{f.Key}
		default:
			d.problem(DuplicateKey, f.Place, "the keys %q and %q differ in case only (the other one is in line %d): opm rejects the object",
				min(f.Key, g.Key), max(f.Key, g.Key), g.Line).Cause = []string{min(f.Key, g.Key), max(f.Key, g.Key)}
		}
	}
}

// foldKey returns the same string for all keys that are equal under Unicode case folding.
func foldKey(key string) string {
	for i := 0; i < len(key); i++ {
		if c := key[i]; c >= utf8.RuneSelf {
			return strings.Map(foldRune, key)
		}
	}
	return strings.ToLower(key)
}

// foldRune returns the smallest rune that r folds to.
func foldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(least)
}

// metaField returns schema, package or name, which have to be strings in documents of any schema (opm: alpha/declcfg Meta).
func (d *objectDecoder) metaField(root *tree.Node, key string) Text {
	v := root.Get(key)
	if v == nil {
		for f := range d.matchingFields(root, key) {
			d.reportCase(f, key)
			v = &f.Value
		}
	}
	switch {
	case v == nil:
		return Text{}
	case v.Kind == tree.Null:
		d.problem(FieldType, v.Place, "%s is null, but opm expects a string", trusted(key)).Field = key
		return Text{Pos: d.pos(v.Place)}
	}
	return d.stringValue(v, trusted(key))
}

// matchingFields yields the fields that encoding/json would decode into one field of a struct: those whose keys are equal but for case,
// sorted, since opm sorts keys first. Of a repeated key it yields the last.
func (d *decoder) matchingFields(n *tree.Node, key string) iter.Seq[*tree.Field] {
	return func(yield func(*tree.Field) bool) {
		var found []*tree.Field
		for i := range n.Fields {
			f := &n.Fields[i]
			if (f.Key == key || strings.EqualFold(f.Key, key)) && !repeatsKey(n.Fields[i+1:], f.Key) {
				found = append(found, f)
			}
		}
		if len(found) > 1 {
			slices.SortFunc(found, func(a, b *tree.Field) int { return strings.Compare(a.Key, b.Key) })
		}
		for _, f := range found {
			if !yield(f) {
				return
			}
		}
	}
}

func (d *decoder) reportCase(f *tree.Field, key string) {
	if f.Key != key {
		d.problem(CaseFoldedField, f.Place, "opm reads %q as %q only because it ignores case: write %s", f.Key, trusted(key), trusted(key)).Cause = []string{f.Key}
	}
}

// stringValue decodes a string; null is an empty one.
func (d *decoder) stringValue(n *tree.Node, what trusted) Text {
	switch n.Kind {
	case tree.Null:
		return Text{}
	case tree.String:
		return Text{Value: n.Text, Pos: d.pos(n.Place)}
	}
	d.wrongType(n, what, "a string")
	switch {
	case !d.asIntended():
	case n.Kind == tree.List && len(n.Items) == 1 && n.Items[0].Kind == tree.String:
		return Text{Value: n.Items[0].Text, Pos: d.pos(n.Items[0].Place)}
	case n.Kind == tree.Bool || n.Kind == tree.Number:
		return Text{Value: cmp.Or(n.Source, n.Text), Pos: d.pos(n.Place)}
	}
	return Text{Pos: d.pos(n.Place)}
}

// wrongType reports a value of a type that encoding/json would not decode. what names the value: it is trusted, unless it has keys of
// the text in it.
func (d *decoder) wrongType(n *tree.Node, what any, want trusted) {
	switch {
	case n.Kind == tree.Bool || n.Kind == tree.Number:
		if want == "a string" && n.Source != "" && !d.chunk.JSON {
			d.problem(Coercion, n.Place, "%s is the %s %s, not a string: so YAML 1.1 reads %s without quotes; write %q",
				what, n.Kind, n.Text, n.Source, n.Source)
			break
		}
		d.problem(FieldType, n.Place, "%s is the %s %s, but opm expects %s", what, n.Kind, n.Text, want)
	case n.Kind == tree.String && len(n.Text) <= 40:
		d.problem(FieldType, n.Place, "%s is the string %q, but opm expects %s", what, n.Text, want)
	default:
		d.problem(FieldType, n.Place, "%s is %s, but opm expects %s", what, trusted(n.Kind.WithArticle()), want)
	}
	last := &d.problems[len(d.problems)-1]
	last.Field, last.Fix = fmt.Sprint(what), typeFix(n, want)
}

// typeFix says how to write a value with the wanted type, "" if that is not certain.
func typeFix(n *tree.Node, want trusted) string {
	switch {
	case want == "a list" && n.Kind == tree.String:
		return "write it as the item of a list, after a hyphen"
	case want == "a string" && n.Kind == tree.List:
		return "write one value, without a hyphen or brackets"
	case want == "true or false" && n.Kind == tree.String:
		return "write true or false without quotes"
	case want == "an object" && n.Kind == tree.String:
		return "write a key, a colon and a space before it"
	}
	return ""
}

// values yields the values that encoding/json would decode into one field of a struct, each over the one before. Null is left out,
// since it changes nothing.
func (d *decoder) values(n *tree.Node, key string) iter.Seq[*tree.Node] {
	return func(yield func(*tree.Node) bool) {
		for f := range d.matchingFields(n, key) {
			if f.Value.Kind == tree.Null {
				continue
			}
			d.reportCase(f, key)
			if !yield(&f.Value) {
				return
			}
		}
	}
}

// lastValue returns the last of the values, or nil.
func (d *decoder) lastValue(n *tree.Node, key string) *tree.Node {
	var last *tree.Node
	for v := range d.values(n, key) {
		last = v
	}
	return last
}

// stringField decodes a string field, or the empty string.
func (d *decoder) stringField(n *tree.Node, key string) Text {
	var t Text
	for v := range d.values(n, key) {
		t = d.stringValue(v, trusted(key))
	}
	return t
}

// listField returns the items of a list field.
func (d *decoder) listField(n *tree.Node, key string) []tree.Node {
	var items []tree.Node
	for v := range d.values(n, key) {
		if v.Kind != tree.List {
			d.wrongType(v, trusted(key), "a list")
		}
		items = v.Items
		if d.asIntended() && (v.Kind == tree.String || v.Kind == tree.Map) {
			items = []tree.Node{*v}
		}
	}
	return items
}

// isObject reports whether a value can be decoded into a struct, as null can, and reports a problem if it cannot.
func (d *decoder) isObject(n *tree.Node, what any) bool {
	if n.Kind == tree.Map || n.Kind == tree.Null {
		return true
	}
	d.wrongType(n, what, "an object")
	return false
}

func validBase64(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil
}

func (d *objectDecoder) olmPackage(n *tree.Node, name Text) *Package {
	p := &Package{Name: name, DefaultChannel: d.stringField(n, "defaultChannel"), Pos: d.pos(n.Place)}
	before := len(d.problems)
	if v := d.lastValue(n, "icon"); v != nil && d.isObject(v, trusted("icon")) {
		p.Icon = &Icon{MediaType: d.stringField(v, "mediatype"), Pos: d.pos(v.Place)}
		if data := d.lastValue(v, "base64data"); data != nil {
			d.checkBytes(data, &valuePath{key: "base64data"})
			p.Icon.Data = Text{Value: data.Text, Pos: d.pos(data.Place)}
		}
	}
	d.stringField(n, "description")
	for i := range d.problems[before:] {
		d.problems[before+i].DisplayOnly = true
	}
	d.properties(n, nil)
	return p
}

func (d *objectDecoder) channel(n *tree.Node, name, pkg Text) *Channel {
	c := &Channel{Name: name, Package: pkg, Pos: d.pos(n.Place)}
	items := d.listField(n, "entries")
	c.Entries = make([]Entry, 0, len(items))
	for i := range items {
		item := &items[i]
		for d.asIntended() && item.Kind == tree.Map {
			rest := splitRepeated(item, "name")
			if rest == nil {
				break
			}
			d.problem(ParseProblem, rest.Place, "a hyphen is missing: an entry sets %q a second time, and opm takes only the last value", rest.Fields[0].Key).Fix =
				"begin each entry with - name"
			c.Entries = append(c.Entries, d.entry(item))
			item = rest
		}
		if d.isObject(item, trusted("an entry")) {
			c.Entries = append(c.Entries, d.entry(item))
		} else if d.asIntended() && item.Kind == tree.String {
			c.Entries = append(c.Entries, Entry{Name: Text{Value: item.Text, Pos: d.pos(item.Place)}, Pos: d.pos(item.Place)})
		}
	}
	d.properties(n, nil)
	return c
}

func (d *objectDecoder) entry(n *tree.Node) Entry {
	e := Entry{Name: d.stringField(n, "name"), Replaces: d.stringField(n, "replaces"), SkipRange: d.stringField(n, "skipRange"), Pos: d.pos(n.Place)}
	if e.Name.Value != "" {
		e.Pos = e.Name.Pos
	}
	for _, item := range d.listField(n, "skips") {
		skip := d.stringValue(&item, "an item of skips")
		if item.Kind == tree.Null {
			skip.Pos = d.pos(item.Place)
		}
		e.Skips = append(e.Skips, skip)
	}
	return e
}

func (d *objectDecoder) olmBundle(n *tree.Node, name, pkg Text, text []byte, doc document) *Bundle {
	b := &Bundle{Name: name, Package: pkg, Image: d.stringField(n, "image"), Pos: d.pos(n.Place), document: doc}
	versioned := false
	b.Properties = d.properties(n, func(p *Property, v *tree.Node) {
		built := d.value(b, p, v, text)
		if p.Type.Value == TypePackage && built != nil && !versioned {
			versioned = true
			d.version(b, built)
		}
	})
	for _, item := range d.listField(n, "relatedImages") {
		if d.isObject(&item, trusted("an item of relatedImages")) {
			b.RelatedImages = append(b.RelatedImages, RelatedImage{Name: d.stringField(&item, "name"), Image: d.stringField(&item, "image")})
		}
	}
	return b
}

// version sets the version of a bundle from an olm.package property. Fields of a wrong type were reported before.
func (d *objectDecoder) version(b *Bundle, n *tree.Node) {
	quiet := decoder{file: d.file, chunk: d.chunk}
	if !quiet.isObject(n, trusted("value")) {
		return
	}
	b.PackageName, b.Release = quiet.stringField(n, "packageName"), quiet.stringField(n, "release")
	b.setVersion(quiet.stringField(n, "version"))
}

// properties decodes the properties of an object. value is called for the value of each; it is nil where opm ignores them.
func (d *decoder) properties(n *tree.Node, value func(*Property, *tree.Node)) []Property {
	items := d.listField(n, "properties")
	props := make([]Property, 0, len(items))
	for i := range items {
		item := &items[i]
		if !d.isObject(item, trusted("a property")) {
			continue
		}
		p := Property{Type: d.stringField(item, "type"), Pos: d.pos(item.Place)}
		v := d.lastRawValue(item, "value")
		if value == nil {
			continue
		}
		if v == nil {
			d.problem(FieldType, item.Place, "a property %s without a value: opm rejects the catalog", p.Type.Value).Cause = []string{p.Type.Value}
		} else {
			p.Pos = d.pos(v.Place)
			value(&p, v)
		}
		props = append(props, p)
	}
	return props
}

// lastRawValue is field for a json.RawMessage, of which null is a value.
func (d *decoder) lastRawValue(n *tree.Node, key string) *tree.Node {
	var last *tree.Node
	for f := range d.matchingFields(n, key) {
		last = &f.Value
	}
	return last
}

// value checks the value of a property, unless it holds a manifest. It returns the value if it had to be built for that.
func (d *objectDecoder) value(b *Bundle, p *Property, v *tree.Node, text []byte) *tree.Node {
	shape := propertyShapes[p.Type.Value]
	switch {
	case p.HoldsManifest():
		kept := *v // a pointer into the tree would keep all of it
		p.unread = &kept
		return nil
	case shape == nil:
		return nil
	case p.Type.Value != TypePackage && v.Kind == tree.Raw && b.document.fits(text, *v, shape):
		return nil
	}
	built, err := b.document.expand(text, *v)
	if err != nil {
		d.syntax(err)
		return nil
	}
	if p.Type.Value == TypePackage && d.asIntended() {
		d.misspelt(misspelt.PackageValue(&built))
	}
	d.checkShape(&built, shape, &valuePath{key: p.Type.Value})
	return &built
}

func (d *objectDecoder) olmDeprecations(n *tree.Node, pkg Text) *Deprecations {
	out := &Deprecations{Package: pkg, Pos: d.pos(n.Place)}
	for _, item := range d.listField(n, "entries") {
		if !d.isObject(&item, trusted("an entry")) {
			continue
		}
		e := Deprecation{Message: d.stringField(&item, "message"), Pos: d.pos(item.Place)}
		if ref := d.lastValue(&item, "reference"); ref != nil && d.isObject(ref, trusted("reference")) {
			e.Schema, e.Name = d.stringField(ref, "schema"), d.stringField(ref, "name")
			e.Pos = d.pos(ref.Place)
		}
		out.Entries = append(out.Entries, e)
	}
	return out
}
