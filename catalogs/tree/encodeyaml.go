package tree

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppendYAML appends the value as a document of YAML without ---, as opm writes it: byte for byte what sigs.k8s.io/yaml makes of the
// value's JSON (opm: alpha/declcfg WriteYAML; go.yaml.in/yaml/v2: Marshal). Keys are sorted, and of a repeated key only the last value is
// written. A Raw value is written as null: expand it first.
func (n *Node) AppendYAML(dst []byte) []byte { return n.AppendEscapedYAML(dst, nil) }

// AppendEscapedYAML is AppendYAML, but strings for which escape returns true are written in one line and in double
// quotes, with an escape for each #, each colon, and each character above ASCII that is no letter.
func (n *Node) AppendEscapedYAML(dst []byte, escape func(string) bool) []byte {
	w := yamlWriter{text: dst, line: len(dst), escape: escape}
	w.value(n, -yamlIndent, true)
	w.newLine()
	return w.text
}

const (
	yamlIndent = 2
	yamlWidth  = 80  // a line that is longer is broken at its next space
	simpleKey  = 128 // bytes of a key that is written without ?
)

// yamlWriter writes block style. Its methods leave the position after the last byte of a value.
type yamlWriter struct {
	text   []byte
	line   int               // where the last line starts
	escape func(string) bool // may be nil
}

func (w *yamlWriter) put(text string) { w.text = append(w.text, text...) }

func (w *yamlWriter) newLine() {
	if len(w.text) > w.line {
		w.put("\n")
		w.line = len(w.text)
	}
}

func (w *yamlWriter) indent(n int) {
	w.newLine()
	w.pad(n)
}

// pad writes blanks up to a column.
func (w *yamlWriter) pad(column int) {
	for len(w.text)-w.line < column {
		w.text = append(w.text, ' ')
	}
}

// value writes a value that is in a collection with an indentation. A collection that is inline begins in the line of the dash before it.
func (w *yamlWriter) value(n *Node, indent int, inline bool) {
	switch {
	case n.Kind == Map && len(n.Fields) > 0:
		w.fields(n, indent+yamlIndent, inline)
		return
	case n.Kind == List && len(n.Items) > 0:
		if inline {
			indent += yamlIndent
		}
		w.items(n, indent, inline)
		return
	}
	if len(w.text) > w.line {
		w.put(" ")
	}
	switch n.Kind {
	case Map:
		w.put("{}")
	case List:
		w.put("[]")
	case Bool:
		w.put(n.Text)
	case Number:
		w.put(yamlNumber(n.Text))
	case String:
		w.scalar(n.Text, max(indent, 0)+yamlIndent, false)
	default:
		w.put("null")
	}
}

func (w *yamlWriter) fields(n *Node, indent int, inline bool) {
	for i, f := range n.sortedFields(compareYAMLKeys) {
		if i == 0 && inline {
			w.pad(indent)
		} else {
			w.indent(indent)
		}
		if len(f.Key) <= simpleKey && !strings.ContainsAny(f.Key, yamlBreaks) {
			w.scalar(f.Key, 0, true)
			w.put(":")
			w.value(&f.Value, indent, false)
			continue
		}
		w.put("? ")
		w.scalar(f.Key, indent+yamlIndent, false)
		w.indent(indent)
		w.put(":")
		w.value(&f.Value, indent, true)
	}
}

func (w *yamlWriter) items(n *Node, indent int, inline bool) {
	for i := range n.Items {
		if i == 0 && inline {
			w.pad(indent)
		} else {
			w.indent(indent)
		}
		w.put("-")
		w.value(&n.Items[i], indent, true)
	}
}

// compareYAMLKeys compares keys in the order of the library: letters are after all others, and numbers in keys are compared as numbers.
func compareYAMLKeys(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case i == len(a) || i == len(b):
		return cmp.Compare(len(a), len(b))
	case isASCIILetter(a[i]) && isASCIILetter(b[i]):
		return cmp.Compare(a[i], b[i])
	}
	return compareRunes([]rune(a), []rune(b))
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// compareRunes compares keys of which none is the beginning of the other.
func compareRunes(a, b []rune) int {
	i := 0
	for a[i] == b[i] {
		i++
	}
	switch x, y := unicode.IsLetter(a[i]), unicode.IsLetter(b[i]); {
	case x && y:
		return cmp.Compare(a[i], b[i])
	case x:
		return 1
	case y:
		return -1
	}
	first := int64(0) // the digits before these are a number that is not 0
	if a[i] == '0' || b[i] == '0' {
		for j := i - 1; j >= 0 && unicode.IsDigit(a[j]); j-- {
			if a[j] != '0' {
				first = 1
			}
		}
	}
	x, xEnd := digits(a, i, first)
	y, yEnd := digits(b, i, first)
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(xEnd, yEnd), cmp.Compare(a[i], b[i]))
}

