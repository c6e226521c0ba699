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
	focusLabel  = 40 // characters of a name or version
)

// focusLimits are the most entries of a group for each reason to draw them, worst first: see focusRank.
var focusLimits = [...]int{1, 9, 5, 5, 4, 4}

const (
	focusHead = iota
	focusStranded
	focusRemoved
	focusAdded
	focusChanged
	focusNeighbour
	notFocused
)

// Focus draws what changed in a diagram of Diff and the automatic upgrades to and from it: the channels with the worst change, and of
// each the newest entries. It is false if no upgrade would be drawn. stranded are the names of entries that the change strands,
// by channel.
func Focus(s *Diagram, stranded map[string][]string) (Focused, bool) {
	var all []*focus
	for i := range s.Groups {
		if f := focusOn(&s.Groups[i], stranded[s.Groups[i].Channel]); f.worst < focusNeighbour {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return Focused{}, false
	}
	slices.SortStableFunc(all, func(a, b *focus) int { return a.worst - b.worst })
	drawn := all[:min(len(all), focusGroups)]
	var out Focused
	for _, f := range drawn {
		f.choose(focusNodes / len(drawn))
		out.Channels = append(out.Channels, f.group.Channel)
	}
	out.Left = leftOut(all)
	var edges bool
	out.Mermaid, edges = focusMermaid(drawn, s.classes)
	return out, edges
}

// focus selects entries of a group.
type focus struct {
	group  *Group
	worst  int             // the changeRank of its worst change
	chosen map[string]bool // IDs
}

func focusOn(g *Group, stranded []string) *focus {
	for _, n := range g.Nodes {
		if slices.Contains(stranded, n.Name) {
			n.Marks |= Stranded
		}
	}
	return &focus{group: g, worst: worstChange(g), chosen: map[string]bool{}}
}

// worstChange returns the changeRank of the worst change of a group.
func worstChange(g *Group) int {
	worst := notFocused
	for _, n := range g.Nodes {
		worst = min(worst, changeRank(n))
	}
	return worst
}

// focusRank returns why to draw an entry.
func focusRank(n *Node) int {
	if n.Marks&Head != 0 && n.Marks&(Removed|Stranded) == 0 {
		return focusHead
	}
	return changeRank(n)
}

// changeRank returns the rank of the worst change of an entry, notFocused if it has none.
func changeRank(n *Node) int {
	switch {
	case n.Marks&Stranded != 0:
		return focusStranded
	case n.Marks&Removed != 0:
		return focusRemoved
	case n.Marks&Added != 0:
		return focusAdded
	case n.Marks&Changed != 0:
		return focusChanged
	}
	return notFocused
}

// choose selects at most this many entries.
func (f *focus) choose(most int) {
	newest := slices.Clone(f.group.Nodes)
	slices.Reverse(newest)
	slices.SortStableFunc(newest, func(a, b *Node) int { return cmp.Compare(focusRank(a), focusRank(b)) })
	count := map[int]int{}
	for _, n := range newest {
		if r := focusRank(n); r < focusNeighbour && count[r] < focusLimits[r] && len(f.chosen) < most-focusLimits[focusNeighbour] {
			count[r]++
			f.chosen[n.ID] = true
		}
	}
	f.addNeighbours(min(most, len(f.chosen)+focusLimits[focusNeighbour]))
}

// addNeighbours selects entries to which stranded ones were upgraded, and then others that automatic upgrades join to selected
// ones.
func (f *focus) addNeighbours(most int) {
	nodes := map[string]*Node{}
	for _, n := range f.group.Nodes {
		nodes[n.ID] = n
	}
	selected := maps.Clone(f.chosen)
	for _, stranded := range []bool{true, false} {
		for _, e := range f.group.Edges {
			from, to := nodes[e.From], nodes[e.To]
			if !e.Kind.next() || selected[from.ID] == selected[to.ID] || len(f.chosen) >= most {
				continue
			}
			other := from
			if selected[from.ID] {
				other = to
			}
			if !stranded || other == to && from.Marks&Stranded != 0 {
				f.chosen[other.ID] = true
			}
		}
	}
}

// leftOut counts the names of the entries that changed and are in no drawn group.
func leftOut(all []*focus) int {
	drawn, changed := map[string]bool{}, map[string]bool{}
	for _, f := range all {
		for _, n := range f.group.Nodes {
			drawn[n.Name] = drawn[n.Name] || f.chosen[n.ID]
			changed[n.Name] = changed[n.Name] || changeRank(n) < notFocused
		}
	}
	left := 0
	for name := range changed {
		if changed[name] && !drawn[name] {
			left++
		}
	}
	return left
}

// focusMermaid writes several statements on a line: nodes, then edges. It reports whether there are edges.
func focusMermaid(all []*focus, classes string) (chart string, hasEdges bool) {
	var b, edges strings.Builder
	b.WriteString("flowchart LR\n")
	for _, f := range all {
		g := f.group
		var nodes strings.Builder
		for _, n := range g.Nodes {
			if f.chosen[n.ID] {
				mermaidNode(&nodes, shortened(n))
			}
		}
		for _, e := range g.Edges {
			if f.chosen[e.From] && f.chosen[e.To] && (e.Kind.next() || e.Kind == BlockedUpgrade) {
				mermaidEdge(&edges, e)
			}
		}
		fmt.Fprintf(&b, "  subgraph %s[%s]\n    direction LR\n    %s\n  end\n", g.ID, mermaidLabel(focusTitle(g)),
			joinStatements(nodes.String()))
	}
	if edges.Len() > 0 {
		fmt.Fprintf(&b, "  %s\n", joinStatements(edges.String()))
	}
	writeClasses(&b, classes)
	return b.String(), edges.Len() > 0
}

// focusTitle is one line: Mermaid draws nodes over a second one.
func focusTitle(g *Group) string {
	title := text.Shorten(g.Title, focusLabel)
	if g.Marks&Unordered != 0 {
		title += ", which OLM v0 cannot order"
	}
	return title
}

// shortened returns a copy of a node whose label is short.
func shortened(n *Node) *Node {
	short := *n
	short.Version, short.Lines = text.Shorten(n.caption(), focusLabel), nil
	return &short
}

// joinStatements joins statements. Mermaid takes a semicolon for the end of one.
func joinStatements(statements string) string {
	var all []string
	for line := range strings.Lines(statements) {
		all = append(all, strings.TrimSpace(line))
	}
	return strings.Join(all, "; ")
}
