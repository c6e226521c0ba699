package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/changes"
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
	// Contents are what new heads change, each pair of bundles once; none if they are not wanted.
	Contents []*changes.Report
	Details  bool   // in text: all differences and names
	Stat     bool   // in text: numbers, a line for each package
	JSON     string // the command that prints all as JSON, for a comment
}

// Limits of text without Details.
const (
	textRows     = 12 // of a package
	textPackages = 20
)

// say says the total, and the differences by package.
func (d Differences) say() *answer.Answer {
	a := &answer.Answer{}
	all := d.rows()
	counts := countRows(all)
	if counts.differences == 0 {
		if len(d.Contents) == 0 {
			a.Say("No difference for upgrades.")
		}
		for _, r := range d.Contents {
			sayChanges(a, r, r.From.Name.Value, r.To.Name.Value, d.Details)
		}
		return a
	}
	a.Say(d.summary(all))
	if d.Stat {
		d.sayStat(a, all)
		return a
	}
	say := d.words()
	merged := mergePackages(all, say.sentence)
	shown := merged
	if !d.Details && len(merged) > textPackages {
		shown = merged[:textPackages]
	}
	for _, rows := range shown {
		a.Section()
		d.sayPackage(a, say, rows)
	}
	if left := countRows(merged[len(shown):]); left.packages > 0 {
		a.Section()
		a.Say(left.moreText(), " in other packages: --details lists them")
	}
	if counts.follow > 0 {
		a.Section()
		a.Say(words.CountPlural(counts.follow, "difference follows", "differences follow"), " from these rows: --details lists all.")
	}
	for _, r := range d.Contents {
		sayChanges(a, r, r.From.Name.Value, r.To.Name.Value, true)
	}
	return a
}

// words says rows with the versions of bundles.
func (d Differences) words() diffWords {
	return diffWords{all: d.Details, versions: d.bundleVersions()}
}

// sayPackage says the rows of a package, or of several with the same ones.
func (d Differences) sayPackage(a *answer.Answer, say diffWords, rows []*diffRow) {
	common := commonCatalogs(rows)
	in := words.Prefix(" in ", d.catalogsText(common))
	if rows[0].isPackage() {
		a.Say(text.Styled(wholePackages(rows[0].Kind)+in, text.Heading), ": ", say.packages(rows[0].packages))
		return
	}
	a.Heading(words.Plural(len(rows[0].packages), "package ", "packages "), say.packages(rows[0].packages), in)
	shown := rows
	if !d.Details && len(rows) > textRows+1 {
		shown = rows[:textRows]
	}
	for _, r := range shown {
		said, role := say.sentence(r).String(), text.Normal
		if r.rank() <= int(graph.ChannelRemoved)+2 {
			role = text.Error
		}
		if common == nil {
			said += " (" + d.catalogsText(r.catalogs) + ")"
		}
		a.Item(text.Styled(said, role))
	}
	if left := rows[len(shown):]; len(left) > 0 {
		a.Item(countRows([][]*diffRow{left}).moreText(), ": --details lists them")
	}
}

// sayStat says a line for each package: the number of its differences of each kind.
func (d Differences) sayStat(a *answer.Answer, all [][]*diffRow) {
	t := &answer.Table{Columns: []string{"package", "differences", "kinds"}, Right: []int{1}}
	for _, rows := range all {
		c, kinds := countRows([][]*diffRow{rows}), []string{}
		for kind := graph.NoOrder; kind <= graph.PackageAdded; kind++ {
			if n := c.kinds[kind]; n > 0 {
				kinds = append(kinds, fmt.Sprintf("%d %s", n, kind))
			}
		}
		t.Add(text.Styled(rows[0].Package, text.Name), c.differences, strings.Join(kinds, ", "))
	}
	a.Section()
	a.Table(t)
}

// summary counts the differences, each of several catalogs once, and names the packages that strand users.
func (d Differences) summary(all [][]*diffRow) text.Sentence {
	c := countRows(all)
	if c.differences == 0 {
		return text.Say("no difference for upgrades")
	}
	var strand []string
	for _, rows := range all {
		if slices.ContainsFunc(rows, (*diffRow).strands) {
			strand = append(strand, rows[0].Package)
		}
	}
	said := text.Say(fmt.Sprintf("%s in %s%s", words.Count(c.differences, "difference"), words.Count(c.packages, "package"), d.inCatalogs()))
	switch n := len(strand); {
	case n > 0 && c.packages == 1:
		said = text.Say(said, "; users are stranded")
	case n > 0:
		said = text.Say(said, "; ", words.CountPlural(n, "package strands users: ", "packages strand users: "), diffWords{}.listSome(strand, textNames))
	}
	return said
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
	return fmt.Sprintf(" in %d of %s", n, words.Count(len(d.Pairs), "catalog"))
}

// Summarize tells the differences as diff does, with all names: a headline that counts them, and the packages, those with the worst effect first.
func (d Differences) Summarize() (headline string, all []wording.Told) {
	say := diffWords{all: true}
	rows := d.rows()
	for _, of := range mergePackages(rows, func(r *diffRow) text.Sentence {
		if r.isPackage() {
			return nil
		}
		return text.Say(r.Package)
	}) {
		common := commonCatalogs(of)
		told := wording.Told{Packages: of[0].packages, Catalog: of[0].catalogs[len(of[0].catalogs)-1], In: d.versionsText(common)}
		for _, r := range of {
			in := ""
			if common == nil {
				in = d.versionsText(r.catalogs)
			}
			told.Rows = append(told.Rows, wording.ToldRow{In: in, Bad: r.Kind <= graph.ChannelRemoved || r.strands(), Channels: r.channels, Names: r.Names, Stranded: r.stranded(), Text: say.predicate(r).String()})
		}
		for _, c := range d.Contents {
			if !of[0].isPackage() && slices.Contains(told.Packages, c.To.Package.Value) {
				told.Contents = append(told.Contents, describeContents(c))
			}
		}
		all = append(all, told)
	}
	return countRows(rows).headline(), all
}
