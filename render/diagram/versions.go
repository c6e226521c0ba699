package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/openshift"
)

// Versions returns the diagram of a package in the catalogs of several OpenShift versions: a column for each version, or for several after each other
// with the same channels, and a lane for each channel, with its head, and what becomes of that on a cluster that is updated. Only channels with these
// names are drawn; all if there are none.
func Versions(v *openshift.Versions, channels []string) (*Diagram, error) {
	b := &versionsBuilder{versions: v, Diagram: &Diagram{Kind: versionsKind()}}
	b.leaveOutUnfilled()
	if err := b.addLanes(channels); err != nil {
		return nil, err
	}
	b.addColumns()
	all := b.versions.All
	b.Title = fmt.Sprintf("package %s, OpenShift %s to %s, OLM v0", v.Package, all[0], all[len(all)-1])
	b.Notes = append([]string{"The head of each channel, and what becomes of it on a cluster that is updated to the next OpenShift version."}, b.Notes...)
	for i := range b.columns {
		for row := range b.channels {
			b.draw(i, row)
		}
		if g := &b.Groups[i]; len(g.cells) == 0 {
			g.cells = [][]*Node{make([]*Node, len(b.channels))}
		}
	}
	return b.Diagram, nil
}

// versionLine is the number of characters in a line of a dead end.
const versionLine = 34

// versionsBuilder builds the diagram of a package in several versions.
type versionsBuilder struct {
	*Diagram
	versions *openshift.Versions
	channels []*versionLane
	columns  []versionSpan
}

// versionLane is a channel.
type versionLane struct {
	name  string
	heads []*graph.Graph    // at each version, nil if there is no channel, or no single head
	moves []openshift.Stage // of the head at each version: what becomes of it at the next; that at the same one if OpenShift is not updated
	ends  [][]string        // the other entries at each version that end at the next
	last  *Node             // that is drawn, nil if its line has ended
}

// versionRole is what a node of a package in several OpenShift versions is, as the class of its style; "" if it is like any other.
type versionRole string

const (
	roleLane     versionRole = "operator" // the name of a channel, before its lane
	roleLeaving  versionRole = "switched" // a head to which not all older entries are upgraded
	roleUpgraded versionRole = "moved"    // a head to which the one before is upgraded
	roleDeadEnd  versionRole = "clash"
	roleMissing  versionRole = "skipped" // a version without the package
)

// style returns the style of nodes with the role.
func (r versionRole) style() nodeStyle {
	s := map[versionRole]nodeStyle{
		roleLane:     {border: "filled", color: paper, fill: paper},
		roleLeaving:  {border: "rounded,filled,bold", color: orange, fill: orangeSoft},
		roleUpgraded: {border: "rounded,filled", color: blue, fill: blueSoft},
		roleDeadEnd:  {border: "rounded,filled,bold", color: red, fill: redSoft},
		roleMissing:  {border: "rounded,filled,dashed", color: inkFaint, fill: paper},
	}[r]
	s.class, s.font = string(r), ink
	return s
}

// versionSpan is versions that are the same for the package.
type versionSpan struct{ from, to int }

// leaveOutUnfilled leaves out the newest versions if they lack the package and their catalogs are not filled yet: nobody removed it there.
func (b *versionsBuilder) leaveOutUnfilled() {
	all := b.versions.All
	for last := len(all) - 1; last > max(1, openshift.NewestFilled(all)) && b.versions.PackageIn(last) == nil; last-- {
		b.Notes = append(b.Notes, fmt.Sprintf("OpenShift %s is left out: its catalog has only %s so far.", all[last], words.Count(len(all[last].Packages), "package")))
		b.versions = &openshift.Versions{Package: b.versions.Package, All: all[:last]}
	}
}

