package snapshot

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// item is the text of one item of a List, or of documents that are no List.
type item struct {
	Text []byte // valid until the next item
	Line int    // of its first byte in the file
}

// maxItem is the largest item or document that is read, in bytes: a Kubernetes API server takes no object of more than 3 MiB.
const maxItem = 16 << 20

// maxText is the size of the largest text that is read, in bytes, once it is unpacked. It is not held in memory as a whole.
const maxText = 8 << 30

var errTooLong = errors.New("more than 8 GiB of text")

// limited reads a text up to a limit, and then returns an error.
type limited struct {
	from io.Reader
	left int64
}

func (l *limited) Read(to []byte) (int, error) {
	n, err := l.from.Read(to[:min(int64(len(to)), l.left+1)])
	if int64(n) > l.left {
		return int(l.left), errTooLong
	}
	l.left -= int64(n)
	return n, err
}

// tooLarge is the error for an item or document that begins in a line.
func tooLarge(line int) error {
	return &textError{Line: max(line, 1), Msg: "an object of more than 16 MiB"}
}

// textError is where a text cannot be read, and why.
type textError struct {
	Line, Col int // Col is 0 if only the line is known
	Msg       string
}

func (e *textError) Error() string {
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

// addPosition adds the name of a file to an error of its text, "" if it has none, and the position if that is known.
func addPosition(name string, err error) error {
	var at *textError
	switch {
	case name == "":
		return err
	case !errors.As(err, &at):
		return fmt.Errorf("%s: %w", name, err)
	case at.Col == 0:
		return fmt.Errorf("%s:%d: %s", name, at.Line, at.Msg)
	}
	return fmt.Errorf("%s:%d:%d: %s", name, at.Line, at.Col, at.Msg)
}

// items yields the items of a text, which may be compressed with gzip. An error ends it.
func items(from io.Reader) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		r := bufio.NewReaderSize(&limited{from, maxText}, 1<<20)
		if magic, err := r.Peek(2); err == nil && string(magic) == "\x1f\x8b" {
			unpacked, err := gzip.NewReader(r)
			if err != nil {
				yield(item{}, err)
				return
			}
			r = bufio.NewReaderSize(&limited{unpacked, maxText}, 1<<20)
		}
		start, err := r.Peek(4096)
		if err != nil && err != io.EOF {
			yield(item{}, err)
			return
		}
		if err := split(r, start, func(i item) bool { return yield(i, nil) }); err != nil && !errors.Is(err, errStopped) {
			yield(item{}, err)
		}
	}
}

// errStopped says that no more items are wanted.
var errStopped = errors.New("stopped")

// split splits a text that begins with start.
func split(r *bufio.Reader, start []byte, yield func(item) bool) error {
	emit := func(text []byte, line int) error {
		if len(bytes.TrimSpace(text)) > 0 && !yield(item{Text: text, Line: line}) {
			return errStopped
		}
		return nil
	}
	if strict := bytes.TrimLeft(start, " \t\r\n"); bytes.HasPrefix(strict, []byte("{")) && bytes.HasPrefix(bytes.TrimLeft(strict[1:], " \t\r\n"), []byte(`"`)) {
		s := jsonSplitter{from: r, line: 1, emit: emit}
		return s.run()
	}
	s := yamlSplitter{from: r, emit: emit}
	return s.run()
}

// yamlSplitter splits YAML at separators of documents and at the items of block lists under the key items, which begin a line at the
// same column.
type yamlSplitter struct {
	from *bufio.Reader
	emit func(text []byte, line int) error

	line  int    // the number of lines read
	text  []byte // of the current item or document
	start int    // its first line
	// column is that of the dashes of the list that is being read, -1 outside of one. around is the text of the document around it.
	column int
	list   int // the line of its key, 0 if the document has none
	around []byte
	key    bool // the last line was the key of a list
}

func (s *yamlSplitter) run() error {
	s.column = -1
	for {
		line, err := s.next()
		if len(line) > 0 {
			if err := s.add(line); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return s.endDocument()
		case err != nil:
			return err
		}
	}
}

// next reads a line of any length. It is valid until the next call.
func (s *yamlSplitter) next() ([]byte, error) {
	line, err := s.from.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		long := bytes.Clone(line)
		for err == bufio.ErrBufferFull {
			if len(long) > maxItem {
				return nil, tooLarge(s.line + 1)
			}
			line, err = s.from.ReadSlice('\n')
			long = append(long, line...)
		}
		line = long
	}
	if len(line) > 0 {
		s.line++
	}
	return line, err
}

