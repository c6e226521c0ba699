package report

import (
	"io"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// jsonReport is the JSON report. Every field is always present; an unknown value is empty or 0.
type jsonReport struct {
	Version  int           `json:"version"`
	Tool     string        `json:"tool"`
	Catalogs []JSONCatalog `json:"catalogs"`
	Base     string        `json:"base"` // the commit of a git tree that was compared with, and why; or empty
	Findings []jsonFinding `json:"findings"`
	Summary  jsonSummary   `json:"summary"`
}

// JSONCatalog is a catalog that was checked.
type JSONCatalog struct {
	Name      string `json:"name"`                      // empty if there is only one catalog
	Form      string `json:"form" enum:"catalogs.Form"` // as detected
	Container string `json:"container"`                 // for example "oci-archive image" or "git tree"; empty for a folder or a file
	Files     int    `json:"files"`
	Bytes     int64  `json:"bytes"`
	Packages  int    `json:"packages"`
	Channels  int    `json:"channels"`
	Entries   int    `json:"entries"`
	Bundles   int    `json:"bundles"`
	Unread    int    `json:"unread"` // files that are the same as in the base, and were not read
}

type jsonFinding struct {
	Rule     string   `json:"rule"`
	Severity string   `json:"severity" enum:"info,warning,error"`
	Gates    []string `json:"gates" enum:"opm,serve,olmv0,olmv1,apiserver,community,certified,marketplace,advice"` // what rejects it
	Catalog  string   `json:"catalog"`
	Package  string   `json:"package"`
	Channel  string   `json:"channel"`
	Bundle   string   `json:"bundle"`
	CRD      string   `json:"crd"`
	File     string   `json:"file"`
	Line     int      `json:"line"`   // 1-based
	Column   int      `json:"column"` // 1-based, in bytes
	// The field of the manifest at the position, if the source has the manifest only encoded
	Field   string        `json:"field"`
	Value   string        `json:"value"` // of the field, as JSON
	Message string        `json:"message"`
	Fix     string        `json:"fix"`
	Related []jsonRelated `json:"related"`
	// Details are the single changes or entries that the finding reports together; empty if it reports one.
	Details []jsonRelated `json:"details"`
	// Also are the other places of the same problem.
	Also []jsonOccurrence `json:"also"`
	// Fingerprint does not depend on the position; two findings can have the same.
	Fingerprint string `json:"fingerprint"`
	Suppressed  string `json:"suppressed"` // the reason why it does not count; empty if it does
}

type jsonRelated struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

type jsonOccurrence struct {
	Catalog string `json:"catalog"`
	Package string `json:"package"`
	Channel string `json:"channel"`
	Bundle  string `json:"bundle"`
	CRD     string `json:"crd"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

type jsonSummary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	// Suppressed counts findings that the other counts leave out.
	Suppressed int `json:"suppressed"`
	// Unseen says of which bundles there were no manifests.
	Unseen jsonUnseen `json:"unseen"`
}

type jsonUnseen struct {
	Bundles int      `json:"bundles"` // of those that were checked
	Rules   []string `json:"rules"`   // IDs of the rules that found nothing in these, since they need manifests
	// Registries are those of their images, which --pull missing asks.
	Registries []string `json:"registries"`
}

// JSON writes the report as JSON.
func JSON(w io.Writer, r Report) error {
	out := jsonReport{
		Version:  text.JSONVersion,
		Tool:     "olmgraph",
		Catalogs: []JSONCatalog{},
		Base:     r.Base,
		Findings: []jsonFinding{},
		Summary: jsonSummary{Errors: r.count(lint.Error), Warnings: r.count(lint.Warning), Infos: r.count(lint.Info),
			Suppressed: r.suppressed(), Unseen: jsonUnseen{Rules: []string{}, Registries: []string{}}},
	}
	if n := r.stats().Unseen; n > 0 {
		out.Summary.Unseen = jsonUnseen{n, r.needManifests(), r.unseenIn()}
	}
	for _, c := range r.Catalogs {
		out.Catalogs = append(out.Catalogs, CatalogJSON(c))
	}
	for i := range r.Findings {
		out.Findings = append(out.Findings, findingJSON(&r.Findings[i]))
	}
	return text.JSON(w, out)
}

// CatalogJSON returns the JSON form of a catalog.
func CatalogJSON(c *catalogs.Catalog) JSONCatalog {
	s := c.Stats
	return JSONCatalog{Name: c.Name, Form: string(c.Form), Container: c.Container, Files: s.Files, Bytes: s.Bytes, Packages: s.Packages, Channels: s.Channels,
		Entries: s.Entries, Bundles: s.Bundles, Unread: s.Unread}
}

func findingJSON(f *lint.Finding) jsonFinding {
	out := jsonFinding{
		Rule: f.Rule, Severity: f.Severity.String(), Gates: f.Gates.Names(),
		Catalog: f.Catalog, Package: f.Package, Channel: f.Channel, Bundle: f.Bundle, CRD: f.CRD,
		File: f.Pos.File, Line: f.Pos.Line, Column: f.Pos.Col, Field: f.Field.Path, Value: f.Field.Value, Message: f.Message, Fix: f.Fix,
		Related: relatedJSON(f.Related), Details: relatedJSON(f.Details), Also: occurrencesJSON(f.Also), Fingerprint: f.Fingerprint(), Suppressed: f.Suppressed,
	}
	return out
}

func occurrencesJSON(all []lint.Occurrence) []jsonOccurrence {
	out := []jsonOccurrence{}
	for _, o := range all {
		out = append(out, jsonOccurrence{Catalog: o.Catalog, Package: o.Package, Channel: o.Channel, Bundle: o.Bundle, CRD: o.CRD,
			File: o.Pos.File, Line: o.Pos.Line, Column: o.Pos.Col})
	}
	return out
}

func relatedJSON(all []lint.Related) []jsonRelated {
	out := []jsonRelated{}
	for _, r := range all {
		out = append(out, jsonRelated{File: r.Pos.File, Line: r.Pos.Line, Column: r.Pos.Col, Message: r.Message})
	}
	return out
}
