package render

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// PathText writes a path as text.
func PathText(w io.Writer, p *Path, style text.Style) error {
	t := text.NewWriter(w, style)
	pathWriter{t, p}.write()
	return t.Flush()
}

type pathWriter struct {
	*text.Writer
	*Path
}

func (t pathWriter) write() {
	t.heading()
	switch {
	case t.Obstacle != nil:
		t.noPath(t.steps)
	case t.From == t.To:
		t.Wrapped("", "", text.Plain(fmt.Sprintf("Nothing to do: %s is already installed.", t.nameAndVersion(t.From))))
		t.furtherUpgrades()
	default:
		for i, w := range t.Paths {
			if i > 0 {
				t.Line("")
			}
			t.path(i, w)
		}
		t.afterwards()
	}
}

// heading writes the question, and notes on the installed bundle and its channel.
func (t pathWriter) heading() {
	t.Title(headingOfQuestion(t.PackageGraph.Package, t.Question))
	for _, taken := range t.Partial {
		t.Wrapped("", "", text.Plain(taken))
	}
	if !t.PackageGraph.Has(t.From) {
		t.Wrapped("", "", text.Plain(t.notInCatalog()+t.nearest()))
	} else if holding := t.PackageGraph.Containing(t.From); len(holding) == 0 {
		t.Wrapped("", "", text.Plain(t.nameAndVersion(t.From)+" is in no channel."))
	} else if named := t.Question.NamedChannels(); len(named) > 0 && !slices.ContainsFunc(named, func(g *graph.Graph) bool { return slices.Contains(holding, g) }) {
		t.Wrapped("", "", text.Plain(fmt.Sprintf("%s is not in %s, but in channel %s.", t.nameAndVersion(t.From), t.Path.source(), quoted(holding))))
	}
	if len(t.OtherChannels) > 0 {
		verb := "is also in"
		if !t.PackageGraph.Has(t.From) {
			verb = "is also upgraded in"
		}
		t.Wrapped("", "", text.Plain(fmt.Sprintf("%s %s channel %s: see --channel.", t.nameAndVersion(t.From), verb, strings.Join(t.OtherChannels, ", "))))
	}
	if t.IgnoresReleases {
		t.Wrapped("", "", text.Plain("Releases of bundles are ignored; if operator-controller considers them, add --feature-gates BundleReleaseSupport=true."))
	}
	if t.DefaultHead != "" {
		t.Wrapped("", "", text.Plain(fmt.Sprintf("The target is %s, the head of the default channel; --to selects another bundle.", t.version(t.DefaultHead))))
	}
	if d := t.PackageGraph.Package.Deprecation(catalogs.SchemaPackage, ""); d != nil {
		t.Wrapped("", "", text.Styled("The package is deprecated:", t.Colors.Warning), text.Plain(d.Message.Value))
	}
	for _, g := range t.Question.NamedChannels() {
		for _, note := range t.channelNotes(g) {
			t.Wrapped("", "", text.Styled("Note:", t.Colors.Warning), text.Plain(note))
		}
	}
	t.Line("")
}

// notInCatalog says that the catalog does not have the installed bundle, and which edges apply then.
func (p *Path) notInCatalog() string {
	version := p.PackageGraph.Version(p.From)
	switch {
	case version == "":
		return fmt.Sprintf("%s is not in this catalog, and its version is unknown: only entries that replace or skip it upgrade it. Give it as %s@VERSION.", p.From, p.From)
	case graph.InstalledBundle{Name: p.From, Version: version}.OnlyVersionKnown():
		return fmt.Sprintf("%s is not in this catalog, and its name is unknown: only a skipRange can upgrade it. Give it as NAME@%s.", p.From, version)
	}
	return fmt.Sprintf("%s is not in this catalog: an entry that replaces or skips it, or has %s in its skipRange, upgrades it.", p.From, version)
}

