package diagram

import (
	"fmt"
	"strings"
)

// nodeStyle is the style of a node.
type nodeStyle struct {
	class, border, color, fill, font string
	more                             string // attributes
}

func (l *nodeStyle) set(class, color, fill string) {
	l.class, l.color, l.fill, l.font = l.class+" "+class, color, fill, ink
}

// styleNode returns the style of a node by its marks, its findings, its changes and the emphasized path, the later ones
// first.
func styleNode(n *Node) nodeStyle {
	if n.role != "" {
		return n.role.style()
	}
	l := nodeStyle{border: "rounded,filled", color: inkSoft, fill: paper, font: ink}
	if n.Marks&(markSkipped|notInCatalog) != 0 {
		l = nodeStyle{class: " skipped", border: "rounded,filled,dashed", color: inkFaint, fill: paper, font: inkSoft}
	}
	if n.Marks&deprecated != 0 {
		l.set("deprecated", orange, orangeSoft)
	}
	if n.Marks&markHead != 0 {
		l.set("head", blue, blueSoft)
		l.more = ", peripheries=2"
	}
	if n.Members != nil {
		l.class += " fold"
		l.border, l.more = strings.TrimPrefix(l.border, "rounded,"), `, shape=box3d, margin="0.14,0.09"`
		if n.OneByOne {
			l.more = `, shape=cds, margin="0.2,0.1"`
		}
	}
	if n.Marks&blocking != 0 {
		l.set("blocking", red, redSoft)
		l.border += ",bold"
	}
	if n.Marks&(markStuck|Stranded) != 0 {
		l.set("stuck", stuckColor, stuckFill)
		l.border, l.more = "filled,bold", `, shape=octagon, margin="0.02,0"`
		if n.Marks&Stranded != 0 {
			l.more = `, shape=invhouse, margin="0.02,0"`
		}
	}
	switch {
	case n.Errors > 0:
		l.class += " error"
	case n.Warnings > 0:
		l.class += " warning"
	}
	l.mark(n.Marks)
	return l
}

func (l *nodeStyle) attributes() string {
	return fmt.Sprintf("style=%q, color=%q, fillcolor=%q, fontcolor=%q%s", l.border, l.color, l.fill, l.font, l.more)
}

// mark changes the style for changes and emphasis.
func (l *nodeStyle) mark(m Mark) {
	l.class = strings.TrimSpace(l.class + changeClass(m))
	switch {
	case m&Stranded != 0 && m&Removed != 0:
		l.border = "filled,bold,dashed"
	case m&Stranded != 0:
	case m&served != 0:
		l.color, l.fill, l.border = inkSoft, paper, "rounded,filled,dashed"
	case m&Added != 0:
		l.color, l.fill, l.border = green, greenSoft, l.border+",bold"
	case m&Removed != 0:
		l.color, l.fill, l.border = red, paper, "rounded,filled,dashed"
	case m&markChanged != 0:
		l.color, l.fill = orange, orangeSoft
	case m&faded != 0:
		l.color, l.fill, l.font = frame, paper, inkFaint
	case m&onPath != 0:
		l.color, l.font, l.more = blue, ink, l.more+", penwidth=3"
	}
}
