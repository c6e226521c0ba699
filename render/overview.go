package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// Overview is what is in the catalogs of a reference, or in one package of them.
type Overview struct {
	Ref      string   // the reference
	Refs     []string // of each of the catalogs
	Package  string   // only this one, or ""
	Catalogs []*catalogs.Catalog
	Findings []lint.Finding // for a report
	// Command returns a command line of olmgraph, quoted for a shell.
	Command func(args ...string) string
}

const (
	maxOverviewRows  = 10 // of packages, unless they have problems; and the packages that are shown all the same
	maxOverviewWorst = 10 // findings
)

// overviewRow is a package or, in the overview of one, a channel: the cells that list has of it, and the numbers of its findings.
type overviewRow struct {
	catalog          int // index
	pkg, channel     string
	head, note       string
	size             int // channels of a package, entries of a channel
	stuck            int
	errors, warnings int
}

// WriteOverview writes an overview: the catalogs, the worst findings, the packages with problems or the channels, the worst first, and commands that
// show more.
func WriteOverview(w io.Writer, o Overview, style text.Style) error { return o.say().Text(w, style) }

func (o *Overview) say() *answer.Answer {
	a := &answer.Answer{}
	for i, c := range o.Catalogs {
		a.Say(text.Styled(o.Refs[i]+":", text.Heading), " ", report.Contents(c))
	}
	a.Section()
	o.sayWorst(a, lint.UnfoldCRDs(o.Findings))
	rows := o.rows()
	o.sayRows(a, rows)
	a.Section()
	a.Say("next:")
	a.Table(o.nextCommands(rows))
	return a
}

// sayRows says the channels, or the packages with problems and how many others there are.
func (o *Overview) sayRows(a *answer.Answer, rows []overviewRow) {
	shown := rows
	if o.Package == "" && len(rows) > maxOverviewRows {
		shown = rows[:min(2*maxOverviewRows, slices.IndexFunc(append(rows, overviewRow{}), overviewRow.isClean))]
	}
	if len(shown) > 0 {
		a.Section()
		a.Table(o.table(shown))
	}
	rest := rows[len(shown):]
	clean := len(slices.DeleteFunc(slices.Clone(rest), func(r overviewRow) bool { return !r.isClean() }))
	if n := len(rest) - clean; n > 0 {
		a.Say("and ", n, " more with problems")
	}
	if clean > 0 {
		a.Section()
		a.Say(words.Count(clean, "package"), " without problems: ", text.Styled(o.Command("list", o.Ref), text.Command))
	}
}

// isClean reports whether there is no error, no warning and no entry that is never upgraded.
func (r overviewRow) isClean() bool { return r.errors+r.warnings+r.stuck == 0 }

// rows returns the packages or channels, the worst first.
func (o *Overview) rows() []overviewRow {
	var rows []overviewRow
	counts := o.counts()
	add := func(r overviewRow, channel string) {
		n := counts[overviewPlace{o.Catalogs[r.catalog].Name, r.pkg, channel}]
		r.errors, r.warnings = n[lint.Error], n[lint.Warning]
		rows = append(rows, r)
	}
	for i, c := range o.Catalogs {
		l := Listing{Catalogs: []*catalogs.Catalog{c}, Package: o.Package}
		if o.Package == "" {
			for _, p := range l.packages() {
				add(overviewRow{catalog: i, pkg: p.Package, channel: p.DefaultChannel, head: cmp.Or(p.Version, p.Head), note: p.note(), size: p.Channels, stuck: p.Stuck}, "")
			}
			continue
		}
		for _, ch := range l.channels() {
			note := strings.Join(activeNotes([]note{{ch.Default, "default"}, {ch.Deprecated, "deprecated"}}), ", ")
			add(overviewRow{catalog: i, pkg: ch.Package, channel: ch.Channel, head: cmp.Or(ch.Version, ch.Head), note: note, size: ch.Entries, stuck: ch.Stuck}, ch.Channel)
		}
	}
	slices.SortStableFunc(rows, func(a, b overviewRow) int {
		return cmp.Or(b.errors-a.errors, b.warnings-a.warnings, b.stuck-a.stuck)
	})
	return rows
}

// overviewPlace is a package of a catalog or, with a channel, one of its channels.
type overviewPlace struct{ catalog, pkg, channel string }

