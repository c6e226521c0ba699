package catalogs

import (
	"fmt"
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

// Dependencies reads the properties of the bundle again. Values that OLM could not read are left out: that is for the
// rules to say.
func (b *Bundle) Dependencies() (*Dependencies, error) {
	switch {
	case b.dependencies != nil:
		return b.dependencies, nil
	case len(b.Properties) == 0:
		return &Dependencies{}, nil
	}
	out := &Dependencies{}
	err := b.eachProperty(func(d *decoder, p *Property, v *tree.Node) { d.dependency(out, p, v) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// eachProperty reads the bundle's document again and calls do for each property that holds no manifest. A value that cannot be
// read is passed over: that was told when the catalog was read.
func (b *Bundle) eachProperty(do func(d *decoder, p *Property, v *tree.Node)) error {
	return b.raw.again(func(text []byte) error {
		d := newDecoder(b.raw.file, chunk{json: b.raw.json}, "", new(tree.Scratch))
		root, syntax := d.parse(text, b.raw)
		if syntax != nil {
			return fmt.Errorf("%s has changed since it was read: %w", b.raw.file.name, syntax)
		}
		d.properties(&root, func(p *Property, v *tree.Node) {
			if p.Heavy() {
				return
			}
			if value, err := b.raw.expand(text, *v); err == nil {
				do(d, p, &value)
			}
		})
		return nil
	})
}

// parse reads one document again, its properties' values unread.
func (d *decoder) parse(text []byte, doc document) (tree.Node, *tree.Error) {
	if doc.json {
		root, _, err := d.scratch.ParseJSON(text, doc.at, heavy)
		return root, err
	}
	root, _, err := d.scratch.ParseYAML(text, doc.at, heavy)
	return root, err
}

// dependency adds what a property says. The decoder's problems have been told before.
func (d *decoder) dependency(out *Dependencies, p *Property, v *tree.Node) {
	switch p.Type.Value {
	case TypeGVK:
		if v.Kind == tree.Map {
			out.Provides = append(out.Provides, d.api(v))
		}
	case TypeGVKRequired:
		out.require(d.requirement(v, "gvk"), p.Pos)
	case TypePackageRequired:
		out.require(d.requirement(v, "package"), p.Pos)
	case typeLabelRequired:
		out.require(d.requirement(v, "label"), p.Pos)
	case TypeConstraint:
		out.require(d.constraint(v, 0), p.Pos)
	case typeMaxOpenShift:
		if v.Kind == tree.String || v.Kind == tree.Number { // 4.8 without quotes is common
			out.MaxOpenShift = Text{Value: written(v), Pos: p.Pos}
		}
	}
}

func (o *Dependencies) require(r *Requirement, at Pos) {
	if r != nil {
		r.Pos = at
		o.Requires = append(o.Requires, *r)
	}
}

// written returns what an author wrote: 4.10, and not the number 4.1.
func written(n *tree.Node) string {
	if n.Source != "" {
		return n.Source
	}
	return n.Text
}

func (d *decoder) api(v *tree.Node) API {
	return API{Group: d.str(v, "group").Value, Version: d.str(v, "version").Value, Kind: d.str(v, "kind").Value}
}

// requirement decodes one simple requirement; nil if it is none.
func (d *decoder) requirement(v *tree.Node, kind string) *Requirement {
	if v.Kind != tree.Map {
		return nil
	}
	switch kind {
	case "gvk":
		api := d.api(v)
		return &Requirement{API: &api}
	case "package":
		return &Requirement{Package: d.str(v, "packageName").Value, Range: d.str(v, "versionRange").Value}
	case "label":
		return &Requirement{Label: d.str(v, "label").Value}
	case "cel":
		return &Requirement{CEL: d.str(v, "rule").Value}
	}
	return nil
}

// constraint decodes an olm.constraint (api: pkg/constraints Constraint), nested as deep as OLM allows.
func (d *decoder) constraint(v *tree.Node, depth int) *Requirement {
	const deepest = 8 // beyond 64 KiB of text OLM refuses one anyway
	if v.Kind != tree.Map || depth > deepest {
		return nil
	}
	for _, kind := range []string{"gvk", "package", "cel"} {
		if simple := d.field(v, kind); simple != nil {
			return d.requirement(simple, kind)
		}
	}
	for _, operator := range []string{"all", "any", "not"} {
		compound := d.field(v, operator)
		if compound == nil || compound.Kind != tree.Map {
			continue
		}
		r := &Requirement{Operator: operator}
		items := d.list(compound, "constraints")
		for i := range items {
			if part := d.constraint(&items[i], depth+1); part != nil {
				r.Of = append(r.Of, *part)
			}
		}
		return r
	}
	return nil
}
