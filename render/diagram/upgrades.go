package diagram

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/wording"
)

// EdgeMode selects the edges that are drawn.
type EdgeMode string

// The modes: Auto draws automatic upgrades and the chain of replaces; Declared draws every replaces and skips; All also draws
// skipRanges.
const (
	Auto             EdgeMode = "auto"
	edgeModeDeclared EdgeMode = "declared"
	All              EdgeMode = "all"
)

// EdgeModes returns the names of the modes.
func EdgeModes() []string { return []string{string(Auto), string(edgeModeDeclared), string(All)} }

// UpgradeOptions select what a diagram shows.
type UpgradeOptions struct {
	OLM      graph.Generation
	Mode     EdgeMode
	Unfold   bool            // the diagram is not to be folded: see Fold
	Channels []string        // only these; all if empty
	Oldest   *semver.Version // leave out entries of lower versions
	Newest   int             // only this many entries of each channel; 0 is no limit
	Path     graph.Path      // emphasize this path from From, and fade the rest
	From     string
	// FromVersion is the version of From if the catalog does not have it.
	FromVersion string
	Findings    []lint.Finding // of the package
	// Failing are the upgrades that fail, by the names of both bundles; nil if it is not known.
	Failing map[[2]string][]judge.Reason
	Catalog string // a name for the title, or ""
	Root    string // the folder or file of the catalog: positions are relative to it
}

// position writes a position relative to the catalog.
func (o *UpgradeOptions) position(p catalogs.Pos) string {
	if p.File == o.Root {
		p.File = path.Base(p.File)
	} else {
		p.File = strings.TrimPrefix(p.File, strings.TrimSuffix(o.Root, "/")+"/")
	}
	return p.String()
}

// Upgrades returns the diagram of the upgrade graph of a package.
func Upgrades(a *graph.PackageGraph, o UpgradeOptions) *Diagram {
	s := &Diagram{Kind: upgradeKind(), Title: "package " + a.Package.Name.Value}
	if o.Catalog != "" {
		s.Title += " in " + o.Catalog
	}
	s.Title += ", OLM " + o.OLM.String()
	s.subject = s.Title
	if d := a.Package.Deprecation(catalogs.SchemaPackage, ""); d != nil {
		s.Notes = append(s.Notes, "the package is deprecated: "+d.Message.Value)
	}
	found := map[string][]*lint.Finding{}
	for i := range o.Findings {
		if f := &o.Findings[i]; f.Package == a.Package.Name.Value {
			found[f.Bundle] = append(found[f.Bundle], f)
		}
	}
	for i, g := range a.Graphs {
		if len(o.Channels) == 0 || slices.Contains(o.Channels, g.Channel.Name.Value) {
			builder := upgradeBuilder{UpgradeOptions: o, packageGraph: a, Graph: g, channel: i, diagram: s, found: found}
			s.Groups = append(s.Groups, builder.group())
		}
	}
	slices.SortStableFunc(s.Groups, compareGroups)
	s.noteChannels()
	said, _ := wording.Verdict(a, o.Channels, o.OLM, o.Failing)
	s.Title += words.Prefix(": ", said)
	if o.From != "" {
		s.addNotInCatalog(a, o)
		s.emphasize(o.From, o.Path)
	}
	s.shortenNames(a.Package.Name.Value)
	return s
}

// shortenNames leaves what the names of most bundles begin with to a note: nodes show versions, and the names of the others.
func (s *Diagram) shortenNames(pkg string) {
	usual, count := pkg+".v", map[string]int{}
	nodes, _ := s.elements()
	for _, n := range nodes {
		if prefix, ok := strings.CutSuffix(n.Name, n.Version); ok && n.Version != "" && prefix != "" {
			if count[prefix]++; count[prefix] > count[usual] {
				usual = prefix
			}
		}
	}
	for _, n := range nodes {
		switch {
		case n.Version == "" || n.Version == n.Name:
			n.Version = strings.TrimPrefix(n.Name, usual)
		case n.Name != usual+n.Version:
			n.Lines = slices.Insert(n.Lines, 0, n.Name)
		}
	}
	if usual != pkg+".v" {
		s.Notes = append(s.Notes, "names of bundles: "+usual+"VERSION")
	}
}

// compareGroups orders the default channel first, then names in reverse natural order: stable-3.10 before stable-3.9.
func compareGroups(a, b Group) int {
	switch {
	case a.isDefault == b.isDefault:
		return compareNatural(b.Title, a.Title)
	case a.isDefault:
		return -1
	}
	return 1
}

// compareNatural compares two strings, with runs of digits compared as numbers.
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

// digits returns the number of leading digits.
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
	found        map[string][]*lint.Finding // by bundle
	blocked      []graph.BlockedEdge        // to be drawn
	blockedFrom  map[int]bool               // entries that these lead from
	blockedTo    map[int]graph.BlockedEdge  // the first of these into an entry
}

