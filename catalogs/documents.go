package catalogs

import (
	"fmt"
	"iter"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// decoderOf returns a decoder of a whole text.
func decoderOf(f *file, text []byte) *decoder {
	return newDecoder(f, chunk{text: text, line: 1, first: true, last: true, json: looksLikeJSON(text)}, "", new(tree.Scratch))
}

// stream reads the documents of the chunk.
func (d *decoder) stream() {
	c := cursor{text: d.chunk.text, line: d.chunk.line, col: 1}
	if d.chunk.json {
		d.jsonStream(c)
	} else {
		d.yamlStream(c)
	}
}

// documents yields the documents of the decoder's text, whatever they are, and where each of them is. What cannot be read is
// passed over; afterwards, faults says why.
func (d *decoder) documents() iter.Seq2[*tree.Node, document] {
	return func(yield func(*tree.Node, document) bool) {
		wanted := true
		d.sink = func(root *tree.Node, doc document) { wanted = wanted && yield(root, doc) }
		d.stream()
	}
}

// faults are why documents could not be read.
func (d *decoder) faults() []Problem {
	var found []Problem
	for _, p := range d.problems {
		if p.Kind == ParseProblem {
			found = append(found, p)
		}
	}
	return found
}

// reading is what was met while files were read: what is wrong with them, and how much there was.
type reading struct {
	source   *source
	problems []Problem
	bytes    int64
	files    int
}

func (r *reading) fault(kind ProblemKind, pos Pos, format string, args ...any) {
	r.problems = append(r.problems, Problem{Kind: kind, Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// documents reads a file for the first time and yields its documents, whatever they are, with what knows their places.
func (r *reading) documents(name string) iter.Seq2[*decoder, *tree.Node] {
	return func(yield func(*decoder, *tree.Node) bool) {
		f := &file{source: r.source, path: name, name: r.source.display(name)}
		r.files++
		text, err := f.manifest()
		if err != nil {
			r.unread(f.name, err)
			return
		}
		r.bytes += int64(len(text))
		d := decoderOf(f, text)
		noteIgnores(f, d.chunk)
		for root := range d.documents() {
			if !yield(d, root) {
				break
			}
		}
		r.problems = append(r.problems, d.faults()...)
	}
}
