package stream

import (
	"bytes"
	"errors"
	"io"
	"unicode"
)

// MaxDocument is the largest document that is read, in bytes.
const MaxDocument = 512 << 20

// ErrTooLarge says that a document is larger than MaxDocument.
var ErrTooLarge = errors.New("a single document of more than 512 MiB: split it into one document an object")

// Chunk is a run of whole documents of a file.
type Chunk struct {
	Text  []byte
	Off   int64 // of Text in the file
	Line  int   // of its first byte, which begins that line
	First bool  // the file begins here
	Last  bool  // the file ends here
	JSON  bool  // opm tries to read the file as JSON first
}

// WholeText returns the chunk of a file's whole text.
func WholeText(text []byte) Chunk {
	return Chunk{Text: text, Line: 1, First: true, Last: true, JSON: looksLikeJSON(text)}
}

// Split splits a file of a known size into chunks between documents. free returns an empty buffer, whose capacity is the size of a
// chunk unless a document is larger. emit may keep the text of its chunk.
func Split(r io.Reader, size int64, free func() []byte, emit func(Chunk)) error {
	c := Chunk{Text: free()[:0], Line: 1, First: true}
	for {
		n, err := io.ReadFull(r, c.Text[len(c.Text):cap(c.Text)])
		c.Text = c.Text[:len(c.Text)+n]
		if c.First {
			c.JSON = looksLikeJSON(c.Text)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			c.Last = true
			emit(c)
			return nil
		}
		if err != nil {
			return err
		}
		if c, err = emitWhole(c, size, free, emit); err != nil {
			return err
		}
	}
}

// emitWhole emits the whole documents of a full buffer and returns the rest as a chunk to be filled. If there is no whole document
// it returns the same chunk with a larger buffer.
func emitWhole(c Chunk, size int64, free func() []byte, emit func(Chunk)) (Chunk, error) {
	cut := lastBoundary(c.Text, c.JSON)
	if cut == 0 {
		if cap(c.Text) >= MaxDocument {
			return c, ErrTooLarge
		}
		larger := make([]byte, len(c.Text), grow(cap(c.Text), size-c.Off))
		copy(larger, c.Text)
		c.Text = larger
		return c, nil
	}
	rest := c
	rest.First = false
	rest.Off += int64(cut)
	rest.Line += bytes.Count(c.Text[:cut], []byte("\n"))
	tail := c.Text[cut:]
	if rest.Text = free()[:0]; cap(rest.Text) <= len(tail) {
		rest.Text = make([]byte, 0, 2*len(tail))
	}
	rest.Text = append(rest.Text, tail...)
	c.Text = c.Text[:cut]
	emit(c)
	return rest, nil
}

// grow returns the next capacity for a document that has filled have bytes when left bytes remain.
func grow(have int, left int64) int {
	want := 2 * have
	if have >= 8<<20 && left > int64(have) {
		want = int(min(left+1, MaxDocument))
	}
	return min(want, MaxDocument)
}

// looksLikeJSON reports whether opm tries JSON first: a brace is the first thing in the first 4096 bytes.
func looksLikeJSON(text []byte) bool { return LooksLikeObject(text[:min(len(text), 4096)]) }

// LooksLikeObject reports whether the first character of a text, white space aside, is a brace.
func LooksLikeObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeftFunc(text, unicode.IsSpace), []byte("{"))
}

// lastBoundary returns the offset of the last line of text at which a document certainly begins, or 0.
func lastBoundary(text []byte, json bool) int {
	mark, begins := []byte("\n---"), endsYAML
	if json {
		mark, begins = []byte("\n{"), endsJSON
	}
	last := 0
	for at := 0; ; { // forwards, since that is what processors are quick at
		i := bytes.Index(text[at:], mark)
		if i < 0 {
			return last
		}
		if at += i + 1; at > 1 && begins(text[:at-1]) {
			last = at
		}
	}
}

// endsYAML reports whether the line that ends before a separator is not a separator itself: of two in a row opm reads the
// second one as an empty document.
func endsYAML(before []byte) bool {
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return !bytes.HasPrefix(line, []byte("---"))
}

// endsJSON reports whether an object ends before a line that begins with a brace. Inside a JSON text only a comma or a bracket can
// precede such a line, and a string has no line break.
func endsJSON(before []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(before, " \t\r\n"), []byte("}"))
}
