package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/text"
)

// The least numbers of nodes that Fold makes one: of nodes whose edges would fill the picture, and of those in a plain row if the channels
// below each other fit a screen. In a larger picture, it is leastFan.
const (
	leastFan = 4
	leastRun = 8
)

// Fold returns a diagram with one node in place of nodes that do the same. Such a node has Members:
//
//   - a fan: nodes with the same edges from and to the same nodes. Each edge of the fan is one of each member.
//   - a chain: each member has an edge to the next one, all of one kind, and has no other edge into it but the first. An edge of
//     the chain with Each is one of each member; others leave the last member, or reach the first.
//
// All members have the same marks, which the node has too, and all of them or none have errors, and likewise warnings. Heads
// and the nodes of an emphasized path are never folded. Edges between the same nodes that look the same become one. Nothing is
// lost: Unfold returns the diagram that was folded.
func Fold(d *Diagram) *Diagram {
	out := *d
	out.Groups = slices.Clone(d.Groups)
	for _, least := range []int{leastRun, leastFan} {
		for i := range out.Groups {
			out.Groups[i] = d.Groups[i]
			foldGroup(&out.Groups[i], least)
		}
		if columns, scale := columnsFor(out.Groups); columns == 1 && scale == 1 {
			break
		}
	}
	return &out
}

// foldGroup folds a group; plain rows with a least number of nodes.
func foldGroup(g *Group, leastRow int) {
	f := newFolder(g)
	f.chains(leastRow)
	f.fans()
	f.replace()
}

// nodeFolder folds the nodes of a group.
type nodeFolder struct {
	group   *Group
	node    map[string]*Node
	in, out map[string][]*Edge // by ID
	folded  map[string]*Node   // the node in place of a folded one, by the ID of the member
	each    map[*Edge]bool     // edges that all members of a chain have
}

func newFolder(g *Group) *nodeFolder {
	f := &nodeFolder{group: g, node: map[string]*Node{}, in: map[string][]*Edge{}, out: map[string][]*Edge{}, folded: map[string]*Node{}, each: map[*Edge]bool{}}
	for _, n := range g.Nodes {
		f.node[n.ID] = n
	}
	for _, e := range g.Edges {
		f.out[e.From], f.in[e.To] = append(f.out[e.From], e), append(f.in[e.To], e)
	}
	return f
}

// appearance returns what members have in common, and whether the node can be folded.
func (f *nodeFolder) appearance(n *Node) (key string, ok bool) {
	return fmt.Sprint(n.Marks, n.Errors > 0, n.Warnings > 0), f.folded[n.ID] == nil && n.Marks&(markHead|markOnPath|markNotInCatalog) == 0
}

