package coverage

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/spelling"
)

// and joins names with "and". Of many, only the first are named.
func and(names []string) string { return few(names, "and") }

func or(names []string) string { return few(names, "or") }

func few(names []string, last string) string {
	const most = 5
	switch n := len(names); {
	case n == 0:
		return "nothing"
	case n == 1:
		return names[0]
	case n > most+1:
		return fmt.Sprintf("%s %s %d others", strings.Join(names[:most], ", "), last, n-most)
	default:
		return fmt.Sprintf("%s %s %s", strings.Join(names[:n-1], ", "), last, names[n-1])
	}
}

// is returns the form of "to be" for n things.
func is(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// suggestion returns what to write instead of a name that is not known; "" if nothing is like it.
func suggestion(name string, known []string) string {
	if like, ok := spelling.Nearest(name, known); ok {
		return "write " + like
	}
	return ""
}
