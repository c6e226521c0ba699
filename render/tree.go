package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// listTree draws the packages of the catalogs, their channels and, unless channels are listed, the entries of these.
func listTree(w io.Writer, l Listing, style text.Style) error {
	t := text.NewWriter(w, style)
	l.each(func(catalog string, a *graph.PackageGraph) {
		root := &text.Tree{Label: []text.Word{text.Styled(a.Package.Name.Value, t.Colors.Heading)}}
		if len(l.Catalogs) > 1 {
			root.Label = append(root.Label, text.Plain("in "+catalog))
		}
		if a.Package.Deprecation(catalogs.SchemaPackage, "") != nil {
			root.Label = withNote(root.Label, "deprecated", t.Colors.Warning)
		}
		for _, g := range a.Graphs {
			channelTree(root, a, g, l.Kind != "channels", t.Colors)
		}
		var outside []string
		for _, b := range a.Package.Bundles {
			if name := b.Name.Value; len(a.Containing(name)) == 0 {
				outside = append(outside, name)
			}
		}
		if len(outside) > 0 && l.Kind != "channels" {
			below := root.Add(text.Plain("in no channel"))
			for _, name := range outside {
				below.Add(text.Styled(name, t.Colors.Place))
			}
		}
		t.Tree(root)
	})
	return t.Flush()
}

// channelTree adds a channel to the tree of its package.
func channelTree(root *text.Tree, a *graph.PackageGraph, g *graph.Graph, entries bool, colors text.Colors) {
	name := g.Channel.Name.Value
	channel := root.Add(text.Styled(name, colors.Place))
	if name == a.Package.DefaultChannel.Value {
		channel.Label = append(channel.Label, text.Plain("(default)"))
	}
	if _, err := g.Order(); err != nil {
		channel.Label = withNote(channel.Label, "cannot be ordered: "+err.Error(), colors.Error)
	} else if head, _ := headOf(g); !entries {
		channel.Label = withNote(withNote(channel.Label, text.CountOf(len(g.Entries()), "entry", "entries"), nil), "head "+head, nil)
	}
	if a.Package.Deprecation(catalogs.SchemaChannel, name) != nil {
		channel.Label = withNote(channel.Label, "deprecated", colors.Warning)
	}
	if entries {
		newUpgradeTree(a, graph.Question{Channel: g}, colors).addTo(channel)
	}
}

// withNote appends a note after a comma.
func withNote(words []text.Word, note string, brush text.Brush) []text.Word {
	words[len(words)-1].Text += ","
	return append(words, text.Styled(note, brush))
}

// channelTableTree draws the automatic upgrades of each bundle that can be installed.
func channelTableTree(w io.Writer, c *ChannelTable, style text.Style) error {
	t := text.NewWriter(w, style)
	root := &text.Tree{Label: []text.Word{text.Styled(c.heading(), t.Colors.Heading)}}
	if g := c.Question.Channel; g != nil {
		if _, err := g.Order(); err != nil {
			root.Label = withNote(root.Label, "which OLM v0 cannot order: "+err.Error(), t.Colors.Error)
		}
	}
	newUpgradeTree(c.PackageGraph, c.Question, t.Colors).addTo(root)
	t.Tree(root)
	return t.Flush()
}

// upgradeTree draws the automatic upgrades of a channel or a ClusterExtension, the newest bundle first. A long chain is not
// indented: below a bundle, on the same level, is the one of those that upgrade to it that has the longest history. The others branch
// off.
type upgradeTree struct {
	table  *ChannelTable
	rows   []graph.InstalledRow
	from   map[string][]int // the rows that upgrade to a bundle
	size   map[int]int      // of the tree below a row
	drawn  map[int]bool
	colors text.Colors
}

func newUpgradeTree(a *graph.PackageGraph, q graph.Question, colors text.Colors) *upgradeTree {
	u := &upgradeTree{table: &ChannelTable{a, q}, rows: a.InstalledRows(q), from: map[string][]int{}, size: map[int]int{}, drawn: map[int]bool{}, colors: colors}
	for i := range u.rows {
		if step := u.rows[i].Step; step != nil {
			u.from[step.To] = append(u.from[step.To], i)
		}
	}
	for i := range u.rows {
		if u.rows[i].Step == nil {
			u.measure(i)
		}
	}
	return u
}

// measure sets the size of a tree.
func (u *upgradeTree) measure(row int) int {
	sum := 1
	for _, i := range u.from[u.rows[row].Name] {
		sum += u.measure(i)
	}
	u.size[row] = sum
	return sum
}