// nearest names the nearest versions in the catalog.
func (p *Path) nearest() string {
	switch len(p.Nearest) {
	case 0:
		return ""
	case 1:
		return " The nearest version here is " + p.Nearest[0] + "."
	}
	return " The nearest versions here are " + strings.Join(p.Nearest, " and ") + "."
}

// headingOfQuestion names the subject of a question: package lighthouse, channel "stable" (default), OLM v0.
func headingOfQuestion(p *catalogs.Package, q graph.Question) string {
	if q.OLM() == graph.V0 {
		return headingOfGraph(p, q.Channel, graph.V0)
	}
	channels := "all channels"
	switch {
	case q.Extension.NamesChannels && len(q.Extension.Channels) == 1:
		channels = "channel " + quoted(q.Extension.Channels)
	case q.Extension.NamesChannels:
		channels = "channels " + quoted(q.Extension.Channels)
	}
	return fmt.Sprintf("package %s, %s, OLM %s", p.Name.Value, channels, q.OLM())
}

// headingOfGraph names a channel: package lighthouse, channel "stable" (default), OLM v0.
func headingOfGraph(p *catalogs.Package, g *graph.Graph, r graph.Generation) string {
	channel := fmt.Sprintf("channel %q", g.Channel.Name.Value)
	if g.Channel.Name.Value == p.DefaultChannel.Value {
		channel += " (default)"
	}
	return fmt.Sprintf("package %s, %s, OLM %s", p.Name.Value, channel, r)
}

// nameAndVersion returns the name of a bundle, with its version if the name does not end in it.
func (t pathWriter) nameAndVersion(name string) string {
	if v := t.version(name); !strings.HasSuffix(name, v) {
		return v + " (" + name + ")"
	}
	return name
}

// path writes path number i, step by step.
func (t pathWriter) path(i int, w graph.Path) {
	title := fmt.Sprintf("%s to %s", t.version(t.From), t.version(t.To))
	switch {
	case !t.IsHead(t.To):
	case t.OLM() == graph.V1:
		title += ", which new installations get"
	default:
		title += ", the head"
	}
	title += ": " + countSteps(w)
	if len(t.Paths) > 1 {
		title = fmt.Sprintf("path %d, %s", i+1, title)
	}
	switch {
	case automatic(w) && w.Hops() == 1:
		title += ", automatic"
	case automatic(w):
		title += ", automatic"
	}
	t.Wrapped("", "  ", text.Styled(title, t.Colors.Heading))
	t.steps(w)
}

// steps writes a line for each step: the upgrade, the edge, and where it is defined.
func (t pathWriter) steps(w graph.Path) {
	file := commonFile(w)
	rows := &text.Table{Right: []int{0}}
	for i := range w {
		s := &w[i]
		number := text.Plain(strconv.Itoa(i + 1))
		if s.Switch() {
			rows.Add(number)
			continue
		}
		where := s.Edge.Where.Pos.String()
		if file != "" {
			where = fmt.Sprintf("line %d", s.Edge.Where.Pos.Line)
		}
		to := t.version(s.From) + " -> " + t.version(s.To)
		if t.version(s.From) == t.version(s.To) {
			to = s.From + " -> " + s.To
		} else if !strings.HasSuffix(s.To, t.version(s.To)) {
			to += "  " + s.To
		}
		rows.Add(number, text.Styled(to, t.Colors.Place), text.Plain(t.edgeText(s)), text.Styled(where, t.Colors.Faint))
	}
	if file != "" {
		t.Line(t.Colors.Faint.Paint("  edges in " + text.Safe(file)))
	}
	width := 0
	if t.Style.Fit {
		width = t.Style.Width - len("  ")
	}
	for i, lines := range rows.Lines(width) {
		if w[i].Switch() {
			lines[0] += fmt.Sprintf("  switch to channel %q", text.Safe(w[i].Graph.Channel.Name.Value))
		}
		for _, line := range lines {
			t.Line("  " + line)
		}
		for _, note := range t.notes(&w[i]) {
			t.Wrapped("       ", "         ", text.Styled(note, t.Colors.Warning))
		}
	}
}

