package report

import (
	"github.com/mattn/go-runewidth"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/render/text"
)

// excerptWindow cuts an excerpt to a width around its column, and returns the column of the caret in the result.
func excerptWindow(e catalogs.Excerpt, width int) (shown string, caret int) {
	before, after := text.Safe(e.Text[:min(e.Col-1, len(e.Text))]), text.Safe(e.Text[min(e.Col-1, len(e.Text)):])
	caret = runewidth.StringWidth(before)
	if limit := max(width*2/3, 20); caret > limit {
		before = "…" + runewidth.TruncateLeft(before, caret-limit+1, "")
		caret = runewidth.StringWidth(before)
	}
	return before + runewidth.Truncate(after, max(width-caret, 10), "…"), caret
}
