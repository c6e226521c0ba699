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

// Forecasts are what becomes of the upgrades of a way on a cluster, under one OLM.
type Forecasts struct {
	Package  *catalogs.Package
	Question graph.Question
	HasPath  bool // there is one
	Hops     []preflight.Outcome
}

// Refused reports whether the way ends before its end.
func (f *Forecasts) Refused() bool {
	for _, h := range f.Hops {
		if len(h.Reasons) > 0 {
			return true
		}
	}
	return !f.HasPath
}

// Unknown reports whether nobody knows what becomes of an upgrade that is reached.
func (f *Forecasts) Unknown() bool {
	for _, h := range f.Hops {
		if h.Reached && !h.Known {
			return true
		}
	}
	return false
}

// forecastsText writes what becomes of upgrades for people.
func forecastsText(w io.Writer, all []Forecasts, style text.Style) error {
	t := forecastWriter{text.NewWriter(w, style)}
	for i := range all {
		if i > 0 {
			t.Line("")
		}
		t.forecast(&all[i])
	}
	return t.Flush()
}

// forecastWriter writes what becomes of upgrades for people.
type forecastWriter struct{ *text.Writer }

func (t forecastWriter) forecast(f *Forecasts) {
	t.Title(headingOfQuestion(f.Package, f.Question))
	if !f.HasPath {
		t.Wrapped("  ", "  ", text.Plain(fmt.Sprintf("There is no upgrade path from %s to %s: see olmgraph path.", f.Question.From, f.Question.To)))
		return
	}
	for i := range f.Hops {
		if h := &f.Hops[i]; h.Reached {
			t.hop(h)
		} else {
			t.Wrapped("  ", "      ", text.Styled(text.CountOf(len(f.Hops)-i, "more upgrade is not reached", "more upgrades are not reached"), t.Colors.Faint))
			return
		}
	}
}

func (t forecastWriter) hop(h *preflight.Outcome) {
	verdict := text.Styled("succeeds", t.Colors.Fix)
	switch {
	case !h.Known:
		verdict = text.Styled("is not known: the catalog has no manifests of its CRDs; give them with --bundles FOLDER", t.Colors.Warning)
	case len(h.Reasons) > 0:
		verdict = text.Styled("is rejected", t.Colors.Error)
	}
	t.Wrapped("  ", "      ", text.Plain(fmt.Sprintf("%s → %s", h.From, h.To)), verdict)
	for _, r := range h.Reasons {
		t.Wrapped("      ", "        ", text.Plain(r.CRD+": "+r.Message))
	}
	for _, r := range h.Warnings {
		t.Wrapped("      ", "        ", text.Styled("warning:", t.Colors.Warning), text.Plain(r.CRD+": "+r.Message))
	}
	for _, s := range h.Stored {
		if len(h.Reasons) == 0 && len(s.Versions) > 1 {
			t.Wrapped("      ", "        ", text.Plain(fmt.Sprintf("%s: status.storedVersions is %s afterwards", s.CRD, strings.Join(s.Versions, ", "))))
		}
	}
}
