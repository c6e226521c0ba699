package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
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
	Findings []lint.Finding // not merged by lint.Merge
	// Command returns a command line of olmgraph, quoted for a shell.
	Command func(args ...string) string
}

const (
	maxOverviewRows  = 40
	maxOverviewWorst = 5 // findings
)

// overviewRow is a package or, in the overview of one, a channel.
type overviewRow struct {
	catalog          int // index
	pkg, channel     string
	head, note       string
	channels         int
	entries, stuck   int
	errors, warnings int
}

// WriteOverview writes an overview: the catalogs, their packages or channels with the worst first, the worst findings, and commands that
// show more.
func WriteOverview(w io.Writer, o Overview, style text.Style) error { return o.say().Text(w, style) }

func (o *Overview) say() *answer.Answer {
	a := &answer.Answer{}
	for i, c := range o.Catalogs {
		a.Say(text.Styled(o.Refs[i]+":", text.Heading), " ", report.Contents(c))
	}
	a.Section()
	rows := o.rows()
	more := max(0, len(rows)-maxOverviewRows)
	a.Table(o.table(rows[:len(rows)-more]))
	if more > 0 {
		a.Say("and ", more, " more: ", text.Styled(o.Command("list", o.Ref), text.Command))
	}
	a.Section()
	o.sayWorst(a, lint.Merge(o.Findings))
	a.Section()
	a.Say("next:")
	a.Table(o.next(rows))
	return a
}

// rows returns the packages or channels, the worst first.
func (o *Overview) rows() []overviewRow {
	var rows []overviewRow
	for i, c := range o.Catalogs {
		for _, p := range c.Packages {
			switch {
			case o.Package == "":
				rows = append(rows, o.packageRow(i, graph.OfPackage(p)))
			case p.Name.Value == o.Package:
				for _, g := range graph.OfPackage(p).Graphs {
					rows = append(rows, o.channelRow(i, p, g))
				}
			}
		}
	}
	counts := o.counts()
	for i := range rows {
		r := &rows[i]
		place := overviewPlace{catalog: o.Catalogs[r.catalog].Name, pkg: r.pkg}
		if o.Package != "" {
			place.channel = r.channel
		}
		n := counts[place]
		r.errors, r.warnings = n[lint.Error], n[lint.Warning]
	}
	slices.SortStableFunc(rows, func(a, b overviewRow) int {
		return cmp.Or(b.errors-a.errors, b.warnings-a.warnings, b.stuck-a.stuck)
	})
	return rows
}

func (o *Overview) packageRow(catalog int, a *graph.PackageGraph) overviewRow {
	p := a.Package
	row := overviewRow{catalog: catalog, pkg: p.Name.Value, channel: p.DefaultChannel.Value, channels: len(a.Graphs)}
	for _, g := range a.Graphs {
		row.entries += len(g.Entries())
		row.stuck += len(g.Stuck())
	}
	if g := a.Graph(row.channel); g != nil {
		row.head = shortHead(g)
	}
	deprecated, _ := deprecation(p.Deprecation(catalogs.SchemaPackage, ""))
	row.note = deprecatedNote(deprecated)
	return row
}

func (o *Overview) channelRow(catalog int, p *catalogs.Package, g *graph.Graph) overviewRow {
	row := overviewRow{catalog: catalog, pkg: p.Name.Value, channel: g.Channel.Name.Value, head: shortHead(g),
		entries: len(g.Entries()), stuck: len(g.Stuck())}
	notes := []note{{row.channel == p.DefaultChannel.Value, "default"}, {p.Deprecation(catalogs.SchemaChannel, row.channel) != nil, "deprecated"}}
	row.note = strings.Join(notesOf(notes), ", ")
	return row
}

// shortHead returns the version of the head, or its name if it has none; "" if there is no single head.
func shortHead(g *graph.Graph) string {
	name, version := headAndVersion(g)
	return cmp.Or(version, name)
}

// overviewPlace is a package of a catalog or, with a channel, one of its channels.
type overviewPlace struct{ catalog, pkg, channel string }

// counts returns the number of findings of each severity in each place. A finding about several channels counts in each.
func (o *Overview) counts() map[overviewPlace][lint.Error + 1]int {
	counts := map[overviewPlace][lint.Error + 1]int{}
	for i := range o.Findings {
		f := &o.Findings[i]
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
	table := &answer.Table{Columns: []string{"catalog", "package", "default", "head", "channels", "entries", "errors", "warnings", "note"}, Right: []int{4, 5, 6, 7}}
	if o.Package != "" {
		table = &answer.Table{Columns: []string{"catalog", "channel", "head", "entries", "stuck", "errors", "warnings", "note"}, Right: []int{3, 4, 5, 6}}
	}
	noted := false
	for _, r := range rows {
		catalog, head, note := o.Catalogs[r.catalog].Name, text.Dash(r.head), text.Styled(r.note, text.Warning)
		errors, warnings := countCell(r.errors, text.Error), countCell(r.warnings, text.Warning)
		if o.Package == "" {
			table.Add(catalog, text.Styled(r.pkg, text.Place), text.Dash(r.channel), head, r.channels, r.entries, errors, warnings, note)
		} else {
			table.Add(catalog, text.Styled(r.channel, text.Place), head, r.entries, stuckCell(r.stuck), errors, warnings, note)
		}
		noted = noted || r.note != ""
	}
	if !noted {
		table.Drop(len(table.Columns) - 1)
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
		a.Say(phrase.Count(total[lint.Error], "error"), ", ", phrase.Count(total[lint.Warning], "warning"), ", ", phrase.Count(total[lint.Info], "info"), ".")
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
		a.Item(text.Styled(f.Severity.String(), report.SeverityRole(f.Severity)), " ", subjectOf(f), f.Message, " ", text.Styled("["+f.Rule+"]"+more, text.Faint))
	}
	if more := len(shown) - maxOverviewWorst; more > 0 {
		a.Say("and findings of ", phrase.Count(more, "more rule"))
	}
}

// subjectOf names the package of a finding, if its message does not.
func subjectOf(f *lint.Finding) string {
	if f.Package == "" || strings.Contains(f.Message, f.Package) {
		return ""
	}
	return f.Package + ": "
}

// next returns commands that show more.
func (o *Overview) next(rows []overviewRow) *answer.Table {
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
		if version := oldestVersion(o.Catalogs[r.catalog].Package(r.pkg)); version != "" {
			add("its upgrades up to the head", "path", ref, r.pkg, version)
		}
		add("a diagram of its upgrades", "render", ref, r.pkg, "-o", "upgrades.svg")
	}
	return table
}

// oldestVersion returns the first version in the default channel of a package; "" if there is none.
func oldestVersion(p *catalogs.Package) string {
	g := graph.OfPackage(p).Graph(p.DefaultChannel.Value)
	if g == nil {
		return ""
	}
	oldest := -1
	for _, i := range g.Entries() {
		if v := g.Version(i); v != nil && (oldest < 0 || v.LT(*g.Version(oldest))) {
			oldest = i
		}
	}
	if oldest < 0 {
		return ""
	}
	return g.Version(oldest).String()
}
