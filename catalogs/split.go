package catalogs

import (
	"bytes"
	"errors"
	"io"
	"unicode"
)

const (
	// chunkSize is how much of a file is read before it is cut at a document's end and handed to a worker.
	chunkSize = 256 << 10
	// maxDocument bounds the memory that one document can ask for.
	maxDocument = 512 << 20
)

var errDocumentTooLarge = errors.New("a single document of more than 512 MiB: split it into one document an object")

// chunk is a run of whole documents of a file.
type chunk struct {
	text  []byte
	off   int64 // of text in the file
	line  int   // of its first byte, which begins that line
	first bool  // the file begins here
	last  bool  // the file ends here
	json  bool  // the file looks like a JSON stream
}

// split cuts a file into chunks between documents. free may give buffers to use again; emit takes the chunk's text over.
func split(r io.Reader, size int64, free func() []byte, emit func(chunk)) error {
	c := chunk{text: free()[:0], line: 1, first: true}
	for {
		n, err := io.ReadFull(r, c.text[len(c.text):cap(c.text)])
		c.text = c.text[:len(c.text)+n]
		if c.first {
			c.json = looksLikeJSON(c.text)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			c.last = true
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

// emitWhole hands the whole documents of a full buffer on and returns the rest as a chunk to be filled; or, if there is
// none, the same one with a larger buffer.
func emitWhole(c chunk, size int64, free func() []byte, emit func(chunk)) (chunk, error) {
	cut := lastBoundary(c.text, c.json)
	if cut == 0 {
		if cap(c.text) >= maxDocument {
			return c, errDocumentTooLarge
		}
		larger := make([]byte, len(c.text), grow(cap(c.text), size-c.off))
		copy(larger, c.text)
		c.text = larger
		return c, nil
	}
	rest := c
	rest.first = false
	rest.off += int64(cut)
	rest.line += bytes.Count(c.text[:cut], []byte("\n"))
	tail := c.text[cut:]
	if rest.text = free()[:0]; cap(rest.text) <= len(tail) {
		rest.text = make([]byte, 0, 2*len(tail))
	}
	rest.text = append(rest.text, tail...)
	c.text = c.text[:cut]
	emit(c)
	return rest, nil
}

// grow returns the next capacity for a document that has filled have bytes where left bytes are known to remain.
func grow(have int, left int64) int {
	want := 2 * have
	if have >= 8<<20 && left > int64(have) {
		want = int(min(left+1, maxDocument))
	}
	return min(want, maxDocument)
}

// looksLikeJSON reports whether opm tries JSON first: a brace is the first thing in the first 4096 bytes.
func looksLikeJSON(text []byte) bool { return looksLikeObject(text[:min(len(text), 4096)]) }

func looksLikeObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeftFunc(text, unicode.IsSpace), []byte("{"))
}

// lastBoundary returns the offset of the last line of text at which a document surely begins, or 0.
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

// endsJSON reports whether an object ends before a line that begins with a brace. Inside a JSON text nothing but a comma
// or a bracket can stand there, and a string holds no line break.
func endsJSON(before []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(before, " \t\r\n"), []byte("}"))
}
