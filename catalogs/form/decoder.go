// Package form has what the readers of all forms of catalogs share: their options, documents of YAML and JSON with positions and problems,
// values as opm decodes them, and what is not read yet. Each form is a package of its own beside it.
package form

import (
	"fmt"
	"iter"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Report is what there is to report of a text that was read.
type Report struct {
	Problems   []catalogs.Problem
	Lost       words.Words // of what could not be read as documents
	FirstError int         // see stream.Reader.Read
}

// Decoder decodes the values of documents as opm does with encoding/json, which accepts null for any value, ignores unknown keys and the
// case of keys, and rejects values of a wrong type.
type Decoder struct {
	Report
	File        *source.File
	Chunk       stream.Chunk
	InCatalog   bool      // the file is one of a file-based catalog, of which opm reads every file
	Pkg, Bundle string    // of the object that is being decoded, for its problems
	Skip        tree.Skip // of Documents; may be nil
	scratch     *tree.Scratch
}

func NewDecoder(f *source.File, c stream.Chunk, scratch *tree.Scratch) *Decoder {
	return &Decoder{Report: Report{FirstError: -1}, File: f, Chunk: c, scratch: scratch}
}

func (d *Decoder) Pos(p tree.Place) catalogs.Pos {
	if d.File.Source != nil && d.File.Source.Database {
		return catalogs.Pos{File: d.File.Name}
	}
	if d.File.At != (tree.Place{}) {
		p = d.File.At
	}
	return catalogs.Pos{File: d.File.Name, Line: p.Line, Col: p.Col}
}

// PartDecoder returns a decoder for parts of a file's documents, which are JSON or YAML.
func PartDecoder(f *source.File, json bool) *Decoder {
	return NewDecoder(f, stream.Chunk{JSON: json}, new(tree.Scratch))
}

func (d *Decoder) Problem(kind catalogs.ProblemKind, at tree.Place, format string, args ...any) *catalogs.Problem {
	p := catalogs.Problem{Kind: kind, Pos: d.Pos(at), Package: d.Pkg, Bundle: d.Bundle, Message: d.File.Message(format, args...)}
	if d.File.Source.IsRestricted(d.File.Name) {
		p.Package, p.Bundle = "", ""
	}
	d.Problems = append(d.Problems, p)
	return &d.Problems[len(d.Problems)-1]
}

// What to say of a file that is no part of a catalog.
const (
	NotCatalogText = "neither YAML nor JSON of a catalog, and opm reads every file in the folder"
	NotCatalogFix  = "move it out of the folder, or list it in .indexignore"
)

// syntaxIn reports why a text is not a document.
func (d *Decoder) syntaxIn(lost stream.Document, err *tree.Error) {
	switch {
	case d.File.Source.IsRestricted(d.File.Name):
		d.Syntax(err)
	case d.InCatalog && d.File.OtherExtension():
		d.Problem(catalogs.ParseProblem, err.Place, NotCatalogText).Fix = NotCatalogFix
	default:
		m := tree.Explain(lost.Text, lost.At, lost.JSON, err)
		d.Problem(catalogs.ParseProblem, m.Place, "%s", m.Message).Fix = m.Fix
	}
}

func (d *Decoder) Syntax(err *tree.Error) {
	if d.File.Source.IsRestricted(d.File.Name) {
		d.Problem(catalogs.ParseProblem, err.Place, "neither YAML nor JSON that can be read: %s", err.Msg)
		return
	}
	d.Problem(catalogs.ParseProblem, err.Place, "%s", err.Msg)
}

// AsIntended reports whether misspelt words and values of a wrong type are read as what was probably meant: see Options.AsIntended.
func (d *Decoder) AsIntended() bool { return d.File.Source != nil && d.File.Source.AsIntended }

// ReportMisspelt reports words that were corrected.
func (d *Decoder) ReportMisspelt(all []schema.Correction) {
	for _, c := range all {
		kind, message, fix := catalogs.UnknownKey, "%s has the unknown key %q, which is ignored: did you mean %q?", fmt.Sprintf("write %s", c.Meant)
		args := []any{source.Trusted(c.Object), c.Was, c.Meant}
		switch {
		case c.Kind == schema.MisspeltKind:
			message, args = "unknown kind %q: did you mean %q?", args[1:]
		case c.Kind == schema.MisspeltAnnotation:
			message = "%s has the unknown annotation %q: did you mean %q?"
		case c.Kind == schema.MisspeltPropertyType:
			message = "%s has the unknown type %q: did you mean %q?"
		case c.Kind == schema.MisspeltNesting:
			message, fix = "%s has the key %q beside value, and value is empty: %[2]s belongs in value", "indent it, and the keys after it, more than value"
			args = args[:2]
		case c.Kind == schema.MisspeltSchema && c.Meant != "":
			kind, message, args = catalogs.UnknownSchema, "unknown schema %q: did you mean %q? opm ignores the object", args[1:]
		case c.Kind == schema.MisspeltSchema:
			kind, message, args = catalogs.UnknownSchema, "unknown schema %q: opm ignores the object", args[1:2]
			fix = "write olm.package, olm.channel, olm.bundle or olm.deprecations, or a name of your own without olm."
		}
		p := d.Problem(kind, c.Place, message, args...)
		p.Cause, p.Fix, p.Like = []string{c.Was}, fix, c.Meant
	}
}

// Text returns the string at the end of a path of keys. A number or a boolean is returned as in the source.
func (d *Decoder) Text(n *tree.Node, keys ...string) catalogs.Text {
	v := n.At(keys...)
	if v == nil || v.Kind != tree.String && v.Kind != tree.Number && v.Kind != tree.Bool {
		return catalogs.Text{}
	}
	return catalogs.Text{Value: catalogs.SourceText(v), Pos: d.Pos(v.Place)}
}

func Items(n *tree.Node, keys ...string) []tree.Node {
	if v := n.At(keys...); v != nil {
		return v.Items
	}
	return nil
}

// NoteIgnores adds the comments of a chunk that suppress findings, and returns their number. JSON has no comments.
func NoteIgnores(f *source.File, c stream.Chunk) (n int) {
	if c.JSON || f.Source == nil {
		return 0
	}
	comments := tree.SuppressingComments(c.Text, c.Line)
	f.Source.Ignoring.Lock()
	defer f.Source.Ignoring.Unlock()
	for _, one := range comments {
		f.Source.Ignores = append(f.Source.Ignores, source.Comment{File: f.Name, Comment: one})
	}
	return len(comments)
}

// NewTextDecoder returns a decoder of a whole text.
func NewTextDecoder(f *source.File, text []byte) *Decoder {
	return NewDecoder(f, stream.WholeText(text), new(tree.Scratch))
}

// Stream calls a function for each document of the chunk, in which the values that are skipped are left Raw.
func (d *Decoder) Stream(skip tree.Skip, do func(root *tree.Node, text []byte, doc source.Document)) {
	r := stream.Reader{Skip: skip, Scratch: d.scratch, Fault: d.fault, Document: func(root *tree.Node, doc stream.Document) {
		do(root, doc.Text, source.Document{File: d.File, Off: doc.Off, Size: len(doc.Text), At: doc.At, Json: doc.JSON})
	}}
	d.FirstError = r.Read(d.Chunk)
}

// fault reports text that is not read as a document.
func (d *Decoder) fault(f stream.Fault, lost stream.Document, err *tree.Error) {
	if f != stream.Lost { // what opm drops is not in the catalog
		d.Lost.Add(lost.Text)
	}
	switch f {
	case stream.Separator:
		d.Problem(catalogs.ParseProblem, err.Place, "opm accepts only a comment after the document separator ---").Fix = "write --- alone in its line"
	case stream.Lost:
		d.Problem(catalogs.LostDocument, err.Place, "opm reads only the first document up to the next --- line and silently drops what begins here")
	case stream.NotJSON:
		p := d.Problem(catalogs.ParseProblem, err.Place, "this is not JSON: %s; opm reads the text as YAML then, and of that the first object only", err.Msg)
		p.Fix = tree.JSONFix(err.Msg)
	default:
		d.syntaxIn(lost, err)
	}
}

// Documents yields the documents of the decoder's text, of any kind and schema, and where each of them is. What cannot be read is
// left out, and returned by Faults afterwards.
func (d *Decoder) Documents() iter.Seq2[*tree.Node, source.Document] {
	return func(yield func(*tree.Node, source.Document) bool) {
		wanted := true
		d.Stream(d.Skip, func(root *tree.Node, _ []byte, doc source.Document) { wanted = wanted && yield(root, doc) })
	}
}

// Faults returns why documents could not be read.
func (d *Decoder) Faults() []catalogs.Problem {
	var found []catalogs.Problem
	for _, p := range d.Problems {
		if p.Kind == catalogs.ParseProblem || p.Kind == catalogs.UnknownKey {
			found = append(found, p)
		}
	}
	return found
}
