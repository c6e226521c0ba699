package report

import (
	"github.com/mattn/go-runewidth"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/render/text"
)

// window cuts an excerpt to a width around its column, and returns how many columns of the result stand before it.
func window(e catalogs.Excerpt, width int) (shown string, caret int) {
	before, after := text.Safe(e.Text[:min(e.Col-1, len(e.Text))]), text.Safe(e.Text[min(e.Col-1, len(e.Text)):])
	caret = runewidth.StringWidth(before)
	if room := max(width*2/3, 20); caret > room {
		before = "…" + runewidth.TruncateLeft(before, caret-room+1, "")
		caret = runewidth.StringWidth(before)
	}
	return before + runewidth.Truncate(after, max(width-caret, 10), "…"), caret
}