// digits reads a number, and returns where it ends.
func digits(text []rune, from int, n int64) (number int64, end int) {
	for end = from; end < len(text) && unicode.IsDigit(text[end]); end++ {
		n = n*10 + int64(text[end]-'0')
	}
	return n, end
}

// yamlNumber returns a number of JSON as the library writes it.
func yamlNumber(text string) string {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(i, 10)
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		return text
	}
	f, _ := strconv.ParseFloat(text, 64) // tree numbers are in the range of float64
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// The characters that YAML 1.1 reads as line breaks and are not escaped.
const yamlBreaks = "\n\u2028\u2029"

// scalarShape is what the style of a string depends on.
type scalarShape struct {
	special     bool // it has characters that are only written escaped
	breaks      bool
	indicator   bool // it would not be read as a plain scalar
	edge        bool // it begins or ends with a space or a line break
	endsInSpace bool
	breakSpace  bool // a space follows a line break
	spaceBreak  bool
}

// mayMatter has the ASCII characters that scalarShape may depend on.
var mayMatter = func() (set [256]bool) {
	for c := range set {
		set[c] = c <= ' ' || c == ':' || c == '#' || c >= 0x7f
	}
	return set
}()

func shapeOf(s string) scalarShape {
	shape := scalarShape{indicator: strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") || startsLikeIndicator(s)}
	before := ' ' // the character before: ' ', '\n' for any break, 'x' for any other
	for i := 0; i < len(s); {
		if !mayMatter[s[i]] {
			before = 'x'
			i++
			continue
		}
		c, width := utf8.DecodeRuneInString(s[i:])
		first, last := i == 0, i+width == len(s)
		i += width
		switch {
		case c == ' ':
			shape.edge = shape.edge || first || last
			shape.endsInSpace = shape.endsInSpace || last
			shape.breakSpace = shape.breakSpace || before == '\n' && !first
			before = ' '
		case isYAMLBreak(c):
			shape.breaks = true
			shape.edge = shape.edge || first || last
			shape.spaceBreak = shape.spaceBreak || before == ' ' && !first
			before = '\n'
		default:
			shape.indicator = shape.indicator || c == ':' && (last || s[i] == ' ' || s[i] == '\t') || c == '#' && before != 'x'
			shape.special = shape.special || !isYAMLPrintable(c)
			before = 'x'
		}
	}
	return shape
}

// startsLikeIndicator reports whether the first character means something else than text.
func startsLikeIndicator(s string) bool {
	if s == "" {
		return false
	}
	switch s[0] {
	case '#', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return true
	case '?', ':', '-':
		return len(s) == 1 || s[1] == ' ' || s[1] == '\t'
	}
	return false
}

func isYAMLBreak(c rune) bool { return c == '\n' || c == '\u2028' || c == '\u2029' }

// isYAMLPrintable reports whether the library writes a character unescaped.
func isYAMLPrintable(c rune) bool {
	return c == '\n' || ' ' <= c && c <= '~' || 0xa0 <= c && c <= 0xfffd && c != 0xfeff
}

// scalar writes a string, in the first style of plain, single quotes and double quotes that can hold it, or as a literal if it has several
// lines. Its further lines have an indentation; a key has only one.
func (w *yamlWriter) scalar(s string, indent int, key bool) {
	if w.escape != nil && w.escape(s) {
		w.allEscaped(s)
		return
	}
	shape := shapeOf(s)
	double := shape.special || shape.spaceBreak
	switch {
	case strings.ContainsRune(s, '\n'):
		if double || shape.endsInSpace || key {
			w.doubleQuoted(s, indent, key)
		} else {
			w.literal(s, indent)
		}
	case notPlain(s) || double || shape.breakSpace:
		w.doubleQuoted(s, indent, key)
	case shape.edge || shape.breaks || shape.indicator:
		w.put("'")
		w.plain(strings.ReplaceAll(s, "'", "''"), indent, key)
		w.put("'")
	default:
		w.plain(s, indent, key)
	}
}

// notPlain reports whether a string without quotes would be read as something else, or as a number to the base of 60 by others.
func notPlain(s string) bool {
	if !mayBeNonString(s) {
		return false
	}
	return resolve(s).meaning != meansString || isTimestamp(s) || isBase60(s)
}

// isBase60 matches [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?
func isBase60(s string) bool {
	whole, rest, found := strings.Cut(unsigned(s), ":")
	if !found || whole == "" || !isDigit(whole[0]) || strings.Trim(whole, "0123456789_") != "" {
		return false
	}
	parts := strings.Split(rest, ":")
	end, fraction, _ := strings.Cut(parts[len(parts)-1], ".")
	parts[len(parts)-1] = end
	return strings.Trim(fraction, "0123456789_") == "" && !slices.ContainsFunc(parts, func(p string) bool {
		return len(p) == 0 || len(p) > 2 || !isDigit(p[0]) || len(p) == 2 && (p[0] > '5' || !isDigit(p[1]))
	})
}

// yamlLines yields the lines of a string, each with the line break at its end; the last one may have none.
func yamlLines(s string) iter.Seq2[string, string] {
	return func(yield func(line, end string) bool) {
		for s != "" {
			i := strings.IndexAny(s, yamlBreaks)
			if i < 0 {
				yield(s, "")
				return
			}
			_, width := utf8.DecodeRuneInString(s[i:])
			if !yield(s[:i], s[i:i+width]) {
				return
			}
			s = s[i+width:]
		}
	}
}

// plain writes the text of a plain scalar, or what is between single quotes.
func (w *yamlWriter) plain(s string, indent int, key bool) {
	first := true
	for line, end := range yamlLines(s) {
		if line != "" && !first {
			w.pad(indent)
		}
		first = false
		w.words(line, indent, key)
		w.breakLine(end)
	}
}

// breakLine writes a line break of a string.
func (w *yamlWriter) breakLine(end string) {
	if end != "" {
		w.put(end)
		w.line = len(w.text)
	}
}

// words writes a line that may be broken at single spaces.
func (w *yamlWriter) words(s string, indent int, key bool) {
	start, after := 0, false // after a space
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' {
			after = false
			continue
		}
		if key || after || i == 0 || i+1 == len(s) || s[i+1] == ' ' {
			after = true
			continue
		}
		w.put(s[start:i])
		start, after = i, true
		if w.isLong() {
			w.indent(indent)
			start++
		}
	}
	w.put(s[start:])
}

