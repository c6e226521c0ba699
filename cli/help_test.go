package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHelpWidth checks that the help of all commands fits the width and loses no word.
func TestHelpWidth(t *testing.T) {
	for _, c := range (&program{}).app().Commands {
		wide := strings.Fields(strings.ReplaceAll(helpText(c, 1000), `\`, ""))
		for _, width := range []int{60, 80, 120} {
			help := helpText(c, width)
			for line := range strings.Lines(help) {
				if got := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); got > width && strings.Contains(strings.TrimSuffix(strings.TrimSpace(line), ` \`), " ") {
					t.Errorf("%s --help: %d columns of %d: %s", c.Name, got, width, line)
				}
			}
			if got := strings.Fields(strings.ReplaceAll(help, `\`, "")); !slices.Equal(got, wide) {
				t.Errorf("%s --help has other words at %d columns", c.Name, width)
			}
		}
	}
	var out, errs bytes.Buffer
	if got := Run(t.Context(), []string{"olmgraph", "help"}, nil, &out, &errs, nil); got != statusClean || strings.Contains(out.String(), "former name") {
		t.Errorf("status %d: %s%s", got, &out, &errs)
	}
}
