package catalogs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Facts are the properties of a bundle, or of an installed operator, as the resolver of OLM v0 reads them. Unlike Dependencies they
// have the requirements that OLM cannot read, which end the resolution.
type Facts struct {
	Provides []API
	Packages []PackageProperty // of the properties olm.package: one, if opm accepts the catalog
	Labels   []string
	Requires []Requirement // in the order of the properties
	Faults   []RequirementFault
	// Deprecated says that there is a property olm.deprecated, not that an olm.deprecations object names the bundle.
	Deprecated bool
	// Properties are all but those that hold manifests.
	Properties []PropertyValue
}

// PackageProperty is the value of a property olm.package.
type PackageProperty struct {
	Name    string `json:"packageName"`
	Version string `json:"version"`
}

// PropertyValue is a property with its value as JSON.
type PropertyValue struct {
	Type  string
	Value json.RawMessage
	Pos   Pos
	// source is a string or a number as in the source: 4.10, whose value is 4.1.
	source string
}

// RequirementFault is a requirement that OLM cannot read.
type RequirementFault struct {
	Type  string // of the property
	Err   error
	Pos   Pos
	Parts []string // of the requirement, or its text in JSON
}

// NewFacts returns the facts of properties, as those in the annotation operatorframework.io/properties of an installed operator.
func NewFacts(properties []PropertyValue) *Facts {
	f := &Facts{Properties: properties}
	for i := range properties {
		f.read(&properties[i])
	}
	return f
}

// compact is the text of a value without white space between its parts.
func compact(value json.RawMessage) string {
	var text bytes.Buffer
	if json.Compact(&text, value) != nil {
		return string(value)
	}
	return text.String()
}

// read adds one property. OLM ignores what it cannot read, unless it is a requirement (OLM: resolver
// convertDependencyProperties).
func (f *Facts) read(p *PropertyValue) {
	switch p.Type {
	case TypeGVK:
		if api, err := Decode[API](p.Value); err == nil {
			f.Provides = append(f.Provides, api)
		}
	case TypePackage:
		if own, err := Decode[PackageProperty](p.Value); err == nil {
			f.Packages = append(f.Packages, own)
		}
	case typeLabel:
		if label, err := Decode[labelProperty](p.Value); err == nil {
			f.Labels = append(f.Labels, label.Label)
		}
	case TypeDeprecated:
		f.Deprecated = true
	case TypeGVKRequired, TypePackageRequired, typeLabelRequired, TypeConstraint:
		r, err := parseRequirement(p)
		if err != nil {
			f.Faults = append(f.Faults, RequirementFault{Type: p.Type, Err: err, Pos: p.Pos, Parts: []string{compact(p.Value)}})
			return
		}
		r.Pos = p.Pos
		f.Requires = append(f.Requires, r)
	}
}

const typeLabel = "olm.label"

type labelProperty struct {
	Label string `json:"label"`
}

type packageRequired struct {
	Name  string `json:"packageName"`
	Range string `json:"versionRange"`
}

func Decode[T any](value []byte) (v T, err error) {
	err = json.Unmarshal(value, &v)
	return v, err
}

// parseRequirement reads a requirement as strictly as OLM does: unknown fields are an error in an olm.constraint, and ignored in the
// older types.
func parseRequirement(p *PropertyValue) (Requirement, error) {
	switch p.Type {
	case TypeGVKRequired:
		api, err := Decode[API](p.Value)
		return Requirement{API: &api}, err
	case TypePackageRequired:
		r, err := Decode[packageRequired](p.Value)
		return Requirement{Package: r.Name, Range: r.Range}, err
	case typeLabelRequired:
		r, err := Decode[labelProperty](p.Value)
		if r.Label == "" { // no operator provides it, but OLM reads it
			return Requirement{Operator: "any"}, err
		}
		return Requirement{Label: r.Label}, err
	}
	return ParseConstraint(p.Value)
}

// MaxConstraint is how long the value of an olm.constraint may be, in bytes (api: pkg/constraints Parse).
const MaxConstraint = 2 << 16

// constraint is the value of an olm.constraint.
type constraint struct {
	FailureMessage string           `json:"failureMessage"`
	API            *API             `json:"gvk"`
	Package        *packageRequired `json:"package"`
	All            *compound        `json:"all"`
	Any            *compound        `json:"any"`
	Not            *compound        `json:"not"`
	CEL            *celRule         `json:"cel"`
}

type compound struct {
	Constraints []constraint `json:"constraints"`
}

