package tree

// scalar reads a scalar, or an empty flow collection, in a block that is indented by parent.
func (b *blockReader) scalar(parent int, n *Node) bool {
	switch b.text[b.pos] {
	case '|', '>':
		return b.blockScalar(parent, n)
	case '"', '\'':
		text, ok := b.readQuoted()
		if !ok || !b.endLine() {
			return false
		}
		if n != nil {
			n.Kind, n.Text = String, string(text)
		}
	case '{', '[':
		return b.empty(n)
	default:
		return startsPlain(b.text, b.pos) && b.plain(parent, n)
	}
	b.skipSpace()
	return true
}

// empty reads {} or [].
func (b *blockReader) empty(n *Node) bool {
	kind, closing := Map, byte('}')
	if b.text[b.pos] == '[' {
		kind, closing = List, ']'
	}
	b.pos++
	b.blanks()
	if b.pos == len(b.text) || b.text[b.pos] != closing {
		return false
	}
	b.pos++
	b.end = b.pos
	if n != nil {
		n.Kind = kind
	}
	if !b.endLine() {
		return false
	}
	b.skipSpace()
	return true
}

// plain reads a scalar without quotes. Its further lines are indented by more than parent.
func (b *blockReader) plain(parent int, n *Node) bool {
	start, line := b.pos, b.line
	if !b.plainLine(start + 1) {
		return false
	}
	folded := false
	for b.continuesPlain(parent) {
		if !folded {
			folded = true
			b.buf = append(b.buf[:0], b.text[start:b.end]...)
		}
		b.fold(b.line - line)
		start, line = b.pos, b.line
		if !b.plainLine(start) {
			return false
		}
		b.buf = append(b.buf, b.text[start:b.end]...)
	}
	text := b.text[start:b.end]
	if folded {
		text = b.buf
	}
	b.skipSpace()
	return n.setPlain(text)
}

// plainLine moves to the end of a plain scalar in its line, from an offset after its first byte.
func (b *blockReader) plainLine(from int) bool {
	b.pos = plainEnd(b.text, from)
	b.end = b.pos
	for b.end > from && b.text[b.end-1] == ' ' {
		b.end--
	}
	return b.pos == len(b.text) || b.text[b.pos] == '\n' || b.text[b.pos] == '#'
}

// continuesPlain moves to the next line with text and reports whether that belongs to the scalar.
func (b *blockReader) continuesPlain(parent int) bool {
	for b.pos < len(b.text) {
		switch b.text[b.pos] {
		case ' ':
			b.pos++
		case '\n':
			b.lineBreak()
		case '#':
			return false
		default:
			return b.pos-b.bol > parent
		}
	}
	return false
}

// fold appends what this many line breaks within a scalar mean: one is a blank, and the first of several nothing.
func (b *blockReader) fold(breaks int) {
	if breaks == 1 {
		b.buf = append(b.buf, ' ')
		return
	}
	b.breaks(breaks - 1)
}

func (b *blockReader) breaks(n int) {
	for range n {
		b.buf = append(b.buf, '\n')
	}
}

// setPlain sets the node to the value of a plain scalar. It returns false for a value that JSON does not have.
func (n *Node) setPlain(text []byte) bool {
	if n != nil {
		source := string(text)
		return n.set(resolve(source), source) == ""
	}
	if c := text[0]; c != '.' && c != '+' && c != '-' || len(text) > len("+.inf") {
		return true
	}
	return new(Node).setPlain(text)
}

// blockScalar reads a literal or folded scalar in a block that is indented by parent.
func (b *blockReader) blockScalar(parent int, n *Node) bool {
	folded := b.text[b.pos] == '>'
	chomp, indent, ok := b.blockHeader(parent)
	if !ok {
		return false
	}
	b.buf = b.buf[:0]
	breaks, indent, ok := b.skipBreaks(indent, parent)
	before := 0 // line breaks at the end of the line before: 0 or 1
	flush := true
	for ok && b.pos < len(b.text) && b.pos-b.bol == indent {
		start, wasFlush := b.pos, flush
		flush = b.text[start] != ' ' && b.text[start] != '\t'
		b.toLineEnd()
		if n != nil {
			b.addLine(start, breaks+before, folded && before == 1 && wasFlush && flush)
		}
		b.end = b.pos
		before = b.lineBreak()
		if chomp != '-' {
			b.end = b.pos
		}
		breaks, indent, ok = b.skipBreaks(indent, parent)
	}
	if !ok {
		return false
	}
	if chomp == '+' {
		b.end = max(b.end, b.bol)
		before += breaks
	}
	if n != nil {
		if chomp != '-' {
			b.breaks(before)
		}
		n.Kind, n.Text = String, string(b.buf)
	}
	b.skipSpace()
	return true
}

// addLine appends line breaks, which may be folded, and the text from an offset on.
func (b *blockReader) addLine(start, breaks int, folded bool) {
	if folded {
		b.fold(breaks)
	} else {
		b.breaks(breaks)
	}
	b.buf = append(b.buf, b.text[start:b.pos]...)
}

// blockHeader reads the line with the indicators of a block scalar: its chomping, and its indentation, which is 0 if that is to be
// detected.
func (b *blockReader) blockHeader(parent int) (chomp byte, indent int, ok bool) {
	for b.pos++; b.pos < len(b.text); b.pos++ {
		switch c := b.text[b.pos]; {
		case chomp == 0 && (c == '+' || c == '-'):
			chomp = c
			continue
		case indent == 0 && '1' <= c && c <= '9':
			indent = max(parent, 0) + int(c-'0')
			continue
		}
		break
	}
	ok = b.endLine()
	b.end = b.pos
	b.lineBreak()
	return chomp, indent, ok
}

// lineBreak skips a line feed and returns 1, or 0 at the end of the text.
func (b *blockReader) lineBreak() int {
	if b.pos == len(b.text) {
		return 0
	}
	b.pos++
	b.line++
	b.bol = b.pos
	b.marker = b.marker || isMarker(b.text[b.pos:])
	return 1
}

// skipBreaks skips empty lines and the indentation of the next line of a block scalar. It returns the number of lines, and the
// indentation, which it detects if it is 0.
func (b *blockReader) skipBreaks(indent, parent int) (breaks, found int, ok bool) {
	widest := 0
	for {
		for b.pos < len(b.text) && b.text[b.pos] == ' ' && (indent == 0 || b.pos-b.bol < indent) {
			b.pos++
		}
		widest = max(widest, b.pos-b.bol)
		if b.pos == len(b.text) || b.text[b.pos] != '\n' {
			break
		}
		breaks += b.lineBreak()
	}
	if b.pos < len(b.text) && b.text[b.pos] == '\t' && (indent == 0 || b.pos-b.bol < indent) {
		return 0, 0, false
	}
	if indent == 0 {
		indent = max(widest, parent+1, 1)
	}
	return breaks, indent, true
}