// counts returns the number of findings of each severity in each place. A finding about several channels counts in each.
func (o *Overview) counts() map[overviewPlace][lint.Error + 1]int {
	counts := map[overviewPlace][lint.Error + 1]int{}
	for _, f := range lint.UnfoldCRDs(o.Findings) {
		if f.Suppressed != "" {
			continue
		}
		seen := map[overviewPlace]bool{}
		for _, at := range append([]lint.Occurrence{{Subject: f.Subject}}, f.Also...) {
			for _, place := range []overviewPlace{{at.Catalog, at.Package, ""}, {at.Catalog, at.Package, at.Channel}} {
				if !seen[place] {
					seen[place] = true
					n := counts[place]
					n[f.Severity]++
					counts[place] = n
				}
			}
		}
	}
	return counts
}

func (o *Overview) table(rows []overviewRow) *answer.Table {
	table := &answer.Table{Columns: []string{"catalog", "package", "default", "head", "channels", "stuck", "errors", "warnings", "note"}, Right: []int{4, 5, 6, 7}}
	if o.Package != "" {
		table.Columns[2], table.Columns[4] = "channel", "entries"
	}
	for _, r := range rows {
		table.Add(o.Catalogs[r.catalog].Name, text.Styled(r.pkg, text.Place), text.Styled(text.Dash(r.channel), text.Place), text.Dash(r.head), r.size, stuckCell(r.stuck),
			countCell(r.errors, text.Error), countCell(r.warnings, text.Warning), text.Styled(r.note, text.Warning))
	}
	if !slices.ContainsFunc(rows, func(r overviewRow) bool { return r.note != "" }) {
		table.Drop(8)
	}
	if o.Package != "" {
		table.Drop(1)
	}
	if len(o.Catalogs) == 1 {
		table.Drop(0)
	}
	return table
}

// countCell returns a number, or a dash for 0.
func countCell(n int, role text.Role) text.Word {
	if n == 0 {
		return text.Plain("-")
	}
	return text.Styled(strconv.Itoa(n), role)
}

// sayWorst says the worst findings, one of each rule, and the numbers of all.
func (o *Overview) sayWorst(a *answer.Answer, findings []lint.Finding) {
	var shown []*lint.Finding
	byRule := map[string]int{}
	total := map[lint.Severity]int{}
	for i := range findings {
		f := &findings[i]
		if f.Suppressed != "" {
			continue
		}
		total[f.Severity]++
		if f.Severity < lint.Warning {
			continue
		}
		key := f.Severity.String() + f.Rule
		if byRule[key]++; byRule[key] == 1 {
			shown = append(shown, f)
		}
	}
	if len(total) == 0 {
		a.Say("No problems found.")
	} else {
		a.Say(words.Count(total[lint.Error], "error"), ", ", words.Count(total[lint.Warning], "warning"), ", ", words.Count(total[lint.Info], "info"), ".")
	}
	slices.SortStableFunc(shown, func(a, b *lint.Finding) int { return int(b.Severity - a.Severity) })
	for i, f := range shown {
		if i == maxOverviewWorst {
			break
		}
		more := ""
		if n := byRule[f.Severity.String()+f.Rule]; n > 1 {
			more = fmt.Sprintf(" and %d more", n-1)
		}
		a.Item(text.Styled(f.Severity.String(), report.SeverityRole(f.Severity)), " ", subjectPrefix(f), f.Message, " ", text.Styled("["+f.Rule+"]"+more, text.Faint))
	}
	if more := len(shown) - maxOverviewWorst; more > 0 {
		a.Say("and findings of ", words.Count(more, "more rule"))
	}
}

// subjectPrefix names the package of a finding, if its message does not.
func subjectPrefix(f *lint.Finding) string {
	if f.Package == "" || strings.Contains(f.Message, f.Package) {
		return ""
	}
	return f.Package + ": "
}

// nextCommands returns commands that show more.
func (o *Overview) nextCommands(rows []overviewRow) *answer.Table {
	table := &answer.Table{Columns: []string{"command", "shows"}, Steps: true}
	add := func(purpose string, args ...string) {
		table.Add(text.Styled(o.Command(args...), text.Command), purpose)
	}
	lintArgs := []string{"lint", o.Ref}
	if o.Package != "" {
		lintArgs = append(lintArgs, "--package", o.Package)
	}
	add("the problems, and how to fix them", lintArgs...)
	if len(rows) > 0 && !strings.HasPrefix(rows[0].pkg, "-") { // which would be a flag
		r := &rows[0]
		ref := o.Refs[r.catalog]
		if o.Package == "" && len(rows) > 1 {
			add("its channels and worst problems", ref, r.pkg)
		}
		if p := o.Catalogs[r.catalog].Package(r.pkg); p.Channel(p.DefaultChannel.Value) != nil {
			add("its upgrades up to the head", "path", ref, r.pkg, "all")
		}
		add("a diagram of its upgrades", "render", ref, r.pkg, "-o", "upgrades.svg")
	}
	return table
}