// addTo adds all rows: those that are not upgraded first, with what upgrades to them, then those of endless upgrades.
func (u *upgradeTree) addTo(root *text.Tree) {
	for _, ends := range []bool{true, false} {
		for i := range u.rows {
			if !u.drawn[i] && ends == (u.rows[i].Step == nil) {
				u.chain(root, i)
			}
		}
	}
}

// chain adds a row and, on the same level, those before it; what else upgrades to one of them is below it. Many in a row of which no
// more is to be told are one line.
func (u *upgradeTree) chain(root *text.Tree, row int) {
	for row >= 0 && !u.drawn[row] {
		if run := u.run(row); len(run) >= leastRun {
			for _, i := range run {
				u.drawn[i] = true
			}
			last := run[len(run)-1]
			root.Add(u.foldLabel(run, "chain of ", upgradedBy(u.rows[row].Step.Edge.Kind)+" the one above")...)
			row = u.before(last)
			continue
		}
		u.drawn[row] = true
		line := root.Add(u.label(row)...)
		before := u.before(row)
		var others []int
		for _, i := range u.from[u.rows[row].Name] {
			if i != before && !u.drawn[i] {
				others = append(others, i)
			}
		}
		for _, i := range u.leaves(line, others) {
			u.branch(line, i)
		}
		row = before
	}
}

// branch adds a row and what is before it one level below.
func (u *upgradeTree) branch(root *text.Tree, row int) {
	u.drawn[row] = true
	line := root.Add(u.label(row)...)
	var others []int
	for _, i := range u.from[u.rows[row].Name] {
		if !u.drawn[i] {
			others = append(others, i)
		}
	}
	for _, i := range u.leaves(line, others) {
		if !u.drawn[i] {
			u.chain(line, i)
		}
	}
}

// The least numbers of bundles that are one line of a tree.
const (
	leastFan = 4
	leastRun = 8
)

// run returns a row and those before it, as long as each is upgraded in the same way, nothing else is upgraded to it, and it has no
// notes.
func (u *upgradeTree) run(row int) []int {
	var all []int
	for i := row; i >= 0 && !u.drawn[i]; i = u.before(i) {
		r := &u.rows[i]
		if r.Step == nil || r.Step.Edge.Kind != u.rows[row].Step.Edge.Kind || len(u.from[r.Name]) > 1 || len(u.table.notes(r)) > 0 || slices.Contains(all, i) {
			break
		}
		all = append(all, i)
	}
	return all
}

// leaves adds a line for bundles to which nothing is upgraded, and of which the same is to be told, if they are many. It returns the
// other rows.
func (u *upgradeTree) leaves(root *text.Tree, rows []int) []int {
	same := map[string][]int{}
	key := func(i int) string {
		r := &u.rows[i]
		if r.Step == nil || len(u.from[r.Name]) > 0 {
			return ""
		}
		return upgradedBy(r.Step.Edge.Kind) + " " + wording.Version(u.table.PackageGraph, r.Step.To) + strings.Join(append([]string{""}, u.table.notes(r)...), ", ")
	}
	for _, i := range rows {
		same[key(i)] = append(same[key(i)], i)
	}
	var others []int
	for _, i := range rows {
		k := key(i)
		switch fan := same[k]; {
		case k == "" || len(fan) < leastFan:
			others = append(others, i)
		case i == fan[0]:
			for _, j := range fan {
				u.drawn[j] = true
			}
			root.Add(u.foldLabel(fan, "", k)...)
		}
	}
	return others
}

// foldLabel names the first and the last of some bundles, and says what they have in common.
func (u *upgradeTree) foldLabel(rows []int, prefix, said string) []text.Word {
	first, last := u.rows[rows[0]].Name, u.rows[rows[len(rows)-1]].Name
	return withNote([]text.Word{text.Plain(prefix + text.Count(len(rows), "bundle")), text.Styled(first, u.colors.Place), text.Plain("…"),
		text.Styled(last, u.colors.Place)}, "each "+said, nil)
}

// before returns the row that continues a chain: the one with the largest tree, or one that is replaced; -1 if all branch off.
func (u *upgradeTree) before(row int) int {
	best := -1
	for _, i := range u.from[u.rows[row].Name] {
		replaced := u.rows[i].Step.Edge.Kind == graph.Replaces
		switch {
		case best < 0 && (replaced || u.size[i] > 1), best >= 0 && (u.size[i] > u.size[best] || u.size[i] == u.size[best] && replaced):
			best = i
		}
	}
	return best
}

// label names a bundle, what upgrades it, and what else is to be known of it.
func (u *upgradeTree) label(row int) []text.Word {
	r := &u.rows[row]
	words := []text.Word{text.Styled(r.Name, u.colors.Place)}
	if r.Step != nil {
		words = append(words, text.Plain(upgradedBy(r.Step.Edge.Kind)+" "+wording.Version(u.table.PackageGraph, r.Step.To)))
	}
	for _, note := range u.table.notes(r) {
		brush := u.colors.Warning
		if r.Stuck && note == "stuck" {
			brush = u.colors.Error
		}
		words = withNote(words, note, brush)
	}
	return words
}

