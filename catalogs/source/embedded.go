package source

import (
	"bytes"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// EmbeddedText is the place of a text that is a value of another one.
type EmbeddedText struct {
	line   int        // of its first line, if each of its lines is one of the file; else 0
	indent int        // of them
	Key    tree.Place // of the value
}

// Place returns the place in the file of a place in the text: that of the key, unless the text is there unchanged.
func (in *EmbeddedText) Place(p tree.Place) tree.Place {
	if in.line == 0 {
		return in.Key
	}
	return tree.Place{Line: in.line + p.Line - 1, Col: in.indent + p.Col}
}

// EmbeddedIn returns the place of a value that is a literal block scalar: its lines are those below the indicator, with the same
// indentation.
func EmbeddedIn(file []byte, starts []int, field *tree.Field) *EmbeddedText {
	in := &EmbeddedText{Key: field.Place}
	indent := -1
	line := field.Value.Line // the one behind it, from 0
	for text := range bytes.Lines([]byte(field.Value.Text)) {
		if line >= len(starts) {
			return in
		}
		text = bytes.TrimSuffix(text, []byte("\n"))
		written, _, _ := bytes.Cut(file[starts[line]:], []byte("\n"))
		written = bytes.TrimSuffix(written, []byte("\r"))
		line++
		if len(text) == 0 && len(bytes.Trim(written, " ")) == 0 {
			continue
		}
		if indent < 0 {
			indent = len(written) - len(text)
		}
		if indent < 0 || len(written) != indent+len(text) || !bytes.HasSuffix(written, text) || len(bytes.Trim(written[:indent], " ")) > 0 {
			return in
		}
	}
	if indent > 0 {
		in.line, in.indent = field.Value.Line+1, indent
	}
	return in
}

func LineStarts(text []byte) []int {
	starts := []int{0}
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], '\n')
		if n < 0 {
			return starts
		}
		i += n + 1
		starts = append(starts, i)
	}
}
