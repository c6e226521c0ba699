package text

import (
	"fmt"
)

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
