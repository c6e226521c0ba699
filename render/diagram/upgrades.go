package diagram

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// EdgeMode says which edges are drawn.
type EdgeMode string

// The modes: Auto draws what OLM does by itself and the chain of replaces, and folds the rest; Declared draws every replaces
// and skips; All draws what is in a skipRange as well.
const (
	Auto     EdgeMode = "auto"
	Declared EdgeMode = "declared"
	All      EdgeMode = "all"
)

// EdgeModes returns the names of the modes.
func EdgeModes() []string { return []string{string(Auto), string(Declared), string(All)} }

// UpgradeOptions say what a picture is to show.
type UpgradeOptions struct {
	OLM      graph.Generation
	Mode     EdgeMode
	Channels []string        // only these; all if empty
	Oldest   *semver.Version // leave out entries of lower versions
	Newest   int             // leave out all but so many of each channel; 0 is no limit
	Path     graph.Path      // emphasize this way, and fade the rest; From is where it begins
	From     string
	// FromVersion is the version of From where the catalog does not have it.
	FromVersion string
	Findings    []lint.Finding // of the package
	Catalog     string         // a name for the title, or ""
}

// Upgrades returns the diagram of what upgrades to what in a package.
func Upgrades(a *graph.PackageGraph, o UpgradeOptions) *Diagram {
	s := &Diagram{Kind: upgradeKind(), Title: "package " + a.Package.Name.Value}
	if o.Catalog != "" {
		s.Title += " in " + o.Catalog
	}
	s.Title += ", OLM " + o.OLM.String()
	if d := a.Package.Deprecation(catalogs.SchemaPackage, ""); d != nil {
		s.Notes = append(s.Notes, "the package is deprecated: "+d.Message.Value)
	}
	for i, g := range a.Graphs {
		if len(o.Channels) == 0 || slices.Contains(o.Channels, g.Channel.Name.Value) {
			builder := upgradeBuilder{UpgradeOptions: o, packageGraph: a, Graph: g, channel: i, diagram: s}
			s.Groups = append(s.Groups, builder.group())
		}
	}
	slices.SortStableFunc(s.Groups, compareGroups)
	s.link()
	if o.From != "" {
		s.addGone(a, o)
		s.emphasize(o.From, o.Path)
	}
	return s
}

// compareGroups puts the default channel first, then those with the highest numbers in their names: stable-3.10 before
// stable-3.9.
func compareGroups(a, b Group) int {
	return cmp.Or(int(b.Marks&Standard)-int(a.Marks&Standard), compareNatural(b.Title, a.Title))
}

// compareNatural compares two strings, runs of digits in them as numbers.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns how many digits a string begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

// upgradeBuilder builds the group of one channel.
type upgradeBuilder struct {
	UpgradeOptions
	*graph.Graph
	packageGraph *graph.PackageGraph
	channel      int
	diagram      *Diagram
	shown        []bool
}

func (s *upgradeBuilder) id(entry int) string { return fmt.Sprintf("e%d-%d", s.channel, entry) }

func (s *upgradeBuilder) group() Group {
	name := s.Channel.Name.Value
	g := Group{ID: fmt.Sprintf("c%d", s.channel), Title: "channel " + name, Channel: name}
	if name == s.Package.DefaultChannel.Value {
		g.Title += " (default)"
		g.Marks |= Standard
	}
	if d := s.Package.Deprecation(catalogs.SchemaChannel, name); d != nil {
		g.Marks |= Deprecated
		g.Note = "deprecated: " + d.Message.Value
	}
	if _, err := s.Order(); err != nil && s.OLM == graph.V0 {
		g.Marks |= Broken
		g.Note = "OLM v0 cannot order this channel: " + err.Error()
	}
	rows := s.Rows()
	slices.Reverse(rows)
	s.choose(rows)
	for i := range rows {
		if s.shown[rows[i].Entry] {
			g.Nodes = append(g.Nodes, s.node(&rows[i]))
		}
	}
	g.Edges = s.arrows(rows)
	return g
}

