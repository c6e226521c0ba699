package diagram

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// Focused is the part of a diagram of changes that fits into a comment.
type Focused struct {
	Mermaid  string   // at most 20 lines
	Channels []string // those drawn
	Left     int      // entries that changed and are not drawn; an entry of several channels counts once
}

// Limits of a focused diagram.
const (
	focusGroups = 2
	focusNodes  = 18 // of all groups
	focusTitle  = 40 // characters of the title of a group
)

// Focus draws what changed in a diagram of Diff and the automatic upgrades to and from it: the channels with the worst change, and of
// each the newest entries. It is false if no upgrade would be drawn. stranded are the names of entries that the change strands,
// by channel.
func Focus(d *Diagram, stranded map[string][]string) (Focused, bool) {
	for i := range d.Groups {
		for _, n := range d.Groups[i].Nodes {
			n.Marks |= markIf(slices.Contains(stranded[d.Groups[i].Channel], n.Name), MarkStranded, 0)
		}
	}
	groups := slices.DeleteFunc(Fold(d).Groups, func(g Group) bool { return worstChange(&g) == unchanged })
	if len(groups) == 0 {
		return Focused{}, false
	}
	slices.SortStableFunc(groups, compareChanges)
	drawn, chosen := groups[:min(len(groups), focusGroups)], map[string]bool{}
	var out Focused
	for i := range drawn {
		maps.Copy(chosen, drawn[i].changedNodes(focusNodes/len(drawn)))
		out.Channels = append(out.Channels, drawn[i].Channel)
	}
	out.Left = countLeftOut(groups, chosen)
	var edges bool
	out.Mermaid, edges = focusMermaid(drawn, chosen, d.classes)
	return out, edges
}

// unchanged is the changeRank of an entry that has not changed.
const unchanged = 4

// changeRank returns the rank of the worst change of an entry: 0 is the worst.
func changeRank(n *Node) int {
	for rank, mark := range [unchanged]Mark{MarkStranded, MarkRemoved, MarkAdded, markChanged} {
		if n.Marks&mark != 0 {
			return rank
		}
	}
	return unchanged
}

// worstChange returns the changeRank of the worst change of a group.
func worstChange(g *Group) int {
	worst := unchanged
	for _, n := range g.Nodes {
		worst = min(worst, changeRank(n))
	}
	return worst
}

// changedNodes returns the IDs of at most this many nodes: of the head and of those that changed, the worst and the newest first, and of what automatic
// upgrades join to them.
func (g *Group) changedNodes(most int) map[string]bool {
	newest := slices.Clone(g.Nodes)
	slices.Reverse(newest)
	rank := func(n *Node) int {
		if n.Marks&markHead != 0 && n.Marks&(MarkRemoved|MarkStranded) == 0 {
			return -1
		}
		return changeRank(n)
	}
	slices.SortStableFunc(newest, func(a, b *Node) int { return cmp.Compare(rank(a), rank(b)) })
	chosen := map[string]bool{}
	for _, n := range newest[:min(len(newest), most*3/4)] {
		if rank(n) < unchanged {
			chosen[n.ID] = true
		}
	}
	changed := maps.Clone(chosen)
	for _, e := range g.Edges {
		if e.Kind.isAutomatic() && changed[e.From] != changed[e.To] && len(chosen) < most {
			chosen[e.From], chosen[e.To] = true, true
		}
	}
	return chosen
}

// countLeftOut counts the names of the entries that changed and of which no node is chosen.
func countLeftOut(groups []Group, chosen map[string]bool) int {
	changed, drawn := map[string]bool{}, map[string]bool{}
	for i := range groups {
		for _, n := range groups[i].Nodes {
			members := n.Members
			if members == nil {
				members = []*Node{n}
			}
			for _, m := range members {
				changed[m.Name] = changed[m.Name] || changeRank(m) < unchanged
				drawn[m.Name] = drawn[m.Name] || chosen[n.ID]
			}
		}
	}
	maps.DeleteFunc(changed, func(name string, changed bool) bool { return !changed || drawn[name] })
	return len(changed)
}

// focusMermaid writes several statements on a line: nodes, then edges. It reports whether there are edges.
func focusMermaid(groups []Group, chosen map[string]bool, classes string) (chart string, hasEdges bool) {
	var b, edges strings.Builder
	b.WriteString("flowchart LR\n")
	for _, g := range groups {
		title := text.Shorten(g.Title, focusTitle) // Mermaid draws nodes over a second line
		if g.unordered {
			title += ", which OLM v0 cannot order"
		}
		var nodes strings.Builder
		for _, n := range g.Nodes {
			if chosen[n.ID] {
				short := *n
				short.Lines = nil
				mermaidNode(&nodes, &short)
			}
		}
		for _, e := range g.Edges {
			if chosen[e.From] && chosen[e.To] && (e.Kind.isAutomatic() || e.Kind == kindBlocked) {
				mermaidEdge(&edges, e)
			}
		}
		fmt.Fprintf(&b, "  subgraph %s[%s]\n    direction LR\n    %s\n  end\n", g.ID, mermaidLabel(title),
			joinStatements(nodes.String()))
	}
	if edges.Len() > 0 {
		fmt.Fprintf(&b, "  %s\n", joinStatements(edges.String()))
	}
	writeClasses(&b, classes)
	return b.String(), edges.Len() > 0
}

// joinStatements joins statements. Mermaid takes a semicolon for the end of one.
func joinStatements(statements string) string {
	var all []string
	for line := range strings.Lines(statements) {
		all = append(all, strings.TrimSpace(line))
	}
	return strings.Join(all, "; ")
}
