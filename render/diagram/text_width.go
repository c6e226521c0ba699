package diagram

import "strings"

// Widths of the printable ASCII characters in Helvetica, from the blank on, in thousandths of the font size, from the metrics
// of the Adobe core fonts, with which Graphviz lays out text.
var (
	helvetica = [95]int{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
	helveticaBold = [95]int{
		278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
		975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
		333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
		611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
	}
)

// textWidth returns the width of a text at font size 1, and whether the widths of all characters are known; an unknown one
// counts as 1, which is the width of an ellipsis.
func textWidth(text string, bold bool) (width float64, known bool) {
	table := &helvetica
	if bold {
		table = &helveticaBold
	}
	known = true
	for _, r := range text {
		if r < ' ' || r > '~' {
			known = known && r == '…'
			width++
			continue
		}
		width += float64(table[r-' ']) / 1000
	}
	return width, known
}

// wrapText wraps a text at blanks into lines of at most this many characters. Later lines are indented with no-break spaces,
// which Graphviz keeps.
func wrapText(s string, most int) []string {
	var lines []string
	line, length := "", 0
	for word := range strings.FieldsSeq(s) {
		width := len([]rune(word))
		switch {
		case length == 0:
			line, length = word, width
		case length+1+width > most:
			lines = append(lines, line)
			line, length = "\u00a0\u00a0\u00a0"+word, width+3
		default:
			line, length = line+" "+word, length+1+width
		}
	}
	return append(lines, line)
}
