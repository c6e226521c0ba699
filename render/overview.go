package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
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
func WriteOverview(w io.Writer, o Overview, style text.Style) error {
	t := text.NewWriter(w, style)
	for i, c := range o.Catalogs {
		t.Wrapped("", "  ", text.Styled(o.Refs[i]+":", text.Heading), text.Plain(report.Contents(c)))
	}
	t.Line("")
	rows := o.rows()
	more := max(0, len(rows)-maxOverviewRows)
	o.table(t, rows[:len(rows)-more])
	if more > 0 {
		t.Line(fmt.Sprintf("and %d more: %s", more, o.Command("list", o.Ref)))
	}
	t.Line("")
	o.worst(t, lint.Merge(o.Findings))
	o.next(t, rows)
	return t.Flush()
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
	var notes []string
	if row.channel == p.DefaultChannel.Value {
		notes = append(notes, "default")
	}
	if deprecated, _ := deprecation(p.Deprecation(catalogs.SchemaChannel, row.channel)); deprecated {
		notes = append(notes, "deprecated")
	}
	row.note = strings.Join(notes, ", ")
	return row
}

// shortHead returns the version of the head, or its name if it has none; "" if there is no single head.
func shortHead(g *graph.Graph) string {
	name, version := headOf(g)
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

func (o *Overview) table(t *text.Writer, rows []overviewRow) {
	table := &text.Table{Header: []string{"CATALOG", "PACKAGE", "DEFAULT", "HEAD", "CHANNELS", "ENTRIES", "ERRORS", "WARNINGS", "NOTE"}, Right: []int{4, 5, 6, 7}}
	if o.Package != "" {
		table.Header = []string{"CATALOG", "CHANNEL", "HEAD", "ENTRIES", "STUCK", "ERRORS", "WARNINGS", "NOTE"}
		table.Right = []int{3, 4, 5, 6}
	}
	for i := range rows {
		r := &rows[i]
		cells := []text.Word{text.Plain(o.Catalogs[r.catalog].Name)}
		if o.Package == "" {
			cells = append(cells, text.Styled(r.pkg, text.Place), text.Plain(text.Dash(r.channel)), text.Plain(text.Dash(r.head)),
				number(r.channels), number(r.entries))
		} else {
			cells = append(cells, text.Styled(r.channel, text.Place), text.Plain(text.Dash(r.head)), number(r.entries), stuckCell(r.stuck))
		}
		table.Rows = append(table.Rows, append(cells, countCell(r.errors, text.Error), countCell(r.warnings, text.Warning),
			text.Styled(r.note, text.Warning)))
	}
	if len(o.Catalogs) == 1 {
		table.Header = table.Header[1:]
		for i := range table.Rows {
			table.Rows[i] = table.Rows[i][1:]
		}
		for i := range table.Right {
			table.Right[i]--
		}
	}
	if last := len(table.Header) - 1; !slices.ContainsFunc(rows, func(r overviewRow) bool { return r.note != "" }) {
		table.Header = table.Header[:last]
		for i := range table.Rows {
			table.Rows[i] = table.Rows[i][:last]
		}
	}
	t.Table(table)
}

// countCell returns a number, or a dash for 0.
func countCell(n int, role text.Role) text.Word {
	if n == 0 {
		return text.Plain("-")
	}
	return text.Styled(fmt.Sprint(n), role)
}

// worst writes the worst findings, one of each rule, and the numbers of all.
func (o *Overview) worst(t *text.Writer, findings []lint.Finding) {
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
		t.Line("No problems found.")
	} else {
		t.Line(fmt.Sprintf("%s, %s, %s.", text.Count(total[lint.Error], "error"), text.Count(total[lint.Warning], "warning"), text.Count(total[lint.Info], "info")))
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
		role := text.Warning
		if f.Severity == lint.Error {
			role = text.Error
		}
		t.Wrapped("", "    ", text.Styled(f.Severity.String(), role), text.Plain(subjectOf(f)+f.Message), text.Styled("["+f.Rule+"]"+more, text.Faint))
	}
	if more := len(shown) - maxOverviewWorst; more > 0 {
		t.Line("and findings of " + text.Count(more, "more rule"))
	}
	t.Line("")
}

// subjectOf names the package of a finding, if its message does not.
func subjectOf(f *lint.Finding) string {
	if f.Package == "" || strings.Contains(f.Message, f.Package) {
		return ""
	}
	return f.Package + ": "
}

// next writes commands that show more.
func (o *Overview) next(t *text.Writer, rows []overviewRow) {
	var commands, purposes []string
	add := func(purpose string, args ...string) {
		commands, purposes = append(commands, o.Command(args...)), append(purposes, purpose)
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
	width := 0
	for _, c := range commands {
		width = max(width, text.Width(c))
	}
	t.Line("next:")
	for i, c := range commands {
		if line := fmt.Sprintf("  %s%s   %s", c, strings.Repeat(" ", width-text.Width(c)), purposes[i]); text.Width(line) <= t.Style.Width {
			t.Line(line)
		} else {
			t.Line("  " + c)
		}
	}
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
