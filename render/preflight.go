package render

import (
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// PreflightReport says what becomes of the upgrades of a path on a cluster, under one generation of OLM.
type PreflightReport struct {
	Package  *catalogs.Package
	Question graph.Question
	HasPath  bool // the catalog has a path
	Hops     preflight.Outcomes
}

// sayPreflight says what becomes of each upgrade.
func sayPreflight(all []PreflightReport) *answer.Answer {
	a := &answer.Answer{}
	for i := range all {
		if i > 0 {
			a.Section()
		}
		all[i].say(a)
	}
	return a
}

func (f *PreflightReport) say(a *answer.Answer) {
	a.Heading(headingOfQuestion(f.Package, f.Question))
	if !f.HasPath {
		a.Item("There is no upgrade path from ", f.Question.From, " to ", f.Question.To, ": see olmgraph path.")
		return
	}
	for i := range f.Hops {
		h := &f.Hops[i]
		if !h.Reached {
			a.Item(text.Styled(phrase.CountOf(len(f.Hops)-i, "more upgrade is not reached", "more upgrades are not reached"), text.Faint))
			return
		}
		sayHop(a, h)
	}
}

func sayHop(a *answer.Answer, h *preflight.Outcome) {
	verdict := text.Styled("succeeds", text.Fix)
	switch {
	case !h.Known:
		verdict = text.Styled("is not known: the catalog has no manifests of its CRDs; give them with --bundles FOLDER", text.Warning)
	case len(h.Reasons) > 0:
		verdict = text.Styled("is rejected", text.Error)
	}
	a.Item(h.From, " → ", h.To, " ", verdict)
	for _, r := range h.Reasons {
		a.Detail(r.String())
	}
	for _, r := range h.Warnings {
		a.Detail(text.Styled("warning:", text.Warning), " ", r.String())
	}
	for _, s := range h.Stored {
		if len(h.Reasons) == 0 && len(s.Versions) > 1 {
			a.Detail(s.CRD, ": status.storedVersions is ", strings.Join(s.Versions, ", "), " afterwards")
		}
	}
}
