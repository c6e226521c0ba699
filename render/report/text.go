package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// Text writes the findings by package, each with its source line, related positions and fix, and a summary. Text from
// catalogs is escaped for terminals.
func Text(w io.Writer, r Report, style text.Style) error {
	t := &reportText{text.NewWriter(w, style), excerptsOf(r)}
	group := "\x00"
	for f := range r.counted() {
		if heading := headingOf(f); heading != group {
			t.Title(heading)
			t.Line("")
			group = heading
		}
		t.finding(f)
	}
	t.summary(r)
	return t.Flush()
}

// reportText writes a report as text.
type reportText struct {
	*text.Writer
	excerpts map[catalogs.Pos]catalogs.Excerpt
}

// severityBrush returns the style of a severity.
func (t *reportText) severityBrush(s lint.Severity) text.Brush {
	switch s {
	case lint.Error:
		return t.Colors.Error
	case lint.Warning:
		return t.Colors.Warning
	}
	return t.Colors.Info
}

// headingOf returns the heading under which a finding is listed.
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

// excerptsOf returns the source lines of all findings that count.
func excerptsOf(r Report) map[catalogs.Pos]catalogs.Excerpt {
	places := map[string][]catalogs.Pos{}
	for f := range r.counted() {
		places[f.Catalog] = append(places[f.Catalog], f.Pos)
	}
	return r.excerptsAt(places)
}

// excerptsAt returns the source lines of positions, which are given by catalog.
func (r Report) excerptsAt(places map[string][]catalogs.Pos) map[catalogs.Pos]catalogs.Excerpt {
	all := map[catalogs.Pos]catalogs.Excerpt{}
	for _, c := range r.Catalogs {
		maps.Copy(all, c.Excerpts(places[c.Name]))
	}
	return all
}

func (t *reportText) finding(f *lint.Finding) {
	t.Wrapped("", "    ",
		text.Styled(f.Pos.String(), t.Colors.Place), text.Styled(f.Severity.String(), t.severityBrush(f.Severity)),
		text.Plain(f.Message), text.Styled("["+f.Rule+"]", t.Colors.Faint))
	if e, ok := t.excerpts[f.Pos]; ok {
		t.source(f, e)
	}
	for _, r := range f.Related {
		t.Wrapped("    ", "        ", text.Styled(r.Pos.String(), t.Colors.Place), text.Plain(r.Message))
	}
	if f.Fix != "" {
		t.Wrapped("    ", "         ", text.Styled("fix:", t.Colors.Fix), text.Plain(f.Fix))
	}
	t.Line("")
}

// source writes the source line of a finding, with a caret under the value.
func (t *reportText) source(f *lint.Finding, e catalogs.Excerpt) {
	number := fmt.Sprintf("%6d | ", f.Pos.Line)
	shown, caret := excerptWindow(e, t.Style.Width-len(number)-1)
	t.Line(t.Colors.Faint.Paint(number) + shown)
	t.Line(t.Colors.Faint.Paint("       | ") + strings.Repeat(" ", caret) + t.severityBrush(f.Severity).Paint("^"))
}

func (t *reportText) summary(r Report) {
	s := r.stats()
	checked := fmt.Sprintf("%s, %s, %s, %s in %s (%s)", text.Count(s.Packages, "package"), text.Count(s.Channels, "channel"),
		text.CountOf(s.Entries, "entry", "entries"), text.Count(s.Bundles, "bundle"), text.Count(s.Files, "file"), size(s.Bytes))
	if n := len(r.Catalogs); n != 1 {
		checked = text.Count(n, "catalog") + ": " + checked
	} else if form := FormOf(r.Catalogs[0]); form != "" {
		checked = form + ": " + checked
	}
	if s.Unread > 0 {
		one, many := "file is", "files are"
		if slices.ContainsFunc(r.Catalogs, func(c *catalogs.Catalog) bool { return c.Form == catalogs.Repository && c.Stats.Unread > 0 }) {
			one, many = "bundle or file is", "bundles and files are"
		}
		checked += fmt.Sprintf("; %s the same as in the base, and not read", text.CountOf(s.Unread, one, many))
	}
	counts := r.byRule()
	if len(counts) == 0 {
		t.Wrapped("", "", text.Plain("No problems found"+r.suppressedNote()+". Checked "+checked+"."))
		return
	}
	for _, c := range counts {
		t.Line(fmt.Sprintf("%6d  %s", c.Count, c.Rule))
	}
	t.Line("")
	t.Wrapped("", "", text.Plain(r.tally()+". Checked "+checked+"."))
}

// FormOf describes the form of a catalog; "" for a file-based catalog in a folder or file.
func FormOf(c *catalogs.Catalog) string {
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

// size formats a number of bytes.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}

// advice returns the message of a finding and its fix, one line each.
func advice(f *lint.Finding) string {
	if f.Fix == "" {
		return f.Message
	}
	return f.Message + "\nfix: " + f.Fix
}
