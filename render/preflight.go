package render

import (
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
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

// jsonPreflight is the JSON form of preflight reports.
type jsonPreflight struct {
	text.Document
	Package   string             `json:"package"`
	From      string             `json:"from"`
	To        string             `json:"to"`
	Forecasts []jsonPreflightOLM `json:"forecasts"`
}

type jsonPreflightOLM struct {
	OLM        string              `json:"olm" enum:"v0,v1"`
	Channel    string              `json:"channel"`  // of the subscription; "" under OLM v1
	Channels   []string            `json:"channels"` // named by the Subscription or ClusterExtension
	PathExists bool                `json:"pathExists"`
	Rejected   bool                `json:"rejected"`
	Steps      []jsonPreflightStep `json:"steps"`
}

type jsonPreflightStep struct {
	From           string              `json:"from"`
	To             string              `json:"to"`
	Reached        bool                `json:"reached"`
	Known          bool                `json:"known"`
	Rejected       bool                `json:"rejected"`
	Reasons        []jsonReason        `json:"reasons"`
	Warnings       []jsonReason        `json:"warnings"`
	StoredVersions map[string][]string `json:"storedVersions"`
}

type jsonReason struct {
	CRD     string `json:"crd"`  // "" of another object
	Kind    string `json:"kind"` // of the object that is rejected
	Name    string `json:"name"`
	Message string `json:"message"`
}

// preflightJSON returns reports on the same package and path.
func preflightJSON(all []PreflightReport) jsonPreflight {
	out := jsonPreflight{Document: text.NewDocument()}
	for i := range all {
		f := &all[i]
		out.Package, out.From, out.To = f.Package.Name.Value, f.Question.From, f.Question.To
		one := jsonPreflightOLM{OLM: f.Question.OLM().String(), Channel: channelOf(f.Question), Channels: channelsOf(f.Question),
			PathExists: f.HasPath, Rejected: !f.HasPath || f.Hops.Rejected()}
		for _, h := range f.Hops {
			step := jsonPreflightStep{From: h.From, To: h.To, Reached: h.Reached, Known: h.Known, Rejected: len(h.Reasons) > 0,
				Reasons: reasonsJSON(h.Reasons), Warnings: reasonsJSON(h.Warnings), StoredVersions: map[string][]string{}}
			for _, s := range h.Stored {
				step.StoredVersions[s.CRD] = s.Versions
			}
			one.Steps = append(one.Steps, step)
		}
		out.Forecasts = append(out.Forecasts, one)
	}
	return out
}

func reasonsJSON(all []preflight.Reason) []jsonReason {
	var out []jsonReason
	for _, r := range all {
		one := jsonReason{Kind: r.Kind, Name: r.Name, Message: r.Message}
		if r.Kind == crd.Kind {
			one.CRD = r.Name
		}
		out = append(out, one)
	}
	return out
}
