package text

import (
	"slices"
	"strings"
)

// Table is rows under a header. The columns in Right are aligned to the right. The first columns, as many as Groups says, repeat
// from row to row: they become lines of their own if the table is too wide.
type Table struct {
	Header []string // none if the columns need no names
	Right  []int
	Groups int
	Indent string
	Rows   [][]Word
	Below  [][]string // lines below each row, if there are any
}

// Add adds a row.
func (t *Table) Add(cells ...Word) { t.Rows = append(t.Rows, cells) }

// Table writes a table. If the style has Fit it fits the width: cells are wrapped at blanks, and words that are wider than their
// column are on a line of their own. They are never cut.
func (t *Writer) Table(of *Table) {
	if len(of.Header) == 0 {
		t.rows(of)
		return
	}
	header := make([]Word, len(of.Header))
	for i, h := range of.Header {
		header[i] = Word{h, Faint}
	}
	below := append([][]string{nil}, of.Below...)
	t.rows(&Table{Right: of.Right, Groups: of.Groups, Indent: of.Indent, Rows: append([][]Word{header}, of.Rows...), Below: below})
}

// rows writes a table without its header.
func (t *Writer) rows(of *Table) {
	width := t.Style.tableWidth()
	if width > 0 && of.Groups > 0 && total(of.widths()) > width {
		t.writeGrouped(of, width)
		return
	}
	below := of.Indent + "     "
	room := max(0, width-len(of.Indent))
	widths := of.fit(room)
	for i, row := range of.Rows {
		for _, line := range of.layOut(row, widths, room, t.Paint) {
			t.Line(of.Indent + line)
		}
		if i < len(of.Below) {
			for _, note := range of.Below[i] {
				t.Wrapped(below, below+"  ", Styled(note, Warning))
			}
		}
	}
}

const groupIndent = "  "

// writeGrouped writes a table whose first columns are lines above the rows that share them.
func (t *Writer) writeGrouped(of *Table, width int) {
	rest := &Table{}
	for _, i := range of.Right {
		rest.Right = append(rest.Right, i-of.Groups)
	}
	for _, row := range of.Rows {
		rest.Rows = append(rest.Rows, row[of.Groups:])
	}
	widths := rest.fit(width - len(groupIndent))
	for i, row := range rest.Rows {
		group := of.Rows[i][:of.Groups]
		if i == 0 || !sameTexts(group, of.Rows[i-1][:of.Groups]) {
			t.Wrapped("", groupIndent, group...)
		}
		for _, line := range rest.layOut(row, widths, width-len(groupIndent), t.Paint) {
			t.Line(groupIndent + line)
		}
	}
}

func sameTexts(a, b []Word) bool {
	return slices.EqualFunc(a, b, func(a, b Word) bool { return a.Text == b.Text })
}

// widths returns the width of each column.
func (t *Table) widths() []int {
	var widths []int
	for _, row := range t.Rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(c.Text))
		}
	}
	return widths
}

const columnGap = 2

// total returns the width of a line of columns.
func total(widths []int) int {
	sum := columnGap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// fit returns widths of the columns that fit a width; 0 is no limit. It narrows the widest columns: as long as that is enough, none is narrower
// than its widest word, and otherwise none but the first than its header.
func (t *Table) fit(width int) []int {
	widths := t.widths()
	if width == 0 || total(widths) <= width {
		return widths
	}
	headers, words := t.leastWidths(len(widths))
	least := words
	if total(words) > width {
		least = headers
	}
	for total(widths) > width {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// leastWidths returns the widths of the headers of columns, of which the first can be on a line of its own, and of the widest word of each column.
func (t *Table) leastWidths(columns int) (headers, words []int) {
	headers, words = make([]int, columns), make([]int, columns)
	for n, row := range t.Rows {
		for i, cell := range row {
			if n == 0 {
				headers[i] = Width(cell.Text)
			}
			for _, word := range cell.pieces() {
				words[i] = max(words[i], headers[i], Width(word))
			}
		}
	}
	if columns > 0 {
		headers[0] = len(groupIndent)
	}
	return headers, words
}

// layOut returns the lines of a row. A cell with a word that is wider than its column has the rest of the row below it.
func (t *Table) layOut(row []Word, widths []int, width int, paint func(Role, string) string) []string {
	var lines []tableLine
	start, top := 0, 0
	for i, c := range row {
		pieces := c.wrap(widths[i])
		below := top
		for n, piece := range pieces {
			w := Width(piece)
			at := start
			switch {
			case slices.Contains(t.Right, i):
				at = start + max(0, widths[i]-w)
			case width > 0 && start+w > width:
				at = max(0, width-w)
			}
			line := top + n
			for line < len(lines) && lines[line].end > 0 && lines[line].end+columnGap > at {
				line++
			}
			for line >= len(lines) {
				lines = append(lines, tableLine{})
			}
			lines[line].put(at, w, paint(c.Role, piece))
			if w > widths[i] {
				below = line + 1
			}
		}
		top = max(top, below)
		start += widths[i] + columnGap
	}
	all := make([]string, len(lines))
	for i := range lines {
		all[i] = lines[i].text
	}
	return all
}

// tableLine is a line of a row. end is its width.
type tableLine struct {
	text string
	end  int
}

func (l *tableLine) put(at, width int, painted string) {
	if width == 0 {
		return
	}
	l.text += strings.Repeat(" ", at-l.end) + painted
	l.end = at + width
}

// pieces returns what can be on lines of their own.
func (w Word) pieces() []string {
	if w.Role == Command {
		return []string{w.Text}
	}
	return strings.Fields(w.Text)
}

// wrap returns the lines of a text that is wrapped at blanks. A piece that is wider is a line of its own.
func (w Word) wrap(width int) []string {
	if Width(w.Text) <= width {
		return []string{w.Text}
	}
	var lines []string
	used := 0 // columns of the last line
	for _, word := range w.pieces() {
		n := Width(word)
		if last := len(lines) - 1; last >= 0 && used+1+n <= width {
			lines[last] += " " + word
			used += 1 + n
		} else {
			lines = append(lines, word)
			used = n
		}
	}
	return lines
}
