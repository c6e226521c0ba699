package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
)

// Sketch is what a picture of a package shows, before it is laid out.
type Sketch struct {
	Title  string
	Groups []Group
	Links  []Link   // between nodes of the same bundle in different channels
	Notes  []string // what the picture leaves out
}

// Group is a channel.
type Group struct {
	ID      string // c and the index in the atlas
	Channel string // its name
	Title   string
	Note    string // why OLM v0 cannot order it, or how it is deprecated; or ""
	Marks   Mark   // Standard, Deprecated, Broken, Added or Removed
	Nodes   []Node // newest version last
	Arrows  []Arrow
}

// Node is an entry of a channel.
type Node struct {
	ID       string // e, the index of the channel in the atlas, -, and that of the entry
	Name     string
	Version  string
	Folded   []string // edges that are not drawn but said: "skips 12", ">=1.9.0 <22.9.0"
	Marks    Mark
	Errors   int
	Warnings int
	Facts    []string // all that is to be known, a line each
}

// Arrow is an edge between nodes.
type Arrow struct {
	From, To string // IDs
	Kind     ArrowKind
	Marks    Mark // Downgrade, OnWay, Faded, Added, Removed or Changed
	Fact     string
}

// Link joins two nodes of one bundle.
type Link struct{ A, B string }

// Mark says what is special about a part of a picture.
type Mark uint16

// The marks.
const (
	Head Mark = 1 << iota
	Stuck
	Skipped
	Deprecated
	Standard // the default channel
	Broken   // OLM v0 cannot order the channel
	Downgrade
	OnWay
	Faded
	Added
	Removed
	Changed // the automatic upgrade leads elsewhere than before
	Gone    // the catalog does not have it any more
)

// ArrowKind is the part that an edge plays.
type ArrowKind uint8

// The kinds of arrows.
const (
	NextReplaces ArrowKind = iota // OLM follows it by itself
	NextSkips
	NextRange
	NextSame // under OLM v1, which takes another bundle of the same version
	Replaces
	Skips
	Range
	Ignored // OLM v0 never follows it, since one of its ends is skipped
	Cut     // it would have led a stuck entry on, had its target not been skipped
)

// next reports whether OLM follows the edge by itself.
func (k ArrowKind) next() bool { return k <= NextSame }

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

// SketchOptions say what a picture is to show.
type SketchOptions struct {
	OLM      graph.Resolver
	Mode     EdgeMode
	Channels []string        // only these; all if empty
	Oldest   *semver.Version // leave out entries of lower versions
	Newest   int             // leave out all but so many of each channel; 0 is no limit
	Way      graph.Way       // emphasize this way, and fade the rest; From is where it begins
	From     string
	// FromVersion is the version of From where the catalog does not have it.
	FromVersion string
	Findings    []lint.Finding // of the package
	Catalog     string         // a name for the title, or ""
}

// SketchOf sketches a package.
func SketchOf(a *graph.Atlas, o SketchOptions) *Sketch {
	s := &Sketch{Title: "package " + a.Package.Name.Value}
	if o.Catalog != "" {
		s.Title += " in " + o.Catalog
	}
	s.Title += ", OLM " + o.OLM.String()
	if d := a.Package.Deprecation(catalogs.SchemaPackage, ""); d != nil {
		s.Notes = append(s.Notes, "the package is deprecated: "+d.Message.Value)
	}
	for i, g := range a.Graphs {
		if len(o.Channels) == 0 || slices.Contains(o.Channels, g.Channel.Name.Value) {
			sketcher := sketcher{SketchOptions: o, atlas: a, Graph: g, channel: i, sketch: s}
			s.Groups = append(s.Groups, sketcher.group())
		}
	}
	slices.SortStableFunc(s.Groups, compareGroups)
	s.link()
	if o.From != "" {
		s.addGone(a, o)
		s.emphasize(o.From, o.Way)
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

// sketcher sketches one channel.
type sketcher struct {
	SketchOptions
	*graph.Graph
	atlas   *graph.Atlas
	channel int
	sketch  *Sketch
	shown   []bool
}

func (s *sketcher) id(entry int) string { return fmt.Sprintf("e%d-%d", s.channel, entry) }

func (s *sketcher) group() Group {
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
	g.Arrows = s.arrows(rows)
	return g
}

// choose leaves out what is too old.
func (s *sketcher) choose(rows []graph.Row) {
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
		s.sketch.Notes = append(s.sketch.Notes, fmt.Sprintf("channel %s: %s of versions below %s not shown",
			s.Channel.Name.Value, countOf(left, "entry", "entries"), s.Oldest))
	}
}

func (s *sketcher) node(r *graph.Row) Node {
	e := &s.Channel.Entries[r.Entry]
	n := Node{ID: s.id(r.Entry), Name: e.Name.Value}
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
		n.Folded = append(n.Folded, fmt.Sprintf("skips %d", len(e.Skips)))
	}
	if e.SkipRange.Value != "" && s.Mode != All {
		n.Folded = append(n.Folded, e.SkipRange.Value)
	}
	s.count(&n)
	n.Facts = s.facts(r, &n)
	return n
}

