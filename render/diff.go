package render

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// Differences are the differences between catalogs and their bases.
type Differences struct {
	Pairs    []compare.Pair
	ByPair   [][]graph.Difference // of each pair, by package, the most severe first
	Unpaired []string             // the names of the catalogs without a base, which are not compared
	// OnlyInBase are the names of the catalogs that only the base has, which are not compared.
	OnlyInBase []string
	Details    bool   // in text: all differences and names
	JSON       string // the command that prints all as JSON, for a comment
}

// Limits of text without Details.
const (
	textRows     = 12 // of a package
	textPackages = 20
)

// say says the differences by package.
func (d Differences) say() *answer.Answer {
	a := &answer.Answer{}
	all := d.rows()
	shown := min(len(all), textPackages)
	if d.Details {
		shown = len(all)
	}
	for _, rows := range all[:shown] {
		d.sayPackage(a, rows)
	}
	if left := countRows(all[shown:]); left.packages > 0 {
		a.Say(left.more(), " in other packages: --details lists them")
		a.Section()
	}
	a.Say(d.summary(countRows(all)))
	return a
}

// sayPackage says the rows of a package, or one of several packages.
func (d Differences) sayPackage(a *answer.Answer, rows []*diffRow) {
	words := diffWords{all: d.Details}
	common := commonCatalogs(rows)
	in := prefixed(" in ", d.catalogsText(common))
	defer a.Section()
	if rows[0].isPackages() {
		a.Heading(wholePackages(rows[0].Kind), in)
		a.Item(words.packages(rows[0].Names))
		return
	}
	a.Heading("package ", rows[0].Package, in)
	shown := rows
	if !d.Details && len(rows) > textRows+1 {
		shown = rows[:textRows]
	}
	for _, r := range shown {
		said, role := words.sentence(r).String(), text.Normal
		if r.Kind <= graph.ChannelRemoved {
			role = text.Error
		}
		if common == nil {
			said += " (" + d.catalogsText(r.catalogs) + ")"
		}
		a.Item(text.Styled(said, role))
	}
	if left := rows[len(shown):]; len(left) > 0 {
		a.Item(countRows([][]*diffRow{left}).more(), ": --details lists them")
	}
}

// summary counts the differences, each of several catalogs once.
func (d Differences) summary(c diffCounts) string {
	if c.differences == 0 {
		return "No difference in what upgrades depend on."
	}
	return fmt.Sprintf("%s in %s%s.", phrase.Count(c.differences, "difference"), phrase.Count(c.packages, "package"), d.inCatalogs())
}

// inCatalogs counts the catalogs that differ, if there are several.
func (d Differences) inCatalogs() string {
	n := 0
	for _, of := range d.ByPair {
		if len(of) > 0 {
			n++
		}
	}
	if len(d.Pairs) < 2 {
		return ""
	}
	return fmt.Sprintf(" in %d of %s", n, phrase.Count(len(d.Pairs), "catalog"))
}

// Told tells the differences as diff does, with all names: a headline that counts them, and the packages, those with the worst effect first.
func (d Differences) Told() (headline string, all []wording.Told) {
	words := diffWords{all: true}
	rows := d.rows()
	for _, of := range rows {
		told := wording.Told{Packages: []string{of[0].Package}}
		if of[0].isPackages() {
			told.Packages = of[0].Names
		}
		for _, r := range of {
			told.Rows = append(told.Rows, wording.ToldRow{Kind: r.Kind, Channels: r.channels, Names: r.Names, Text: words.predicate(r).String()})
		}
		all = append(all, told)
	}
	return countRows(rows).headline(), all
}

// prefixed returns s after a prefix, or "" if s is empty.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
