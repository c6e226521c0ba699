package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// ChannelTable shows what OLM does with each bundle that can be installed from the channels of a question.
type ChannelTable struct {
	PackageGraph *graph.PackageGraph
	Question     graph.Question // without From and To
}

func (c *ChannelTable) heading() string { return headingOfQuestion(c.PackageGraph.Package, c.Question) }

// channelTableText writes a line for each installed bundle: its next upgrade, the number of upgrades, and the last bundle.
func channelTableText(w io.Writer, c *ChannelTable, style text.Style) error {
	t := text.NewWriter(w, style)
	t.Title(c.heading())
	if g := c.Question.Channel; g != nil {
		if _, err := g.Order(); err != nil {
			t.Wrapped("", "", text.Styled("OLM v0 cannot order this channel:", t.Colors.Error), text.Plain(err.Error()))
		}
	}
	t.Line("")
	table := &text.Table{Header: []string{"ENTRY", "VERSION", "UPGRADES TO", "VIA", "HOPS", "ENDS AT", "NOTE"}, Right: []int{4}}
	for _, r := range c.PackageGraph.InstalledRows(c.Question) {
		words := c.cells(&r)
		note := text.Styled(words[6], t.Colors.Warning)
		if r.Stuck {
			note.Brush = t.Colors.Error
		}
		table.Add(text.Styled(words[0], t.Colors.Place), text.Plain(words[1]), text.Plain(words[2]), text.Plain(words[3]), text.Plain(words[4]),
			text.Plain(words[5]), note)
	}
	t.Table(table)
	return t.Flush()
}

// cells returns the text of a row of the table.
func (c *ChannelTable) cells(r *graph.InstalledRow) []string {
	next, why := "-", "-"
	if r.Step != nil {
		next, why = wording.Version(c.PackageGraph, r.Step.To), wording.ShortEdge(r.Step.Edge)
	}
	version, end := text.Dash(r.Version), wording.Version(c.PackageGraph, r.End)
	if !r.Removed && r.Version != "" {
		version = wording.Version(c.PackageGraph, r.Name)
	}
	if r.End == r.Name {
		end = version
	}
	return []string{r.Name, version, next, why, strconv.Itoa(r.Hops), end, strings.Join(c.notes(r), ", ")}
}

func (c *ChannelTable) notes(r *graph.InstalledRow) []string {
	var notes []string
	v1 := c.Question.OLM() == graph.V1
	for _, n := range []struct {
		holds bool
		note  string
	}{{r.Head && !v1, "head"}, {r.Head && v1 && r.Refusal == nil, "new installations get it"}, {r.Stuck, "stuck"}, {r.Loop, "endless upgrades"}, {r.Deprecated != nil, "deprecated"}, {r.Removed, "not in this catalog"}} {
		if n.holds {
			notes = append(notes, n.note)
		}
	}
	switch {
	case r.Refusal == nil:
	case r.Refusal.Bundle == r.Name:
		notes = append(notes, "OLM v1 does not install it: "+r.Refusal.Property)
	default:
		notes = append(notes, fmt.Sprintf("OLM v1 does not install %s: %s", wording.Version(c.PackageGraph, r.Refusal.Bundle), r.Refusal.Property))
	}
	return notes
}

// jsonTable is the JSON form of the upgrade paths of all entries of a channel.
type jsonTable struct {
	Version  int            `json:"version"`
	Tool     string         `json:"tool"`
	Package  string         `json:"package"`
	Channel  string         `json:"channel"`  // of the subscription; "" under OLM v1
	Channels []string       `json:"channels"` // named by the Subscription or ClusterExtension
	OLM      string         `json:"olm" enum:"v0,v1"`
	Entries  []jsonTableRow `json:"entries"`
}

type jsonTableRow struct {
	From         jsonEntry     `json:"from"`
	NotInCatalog bool          `json:"notInCatalog"` // no longer in the catalog
	Next         jsonEntry     `json:"upgradesTo"`
	Kind         string        `json:"kind" enum:"replaces,skips,skipRange,same-version,"` // empty without an upgrade
	Hops         int           `json:"hops"`
	End          jsonEntry     `json:"end"`
	Head         bool          `json:"head"` // under OLM v1: what a new installation gets
	Loop         bool          `json:"loop"`
	Stuck        bool          `json:"stuck"` // never upgraded, although it should be
	Deprecated   bool          `json:"deprecated"`
	Rejected     *jsonRejected `json:"rejected"`
}

// channelTableJSON writes the table as JSON.
func channelTableJSON(w io.Writer, c *ChannelTable) error {
	out := jsonTable{Version: text.JSONVersion, Tool: "olmgraph", Package: c.PackageGraph.Package.Name.Value, Channel: channelOf(c.Question),
		Channels: channelsOf(c.Question), OLM: c.Question.OLM().String(), Entries: []jsonTableRow{}}
	for _, r := range c.PackageGraph.InstalledRows(c.Question) {
		row := jsonTableRow{From: jsonEntry{Name: r.Name, Version: r.Version}, NotInCatalog: r.Removed, Hops: r.Hops, End: entryOf(c.PackageGraph, r.End),
			Head: r.Head, Loop: r.Loop, Stuck: r.Stuck, Deprecated: r.Deprecated != nil, Rejected: rejectedBundleJSON(r.Refusal)}
		if !r.Removed {
			row.From = entryOf(c.PackageGraph, r.Name)
		}
		if r.End == r.Name {
			row.End = row.From
		}
		if r.Step != nil {
			row.Next, row.Kind = entryOf(c.PackageGraph, r.Step.To), edgeKind(r.Step.Edge)
		}
		out.Entries = append(out.Entries, row)
	}
	return text.JSON(w, out)
}

// channelTableMarkdown writes the table as Markdown.
func channelTableMarkdown(w io.Writer, c *ChannelTable) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n| entry | upgrades to | via | hops | ends at | note |\n|---|---|---|--:|---|---|\n", text.Markdown(c.heading()))
	for _, r := range c.PackageGraph.InstalledRows(c.Question) {
		words := c.cells(&r)
		cells := append(words[:1:1], words[2:]...)
		for i := range cells {
			cells[i] = text.Markdown(cells[i])
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
