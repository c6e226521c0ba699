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

func (s *nodeStyle) set(class, color, fill string) {
	s.class, s.color, s.fill, s.font = s.class+" "+class, color, fill, ink
}

// styleNode returns the style of a node by its marks, its findings, its changes and the emphasized path, the later ones
// first.
func styleNode(n *Node) nodeStyle {
	if n.role != "" {
		return n.role.style()
	}
	s := nodeStyle{border: "rounded,filled", color: inkSoft, fill: paper, font: ink}
	if n.Marks&(markSkipped|markNotInCatalog) != 0 {
		s = nodeStyle{class: " skipped", border: "rounded,filled,dashed", color: inkFaint, fill: paper, font: inkSoft}
	}
	if n.Marks&(markDeprecated|markNewlyDeprecated) != 0 {
		s.set("deprecated", orange, orangeSoft)
	}
	if n.Marks&markHead != 0 {
		s.set("head", blue, blueSoft)
		s.more = ", peripheries=2"
	}
	if n.Members != nil {
		s.class += " fold"
		s.border, s.more = strings.TrimPrefix(s.border, "rounded,"), `, shape=box3d, margin="0.14,0.09"`
		if n.OneByOne {
			s.more = `, shape=cds, margin="0.2,0.1"`
		}
	}
	if n.Marks&markBlocking != 0 {
		s.set("blocking", red, fillOf(n, redSoft))
		s.border += ",bold"
	}
	if n.Marks&(markStuck|MarkStranded) != 0 {
		s.set("stuck", stuckColor, fillOf(n, stuckFill))
		s.border, s.more = "filled,bold", `, shape=octagon, margin="0.02,0"`
		if n.Marks&MarkStranded != 0 {
			s.more = `, shape=invhouse, margin="0.02,0"`
		}
	}
	switch {
	case n.Errors > 0:
		s.class += " error"
	case n.Warnings > 0:
		s.class += " warning"
	}
	s.mark(n.Marks)
	return s
}

// fillOf returns the color that fills what is stuck: none if the change has no part in it.
func fillOf(n *Node, color string) string {
	if n.Marks&markAsBefore != 0 {
		return paper
	}
	return color
}

func (s *nodeStyle) attributes() string {
	return fmt.Sprintf("style=%q, color=%q, fillcolor=%q, fontcolor=%q%s", s.border, s.color, s.fill, s.font, s.more)
}

// mark changes the style for changes and emphasis.
func (s *nodeStyle) mark(m Mark) {
	s.class = strings.TrimSpace(s.class + changeClass(m))
	switch {
	case m&MarkStranded != 0 && m&MarkRemoved != 0:
		s.border = "filled,bold,dashed"
	case m&MarkStranded != 0:
	case m&markStillUpgraded != 0:
		s.color, s.fill, s.border = inkSoft, paper, "rounded,filled,dashed"
	case m&MarkAdded != 0:
		s.color, s.fill, s.border = green, greenSoft, s.border+",bold"
	case m&MarkRemoved != 0:
		s.color, s.fill, s.border = red, paper, "rounded,filled,dashed"
	case m&markChanged != 0:
		s.color, s.fill = orange, orangeSoft
	case m&markFaded != 0:
		s.color, s.fill, s.font = frame, paper, inkFaint
	case m&markOnPath != 0:
		s.color, s.font, s.more = blue, ink, s.more+", penwidth=3"
	}
}