func (s *upgradeBuilder) id(entry int) string { return fmt.Sprintf("e%d-%d", s.channel, entry) }

func (s *upgradeBuilder) group() Group {
	name := s.Channel.Name.Value
	g := Group{ID: fmt.Sprintf("c%d", s.channel), Title: "channel " + name, Channel: name, isDefault: isDefault(s.Graph)}
	if g.isDefault {
		g.Title += " (default)"
	}
	if d := s.Package.Deprecation(catalogs.SchemaChannel, name); d != nil {
		g.Note = "deprecated: " + d.Message.Value
	}
	if _, err := s.Order(); err != nil && s.OLM == graph.V0 {
		g.unordered = true
		g.Note = "OLM v0 cannot order this channel: " + err.Error()
	}
	rows := s.Rows()
	slices.Reverse(rows)
	s.choose(rows)
	s.findBlocked()
	g.Note = cmp.Or(g.Note, s.afterSwitch())
	for i := range rows {
		if s.shown[rows[i].Entry] {
			g.Nodes = append(g.Nodes, s.node(&rows[i]))
		}
	}
	g.Edges = s.edges(rows)
	return g
}

// afterSwitch says which versions of the channel below OLM v0 upgrades after a switch to this one, if this one begins with an entry that
// replaces one of that channel; else "". Of several it is the one with the newest head that is older than the head of this one.
func (s *upgradeBuilder) afterSwitch() string {
	order, err := s.Order()
	if err != nil || s.OLM == graph.V1 {
		return ""
	}
	replaced := s.Channel.Entries[order[len(order)-1]].Replaces.Value
	if _, here := s.Index(replaced); here {
		return ""
	}
	var from *graph.Graph
	for _, g := range s.packageGraph.GraphsContaining(replaced) {
		if graph.Older(g.HeadVersion(), s.HeadVersion()) && (from == nil || graph.Older(from.HeadVersion(), g.HeadVersion())) {
			from = g
		}
	}
	if from == nil {
		return ""
	}
	left, said := from.StuckAfterSwitch(s.Graph), "after a switch from "+from.Channel.Name.Value
	switch all := len(from.Entries()); {
	case len(left) == 0:
		return said + " all versions are upgraded"
	case len(left) == all-1:
		return said + " only " + wording.Version(s.packageGraph, replaced) + " is upgraded"
	case slices.Contains(left, from.Heads()[0]):
		return fmt.Sprintf("%s %d of %d versions are upgraded, the head is not", said, all-len(left), all)
	default:
		return fmt.Sprintf("%s %d of %d versions are upgraded", said, all-len(left), all)
	}
}

// choose selects the entries to show.
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
			s.Channel.Name.Value, words.CountPlural(left, "entry", "entries"), s.Oldest))
	}
}

func (s *upgradeBuilder) node(r *graph.EntryRow) *Node {
	e := &s.Channel.Entries[r.Entry]
	n := &Node{ID: s.id(r.Entry), Name: e.Name.Value}
	if e.Bundle != nil {
		n.Version = e.Bundle.Version.Value
	}
	n.Marks = markIf(r.Head, markHead, 0) | markIf(r.Stuck && s.OLM == graph.V0, markStuck, 0) |
		markIf(r.Skipped, markSkipped, 0) | markIf(r.Deprecated != nil, deprecated, 0)
	s.cause(n, r.Entry)
	skipped := slices.DeleteFunc(catalogs.Values(e.Skips), func(name string) bool {
		at, ok := s.Index(name)
		return !ok || !s.shown[at]
	})
	if len(skipped) > 0 {
		n.Lines = append(n.Lines, fmt.Sprintf("skips %d", len(find.Distinct(skipped))))
	}
	if e.SkipRange.Value != "" {
		n.Lines = append(n.Lines, e.SkipRange.Value)
	}
	s.count(n)
	n.Facts = s.facts(r, n)
	return n
}

// next returns the automatic upgrade of an entry under the selected generation of OLM, the number of upgrades, and the last
// entry.
func (s *upgradeBuilder) next(r *graph.EntryRow) (next graph.Edge, hops, end int) {
	if s.OLM == graph.V1 {
		return r.NextV1, r.HopsV1, r.EndV1
	}
	return r.Next, r.Hops, r.End
}

// count adds the findings about the entry in this channel, or about its bundle.
func (s *upgradeBuilder) count(n *Node) {
	for _, f := range s.found[n.Name] {
		if f.InChannel(s.Channel.Name.Value) {
			switch f.Severity {
			case lint.Error:
				n.Errors++
			case lint.Warning:
				n.Warnings++
			}
		}
	}
}

