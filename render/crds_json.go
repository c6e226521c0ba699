package render

import (
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/render/text"
)

// jsonCRDs is the JSON form of CRDs.
type jsonCRDs struct {
	text.Document
	Package string    `json:"package"`
	Channel string    `json:"channel"`
	Unseen  int       `json:"unseen"` // entries of the channel without manifests, whose CRDs are not known
	CRDs    []jsonCRD `json:"crds"`
}

type jsonCRD struct {
	Name    string            `json:"name"`
	Kind    string            `json:"kind"`
	Scope   string            `json:"scope"`
	Bundles []jsonCRDRevision `json:"bundles"`
}

type jsonCRDRevision struct {
	Bundle                 string           `json:"bundle"`
	BundleVersion          string           `json:"version"` // of the bundle
	Brought                bool             `json:"inBundle"`
	Fault                  string           `json:"error"`
	Versions               []jsonCRDVersion `json:"versions"`
	MayBeStored            []string         `json:"mayBeStored"`
	RejectedStoredVersions []string         `json:"rejectedStoredVersions"` // stored versions with which the API server rejects the upgrade to the bundle
	Since                  string           `json:"since"`
	Changes                []jsonCRDChange  `json:"changes"`
	jsonPlace
}

type jsonCRDVersion struct {
	Name       string `json:"name"`
	Served     bool   `json:"served"`
	Storage    bool   `json:"storage"`
	Deprecated bool   `json:"deprecated"`
}

type jsonCRDChange struct {
	Message string `json:"message"`
	Schema  bool   `json:"schema"` // a change of the schema, which OLM v1 rejects
}

func (c CRDs) json() jsonCRDs {
	out := jsonCRDs{Document: text.NewDocument(), Package: c.Package.Name.Value, Channel: c.Channel.Name.Value, Unseen: c.Unseen()}
	for i := range c.Histories {
		h := &c.Histories[i]
		crd := jsonCRD{Name: h.Name, Kind: h.Kind, Scope: h.Scope}
		for j := range h.Revisions {
			crd.Bundles = append(crd.Bundles, crdRevisionJSON(&h.Revisions[j]))
		}
		out.CRDs = append(out.CRDs, crd)
	}
	return out
}

func crdRevisionJSON(s *preflight.CRDRevision) jsonCRDRevision {
	out := jsonCRDRevision{Bundle: s.Bundle, BundleVersion: s.Version, Brought: s.InBundle, Fault: s.Error, Since: s.Since,
		MayBeStored: s.Stored, RejectedStoredVersions: s.MissingVersions, jsonPlace: placeJSON(s.Pos)}
	for _, v := range s.Versions {
		out.Versions = append(out.Versions, jsonCRDVersion(v))
	}
	for _, c := range s.Changes {
		out.Changes = append(out.Changes, jsonCRDChange{c.Message, c.Schema})
	}
	return out
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
	CRD     string `json:"crd"`
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
		out = append(out, jsonReason{r.CRD, r.Message})
	}
	return out
}
