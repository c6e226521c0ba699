package catalogs

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// API is a kind of object that an operator serves.
type API struct{ Group, Version, Kind string }

// String returns it as kubectl names it: Kind.version.group.
func (a API) String() string {
	return strings.TrimSuffix(a.Kind+"."+a.Version+"."+a.Group, ".")
}

// Dependencies are what a bundle offers to others, and what it asks for before OLM installs it.
type Dependencies struct {
	Provides []API
	Requires []Requirement
	// MaxOpenShift is the last OpenShift minor version that the bundle may run on, as "4.16": with it installed, a cluster is
	// not upgraded any further (OLM: olm.maxOpenShiftVersion). Empty if there is no limit.
	MaxOpenShift Text
}

// Requirement is one thing that a bundle asks for. One of its fields says what; Of holds the parts of "all", "any" and
// "not".
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

// String says what is asked for, as in "package etcd >=0.9.0" or "API Backup.v1.velero.io".
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

// The types of properties that only say what a bundle asks for.
const (
	typeLabelRequired = "olm.label.required"
	typeMaxOpenShift  = "olm.maxOpenShiftVersion"
)

// Dependencies reads the properties of the bundle again, as Facts does. Values that OLM could not read are left out: that is
// for the rules to say.
func (b *Bundle) Dependencies() (*Dependencies, error) {
	values, err := b.propertyValues()
	if err != nil {
		return nil, err
	}
	facts := FactsOf(values)
	out := &Dependencies{Provides: facts.Provides, Requires: facts.Requires}
	for _, p := range values {
		if p.Type == typeMaxOpenShift && p.written != "" {
			out.MaxOpenShift = Text{Value: p.written, Pos: p.Pos}
		}
	}
	return out, nil
}

// Asks reports whether a bundle may require anything. It reads nothing.
func (b *Bundle) Asks() bool {
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

// parse reads one document again, its properties' values unread.
func (d *decoder) parse(text []byte, doc document) (tree.Node, *tree.Error) {
	if doc.json {
		root, _, err := d.scratch.ParseJSON(text, doc.at, unread)
		return root, err
	}
	root, _, err := d.scratch.ParseYAML(text, doc.at, unread)
	return root, err
}

// written returns what an author wrote: 4.10, and not the number 4.1.
func written(n *tree.Node) string {
	if n.Source != "" {
		return n.Source
	}
	return n.Text
}