// choose leaves out what is too old.
func (s *upgradeBuilder) choose(rows []graph.EntryRow) {
	s.shown = make([]bool, len(s.Channel.Entries))
	left := 0
	for i := range rows {
		v := s.Version(rows[i].Entry)
		old := s.Oldest != nil && v != nil && v.LT(*s.Oldest)
		s.shown[rows[i].Entry] = !old && (s.Newest == 0 || i >= len(rows)-s.Newest)
		if old {
			left++
		}
	}
	if left > 0 {
		s.diagram.Notes = append(s.diagram.Notes, fmt.Sprintf("channel %s: %s of versions below %s not shown",
			s.Channel.Name.Value, text.CountOf(left, "entry", "entries"), s.Oldest))
	}
}

func (s *upgradeBuilder) node(r *graph.EntryRow) *Node {
	e := &s.Channel.Entries[r.Entry]
	n := &Node{ID: s.id(r.Entry), Name: e.Name.Value}
	if e.Bundle != nil {
		n.Version = e.Bundle.Version.Value
	}
	for _, m := range []struct {
		holds bool
		mark  Mark
	}{{r.Head, Head}, {r.Stuck && s.OLM == graph.V0, Stuck}, {r.Skipped, Skipped}, {r.Deprecated != nil, Deprecated}} {
		if m.holds {
			n.Marks |= m.mark
		}
	}
	if len(e.Skips) > 0 && s.Mode == Auto {
		n.Lines = append(n.Lines, fmt.Sprintf("skips %d", len(e.Skips)))
	}
	if e.SkipRange.Value != "" && s.Mode != All {
		n.Lines = append(n.Lines, e.SkipRange.Value)
	}
	s.count(n)
	n.Facts = s.facts(r, n)
	return n
}

// next is what becomes of an entry under the OLM that is drawn.
func (s *upgradeBuilder) next(r *graph.EntryRow) (next graph.Edge, hops, end int) {
	if s.OLM == graph.V1 {
		return r.NextV1, r.HopsV1, r.EndV1
	}
	return r.Next, r.Hops, r.End
}

// count adds what lint found on the entry: in this channel, or wherever the bundle is.
func (s *upgradeBuilder) count(n *Node) {
	for i := range s.Findings {
		f := &s.Findings[i]
		if f.Package != s.Package.Name.Value || f.Bundle != n.Name || f.Channel != "" && f.Channel != s.Channel.Name.Value {
			continue
		}
		switch f.Severity {
		case lint.Error:
			n.Errors++
		case lint.Warning:
			n.Warnings++
		}
	}
}

// facts are the lines of a tooltip.
func (s *upgradeBuilder) facts(r *graph.EntryRow, n *Node) []string {
	e := &s.Channel.Entries[r.Entry]
	facts := []string{n.Name}
	add := func(what, value string) {
		if value != "" {
			facts = append(facts, what+value)
		}
	}
	add("version ", n.Version)
	add("replaces ", e.Replaces.Value)
	add("skips ", joinSome(e.Skips))
	add("skipRange ", e.SkipRange.Value)
	next, hops, end := s.next(r)
	switch {
	case next.To >= 0 && r.Loop && s.OLM == graph.V0:
		add("upgrades to ", s.Name(next.To)+", endlessly")
	case next.To >= 0:
		add("upgrades to ", fmt.Sprintf("%s (%s); %s to %s", s.Name(next.To), next.Kind, text.Count(hops, "upgrade"), s.Name(end)))
	case n.Marks&Stuck != 0:
		add("", "stuck: OLM v0 never upgrades it")
	}
	if r.RefusalV1 != nil && s.OLM == graph.V1 {
		add("", wording.Refusal(s.packageGraph, r.RefusalV1, n.Name))
	}
	for _, m := range markNames {
		if n.Marks&m.mark != 0 && m.mark != Stuck {
			add("", m.name)
		}
	}
	if r.Deprecated != nil {
		add("deprecated: ", r.Deprecated.Message.Value)
	}
	add("", foundOn(n))
	return facts
}

type markName struct {
	mark Mark
	name string
}

