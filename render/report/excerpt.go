package report

import (
	"regexp"

	"github.com/mattn/go-runewidth"

	"github.com/olmgraph/olmgraph/catalogs/excerpt"
	"github.com/olmgraph/olmgraph/render/text"
)

// base64Text matches encoded data, longer than any digest.
var base64Text = regexp.MustCompile(`[A-Za-z0-9+/=]{100,}`)

// encodedField matches the rest of a line that has nothing but a key and encoded data.
var encodedField = regexp.MustCompile(`^["']?[\w.-]*["']?:? *["']?…["']?,?$`)

// excerptWindow cuts an excerpt to a width around its column, and returns the column of the caret in the result. Base64 is left
// out; ok is false if nothing else is left.
func excerptWindow(e excerpt.Excerpt, width int) (shown string, caret int, ok bool) {
	at := min(e.Col-1, len(e.Text))
	before, after := text.Safe(withoutBase64(e.Text[:at])), text.Safe(withoutBase64(e.Text[at:]))
	if encodedField.MatchString(after) {
		return "", 0, false
	}
	caret = runewidth.StringWidth(before)
	if limit := max(width*2/3, 20); caret > limit {
		before = "…" + runewidth.TruncateLeft(before, caret-limit+1, "")
		caret = runewidth.StringWidth(before)
	}
	return before + runewidth.Truncate(after, max(width-caret, 10), "…"), caret, true
}

func withoutBase64(s string) string { return base64Text.ReplaceAllString(s, "…") }
