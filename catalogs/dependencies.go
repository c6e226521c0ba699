package catalogs

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// API is an API that operators provide and require: a kind of object.
type API struct{ Group, Version, Kind string }

// String returns Kind.version.group, as kubectl does.
func (a API) String() string {
	return strings.TrimSuffix(a.Kind+"."+a.Version+"."+a.Group, ".")
}

// Dependencies are what a bundle provides and requires.
type Dependencies struct {
	Provides []API
	Requires []Requirement
	// MaxOpenShift is the highest OpenShift minor version that the bundle supports, as "4.16": OLM blocks upgrades of the cluster
	// beyond it (OLM: olm.maxOpenShiftVersion). It is empty if there is no limit.
	MaxOpenShift Text
}

// Requirement is one requirement of a bundle. One field besides Pos and Of is set; Of has the parts of "all", "any" and "not".
type Requirement struct {
	API      *API
	Package  string
	Range    string // of the package's version, in the grammar of blang/semver
	Label    string
	CEL      string // a rule in the Common Expression Language
	Operator string // all, any or not
	Of       []Requirement
	Pos      Pos
}

// String returns a requirement as "package etcd >=0.9.0" or "API Backup.v1.velero.io".
func (r *Requirement) String() string {
	switch {
	case r.API != nil:
		return "API " + r.API.String()
	case r.Package != "":
		return strings.TrimSpace("package " + r.Package + " " + r.Range)
	case r.Label != "":
		return "label " + r.Label
	case r.CEL != "":
		return "rule " + r.CEL
	case r.Operator != "":
		var parts []string
		for i := range r.Of {
			parts = append(parts, r.Of[i].String())
		}
		return r.Operator + " of (" + strings.Join(parts, ", ") + ")"
	}
	return "nothing"
}

// Parts are the names and texts of which a requirement is made.
func (r *Requirement) Parts() []string {
	parts := []string{r.Package, r.Range, r.Label, r.CEL, r.Operator}
	if r.API != nil {
		parts = append(parts, r.API.Group, r.API.Version, r.API.Kind)
	}
	for i := range r.Of {
		parts = append(parts, r.Of[i].Parts()...)
	}
	return parts
}

// Further types of properties.
const (
	typeLabelRequired = "olm.label.required"
	typeMaxOpenShift  = "olm.maxOpenShiftVersion"
)

// Dependencies reads the properties of the bundle again, as Facts does, and leaves out values that OLM cannot read.
func (b *Bundle) Dependencies() (*Dependencies, error) {
	values, err := b.propertyValues()
	if err != nil {
		return nil, err
	}
	facts := FactsOf(values)
	out := &Dependencies{Provides: facts.Provides, Requires: facts.Requires}
	for _, p := range values {
		if p.Type == typeMaxOpenShift && p.source != "" {
			out.MaxOpenShift = Text{Value: p.source, Pos: p.Pos}
		}
	}
	return out, nil
}

// MayRequire reports whether the bundle has properties that are requirements, without reading their values.
func (b *Bundle) MayRequire() bool {
	for p := range b.PropertyTypes() {
		if requires(p.Value) {
			return true
		}
	}
	return false
}

// requires reports whether properties of a type are requirements.
func requires(kind string) bool {
	return slices.Contains([]string{TypeGVKRequired, TypePackageRequired, typeLabelRequired, TypeConstraint}, kind)
}

// parse reads one document again, and leaves the values of properties Raw.
func (d *decoder) parse(text []byte, doc document) (tree.Node, *tree.Error) {
	if doc.json {
		root, _, err := d.scratch.ParseJSON(text, doc.at, unreadValues)
		return root, err
	}
	root, _, err := d.scratch.ParseYAML(text, doc.at, unreadValues)
	return root, err
}

// sourceText returns a scalar as in the source: 4.10, and not the number 4.1.
func sourceText(n *tree.Node) string {
	if n.Source != "" {
		return n.Source
	}
	return n.Text
}