// upgradedBy describes an edge from the side of the bundle that is upgraded.
func upgradedBy(kind graph.EdgeKind) string {
	switch kind {
	case graph.Replaces:
		return "replaced by"
	case graph.Skips:
		return "skipped by"
	case graph.SkipRange:
		return "in the skipRange of"
	}
	return "same version as"
}

// pathTree draws the paths from the installed bundle: each step below the one before it, and other paths where they branch off.
// Below a step is what it requires, and what it skips.
func pathTree(w io.Writer, p *Path, style text.Style) error {
	t := pathWriter{text.NewWriter(w, style), p}
	t.heading()
	switch {
	case t.Obstacle != nil:
		t.noPath(func(w graph.Path) { t.tree(w) })
	case t.From == t.To:
		t.Tree(&text.Tree{Label: []text.Word{text.Styled(t.nameAndVersion(t.From), t.Colors.Place), text.Plain("is installed already")}})
		t.furtherUpgrades()
	default:
		t.tree(t.Paths...)
		t.afterwards()
	}
	return t.Flush()
}

// pathNode is a step of some paths, and the steps that follow it in them.
type pathNode struct {
	step *graph.Step // nil for the installed bundle
	next []*pathNode
}

// tree draws paths.
func (t pathWriter) tree(paths ...graph.Path) {
	root := &pathNode{}
	for _, path := range paths {
		at := root
		for i := range path {
			at = at.follow(&path[i])
		}
	}
	file := commonFile(slices.Concat(paths...))
	if file != "" {
		t.Wrapped("", "  ", text.Styled("edges in "+file, t.Colors.Faint))
	}
	drawn := &text.Tree{Label: []text.Word{text.Styled(t.nameAndVersion(t.From), t.Colors.Place), text.Plain("(installed)")}}
	t.addSteps(drawn, root, file)
	t.Tree(drawn)
}

// follow returns the node of a step after a node, which it adds if it is not there.
func (n *pathNode) follow(s *graph.Step) *pathNode {
	for _, next := range n.next {
		if next.step.From == s.From && next.step.To == s.To && next.step.Graph == s.Graph {
			return next
		}
	}
	next := &pathNode{step: s}
	n.next = append(n.next, next)
	return next
}

// addSteps adds the steps after a node: on the same level while there is one, below the last one where paths branch off.
func (t pathWriter) addSteps(root *text.Tree, n *pathNode, file string) {
	last := root
	for len(n.next) == 1 {
		n = n.next[0]
		last = t.step(root, n.step, file)
	}
	for _, next := range n.next {
		t.addSteps(t.step(last, next.step, file), next, file)
	}
}

// step adds a step, what it requires, and which other bundles it skips. file is the one that defines all edges, or "".
func (t pathWriter) step(root *text.Tree, s *graph.Step, file string) *text.Tree {
	var line *text.Tree
	if s.Switch() {
		line = root.Add(text.Plain("switch to channel"), text.Styled(s.Graph.Channel.Name.Value, t.Colors.Place))
	} else {
		line = root.Add(text.Styled(t.nameAndVersion(s.To), t.Colors.Place), text.Plain(wording.Edge(s.Edge, t.version(s.From))))
		if !s.Automatic {
			line.Label = withNote(line.Label, "if requested", nil)
		}
		if s.To == t.To && t.IsHead(t.To) {
			line.Label = append(line.Label, text.Plain("(head)"))
		}
		where := s.Edge.Where.Pos.String()
		if file != "" {
			where = fmt.Sprintf("line %d", s.Edge.Where.Pos.Line)
		}
		line.Label = withNote(line.Label, where, t.Colors.Faint)
	}
	for _, note := range t.notes(s) {
		line.Add(text.Styled(note, t.Colors.Warning))
	}
	if skipped := t.alsoSkipped(s); len(skipped) > 0 {
		line.Add(text.Plain("also skips " + text.And(skipped)))
	}
	return line
}

// alsoSkipped returns the versions of the other bundles that the target of a step skips.
func (t pathWriter) alsoSkipped(s *graph.Step) []string {
	entry, ok := s.Graph.Index(s.To)
	if s.Switch() || !ok {
		return nil
	}
	var all []string
	for _, skipped := range s.Graph.Channel.Entries[entry].Skips {
		if skipped.Value != s.From {
			all = append(all, t.version(skipped.Value))
		}
	}
	return all
}
