// Package stream reads files of several YAML or JSON documents as opm does (operator-registry: alpha/declcfg walkFiles; Kubernetes:
// util/yaml YAMLOrJSONDecoder).
//
// It is written by hand since that decoder has no places, ends at the first fault, and reads whole files into memory.
package stream

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Document is where a document is in its file.
type Document struct {
	Text []byte
	Off  int64      // in the file
	At   tree.Place // of its first byte
	JSON bool
}

// Fault is why text is not read, or not as intended.
type Fault int

const (
	Syntax    Fault = iota // neither valid YAML nor valid JSON
	Separator              // a document separator followed by more than a comment, which opm rejects
	Lost                   // a second document before the next --- line, which opm silently drops
	NotJSON                // a fault of JSON, after which opm reads the text as YAML, and silently drops all but one document
)

// Reader reads the documents of chunks.
type Reader struct {
	Skip    tree.Skip
	Scratch *tree.Scratch
	// Document gets each document, and Fault what is wrong with the others, in the order of the text.
	Document func(*tree.Node, Document)
	// Fault also gets the text that is not read, which it must not keep.
	Fault func(f Fault, lost Document, err *tree.Error)

	chunk Chunk
	count int // of documents
	fault int // see Read
}

// Read reads a chunk. A fault ends no more than its document. It returns the number of documents before the first fault of JSON, -1
// if there is none: up to the second object opm then tries the rest of the file as YAML, and so does Read if the chunk is the whole
// file.
func (r *Reader) Read(c Chunk) int {
	r.chunk, r.count, r.fault = c, 0, -1
	at := cursor{text: c.Text, line: c.Line, col: 1}
	if c.JSON {
		r.json(at)
	} else {
		r.yaml(at)
	}
	return r.fault
}

// cursor is an offset in a text with its line and column.
type cursor struct {
	text      []byte
	pos       int
	line, col int
}

func (c *cursor) moveTo(pos int) {
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

func (r *Reader) document(root *tree.Node, c cursor, size int, json bool) {
	r.count++
	r.Document(root, r.newDocument(c, size, json))
}

func (r *Reader) newDocument(c cursor, size int, json bool) Document {
	return Document{Text: c.rest()[:size], Off: r.chunk.Off + int64(c.pos), At: c.place(), JSON: json}
}

// json reads objects that follow each other.
func (r *Reader) json(c cursor) {
	for {
		last := c // the end of the last object, where YAML would begin
		c.moveTo(len(c.text) - len(bytes.TrimLeft(c.rest(), " \t\r\n")))
		if c.pos == len(c.text) {
			return
		}
		root, size, err := r.Scratch.ParseJSON(c.rest(), c.place(), r.Skip)
		if err == nil {
			r.document(&root, c, size, true)
			c.moveTo(c.pos + size)
			continue
		}
		if r.fault < 0 {
			r.fault = r.count
			if r.count <= 1 && r.chunk.First && r.chunk.Last && r.yamlInstead(last, err) {
				return
			}
		}
		next := nextObject(c.text, c.pos+err.Off)
		r.Fault(Syntax, r.newDocument(c, next-c.pos, true), err)
		c.moveTo(next)
	}
}

// nextObject returns the offset at or after pos at which the next object seems to begin.
func nextObject(text []byte, pos int) int {
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

// yamlInstead reads the rest as YAML and reports whether the first document of it is good YAML. If it is not, nothing is handed on. Text
// that is lost because of that is lost to the fault of the JSON.
func (r *Reader) yamlInstead(c cursor, fault *tree.Error) bool {
	for c.pos < len(c.text) { // as opm: white space up to the end of the line
		char, size := utf8.DecodeRune(c.rest())
		if !unicode.IsSpace(char) {
			break
		}
		c.moveTo(c.pos + size)
		if char == '\n' {
			break
		}
	}
	var found []func()
	attempt := Reader{Skip: r.Skip, Scratch: r.Scratch, chunk: r.chunk,
		Document: func(root *tree.Node, d Document) { found = append(found, func() { r.Document(root, d) }) },
		Fault: func(f Fault, lost Document, err *tree.Error) {
			if f == Lost {
				f, err = NotJSON, fault
			}
			found = append(found, func() { r.Fault(f, lost, err) })
		},
	}
	if !attempt.yaml(c) {
		return false
	}
	for _, do := range found {
		do()
	}
	return true
}

// yaml reads documents between separator lines and reports whether the first one is good YAML.
func (r *Reader) yaml(c cursor) (ok bool) {
	if !r.chunk.First && isSeparator(c.rest()) {
		c.moveTo(lineEnd(c.text, c.pos)) // it ended the last document of the previous chunk
	}
	ok = true
	for first := true; c.pos < len(c.text); first = false {
		r.checkSeparator(&c)
		end := len(c.text)
		if i := bytes.Index(c.rest(), []byte("\n---")); i >= 0 {
			end = c.pos + i + 1
		}
		good := r.yamlDocument(c, end-c.pos)
		ok = ok && (good || !first)
		c.moveTo(end)
		if end < len(c.text) && isSeparator(c.rest()) {
			c.moveTo(lineEnd(c.text, end))
		}
	}
	return ok
}

func (r *Reader) yamlDocument(c cursor, size int) bool {
	text := c.rest()[:size]
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(slices.Clip(text), '\n') // as opm, which reads lines: a block scalar at the end has it
	}
	root, lost, err := r.Scratch.ParseYAML(text, c.place(), r.Skip)
	if err != nil {
		r.Fault(Syntax, r.newDocument(c, size, false), err)
		return false
	}
	if lost != nil {
		r.Fault(Lost, r.newDocument(c, size, false), &tree.Error{Place: *lost})
	}
	r.document(&root, c, size, false)
	return true
}

// checkSeparator reports a separator line that opm rejects, and skips one of hyphens only.
func (r *Reader) checkSeparator(c *cursor) {
	if bytes.HasPrefix(c.rest(), []byte("---")) && !isSeparator(c.rest()) {
		after := *c
		after.moveTo(c.pos + 3)
		r.Fault(Separator, r.newDocument(after, 0, false), &tree.Error{Place: after.place()})
		if end := lineEnd(c.text, c.pos); len(bytes.Trim(c.text[c.pos:end], "- \t\r\n")) == 0 {
			c.moveTo(end) // only too many hyphens
		}
	}
}

// isSeparator reports whether text begins with a separator line that opm accepts.
func isSeparator(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("---")) {
		return false
	}
	after := bytes.TrimSpace(text[3:lineEnd(text, 0)])
	return len(after) == 0 || after[0] == '#'
}

// lineEnd returns the offset after the line that pos is in.
func lineEnd(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}