// edgeText names the edge of a step, and says if the version has to be requested.
func (t pathWriter) edgeText(s *graph.Step) string {
	why := wording.ShortEdge(s.Edge)
	if !s.Automatic {
		why += ", if requested: " + t.version(s.To)
	}
	return why
}

// commonFile returns the file that defines all edges of a path, or "" if there are several.
func commonFile(w graph.Path) string {
	file := ""
	for i := range w {
		switch where := w[i].Edge.Where.Pos.File; {
		case w[i].Switch():
		case file != "" && file != where:
			return ""
		default:
			file = where
		}
	}
	return file
}

// afterwards writes what applies to all paths.
func (t pathWriter) afterwards() {
	if t.MorePaths && t.Limit > 1 {
		t.Line("")
		t.Wrapped("", "", text.Plain(fmt.Sprintf("There are more than these %d paths; --limit shows more.", len(t.Paths))))
	}
	t.furtherUpgrades()
}

// furtherUpgrades writes the automatic upgrades beyond the target, or those that do not lead to it.
func (t pathWriter) furtherUpgrades() {
	defer t.rejectedAtEnd()
	w := t.Automatic
	for i := range w {
		if w[i].To == t.To {
			w = w[i+1:]
			break
		}
	}
	switch last := len(t.Automatic) - 1; {
	case last < 0 && t.OLM() == graph.V1 && t.From != t.To:
		t.Line("")
		t.Wrapped("", "", text.Plain(fmt.Sprintf("OLM v1 does not upgrade %s automatically.", t.version(t.From))))
	case len(w) == 0:
	case len(w) < len(t.Automatic) || t.From == t.To:
		t.Line("")
		t.Wrapped("", "", text.Plain(fmt.Sprintf("OLM %s does not stop there: it upgrades automatically to %s (%s). %s.",
			t.OLM(), t.version(t.Automatic[last].To), text.Count(len(w), "more upgrade"), t.howToStop())))
	case t.OLM() == graph.V1:
		t.Line("")
		t.Wrapped("", "", text.Plain("OLM v1 upgrades automatically "+t.versionChain(t.Automatic)+"."))
	}
}

// rejectedAtEnd says which bundle OLM v1 chooses but does not install at the end of its upgrades.
func (t pathWriter) rejectedAtEnd() {
	if t.LastChoice.Refusal != nil {
		t.Line("")
		t.Wrapped("", "", text.Plain(fmt.Sprintf("At %s %s.", t.version(t.endName()), wording.Refusal(t.PackageGraph, t.LastChoice.Refusal, t.endName()))))
	}
}

// howToStop says how a user stops automatic upgrades at the target.
func (t pathWriter) howToStop() string {
	switch {
	case t.OLM() == graph.V0:
		return "To stop, set installPlanApproval: Manual"
	case t.Extension.Shadowed(t.To):
		return "It cannot stop there: of the bundles of that version OLM v1 prefers another one"
	}
	return "To stop, set that version in the ClusterExtension"
}

func (t pathWriter) versionChain(w graph.Path) string {
	said := t.version(t.From)
	for i := range w {
		said += " -> " + t.version(w[i].To)
	}
	return said
}

// noPath writes why there is no path, and draws the automatic upgrades.
func (t pathWriter) noPath(draw func(graph.Path)) {
	t.Wrapped("", "  ", text.Styled(fmt.Sprintf("There is no upgrade path from %s to %s.", t.nameAndVersion(t.From), t.nameAndVersion(t.To)), t.Colors.Error))
	t.Line("")
	for _, sentence := range t.whyNoPath() {
		t.Wrapped("  ", "  ", text.Plain(sentence))
	}
	if len(t.Automatic) == 0 {
		return
	}
	t.Line("")
	t.Wrapped("", "  ", text.Styled(fmt.Sprintf("Automatic upgrades: %s", countSteps(t.Automatic)), t.Colors.Heading))
	draw(t.Automatic)
}
