package answer

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/text"
)

// Table is rows under the names of columns. Its zero value is empty.
type Table struct {
	Columns []string // as in a sentence
	Right   []int    // columns that are aligned to the right
	Groups  int      // the first columns, which repeat from row to row
	Fit     bool     // text wraps it even if nobody looks at a terminal
	Caption string
	Steps   bool // text has the rows without names of columns, indented
	rows    []row
}

// row is a row of a table, with sentences that say more about it.
type row struct {
	cells []text.Word
	notes []string
}

// Add adds a row of strings, integers and words.
func (t *Table) Add(cells ...any) { t.rows = append(t.rows, row{cells: text.Say(cells...)}) }

// Note adds sentences to the last row: lines below it in text, a column in Markdown.
func (t *Table) Note(notes ...string) {
	last := &t.rows[len(t.rows)-1]
	last.notes = append(last.notes, notes...)
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.rows) }

// Drop removes a column.
func (t *Table) Drop(column int) {
	t.Columns = slices.Delete(slices.Clone(t.Columns), column, column+1)
	for i := range t.rows {
		t.rows[i].cells = slices.Delete(t.rows[i].cells, column, column+1)
	}
	right := t.Right
	t.Right = nil
	for _, i := range right {
		switch {
		case i > column:
			t.Right = append(t.Right, i-1)
		case i < column:
			t.Right = append(t.Right, i)
		}
	}
	if column < t.Groups {
		t.Groups--
	}
}

func (t *Table) text(w *text.Writer) {
	of := &text.Table{Right: t.Right, Groups: t.Groups}
	for _, name := range t.Columns {
		of.Header = append(of.Header, strings.ToUpper(name))
	}
	if t.Steps {
		of.Header, of.Indent = nil, "  "
	}
	for _, r := range t.rows {
		of.Rows, of.Below = append(of.Rows, r.cells), append(of.Below, r.notes)
	}
	if t.Caption != "" {
		w.Line(of.Indent + w.Paint(text.Faint, text.Safe(t.Caption)))
	}
	fit := w.Style.Fit
	w.Style.Fit = fit || t.Fit
	w.Table(of)
	w.Style.Fit = fit
}

func (t *Table) markdown(m *markdown) {
	names, noted := slices.Clone(t.Columns), false
	for _, r := range t.rows {
		noted = noted || len(r.notes) > 0
		names = append(names, make([]string, max(0, len(r.cells)-len(names)))...)
	}
	if noted {
		names = append(names, "note")
	}
	rule := make([]string, len(names))
	for i := range rule {
		rule[i] = "---"
		if slices.Contains(t.Right, i) {
			rule[i] = "--:"
		}
	}
	if t.Caption != "" {
		paragraph(text.Say(t.Caption, ":")).markdown(m)
	}
	m.begin(false)
	m.WriteString("| " + strings.Join(names, " | ") + " |\n|" + strings.Join(rule, "|") + "|\n")
	for _, r := range t.rows {
		cells := make([]string, len(names))
		for i, c := range r.cells {
			cells[i] = strings.ReplaceAll(text.Sentence{c}.Markdown(), "|", `\|`) // of a code span: elsewhere it is escaped
		}
		notes := words.Map(r.notes, text.Markdown)
		if noted {
			cells[len(cells)-1] = strings.Join(notes, "<br>")
		}
		m.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
}
