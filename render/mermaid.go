package render

import (
	"fmt"
	"strings"
)

// The limits within which GitHub draws a Mermaid diagram.
const (
	mermaidCharacters = 50_000
	mermaidEdges      = 500
)

// Diagram is a Mermaid diagram and the channel that it shows, "" if it shows all.
type Diagram struct {
	Channel string
	Text    string
}

// Mermaid writes a sketch as a Mermaid flowchart; where that would be more than GitHub draws, as one for each channel. Of a
// channel that is still too large only what OLM does by itself is drawn, and of that the newest; a comment says so.
func Mermaid(s *Sketch) []Diagram {
	whole := mermaidOf(s, s.Groups, s.Links)
	if fits(whole) {
		return []Diagram{{Text: whole}}
	}
	var all []Diagram
	for i := range s.Groups {
		g := s.Groups[i]
		text := mermaidOf(s, []Group{g}, nil)
		for keep := len(g.Nodes); !fits(text); keep = keep * 3 / 4 {
			g = newestOf(&s.Groups[i], keep)
			left := len(s.Groups[i].Nodes) - len(g.Nodes)
			text = fmt.Sprintf("%%%% Too large for one diagram: only what OLM does by itself is drawn; %s left out\n",
				countOf(left, "oldest entry is", "oldest entries are")) + mermaidOf(s, []Group{g}, nil)
		}
		all = append(all, Diagram{Channel: g.Channel, Text: text})
	}
	return all
}

func fits(text string) bool {
	return len(text) < mermaidCharacters && strings.Count(text, "\n    ") < mermaidEdges
}

// newestOf keeps the newest nodes of a group, and the edges between them that OLM follows by itself.
func newestOf(g *Group, keep int) Group {
	out := *g
	out.Nodes = g.Nodes[len(g.Nodes)-keep:]
	kept := map[string]bool{}
	for i := range out.Nodes {
		kept[out.Nodes[i].ID] = true
	}
	out.Arrows = nil
	for _, a := range g.Arrows {
		if kept[a.From] && kept[a.To] && a.Kind.next() {
			out.Arrows = append(out.Arrows, a)
		}
	}
	return out
}

// mermaidOf writes some groups of a sketch. Edges, and little else, stand in lines that begin with four blanks.
func mermaidOf(s *Sketch, groups []Group, links []Link) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%%%% %s\nflowchart LR\n", mermaidText(s.Title))
	for _, note := range s.Notes {
		fmt.Fprintf(&b, "%%%% %s\n", mermaidText(note))
	}
	for i := range groups {
		g := &groups[i]
		fmt.Fprintf(&b, "  subgraph %s[%s]\n    direction LR\n", g.ID, mermaidLabel(g.Title, g.Note))
		for j := range g.Nodes {
			mermaidNode(&b, &g.Nodes[j])
		}
		b.WriteString("  end\n")
	}
	for i := range groups {
		for j := range groups[i].Arrows {
			mermaidArrow(&b, &groups[i].Arrows[j])
		}
	}
	for _, l := range links {
		fmt.Fprintf(&b, "    %s -.- %s\n", dotID(l.A), dotID(l.B))
	}
	b.WriteString(`  classDef head stroke-width:3px,stroke:#0072b2
  classDef stuck stroke-width:3px,stroke:#b23a00
  classDef skipped stroke-dasharray:4
  classDef deprecated stroke:#8f5a00
  classDef added stroke-width:3px,stroke:#006b4f
  classDef removed stroke-dasharray:4,stroke:#b23a00
  classDef changed stroke-width:3px,stroke:#8f5a00
  classDef way stroke-width:4px
  classDef fade opacity:0.4
`)
	return b.String()
}

func mermaidNode(b *strings.Builder, n *Node) {
	lines := []string{shortName(n)}
	if n.Version != "" && !strings.HasSuffix(shortName(n), n.Version) {
		lines = append(lines, n.Version)
	}
	lines = append(lines, strings.Join(special(n), ", "))
	label := mermaidLabel(append(lines, n.Folded...)...)
	if n.Marks&Stuck != 0 {
		label = "{{" + label + "}}"
	} else {
		label = "(" + label + ")"
	}
	fmt.Fprintf(b, "   %s%s", dotID(n.ID), label)
	if class := mermaidClass(n.Marks); class != "" {
		b.WriteString(":::" + class)
	}
	b.WriteByte('\n')
}

// mermaidClass is the one class that matters most.
func mermaidClass(m Mark) string {
	for _, c := range []struct {
		mark Mark
		name string
	}{{Removed, "removed"}, {Added, "added"}, {Changed, "changed"}, {Faded, "fade"}, {OnWay, "way"}, {Stuck, "stuck"}, {Head, "head"},
		{Deprecated, "deprecated"}, {Skipped | Gone, "skipped"}} {
		if m&c.mark != 0 {
			return c.name
		}
	}
	return ""
}

func mermaidArrow(b *strings.Builder, a *Arrow) {
	arrow := "-->"
	switch {
	case a.Marks&Removed != 0:
		arrow = `-. "removed" .->`
	case a.Marks&Added != 0 && a.Kind.next():
		arrow = `== "added" ==>`
	case a.Marks&Changed != 0:
		arrow = `== "changed" ==>`
	case a.Marks&Downgrade != 0 && a.Kind.next():
		arrow = `== "downgrade" ==>`
	case a.Kind.next():
		arrow = "==>"
	case a.Kind == Ignored:
		arrow = "-.->"
	case a.Kind == Cut:
		arrow = `-. "cut off" .-x`
	}
	fmt.Fprintf(b, "    %s %s %s\n", dotID(a.From), arrow, dotID(a.To))
}
