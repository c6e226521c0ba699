package catalogs

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// gvk is an API in the order of fields that opm writes.
type gvk struct {
	Group   string `json:"group"`
	Kind    string `json:"kind"`
	Version string `json:"version"`
}

// newPropertyValue returns a property that opm derives from a manifest.
func newPropertyValue(kind string, value any, pos Pos) PropertyValue {
	text, _ := json.Marshal(value) // strings cannot fail
	return PropertyValue{Type: kind, Value: text, Pos: pos}
}

func newAPIProperty(kind string, api API, pos Pos) PropertyValue {
	return newPropertyValue(kind, gvk{api.Group, api.Kind, api.Version}, pos)
}

// propertyOf returns a property with a value of a text.
func propertyOf(kind string, v *tree.Node, pos Pos) PropertyValue {
	p := PropertyValue{Type: kind, Value: v.AppendJSON(nil), Pos: pos}
	if v.Kind == tree.String || v.Kind == tree.Number {
		p.source = sourceText(v)
	}
	return p
}

// normalized returns the property as opm writes it: an API has three fields only.
func (p PropertyValue) normalized() PropertyValue {
	if api, err := decode[API](p.Value); p.Type == TypeGVK && err == nil {
		return newAPIProperty(TypeGVK, api, p.Pos)
	}
	return p
}

// metadataProperty reads a property of metadata/properties.yaml.
func (d *decoder) metadataProperty(n *tree.Node) PropertyValue {
	v := n.At("value")
	if v == nil {
		v = &tree.Node{Kind: tree.Null}
	}
	return propertyOf(d.textAt(n, "type").Value, v, d.pos(n.Place)).normalized()
}

// metadataDependency reads an entry of metadata/dependencies.yaml as the property that opm derives from it.
func (d *decoder) metadataDependency(n *tree.Node) PropertyValue {
	return d.metadataProperty(n).asRequirement()
}

// asRequirement returns the property that opm derives from a dependency: of a package, the range is called version. Dependencies of
// other types are not changed.
func (p PropertyValue) asRequirement() PropertyValue {
	switch p.Type {
	case TypeGVK:
		p.Type = TypeGVKRequired
	case TypePackage:
		p.Type = TypePackageRequired
		if needs, err := decode[PackageProperty](p.Value); err == nil {
			return newPropertyValue(TypePackageRequired, packageRequired{needs.Name, needs.Version}, p.Pos)
		}
	}
	return p
}

// annotatedProperties returns the properties in the annotation olm.properties; none if opm cannot read it.
func (c *csv) annotatedProperties() []PropertyValue {
	var listed []struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	}
	if json.Unmarshal([]byte(c.annotation.Value), &listed) != nil {
		return nil
	}
	var all []PropertyValue
	for _, p := range listed {
		v, _, err := tree.ParseJSON(p.Value, tree.Place{}, nil)
		if err != nil { // no value
			v = tree.Node{Kind: tree.Null}
		}
		all = append(all, propertyOf(p.Type, &v, c.annotation.Pos).normalized())
	}
	return all
}

// requiredAPIs returns the APIs that the CSV requires.
func (c *csv) requiredAPIs() []PropertyValue {
	var all []PropertyValue
	for _, r := range c.required {
		_, group, _ := strings.Cut(r.name, ".")
		all = append(all, newAPIProperty(TypeGVKRequired, API{Group: group, Version: r.version, Kind: r.kind}, r.pos))
	}
	for _, api := range c.requiredServices {
		all = append(all, newAPIProperty(TypeGVKRequired, api, c.name.Pos))
	}
	return all
}

// provided returns the APIs of the CSV's API services and of the CRDs in the folder.
func (o *manifestFolder) provided(c *csv) []PropertyValue {
	var all []PropertyValue
	for _, api := range c.ownedServices {
		all = append(all, newAPIProperty(TypeGVK, api, c.name.Pos))
	}
	for _, crd := range o.crds {
		for _, version := range crd.versions {
			all = append(all, newAPIProperty(TypeGVK, API{Group: crd.group, Version: version, Kind: crd.kind}, crd.pos))
		}
	}
	return all
}

// properties returns the properties that opm derives from the manifests, each once and in opm's order, without those that hold
// manifests (registry: pkg/registry ObjectsAndPropertiesFromBundle; of package manifests pkg/sqlite addBundleProperties).
func (o *manifestFolder) properties(c *csv, pkg string) []PropertyValue {
	own := newPropertyValue(TypePackage, PackageProperty{pkg, c.version.Value}, c.version.Pos)
	all := slices.Concat(c.metadataProperties, o.provided(c), c.requiredAPIs())
	for _, p := range c.annotatedProperties() {
		said, err := decode[PackageProperty](p.Value)
		switch {
		case p.Type != TypePackage || !o.AnnotationsPos.Known(): // an index of package manifests has both
			all = append(all, p)
		case err == nil:
			own = newPropertyValue(TypePackage, said, p.Pos)
		}
	}
	all = append(all, own)
	slices.SortStableFunc(all, func(a, b PropertyValue) int {
		return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(string(a.Value), string(b.Value)))
	})
	return slices.CompactFunc(all, func(a, b PropertyValue) bool { return a.Type == b.Type && string(a.Value) == string(b.Value) })
}
