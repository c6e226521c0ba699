package catalogs

import (
	"fmt"
	"iter"

	"github.com/olmgraph/olmgraph/catalogs/mention"
	"github.com/olmgraph/olmgraph/catalogs/misspelt"
	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/syntax"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// packageFilter is the name of the package that is read, "" for all packages.
type packageFilter string

// wants reports whether objects of a package are read.
func (o packageFilter) wants(pkg string) bool { return o == "" || string(o) == pkg }

// unreadValues are the values that are not built before the type of their property is known.
var unreadValues = tree.SkipPath("properties [] value")

// read decodes the documents of a chunk that belong to the wanted package. The scratch may be used again afterwards.
func read(f *file, c stream.Chunk, o packageFilter, scratch *tree.Scratch) *objects {
	d := newDecoder(f, c, o, scratch)
	if o != "" && !mention.Possible(c.Text, string(o)) {
		return &d.objects
	}
	noteIgnores(f, c)
	d.stream()
	return &d.objects
}

// decoderOf returns a decoder of a whole text.
func decoderOf(f *file, text []byte) *decoder {
	return newDecoder(f, stream.Whole(text), "", new(tree.Scratch))
}

// stream reads the documents of the chunk.
func (d *decoder) stream() {
	r := stream.Reader{Skip: unreadValues, Scratch: d.scratch, Fault: d.fault, Document: func(root *tree.Node, doc stream.Document) {
		d.object(root, doc.Text, document{file: d.file, off: doc.Off, size: len(doc.Text), at: doc.At, json: doc.JSON})
	}}
	if d.onDocument != nil {
		r.Skip = nil
	}
	d.firstError = r.Read(d.chunk)
}

// fault reports text that is not read as a document.
func (d *decoder) fault(f stream.Fault, lost stream.Document, err *tree.Error) {
	d.unread.Add(lost.Text)
	switch f {
	case stream.Separator:
		d.problem(ParseProblem, err.Place, "opm accepts only a comment after the document separator ---").Fix = "write --- alone in its line"
	case stream.Lost:
		d.problem(LostDocument, err.Place, "opm reads only the first document up to the next --- line and silently drops what begins here")
	case stream.NotJSON:
		p := d.problem(ParseProblem, err.Place, "this is not JSON: %s; opm reads the text as YAML then, and of that the first object only", err.Msg)
		p.Fix = syntax.JSONFix(err.Msg)
	default:
		d.syntaxIn(lost, err)
	}
}

// documents yields the documents of the decoder's text, of any kind and schema, and where each of them is. What cannot be read is
// left out, and returned by faults afterwards.
func (d *decoder) documents() iter.Seq2[*tree.Node, document] {
	return func(yield func(*tree.Node, document) bool) {
		wanted := true
		d.onDocument = func(root *tree.Node, doc document) { wanted = wanted && yield(root, doc) }
		d.stream()
	}
}

// faults returns why documents could not be read.
func (d *decoder) faults() []Problem {
	var found []Problem
	for _, p := range d.problems {
		if p.Kind == ParseProblem || p.Kind == UnknownKey {
			found = append(found, p)
		}
	}
	return found
}

// fileReader reads files of a source that are not of a file-based catalog, and counts them and their problems.
type fileReader struct {
	source   *source
	problems []Problem
	bytes    int64
	files    int
	ignores  int // comments that suppress findings
	unread   mention.Words
}

// attribute sets the package and the bundle of misspelt keys, which are known only once the files are read.
func (r *fileReader) attribute(pkg, bundle string) {
	for i := range r.problems {
		if p := &r.problems[i]; p.Kind == UnknownKey {
			p.Package, p.Bundle = pkg, bundle
		}
	}
}

func (r *fileReader) addProblem(kind ProblemKind, pos Pos, format string, args ...any) {
	r.problems = append(r.problems, Problem{Kind: kind, Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// documents reads a file and yields its documents, of any kind, each with a decoder that has its positions.
func (r *fileReader) documents(name string) iter.Seq2[*decoder, *tree.Node] {
	return func(yield func(*decoder, *tree.Node) bool) {
		f := &file{source: r.source, path: name, name: r.source.display(name)}
		r.files++
		text, err := f.readManifest()
		if err != nil {
			r.addUnreadable(f.name, err)
			return
		}
		r.bytes += int64(len(text))
		d := decoderOf(f, text)
		r.ignores += noteIgnores(f, d.chunk)
		for root := range d.documents() {
			if d.asIntended() {
				d.misspelt(misspelt.Manifest(root))
			}
			if !yield(d, root) {
				break
			}
		}
		r.unread.Merge(&d.unread)
		r.problems = append(r.problems, d.faults()...)
	}
}
