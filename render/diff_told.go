package render

import "github.com/olmgraph/olmgraph/graph"

// Told is what changed in a package, in words; or that several packages are new, or removed.
type Told struct {
	Packages []string
	Rows     []ToldRow // the worst first
}

// ToldRow is one sentence, or more than three differences of one kind in one.
type ToldRow struct {
	Kind     graph.DifferenceKind
	Channels []string // none where it is about the package
	Names    []string // what it is about, mostly entries
	Text     string   // without the channels
}

// Told tells the differences as diff does, with all names: a headline that counts them, and the packages, those with the worst effect first.
func (d Differences) Told() (headline string, all []Told) {
	words := diffWords{list: joinNames, packages: joinNames, strong: unquoted}
	rows := d.rows()
	for _, of := range rows {
		told := Told{Packages: []string{of[0].Package}}
		if of[0].isPackages() {
			told.Packages = of[0].Names
		}
		for _, r := range of {
			told.Rows = append(told.Rows, ToldRow{Kind: r.Kind, Channels: r.channels, Names: r.Names, Text: words.predicate(r)})
		}
		all = append(all, told)
	}
	return countRows(rows).headline(), all
}