type celRule struct {
	Rule string `json:"rule"`
}

// ParseConstraint reads the value of an olm.constraint. Unknown fields, an empty constraint at any depth and more than
// MaxConstraint bytes are errors; ranges and rules are not checked (api: pkg/constraints Parse; OLM: resolver convertConstraints).
func ParseConstraint(value []byte) (Requirement, error) {
	if len(value) > MaxConstraint {
		return Requirement{}, fmt.Errorf("%d bytes, and OLM takes no more than %d", len(value), MaxConstraint)
	}
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	var c constraint
	if err := d.Decode(&c); err != nil {
		return Requirement{}, err
	}
	return c.requirement()
}

var errEmptyConstraint = errors.New("a constraint that says nothing: it needs gvk, package, all, any, not or cel")

// requirement returns the requirement of the first field that is set, in OLM's order.
func (c *constraint) requirement() (Requirement, error) {
	switch {
	case c.API != nil:
		return Requirement{API: c.API}, nil
	case c.Package != nil:
		return Requirement{Package: c.Package.Name, Range: c.Package.Range}, nil
	case c.All != nil:
		return c.All.requirement("all")
	case c.Any != nil:
		return c.Any.requirement("any")
	case c.Not != nil:
		return c.Not.requirement("not")
	case c.CEL != nil:
		return Requirement{CEL: c.CEL.Rule}, nil
	}
	return Requirement{}, errEmptyConstraint
}

func (c *compound) requirement(operator string) (Requirement, error) {
	r := Requirement{Operator: operator}
	for i := range c.Constraints {
		part, err := c.Constraints[i].requirement()
		if err != nil {
			return Requirement{}, err
		}
		r.Of = append(r.Of, part)
	}
	return r, nil
}

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
	TypeMaxOpenShift  = "olm.maxOpenShiftVersion"
)

// Dependencies leaves out values that OLM cannot read.
func (f *Facts) Dependencies() *Dependencies {
	out := &Dependencies{Provides: f.Provides, Requires: f.Requires}
	for _, p := range f.Properties {
		if p.Type == TypeMaxOpenShift && p.source != "" {
			out.MaxOpenShift = Text{Value: p.source, Pos: p.Pos}
		}
	}
	return out
}

// requires reports whether properties of a type are requirements.
func requires(kind string) bool {
	return slices.Contains([]string{TypeGVKRequired, TypePackageRequired, typeLabelRequired, TypeConstraint}, kind)
}

// SourceText returns a scalar as in the source: 4.10, and not the number 4.1.
func SourceText(n *tree.Node) string { return cmp.Or(n.Source, n.Text) }

// gvk is an API in the order of fields that opm writes.
type gvk struct {
	Group   string `json:"group"`
	Kind    string `json:"kind"`
	Version string `json:"version"`
}

// NewPropertyValue returns a property that opm derives from a manifest.
func NewPropertyValue(kind string, value any, pos Pos) PropertyValue {
	text, _ := json.Marshal(value) // strings cannot fail
	return PropertyValue{Type: kind, Value: text, Pos: pos}
}

func NewAPIProperty(kind string, api API, pos Pos) PropertyValue {
	return NewPropertyValue(kind, gvk{api.Group, api.Kind, api.Version}, pos)
}

// NewProperty returns a property with a value of a text.
func NewProperty(kind string, v *tree.Node, pos Pos) PropertyValue {
	p := PropertyValue{Type: kind, Value: v.AppendJSON(nil), Pos: pos}
	if v.Kind == tree.String || v.Kind == tree.Number {
		p.source = SourceText(v)
	}
	return p
}

// Normalize returns the property as opm writes it: an API has three fields only.
func (p PropertyValue) Normalize() PropertyValue {
	if api, err := Decode[API](p.Value); p.Type == TypeGVK && err == nil {
		return NewAPIProperty(TypeGVK, api, p.Pos)
	}
	return p
}

// AsRequirement returns the property that opm derives from a dependency: of a package, the range is called version. Dependencies of
// other types are not changed.
func (p PropertyValue) AsRequirement() PropertyValue {
	switch p.Type {
	case TypeGVK:
		p.Type = TypeGVKRequired
	case TypePackage:
		p.Type = TypePackageRequired
		if needs, err := Decode[PackageProperty](p.Value); err == nil {
			return NewPropertyValue(TypePackageRequired, packageRequired{needs.Name, needs.Version}, p.Pos)
		}
	}
	return p
}
