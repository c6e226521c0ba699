package text

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// Table is rows under a header. The columns in Right are aligned to the right.
type Table struct {
	Header []string
	Right  []int
	Rows   [][]Word
}

// Add adds a row.
func (t *Table) Add(cells ...Word) { t.Rows = append(t.Rows, cells) }

// Table writes a table. If the style has Fit, the widest columns are cut until it fits the width.
func (t *Writer) Table(of *Table) {
	header := make([]Word, len(of.Header))
	for i, h := range of.Header {
		header[i] = Word{h, t.Colors.Faint}
	}
	width := 0
	if t.Style.Fit {
		width = t.Style.Width
	}
	for _, line := range (&Table{Right: of.Right, Rows: append([][]Word{header}, of.Rows...)}).Lines(width) {
		t.Line(line)
	}
}

// Lines returns the rows in at most this width; 0 is no limit. Lines have no trailing blanks.
func (t *Table) Lines(width int) []string {
	widths := t.widths()
	if width > 0 {
		shrink(widths, width)
	}
	lines := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		lines[i] = t.layOut(row, widths)
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

const (
	columnGap = 2
	minColumn = 8
)

// shrink narrows the widest column until all fit or all are at minColumn.
func shrink(widths []int, width int) {
	total := columnGap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; total > width; total-- {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= minColumn {
			return
		}
		widths[widest]--
	}
}

func (t *Table) layOut(row []Word, widths []int) string {
	var b strings.Builder
	for i, c := range row {
		text := cutMiddle(c.Text, widths[i])
		pad := strings.Repeat(" ", max(0, widths[i]-runewidth.StringWidth(text)))
		if i > 0 {
			b.WriteString(strings.Repeat(" ", columnGap))
		}
		if t.isRight(i) {
			b.WriteString(pad + c.Brush.Paint(text))
		} else {
			b.WriteString(c.Brush.Paint(text) + pad)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func (t *Table) isRight(column int) bool {
	for _, i := range t.Right {
		if i == column {
			return true
		}
	}
	return false
}

// cutMiddle cuts the middle out of a text: the end of the name of a bundle is its version.
func cutMiddle(s string, width int) string {
	if runewidth.StringWidth(s) <= width {
		return s
	}
	keep := width - 1
	left := runewidth.Truncate(s, keep/2, "")
	right := runewidth.TruncateLeft(s, runewidth.StringWidth(s)-(keep-runewidth.StringWidth(left)), "")
	return left + "…" + right
}

// Width returns the columns that s takes on a terminal.
func Width(s string) int { return runewidth.StringWidth(s) }
