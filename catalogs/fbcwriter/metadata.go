package fbcwriter

import (
	"bytes"
	"encoding/base64"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// The types of properties that hold manifests.
const (
	bundleObject = "olm.bundle.object"
	csvMetadata  = "olm.csv.metadata"
)

// Holds reports whether an olm.bundle has properties of the types olm.bundle.object and olm.csv.metadata.
func Holds(bundle *tree.Node) (objects, metadata bool) {
	for p := range properties(bundle) {
		objects, metadata = objects || textAt(p, "type") == bundleObject, metadata || textAt(p, "type") == csvMetadata
	}
	return objects, metadata
}

// properties yields the properties of an object.
func properties(n *tree.Node) func(yield func(*tree.Node) bool) {
	return func(yield func(*tree.Node) bool) {
		list := valueOf(n, "properties", false)
		for i := 0; list != nil && i < len(list.Items); i++ {
			if !yield(&list.Items[i]) {
				return
			}
		}
	}
}

// csvOf returns the ClusterServiceVersion among the olm.bundle.object properties of a bundle, or nil.
func csvOf(bundle *tree.Node) *tree.Node {
	for p := range properties(bundle) {
		if textAt(p, "type") != bundleObject {
			continue
		}
		value := valueOf(p, "value", false)
		data, err := base64.StdEncoding.DecodeString(textAt(value, "data"))
		if err != nil {
			continue
		}
		if o, syntax := parse(data, bytes.HasPrefix(bytes.TrimSpace(data), []byte("{"))); syntax == nil && o.Str("kind") == "ClusterServiceVersion" {
			return &o
		}
	}
	return nil
}

// parse reads a manifest.
func parse(text []byte, json bool) (root tree.Node, err *tree.Error) {
	if json {
		root, _, err = tree.ParseJSON(text, tree.Place{Line: 1, Col: 1}, nil)
		return root, err
	}
	root, _, err = tree.ParseYAML(text, tree.Place{Line: 1, Col: 1}, nil)
	return root, err
}

// WithMetadata returns an olm.bundle with the property olm.csv.metadata instead of olm.bundle.object, as opm render --migrate-level
// bundle-object-to-csv-metadata makes it (opm: alpha/action/migrations). One that has olm.csv.metadata, or no CSV, is returned as it is.
func WithMetadata(bundle tree.Node) tree.Node {
	csv := csvOf(&bundle)
	if _, migrated := Holds(&bundle); migrated || csv == nil {
		return bundle
	}
	kept := tree.Node{Kind: tree.List}
	for p := range properties(&bundle) {
		if textAt(p, "type") != bundleObject {
			kept.Items = append(kept.Items, *p)
		}
	}
	kept.Items = append(kept.Items, object(field("type", text(csvMetadata)), field("value", metadataOf(csv))))
	out := tree.Node{Kind: tree.Map, Place: bundle.Place}
	for _, f := range bundle.Fields {
		if last := valueOf(&bundle, "properties", false); bundle.Get(f.Key) == last {
			f.Value = kept
		}
		out.Fields = append(out.Fields, f)
	}
	return out
}

// metadataOf returns the value of olm.csv.metadata of a ClusterServiceVersion (opm: alpha/property MustBuildCSVMetadata).
func metadataOf(csv *tree.Node) tree.Node {
	var all tree.Node
	all.Kind = tree.Map
	take := func(from *tree.Node, key, as string) {
		if v := valueOf(from, key, false); v != nil {
			all.Fields = append(all.Fields, field(as, *v))
		}
	}
	metadata, spec := valueOf(csv, "metadata", false), valueOf(csv, "spec", false)
	take(metadata, "annotations", "annotations")
	take(metadata, "labels", "labels")
	take(spec, "apiservicedefinitions", "apiServiceDefinitions")
	take(spec, "customresourcedefinitions", "crdDescriptions")
	for _, key := range []string{"description", "displayName", "installModes", "keywords", "links", "maintainers", "maturity", "minKubeVersion", "nativeAPIs", "provider"} {
		take(spec, key, key)
	}
	return metadataShape().of(&all, asIs)
}

// metadataShape is the type CSVMetadata (opm: alpha/property; operator-framework/api: pkg/operators/v1alpha1).
func metadataShape() shape {
	str, number, texts := shape{}, shape{kind: numberShape}, shape{kind: mapShape}
	link := structOf(unlessEmpty("name", str), unlessEmpty("url", str))
	descriptor := structOf(always("path", str), unlessEmpty("displayName", str), unlessEmpty("description", str), unlessEmpty("x-descriptors", listOf(str)),
		unlessEmpty("value", shape{kind: rawShape}))
	resource := structOf(always("name", str), always("kind", str), always("version", str))
	details := []shapeField{unlessEmpty("displayName", str), unlessEmpty("description", str), unlessEmpty("resources", listOf(resource)),
		unlessEmpty("statusDescriptors", listOf(descriptor)), unlessEmpty("specDescriptors", listOf(descriptor)), unlessEmpty("actionDescriptors", listOf(descriptor))}
	crd := structOf(append([]shapeField{always("name", str), always("version", str), always("kind", str)}, details...)...)
	service := structOf(append([]shapeField{always("name", str), always("group", str), always("version", str), always("kind", str), unlessEmpty("deploymentName", str),
		unlessEmpty("containerPort", number)}, details...)...)
	owned := func(item shape) shape {
		return structOf(unlessEmpty("owned", listOf(item)), unlessEmpty("required", listOf(item)))
	}
	return structOf(unlessEmpty("annotations", texts), always("apiServiceDefinitions", owned(service)), always("crdDescriptions", owned(crd)), unlessEmpty("description", str),
		unlessEmpty("displayName", str), unlessEmpty("installModes", listOf(structOf(always("type", str), always("supported", shape{kind: boolShape})))),
		unlessEmpty("keywords", listOf(str)), unlessEmpty("labels", texts), unlessEmpty("links", listOf(link)),
		unlessEmpty("maintainers", listOf(structOf(unlessEmpty("name", str), unlessEmpty("email", str)))), unlessEmpty("maturity", str), unlessEmpty("minKubeVersion", str),
		unlessEmpty("nativeAPIs", listOf(structOf(always("group", str), always("version", str), always("kind", str)))), always("provider", link))
}

// Description returns the description and the icon that opm takes from the CSV of a bundle for its package; nil if it has none. What an
// olm.csv.metadata has is the description only (opm: alpha/template/semver populatePackageMetadata).
func Description(bundle *tree.Node) (description string, icon *tree.Node) {
	if csv := csvOf(bundle); csv != nil {
		spec := valueOf(csv, "spec", false)
		if icons := valueOf(spec, "icon", false); icons != nil && len(icons.Items) > 0 {
			icon = &icons.Items[0]
		}
		return textAt(spec, "description"), icon
	}
	for p := range properties(bundle) {
		if textAt(p, "type") == csvMetadata {
			return textAt(valueOf(p, "value", false), "description"), nil
		}
	}
	return "", nil
}