// addLanes adds the channels: the default channel of the newest version first.
func (b *versionsBuilder) addLanes(only []string) error {
	var names []string
	standard := ""
	for i := range b.versions.All {
		p := b.versions.PackageIn(i)
		if p == nil {
			continue
		}
		standard = p.DefaultChannel.Value
		for _, name := range p.ChannelNames() {
			if !slices.Contains(names, name) && (len(only) == 0 || slices.Contains(only, name)) {
				names = append(names, name)
			}
		}
	}
	slices.SortFunc(names, func(x, y string) int {
		switch standard {
		case x:
			return -1
		case y:
			return 1
		}
		return compareNatural(y, x)
	})
	ends := make([][]openshift.End, len(b.versions.All)) // at the next version
	for i := range len(ends) - 1 {
		var err error
		if ends[i], err = b.versions.Ends(i, i+1, false); err != nil {
			return err
		}
	}
	for row, name := range names {
		l := &versionLane{name: name}
		if err := b.followHeads(l, ends); err != nil {
			return err
		}
		b.channels = append(b.channels, l)
		b.Nodes = append(b.Nodes, &Node{ID: nodeID(0, row, 0), Name: "channel " + name, role: roleLane})
	}
	return nil
}

// followHeads finds the heads of a channel, and what becomes of each at the next version. ends are those of all channels, by version.
func (b *versionsBuilder) followHeads(l *versionLane, ends [][]openshift.End) error {
	for i := range b.versions.All {
		var g *graph.Graph
		if p := b.versions.PackageIn(i); p != nil && p.Channel(l.name) != nil {
			g = graph.New(p, p.Channel(l.name))
			if _, ok := g.Head(); !ok {
				g = nil
			}
		}
		l.heads, l.moves, l.ends = append(l.heads, g), append(l.moves, openshift.Stage{}), append(l.ends, nil)
		if g == nil || i+1 == len(b.versions.All) {
			continue
		}
		step := openshift.Versions{Package: b.versions.Package, All: b.versions.All[i : i+2]}
		path, err := step.Follow(l.name, graph.InstalledBundle{Name: g.HeadName(), Version: versionOfHead(g)}, "")
		if err != nil {
			return err
		}
		l.moves[i] = *path.LastStage()
		for _, e := range ends[i] {
			if e.Channel == l.name && !e.Head && (e.Kind == openshift.HeadLower || e.Kind == openshift.NoEdge) {
				l.ends[i] = append(l.ends[i], e.Entry)
			}
		}
	}
	return nil
}

func isDefault(g *graph.Graph) bool { return g.Package.DefaultChannel.Value == g.Channel.Name.Value }

func versionOfHead(g *graph.Graph) string {
	i, _ := g.Head()
	return versionIn(g, i)
}

// addColumns adds the columns.
func (b *versionsBuilder) addColumns() {
	for i := range b.versions.All {
		n := len(b.columns)
		switch {
		case n > 0 && b.isUnchanged(i-1, i):
			b.columns[n-1].to = i
		default:
			b.columns = append(b.columns, versionSpan{i, i})
		}
	}
	for i, c := range b.columns {
		title := "OpenShift " + b.versions.All[c.from].String()
		if c.to > c.from {
			title += " to " + b.versions.All[c.to].String()
		}
		b.Groups = append(b.Groups, Group{ID: fmt.Sprintf("c%d", i), Title: title})
	}
}

// isUnchanged reports whether the channels are the same at two versions that follow each other, and OpenShift is updated with each head.
func (b *versionsBuilder) isUnchanged(i, next int) bool {
	return !slices.ContainsFunc(b.channels, func(l *versionLane) bool {
		g, h := l.heads[i], l.heads[next]
		return l.moves[i].Limit != "" || len(l.ends[i]) > 0 || (g == nil) != (h == nil) ||
			g != nil && (isDefault(g) != isDefault(h) || g.HeadName() != h.HeadName() || !slices.Equal(g.Names(g.Entries()), h.Names(h.Entries())))
	})
}

