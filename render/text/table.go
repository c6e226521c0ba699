package text

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
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
		t.Rows(of)
		return
	}
	header := make([]Word, len(of.Header))
	for i, h := range of.Header {
		header[i] = Word{h, Faint}
	}
	below := append([][]string{nil}, of.Below...)
	t.Rows(&Table{Right: of.Right, Groups: of.Groups, Indent: of.Indent, Rows: append([][]Word{header}, of.Rows...), Below: below})
}

// Rows writes a table without its header.
func (t *Writer) Rows(of *Table) {
	width := t.Style.tableWidth()
	if width > 0 && of.Groups > 0 && total(of.widths()) > width {
		t.grouped(of, width)
		return
	}
	below := of.Indent + "     "
	for i, lines := range of.lines(max(0, width-len(of.Indent)), t.Paint) {
		for _, line := range lines {
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

// grouped writes a table whose first columns are lines above the rows that share them.
func (t *Writer) grouped(of *Table, width int) {
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

// lines returns the lines of each row in at most this width; 0 is no limit. Lines have no trailing blanks.
func (t *Table) lines(width int, paint func(Role, string) string) [][]string {
	widths := t.fit(width)
	lines := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		lines[i] = t.layOut(row, widths, width, paint)
	}
	return lines
}

// widths returns the width of each column.
func (t *Table) widths() []int {
	var widths []int
	for _, row := range t.Rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(c.Text))
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

// fit returns widths of the columns that fit a width; 0 is no limit. It narrows the columns that cost the fewest lines. No column
// but the first is narrower than its header.
func (t *Table) fit(width int) []int {
	widths := t.widths()
	if width == 0 || total(widths) <= width {
		return widths
	}
	columns := t.columns()
	for total(widths) > width {
		best, narrow, cost := -1, 0, 0.0
		for i := range columns {
			c := &columns[i]
			to := max(c.narrower(widths[i]), widths[i]-(total(widths)-width)) // no narrower than needed
			if to >= widths[i] {
				continue
			}
			if per := float64(c.lines(to)-c.lines(widths[i])) / float64(widths[i]-to); best < 0 || per < cost {
				best, narrow, cost = i, to, per
			}
		}
		if best < 0 {
			break
		}
		widths[best] = narrow
	}
	return widths
}

// column is a column whose cells are measured. The first is the header.
type column struct {
	cells []tableCell
	least int         // width
	costs map[int]int // what lines returned for a width
}

// tableCell has the widths of a text, of its words, and of the widest of them.
type tableCell struct {
	width, widest int
	words         []int
}

// lines returns the number of lines in which wrapped breaks a text that is wider than width.
func (c *tableCell) lines(width int) int {
	n, used := 0, 0
	for _, w := range c.words {
		if n > 0 && used+1+w <= width {
			used += 1 + w
		} else {
			n, used = n+1, w
		}
	}
	return n
}

func (t *Table) columns() []column {
	var columns []column
	for _, row := range t.Rows {
		for i, word := range row {
			if i == len(columns) {
				columns = append(columns, column{least: len(groupIndent), costs: map[int]int{}}) // cells of the first column can be lines of their own
			}
			cell := tableCell{width: runewidth.StringWidth(word.Text)}
			for _, piece := range word.pieces() {
				cell.words = append(cell.words, runewidth.StringWidth(piece))
				cell.widest = max(cell.widest, cell.words[len(cell.words)-1])
			}
			columns[i].cells = append(columns[i].cells, cell)
		}
	}
	for i := range columns[1:] {
		columns[i+1].least = columns[i+1].cells[0].width
	}
	return columns
}

// narrower returns the next smaller width at which other cells fit, or width if there is none.
func (c *column) narrower(width int) int {
	if width <= c.least {
		return width
	}
	to := c.least
	for i := range c.cells {
		for _, w := range []int{c.cells[i].width, c.cells[i].widest} {
			if w < width {
				to = max(to, w)
			}
		}
	}
	return to
}

// lines returns how many lines a width costs: those of wrapped cells and those below a word that is too wide. The header counts as
// a quarter of the rows.
func (c *column) lines(width int) int {
	if sum, known := c.costs[width]; known {
		return sum
	}
	sum := 0
	for i := range c.cells {
		cell, more := &c.cells[i], 0
		switch {
		case cell.width <= width:
			continue
		case cell.width > cell.widest:
			more = cell.lines(width) - 1
		}
		if cell.widest > width {
			more += 2 // it also tears the row
		}
		if i == 0 {
			more += len(c.cells) / 4
		}
		sum += more
	}
	c.costs[width] = sum
	return sum
}

// layOut returns the lines of a row. A cell with a word that is wider than its column has the rest of the row below it.
func (t *Table) layOut(row []Word, widths []int, width int, paint func(Role, string) string) []string {
	var lines []tableLine
	start, top := 0, 0
	for i, c := range row {
		pieces := c.wrapped(widths[i])
		below := top
		for n, piece := range pieces {
			w := runewidth.StringWidth(piece)
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

// wrapped returns the lines of a text that is wrapped at blanks. A piece that is wider is a line of its own.
func (w Word) wrapped(width int) []string {
	if runewidth.StringWidth(w.Text) <= width {
		return []string{w.Text}
	}
	var lines []string
	used := 0 // columns of the last line
	for _, word := range w.pieces() {
		n := runewidth.StringWidth(word)
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

// Width returns the columns that s takes on a terminal.
func Width(s string) int { return runewidth.StringWidth(s) }
