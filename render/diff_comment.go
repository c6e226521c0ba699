package render

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// Limits of a comment. GitHub allows 65,536 characters, which are never more than the bytes.
const (
	commentRows   = 12     // before the picture
	commentFolded = 16     // lines in the fold
	commentBytes  = 60_000 // of all rows and the picture
)

// diffComment is what is said of differences in a pull request.
type diffComment struct {
	*answer.Answer
	d      Differences
	words  diffWords
	single bool  // all rows are of one package, which the heading names
	common []int // the catalogs of all rows, if they are the same
	size   int   // bytes
	cut    bool
}

// comment says the differences for a pull request, in at most 60 lines: what changed, worst first, a picture of the worst change, and
// the rest in a fold.
func (d Differences) comment() *answer.Answer {
	all := d.rows()
	var rows []*diffRow
	for _, of := range all {
		rows = append(rows, of...)
	}
	rows = sortedRows(rows)
	c := diffComment{d: d, single: len(all) == 1 && !rows[0].isPackages()}
	subject := text.Say("olmgraph diff")
	if c.single {
		subject = text.Say(text.Styled(rows[0].Package, text.Name))
	}
	if len(rows) > 0 {
		c.common = commonCatalogs(rows)
		subject = text.Say(subject, prefixed(" in ", d.catalogsText(c.common)))
	}
	counts := countRows(all)
	c.Answer = answer.New(subject, ": ", counts.headline())
	picture := d.picture(all)
	if picture != nil {
		c.size = len(picture.Mermaid)
	}
	left := c.list(c.Answer, rows, commentRows)
	if picture != nil {
		c.Say(c.caption(picture))
		c.Code("mermaid", picture.Mermaid)
	}
	c.fold(left)
	c.foot(counts)
	return c.Answer
}

// list says at most this many rows, and returns the others.
func (c *diffComment) list(a *answer.Answer, rows []*diffRow, most int) []*diffRow {
	for i, r := range rows {
		if i == most || !c.fits(c.bullet(r)) {
			return rows[i:]
		}
		a.Item(c.bullet(r))
	}
	return nil
}

// fits reports whether there is room for a sentence, which it then counts.
func (c *diffComment) fits(s text.Sentence) bool {
	n := len(s.Markdown()) + len("- \n")
	if c.size+n > commentBytes {
		return false
	}
	c.size += n
	return true
}

func (c *diffComment) bullet(r *diffRow) text.Sentence {
	in := ""
	if c.common == nil {
		in = c.d.catalogsText(r.catalogs)
	}
	switch {
	case !c.single && !r.isPackages():
		return text.Say(text.Styled(r.Package, text.Name), prefixed(" in ", in), ": ", c.words.sentence(r))
	case in != "":
		return text.Say("in ", in, ": ", c.words.sentence(r))
	}
	return c.words.sentence(r)
}

// caption says what a picture shows.
func (c *diffComment) caption(p *diffPicture) text.Sentence {
	of, more := text.Say(), ""
	if !c.single {
		of = text.Say(" of ", text.Styled(p.pkg, text.Name))
	}
	of = text.Say(of, " in ", phrase.Plural(len(p.Channels), "channel ", "channels "), c.words.list(p.Channels))
	if len(c.d.Pairs) > 1 {
		of = text.Say(of, " of ", c.d.Pairs[p.catalog].Now.Name)
	}
	if p.Left > 0 {
		more = fmt.Sprintf(", without %s", phrase.CountOf(p.Left, "more version that changes", "more versions that change"))
	}
	return text.Say("Automatic upgrades", of, more, ":")
}

// fold says the rows that are left: each of them or, if they are many, a line for each package.
func (c *diffComment) fold(rows []*diffRow) {
	if len(rows) == 0 {
		return
	}
	all := groupRows(rows)
	counts := countRows(all)
	folded := c.Fold(fmt.Sprintf("%s in %s", phrase.CountOf(counts.differences, "more difference", "more differences"), phrase.Count(counts.packages, "package")))
	if len(rows) <= commentFolded {
		rows = c.list(folded, rows, commentFolded)
	} else {
		rows = c.packages(folded, all)
	}
	if len(rows) > 0 {
		left := countRows(groupRows(rows))
		folded.Item(left.more(), " in ", phrase.Count(left.packages, "package"))
		c.cut = true
	}
}

// packages says a line for each package, and returns the rows of those that do not fit.
func (c *diffComment) packages(folded *answer.Answer, all [][]*diffRow) (left []*diffRow) {
	c.cut = true
	for i, rows := range all {
		line := c.bullet(rows[0])
		if !rows[0].isPackages() {
			line = text.Say(text.Styled(rows[0].Package, text.Name), prefixed(" in ", c.d.catalogsText(commonCatalogs(rows))), ": ",
				countRows([][]*diffRow{rows}).headline())
		}
		if i >= commentFolded || !c.fits(line) {
			left = append(left, rows...)
			continue
		}
		folded.Item(line)
	}
	return left
}

// foot says what is not compared, and counts all differences.
func (c *diffComment) foot(counts diffCounts) {
	was, now := c.alone("removed", c.d.OnlyInBase), c.alone("new", c.d.Unpaired)
	switch {
	case was != nil && now != nil:
		c.Say("Not compared: ", now, " and ", was, ".")
	case was != nil || now != nil:
		c.Say("Not compared: ", now, was, ".")
	}
	if counts.differences == 0 {
		return
	}
	all := text.Say()
	if c.cut && c.d.JSON != "" {
		all = text.Say(" All of them: ", text.Styled(c.d.JSON, text.Command))
	}
	c.Say(c.d.summary(counts), all)
}

// alone names the catalogs that only one side has.
func (c *diffComment) alone(what string, names []string) text.Sentence {
	if len(names) == 0 {
		return nil
	}
	return text.Say("the ", what, " ", phrase.Plural(len(names), "catalog ", "catalogs "), c.words.list(names))
}
