package render

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// cell is one field of a table, in one style.
type cell struct {
	text  string
	brush brush
}

// table is rows under a header. Columns are aligned; those named in right stand to the right.
type table struct {
	header []string
	right  []int
	rows   [][]cell
}

func (t *table) add(cells ...cell) { t.rows = append(t.rows, cells) }

// table writes a table. Where the style wants it to fit into the width the widest columns give way, down to a few characters.
func (t *text) table(of *table) {
	header := make([]cell, len(of.header))
	for i, h := range of.header {
		header[i] = cell{h, t.colors.faint}
	}
	width := 0
	if t.style.Fit {
		width = t.style.Width
	}
	for _, line := range (&table{right: of.right, rows: append([][]cell{header}, of.rows...)}).lines(width) {
		t.line(line)
	}
}

// lines returns the rows, laid out in at most that width; 0 is no limit. Nothing follows the last word of a line.
func (t *table) lines(width int) []string {
	widths := t.widths()
	if width > 0 {
		shrink(widths, width)
	}
	lines := make([]string, len(t.rows))
	for i, row := range t.rows {
		lines[i] = t.layOut(row, widths)
	}
	return lines
}

// widths returns what each column needs.
func (t *table) widths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(safe(c.text)))
		}
	}
	return widths
}

const (
	columnGap   = 2
	leastColumn = 8
)

// shrink takes from the widest column until all fit or none can give any more.
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
		if widths[widest] <= leastColumn {
			return
		}
		widths[widest]--
	}
}

func (t *table) layOut(row []cell, widths []int) string {
	var b strings.Builder
	for i, c := range row {
		text := cutMiddle(safe(c.text), widths[i])
		pad := strings.Repeat(" ", max(0, widths[i]-runewidth.StringWidth(text)))
		if i > 0 {
			b.WriteString(strings.Repeat(" ", columnGap))
		}
		if t.isRight(i) {
			b.WriteString(pad + c.brush.paint(text))
		} else {
			b.WriteString(c.brush.paint(text) + pad)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func (t *table) isRight(column int) bool {
	for _, i := range t.right {
		if i == column {
			return true
		}
	}
	return false
}

// cutMiddle cuts a text to a width out of its middle: of a bundle's name the end matters as much as the beginning.
func cutMiddle(s string, width int) string {
	if runewidth.StringWidth(s) <= width {
		return s
	}
	keep := width - 1
	left := runewidth.Truncate(s, keep/2, "")
	right := runewidth.TruncateLeft(s, runewidth.StringWidth(s)-(keep-runewidth.StringWidth(left)), "")
	return left + "…" + right
}