// draw adds what a channel has in a column.
func (b *versionsBuilder) draw(column, row int) {
	l, at := b.channels[row], b.columns[column].from
	before := l.last
	l.last = nil
	rank := 0
	add := func(n *Node, from *Node, kind EdgeKind) {
		b.place(column, row, rank, len(b.channels), n)
		if from != nil {
			b.Edges = append(b.Edges, &Edge{From: from.ID, To: n.ID, Kind: kind, Tooltip: n.Tooltip})
		}
		rank++
	}
	kind, upgrades := kindUnchanged, graph.Path(nil)
	if before != nil {
		move := &l.moves[at-1]
		upgrades = move.Upgrades
		if n := deadEnd(move); n != nil {
			add(n, before, kindBlocked)
			before, upgrades = nil, nil
		}
	}
	g := l.heads[at]
	if g == nil {
		if rank == 0 && b.versions.PackageIn(at) == nil {
			add(&Node{Name: "not in the catalog", role: roleMissing, Tooltip: []string{fmt.Sprintf("%s: the catalog does not have the package", b.Groups[column].Title)}}, nil, 0)
		}
		return
	}
	n := &Node{Name: versionOfHead(g), Tooltip: []string{g.HeadName(), fmt.Sprintf("head of channel %s, %s", l.name, b.Groups[column].Title)}}
	if isDefault(g) {
		n.Lines = append(n.Lines, "default channel")
	}
	if entries := len(g.Entries()); entries > 1 {
		n.Lines = append(n.Lines, words.CountPlural(entries, "entry", "entries"))
	}
	if len(upgrades) > 0 {
		kind, n.role = kindNextReplaces, roleUpgraded
		n.Lines = append(n.Lines, words.Count(len(upgrades), "upgrade")+" from "+before.Name)
		for i := range upgrades {
			n.Tooltip = append(n.Tooltip, upgrades[i].From+" to "+upgrades[i].To)
		}
	}
	if column > 0 && len(l.ends[at-1]) > 0 {
		n.role = roleLeaving
		n.Lines = append(n.Lines, "users still on "+words.JoinSome(l.endVersions(at-1), 2), "are not upgraded")
		n.Tooltip = append(n.Tooltip, "not upgraded: "+words.JoinSome(l.ends[at-1], 12))
	}
	add(n, before, kind)
	l.last = n
}

// endVersions returns the versions of the entries that end after a version of OpenShift, or their names.
func (l *versionLane) endVersions(at int) []string {
	return words.Map(l.ends[at], func(name string) string {
		if h := l.heads[at]; h != nil {
			if i, ok := h.Index(name); ok {
				return versionIn(h, i)
			}
		}
		return name
	})
}

// deadEnd returns the node of a head that is not upgraded at the next version, or keeps the cluster from it; nil if it is neither.
func deadEnd(s *openshift.Stage) *Node {
	n := &Node{role: roleDeadEnd}
	switch {
	case s.Limit != "":
		n.Name, n.Lines = "OpenShift is not updated", []string{fmt.Sprintf("%s allows %s at most", s.At.Version, s.Limit)}
	case s.Loop:
		n.Name, n.Lines = s.At.Version, []string{"upgrades repeat endlessly"}
	case s.End == nil:
		return nil
	default:
		n.Name, n.Lines = s.At.Version+" is not upgraded", []string{[...]string{"the package was removed", "the channel was removed", "the head is lower", "nothing upgrades it", "it is stuck"}[s.End.Kind]}
		if len(s.Others) > 0 {
			n.Lines = append(n.Lines, wrapText("switch to channel "+strings.Join(s.Others, " or "), versionLine)...)
		}
	}
	n.Tooltip = append([]string{s.At.Name}, n.Lines...)
	return n
}

// versionsKind returns the kind of a package in several OpenShift versions.
func versionsKind() Kind {
	return Kind{name: "versions", id: "olmgraph-versions", grid: true, maxLine: 60, classes: versionClasses, samples: []sample{
		edgeSample(kindUnchanged, 0, "the same head"),
		edgeSample(kindNextReplaces, 0, "upgraded automatically"),
		edgeSample(kindBlocked, 0, "not upgraded, or OpenShift is not updated"),
		roleSample(roleUpgraded, "head to which the one before is upgraded"),
		roleSample(roleLeaving, "head to which some older entries are not upgraded"),
		roleSample(roleDeadEnd, "dead end"),
	}}
}
