package lint

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// oneOf lists names as the alternatives of a sentence, the first few of many.
func oneOf(names []string) string {
	quoted := make([]string, 0, len(names))
	for _, n := range names {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	switch n := len(quoted); {
	case n == 1:
		return quoted[0]
	case n > 4:
		return fmt.Sprintf("%s or one of the %d others", strings.Join(quoted[:3], ", "), n-3)
	default:
		return strings.Join(quoted[:n-1], ", ") + " or " + quoted[n-1]
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// allOf lists names as the parts of a sentence, the first few of many.
func allOf(names []string) string {
	n := len(names)
	shown := n
	if n > 4 {
		shown = 3
	}
	quoted := make([]string, shown)
	for i := range quoted {
		quoted[i] = strconv.Quote(names[i])
	}
	switch {
	case n > 4:
		return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), n-shown)
	case n > 1:
		return strings.Join(quoted[:n-1], ", ") + " and " + quoted[n-1]
	}
	return strings.Join(quoted, "")
}

// firstKnown returns the first position that is known.
func firstKnown(places ...catalogs.Pos) catalogs.Pos {
	for _, p := range places {
		if p.Known() {
			return p
		}
	}
	return catalogs.Pos{}
}
