package manifests

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// metadataProperty reads a property of metadata/properties.yaml.
func metadataProperty(d *form.Decoder, n *tree.Node) catalogs.PropertyValue {
	v := n.At("value")
	if v == nil {
		v = &tree.Node{Kind: tree.Null}
	}
	return catalogs.NewProperty(d.Text(n, "type").Value, v, d.Pos(n.Place)).Normalize()
}

// metadataDependency reads an entry of metadata/dependencies.yaml as the property that opm derives from it.
func metadataDependency(d *form.Decoder, n *tree.Node) catalogs.PropertyValue {
	return metadataProperty(d, n).AsRequirement()
}

// annotatedProperties returns the properties in the annotation olm.properties; none if opm cannot read it.
func (c *csvObject) annotatedProperties() []catalogs.PropertyValue {
	var listed []struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	}
	if json.Unmarshal([]byte(c.annotation.Value), &listed) != nil {
		return nil
	}
	var all []catalogs.PropertyValue
	for _, p := range listed {
		v, _, err := tree.ParseJSON(p.Value, tree.Place{}, nil)
		if err != nil { // no value
			v = tree.Node{Kind: tree.Null}
		}
		all = append(all, catalogs.NewProperty(p.Type, &v, c.annotation.Pos).Normalize())
	}
	return all
}

// requiredAPIs returns the APIs that the CSV requires.
func (c *csvObject) requiredAPIs() []catalogs.PropertyValue {
	var all []catalogs.PropertyValue
	for _, r := range c.required {
		_, group, _ := strings.Cut(r.Name, ".")
		all = append(all, catalogs.NewAPIProperty(catalogs.TypeGVKRequired, catalogs.API{Group: group, Version: r.Version, Kind: r.Kind}, r.Pos))
	}
	for _, api := range c.requiredServices {
		all = append(all, catalogs.NewAPIProperty(catalogs.TypeGVKRequired, api, c.Name.Pos))
	}
	return all
}

// providedAPIs returns the APIs of the CSV's API services and of the CRDs in the folder.
func (o *manifestFolder) providedAPIs(c *csvObject) []catalogs.PropertyValue {
	var all []catalogs.PropertyValue
	for _, api := range c.ownedServices {
		all = append(all, catalogs.NewAPIProperty(catalogs.TypeGVK, api, c.Name.Pos))
	}
	for _, crd := range o.Crds {
		for _, version := range crd.Versions {
			all = append(all, catalogs.NewAPIProperty(catalogs.TypeGVK, catalogs.API{Group: crd.Group, Version: version, Kind: crd.Kind}, crd.Pos))
		}
	}
	return all
}

// properties returns the properties that opm derives from the manifests, each once and in opm's order, without those that hold
// manifests (registry: pkg/registry ObjectsAndPropertiesFromBundle; of package manifests pkg/sqlite addBundleProperties).
func (o *manifestFolder) properties(c *csvObject, pkg string) []catalogs.PropertyValue {
	own := catalogs.NewPropertyValue(catalogs.TypePackage, catalogs.PackageProperty{Name: pkg, Version: c.version.Value}, c.version.Pos)
	all := slices.Concat(c.metadataProperties, o.providedAPIs(c), c.requiredAPIs())
	for _, p := range c.annotatedProperties() {
		said, err := catalogs.Decode[catalogs.PackageProperty](p.Value)
		switch {
		case p.Type != catalogs.TypePackage || !o.AnnotationsPos.IsKnown(): // an index of package manifests has both
			all = append(all, p)
		case err == nil:
			own = catalogs.NewPropertyValue(catalogs.TypePackage, said, p.Pos)
		}
	}
	all = append(all, own)
	slices.SortStableFunc(all, func(a, b catalogs.PropertyValue) int {
		return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(string(a.Value), string(b.Value)))
	})
	return slices.CompactFunc(all, func(a, b catalogs.PropertyValue) bool { return a.Type == b.Type && string(a.Value) == string(b.Value) })
}
