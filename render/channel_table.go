package render

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// ChannelTable shows what OLM does with each bundle that can be installed from the channels of a question.
type ChannelTable struct {
	PackageGraph *graph.PackageGraph
	Question     graph.Question // without From and To
}

// say says what becomes of each installed bundle: its next upgrade, the number of upgrades, and the last bundle.
func (c *ChannelTable) say() *answer.Answer {
	a := answer.New(questionHeading(c.PackageGraph.Package, c.Question))
	if g := c.Question.Channel; g != nil {
		if _, err := g.Order(); err != nil {
			a.Say(text.Styled("OLM v0 cannot order this channel:", text.Error), " ", err.Error())
		}
	}
	table := &answer.Table{Columns: []string{"entry", "version", "upgrades to", "via", "hops", "ends at", "note"}, Right: []int{4}}
	for _, r := range c.PackageGraph.InstalledRows(c.Question) {
		c.addRow(table, &r)
	}
	a.Section()
	a.Table(table)
	return a
}

func (c *ChannelTable) addRow(table *answer.Table, r *graph.InstalledRow) {
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
	role := text.Warning
	if r.Stuck {
		role = text.Error
	}
	table.Add(text.Styled(r.Name, text.Place), version, next, why, r.Hops, end, text.Styled(strings.Join(c.notes(r), ", "), role))
}

func (c *ChannelTable) notes(r *graph.InstalledRow) []string {
	v1 := c.Question.OLM() == graph.V1
	notes := activeNotes([]note{{r.Head && !v1, "head"}, {r.Head && v1 && r.Refusal == nil, "new installations get it"}, {r.Stuck, "stuck"}, {r.Loop, "endless upgrades"}, {r.Deprecated != nil, "deprecated"}, {r.Unlisted && !r.Removed, "not in this channel"}, {r.Removed, "not in this catalog"}})
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
	Package  string         `json:"package"`
	Channel  string         `json:"channel"`  // of the subscription; "" under OLM v1
	Channels []string       `json:"channels"` // named by the Subscription or ClusterExtension
	OLM      string         `json:"olm" enum:"v0,v1"`
	Entries  []jsonTableRow `json:"entries"`
}

type jsonTableRow struct {
	From         jsonEntry      `json:"from"`
	NotInCatalog bool           `json:"notInCatalog"` // no longer in the catalog
	Next         jsonEntry      `json:"upgradesTo"`
	Kind         string         `json:"kind" enum:"replaces,skips,skipRange,same-version,"` // empty without an upgrade
	Hops         int            `json:"hops"`
	End          jsonEntry      `json:"end"`
	Head         bool           `json:"head"` // under OLM v1: what a new installation gets
	Loop         bool           `json:"loop"`
	Stuck        bool           `json:"stuck"` // never upgraded, although it should be
	Deprecated   bool           `json:"deprecated"`
	Rejected     *graph.Refusal `json:"rejected"`
}

func (c *ChannelTable) json() jsonTable {
	out := jsonTable{Package: c.PackageGraph.Package.Name.Value, Channel: questionChannel(c.Question),
		Channels: channelNames(c.Question.NamedChannels()), OLM: c.Question.OLM().String()}
	for _, r := range c.PackageGraph.InstalledRows(c.Question) {
		row := jsonTableRow{From: jsonEntry{Name: r.Name, Version: r.Version}, NotInCatalog: r.Removed, Hops: r.Hops, End: newJSONEntry(c.PackageGraph, r.End),
			Head: r.Head, Loop: r.Loop, Stuck: r.Stuck, Deprecated: r.Deprecated != nil, Rejected: r.Refusal}
		if !r.Removed {
			row.From = newJSONEntry(c.PackageGraph, r.Name)
		}
		if r.End == r.Name {
			row.End = row.From
		}
		if r.Step != nil {
			row.Next, row.Kind = newJSONEntry(c.PackageGraph, r.Step.To), edgeKind(r.Step.Edge)
		}
		out.Entries = append(out.Entries, row)
	}
	return out
}
