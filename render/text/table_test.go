package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

// TestTableFits checks that a table fits the width wherever its words do, and that no word is cut or lost.
func TestTableFits(t *testing.T) {
	for _, groups := range []int{0, 1, 2} {
		table := &Table{Header: []string{"PACKAGE", "CHANNEL", "HEAD", "ENTRIES", "NOTE"}, Right: []int{3}, Groups: groups}
		for _, row := range [][]string{
			{"gatekeeper-operator", "stable", "gatekeeper-operator.v3.11.1", "12", "default, deprecated"},
			{"gatekeeper-operator", "candidate-with-a-long-name", "gatekeeper-operator.v3.11.1", "1", ""},
			{"日本", "stable", "v1", "1234567", "multiple channel heads found in graph: v1, v2 and another-one.v1.2.3"},
			{"a", "", "-", "0", "two words"},
		} {
			var cells []Word
			for _, cell := range row {
				cells = append(cells, Plain(cell))
			}
			table.Add(cells...)
		}
		for width := 27; width <= 160; width++ { // the widest word and the indent of groups
			var out bytes.Buffer
			w := NewWriter(&out, Style{Width: width + len(groupIndent), Fit: true})
			w.Table(table)
			w.Flush()
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				if runewidth.StringWidth(line) > width+len(groupIndent) || strings.TrimRight(line, " ") != line {
					t.Errorf("%d groups, %d columns: %q", groups, width, line)
				}
			}
			for _, row := range table.Rows {
				for _, cell := range row {
					for _, word := range strings.Fields(cell.Text) {
						if !strings.Contains(out.String(), word) {
							t.Errorf("%d groups, %d columns: no %s in\n%s", groups, width, word, &out)
						}
					}
				}
			}
		}
	}
}

// TestTableWraps is the layout of cells that are too wide.
func TestTableWraps(t *testing.T) {
	table := &Table{Header: []string{"NAME", "N", "NOTE"}, Right: []int{1}, Groups: 0}
	table.Add(Plain("short"), Plain("1"), Plain("a note of several words"))
	table.Add(Plain("a-name-that-is-long"), Plain("12"), Plain("-"))
	var out bytes.Buffer
	w := NewWriter(&out, Style{Width: 24, Fit: true})
	w.Table(table)
	w.Flush()
	if got, want := out.String(), `NAME        N  NOTE
short       1  a note of
               several
               words
a-name-that-is-long
           12  -
`; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
