package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
)

// ChannelTable is what OLM does with each bundle that can be installed from a channel, or under OLM v1 from the channels that a
// ClusterExtension names.
type ChannelTable struct {
	Atlas    *graph.PackageGraph
	Question graph.Question // without From and To
}

func (c *ChannelTable) heading() string { return headingOfQuestion(c.Atlas.Package, c.Question) }

// channelTableText writes a line for each installed bundle: its next upgrade, how many there are, and where they end.
func channelTableText(w io.Writer, c *ChannelTable, style Style) error {
	t := newText(w, style)
	t.title(c.heading())
	if g := c.Question.Channel; g != nil {
		if _, err := g.Order(); err != nil {
			t.wrapped("", "", styled("OLM v0 cannot order this channel:", t.colors.error), plain(err.Error()))
		}
	}
	t.line("")
	table := &table{header: []string{"ENTRY", "VERSION", "NEXT", "BECAUSE IT", "HOPS", "ENDS AT", "NOTE"}, right: []int{4}}
	for _, r := range c.Atlas.InstalledRows(c.Question) {
		words := c.words(&r)
		note := cell{words[6], t.colors.warning}
		if r.Stuck {
			note.brush = t.colors.error
		}
		table.add(cell{words[0], t.colors.place}, cell{words[1], nil}, cell{words[2], nil}, cell{words[3], nil}, cell{words[4], nil},
			cell{words[5], nil}, note)
	}
	t.table(table)
	return t.Flush()
}

// words are the cells of a row.
func (c *ChannelTable) words(r *graph.InstalledRow) []string {
	next, why := "-", "-"
	if r.Step != nil {
		next, why = versionOr(c.Atlas, r.Step.To), verb(r.Step.Edge)
	}
	version, end := dash(r.Version), versionOr(c.Atlas, r.End)
	if !r.Removed && r.Version != "" {
		version = versionOr(c.Atlas, r.Name)
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
	}{{r.Head && !v1, "head"}, {r.Head && v1 && r.Refusal == nil, "new installations get it"}, {r.Stuck, "stuck"}, {r.Loop, "upgrades in a loop"}, {r.Deprecated != nil, "deprecated"}, {r.Removed, "not in this catalog"}} {
		if n.holds {
			notes = append(notes, n.note)
		}
	}
	switch {
	case r.Refusal == nil:
	case r.Refusal.Bundle == r.Name:
		notes = append(notes, "OLM v1 does not install it: "+r.Refusal.Property)
	default:
		notes = append(notes, fmt.Sprintf("OLM v1 does not install %s: %s", versionOr(c.Atlas, r.Refusal.Bundle), r.Refusal.Property))
	}
	return notes
}

// jsonTable is the JSON form of a table.
type jsonTable struct {
	Version  int            `json:"version"`
	Tool     string         `json:"tool"`
	Package  string         `json:"package"`
	Channel  string         `json:"channel"`  // of the subscription; "" under OLM v1
	Channels []string       `json:"channels"` // that the subscription or the ClusterExtension names
	OLM      string         `json:"olm"`
	Entries  []jsonTableRow `json:"entries"`
}

type jsonTableRow struct {
	From jsonEntry `json:"from"`
	Gone bool      `json:"gone"` // the catalog does not have it any more
	Next jsonEntry `json:"next"`
	Kind string    `json:"kind"` // replaces, skips, skipRange or same version; empty if there is no next
	Hops int       `json:"hops"`
	End  jsonEntry `json:"end"`
	Head bool      `json:"head"` // under OLM v1: what a new installation gets
	Loop bool      `json:"loop"`
	// Stuck and Deprecated as in a list.
	Stuck      bool         `json:"stuck"`
	Deprecated bool         `json:"deprecated"`
	Refused    *jsonRefused `json:"refused"`
}

// channelTableJSON writes the same for programs.
func channelTableJSON(w io.Writer, c *ChannelTable) error {
	out := jsonTable{Version: JSONVersion, Tool: "olmgraph", Package: c.Atlas.Package.Name.Value, Channel: channelOf(c.Question),
		Channels: channelsOf(c.Question), OLM: c.Question.OLM().String(), Entries: []jsonTableRow{}}
	for _, r := range c.Atlas.InstalledRows(c.Question) {
		row := jsonTableRow{From: jsonEntry{Name: r.Name, Version: r.Version}, Gone: r.Removed, Hops: r.Hops, End: entryOf(c.Atlas, r.End),
			Head: r.Head, Loop: r.Loop, Stuck: r.Stuck, Deprecated: r.Deprecated != nil, Refused: refusedJSON(r.Refusal)}
		if !r.Removed {
			row.From = entryOf(c.Atlas, r.Name)
		}
		if r.End == r.Name {
			row.End = row.From
		}
		if r.Step != nil {
			row.Next, row.Kind = entryOf(c.Atlas, r.Step.To), r.Step.Edge.Kind.String()
		}
		out.Entries = append(out.Entries, row)
	}
	return writeJSON(w, out)
}

// channelTableMarkdown writes the same as a table for a review.
func channelTableMarkdown(w io.Writer, c *ChannelTable) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n| entry | next | because it | hops | ends at | note |\n|---|---|---|--:|---|---|\n", markdownText(c.heading()))
	for _, r := range c.Atlas.InstalledRows(c.Question) {
		words := c.words(&r)
		cells := append(words[:1:1], words[2:]...)
		for i := range cells {
			cells[i] = markdownText(cells[i])
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
