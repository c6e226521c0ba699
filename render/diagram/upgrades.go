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
	Auto         EdgeMode = "auto"
	modeDeclared EdgeMode = "declared"
	All          EdgeMode = "all"
)

// EdgeModes returns the names of the modes.
func EdgeModes() []string { return []string{string(Auto), string(modeDeclared), string(All)} }

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
func Upgrades(pg *graph.PackageGraph, o UpgradeOptions) *Diagram {
	d := &Diagram{Kind: upgradeKind(), Title: "package " + pg.Package.Name.Value}
	if o.Catalog != "" {
		d.Title += " in " + o.Catalog
	}
	d.Title += ", OLM " + o.OLM.String()
	d.subject = d.Title
	if deprecation := pg.Package.Deprecation(catalogs.SchemaPackage, ""); deprecation != nil {
		d.Notes = append(d.Notes, "the package is deprecated: "+deprecation.Message.Value)
	}
	found := map[string][]*lint.Finding{}
	for i := range o.Findings {
		if f := &o.Findings[i]; f.Package == pg.Package.Name.Value {
			found[f.Bundle] = append(found[f.Bundle], f)
		}
	}
	for i, g := range pg.Graphs {
		if len(o.Channels) == 0 || slices.Contains(o.Channels, g.Channel.Name.Value) {
			builder := upgradeBuilder{UpgradeOptions: o, packageGraph: pg, Graph: g, channel: i, diagram: d, findings: found}
			d.Groups = append(d.Groups, builder.group())
		}
	}
	slices.SortStableFunc(d.Groups, compareGroups)
	d.noteChannels()
	d.Title += words.Prefix(": ", wording.Verdict(pg, o.Channels, o.OLM, o.Failing))
	d.noteFailing(pg, o)
	if o.From != "" {
		d.addNotInCatalog(pg, o)
		d.emphasize(o.From, o.Path)
	}
	d.shortenNames(pg.Package.Name.Value)
	return d
}

// shortenNames leaves what the names of most bundles begin with to a note: nodes show versions, and the names of the others.
func (d *Diagram) shortenNames(pkg string) {
	usual, count := pkg+".v", map[string]int{}
	nodes, _ := d.elements()
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
		d.Notes = append(d.Notes, "names of bundles: "+usual+"VERSION")
	}
}

// mostFailing is how many upgrades that fail are noted under the title, each with a reason.
const mostFailing = 3

// noteFailing says why the upgrades that are drawn fail.
func (d *Diagram) noteFailing(pg *graph.PackageGraph, o UpgradeOptions) {
	var notes []string
	for i := range d.Groups {
		names := namesIn(&d.Groups[i])
		for _, e := range d.Groups[i].Edges {
			from, to := names[e.From], names[e.To]
			if reasons := o.Failing[[2]string{from, to}]; e.Marks&markFails != 0 && len(reasons) > 0 {
				note := fmt.Sprintf("%s to %s fails: %s", wording.Version(pg, from), wording.Version(pg, to), reasons[0].String())
				if !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			}
		}
	}
	if more := len(notes) - mostFailing; more > 0 {
		notes = append(notes[:mostFailing], fmt.Sprintf("and %s", words.CountPlural(more, "more upgrade that fails", "more upgrades that fail")))
	}
	d.Notes = append(d.Notes, notes...)
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
	findings     map[string][]*lint.Finding // by bundle
	blocked      []graph.BlockedEdge        // to be drawn
	blockedFrom  map[int]bool               // entries that these lead from
	blockedTo    map[int]graph.BlockedEdge  // the first of these into an entry
}

func (b *upgradeBuilder) id(entry int) string { return fmt.Sprintf("e%d-%d", b.channel, entry) }

func (b *upgradeBuilder) group() Group {
	name := b.Channel.Name.Value
	g := Group{ID: fmt.Sprintf("c%d", b.channel), Channel: name, isDefault: isDefault(b.Graph)}
	g.Title = channelTitle(name, g.ifDefault("default"))
	if d := b.Package.Deprecation(catalogs.SchemaChannel, name); d != nil {
		g.Note = "deprecated: " + d.Message.Value
	}
	if _, err := b.Order(); err != nil && b.OLM == graph.V0 {
		g.unordered = true
		g.Note = "OLM v0 cannot order this channel: " + err.Error()
	}
	rows := b.Rows()
	slices.Reverse(rows)
	b.chooseShown(rows)
	b.findBlocked()
	g.Note = cmp.Or(g.Note, b.afterSwitch())
	for i := range rows {
		if b.shown[rows[i].Entry] {
			g.Nodes = append(g.Nodes, b.node(&rows[i]))
		}
	}
	g.Edges = b.edges(rows)
	return g
}

// channelTitle returns the title of a channel, with remarks; those that are "" are none.
func channelTitle(name string, remarks ...string) string {
	title := "channel " + name
	if remarks = slices.DeleteFunc(remarks, func(r string) bool { return r == "" }); len(remarks) > 0 {
		title += " (" + strings.Join(remarks, ", ") + ")"
	}
	return title
}