// facts returns the lines of the tooltip.
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
	add("skips ", words.JoinSome(catalogs.Values(e.Skips), 12))
	add("skipRange ", e.SkipRange.Value)
	next, hops, end := s.next(r)
	switch {
	case next.To >= 0 && r.Loop && s.OLM == graph.V0:
		add("upgrades to ", s.Name(next.To)+", endlessly")
	case next.To >= 0:
		add("upgrades to ", fmt.Sprintf("%s (%s); %s to %s", s.Name(next.To), next.Kind, words.Count(hops, "upgrade"), s.Name(end)))
	case n.Marks&markStuck != 0:
		add("", "stuck: "+graph.NeverUpgrades)
	}
	if r.RefusalV1 != nil && s.OLM == graph.V1 {
		add("", wording.Refusal(s.packageGraph, r.RefusalV1, n.Name))
	}
	for _, m := range markNames {
		if n.Marks&m.mark != 0 && m.mark != markStuck {
			add("", m.name)
		}
	}
	if r.Deprecated != nil {
		add("deprecated: ", r.Deprecated.Message.Value)
	}
	add("", findingCounts(n))
	return facts
}

type markName struct {
	mark Mark
	name string
}

// markNames are the names of marks of entries in pictures.
var markNames = []markName{{markHead, "head"}, {markStuck, "stuck"}, {blocking, "never offered"}, {Stranded, "stranded"}, {markSkipped, "skipped"}, {deprecated, "deprecated"}, {Added, "added"}, {Removed, "removed"}, {served, "still upgraded"}, {markChanged, "upgrade changed"}, {notInCatalog, "not in this catalog"}}

// markLabels returns the names of the marks of a node, except Skipped, which its border shows.
func markLabels(n *Node) []string {
	var words []string
	for _, m := range markNames {
		if n.Marks&m.mark != 0 && m.mark != markSkipped {
			words = append(words, m.name)
		}
	}
	if found := findingCounts(n); found != "" {
		words = append(words, found)
	}
	return words
}

// findingCounts returns the number of findings of an entry in words, or "".
func findingCounts(n *Node) string {
	var found []string
	if n.Errors > 0 {
		found = append(found, words.Count(n.Errors, "error"))
	}
	if n.Warnings > 0 {
		found = append(found, words.Count(n.Warnings, "warning"))
	}
	return strings.Join(found, ", ")
}

// mostChannels is how many other channels a node names: all of them would be the square of their number.
const mostChannels = 20

// noteChannels adds the other channels of each bundle to the facts of its nodes.
func (s *Diagram) noteChannels() {
	in := map[string][]string{}
	for i := range s.Groups {
		for _, n := range s.Groups[i].Nodes {
			in[n.Name] = append(in[n.Name], s.Groups[i].Channel)
		}
	}
	for i := range s.Groups {
		for _, n := range s.Groups[i].Nodes {
			var others []string
			for _, c := range in[n.Name] {
				if len(others) == mostChannels {
					break
				}
				if c != s.Groups[i].Channel {
					others = append(others, c)
				}
			}
			if more := len(in[n.Name]) - 1 - len(others); more > 0 {
				others = append(others, fmt.Sprintf("%d more", more))
			}
			if len(others) > 0 {
				n.Facts = append(n.Facts, "also in "+words.Plural(len(others), "channel ", "channels ")+strings.Join(others, ", "))
			}
		}
	}
}

// addNotInCatalog adds a node for the start of a path that is no longer in the catalog.
func (s *Diagram) addNotInCatalog(a *graph.PackageGraph, o UpgradeOptions) {
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
		n := &Node{ID: "gone", Name: o.From, Version: o.FromVersion, Marks: notInCatalog}
		n.Facts = []string{n.Name, "not in this catalog"}
		arrow := &Edge{From: n.ID, To: g.Nodes[to].ID, Kind: nextReplaces + EdgeKind(first.Edge.Kind),
			Facts: []string{first.To + " " + wording.Edge(first.Edge, o.From) + " (" + o.position(first.Edge.Where.Pos) + ")"}}
		g.Nodes, g.Edges = append([]*Node{n}, g.Nodes...), append(g.Edges, arrow)
	}
}

// emphasize marks the nodes and edges of a path, and fades the others.
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
		for _, n := range g.Nodes {
			names[n.ID] = n.Name
			n.Marks |= markIf(stops[place{channel: channel, to: n.Name}] || len(w) == 0 && n.Name == from, onPath, faded)
		}
		for _, a := range g.Edges {
			a.Marks |= markIf(steps[place{channel, names[a.From], names[a.To]}], onPath, faded)
		}
	}
}

func markIf(holds bool, yes, no Mark) Mark {
	if holds {
		return yes
	}
	return no
}
