package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/excerpt"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// Text writes the findings by package, each with its source line and fix, then a table of the packages, the number of findings, and
// the commands to type next. Infos are only counted, unless Report.Infos is set. Text from catalogs is escaped for terminals.
func Text(w io.Writer, r Report, style text.Style) error {
	style.Fit = true // as all other lines
	if r.Details {
		r.Findings = lint.UnfoldCRDs(r.Findings)
	}
	t := &reportText{text.NewWriter(w, style), &r, reportExcerpts(r), map[string]int{}, map[string]int{}}
	groups := r.groups()
	for _, g := range groups {
		t.group(g)
	}
	for _, rule := range words.SortedKeys(t.omitted) {
		t.Wrapped("", "    ", text.Plain(t.report.omittedMessage(t.omitted[rule])), text.Styled("["+rule+"]", text.Faint))
	}
	if len(t.omitted) > 0 {
		t.Line("")
	}
	t.summary(groups)
	return t.Flush()
}

// reportText writes a report as text.
type reportText struct {
	*text.Writer
	report   *Report
	excerpts map[catalogs.Pos]excerpt.Excerpt
	lines    map[string]int // by rule
	omitted  map[string]int // findings, by rule
}

// SeverityRole returns the role of a severity.
func SeverityRole(s lint.Severity) text.Role {
	return [...]text.Role{lint.Off: text.Normal, lint.Info: text.Info, lint.Warning: text.Warning, lint.Error: text.Error}[s]
}

// reportExcerpts returns the source lines of the findings that Text shows with them.
func reportExcerpts(r Report) map[catalogs.Pos]excerpt.Excerpt {
	places := map[string][]catalogs.Pos{}
	for f := range r.shownFindings() {
		if showsSource(f) && f.Field == (lint.Field{}) {
			places[f.Catalog] = append(places[f.Catalog], f.Pos)
		}
	}
	return r.readExcerpts(places)
}

// readExcerpts returns the source lines of positions, which are given by catalog.
func (r Report) readExcerpts(places map[string][]catalogs.Pos) map[catalogs.Pos]excerpt.Excerpt {
	all := map[catalogs.Pos]excerpt.Excerpt{}
	for _, c := range r.Catalogs {
		maps.Copy(all, excerpt.Excerpts(c, places[c.Name]))
	}
	return all
}

// group writes the findings of a package, of one rule up to a number of lines.
func (t *reportText) group(g *group) {
	fix, out, titled := "", t.Writer, false
	for _, f := range g.shownFindings(t.report) {
		if t.omitted[f.Rule] == 0 {
			var b bytes.Buffer
			t.Writer = text.NewWriter(&b, t.Style)
			t.findingWithFix(f, g, fix)
			t.Flush()
			t.Writer = out
			before, n := t.lines[f.Rule], bytes.Count(b.Bytes(), []byte("\n"))
			if t.lines[f.Rule] += n; before == 0 || before+n <= t.report.most(mostLines) {
				if !titled {
					t.Title(g.heading)
				}
				t.Write(b.Bytes())
				fix, titled = f.Fix, true
				continue
			}
		}
		t.omitted[f.Rule] += f.Count()
	}
}

// findingWithFix writes a finding. A fix is not repeated after the same one.
func (t *reportText) findingWithFix(f *lint.Finding, in *group, before string) {
	t.finding(f, in)
	for _, folded := range foldedIn(f, "--details") {
		t.Wrapped("    ", "        ", text.Plain(folded))
	}
	if f.Fix != "" && (f.Fix != before || t.report.Details) {
		t.Wrapped("    ", "         ", text.Styled("fix:", text.Fix), text.Plain(f.Fix))
	}
	t.Line("")
}

