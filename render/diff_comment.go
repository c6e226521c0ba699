package render

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/words"
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

// comment says the differences for a pull request: what changed, worst first, a picture of the worst change, and the rest in a fold. Without contents of
// bundles these are at most 60 lines.
func (d Differences) comment() *answer.Answer {
	packages := d.rows()
	c := diffComment{d: d, words: d.words()}
	all := mergePackages(packages, c.words.sentence)
	var rows []*diffRow
	for _, of := range all {
		rows = append(rows, of...)
	}
	rows = sortedRows(rows)
	c.single = len(packages) == 1 && !rows[0].isPackage()
	subject := text.Say("olmgraph diff")
	if c.single {
		subject = text.Say(text.Styled(rows[0].Package, text.Name))
	}
	if len(rows) > 0 {
		c.common = commonCatalogs(rows)
		subject = text.Say(subject, words.Prefix(" in ", d.catalogsText(c.common)))
	}
	counts := countRows(all)
	c.Answer = answer.New(subject, ": ", d.summary(packages))
	if counts.differences > 0 {
		c.Say(counts.headline())
	}
	c.cut = counts.follow > 0
	picture := d.picture(all)
	if picture != nil {
		c.size = len(picture.Mermaid)
	}
	left := c.list(c.Answer, rows, commentRows)
	if picture != nil {
		c.Say(c.caption(picture))
		c.Code("mermaid", picture.Mermaid)
	}
	c.contents()
	c.fold(left)
	c.writeFoot()
	return c.Answer
}

// list says at most this many rows, and returns the others.
func (c *diffComment) list(a *answer.Answer, rows []*diffRow, most int) []*diffRow {
	for i, r := range rows {
		if i == most || !c.reserve(c.bullet(r)) {
			return rows[i:]
		}
		a.Item(c.bullet(r))
	}
	return nil
}

// contents says what new heads change, as far as there is room: what a reviewer must see first, and the rest in a fold.
func (c *diffComment) contents() {
	for _, r := range c.d.Contents {
		first := min(r.First(), commentRows)
		var all answer.Answer
		all.Section("Contents of ", r.From.Name.Value, " and ", r.To.Name.Value, ": ", countChanges(r))
		for _, one := range r.Changes[:first] {
			all.Item(changeSubjects(one, false), ": ", one.Message)
		}
		if more := r.Changes[first:]; len(more) > 0 {
			sayTopics(all.Fold(words.Count(len(more), "more change")), more, false)
		}
		var written bytes.Buffer
		if all.Markdown(&written) != nil || c.size+written.Len() > commentBytes {
			c.cut = true
			return
		}
		c.size += written.Len()
		c.Add(&all)
	}
}

// reserve reports whether there is room for a sentence, which it then counts.
func (c *diffComment) reserve(s text.Sentence) bool {
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
	case r.isPackage():
		return text.Say(wholePackages(r.Kind), words.Prefix(" in ", in), ": ", c.words.packages(r.packages))
	case !c.single:
		return text.Say(c.words.packages(r.packages), words.Prefix(" in ", in), ": ", c.words.sentence(r))
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
	of = text.Say(of, " in ", words.Plural(len(p.Channels), "channel ", "channels "), c.words.listSome(p.Channels, textNames))
	if len(c.d.Pairs) > 1 {
		of = text.Say(of, " of ", c.d.Pairs[p.catalog].Now.Name)
	}
	if p.Left > 0 {
		more = fmt.Sprintf(", without %s", words.CountPlural(p.Left, "more version that changes", "more versions that change"))
	}
	return text.Say("Automatic upgrades", of, more, ":")
}

// fold says the rows that are left: each of them or, if they are many, a line for each package.
func (c *diffComment) fold(rows []*diffRow) {
	if len(rows) == 0 {
		return
	}
	lines := groupRows(rows)
	counts := countRows(lines)
	folded := c.Fold(fmt.Sprintf("%s in %s", words.CountPlural(counts.differences, "more difference", "more differences"), words.Count(counts.packages, "package")))
	if len(rows) <= commentFolded {
		lines = slices.Collect(slices.Chunk(rows, 1))
	}
	for i, of := range lines {
		line := c.bullet(of[0])
		if len(of) > 1 {
			c.cut = true
			line = text.Say(c.words.packages(of[0].packages), words.Prefix(" in ", c.d.catalogsText(commonCatalogs(of))), ": ", countRows(lines[i:i+1]).headline())
		}
		if i >= commentFolded || !c.reserve(line) {
			left := countRows(groupRows(slices.Concat(lines[i:]...)))
			folded.Item(left.moreText(), " in ", words.Count(left.packages, "package"))
			c.cut = true
			break
		}
		folded.Item(line)
	}
}

// writeFoot says what is not compared, and where all differences are.
func (c *diffComment) writeFoot() {
	was, now := c.unpairedCatalogs("removed", c.d.OnlyInBase), c.unpairedCatalogs("new", c.d.Unpaired)
	switch {
	case was != nil && now != nil:
		c.Say("Not compared: ", now, " and ", was, ".")
	case was != nil || now != nil:
		c.Say("Not compared: ", now, was, ".")
	}
	if c.cut && c.d.JSON != "" {
		c.Say("All differences: ", text.Styled(c.d.JSON, text.Command))
	}
}

// unpairedCatalogs names the catalogs that only one side has.
func (c *diffComment) unpairedCatalogs(what string, names []string) text.Sentence {
	if len(names) == 0 {
		return nil
	}
	return text.Say("the ", what, " ", words.Plural(len(names), "catalog ", "catalogs "), c.words.listSome(names, textNames))
}
