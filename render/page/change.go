package page

import (
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/wording"
)

// Change is what a page shows of a change: how a catalog differs from an older one. The findings of such a page are those that the older
// catalog does not have.
type Change struct {
	Headline string // counts of what changed
	Told     []wording.Told
	Gone     []lint.Finding // findings of the older catalog that the catalog no longer has
}

// Before is a package as it was before a change.
type Before struct {
	PackageGraph *graph.PackageGraph
	Preflight    *Preflight // of the package; nil: HTML makes it
	SVG          []byte     // as those of a Package
	FoldedSVG    []byte
}

type changeData struct {
	Headline string     `json:"headline"`
	Told     []toldData `json:"told"`
}

type toldData struct {
	Packages []int     `json:"packages"`
	Rows     []rowData `json:"rows"`
	// Contents are what new heads change: a title, whether there is something to see first, and parts with a title and rows.
	Contents []contentsData `json:"contents,omitempty"`
}

type contentsData struct {
	Title int        `json:"title"`
	First bool       `json:"first,omitempty"`
	Parts []partData `json:"parts"`
}

type partData struct {
	Title int   `json:"title"`
	Rows  []int `json:"rows"`
}

type rowData struct {
	Bad      bool  `json:"bad,omitempty"` // users lose upgrades
	Channels []int `json:"channels,omitempty"`
	Names    []int `json:"names,omitempty"`
	Text     int   `json:"text"`
}

func (g *dataBuilder) change(c *Change) {
	g.pageData.Change = &changeData{Headline: c.Headline, Told: []toldData{}}
	for i := range c.Told {
		told := toldData{Packages: g.texts(c.Told[i].Packages), Rows: []rowData{}}
		for _, r := range c.Told[i].Rows {
			told.Rows = append(told.Rows, rowData{Bad: r.Kind <= graph.ChannelRemoved, Channels: g.texts(r.Channels), Names: g.texts(r.Names), Text: g.text(r.Text)})
		}
		for _, contents := range c.Told[i].Contents {
			one := contentsData{Title: g.text(contents.Title), First: contents.First > 0}
			for _, part := range contents.Parts {
				one.Parts = append(one.Parts, partData{g.text(part.Title), g.texts(part.Rows)})
			}
			told.Contents = append(told.Contents, one)
		}
		g.pageData.Change.Told = append(g.pageData.Change.Told, told)
	}
	for i := range c.Gone {
		gone := g.finding(&c.Gone[i])
		gone.Gone = true
		g.Findings = append(g.Findings, gone)
	}
}

func (g *dataBuilder) texts(all []string) []int {
	var indexes []int
	for _, s := range all {
		indexes = append(indexes, g.text(s))
	}
	return indexes
}