// ifDefault returns a remark if the channel is the default one.
func (g *Group) ifDefault(remark string) string {
	if g.isDefault {
		return remark
	}
	return ""
}

// afterSwitch says which versions of the channel below OLM v0 upgrades after a switch to this one, if it is none of them, or if this one begins with
// an entry that replaces one of that channel; else "". Of several it is the one with the newest head that is older than the head of this one.
func (b *upgradeBuilder) afterSwitch() string {
	order, err := b.Order()
	if err != nil || b.OLM == graph.V1 {
		return ""
	}
	replaced := b.Channel.Entries[order[len(order)-1]].Replaces.Value
	if _, here := b.Index(replaced); here {
		replaced = ""
	}
	from := b.newestBelow(b.packageGraph.GraphsContaining(replaced))
	if from == nil {
		from, replaced = b.newestBelow(b.packageGraph.Graphs), ""
	}
	if from == nil {
		return ""
	}
	left, after := from.StuckAfterSwitch(b.Graph), "after a switch from "+from.Channel.Name.Value
	switch all := len(from.Entries()); {
	case len(left) == all:
		return after + " no version is upgraded"
	case replaced == "":
		return ""
	case len(left) == 0:
		return after + " all versions are upgraded"
	case len(left) == all-1:
		return after + " only " + wording.Version(b.packageGraph, replaced) + " is upgraded"
	case slices.Contains(left, from.Heads()[0]):
		return fmt.Sprintf("%s %d of %d versions are upgraded, the head is not", after, all-len(left), all)
	default:
		return fmt.Sprintf("%s %d of %d versions are upgraded", after, all-len(left), all)
	}
}

// newestBelow returns the channel with the newest head that is older than the head of this one; nil if there is none.
func (b *upgradeBuilder) newestBelow(all []*graph.Graph) (below *graph.Graph) {
	for _, g := range all {
		if graph.Older(g.HeadVersion(), b.HeadVersion()) && (below == nil || graph.Older(below.HeadVersion(), g.HeadVersion())) {
			below = g
		}
	}
	return below
}

// chooseShown selects the entries to show.
func (b *upgradeBuilder) chooseShown(rows []graph.EntryRow) {
	b.shown = make([]bool, len(b.Channel.Entries))
	left := 0
	for i := range rows {
		v := b.Version(rows[i].Entry)
		old := b.Oldest != nil && v != nil && v.LT(*b.Oldest)
		b.shown[rows[i].Entry] = !old && (b.Newest == 0 || i >= len(rows)-b.Newest)
		if old {
			left++
		}
	}
	if left > 0 {
		b.diagram.Notes = append(b.diagram.Notes, fmt.Sprintf("channel %s: %s of versions below %s not shown",
			b.Channel.Name.Value, words.CountPlural(left, "entry", "entries"), b.Oldest))
	}
}

func (b *upgradeBuilder) node(r *graph.EntryRow) *Node {
	e := &b.Channel.Entries[r.Entry]
	n := &Node{ID: b.id(r.Entry), Name: e.Name.Value}
	if e.Bundle != nil {
		n.Version = e.Bundle.Version.Value
	}
	n.Marks = markIf(r.Head, markHead, 0) | markIf(r.Stuck && b.OLM == graph.V0, markStuck, 0) |
		markIf(r.Skipped, markSkipped, 0) | markIf(r.Deprecated != nil, markDeprecated, 0)
	b.noteCause(n, r.Entry)
	skipped := slices.DeleteFunc(catalogs.Values(e.Skips), func(name string) bool {
		at, ok := b.Index(name)
		return !ok || !b.shown[at]
	})
	if len(skipped) > 0 {
		n.Lines = append(n.Lines, fmt.Sprintf("skips %d", len(find.Distinct(skipped))))
	}
	if e.SkipRange.Value != "" {
		n.Lines = append(n.Lines, e.SkipRange.Value)
	}
	b.addFindingCounts(n)
	n.Tooltip = b.tooltip(r, n)
	return n
}

// automaticUpgrade returns the automatic upgrade of an entry under the selected generation of OLM, the number of upgrades, and the last
// entry.
func (b *upgradeBuilder) automaticUpgrade(r *graph.EntryRow) (next graph.Edge, hops, end int) {
	if b.OLM == graph.V1 {
		return r.NextV1, r.HopsV1, r.EndV1
	}
	return r.Next, r.Hops, r.End
}

// addFindingCounts adds the findings about the entry in this channel, or about its bundle.
func (b *upgradeBuilder) addFindingCounts(n *Node) {
	for _, f := range b.findings[n.Name] {
		if f.InChannel(b.Channel.Name.Value) {
			switch f.Severity {
			case lint.Error:
				n.Errors++
			case lint.Warning:
				n.Warnings++
			}
		}
	}
}