// isLong reports whether the last line has more characters than fit.
func (w *yamlWriter) isLong() bool {
	line := w.text[w.line:]
	return len(line) > yamlWidth && utf8.RuneCount(line) > yamlWidth
}

func (w *yamlWriter) literal(s string, indent int) {
	w.put("|")
	if s[0] == ' ' || strings.IndexAny(s, yamlBreaks) == 0 {
		w.put(strconv.Itoa(yamlIndent))
	}
	last, width := utf8.DecodeLastRuneInString(s)
	before, _ := utf8.DecodeLastRuneInString(s[:len(s)-width])
	switch {
	case !isYAMLBreak(last):
		w.put("-")
	case len(s) == width || isYAMLBreak(before):
		w.put("+")
	}
	w.newLine()
	for line, end := range yamlLines(s) {
		if line != "" {
			w.pad(indent)
		}
		w.put(line)
		w.breakLine(end)
	}
}

// yamlEscapes are the characters after a backslash.
var yamlEscapes = map[rune]string{0: "0", 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 27: "e", '"': `"`, '\\': `\`, 0x85: "N", 0xa0: "_", 0x2028: "L", 0x2029: "P"}

func (w *yamlWriter) doubleQuoted(s string, indent int, key bool) {
	w.put(`"`)
	after := false                        // after a space
	all := strings.HasPrefix(s, "\ufeff") // then the library writes every character escaped
	for i, c := range s {
		switch {
		case all || !isYAMLPrintable(c) || isYAMLBreak(c) || c == '"' || c == '\\':
			w.escaped(c)
			after = false
			continue
		case c == ' ' && !key && !after && i > 0 && i < len(s)-1 && w.isLong():
			w.indent(indent)
			if s[i+1] == ' ' {
				w.put(`\`)
			}
		default:
			w.text = utf8.AppendRune(w.text, c)
		}
		after = c == ' '
	}
	w.put(`"`)
}

// allEscaped writes a string in one line.
func (w *yamlWriter) allEscaped(s string) {
	w.put(`"`)
	for _, c := range s {
		if ' ' <= c && c <= '~' && !strings.ContainsRune("#:\"\\", c) || c < 0xfffe && unicode.IsLetter(c) {
			w.text = utf8.AppendRune(w.text, c)
		} else {
			w.escaped(c)
		}
	}
	w.put(`"`)
}

func (w *yamlWriter) escaped(c rune) {
	escape := yamlEscapes[c]
	switch {
	case escape != "":
	case c <= 0xff:
		escape = fmt.Sprintf("x%02X", c)
	case c <= 0xffff:
		escape = fmt.Sprintf("u%04X", c)
	default:
		escape = fmt.Sprintf("U%08X", c)
	}
	w.put(`\` + escape)
}
