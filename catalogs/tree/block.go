package tree

import "bytes"

// maxBlock is how deep blocks may be nested for blockReader, which is far more than in catalogs. The full parser reads deeper ones.
const maxBlock = 500

// maxKey is how long a key may be up to its colon, in bytes. YAML's limit is the same number of characters.
const maxKey = 1024

// blockReader parses YAML in the plain block style that tools write catalogs in, in one pass: no anchors, tags, directives, explicit
// keys, flow collections except empty ones, and nothing in which parsers of YAML are known to differ. It builds what the full parser
// builds.
//
// Its methods return false for any other text, which may still be good YAML. With a nil Node they only check the text. Methods that read
// a value begin at its first byte and end before the next token.
type blockReader struct {
	text []byte
	base Place // of the text
	skip Skip  // nil when nothing is to stay Raw

	pos  int // of the next byte
	line int // 0-based
	bol  int // where the line starts
	col  int // of the token at pos, 0-based; -1 at the end. Current between values only.
	end  int // after the last value

	marker bool // whether there was a line that may begin another document
	depth  int
	path   []string
	names  [64]string
	*Scratch
}

// parseBlock reads a document. The result is valid only if ok.
func parseBlock(s *Scratch, text []byte, at Place, skip Skip) (root Node, ok bool) {
	if !isPlainText(text) {
		return Node{}, false
	}
	s.reset()
	b := blockReader{Scratch: s, text: text, base: at, skip: skip}
	if !b.start() {
		return Node{}, false
	}
	root.Place = at
	if b.col >= 0 {
		root.Place = b.place()
		ok = b.node(-1, &root)
		return root, ok && b.col < 0 && !b.marker
	}
	return root, !b.marker
}

// expandBlock reads a value that parseBlock left Raw.
func expandBlock(s *Scratch, text []byte, at Place, n Node) (built Node, ok bool) {
	built.Place = n.Place
	if n.End == n.Off {
		return built, true
	}
	b, ok := reenter(s, text, at, n)
	switch {
	case !ok:
	case b.col == n.indent:
		ok = b.list(b.col, &built)
	default:
		ok = b.node(n.indent, &built)
	}
	return built, ok
}

// reenter returns a reader at the beginning of a value that parseBlock left Raw.
func reenter(s *Scratch, text []byte, at Place, n Node) (b blockReader, ok bool) {
	if n.End == n.Off || n.Off < at.Off || n.End > at.Off+len(text) {
		return b, false
	}
	s.reset()
	b = blockReader{Scratch: s, text: text, base: at, pos: n.Off - at.Off, line: n.Line - at.Line}
	b.bol = bytes.LastIndexByte(text[:b.pos], '\n') + 1
	b.col = b.pos - b.bol
	return b, true
}

// start moves to the first value, over a --- line.
func (b *blockReader) start() bool {
	b.skipSpace()
	if b.col == 0 && bytes.HasPrefix(b.text[b.pos:], []byte("---")) && blankAt(b.text, b.pos+3) {
		b.pos += 3
		b.marker = false
		if !b.endLine() {
			return false
		}
		b.skipSpace()
	}
	return !isMarker(b.text[b.pos:])
}

// isMarker reports whether a line may be the marker of another document, or of the end of this one.
func isMarker(line []byte) bool {
	return len(line) >= 3 && (line[0] == '-' || line[0] == '.') && line[1] == line[0] && line[2] == line[0]
}

func (b *blockReader) place() Place { return b.base.shift(b.line, b.pos-b.bol, b.pos) }

// skipSpace skips blanks, comments and line ends.
func (b *blockReader) skipSpace() {
	for b.pos < len(b.text) {
		switch b.text[b.pos] {
		case ' ':
			b.pos++
		case '\n':
			b.lineBreak()
		case '#':
			b.toLineEnd()
		default:
			b.col = b.pos - b.bol
			return
		}
	}
	b.col = -1
}

func (b *blockReader) toLineEnd() {
	if i := bytes.IndexByte(b.text[b.pos:], '\n'); i >= 0 {
		b.pos += i
	} else {
		b.pos = len(b.text)
	}
}

// endLine moves to the line's end. Nothing but a comment may be in between.
func (b *blockReader) endLine() bool {
	from := b.pos
	b.blanks()
	if b.pos == len(b.text) || b.text[b.pos] == '\n' {
		return true
	}
	if b.text[b.pos] == '#' && b.pos > from {
		b.toLineEnd()
		return true
	}
	return false
}

func (b *blockReader) blanks() {
	for b.pos < len(b.text) && b.text[b.pos] == ' ' {
		b.pos++
	}
}

// atItem reports whether a list's item starts here.
func (b *blockReader) atItem() bool {
	return b.pos < len(b.text) && b.text[b.pos] == '-' && blankAt(b.text, b.pos+1)
}

// node reads a value at the start of a line, or after the dash of an item, in a block that is indented by parent.
func (b *blockReader) node(parent int, n *Node) bool {
	if b.atItem() {
		return b.list(b.col, n)
	}
	if b.atKey() {
		return b.mapping(b.col, n)
	}
	return b.scalar(parent, n)
}

