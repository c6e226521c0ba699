package diagram

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/text"
)

// Diff merges two diagrams of a package into one of the changes: MarkAdded is only in now, MarkRemoved is only in base, markChanged is an
// entry with another automatic upgrade, and that upgrade. It modifies the nodes and edges of both.
func Diff(base, now *Diagram) *Diagram {
	out := *now
	out.Title, out.Groups = now.subject, slices.Clone(now.Groups)
	for i := range out.Groups {
		g := &out.Groups[i]
		if old := channelGroup(base, g.Channel); old != nil {
			same := sameTexts(old, g)
			*g = diffGroups(old, g)
			g.same = same
		} else {
			*g = markGroup(g, MarkAdded, "")
			g.Title = channelTitle(g.Channel, g.ifDefault("default"), "new")
		}
	}
	for i := range base.Groups {
		if g := &base.Groups[i]; channelGroup(now, g.Channel) == nil {
			gone := markGroup(g, MarkRemoved, "r")
			gone.Title = channelTitle(g.Channel, "removed", g.ifDefault("was the default"))
			gone.Note = "OLM installs and upgrades nothing in a namespace subscribed to it"
			out.Groups = append(out.Groups, gone)
		}
	}
	return &out
}

// sameTexts reports whether two diagrams of a channel say the same of it and of each entry.
func sameTexts(base, now *Group) bool {
	return base.Title == now.Title && base.Note == now.Note && slices.EqualFunc(base.Nodes, now.Nodes, func(a, b *Node) bool {
		return a.Name == b.Name && a.Version == b.Version && a.Marks == b.Marks && slices.Equal(a.Lines, b.Lines)
	})
}

// LeaveOutUnchanged leaves the channels in which nothing changes to a note, unless nothing changes in any.
func (d *Diagram) LeaveOutUnchanged() {
	var left []string
	changed := slices.DeleteFunc(slices.Clone(d.Groups), func(g Group) bool {
		unchanged := g.isUnchanged()
		if unchanged {
			left = append(left, g.Channel)
		}
		return unchanged
	})
	if len(left) > 0 && len(changed) > 0 {
		d.Groups = changed
		d.Notes = append(d.Notes, words.Count(len(left), "channel")+" unchanged: "+words.JoinSome(left, 6))
	}
}

// KeepChannel lets a channel count as changed, though no node shows it.
func (d *Diagram) KeepChannel(name string) {
	if g := channelGroup(d, name); g != nil {
		g.same = false
	}
}

// isUnchanged reports whether a channel is as in the base.
func (g *Group) isUnchanged() bool {
	const changes = MarkAdded | MarkRemoved | markChanged | MarkStranded | markStillUpgraded
	return g.same && !slices.ContainsFunc(g.Edges, func(e *Edge) bool { return e.Marks&changes != 0 }) &&
		!slices.ContainsFunc(g.Nodes, func(n *Node) bool { return n.Marks&changes != 0 })
}

// channelGroup returns the group of a channel, or nil.
func channelGroup(d *Diagram, channel string) *Group {
	return find.Pointer(d.Groups, func(g Group) bool { return g.Channel == channel })
}

// markGroup returns a group with a mark on all its parts. The prefix makes their IDs differ from those of the other diagram.
func markGroup(g *Group, m Mark, prefix string) Group {
	out := *g
	out.ID = prefix + g.ID
	out.change = m
	for _, n := range g.Nodes {
		n.ID, n.Marks = prefix+n.ID, n.Marks|m
	}
	for _, e := range g.Edges {
		e.From, e.To, e.Marks = prefix+e.From, prefix+e.To, e.Marks|m
	}
	return out
}

// groupDiff compares two diagrams of a channel by the names of bundles.
type groupDiff struct {
	out      Group
	id       map[string]string   // IDs in the result, by name
	nextWas  map[string]string   // names, in the base
	edgesWas map[[2]string]*Edge // by names, in the base
}

func diffGroups(base, now *Group) Group {
	d := &groupDiff{out: *now, id: map[string]string{}, nextWas: map[string]string{}, edgesWas: map[[2]string]*Edge{}}
	names := namesIn(base)
	for _, e := range base.Edges {
		d.edgesWas[[2]string{names[e.From], names[e.To]}] = e
		if e.Kind.isAutomatic() {
			d.nextWas[names[e.From]] = names[e.To]
		}
	}
	d.nodes(base, now)
	d.edges(base, now)
	return d.out
}

func namesIn(g *Group) map[string]string {
	names := map[string]string{}
	for _, n := range g.Nodes {
		names[n.ID] = n.Name
	}
	return names
}

// nodes merges the nodes of both, with removed ones at the place of their versions.
func (d *groupDiff) nodes(base, now *Group) {
	d.out.Nodes = slices.Clone(now.Nodes)
	was := map[string]*Node{}
	for _, n := range base.Nodes {
		was[n.Name] = n
	}
	for _, n := range d.out.Nodes {
		d.id[n.Name] = n.ID
		before := was[n.Name]
		if before == nil {
			n.Marks |= MarkAdded
			continue
		}
		if stops := markStuck | markBlocking; n.Marks&stops != 0 && n.Marks&stops == before.Marks&stops {
			n.Marks |= markAsBefore
		}
		if n.Marks&markDeprecated > before.Marks&markDeprecated {
			n.Marks = n.Marks&^markDeprecated | markNewlyDeprecated
		}
	}
	at := 0
	for _, was := range base.Nodes {
		n := *was
		if _, kept := d.id[n.Name]; kept {
			at = 1 + slices.IndexFunc(d.out.Nodes, func(m *Node) bool { return m.Name == n.Name })
			continue
		}
		n.ID = "r" + n.ID
		n.Marks = n.Marks&^(markHead|markStuck) | MarkRemoved
		d.id[n.Name] = n.ID
		d.out.Nodes = slices.Insert(d.out.Nodes, at, &n)
		at++
	}
}

func (d *groupDiff) edges(base, now *Group) {
	names, next := namesIn(now), map[string]string{}
	d.out.Edges = slices.Clone(now.Edges)
	kept := map[[2]string]bool{}
	for _, e := range d.out.Edges {
		edge := [2]string{names[e.From], names[e.To]}
		kept[edge] = true
		old := d.edgesWas[edge]
		switch {
		case old == nil:
			e.Marks |= MarkAdded
		case e.Kind.isAutomatic() && !old.Kind.isAutomatic():
			e.Marks |= markChanged
		}
		if e.Kind.isAutomatic() {
			next[edge[0]] = edge[1]
		}
	}
	was := namesIn(base)
	for _, e := range base.Edges {
		if edge := [2]string{was[e.From], was[e.To]}; !kept[edge] {
			e.From, e.To, e.Marks = d.id[edge[0]], d.id[edge[1]], e.Marks|MarkRemoved
			d.out.Edges = append(d.out.Edges, e)
		}
	}
	d.markChanges(next)
}

// markChanges marks the entries with another automatic upgrade than before.
func (d *groupDiff) markChanges(next map[string]string) {
	for _, n := range d.out.Nodes {
		if n.Marks&(MarkAdded|MarkRemoved) != 0 || next[n.Name] == d.nextWas[n.Name] {
			continue
		}
		n.Marks |= markChanged
		n.Tooltip = append(n.Tooltip, fmt.Sprintf("upgrades to %[2]s, was %[1]s", text.Dash(d.nextWas[n.Name]), text.Dash(next[n.Name])))
	}
}
