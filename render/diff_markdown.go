package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// Limits of a comment. GitHub allows 65,536 characters, which are never more than the bytes.
const (
	commentRows   = 12     // before the picture
	commentFolded = 16     // lines in the fold
	commentBytes  = 60_000 // of all rows and the picture
	commentName   = 80     // characters of a name
)

// diffMarkdown writes a comment for a pull request, of at most 60 lines: what changed, worst first, a picture of the worst change, and
// the rest in a fold.
func diffMarkdown(w io.Writer, d Differences) error {
	c := diffComment{d: d, words: diffWords{list: codeNames, packages: codePackages, strong: func(s string) string { return "**" + s + "**" }}}
	c.write(d.rows())
	_, err := io.WriteString(w, c.String())
	return err
}

// diffComment builds a comment.
type diffComment struct {
	strings.Builder
	d      Differences
	words  diffWords
	single bool  // all rows are of one package, which the heading names
	common []int // the catalogs of all rows, if they are the same
	cut    bool
}

func (c *diffComment) write(all [][]*diffRow) {
	var rows []*diffRow
	for _, of := range all {
		rows = append(rows, of...)
	}
	rows = sortedRows(rows)
	subject := "olmgraph diff"
	if c.single = len(all) == 1 && !rows[0].isPackages(); c.single {
		subject = codeName(rows[0].Package)
	}
	if len(rows) > 0 {
		c.common = commonCatalogs(rows)
		subject += prefixed(" in ", c.d.catalogsText(c.common, codeName))
	}
	fmt.Fprintf(c, "### %s: %s\n", subject, countRows(all).headline())
	picture := c.picture(all)
	left := c.list(rows, commentRows, len(picture))
	c.WriteString(picture)
	c.fold(left)
	c.foot(countRows(all))
}

// list writes at most this many rows, and returns the others. reserved are the bytes that are needed for more.
func (c *diffComment) list(rows []*diffRow, most, reserved int) []*diffRow {
	if len(rows) > 0 {
		c.WriteByte('\n')
	}
	for i, r := range rows {
		line := c.bullet(r)
		if i == most || c.Len()+len(line)+reserved > commentBytes {
			return rows[i:]
		}
		c.WriteString(line)
	}
	return nil
}

func (c *diffComment) bullet(r *diffRow) string {
	subject := ""
	if !c.single && !r.isPackages() {
		subject = codeName(r.Package)
	}
	if c.common == nil {
		subject = strings.TrimSpace(subject + prefixed(" in ", c.d.catalogsText(r.catalogs, codeName)))
	}
	if subject != "" {
		subject += ": "
	}
	return "- " + subject + c.words.sentence(r) + "\n"
}

// picture returns a diagram of the worst change with its caption, or "".
func (c *diffComment) picture(all [][]*diffRow) string {
	p := c.d.picture(all)
	if p == nil {
		return ""
	}
	caption := "Automatic upgrades"
	if !c.single {
		caption += " of " + codeName(p.pkg)
	}
	caption += " in " + text.Plural(len(p.Channels), "channel ", "channels ") + codeNames(p.Channels)
	if len(c.d.Pairs) > 1 {
		caption += " of " + codeName(c.d.Pairs[p.catalog].Now.Name)
	}
	if p.Left > 0 {
		caption += fmt.Sprintf(", without %s", text.CountOf(p.Left, "more version that changes", "more versions that change"))
	}
	return "\n" + caption + ":\n\n```mermaid\n" + p.Mermaid + "```\n"
}

// fold writes the rows that are left: each of them or, if they are many, a line for each package.
func (c *diffComment) fold(rows []*diffRow) {
	if len(rows) == 0 {
		return
	}
	all := groupRows(rows)
	counts := countRows(all)
	fmt.Fprintf(c, "\n<details><summary>%s in %s</summary>\n", text.CountOf(counts.differences, "more difference", "more differences"),
		text.Count(counts.packages, "package"))
	if len(rows) <= commentFolded {
		rows = c.list(rows, commentFolded, 0)
	} else {
		rows = c.packages(all)
	}
	if len(rows) > 0 {
		left := countRows(groupRows(rows))
		fmt.Fprintf(c, "- %s in %s\n", left.more(), text.Count(left.packages, "package"))
		c.cut = true
	}
	c.WriteString("\n</details>\n")
}

// packages writes a line for each package, and returns the rows of those that do not fit.
func (c *diffComment) packages(all [][]*diffRow) (left []*diffRow) {
	c.cut = true
	c.WriteByte('\n')
	for i, rows := range all {
		line := c.bullet(rows[0])
		if !rows[0].isPackages() {
			line = fmt.Sprintf("- %s%s: %s\n", codeName(rows[0].Package), prefixed(" in ", c.d.catalogsText(commonCatalogs(rows), codeName)),
				countRows([][]*diffRow{rows}).headline())
		}
		if i >= commentFolded || c.Len()+len(line) > commentBytes {
			left = append(left, rows...)
			continue
		}
		c.WriteString(line)
	}
	return left
}

func (c *diffComment) foot(counts diffCounts) {
	var alone []string
	for _, side := range []struct {
		what  string
		names []string
	}{{"new", c.d.Unpaired}, {"removed", c.d.OnlyInBase}} {
		if n := len(side.names); n > 0 {
			alone = append(alone, fmt.Sprintf("the %s %s %s", side.what, text.Plural(n, "catalog", "catalogs"), codeNames(side.names)))
		}
	}
	if len(alone) > 0 {
		fmt.Fprintf(c, "\nNot compared: %s.\n", text.And(alone))
	}
	if counts.differences == 0 {
		return
	}
	fmt.Fprintf(c, "\n%s", c.d.summary(counts))
	if c.cut && c.d.JSON != "" {
		fmt.Fprintf(c, " All of them: %s", text.MarkdownCode(c.d.JSON))
	}
	c.WriteByte('\n')
}

func codeName(name string) string {
	return text.MarkdownCode(text.Shorten(text.Safe(name), commentName))
}

func codeNames(names []string) string    { return listNames(codeAll(names)) }
func codePackages(names []string) string { return packageNames(codeAll(names)) }

func codeAll(names []string) []string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = codeName(name)
	}
	return quoted
}
