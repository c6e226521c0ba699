package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// Text writes the report for people: the findings package by package, each with its source line, the places it speaks of
// and its cure, and a summary. What comes from a catalog is made harmless for a terminal.
func Text(w io.Writer, r Report, style Style) error {
	t := &reportText{newText(w, style), excerptsOf(r)}
	group := "\x00"
	for f := range r.counted() {
		if heading := headingOf(f); heading != group {
			t.title(heading)
			t.line("")
			group = heading
		}
		t.finding(f)
	}
	t.summary(r)
	return t.Flush()
}

// reportText writes a report for people.
type reportText struct {
	*text
	excerpts map[catalogs.Pos]catalogs.Excerpt
}

// severity is the style of a severity.
func (t *reportText) severity(s lint.Severity) brush {
	switch s {
	case lint.Error:
		return t.colors.error
	case lint.Warning:
		return t.colors.warning
	}
	return t.colors.info
}

// headingOf is what findings are grouped under.
func headingOf(f *lint.Finding) string {
	switch {
	case f.Package == "" && f.Catalog == "":
		return "the catalog"
	case f.Package == "":
		return "catalog " + f.Catalog
	case f.Catalog == "":
		return "package " + f.Package
	}
	return "package " + f.Package + " of catalog " + f.Catalog
}

// excerptsOf reads the source lines of all findings that count.
func excerptsOf(r Report) map[catalogs.Pos]catalogs.Excerpt {
	places := map[string][]catalogs.Pos{}
	for f := range r.counted() {
		places[f.Catalog] = append(places[f.Catalog], f.Pos)
	}
	return r.excerptsAt(places)
}

// excerptsAt reads the source lines of places, which are given by the name of their catalog.
func (r Report) excerptsAt(places map[string][]catalogs.Pos) map[catalogs.Pos]catalogs.Excerpt {
	all := map[catalogs.Pos]catalogs.Excerpt{}
	for _, c := range r.Catalogs {
		maps.Copy(all, c.Excerpts(places[c.Name]))
	}
	return all
}

func (t *reportText) finding(f *lint.Finding) {
	t.wrapped("", "    ",
		styled(f.Pos.String(), t.colors.place), styled(f.Severity.String(), t.severity(f.Severity)),
		plain(f.Message), styled("["+f.Rule+"]", t.colors.faint))
	if e, ok := t.excerpts[f.Pos]; ok {
		t.source(f, e)
	}
	for _, r := range f.Related {
		t.wrapped("    ", "        ", styled(r.Pos.String(), t.colors.place), plain(r.Message))
	}
	if f.Cure != "" {
		t.wrapped("    ", "          ", styled("cure:", t.colors.cure), plain(f.Cure))
	}
	t.line("")
}

// source writes the line that a finding is about, with a caret under the value.
func (t *reportText) source(f *lint.Finding, e catalogs.Excerpt) {
	number := fmt.Sprintf("%6d | ", f.Pos.Line)
	shown, caret := window(e, t.style.Width-len(number)-1)
	t.line(t.colors.faint.paint(number) + shown)
	t.line(t.colors.faint.paint("       | ") + strings.Repeat(" ", caret) + t.severity(f.Severity).paint("^"))
}

func (t *reportText) summary(r Report) {
	s := r.stats()
	looked := fmt.Sprintf("%s, %s, %s, %s in %s (%s)", count(s.Packages, "package"), count(s.Channels, "channel"),
		countOf(s.Entries, "entry", "entries"), count(s.Bundles, "bundle"), count(s.Files, "file"), size(s.Bytes))
	if n := len(r.Catalogs); n != 1 {
		looked = count(n, "catalog") + ": " + looked
	} else if form := formOf(r.Catalogs[0]); form != "" {
		looked = form + ": " + looked
	}
	if s.Unread > 0 {
		looked += fmt.Sprintf("; %s as in the base, and not read", countOf(s.Unread, "file is", "files are"))
	}
	counts := r.byRule()
	if len(counts) == 0 {
		t.wrapped("", "", plain("Nothing to mend"+r.besides()+". Looked at "+looked+"."))
		return
	}
	for _, c := range counts {
		t.line(fmt.Sprintf("%6d  %s", c.Count, c.Rule))
	}
	t.line("")
	t.wrapped("", "", plain(r.tally()+". Looked at "+looked+"."))
}

// formOf says what a reference was recognised as, unless that is the usual.
func formOf(c *catalogs.Catalog) string {
	switch {
	case c.Container != "" && slices.Contains([]catalogs.Form{catalogs.PackageManifests, catalogs.ListBundles, catalogs.ClusterPackages}, c.Form):
		return c.Container + " with " + string(c.Form)
	case c.Container != "":
		return c.Container + " with a " + string(c.Form)
	case c.Form != catalogs.FileBased:
		return string(c.Form)
	}
	return ""
}

// size words a number of bytes.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}

// advice is what a finding says and how to mend it, a line each.
func advice(f *lint.Finding) string {
	if f.Cure == "" {
		return f.Message
	}
	return f.Message + "\ncure: " + f.Cure
}
