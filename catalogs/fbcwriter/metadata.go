package fbcwriter

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// The types of properties that hold manifests.
const (
	bundleObject = "olm.bundle.object"
	csvMetadata  = "olm.csv.metadata"
)

// ManifestProperties reports whether an olm.bundle has properties of the types olm.bundle.object and olm.csv.metadata.
func ManifestProperties(bundle *tree.Node) (objects, metadata bool) {
	for p := range properties(bundle) {
		objects, metadata = objects || jsonText(p, "type") == bundleObject, metadata || jsonText(p, "type") == csvMetadata
	}
	return objects, metadata
}

// properties yields the properties of an object.
func properties(n *tree.Node) func(yield func(*tree.Node) bool) {
	return func(yield func(*tree.Node) bool) {
		list := jsonValue(n, "properties", false)
		for i := 0; list != nil && i < len(list.Items); i++ {
			if !yield(&list.Items[i]) {
				return
			}
		}
	}
}

// bundleCSV returns the ClusterServiceVersion among the olm.bundle.object properties of a bundle, or nil.
func bundleCSV(bundle *tree.Node) *tree.Node {
	for p := range properties(bundle) {
		if jsonText(p, "type") != bundleObject {
			continue
		}
		value := jsonValue(p, "value", false)
		data, err := base64.StdEncoding.DecodeString(jsonText(value, "data"))
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
func parse(text []byte, isJSON bool) (root tree.Node, err *tree.Error) {
	if isJSON {
		root, _, err = tree.ParseJSON(text, tree.Place{Line: 1, Col: 1}, nil)
		return root, err
	}
	root, _, err = tree.ParseYAML(text, tree.Place{Line: 1, Col: 1}, nil)
	return root, err
}

// WithMetadata returns an olm.bundle with the property olm.csv.metadata instead of olm.bundle.object, as opm render --migrate-level
// bundle-object-to-csv-metadata makes it (opm: alpha/action/migrations). One that has olm.csv.metadata, or no CSV, is returned as it is.
func WithMetadata(bundle tree.Node) tree.Node {
	csv := bundleCSV(&bundle)
	if _, migrated := ManifestProperties(&bundle); migrated || csv == nil {
		return bundle
	}
	kept := tree.Node{Kind: tree.List}
	for p := range properties(&bundle) {
		if jsonText(p, "type") != bundleObject {
			kept.Items = append(kept.Items, *p)
		}
	}
	kept.Items = append(kept.Items, object(field("type", text(csvMetadata)), field("value", buildCSVMetadata(csv))))
	out := tree.Node{Kind: tree.Map, Place: bundle.Place}
	for _, f := range bundle.Fields {
		if last := jsonValue(&bundle, "properties", false); bundle.Get(f.Key) == last {
			f.Value = kept
		}
		out.Fields = append(out.Fields, f)
	}
	return out
}

// buildCSVMetadata returns the value of olm.csv.metadata of a ClusterServiceVersion (opm: alpha/property MustBuildCSVMetadata).
func buildCSVMetadata(csv *tree.Node) tree.Node {
	var all tree.Node
	all.Kind = tree.Map
	take := func(from *tree.Node, key, as string) {
		if v := jsonValue(from, key, false); v != nil {
			all.Fields = append(all.Fields, field(as, *v))
		}
	}
	metadata, spec := jsonValue(csv, "metadata", false), jsonValue(csv, "spec", false)
	take(metadata, "annotations", "annotations")
	take(metadata, "labels", "labels")
	take(spec, "apiservicedefinitions", "apiServiceDefinitions")
	take(spec, "customresourcedefinitions", "crdDescriptions")
	for _, key := range []string{"description", "displayName", "installModes", "keywords", "links", "maintainers", "maturity", "minKubeVersion", "nativeAPIs", "provider"} {
		take(spec, key, key)
	}
	return reencode(schema.PropertyShapes[csvMetadata], &all, asIs)
}

// Description returns the description and the icon that opm takes from the CSV of a bundle for its package; nil if it has none. What an
// olm.csv.metadata has is the description only (opm: alpha/template/semver populatePackageMetadata).
func Description(bundle *tree.Node) (description string, icon *tree.Node) {
	if csv := bundleCSV(bundle); csv != nil {
		spec := jsonValue(csv, "spec", false)
		if icons := jsonValue(spec, "icon", false); icons != nil && len(icons.Items) > 0 {
			icon = &icons.Items[0]
		}
		return jsonText(spec, "description"), icon
	}
	for p := range properties(bundle) {
		if jsonText(p, "type") == csvMetadata {
			return jsonText(jsonValue(p, "value", false), "description"), nil
		}
	}
	return "", nil
}

// Bundle is what opm renders an olm.bundle of: manifests, and properties of them. Both are JSON.
type Bundle struct {
	Name, Package, Image string
	Properties           []Property
	Manifests            [][]byte
}

// Property is a property of a bundle.
type Property struct {
	Type  string
	Value []byte
}

// Render returns the olm.bundle, with its manifests as olm.bundle.object (opm: alpha/action Render). An error means that a value is no JSON.
func (b *Bundle) Render() (tree.Node, error) {
	all := tree.Node{Kind: tree.List}
	for _, p := range b.Properties {
		value, syntax := parse(p.Value, true)
		if syntax != nil {
			return tree.Node{}, fmt.Errorf("%s: %s: %w", b.Image, p.Type, syntax)
		}
		all.Items = append(all.Items, object(field("type", text(p.Type)), field("value", value)))
	}
	var objects []string
	images := []relatedImage{{image: b.Image}}
	for _, manifest := range b.Manifests {
		n, syntax := parse(manifest, true)
		if syntax != nil {
			return tree.Node{}, fmt.Errorf("%s: a manifest: %w", b.Image, syntax)
		}
		if n.Str("kind") == "ClusterServiceVersion" {
			images = relatedImages(&n, b.Image)
		}
		var escaped bytes.Buffer // as encoding/json does
		sorted := n.Sorted()
		json.HTMLEscape(&escaped, sorted.AppendJSON(nil))
		objects = append(objects, base64.StdEncoding.EncodeToString(escaped.Bytes()))
	}
	slices.Sort(objects)
	for _, data := range objects {
		all.Items = append(all.Items, object(field("type", text(bundleObject)), field("value", object(field("data", text(data))))))
	}
	list := tree.Node{Kind: tree.List}
	for _, one := range images {
		list.Items = append(list.Items, object(field("name", text(one.name)), field("image", text(one.image))))
	}
	n := header("olm.bundle", b.Name, b.Package)
	n.Fields = append(n.Fields, field("image", text(b.Image)), field("properties", all), field("relatedImages", list))
	return n, nil
}

type relatedImage struct{ name, image string }

// relatedImages returns the images that a CSV lists, that of the bundle and those of the containers in its deployments, by image.
func relatedImages(csv *tree.Node, bundle string) []relatedImage {
	var all []relatedImage
	listed := map[string]bool{}
	spec := jsonValue(csv, "spec", false)
	for _, n := range listItems(spec, "relatedImages") {
		one := relatedImage{jsonText(&n, "name"), jsonText(&n, "image")}
		all, listed[one.image] = append(all, one), true
	}
	add := func(image string) {
		if !listed[image] {
			all, listed[image] = append(all, relatedImage{image: image}), true
		}
	}
	add(bundle)
	install := jsonValue(spec, "install", false)
	if jsonText(install, "strategy") == "deployment" {
		for _, d := range listItems(jsonValue(install, "spec", false), "deployments") {
			pod := jsonValue(jsonValue(jsonValue(&d, "spec", false), "template", false), "spec", false)
			for _, c := range append(listItems(pod, "containers"), listItems(pod, "initContainers")...) {
				add(jsonText(&c, "image"))
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].image < all[j].image }) // as opm does
	return all
}

// listItems returns a copy of the list under a key.
func listItems(n *tree.Node, key string) []tree.Node {
	if list := jsonValue(n, key, false); list != nil {
		return slices.Clone(list.Items)
	}
	return nil
}
