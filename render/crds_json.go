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
