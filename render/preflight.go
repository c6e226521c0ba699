package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/render/text"
)

// PreflightReport says what becomes of the upgrades of a path on a cluster, under one generation of OLM.
type PreflightReport struct {
	Package  *catalogs.Package
	Question graph.Question
	HasPath  bool // the catalog has a path
	Hops     preflight.Outcomes
}

// preflightText writes preflight reports as text.
func preflightText(w io.Writer, all []PreflightReport, style text.Style) error {
	t := preflightWriter{text.NewWriter(w, style)}
	for i := range all {
		if i > 0 {
			t.Line("")
		}
		t.report(&all[i])
	}
	return t.Flush()
}

// preflightWriter writes a preflight report as text.
type preflightWriter struct{ *text.Writer }

func (t preflightWriter) report(f *PreflightReport) {
	t.Title(headingOfQuestion(f.Package, f.Question))
	if !f.HasPath {
		t.Wrapped("  ", "  ", text.Plain(fmt.Sprintf("There is no upgrade path from %s to %s: see olmgraph path.", f.Question.From, f.Question.To)))
		return
	}
	for i := range f.Hops {
		if h := &f.Hops[i]; h.Reached {
			t.hop(h)
		} else {
			t.Wrapped("  ", "      ", text.Styled(text.CountOf(len(f.Hops)-i, "more upgrade is not reached", "more upgrades are not reached"), text.Faint))
			return
		}
	}
}

func (t preflightWriter) hop(h *preflight.Outcome) {
	verdict := text.Styled("succeeds", text.Fix)
	switch {
	case !h.Known:
		verdict = text.Styled("is not known: the catalog has no manifests of its CRDs; give them with --bundles FOLDER", text.Warning)
	case len(h.Reasons) > 0:
		verdict = text.Styled("is rejected", text.Error)
	}
	t.Wrapped("  ", "      ", text.Plain(fmt.Sprintf("%s → %s", h.From, h.To)), verdict)
	for _, r := range h.Reasons {
		t.Wrapped("      ", "        ", text.Plain(r.CRD+": "+r.Message))
	}
	for _, r := range h.Warnings {
		t.Wrapped("      ", "        ", text.Styled("warning:", text.Warning), text.Plain(r.CRD+": "+r.Message))
	}
	for _, s := range h.Stored {
		if len(h.Reasons) == 0 && len(s.Versions) > 1 {
			t.Wrapped("      ", "        ", text.Plain(fmt.Sprintf("%s: status.storedVersions is %s afterwards", s.CRD, strings.Join(s.Versions, ", "))))
		}
	}
}