func (t *reportText) finding(f *lint.Finding, in *group) {
	t.Wrapped("", "    ",
		text.Styled(f.Pos.String(), text.Place), text.Styled(f.Severity.String(), SeverityRole(f.Severity)),
		text.Plain(f.Message), text.Styled("["+f.Rule+"]", text.Faint))
	t.source(f)
	details, related := f.Details, f.Related
	switch {
	case t.report.Details:
	case len(details) > 1: // of which the related positions explain the first
		details, related = nil, nil
	default:
		details, related = nil, related[:min(len(related), mostRelated)]
	}
	for _, r := range slices.Concat(details, related) {
		t.writeRelated(r.Pos, r.Message)
	}
	if left := len(f.Related) - len(related); left > 0 && len(related) > 0 {
		t.Line(fmt.Sprintf("    and %d more", left))
	}
	if t.report.Details {
		for _, o := range f.Also {
			t.writeRelated(o.Pos, occurrenceText(f, &o))
		}
	} else if also := alsoIn(f, in.catalogs(t.report)); also != "" {
		t.Wrapped("    ", "        ", text.Plain(also))
	}
}

// mostRelated is the number of related positions that Text shows without Report.Details.
const mostRelated = 3

func (t *reportText) writeRelated(pos catalogs.Pos, message string) {
	t.Wrapped("    ", "        ", text.Styled(pos.String(), text.Place), text.Plain(message))
}

// showsSource reports whether Text shows the source of a finding: not if it is merely the first of several details.
func showsSource(f *lint.Finding) bool { return len(f.Details) < 2 || f.Details[0].Pos != f.Pos }

// source writes the source line of a finding with a caret under the value, or the part of an encoded manifest.
func (t *reportText) source(f *lint.Finding) {
	if !showsSource(f) {
		return
	}
	if f.Field != (lint.Field{}) {
		t.writeEncoded(f.Field)
		return
	}
	e, ok := t.excerpts[f.Pos]
	if !ok {
		return
	}
	number := fmt.Sprintf("%6d | ", f.Pos.Line)
	shown, caret, ok := excerptWindow(e, t.Style.Width-len(number)-1)
	if !ok {
		return
	}
	t.Line(t.Paint(text.Faint, number) + shown)
	t.Line(t.Paint(text.Faint, strings.Repeat(" ", len(number)-2)+"| ") + strings.Repeat(" ", caret) + t.Paint(SeverityRole(f.Severity), "^"))
}

// writeEncoded writes a part of an encoded manifest, unless it is a list or an object, of which the message tells enough.
func (t *reportText) writeEncoded(f lint.Field) {
	const longest = 201
	if f.Value != "" {
		t.Wrapped("       ", "         ", text.Styled("|", text.Faint), text.Plain(f.Path+": "+text.Shorten(f.Value, longest)))
	}
}

// DescribeForm describes the form of a catalog; "" for a file-based catalog in a folder or file.
func DescribeForm(c *catalogs.Catalog) string {
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

// base64Text matches encoded data, longer than any digest.
var base64Text = regexp.MustCompile(`[A-Za-z0-9+/=]{100,}`)

// encodedField matches the rest of a line that has nothing but a key and encoded data.
var encodedField = regexp.MustCompile(`^["']?[\w.-]*["']?:? *["']?…["']?,?$`)

// excerptWindow cuts an excerpt to a width around its column, and returns the column of the caret in the result. Base64 is left
// out; ok is false if nothing else is left.
func excerptWindow(e excerpt.Excerpt, width int) (shown string, caret int, ok bool) {
	at := min(e.Col-1, len(e.Text))
	before, after := text.Safe(withoutBase64(e.Text[:at])), text.Safe(withoutBase64(e.Text[at:]))
	if encodedField.MatchString(after) {
		return "", 0, false
	}
	caret = text.Width(before)
	if limit := max(width*2/3, 20); caret > limit {
		before = strings.ToValidUTF8(before[max(0, len(before)-utf8.UTFMax*limit):], "") // the rest takes long to measure
		before = "…" + runewidth.TruncateLeft(before, caret-limit+1, "")
		caret = text.Width(before)
	}
	return before + runewidth.Truncate(after, max(width-caret, 10), "…"), caret, true
}

func withoutBase64(s string) string { return base64Text.ReplaceAllString(s, "…") }
