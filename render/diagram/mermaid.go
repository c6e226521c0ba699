package diagram

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/text"
)

// Limits of GitHub for Mermaid diagrams.
const (
	mermaidCharacters = 50_000
	mermaidEdges      = 500
)

// Mermaid returns a diagram as a Mermaid flowchart.
func Mermaid(d *Diagram) string { return writeMermaid(d, d.Groups) }

// SmallMermaid returns one flowchart of a diagram that is within the limits of GitHub, and what it leaves out: only the automatic upgrades
// of the newest entries of each channel are drawn or, of very many channels, those of the first ones.
func SmallMermaid(d *Diagram) (chart, note string) {
	const most = 64
	for keep, channels := most, len(d.Groups); ; {
		var groups []Group
		for i := range d.Groups[:channels] {
			groups = append(groups, keepNewest(&d.Groups[i], min(keep, len(d.Groups[i].Nodes))))
		}
		note = fmt.Sprintf("only the automatic upgrades of the newest %s of each channel are drawn", words.CountPlural(keep, "entry", "entries"))
		if channels < len(d.Groups) {
			note = fmt.Sprintf("only the heads of %d of %d channels are drawn", channels, len(d.Groups))
		}
		chart = "%% " + note + "\n" + writeMermaid(d, groups)
		switch {
		case FitsGitHub(chart) || channels <= 1:
			return chart, note
		case keep > 1:
			keep /= 2
		default:
			channels /= 2
		}
	}
}

// FitsGitHub reports whether a Mermaid diagram is within the limits of GitHub.
func FitsGitHub(chart string) bool {
	return len(chart) < mermaidCharacters && strings.Count(chart, "\n    ") < mermaidEdges
}

// keepNewest reduces a group to its newest nodes and the automatic upgrades between them.
func keepNewest(g *Group, keep int) Group {
	out := *g
	out.Nodes = g.Nodes[len(g.Nodes)-keep:]
	kept := map[string]bool{}
	for i := range out.Nodes {
		kept[out.Nodes[i].ID] = true
	}
	out.Edges = nil
	for _, e := range g.Edges {
		if kept[e.From] && kept[e.To] && e.Kind.isAutomatic() {
			out.Edges = append(out.Edges, e)
		}
	}
	return out
}

// writeMermaid writes some groups of a diagram. FitsGitHub counts lines that begin with four blanks, which are mostly edges.
func writeMermaid(d *Diagram, groups []Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%%%% %s\nflowchart LR\n", mermaidText(d.Title))
	for _, note := range d.Notes {
		fmt.Fprintf(&b, "%%%% %s\n", mermaidText(note))
	}
	for _, n := range d.Nodes {
		mermaidNode(&b, n)
	}
	for i := range groups {
		g := &groups[i]
		fmt.Fprintf(&b, "  subgraph %s[%s]\n    direction LR\n", g.ID, mermaidLabel(g.Title))
		if g.Note != "" { // Mermaid draws nodes over a second line of the title
			fmt.Fprintf(&b, "   %snote[%s]:::note\n", g.ID, mermaidLabel(text.Shorten(g.Note, 120)))
		}
		for j := range g.Nodes {
			mermaidNode(&b, g.Nodes[j])
		}
		b.WriteString("  end\n")
	}
	for i := range groups {
		for j := range groups[i].Edges {
			mermaidEdge(&b, groups[i].Edges[j])
		}
	}
	for _, e := range d.Edges {
		mermaidEdge(&b, e)
	}
	writeClasses(&b, d.classes)
	return b.String()
}

func mermaidNode(b *strings.Builder, n *Node) {
	label := mermaidLabel(append([]string{n.caption()}, n.smallLines()...)...)
	switch {
	case n.Marks&MarkStranded != 0:
		label = `[\` + label + "/]"
	case n.Marks&markStuck != 0:
		label = "{{" + label + "}}"
	case n.Members != nil:
		label = "[[" + label + "]]"
	default:
		label = "(" + label + ")"
	}
	fmt.Fprintf(b, "   %s%s", dotID(n.ID), label)
	if class := mermaidClass(n); class != "" {
		b.WriteString(":::" + class)
	}
	b.WriteByte('\n')
}

// mermaidClass returns the class of the role or the most important mark.
func mermaidClass(n *Node) string {
	for _, c := range []struct {
		mark Mark
		name string
	}{{MarkStranded | markBlocking, "stuck"}, {markStillUpgraded, "skipped"}, {MarkRemoved, "removed"}, {MarkAdded, "added"}, {markChanged, "changed"}, {markFaded, "fade"}, {markOnPath, "way"}, {markStuck, "stuck"}, {markHead, "head"},
		{markDeprecated | markNewlyDeprecated, "deprecated"}, {markSkipped | markNotInCatalog, "skipped"}} {
		if n.Marks&c.mark != 0 {
			return c.name
		}
	}
	return string(n.role)
}

func mermaidEdge(b *strings.Builder, e *Edge) {
	tip, word := mermaidTip(e)
	label := ""
	if e.Line != "" || word != "" {
		label = "|" + mermaidLabel(e.shortLine(), word) + "|"
	}
	fmt.Fprintf(b, "    %s %s%s %s\n", dotID(e.From), tip, label, dotID(e.To))
}

// mermaidTip returns the arrow of an edge, and a word for its label.
func mermaidTip(e *Edge) (tip, word string) {
	switch {
	case e.Kind == kindIgnored:
		return "-.->", ""
	case e.Marks&MarkRemoved != 0:
		return "-.->", "removed"
	case e.Marks&MarkAdded != 0 && e.Kind.isAutomatic():
		return "==>", "added"
	case e.Marks&markChanged != 0:
		return "==>", "changed"
	case e.Marks&markFails != 0:
		return "==x", "fails"
	case e.Marks&markDowngrade != 0 && e.Kind.isAutomatic():
		return "==>", "downgrade"
	case e.Kind.isAutomatic():
		return "==>", ""
	case e.Kind == kindUnchanged:
		return "---", ""
	case e.Kind == kindBlocked:
		return "-.-x", "blocked"
	}
	return "-->", ""
}

// writeClasses writes the classes that a flowchart uses.
func writeClasses(b *strings.Builder, classes string) {
	chart := b.String()
	for line := range strings.Lines(classes) {
		if strings.Contains(chart, ":::"+strings.Fields(line)[1]) {
			b.WriteString(line)
		}
	}
}

const upgradeClasses = `  classDef head stroke-width:3px,stroke:` + blue + `
  classDef stuck stroke-width:3px,stroke:` + stuckColor + `
  classDef skipped stroke-dasharray:4
  classDef deprecated stroke:` + orange + `
  classDef added stroke-width:3px,stroke:` + green + `
  classDef removed stroke-dasharray:4,stroke:` + red + `
  classDef changed stroke-width:3px,stroke:` + orange + `
  classDef way stroke-width:4px
  classDef note fill:none,stroke:none
  classDef fade opacity:0.4
`

const versionClasses = `  classDef clash stroke-width:3px,stroke:` + red + `
  classDef moved stroke-width:3px,stroke:` + blue + `
  classDef switched stroke-width:3px,stroke:` + orange + `
  classDef operator stroke-width:0px
  classDef skipped stroke-dasharray:4
`
