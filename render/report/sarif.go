package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/excerpt"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// object is an object of SARIF 2.1.0 (OASIS). Section numbers refer to the standard.
type object map[string]any

// withoutEmpty returns an object without the properties that are empty.
func withoutEmpty(o object) object {
	maps.DeleteFunc(o, func(_ string, value any) bool {
		v := reflect.ValueOf(value)
		return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
	})
	return o
}

// home is the address of the project.
const home = "https://github.com/olmgraph/olmgraph"

// RulesPage is the address of the page of the rules.
const RulesPage = home + "/blob/main/docs/rules.md"

// SARIF writes the report for code scanning, with the documentation of the rules that found something.
func SARIF(w io.Writer, r Report) error {
	s := &sarif{report: &r, excerpts: r.readExcerpts(allPositions(r)), index: map[string]int{}, suppresses: r.count().Suppressed > 0}
	rules, notes := []object{}, []object{}
	kept := r.sarifFindings()
	for _, g := range r.guides() {
		if slices.ContainsFunc(kept, func(f *lint.Finding) bool { return f.Rule == g.ID }) {
			s.index[g.ID] = len(rules)
			rules = append(rules, newSARIFRule(&g))
		}
	}
	if left := len(r.Findings) - len(kept); left > 0 {
		note := fmt.Sprintf("GitHub rejects more than %d results: %s left out", mostResults, words.CountPlural(left, "finding is", "findings are"))
		notes = append(notes, object{"level": "warning", "message": object{"text": note}})
	}
	if r.Base != "" {
		notes = append(notes, object{"level": "note", "message": object{"text": "compared with " + r.Base}})
	}
	var invocations []object
	if len(notes) > 0 {
		invocations = []object{{"executionSuccessful": true, "toolExecutionNotifications": notes}}
	}
	driver := withoutEmpty(object{"name": "olmgraph", "version": r.Version, "semanticVersion": semanticVersion(r.Version), "informationUri": home})
	driver["rules"] = rules
	run := withoutEmpty(object{"tool": object{"driver": driver}, "columnKind": "utf16CodeUnits", "invocations": invocations})
	run["results"] = append([]object{}, words.Map(kept, s.result)...) // not null
	return text.JSON(w, object{"version": "2.1.0", "runs": []object{run},
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"})
}

// semanticVersion returns a version of the Go command, as v1.2.3, as a semantic version; "" if it is none, as "(devel)".
func semanticVersion(version string) string {
	v, err := semver.Parse(strings.TrimPrefix(version, "v"))
	if err != nil {
		return ""
	}
	return v.String()
}

// mostResults is the number of results of a run above which GitHub rejects the file. It shows 5,000 of them, the most severe.
const mostResults = 25_000

// sarifFindings returns the findings that are written: all, or the most severe if they are too many.
func (r Report) sarifFindings() []*lint.Finding {
	all := make([]*lint.Finding, len(r.Findings))
	for i := range r.Findings {
		all[i] = &r.Findings[i]
	}
	if len(all) <= mostResults {
		return all
	}
	slices.SortStableFunc(all, func(a, b *lint.Finding) int {
		return cmp.Or(cmp.Compare(min(len(a.Suppressed), 1), min(len(b.Suppressed), 1)), cmp.Compare(b.Severity, a.Severity))
	})
	return all[:mostResults]
}

// allPositions returns every position in the findings, by catalog.
func allPositions(r Report) map[string][]catalogs.Pos {
	all := map[string][]catalogs.Pos{}
	for i := range r.Findings {
		f := &r.Findings[i]
		all[f.Catalog] = append(all[f.Catalog], f.Pos)
		for _, other := range f.Related {
			all[f.Catalog] = append(all[f.Catalog], other.Pos)
		}
	}
	return all
}

func newSARIFRule(g *Guide) object {
	plain, markdown := g.help()
	return object{"id": g.ID, "shortDescription": object{"text": g.Title()}, "fullDescription": object{"text": g.Effect()},
		"help": object{"text": plain, "markdown": markdown}, "helpUri": RulesPage, "defaultConfiguration": object{"level": sarifLevel(g.Severity)},
		"properties": object{"tags": append([]string{g.Family()}, g.Gates.Names()...)}}
}

func sarifLevel(s lint.Severity) string {
	return map[lint.Severity]string{lint.Off: "none", lint.Info: "note", lint.Warning: "warning", lint.Error: "error"}[s]
}

type sarif struct {
	report     *Report
	excerpts   map[catalogs.Pos]excerpt.Excerpt
	index      map[string]int // of the rules
	suppresses bool           // at least one finding is suppressed
}

func (s *sarif) result(f *lint.Finding) object {
	out := object{"ruleId": f.Rule, "level": sarifLevel(f.Severity), "message": object{"text": s.report.findingAdvice(f)},
		"locations": []object{s.location(f.Pos, f)}, "partialFingerprints": object{"olmgraph/v2": f.Fingerprint()}}
	if i, known := s.index[f.Rule]; known {
		out["ruleIndex"] = i
	}
	var related []object
	for i, other := range firstRelated(f.Related) {
		l := s.location(other.Pos, f)
		l["id"], l["message"] = i+1, object{"text": other.Message}
		related = append(related, l)
	}
	if len(related) > 0 {
		out["relatedLocations"] = related
	}
	if properties := withoutEmpty(object{"field": f.Field.Path, "value": text.Shorten(f.Field.Value, mostLine),
		"details": firstRelated(f.Details), "also": f.Also[:min(len(f.Also), mostListed)]}); len(properties) > 0 {
		out["properties"] = properties
	}
	if s.suppresses { // in all results or in none (3.27.23)
		out["suppressions"] = []object{}
	}
	if f.Suppressed != "" {
		out["suppressions"] = []object{{"kind": "external", "justification": f.Suppressed}}
	}
	return out
}

// mostListed is the number of related positions, details and other places of a finding that are listed: programs show few.
const mostListed = 20

// firstRelated returns the positions that are listed, with messages that are not too long.
func firstRelated(all []lint.Related) []lint.Related {
	return words.Map(all[:min(len(all), mostListed)], func(r lint.Related) lint.Related {
		r.Message = text.Shorten(r.Message, mostLine)
		return r
	})
}

// location returns the position as a location. If it is not known, that is the catalog, and the package by name: GitHub rejects a
// file with a location that has no artifact.
func (s *sarif) location(p catalogs.Pos, f *lint.Finding) object {
	out := object{}
	if !p.IsKnown() {
		out["logicalLocations"] = []object{{"fullyQualifiedName": subjectHeading(&f.Subject)}}
		p = catalogs.Pos{File: s.report.catalogFile(f.Catalog)}
	}
	physical := object{"artifactLocation": object{"uri": sarifURI(p.File)}}
	if p.Line > 0 {
		physical["region"] = withoutEmpty(object{"startLine": p.Line, "startColumn": s.column(p)})
	}
	out["physicalLocation"] = physical
	return out
}

// catalogFile returns the file or folder of a catalog, and the working directory if that is not known.
func (r Report) catalogFile(catalog string) string {
	if c := r.catalog(catalog); c != nil && c.Pos().IsKnown() {
		return c.Pos().File
	}
	return "."
}

// column returns the column in UTF-16 code units, or 0 if the line is not known or too long.
func (s *sarif) column(p catalogs.Pos) int {
	e, known := s.excerpts[p]
	if !known || e.Col != p.Col || p.Col > len(e.Text)+1 {
		return 0
	}
	return len(utf16.Encode([]rune(e.Text[:p.Col-1]))) + 1
}

// sarifURI returns the URI of a file name: relative to the working directory, unless the name is absolute.
func sarifURI(name string) string {
	parts := strings.Split(path.Clean(name), "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A") // a colon would end a scheme
	}
	uri := strings.Join(parts, "/")
	if strings.HasPrefix(uri, "/") {
		return "file://" + uri
	}
	if len(name) > 2 && name[1:3] == ":/" { // a drive of Windows
		return "file:///" + name[:2] + strings.TrimPrefix(uri, parts[0])
	}
	return uri
}
