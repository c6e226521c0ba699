package csv

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/spelling"
)

// suggestion returns the fix for an unknown value: the nearest of the known ones, or all of them.
func suggestion(value string, words []string) string {
	for _, w := range words {
		if strings.EqualFold(value, w) {
			return fmt.Sprintf("write %q", w)
		}
	}
	if near, ok := spelling.Nearest(value, words); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use one of: " + strings.Join(words, ", ")
}
