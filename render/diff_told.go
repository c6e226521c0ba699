package render

import "github.com/olmgraph/olmgraph/render/wording"

// Told tells the differences as diff does, with all names: a headline that counts them, and the packages, those with the worst effect first.
func (d Differences) Told() (headline string, all []wording.Told) {
	words := diffWords{list: joinNames, packages: joinNames, strong: unquoted}
	rows := d.rows()
	for _, of := range rows {
		told := wording.Told{Packages: []string{of[0].Package}}
		if of[0].isPackages() {
			told.Packages = of[0].Names
		}
		for _, r := range of {
			told.Rows = append(told.Rows, wording.ToldRow{Kind: r.Kind, Channels: r.channels, Names: r.Names, Text: words.predicate(r)})
		}
		all = append(all, told)
	}
	return countRows(rows).headline(), all
}
