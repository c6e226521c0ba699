package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/excerpt"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// The parts of SARIF 2.1.0 (OASIS) that are written. Section numbers refer to the standard.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
	Invocations []sarifInvocation `json:"invocations,omitempty"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name     string      `json:"name"`
	Version  string      `json:"version,omitempty"`
	Semantic string      `json:"semanticVersion,omitempty"`
	URI      string      `json:"informationUri"`
	Rules    []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string             `json:"id"`
	Short   sarifText          `json:"shortDescription"`
	Full    sarifText          `json:"fullDescription"`
	Help    sarifText          `json:"help"`
	HelpURI string             `json:"helpUri"`
	Default sarifConfiguration `json:"defaultConfiguration"`
	Props   sarifTags          `json:"properties"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifTags struct {
	Tags []string `json:"tags"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	Rule         string             `json:"ruleId"`
	RuleIndex    *int               `json:"ruleIndex,omitempty"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations"`
	Related      []sarifLocation    `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Suppressions []sarifSuppression `json:"suppressions,omitzero"`
	Props        *sarifProperties   `json:"properties,omitempty"`
}

// sarifProperties has what the finding reports together, and its other places.
type sarifProperties struct {
	Field   string            `json:"field,omitempty"`
	Value   string            `json:"value,omitempty"`
	Details []lint.Related    `json:"details,omitempty"`
	Also    []lint.Occurrence `json:"also,omitempty"`
}

type sarifLocation struct {
	ID       int            `json:"id,omitempty"`
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifText     `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

// home is the address of the project.
const home = "https://github.com/olmgraph/olmgraph"

// RulesPage is the address of the page of the rules.
const RulesPage = home + "/blob/main/docs/rules.md"

// SARIF writes the report for code scanning, with the documentation of the rules.
func SARIF(w io.Writer, r Report) error {
	s := &sarif{report: &r, excerpts: r.excerptsAt(allPositions(r)), index: map[string]int{}, suppresses: r.suppressed() > 0}
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "olmgraph", Version: r.Version, Semantic: semanticVersion(r.Version), URI: home, Rules: []sarifRule{}}
	for i, g := range r.guides() {
		s.index[g.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(&g))
	}
	kept := r.sarifFindings()
	for _, f := range kept {
		run.Results = append(run.Results, s.result(f))
	}
	if left := len(r.Findings) - len(kept); left > 0 {
		note := fmt.Sprintf("GitHub rejects more than %d results: %s left out", mostResults, phrase.CountOf(left, "finding is", "findings are"))
		run.Invocations = []sarifInvocation{{true, []sarifNotification{{"warning", sarifText{Text: note}}}}}
	}
	return text.JSON(w, sarifLog{Version: "2.1.0", Runs: []sarifRun{run},
		Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"})
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

func sarifRuleOf(g *Guide) sarifRule {
	return sarifRule{ID: g.ID, Short: sarifText{Text: g.Title()}, Full: sarifText{Text: g.Why()},
		Help: sarifText{Text: g.text(), Markdown: g.markdown()}, HelpURI: RulesPage, Default: sarifConfiguration{sarifLevel(g.Severity)},
		Props: sarifTags{append([]string{g.Family()}, g.Gates.Names()...)}}
}

func sarifLevel(s lint.Severity) string {
	switch s {
	case lint.Off:
		return "none"
	case lint.Info:
		return "note"
	}
	return s.String()
}

type sarif struct {
	report     *Report
	excerpts   map[catalogs.Pos]excerpt.Excerpt
	index      map[string]int // of the rules
	suppresses bool           // at least one finding is suppressed
}

func (s *sarif) result(f *lint.Finding) sarifResult {
	out := sarifResult{Rule: f.Rule, Level: sarifLevel(f.Severity), Message: sarifText{Text: s.report.adviceOf(f)},
		Locations: []sarifLocation{s.location(f.Pos, f)}, Fingerprints: map[string]string{"olmgraph/v2": f.Fingerprint()}}
	if i, known := s.index[f.Rule]; known {
		out.RuleIndex = &i
	}
	for i, other := range f.Related[:min(len(f.Related), mostRelatedLocations)] {
		l := s.location(other.Pos, f)
		l.ID, l.Message = i+1, &sarifText{Text: other.Message}
		out.Related = append(out.Related, l)
	}
	if f.Field.Path != "" || len(f.Details)+len(f.Also) > 0 {
		out.Props = &sarifProperties{f.Field.Path, f.Field.Value, f.Details, f.Also}
	}
	if s.suppresses { // in all results or in none (3.27.23)
		out.Suppressions = []sarifSuppression{}
	}
	if f.Suppressed != "" {
		out.Suppressions = append(out.Suppressions, sarifSuppression{"external", f.Suppressed})
	}
	return out
}

// mostRelatedLocations is the number of related locations of a result: GitHub shows few.
const mostRelatedLocations = 20

// location returns the position as a location. If it is not known, that is the catalog, and the package by name: GitHub rejects a
// file with a location that has no artifact.
func (s *sarif) location(p catalogs.Pos, f *lint.Finding) (out sarifLocation) {
	if !p.Known() {
		out.Logical = []sarifLogical{{headingOf(&f.Subject)}}
		p = catalogs.Pos{File: s.report.fileOf(f.Catalog)}
	}
	out.Physical = &sarifPhysical{Artifact: sarifArtifact{sarifURI(p.File)}}
	if p.Line > 0 {
		out.Physical.Region = &sarifRegion{Line: p.Line, Column: s.column(p)}
	}
	return out
}

// fileOf returns the file or folder of a catalog, and the working directory if that is not known.
func (r Report) fileOf(catalog string) string {
	for _, c := range r.Catalogs {
		if at := c.Pos(); c.Name == catalog && at.Known() {
			return at.File
		}
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
