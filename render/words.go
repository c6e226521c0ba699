package render

import (
	"fmt"
	"strings"
)

// count says how many there are of what has a regular plural.
func count(n int, what string) string { return countOf(n, what, what+"s") }

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// plural returns the word for one, or that for several.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// dash returns a text, or a dash if it is empty.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// orNames words alternatives, the first few by name.
func orNames(names []string) string { return fewNames(names, "or") }

func andNames(names []string) string { return fewNames(names, "and") }

func fewNames(names []string, last string) string {
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
