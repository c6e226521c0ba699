package render

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
)

// Course is what becomes of every entry of a channel.
type Course struct {
	Graph *graph.Graph
	OLM   graph.Resolver
}

// row is what becomes of one entry under the OLM that was asked about.
func (c *Course) row(r *graph.Row) (next graph.Edge, hops, end int) {
	if c.OLM == graph.V1 {
		return r.NextV1, r.HopsV1, r.EndV1
	}
	return r.Next, r.Hops, r.End
}

// CourseText writes a line for each entry of a channel: its next, how many hops, and where they end.
func CourseText(w io.Writer, c *Course, style Style) error {
	t := &text{Writer: bufio.NewWriter(w), style: style, colors: newPalette(w, style.Color)}
	g := c.Graph
	rows := g.Rows()
	t.line(t.colors.heading.paint(safe(headingOfGraph(g.Package, g, c.OLM))))
	if _, err := g.Order(); err != nil && c.OLM == graph.V0 {
		t.wrapped("", "", word{"OLM v0 cannot order this channel:", t.colors.error}, plain(err.Error()))
	}
	t.line("")
	table := &table{header: []string{"ENTRY", "VERSION", "NEXT", "BECAUSE IT", "HOPS", "ENDS AT", "NOTE"}, right: []int{4}}
	for i := range rows {
		r := &rows[i]
		entry, next, hops, end := c.words(r)
		note := cell{strings.Join(c.notes(r), ", "), t.colors.warning}
		if r.Stuck && c.OLM == graph.V0 {
			note.brush = t.colors.error
		}
		why := ""
		if e, _, _ := c.row(r); e.To >= 0 {
			why = verb(e)
		}
		table.add(cell{entry, t.colors.place}, cell{versionOr(g.Package, entry), nil}, cell{dash(next), nil}, cell{dash(why), nil},
			number(hops), cell{end, nil}, note)
	}
	width := 0
	if style.Fit {
		width = style.Width
	}
	table.write(t, width)
	return t.Flush()
}

// verb is the short reason for an edge.
func verb(e graph.Edge) string {
	if e.Kind == graph.SkipRange {
		return e.Where.Value
	}
	return e.Kind.String() + " it"
}

func (c *Course) words(r *graph.Row) (entry, next string, hops int, end string) {
	e, hops, at := c.row(r)
	if e.To >= 0 {
		next = versionOr(c.Graph.Package, c.Graph.Name(e.To))
	}
	return c.Graph.Name(r.Entry), next, hops, versionOr(c.Graph.Package, c.Graph.Name(at))
}

func (c *Course) notes(r *graph.Row) []string {
	var notes []string
	v0 := c.OLM == graph.V0
	for _, n := range []struct {
		holds bool
		note  string
	}{{r.Head, "head"}, {v0 && r.Stuck, "stuck"}, {v0 && r.Loop, "upgrades for ever"}, {r.Deprecated != nil, "deprecated"}} {
		if n.holds {
			notes = append(notes, n.note)
		}
	}
	return notes
}

// jsonCourses is the JSON form of a course: bundle rows, as in a list, and what they come to.
type jsonCourses struct {
	Version int             `json:"version"`
	Tool    string          `json:"tool"`
	Package string          `json:"package"`
	Channel string          `json:"channel"`
	OLM     string          `json:"olm"`
	Entries []jsonCourseRow `json:"entries"`
}

type jsonCourseRow struct {
	From jsonEntry `json:"from"`
	Next jsonEntry `json:"next"`
	Kind string    `json:"kind"` // replaces, skips or skipRange; empty if there is no next
	Hops int       `json:"hops"`
	End  jsonEntry `json:"end"`
	Head bool      `json:"head"`
	Loop bool      `json:"loop"`
	// Stuck and Deprecated as in a list.
	Stuck      bool `json:"stuck"`
	Deprecated bool `json:"deprecated"`
}

// CourseJSON writes the same for programs.
func CourseJSON(w io.Writer, c *Course) error {
	g := c.Graph
	p := &Path{Atlas: &graph.Atlas{Package: g.Package}}
	out := jsonCourses{Version: JSONVersion, Tool: "olmgraph", Package: g.Package.Name.Value, Channel: g.Channel.Name.Value,
		OLM: c.OLM.String(), Entries: []jsonCourseRow{}}
	for _, r := range g.Rows() {
		e, hops, end := c.row(&r)
		row := jsonCourseRow{From: p.entry(g.Name(r.Entry)), Hops: hops, End: p.entry(g.Name(end)), Head: r.Head,
			Loop: r.Loop && c.OLM == graph.V0, Stuck: r.Stuck && c.OLM == graph.V0, Deprecated: r.Deprecated != nil}
		if e.To >= 0 {
			row.Next, row.Kind = p.entry(g.Name(e.To)), e.Kind.String()
		}
		out.Entries = append(out.Entries, row)
	}
	return writeJSON(w, out)
}

// CourseMarkdown writes the same as a table for a review.
func CourseMarkdown(w io.Writer, c *Course) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n| entry | next | because it | hops | ends at | note |\n|---|---|---|--:|---|---|\n",
		markdownText(headingOfGraph(c.Graph.Package, c.Graph, c.OLM)))
	for _, r := range c.Graph.Rows() {
		entry, next, hops, end := c.words(&r)
		why := ""
		if e, _, _ := c.row(&r); e.To >= 0 {
			why = verb(e)
		}
		cells := []string{entry, dash(next), dash(why), strconv.Itoa(hops), end, strings.Join(c.notes(&r), ", ")}
		for i := range cells {
			cells[i] = markdownText(cells[i])
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