// next is what becomes of an entry under the OLM that is drawn.
func (s *sketcher) next(r *graph.Row) (next graph.Edge, hops, end int) {
	if s.OLM == graph.V1 {
		return r.NextV1, r.HopsV1, r.EndV1
	}
	return r.Next, r.Hops, r.End
}

// count adds what lint found on the entry: in this channel, or wherever the bundle is.
func (s *sketcher) count(n *Node) {
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
func (s *sketcher) facts(r *graph.Row, n *Node) []string {
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
		add("next ", s.Name(next.To)+", and so on for ever")
	case next.To >= 0:
		add("next ", fmt.Sprintf("%s (%s); %s to %s", s.Name(next.To), next.Kind, count(hops, "upgrade"), s.Name(end)))
	case n.Marks&Stuck != 0:
		add("", "stuck: OLM v0 never upgrades it")
	}
	if r.RefusalV1 != nil && s.OLM == graph.V1 {
		add("", refused(s.atlas, r.RefusalV1, n.Name))
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
var markNames = []markName{{Head, "head"}, {Stuck, "stuck"}, {Skipped, "skipped"}, {Deprecated, "deprecated"}, {Added, "added"}, {Removed, "removed"}, {Changed, "next changed"}, {Gone, "not in this catalog"}}

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
		found = append(found, count(n.Errors, "error"))
	}
	if n.Warnings > 0 {
		found = append(found, count(n.Warnings, "warning"))
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
func (s *Sketch) link() {
	last := map[string]string{}
	for i := range s.Groups {
		for j := range s.Groups[i].Nodes {
			n := &s.Groups[i].Nodes[j]
			if id, met := last[n.Name]; met {
				s.Links = append(s.Links, Link{id, n.ID})
			}
			last[n.Name] = n.ID
		}
	}
}

// addGone adds a node for the beginning of a way that the catalog does not have any more.
func (s *Sketch) addGone(a *graph.Atlas, o SketchOptions) {
	if a.Has(o.From) {
		return
	}
	if len(o.Way) == 0 || o.Way[0].Switch() || o.Way[0].Graph == nil {
		s.Notes = append(s.Notes, o.From+" is not in this catalog")
		return
	}
	first := &o.Way[0]
	for i := range s.Groups {
		g := &s.Groups[i]
		to := slices.IndexFunc(g.Nodes, func(n Node) bool { return n.Name == first.To })
		if g.Channel != first.Graph.Channel.Name.Value || to < 0 {
			continue
		}
		n := Node{ID: "gone", Name: o.From, Version: o.FromVersion, Marks: Gone}
		n.Facts = []string{n.Name, "not in this catalog"}
		arrow := Arrow{From: n.ID, To: g.Nodes[to].ID, Kind: NextReplaces + ArrowKind(first.Edge.Kind),
			Fact: first.To + " " + reason(first.Edge, o.From) + " (" + first.Edge.Where.Pos.String() + ")"}
		g.Nodes, g.Arrows = append([]Node{n}, g.Nodes...), append(g.Arrows, arrow)
	}
}

// emphasize marks the nodes and arrows of a way, and fades the others.
func (s *Sketch) emphasize(from string, w graph.Way) {
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
			n := &g.Nodes[j]
			names[n.ID] = n.Name
			n.Marks |= either(stops[place{channel: channel, to: n.Name}] || len(w) == 0 && n.Name == from, OnWay, Faded)
		}
		for j := range g.Arrows {
			a := &g.Arrows[j]
			a.Marks |= either(steps[place{channel, names[a.From], names[a.To]}], OnWay, Faded)
		}
	}
}

func either(holds bool, yes, no Mark) Mark {
	if holds {
		return yes
	}
	return no
}