// markNames are the words for what is special about an entry.
var markNames = []markName{{Head, "head"}, {Stuck, "stuck"}, {Skipped, "skipped"}, {Deprecated, "deprecated"}, {Added, "added"}, {Removed, "removed"}, {Changed, "upgrade changed"}, {Gone, "not in this catalog"}}

// special are the words for what is special about an entry, but that it is skipped: so many are that their border says it.
func special(n *Node) []string {
	var words []string
	for _, m := range markNames {
		if n.Marks&m.mark != 0 && m.mark != Skipped {
			words = append(words, m.name)
		}
	}
	if found := foundOn(n); found != "" {
		words = append(words, found)
	}
	return words
}

// foundOn says what lint found on an entry, or "".
func foundOn(n *Node) string {
	var found []string
	if n.Errors > 0 {
		found = append(found, text.Count(n.Errors, "error"))
	}
	if n.Warnings > 0 {
		found = append(found, text.Count(n.Warnings, "warning"))
	}
	return strings.Join(found, ", ")
}

func joinSome(texts []catalogs.Text) string {
	const most = 12
	var names []string
	for _, t := range texts[:min(len(texts), most)] {
		names = append(names, t.Value)
	}
	said := strings.Join(names, ", ")
	if n := len(texts) - most; n > 0 {
		said += fmt.Sprintf(" and %d more", n)
	}
	return said
}

// link joins the nodes of one bundle, each to that in the group above.
func (s *Diagram) link() {
	last := map[string]string{}
	for i := range s.Groups {
		for j := range s.Groups[i].Nodes {
			n := s.Groups[i].Nodes[j]
			if id, met := last[n.Name]; met {
				s.Links = append(s.Links, Link{id, n.ID})
			}
			last[n.Name] = n.ID
		}
	}
}

// addGone adds a node for the beginning of a way that the catalog does not have any more.
func (s *Diagram) addGone(a *graph.PackageGraph, o UpgradeOptions) {
	if a.Has(o.From) {
		return
	}
	if len(o.Path) == 0 || o.Path[0].Switch() || o.Path[0].Graph == nil {
		s.Notes = append(s.Notes, o.From+" is not in this catalog")
		return
	}
	first := &o.Path[0]
	for i := range s.Groups {
		g := &s.Groups[i]
		to := slices.IndexFunc(g.Nodes, func(n *Node) bool { return n.Name == first.To })
		if g.Channel != first.Graph.Channel.Name.Value || to < 0 {
			continue
		}
		n := &Node{ID: "gone", Name: o.From, Version: o.FromVersion, Marks: Gone}
		n.Facts = []string{n.Name, "not in this catalog"}
		arrow := &Edge{From: n.ID, To: g.Nodes[to].ID, Kind: NextReplaces + EdgeKind(first.Edge.Kind),
			Facts: []string{first.To + " " + wording.Edge(first.Edge, o.From) + " (" + first.Edge.Where.Pos.String() + ")"}}
		g.Nodes, g.Edges = append([]*Node{n}, g.Nodes...), append(g.Edges, arrow)
	}
}

// emphasize marks the nodes and arrows of a way, and fades the others.
func (s *Diagram) emphasize(from string, w graph.Path) {
	type place struct{ channel, from, to string }
	steps, stops := map[place]bool{}, map[place]bool{}
	for i := range w {
		if w[i].Graph == nil {
			continue
		}
		channel := w[i].Graph.Channel.Name.Value
		steps[place{channel, w[i].From, w[i].To}] = !w[i].Switch()
		stops[place{channel: channel, to: w[i].From}], stops[place{channel: channel, to: w[i].To}] = true, true
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		channel := g.Channel
		names := map[string]string{}
		for j := range g.Nodes {
			n := g.Nodes[j]
			names[n.ID] = n.Name
			n.Marks |= either(stops[place{channel: channel, to: n.Name}] || len(w) == 0 && n.Name == from, OnPath, Faded)
		}
		for j := range g.Edges {
			a := g.Edges[j]
			a.Marks |= either(steps[place{channel, names[a.From], names[a.To]}], OnPath, Faded)
		}
	}
}

func either(holds bool, yes, no Mark) Mark {
	if holds {
		return yes
	}
	return no
}
