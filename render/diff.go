package render

import (
	"fmt"
	"io"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
)

// Differences are the differences between catalogs and their bases.
type Differences struct {
	Pairs    []catalogs.Pair
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

func diffText(w io.Writer, d Differences, style text.Style) error {
	t := diffWriter{text.NewWriter(w, style), d, diffWords{list: listNames, packages: packageNames, strong: unquoted}}
	if d.Details {
		t.words.list, t.words.packages = joinNames, joinNames
	}
	all := d.rows()
	shown := min(len(all), textPackages)
	if d.Details {
		shown = len(all)
	}
	for _, rows := range all[:shown] {
		t.rows(rows)
	}
	if left := countRows(all[shown:]); left.packages > 0 {
		t.Wrapped("", "", text.Plain(left.more()+" in other packages: --details lists them"))
		t.Line("")
	}
	t.Wrapped("", "", text.Plain(d.summary(countRows(all))))
	return t.Flush()
}

// diffWriter writes differences as text.
type diffWriter struct {
	*text.Writer
	d     Differences
	words diffWords
}

// rows writes the rows of a package, or one of several packages.
func (t diffWriter) rows(rows []*diffRow) {
	common := commonCatalogs(rows)
	in := prefixed(" in ", t.d.catalogsText(common, unquoted))
	if rows[0].isPackages() {
		t.Title(wholePackages(rows[0].Kind) + in)
		t.Wrapped("  ", "  ", text.Plain(t.words.packages(rows[0].Names)))
		t.Line("")
		return
	}
	t.Title("package " + rows[0].Package + in)
	shown := rows
	if !t.d.Details && len(rows) > textRows+1 {
		shown = rows[:textRows]
	}
	for _, r := range shown {
		brush := text.Plain("").Brush
		if r.Kind <= graph.ChannelRemoved {
			brush = t.Colors.Error
		}
		said := t.words.sentence(r)
		if common == nil {
			said += " (" + t.d.catalogsText(r.catalogs, unquoted) + ")"
		}
		t.Wrapped("  ", "    ", text.Styled(said, brush))
	}
	if left := rows[len(shown):]; len(left) > 0 {
		t.Wrapped("  ", "    ", text.Plain(countRows([][]*diffRow{left}).more()+": --details lists them"))
	}
	t.Line("")
}

// summary counts the differences, each of several catalogs once.
func (d Differences) summary(c diffCounts) string {
	if c.differences == 0 {
		return "No difference in what upgrades depend on."
	}
	return fmt.Sprintf("%s in %s%s.", text.Count(c.differences, "difference"), text.Count(c.packages, "package"), d.inCatalogs())
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
	return fmt.Sprintf(" in %d of %s", n, text.Count(len(d.Pairs), "catalog"))
}

// packageNames joins the names of new or removed packages.
func packageNames(names []string) string { return someNames(names, 30) }

// unquoted is how text names things.
func unquoted(name string) string { return name }

// prefixed returns s after a prefix, or "" if s is empty.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
