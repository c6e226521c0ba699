package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// group is the findings of one package that count, of all catalogs.
type group struct {
	heading    string
	oneCatalog bool // all findings are of one catalog, and of no other
	findings   []*lint.Finding
	bySeverity [lint.Error + 1]int // number of findings of each severity
}

// groups returns the findings that count by package, in their order.
func (r Report) groups() []*group {
	var all []*group
	at := map[string]*group{}
	for f := range r.countedFindings() {
		g := at[f.Package]
		if g == nil {
			g = &group{oneCatalog: true}
			at[f.Package] = g
			all = append(all, g)
		}
		g.findings = append(g.findings, f)
		g.bySeverity[f.Severity] += f.Count()
	}
	for _, g := range all {
		first := g.findings[0]
		g.oneCatalog = !slices.ContainsFunc(g.findings, func(f *lint.Finding) bool {
			return f.Catalog != first.Catalog || len(otherCatalogs(f)) > 0 || slices.ContainsFunc(f.Folded, func(f lint.Finding) bool { return len(otherCatalogs(&f)) > 0 })
		})
		subject := lint.Subject{Package: first.Package, Catalog: first.Catalog}
		if !g.oneCatalog {
			subject.Catalog = ""
		}
		g.heading = subjectHeading(&subject)
		if !g.oneCatalog && first.Package == "" {
			g.heading = "the catalogs"
		}
	}
	return all
}

// shownFindings returns the findings that people see.
func (g *group) shownFindings(r *Report) []*lint.Finding {
	return slices.DeleteFunc(slices.Clone(g.findings), func(f *lint.Finding) bool { return !r.shows(f) })
}

// name returns the name of the package, or the heading if there is none.
func (g *group) name() string {
	if pkg := g.findings[0].Package; pkg != "" {
		return pkg
	}
	return g.heading
}

// catalogs returns the number of catalogs of the report for alsoIn: one if the heading names the catalog.
func (g *group) catalogs(r *Report) int {
	if g.oneCatalog {
		return 1
	}
	return len(r.Catalogs)
}

// worstSeverity returns the worst severity of the findings.
func (g *group) worstSeverity() lint.Severity {
	for s := lint.Error; s > lint.Off; s-- {
		if g.bySeverity[s] > 0 {
			return s
		}
	}
	return lint.Off
}

// subjectHeading returns the heading under which findings about a subject are listed.
func subjectHeading(s *lint.Subject) string {
	heading := cmp.Or(words.Prefix("package ", s.Package), words.Prefix("catalog ", s.Catalog), "the catalog")
	if s.Package != "" {
		heading += words.Prefix(" of catalog ", s.Catalog)
	}
	return text.Shorten(heading, mostLine)
}

// otherCatalogs returns the other catalogs in which a finding is.
func otherCatalogs(f *lint.Finding) []string {
	return distinct(f, func(s *lint.Subject) string { return s.Catalog })
}

// distinct returns the values of a field of the other places of a finding that differ from its own.
func distinct(f *lint.Finding, field func(*lint.Subject) string) []string {
	var values []string
	for i := range f.Also {
		if v := field(&f.Also[i].Subject); v != "" && v != field(&f.Subject) && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// alsoIn says where else a finding is: "also in channels "a" and "b"", or "". Other bundles are counted in the message, as other
// upgrades and entries are. catalogs is the number of all catalogs. It names the catalog of the finding too where bundles make the upgrade
// graphs of several OpenShift versions, and their files do not tell which.
func alsoIn(f *lint.Finding, catalogs int) string {
	var said []string
	for _, kind := range []struct {
		one, many string
		field     func(*lint.Subject) string
	}{
		{"package", "packages", func(s *lint.Subject) string { return s.Package }},
		{"channel", "channels", func(s *lint.Subject) string { return s.Channel }},
		{"CRD", "CRDs", func(s *lint.Subject) string { return s.CRD }},
	} {
		if names := distinct(f, kind.field); len(names) > 0 {
			said = append(said, words.Plural(len(names), kind.one, kind.many)+" "+words.And(words.Quote(names)))
		}
	}
	others, also := otherCatalogs(f), "also "
	switch {
	case len(others) > 1 && len(others) == catalogs-1:
		said = append(said, "all other catalogs")
	case catalogs > 1 && f.IsOfUpgrades() && f.Catalog != "" && !strings.Contains(f.Pos.File, f.Catalog):
		if len(said) == 0 {
			also = ""
		}
		others = append([]string{f.Catalog}, others...)
		fallthrough
	case len(others) > 0:
		said = append(said, words.Plural(len(others), "catalog ", "catalogs ")+words.And(others))
	}
	if len(said) == 0 {
		return ""
	}
	return also + "in " + strings.Join(said, "; in ")
}

// foldedIn says what a finding stands for: other CRDs, and how many more findings these and its own have, which a flag shows if shownBy names it.
func foldedIn(f *lint.Finding, shownBy string) (said []string) {
	var crds []string
	for _, other := range f.Folded {
		if other.CRD != f.CRD && !slices.Contains(crds, other.CRD) {
			crds = append(crds, other.CRD)
		}
	}
	if n := len(crds); n > 0 {
		said = append(said, "also in "+words.Plural(n, "CRD ", "CRDs ")+words.And(abridge(crds)))
	}
	if n := len(f.Folded) - len(crds); n > 0 {
		more := "and " + words.Count(n, "finding") + " of other upgrades"
		if shownBy != "" {
			more += ": " + shownBy + " shows " + words.Plural(n, "it", "them")
		}
		said = append(said, more)
	}
	return said
}

// abridge returns the first names of many, and the number of the others.
func abridge(names []string) []string {
	const most = 3
	if len(names) <= most+1 {
		return names
	}
	return append(slices.Clone(names[:most]), fmt.Sprintf("%d more", len(names)-most))
}

// occurrenceText describes one of the other places of a finding.
func occurrenceText(f *lint.Finding, o *lint.Occurrence) string {
	var said []string
	for _, part := range []struct{ what, own, other string }{
		{"package", f.Package, o.Package}, {"channel", f.Channel, o.Channel}, {"bundle", f.Bundle, o.Bundle}, {"CRD", f.CRD, o.CRD},
		{"catalog", f.Catalog, o.Catalog},
	} {
		if part.other != "" && part.other != part.own {
			said = append(said, part.what+" "+strconv.Quote(part.other))
		}
	}
	if len(said) == 0 {
		return "also here"
	}
	return "also in " + strings.Join(said, ", ")
}

// mostLine is the number of characters of a line where programs show a report: names in catalogs have any length.
const mostLine = 1000

// findingAdvice returns what adviceLines does, as a text.
func (r Report) findingAdvice(f *lint.Finding) string { return strings.Join(r.adviceLines(f), "\n") }

// adviceLines returns the message of a finding, where else it is, and its fix.
func (r Report) adviceLines(f *lint.Finding) []string {
	advice := []string{text.Shorten(f.Message, mostLine)}
	for _, line := range append([]string{alsoIn(f, len(r.Catalogs))}, append(foldedIn(f, ""), words.Prefix("fix: ", f.Fix))...) {
		if line != "" {
			advice = append(advice, text.Shorten(line, mostLine))
		}
	}
	return advice
}
