package render

import (
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/diagram"
)

// diffPicture is a diagram of the worst change of upgrades.
type diffPicture struct {
	diagram.Focused
	pkg     string
	catalog int // the index of its pair
}

// picture draws the first package whose upgrades changed, in the last catalog with its worst difference; nil if there is none.
func (d Differences) picture(all [][]*diffRow) *diffPicture {
	for _, rows := range all {
		pkg, i := rows[0].Package, rows[0].catalogs[len(rows[0].catalogs)-1]
		was, now := d.Pairs[i].Base.Package(pkg), d.Pairs[i].Now.Package(pkg)
		if was == nil || now == nil {
			continue
		}
		stranded := map[string][]string{}
		for _, one := range d.ByPair[i] {
			if one.Package == pkg && (one.Kind == graph.Stranded || one.Kind == graph.NoOrder) {
				stranded[one.Channel] = append(stranded[one.Channel], one.Names...)
			}
		}
		o := diagram.UpgradeOptions{Mode: diagram.Auto}
		changes := diagram.Diff(diagram.Upgrades(graph.OfPackage(was), o), diagram.Upgrades(graph.OfPackage(now), o))
		if focused, ok := diagram.Focus(changes, stranded); ok {
			return &diffPicture{focused, pkg, i}
		}
	}
	return nil
}