// mapping reads a map, its keys indented by col.
func (b *blockReader) mapping(col int, n *Node) bool {
	if b.depth++; b.depth > maxBlock {
		return false
	}
	first := len(b.fields)
	for {
		var ok bool
		if n == nil {
			ok = b.checkKey() && b.value(col, nil, false)
		} else {
			ok = b.field(col)
		}
		if !ok || b.col > col {
			return false
		}
		if b.col < col {
			break
		}
	}
	if n != nil {
		n.Kind = Map
		n.Fields = append([]Field(nil), b.fields[first:]...)
		b.fields = b.fields[:first]
	}
	b.depth--
	return true
}

// field reads a key and its value and appends them to the fields.
func (b *blockReader) field(col int) bool {
	f := Field{Place: b.place()}
	var ok bool
	if f.Key, ok = b.key(); !ok {
		return false
	}
	if b.skip == nil {
		ok = b.value(col, &f.Value, false)
	} else {
		b.path = append(b.path, f.Key)
		ok = b.value(col, &f.Value, b.skip(b.path))
		b.path = b.path[:len(b.path)-1]
	}
	b.fields = append(b.fields, f)
	return ok
}

// value reads what follows the colon of a key that is indented by col.
func (b *blockReader) value(col int, n *Node, raw bool) bool {
	if n != nil {
		n.Place = b.place()
	}
	b.end = b.pos
	build := n
	if raw {
		build = nil
	}
	b.blanks()
	ok := true
	if b.pos == len(b.text) || b.text[b.pos] == '\n' || b.text[b.pos] == '#' {
		b.skipSpace()
		switch {
		case b.col > col:
			n.setPlace(b)
			ok = b.node(col, build)
		case b.col == col && b.atItem():
			n.setPlace(b)
			ok = b.list(col, build)
		}
	} else {
		n.setPlace(b)
		ok = b.scalar(col, build)
	}
	if raw {
		n.Kind, n.End, n.indent = Raw, b.base.Off+b.end, col
	}
	return ok
}

// setPlace sets the place of the value to the current one.
func (n *Node) setPlace(b *blockReader) {
	if n != nil {
		n.Place = b.place()
	}
}

// list reads a list, its dashes indented by col.
func (b *blockReader) list(col int, n *Node) bool {
	if b.depth++; b.depth > maxBlock {
		return false
	}
	first := len(b.items)
	if n != nil && b.skip != nil {
		b.path = append(b.path, "[]")
	}
	for b.col == col && b.atItem() {
		if n == nil {
			if !b.readItem(col, nil) {
				return false
			}
			continue
		}
		var item Node
		if !b.readItem(col, &item) {
			return false
		}
		b.items = append(b.items, item)
	}
	if n != nil {
		n.Kind = List
		n.Items = append([]Node(nil), b.items[first:]...)
		b.items = b.items[:first]
		if b.skip != nil {
			b.path = b.path[:len(b.path)-1]
		}
	}
	b.depth--
	return b.col <= col
}

// readItem reads an item of a list from its dash on.
func (b *blockReader) readItem(col int, n *Node) bool {
	b.pos++
	n.setPlace(b)
	b.end = b.pos
	b.blanks()
	if b.pos < len(b.text) && b.text[b.pos] != '\n' && b.text[b.pos] != '#' {
		b.col = b.pos - b.bol
	} else if b.skipSpace(); b.col <= col {
		return true
	}
	n.setPlace(b)
	return b.node(col, n)
}

// atKey reports whether a key starts here.
func (b *blockReader) atKey() bool {
	_, _, ok := b.keySpan()
	return ok
}

// keySpan returns the text of the key that starts here, with its quotes, and the offset after its colon.
func (b *blockReader) keySpan() (key []byte, after int, ok bool) {
	text := b.text[:min(len(b.text), b.pos+maxKey+2)]
	i := b.pos
	switch {
	case text[i] == '"' || text[i] == '\'':
		if i = quoteEnd(text, i); i < 0 {
			return nil, 0, false
		}
		key = text[b.pos:i]
		for i < len(text) && text[i] == ' ' {
			i++
		}
	case startsPlain(text, i):
		i = plainEnd(text, i+1)
		key = bytes.TrimRight(text[b.pos:i], " ")
	}
	if i >= len(text) || text[i] != ':' || !blankAt(b.text, i+1) || i-b.pos > maxKey {
		return nil, 0, false
	}
	return key, i + 1, len(key) > 0
}

// key reads a key and moves after its colon.
func (b *blockReader) key() (string, bool) {
	text, after, ok := b.keySpan()
	if !ok {
		return "", false
	}
	if text[0] == '"' || text[0] == '\'' {
		if text, ok = b.readQuoted(); !ok {
			return "", false
		}
		b.pos = after
		return b.name(text), true
	}
	b.pos = after
	if !mayBeNonString(text) && string(text) != "<<" {
		return b.name(text), true
	}
	if string(text) == "<<" {
		return "", false
	}
	return keyText(resolve(string(text)), string(text))
}

// checkKey skips a key.
func (b *blockReader) checkKey() bool {
	text, after, ok := b.keySpan()
	if !ok {
		return false
	}
	switch c := text[0]; {
	case c == '"' || c == '\'':
		_, ok = b.readQuoted()
	case c == '<':
		ok = string(text) != "<<"
	case mayBeNonString(text):
		_, ok = keyText(resolve(string(text)), string(text))
	}
	b.pos = after
	return ok
}

// name returns the text as a string. The keys of catalogs are few and repeated, so that the last ones are cached.
func (b *blockReader) name(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	name := &b.names[(len(text)*7+int(text[0])*5+int(text[len(text)-1]))%len(b.names)]
	if *name != string(text) {
		*name = string(text)
	}
	return *name
}
