package render

import (
	"io"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/render/text"
)

// jsonCRDs is the JSON form.
type jsonCRDs struct {
	Version int       `json:"version"`
	Tool    string    `json:"tool"`
	Package string    `json:"package"`
	Channel string    `json:"channel"`
	CRDs    []jsonCRD `json:"crds"`
}

type jsonCRD struct {
	Name    string           `json:"name"`
	Kind    string           `json:"kind"`
	Scope   string           `json:"scope"`
	Bundles []jsonCRDStation `json:"bundles"`
}

type jsonCRDStation struct {
	Bundle        string           `json:"bundle"`
	BundleVersion string           `json:"bundleVersion"`
	Brought       bool             `json:"inBundle"`
	Fault         string           `json:"error"`
	Versions      []jsonCRDVersion `json:"versions"`
	MayBeStored   []string         `json:"mayBeStored"`
	RefusedTo     []string         `json:"rejectedStoredVersions"` // stored versions with which the upgrade to the bundle is refused
	Since         string           `json:"since"`
	Changes       []jsonCRDChange  `json:"changes"`
	File          string           `json:"file"`
	Line          int              `json:"line"`
	Column        int              `json:"column"`
}

type jsonCRDVersion struct {
	Name       string `json:"name"`
	Served     bool   `json:"served"`
	Storage    bool   `json:"storage"`
	Deprecated bool   `json:"deprecated"`
}

type jsonCRDChange struct {
	Message string `json:"message"`
	Schema  bool   `json:"schema"` // of a schema: OLM v1 refuses it
}

// crdsJSON writes the same for programs.
func crdsJSON(w io.Writer, c CRDs) error {
	out := jsonCRDs{Version: text.JSONVersion, Tool: "olmgraph", Package: c.Package.Name.Value, Channel: c.Channel.Name.Value, CRDs: []jsonCRD{}}
	for i := range c.Histories {
		h := &c.Histories[i]
		crd := jsonCRD{Name: h.Name, Kind: h.Kind, Scope: h.Scope, Bundles: []jsonCRDStation{}}
		for j := range h.Revisions {
			crd.Bundles = append(crd.Bundles, stationJSON(&h.Revisions[j]))
		}
		out.CRDs = append(out.CRDs, crd)
	}
	return text.JSON(w, out)
}

func stationJSON(s *preflight.CRDRevision) jsonCRDStation {
	out := jsonCRDStation{Bundle: s.Bundle, BundleVersion: s.Version, Brought: s.InBundle, Fault: s.Error, Since: s.Since,
		Versions: []jsonCRDVersion{}, MayBeStored: append([]string{}, s.Stored...), RefusedTo: append([]string{}, s.MissingVersions()...),
		Changes: []jsonCRDChange{}, File: s.Pos.File, Line: s.Pos.Line, Column: s.Pos.Col}
	for _, v := range s.Versions {
		out.Versions = append(out.Versions, jsonCRDVersion(v))
	}
	for _, c := range s.Changes {
		out.Changes = append(out.Changes, jsonCRDChange{c.Message, c.Schema})
	}
	return out
}

// jsonForecast is the JSON form.
type jsonForecast struct {
	Version   int               `json:"version"`
	Tool      string            `json:"tool"`
	Package   string            `json:"package"`
	From      string            `json:"from"`
	To        string            `json:"to"`
	Forecasts []jsonForecastOLM `json:"forecasts"`
}

type jsonForecastOLM struct {
	OLM      string            `json:"olm"`
	Channel  string            `json:"channel"`  // of the subscription; "" under OLM v1
	Channels []string          `json:"channels"` // that the subscription or the ClusterExtension names
	Way      bool              `json:"pathExists"`
	Refused  bool              `json:"rejected"`
	Hops     []jsonForecastHop `json:"hops"`
}

type jsonForecastHop struct {
	From           string              `json:"from"`
	To             string              `json:"to"`
	Reached        bool                `json:"reached"`
	Known          bool                `json:"known"`
	Refused        bool                `json:"rejected"`
	Reasons        []jsonReason        `json:"reasons"`
	Warnings       []jsonReason        `json:"warnings"`
	StoredVersions map[string][]string `json:"storedVersions"`
}

type jsonReason struct {
	CRD     string `json:"crd"`
	Message string `json:"message"`
}

// forecastsJSON writes the same for programs. All are of one package and way.
func forecastsJSON(w io.Writer, all []Forecasts) error {
	out := jsonForecast{Version: text.JSONVersion, Tool: "olmgraph", Forecasts: []jsonForecastOLM{}}
	for i := range all {
		f := &all[i]
		out.Package, out.From, out.To = f.Package.Name.Value, f.Question.From, f.Question.To
		one := jsonForecastOLM{OLM: f.Question.OLM().String(), Channel: channelOf(f.Question), Channels: channelsOf(f.Question), Way: f.HasPath, Refused: f.Refused(), Hops: []jsonForecastHop{}}
		for _, h := range f.Hops {
			hop := jsonForecastHop{From: h.From, To: h.To, Reached: h.Reached, Known: h.Known, Refused: len(h.Reasons) > 0,
				Reasons: reasonsJSON(h.Reasons), Warnings: reasonsJSON(h.Warnings), StoredVersions: map[string][]string{}}
			for _, s := range h.Stored {
				hop.StoredVersions[s.CRD] = s.Versions
			}
			one.Hops = append(one.Hops, hop)
		}
		out.Forecasts = append(out.Forecasts, one)
	}
	return text.JSON(w, out)
}

func reasonsJSON(all []preflight.Reason) []jsonReason {
	out := []jsonReason{}
	for _, r := range all {
		out = append(out, jsonReason(r))
	}
	return out
}
