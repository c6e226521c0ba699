package render

import (
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/render/text"
)

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
