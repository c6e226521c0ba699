package schema

import (
	"slices"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// csvKeys returns the keys of a ClusterServiceVersion that decide about upgrades, and those beside them.
var csvKeys = sync.OnceValue(func() *keys {
	crdLists := newKeys("spec.customresourcedefinitions", "owned required")
	return newKeys("a ClusterServiceVersion", "apiVersion kind metadata status").
		with("spec", newKeys("the spec of a ClusterServiceVersion", strings.Join(csvSpecKeys(), " ")).
			with("install", newKeys("spec.install", "strategy spec")).
			with("customresourcedefinitions", crdLists).with("apiservicedefinitions", crdLists))
})

// The keys that OLM and operator-registry read in the manifests and the metadata of a bundle, and in a package manifest
// (operator-registry: pkg/registry).
var (
	crdKeys          = newKeys("a CustomResourceDefinition", "apiVersion kind metadata spec status")
	manifestChannels = newKeys("a channel of a package manifest", "name currentCSV")
	packageManifest  = newKeys("a package manifest", "packageName defaultChannel").with("channels", manifestChannels)
	metadataKeys     = newKeys("the metadata of a bundle", "annotations dependencies properties")

	kindGroups = map[string]string{"ClusterServiceVersion": "operators.coreos.com/", "CustomResourceDefinition": "apiextensions.k8s.io/"}

	bundleAnnotations = []string{
		"operators.operatorframework.io.bundle.channel.default.v1", "operators.operatorframework.io.bundle.channels.v1",
		"operators.operatorframework.io.bundle.manifests.v1", "operators.operatorframework.io.bundle.mediatype.v1",
		"operators.operatorframework.io.bundle.metadata.v1", "operators.operatorframework.io.bundle.package.v1",
	}
)

// maxAnnotationEdits is how many letters of the key of an annotation may be wrong: the keys are alike.
const maxAnnotationEdits = 2

// CorrectManifest corrects a document in the folder of a bundle or a package manifest, as Object does.
func CorrectManifest(root *tree.Node) []Correction {
	var c corrector
	switch version := root.Str("apiVersion"); {
	case root.Kind != tree.Map:
	case version != "":
		c.kind(root, version)
		switch root.Str("kind") {
		case "ClusterServiceVersion":
			c.csv(root)
		case "CustomResourceDefinition":
			c.object(root, crdKeys)
		}
	case hasAnyKey(root, []string{"packageName", "defaultChannel"}):
		c.object(root, packageManifest)
	case len(root.Fields) <= len(metadataKeys.fields):
		c.object(root, metadataKeys)
		if annotations := root.Get("annotations"); annotations != nil {
			c.annotations(annotations)
		}
	}
	return c.found
}

// kind corrects the kind of an object, which its API group confirms.
func (c *corrector) kind(root *tree.Node, version string) {
	kind := root.Get("kind")
	if kind == nil || kind.Kind != tree.String || kindGroups[kind.Text] != "" {
		return
	}
	for _, meant := range []string{"ClusterServiceVersion", "CustomResourceDefinition"} {
		if strings.HasPrefix(version, kindGroups[meant]) && words.Distance(kind.Text, meant, 4) < 4 {
			c.found = append(c.found, Correction{Kind: MisspeltKind, Place: kind.Place, Was: kind.Text, Meant: meant, Object: "an object"})
			kind.Text = meant
			return
		}
	}
}

func (c *corrector) csv(root *tree.Node) {
	c.object(root, csvKeys())
	annotations := root.At("metadata", "annotations")
	if annotations == nil || foldedField(annotations, "olm.skipRange") != nil { // in another case: csv/annotation-case
		return
	}
	for i := range annotations.Fields {
		f := &annotations.Fields[i]
		if foldSkipRange(f.Key) == "skiprange" {
			c.found = append(c.found, Correction{Kind: MisspeltKey, Place: f.Place, Was: f.Key, Meant: "olm.skipRange", Object: "a ClusterServiceVersion"})
			f.Key = "olm.skipRange"
		}
	}
}

// foldSkipRange returns an annotation's key without what authors change in olm.skipRange.
func foldSkipRange(key string) string {
	key = strings.TrimPrefix(strings.ToLower(key), "olm")
	return strings.TrimSuffix(strings.Join(strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune("-_./", r) }), ""), "s")
}

// annotations corrects the keys of the annotations of a bundle.
func (c *corrector) annotations(n *tree.Node) {
	for i := range n.Fields {
		f := &n.Fields[i]
		if slices.Contains(bundleAnnotations, f.Key) {
			continue
		}
		for _, meant := range bundleAnnotations {
			if n.Get(meant) == nil && (words.Distance(f.Key, meant, maxAnnotationEdits+1) <= maxAnnotationEdits || sameParts(f.Key, meant)) {
				c.found = append(c.found, Correction{Kind: MisspeltAnnotation, Place: f.Place, Was: f.Key, Meant: meant, Object: "metadata/annotations.yaml"})
				f.Key = meant
				break
			}
		}
	}
}

// sameParts reports whether two keys have the same parts in another order.
func sameParts(a, b string) bool {
	x, y := strings.Split(strings.ToLower(a), "."), strings.Split(b, ".")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}