// add adds a line to the current item, or ends that first.
func (s *yamlSplitter) add(line []byte) error {
	if len(s.text)+len(line) > maxItem {
		return tooLarge(s.start)
	}
	if isSeparator(line) {
		err := s.endDocument()
		if s.begin(line, s.line); line[0] == '.' {
			s.begin(nil, s.line+1)
		}
		return err
	}
	content := bytes.TrimLeft(line, " ")
	indent := len(line) - len(content)
	blank := len(bytes.TrimSpace(content)) == 0 || content[0] == '#'
	if s.key && !blank {
		s.afterKey(content, indent)
	}
	if s.column >= 0 && !blank && indent <= s.column {
		if err := s.flush(); err != nil {
			return err
		}
		if indent == s.column && isDash(content) {
			s.begin(line, s.line)
			s.text[indent] = ' '
			return nil
		}
		s.column = -1
		s.begin(s.around, s.list)
	}
	if s.column < 0 && s.list == 0 && isItemsKey(line) {
		s.key, s.list = true, s.line
	}
	s.text = append(s.text, line...)
	return nil
}

// afterKey begins the list of a key, if the next line is an item.
func (s *yamlSplitter) afterKey(content []byte, indent int) {
	s.key = false
	if isDash(content) {
		s.column, s.around = indent, append(s.around[:0], s.text...)
		s.begin(nil, s.line)
	}
}

func (s *yamlSplitter) begin(text []byte, line int) {
	s.text, s.start = append(s.text[:0], text...), line
}

func (s *yamlSplitter) flush() error { return s.emit(s.text, max(s.start, 1)) }

// endDocument emits what is left of the document. Of one with a list that is nothing: but the end of what kubectl prints is its kind.
func (s *yamlSplitter) endDocument() error {
	list, inList := s.list, s.column >= 0
	around := s.text
	if inList {
		if err := s.flush(); err != nil {
			return err
		}
		around = s.around
	}
	s.column, s.key, s.list = -1, false, 0
	if list == 0 || !inList && len(s.around) == 0 {
		return s.flush()
	}
	s.around = nil
	if err := checkAround(around, list); err != nil {
		return err
	}
	return checkList(kindLine(around), list, s.line)
}

// checkAround checks that the text around the items of a list is one object, each key once: of anything else something would not be read.
func checkAround(text []byte, list int) error {
	var found *textError
	reader := stream.Reader{Scratch: &tree.Scratch{},
		Document: func(root *tree.Node, _ stream.Document) { found = cmp.Or(found, repeatedIn(root)) },
		Fault: func(f stream.Fault, lost stream.Document, err *tree.Error) {
			found = cmp.Or(found, convertFault(f, lost, err))
		},
	}
	reader.Read(stream.Chunk{Text: text, Line: 1, First: true, Last: true})
	if found == nil {
		return nil
	}
	return &textError{Line: list, Msg: "around the list that begins in this line: " + found.Msg} // the lines of the text are others
}

// checkList checks that what has items is a List. begin and end are lines.
func checkList(kind string, begin, end int) error {
	switch {
	case kind == "":
		return &textError{Line: end, Msg: fmt.Sprintf("the list that begins in line %d has no kind after it, as if the end of the text were missing", begin)}
	case !strings.HasSuffix(kind, "List"):
		return &textError{Line: begin, Msg: fmt.Sprintf("items in an object of kind %q, which is not a List", kind)}
	}
	return nil
}

// kindLine returns the value of the key kind at the start of a line.
func kindLine(text []byte) string {
	for line := range bytes.Lines(text) {
		if value, ok := bytes.CutPrefix(line, []byte("kind:")); ok {
			return string(bytes.Trim(bytes.TrimSpace(value), `"'`))
		}
	}
	return ""
}

// isSeparator reports whether a line separates documents. What follows in it, if it is not a comment, is for the parser to report.
func isSeparator(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	if !ok {
		rest, ok = bytes.CutPrefix(line, []byte("..."))
	}
	return ok && (len(rest) == 0 || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
}

// isDash reports whether a line begins an item of a list.
func isDash(content []byte) bool {
	return len(content) > 0 && content[0] == '-' && (len(content) == 1 || content[1] == ' ' || content[1] == '\n' || content[1] == '\r')
}

func isItemsKey(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("items:"))
	return ok && len(bytes.TrimSpace(rest)) == 0
}
