package render

import (
	"slices"
	"strings"
	"testing"
)

func TestShortened(t *testing.T) {
	few := "-a\n-b\n c\n"
	if got := strings.Join(slices.Collect(shortenDiff(few)), ""); got != few {
		t.Errorf("a short difference is %q, want %q", got, few)
	}
	many := " a\n" + strings.Repeat("-b\n", manyRemoved) + "+c\n" + strings.Repeat("+d\n", manyRemoved)
	want := " a\n" + strings.Repeat("-b\n", 6) + "-… 34 more lines\n+c\n" + strings.Repeat("+d\n", manyRemoved)
	if got := strings.Join(slices.Collect(shortenDiff(many)), ""); got != want {
		t.Errorf("of many removed lines are shown %q, want %q", got, want)
	}
}
