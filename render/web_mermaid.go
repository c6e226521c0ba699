package render

import (
	"fmt"
	"io"
	"strings"
)

// WebMermaid writes a web as a Mermaid flowchart.
func WebMermaid(w io.Writer, web *Web) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%%%% %s\nflowchart LR\n", mermaidText(web.Title))
	for _, note := range web.Notes {
		fmt.Fprintf(&b, "%%%% %s\n", mermaidText(note))
	}
	for _, n := range web.Nodes {
		mermaidWebNode(&b, n)
	}
	for _, e := range web.Edges {
		fmt.Fprintf(&b, "    %s %s", e.From, mermaidTip(e))
		lines := e.shortLines()
		if e.marks&webChoice != 0 { // there is no legend that could explain a hollow tip
			lines = append([]string{"one of several"}, lines...)
		}
		if len(lines) > 0 {
			fmt.Fprintf(&b, "|%s|", mermaidLabel(lines...))
		}
		fmt.Fprintf(&b, " %s\n", e.To)
	}
	b.WriteString(`  classDef missing stroke-dasharray:4,stroke-width:3px,stroke:#b23a00
  classDef clash stroke-width:3px,stroke:#b23a00
  classDef held stroke-width:3px,stroke:#8f5a00
  classDef added stroke-width:3px,stroke:#006b4f
  classDef moved stroke-width:3px,stroke:#0072b2
  classDef candidate stroke-dasharray:4
  classDef unowned stroke-dasharray:2
  classDef sought stroke-width:3px,stroke:#0072b2
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// FitsGitHub reports whether GitHub draws a Mermaid diagram.
func FitsGitHub(text []byte) bool { return fits(string(text)) }

func mermaidWebNode(b *strings.Builder, n *WebNode) {
	label := mermaidLabel(append([]string{n.Name}, n.Lines...)...)
	switch {
	case n.marks&webHeld != 0:
		label = "{{" + label + "}}"
	case n.marks&webWish != 0:
		label = "([" + label + "])"
	default:
		label = "(" + label + ")"
	}
	fmt.Fprintf(b, "   %s%s", n.ID, label)
	for _, look := range webLooks() {
		if n.marks&look.mark != 0 {
			if look.class != "wish" {
				b.WriteString(":::" + look.class)
			}
			break
		}
	}
	b.WriteByte('\n')
}

func mermaidTip(e *WebEdge) string {
	switch {
	case e.marks&webMutual != 0:
		return "==="
	case e.marks&(webClash|webHolds) != 0:
		return "==>"
	case e.marks&webOlder != 0:
		return "-.->"
	}
	return "-->"
}
