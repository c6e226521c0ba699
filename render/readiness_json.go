package render

import (
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// jsonReadiness is the JSON form of what OLM v1 installs.
type jsonReadiness struct {
	text.Document
	Release   string               `json:"operatorController"`
	Catalogs  []report.JSONCatalog `json:"catalogs"`
	Packages  *[]jsonReadyPackage  `json:"packages,omitzero"`
	Operators *[]jsonReadyOperator `json:"operators,omitzero"`
}

type jsonReadyPackage struct {
	Catalog     string             `json:"catalog"`
	Package     string             `json:"package"`
	Verdict     readiness.Verdict  `json:"verdict"`
	Chosen      *jsonReadyBundle   `json:"chosen"`   // null if there is no bundle
	Releases    []string           `json:"releases"` // that install chosen, as far as is known, oldest first
	Installs    *jsonReadyBundle   `json:"installs"` // the newest that is installed if its version is requested; null if there is none
	Channels    []jsonReadyChannel `json:"channels"`
	Deprecation string             `json:"deprecation"`
	Tied        []string           `json:"tied"`
	Instead     string             `json:"instead"`
	Extension   string             `json:"clusterExtension"` // as YAML; "" if there is none
}

type jsonReadyChannel struct {
	Channel string           `json:"channel"`
	Default bool             `json:"default"`
	Chosen  *jsonReadyBundle `json:"chosen"`
}

type jsonReadyBundle struct {
	Name        string               `json:"name"`
	Version     string               `json:"version"`
	Verdict     readiness.Verdict    `json:"verdict"`
	InTheWay    []readiness.Obstacle `json:"inTheWay"`
	Gates       []string             `json:"featureGates"` // with which it is installed, if the verdict is gate
	NotKnown    []string             `json:"notKnown"`
	Notes       []string             `json:"notes"`
	Deprecation string               `json:"deprecation"`
}

type jsonReadyOperator struct {
	readiness.Operator
	Installed    cluster.Bundle    `json:"installed"`
	Verdict      readiness.Verdict `json:"verdict"`
	UpgradesTo   *jsonReadyBundle  `json:"upgradesTo"`   // null if it stays
	RejectedCRDs []jsonReason      `json:"rejectedCRDs"` // and other objects that the upgrade cannot change
	Extension    string            `json:"clusterExtension"`
	Steps        []jsonReadyStep   `json:"steps"`
}

type jsonReadyStep struct {
	Title    string   `json:"title"`
	Text     string   `json:"text"`
	Manifest string   `json:"manifest"`
	Commands []string `json:"commands"`
}

func (r *Readiness) json() jsonReadiness {
	out := jsonReadiness{Document: text.NewDocument(), Release: r.Release.String(), Catalogs: phrase.Of(r.Catalogs, report.CatalogJSON)}
	if r.Snapshot == nil {
		out.Packages = &[]jsonReadyPackage{}
		for _, p := range r.Packages {
			*out.Packages = append(*out.Packages, r.packageJSON(p))
		}
		return out
	}
	out.Operators = &[]jsonReadyOperator{}
	for _, o := range r.Operators {
		*out.Operators = append(*out.Operators, r.operatorJSON(o))
	}
	return out
}

func (r *Readiness) packageJSON(p *readiness.Package) jsonReadyPackage {
	out := jsonReadyPackage{Catalog: p.Source, Package: p.Name.Value, Verdict: p.Verdict(), Chosen: readyBundleJSON(p.Choice), Installs: readyBundleJSON(p.Newest),
		Deprecation: p.Deprecated, Tied: p.Tied, Instead: p.Instead}
	if p.Choice != nil {
		out.Releases = p.Choice.Releases
	}
	for _, c := range p.Channels {
		out.Channels = append(out.Channels, jsonReadyChannel{c.Name, c.Default, readyBundleJSON(c.Choice)})
	}
	if e := r.Release.Extension(p); e != nil {
		out.Extension = extensionYAML(e)
	}
	return out
}

func readyBundleJSON(b *readiness.Bundle) *jsonReadyBundle {
	if b == nil {
		return nil
	}
	out := &jsonReadyBundle{InTheWay: b.Obstacles, Name: b.Name.Value, Version: b.Version.Value, Verdict: b.Verdict,
		NotKnown: b.NotKnown, Notes: b.Notes, Deprecation: b.Deprecated}
	if b.Verdict == readiness.Gate {
		out.Gates = b.Gates()
	}
	return out
}

func (r *Readiness) operatorJSON(o *readiness.Operator) jsonReadyOperator {
	out := jsonReadyOperator{Operator: *o, Installed: cluster.Bundle{Name: o.Name, Version: o.Version}, Verdict: o.Verdict(), UpgradesTo: readyBundleJSON(o.Next),
		RejectedCRDs: reasonsJSON(o.Rejected)}
	if o.Extension != nil {
		out.Extension = extensionYAML(o.Extension)
	}
	for i := range o.Steps {
		s := &o.Steps[i]
		out.Steps = append(out.Steps, jsonReadyStep{s.Title, s.Text, r.manifest(o, s), s.Commands})
	}
	return out
}
