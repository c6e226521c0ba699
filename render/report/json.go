package report

import (
	"io"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// jsonReport is the JSON report. Every field is always present; an unknown value is empty or 0.
type jsonReport struct {
	Catalogs []JSONCatalog `json:"catalogs"`
	Base     string        `json:"base"` // the commit of a git tree that was compared with, and why; or empty
	Findings []jsonFinding `json:"findings"`
	Summary  summary       `json:"summary"`
}

// JSONCatalog is a catalog that was checked.
type JSONCatalog struct {
	Name      string `json:"name"`                      // empty if there is only one catalog
	Form      string `json:"form" enum:"catalogs.Form"` // as detected
	Container string `json:"container"`                 // for example "oci-archive image" or "git tree"; empty for a folder or a file
	catalogs.Stats
}

type jsonFinding struct {
	Rule     string   `json:"rule"`
	Severity string   `json:"severity" enum:"info,warning,error"`
	Gates    []string `json:"gates" enum:"opm,serve,olmv0,olmv1,apiserver,community,certified,marketplace,advice"` // what rejects it
	lint.Subject
	catalogs.Pos
	lint.Field
	Message string `json:"message"`
	Fix     string `json:"fix"`
	// Edits make the fix, each of whole lines; empty if it is only a sentence. Automatic says that --fix makes them.
	Edits     []lint.LineEdit `json:"edits"`
	Automatic bool            `json:"automatic"`
	Related   []lint.Related  `json:"related"`
	// Details are the single changes or entries that the finding reports together; empty if it reports one.
	Details []lint.Related `json:"details"`
	// Also are the other places of the same problem.
	Also []lint.Occurrence `json:"also"`
	// LeftOut is the number of related places, details and other places that are left out: --details has up to 50 times as many.
	LeftOut int `json:"leftOut"`
	// Fingerprint does not depend on the position; two findings can have the same.
	Fingerprint string `json:"fingerprint"`
	Suppressed  string `json:"suppressed"` // the reason why it does not count; empty if it does
}

// JSON writes the report as JSON.
func JSON(w io.Writer, r Report) error {
	r.editor = &lint.LineEditor{}
	out := jsonReport{Catalogs: words.Map(r.Catalogs, CatalogJSON), Base: r.Base, Findings: words.Map(r.boundFindings(lint.UnfoldCRDs(r.Findings), mostFindings), r.findingJSON),
		Summary: r.count()}
	return text.JSON(w, text.NewDocument(out))
}

// CatalogJSON returns the JSON form of a catalog.
func CatalogJSON(c *catalogs.Catalog) JSONCatalog {
	return JSONCatalog{c.Name, string(c.Form), c.Container, c.Stats}
}

func (r *Report) findingJSON(f lint.Finding) jsonFinding {
	most := r.most(mostFindings)
	related, details, also := f.Related[:min(len(f.Related), most)], f.Details[:min(len(f.Details), most)], f.Also[:min(len(f.Also), most)]
	leftOut := len(f.Related) + len(f.Details) + len(f.Also) - len(related) - len(details) - len(also)
	return jsonFinding{LeftOut: leftOut, Rule: f.Rule, Severity: f.Severity.String(), Gates: f.Gates.Names(), Subject: f.Subject, Pos: f.Pos, Field: f.Field, Message: f.Message,
		Fix: f.Fix, Edits: r.editor.LineEdits(r.catalog(f.Catalog), &f), Automatic: len(f.Edits) > 0,
		Related: related, Details: details, Also: also, Fingerprint: f.Fingerprint(), Suppressed: f.Suppressed}
}

// catalog returns the catalog of that name, nil if there is none.
func (r *Report) catalog(name string) *catalogs.Catalog {
	if i := slices.IndexFunc(r.Catalogs, func(c *catalogs.Catalog) bool { return c.Name == name }); i >= 0 {
		return r.Catalogs[i]
	}
	return nil
}