// edgeKeys returns what edges have in common apart from one end, sorted. except is left out.
func edgeKeys(edges []*Edge, end func(*Edge) string, except *Edge) string {
	var keys []string
	for _, e := range edges {
		if e != except {
			keys = append(keys, fmt.Sprint(end(e), " ", e.Kind, " ", e.Marks))
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, "\n")
}

func edgeTo(e *Edge) string   { return e.To }
func edgeFrom(e *Edge) string { return e.From }

// chains folds chains, from the oldest node on; those without other edges only from a least number of nodes on.
func (f *nodeFolder) chains(leastRow int) {
	for _, n := range f.group.Nodes {
		if _, ok := f.appearance(n); !ok {
			continue
		}
		var longest []*Edge
		for _, e := range f.out[n.ID] {
			if chain := f.chain(e); len(chain) > len(longest) {
				longest = chain
			}
		}
		if len(longest) == 0 {
			continue
		}
		common, least := f.commonEdges(longest[0]), leastFan
		if len(common) == 0 {
			least = leastRow
		}
		if len(longest)+1 >= least {
			f.foldChain(n, longest, len(common) > 0)
		}
	}
}

// commonEdges returns the edges out of the first node of a chain but the one to the next.
func (f *nodeFolder) commonEdges(first *Edge) []*Edge {
	return slices.DeleteFunc(slices.Clone(f.out[first.From]), func(e *Edge) bool { return e == first })
}

// chain returns the edges between the nodes of the longest chain that begins with an edge. A chain of two nodes it may leave out.
func (f *nodeFolder) chain(first *Edge) []*Edge {
	look, _ := f.appearance(f.node[first.From])
	if !f.joins(first, look) || len(f.out[first.To]) == 0 { // before its other edges are compared, of which there may be many
		return nil
	}
	common := edgeKeys(f.out[first.From], edgeTo, first)
	members := map[string]bool{first.From: true}
	var edges []*Edge
	for e := first; e != nil && f.joins(e, look) && !members[e.To]; {
		edges = append(edges, e)
		members[e.To] = true
		var next *Edge
		for _, o := range f.out[e.To] {
			if o.Kind == e.Kind && o.Marks == e.Marks && edgeKeys(f.out[e.To], edgeTo, o) == common {
				next = o
			}
		}
		e = next
	}
	for len(edges) > 0 && !f.endsWith(edges[len(edges)-1].To, common, members) {
		delete(members, edges[len(edges)-1].To)
		edges = edges[:len(edges)-1]
	}
	if slices.ContainsFunc(f.commonEdges(first), func(e *Edge) bool { return members[e.To] }) {
		return nil
	}
	return edges
}

// joins reports whether an edge can be in a chain: nothing else leads to its end, which looks the same.
func (f *nodeFolder) joins(e *Edge, look string) bool {
	l, ok := f.appearance(f.node[e.To])
	return ok && l == look && len(f.in[e.To]) == 1
}

// endsWith reports whether a node can be the last of a chain: it has the common edges, and none back to a member.
func (f *nodeFolder) endsWith(id, common string, members map[string]bool) bool {
	has := strings.Split(edgeKeys(f.out[id], edgeTo, nil), "\n")
	for _, key := range strings.Split(common, "\n") {
		if key != "" && !slices.Contains(has, key) {
			return false
		}
	}
	return !slices.ContainsFunc(f.out[id], func(e *Edge) bool { return members[e.To] })
}

// foldChain makes a node of a chain. With each, all members have the edges out of the first but the one to the next.
func (f *nodeFolder) foldChain(first *Node, edges []*Edge, each bool) {
	members := []*Node{first}
	for _, e := range edges {
		members = append(members, f.node[e.To])
	}
	count := words.CountPlural(len(members), "version", "versions")
	var n *Node
	if each {
		n = f.fold(members, count, f.upgradeLine(f.commonEdges(edges[0]), edges[0].Kind))
	} else {
		n = f.fold(members, "chain of "+count, f.lastLine(members[len(members)-1], edges[0].Kind))
	}
	n.Inner, n.OneByOne = edges, !each
	shared := edgeKeys(f.out[first.ID], edgeTo, edges[0])
	for _, n := range members {
		for _, e := range f.out[n.ID] {
			f.each[e] = each && slices.Contains(strings.Split(shared, "\n"), edgeKeys([]*Edge{e}, edgeTo, nil))
		}
	}
}

// upgradeLine says what the upgrade is of the members of a chain all of which have other edges too.
func (f *nodeFolder) upgradeLine(common []*Edge, inner EdgeKind) string {
	for _, e := range common {
		if e.Kind.isAutomatic() && e.Marks&MarkRemoved == 0 {
			return "all go to " + f.node[e.To].caption() + " directly"
		}
	}
	switch {
	case inner.isAutomatic():
		return "each upgraded to the next"
	case inner == kindBlocked:
		return "each blocked at the next"
	}
	return ""
}

// lastLine says what the last of a chain is upgraded to, if it is not by an edge like those of the chain.
func (f *nodeFolder) lastLine(last *Node, inner EdgeKind) string {
	for _, e := range f.out[last.ID] {
		if e.Kind.isAutomatic() && e.Kind != inner && e.Marks&MarkRemoved == 0 {
			return "the last goes to " + f.node[e.To].caption() + " directly"
		}
	}
	return ""
}

// fans folds nodes with the same edges.
func (f *nodeFolder) fans() {
	twins := map[string][]*Node{}
	var keys []string
	for _, n := range f.group.Nodes {
		look, ok := f.appearance(n)
		if !ok {
			continue
		}
		key := look + "\n\n" + edgeKeys(f.in[n.ID], edgeFrom, nil) + "\n\n" + edgeKeys(f.out[n.ID], edgeTo, nil)
		if twins[key] == nil {
			keys = append(keys, key)
		}
		twins[key] = append(twins[key], n)
	}
	for _, key := range keys {
		if members := twins[key]; len(members) >= leastFan {
			f.fold(members, words.CountPlural(len(members), "version", "versions"), "")
		}
	}
}

// fold makes a node of members.
func (f *nodeFolder) fold(members []*Node, name, line string) *Node {
	first, last := members[0], members[len(members)-1]
	n := &Node{ID: "f" + first.ID, Name: name, Marks: first.Marks, Members: members}
	n.Version = text.Shorten(first.caption(), maxEndpoint) + " to " + text.Shorten(last.caption(), maxEndpoint)
	for _, line := range []string{line, minors(members)} {
		if line != "" {
			n.Lines = append(n.Lines, line)
		}
	}
	var names []string
	for _, m := range members {
		n.Errors += m.Errors
		n.Warnings += m.Warnings
		names = append(names, m.Name)
		f.folded[m.ID] = n
	}
	for _, line := range first.Lines {
		if !slices.ContainsFunc(members, func(m *Node) bool { return !slices.Contains(m.Lines, line) }) {
			n.Lines = append(n.Lines, line)
		}
	}
	n.Tooltip = append([]string{name + ": " + strings.Join(names, ", ")}, n.Lines...)
	if words := markLabels(n); len(words) > 0 {
		n.Tooltip = append(n.Tooltip, strings.Join(words, ", "))
	}
	return n
}

// minors names the minor versions of members unless they follow each other: then the first and the last member say enough.
func minors(members []*Node) string {
	var names []string
	var last semver.Version
	gap := false
	for i, m := range members {
		v, err := semver.Parse(m.Version)
		if err != nil {
			return ""
		}
		if i == 0 || v.Major != last.Major || v.Minor != last.Minor {
			names = append(names, fmt.Sprintf("%d.%d", v.Major, v.Minor))
			gap = gap || i > 0 && (v.Major != last.Major || v.Minor != last.Minor+1)
		}
		last = v
	}
	if !gap {
		return ""
	}
	return "minor versions " + words.JoinSome(find.Distinct(names), 3)
}

// maxEndpoint is the number of characters of the first and the last version of a folded node.
const maxEndpoint = 28

// replace puts the folded nodes in place of their members, each at the place of the first of them, and merges edges.
func (f *nodeFolder) replace() {
	g := f.group
	var nodes []*Node
	placed := map[*Node]bool{}
	for _, n := range g.Nodes {
		if folded := f.folded[n.ID]; folded != nil {
			n = folded
		}
		if !placed[n] {
			placed[n] = true
			nodes = append(nodes, n)
		}
	}
	type look struct {
		from, to string
		kind     EdgeKind
		marks    Mark
		each     bool
	}
	merged := map[look]*Edge{}
	var edges []*Edge
	for _, e := range g.Edges {
		from, to := f.folded[e.From], f.folded[e.To]
		switch {
		case from == nil && to == nil:
			edges = append(edges, e)
			continue
		case from == to: // inner
			continue
		}
		l := look{e.From, e.To, e.Kind, e.Marks, f.each[e]}
		if from != nil {
			l.from = from.ID
		}
		if to != nil {
			l.to = to.ID
		}
		if merged[l] == nil {
			merged[l] = &Edge{From: l.from, To: l.to, Kind: l.kind, Marks: l.marks, Each: l.each}
			edges = append(edges, merged[l])
		}
		m := merged[l]
		m.Members = append(m.Members, e)
		m.Tooltip = foldTooltip(m.Tooltip, e.Tooltip, len(m.Members))
	}
	g.Nodes, g.Edges = nodes, edges
}

// foldTooltip adds the facts of the nth edge of a folded one, up to a number.
func foldTooltip(facts, more []string, n int) []string {
	const most = 10
	switch {
	case n <= most:
		return append(facts, more...)
	case n == most+1:
		return append(facts, "…")
	}
	return facts
}