// tooltip returns the lines of the tooltip.
func (b *upgradeBuilder) tooltip(r *graph.EntryRow, n *Node) []string {
	e := &b.Channel.Entries[r.Entry]
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
	next, hops, end := b.automaticUpgrade(r)
	switch {
	case next.To >= 0 && r.Loop && b.OLM == graph.V0:
		add("upgrades to ", b.Name(next.To)+", endlessly")
	case next.To >= 0:
		add("upgrades to ", fmt.Sprintf("%s (%s); %s to %s", b.Name(next.To), next.Kind, words.Count(hops, "upgrade"), b.Name(end)))
	case n.Marks&markStuck != 0:
		add("", "stuck: "+graph.NeverUpgrades)
	}
	if r.RefusalV1 != nil && b.OLM == graph.V1 {
		add("", wording.Refusal(b.packageGraph, r.RefusalV1, n.Name))
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
var markNames = []markName{{markHead, "head"}, {markStuck, "stuck"}, {markBlocking, "never offered"}, {markAsBefore, "as before"}, {MarkStranded, "stranded"}, {markSkipped, "skipped"}, {markDeprecated, "deprecated"}, {markNewlyDeprecated, "newly deprecated"}, {MarkAdded, "added"}, {MarkRemoved, "removed"}, {markStillUpgraded, "still upgraded"}, {markChanged, "upgrade changed"}, {markNotInCatalog, "not in this catalog"}}

// markLabels returns the names of the marks of a node, except markSkipped, which its border shows.
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
func (d *Diagram) noteChannels() {
	in := map[string][]string{}
	for i := range d.Groups {
		for _, n := range d.Groups[i].Nodes {
			in[n.Name] = append(in[n.Name], d.Groups[i].Channel)
		}
	}
	for i := range d.Groups {
		for _, n := range d.Groups[i].Nodes {
			var others []string
			for _, c := range in[n.Name] {
				if len(others) == mostChannels {
					break
				}
				if c != d.Groups[i].Channel {
					others = append(others, c)
				}
			}
			if more := len(in[n.Name]) - 1 - len(others); more > 0 {
				others = append(others, fmt.Sprintf("%d more", more))
			}
			if len(others) > 0 {
				n.Tooltip = append(n.Tooltip, "also in "+words.Plural(len(others), "channel ", "channels ")+strings.Join(others, ", "))
			}
		}
	}
}

// addNotInCatalog adds a node for the start of a path that is no longer in the catalog.
func (d *Diagram) addNotInCatalog(pg *graph.PackageGraph, o UpgradeOptions) {
	if pg.Has(o.From) {
		return
	}
	if len(o.Path) == 0 || o.Path[0].Switch() || o.Path[0].Graph == nil {
		d.Notes = append(d.Notes, o.From+" is not in this catalog")
		return
	}
	first := &o.Path[0]
	for i := range d.Groups {
		g := &d.Groups[i]
		to := slices.IndexFunc(g.Nodes, func(n *Node) bool { return n.Name == first.To })
		if g.Channel != first.Graph.Channel.Name.Value || to < 0 {
			continue
		}
		n := &Node{ID: "gone", Name: o.From, Version: o.FromVersion, Marks: markNotInCatalog}
		n.Tooltip = []string{n.Name, "not in this catalog"}
		edge := &Edge{From: n.ID, To: g.Nodes[to].ID, Kind: kindNextReplaces + EdgeKind(first.Edge.Kind),
			Tooltip: []string{first.To + " " + wording.Edge(first.Edge, o.From) + " (" + o.position(first.Edge.Where.Pos) + ")"}}
		g.Nodes, g.Edges = append([]*Node{n}, g.Nodes...), append(g.Edges, edge)
	}
}

// emphasize marks the nodes and edges of a path, and fades the others.
func (d *Diagram) emphasize(from string, path graph.Path) {
	type place struct{ channel, from, to string }
	steps, stops := map[place]bool{}, map[place]bool{}
	for i := range path {
		if path[i].Graph == nil {
			continue
		}
		channel := path[i].Graph.Channel.Name.Value
		steps[place{channel, path[i].From, path[i].To}] = !path[i].Switch()
		stops[place{channel: channel, to: path[i].From}], stops[place{channel: channel, to: path[i].To}] = true, true
	}
	for i := range d.Groups {
		g := &d.Groups[i]
		channel := g.Channel
		names := map[string]string{}
		for _, n := range g.Nodes {
			names[n.ID] = n.Name
			n.Marks |= markIf(stops[place{channel: channel, to: n.Name}] || len(path) == 0 && n.Name == from, markOnPath, markFaded)
		}
		for _, e := range g.Edges {
			e.Marks |= markIf(steps[place{channel, names[e.From], names[e.To]}], markOnPath, markFaded)
		}
	}
}

func markIf(holds bool, yes, no Mark) Mark {
	if holds {
		return yes
	}
	return no
}
