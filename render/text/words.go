package text

import (
	"fmt"
	"strings"
)

// Count returns a number and a noun with a regular plural.
func Count(n int, what string) string { return CountOf(n, what, what+"s") }

// CountOf returns a number and the form of the noun for it.
func CountOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Plural returns the form of a word for n things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Dash returns s, or a dash if it is empty.
func Dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Shorten cuts a text to a number of characters, the last of which is then an ellipsis.
func Shorten(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

// Or joins names with "or". Of many, only the first are named.
func Or(names []string) string { return fewNames(names, "or") }

// And joins names with "and". Of many, only the first are named.
func And(names []string) string { return fewNames(names, "and") }

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

// Size says a number of bytes.
func Size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
