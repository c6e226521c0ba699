package diagram

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// mermaidLabel quotes the lines of a label for Mermaid, without the empty ones.
func mermaidLabel(lines ...string) string {
	var escaped []string
	for _, line := range lines {
		if line != "" {
			escaped = append(escaped, mermaidText(line))
		}
	}
	return `"` + strings.Join(escaped, "<br/>") + `"`
}

// mermaidText escapes a string for a quoted label of Mermaid: all but a few characters become entity codes. So does the blank after
// "direction": Mermaid takes a line with "direction LR" for that statement, also in quotes (flow.jison).
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range text.Safe(s) {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune(" .,-+/_", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return strings.ReplaceAll(b.String(), "direction ", "direction#32;")
}
