package catalogs

import (
	"bytes"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// inside is where a text stands that is a value of another one.
type inside struct {
	line   int        // of its first line, if each of its lines is one of the file; else 0
	indent int        // of them
	key    tree.Place // of the value
}

// place returns the place in the file of a place in the text: the key's, unless the text stands there as it is.
func (in *inside) place(p tree.Place) tree.Place {
	if in.line == 0 {
		return in.key
	}
	return tree.Place{Line: in.line + p.Line - 1, Col: in.indent + p.Col}
}

// insideOf finds a value in a file that has it as a literal block scalar: its lines are then those below the indicator, all
// indented alike.
func insideOf(file []byte, starts []int, field *tree.Field) *inside {
	in := &inside{key: field.Place}
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
