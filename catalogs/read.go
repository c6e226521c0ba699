package catalogs

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/catalogs/mention"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// heavy are the values that stay unread until somebody knows their property's type.
var heavy = tree.SkipPath("properties [] value")

// only is the name of the package that is read, "" for all packages.
type only string

// wants reports whether objects of a package are read.
func (o only) wants(pkg string) bool { return o == "" || string(o) == pkg }

// read decodes every document of a chunk that is wanted. Nothing stops at a fault. The scratch is free again afterwards.
func read(f *file, c chunk, o only, scratch *tree.Scratch) *objects {
	d := newDecoder(f, c, o, scratch)
	if o != "" && !mention.Possible(c.text, string(o)) {
		return &d.objects
	}
	noteIgnores(f, c)
	d.stream()
	return &d.objects
}

// skip returns what stays unread: nothing of documents that somebody else takes.
func (d *decoder) skip() tree.Skip {
	if d.sink != nil {
		return nil
	}
	return heavy
}

// cursor is an offset in a text that knows its line and column.
type cursor struct {
	text      []byte
	pos       int
	line, col int
}

func (c *cursor) to(pos int) {
	passed := c.text[c.pos:pos]
	if i := bytes.LastIndexByte(passed, '\n'); i < 0 {
		c.col += len(passed)
	} else {
		c.line += bytes.Count(passed, []byte("\n"))
		c.col = len(passed) - i
	}
	c.pos = pos
}

func (c *cursor) rest() []byte      { return c.text[c.pos:] }
func (c *cursor) place() tree.Place { return tree.Place{Line: c.line, Col: c.col} }

// jsonStream reads objects that follow each other, as opm does: JSON first; where that fails before it is sure that the
// file is JSON (after two objects), YAML from there on; and the JSON error where that fails too.
func (d *decoder) jsonStream(c cursor) {
	for {
		behind := c // the last object: where YAML would begin
		c.to(len(c.text) - len(bytes.TrimLeft(c.rest(), " \t\r\n")))
		if c.pos == len(c.text) {
			return
		}
		root, size, err := d.scratch.ParseJSON(c.rest(), c.place(), d.skip())
		if err == nil {
			d.object(&root, c.rest()[:size], d.document(c, size, true))
			c.to(c.pos + size)
			continue
		}
		if d.firstError < 0 {
			d.firstError = d.count
		}
		if d.count <= 1 && d.chunk.first && d.chunk.last && d.yamlInstead(behind) {
			return
		}
		d.syntax(err)
		c.to(resync(c.text, c.pos+err.Off))
	}
}

// resync returns the offset at or behind pos at which the next object seems to begin.
func resync(text []byte, pos int) int {
	for {
		i := bytes.Index(text[pos:], []byte("\n{"))
		if i < 0 {
			return len(text)
		}
		if pos += i + 1; endsJSON(text[:pos-1]) {
			return pos
		}
	}
}

// yamlInstead reads the rest as YAML and reports whether its first document is. If not it leaves no trace.
func (d *decoder) yamlInstead(c cursor) bool {
	for c.pos < len(c.text) { // like opm: white space up to the end of the line
		r, size := utf8.DecodeRune(c.rest())
		if !unicode.IsSpace(r) {
			break
		}
		c.to(c.pos + size)
		if r == '\n' {
			break
		}
	}
	attempt := newDecoder(d.file, d.chunk, d.only, d.scratch)
	var sunk []func()
	if d.sink != nil {
		attempt.sink = func(root *tree.Node, doc document) { sunk = append(sunk, func() { d.sink(root, doc) }) }
	}
	if !attempt.yamlStream(c) {
		return false
	}
	for _, sink := range sunk {
		sink()
	}
	d.objects.add(&attempt.objects)
	return true
}

// yamlStream reads documents between separator lines and reports whether the first one could be read.
func (d *decoder) yamlStream(c cursor) (ok bool) {
	if !d.chunk.first && plainSeparator(c.rest()) {
		c.to(lineEnd(c.text, c.pos)) // it ended the last document of the chunk before
	}
	ok = true
	for first := true; c.pos < len(c.text); first = false {
		d.checkSeparator(c)
		end := len(c.text)
		if i := bytes.Index(c.rest(), []byte("\n---")); i >= 0 {
			end = c.pos + i + 1
		}
		read := d.yamlDocument(c, c.text[c.pos:end])
		ok = ok && (read || !first)
		c.to(end)
		if end < len(c.text) && plainSeparator(c.rest()) {
			c.to(lineEnd(c.text, end))
		}
	}
	return ok
}

func (d *decoder) yamlDocument(c cursor, text []byte) bool {
	root, lost, err := d.scratch.ParseYAML(text, c.place(), d.skip())
	if err != nil {
		d.syntax(err)
		return false
	}
	if lost != nil {
		d.problem(LostDocument, *lost,
			"opm reads only the first document up to the next --- line and silently drops what begins here")
	}
	d.object(&root, text, d.document(c, len(text), false))
	return true
}

// checkSeparator reports a line that begins a document and that opm refuses.
func (d *decoder) checkSeparator(c cursor) {
	if bytes.HasPrefix(c.rest(), []byte("---")) && !plainSeparator(c.rest()) {
		c.to(c.pos + 3)
		d.problem(ParseProblem, c.place(), "opm takes nothing but a comment behind the document separator ---")
	}
}

// plainSeparator reports whether text begins with a separator line as opm wants it.
func plainSeparator(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("---")) {
		return false
	}
	behind := bytes.TrimSpace(text[3:lineEnd(text, 0)])
	return len(behind) == 0 || behind[0] == '#'
}

// lineEnd returns the offset behind the line that pos is in.
func lineEnd(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}
