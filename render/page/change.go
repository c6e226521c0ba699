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
	// In names those of the catalogs for several OpenShift versions that have a finding; nil if the page is about one.
	In func(*lint.Finding) string
}

// State is a package as it was before a change, or as it is in another catalog.
type State struct {
	PackageGraph *graph.PackageGraph
	Judgement    *Judgement // of the package; nil: HTML makes it
	SVG          []byte     // as those of a Package
	FoldedSVG    []byte
}

type changeData struct {
	Headline string     `json:"headline"`
	Told     []toldData `json:"told"`
}

type toldData struct {
	Packages []int     `json:"packages"`
	In       *int      `json:"in,omitempty"` // the OpenShift versions of all rows, if there are several
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
	In       *int  `json:"in,omitempty"`
	Bad      bool  `json:"bad,omitempty"` // users lose upgrades
	Channels []int `json:"channels,omitempty"`
	Names    []int `json:"names,omitempty"`
	Stranded []int `json:"stranded,omitempty"`
	Text     int   `json:"text"`
}

func (g *dataBuilder) change(c *Change) {
	g.pageData.Change = &changeData{Headline: c.Headline, Told: []toldData{}}
	for i := range c.Told {
		told := toldData{Packages: g.texts(c.Told[i].Packages), In: g.optionalText(c.Told[i].In), Rows: []rowData{}}
		for _, r := range c.Told[i].Rows {
			told.Rows = append(told.Rows, rowData{In: g.optionalText(r.In), Bad: r.Bad, Channels: g.texts(r.Channels), Names: g.texts(r.Names), Stranded: g.texts(r.Stranded), Text: g.text(r.Text)})
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
		gone.Gone, gone.In = true, g.findingCatalogs(c, &c.Gone[i])
		g.Findings = append(g.Findings, gone)
	}
}

// findingCatalogs names the catalogs that have a finding, if there are several.
func (g *dataBuilder) findingCatalogs(c *Change, f *lint.Finding) *int {
	if c == nil || c.In == nil {
		return nil
	}
	return g.optionalText(c.In(f))
}

func (g *dataBuilder) texts(all []string) []int {
	var indexes []int
	for _, s := range all {
		indexes = append(indexes, g.text(s))
	}
	return indexes
}
