package schema

import "github.com/olmgraph/olmgraph/catalogs/tree"

// Object is a schema of OLM's objects in file-based catalogs.
type Object struct {
	Name  string
	Shape *tree.Shape
	own   []string // keys that tell what an object without olm. in its schema is
}

// Lookup returns OLM's schema of a name, nil if it has none.
func Lookup(name string) *Object {
	for i := range Objects {
		if Objects[i].Name == name {
			return &Objects[i]
		}
	}
	return nil
}

var (
	str        = &tree.Shape{}
	anyValue   = &tree.Shape{Kind: tree.AnyShape}
	property   = tree.StructOf(always("type", str), always("value", anyValue)).Called("a property")
	properties = unlessEmpty("properties", tree.ListOf(property))
)

// Objects are OLM's schemas, with what opm decodes, in the order in which it writes that (opm: alpha/declcfg Package, Channel, Bundle, Deprecation).
var Objects = []Object{
	{"olm.package", tree.StructOf(always("schema", str), always("name", str), always("defaultChannel", str),
		unlessEmpty("icon", tree.StructOf(always("base64data", &tree.Shape{Kind: tree.BytesShape}), always("mediatype", str)).Called("an icon")),
		unlessEmpty("description", str), properties), []string{"defaultChannel"}},
	{"olm.channel", tree.StructOf(always("schema", str), always("name", str), always("package", str),
		always("entries", tree.ListOf(tree.StructOf(always("name", str), unlessEmpty("replaces", str), unlessEmpty("skips", tree.ListOf(str)),
			unlessEmpty("skipRange", str)).Called("a channel entry"))), properties), []string{"entries"}},
	{"olm.bundle", tree.StructOf(always("schema", str), unlessEmpty("name", str), unlessEmpty("package", str), always("image", str), properties,
		unlessEmpty("relatedImages", tree.ListOf(tree.StructOfStrings("name image").Called("an item of relatedImages")))), []string{"properties", "image"}},
	{"olm.deprecations", tree.StructOf(always("schema", str), always("package", str), always("entries", tree.ListOf(tree.StructOf(
		always("reference", tree.StructOf(always("schema", str), unlessEmpty("name", str)).Called("a reference")), always("message", str)).Called("a deprecation")))), []string{"entries"}},
}

// PropertyShapes are the types of the values that opm parses, by the type of the property (opm: alpha/property Parse).
var PropertyShapes = map[string]*tree.Shape{
	"olm.package":          tree.StructOfStrings("packageName version release").Called("an olm.package property"),
	"olm.package.required": tree.StructOfStrings("packageName versionRange"),
	"olm.gvk":              tree.StructOfStrings("group kind version"),
	"olm.gvk.required":     tree.StructOfStrings("group kind version"),
	"olm.channel":          tree.StructOf(append(tree.StructOfStrings("channelName").Fields, tree.ShapeField{Key: "priority", Shape: &tree.Shape{Kind: tree.IntShape, Bits: 64}})...),
	"olm.bundle.object":    tree.StructOf(always("data", &tree.Shape{Kind: tree.BytesShape})),
	"olm.csv.metadata":     metadataShape(),
}

// otherProperties are the types of properties that OLM reads and opm does not parse.
var otherProperties = []string{"olm.constraint", "olm.deprecated", "olm.maxOpenShiftVersion"}

// always is a field that is written even if it is empty.
func always(key string, s *tree.Shape) tree.ShapeField { return tree.ShapeField{Key: key, Shape: s} }

// unlessEmpty is a field that is left out if it is empty. A struct is left out only if it is absent, as one behind a pointer is.
func unlessEmpty(key string, s *tree.Shape) tree.ShapeField {
	return tree.ShapeField{Key: key, Shape: s, OmitEmpty: true}
}

// metadataShape is the type CSVMetadata (opm: alpha/property; operator-framework/api: pkg/operators/v1alpha1).
func metadataShape() *tree.Shape {
	str, texts, strs := &tree.Shape{}, &tree.Shape{Kind: tree.MapShape}, tree.ListOf(&tree.Shape{})
	link := tree.StructOf(unlessEmpty("name", str), unlessEmpty("url", str))
	descriptors := tree.ListOf(tree.StructOf(always("path", str), unlessEmpty("displayName", str), unlessEmpty("description", str), unlessEmpty("x-descriptors", strs),
		unlessEmpty("value", &tree.Shape{Kind: tree.AnyShape})))
	details := []tree.ShapeField{unlessEmpty("displayName", str), unlessEmpty("description", str), unlessEmpty("resources", tree.ListOf(tree.StructOfStrings("name kind version"))),
		unlessEmpty("statusDescriptors", descriptors), unlessEmpty("specDescriptors", descriptors), unlessEmpty("actionDescriptors", descriptors)}
	crd := tree.StructOf(append(tree.StructOfStrings("name version kind").Fields, details...)...)
	service := tree.StructOf(append(append(tree.StructOfStrings("name group version kind").Fields, unlessEmpty("deploymentName", str),
		unlessEmpty("containerPort", &tree.Shape{Kind: tree.IntShape, Bits: 32})), details...)...)
	owned := func(item *tree.Shape) *tree.Shape {
		return tree.StructOf(unlessEmpty("owned", tree.ListOf(item)), unlessEmpty("required", tree.ListOf(item)))
	}
	return tree.StructOf(unlessEmpty("annotations", texts), always("apiServiceDefinitions", owned(service)), always("crdDescriptions", owned(crd)), unlessEmpty("description", str),
		unlessEmpty("displayName", str), unlessEmpty("installModes", tree.ListOf(tree.StructOf(always("type", str), always("supported", &tree.Shape{Kind: tree.BoolShape})))),
		unlessEmpty("keywords", strs), unlessEmpty("labels", texts), unlessEmpty("links", tree.ListOf(link)),
		unlessEmpty("maintainers", tree.ListOf(tree.StructOf(unlessEmpty("name", str), unlessEmpty("email", str)))), unlessEmpty("maturity", str), unlessEmpty("minKubeVersion", str),
		unlessEmpty("nativeAPIs", tree.ListOf(tree.StructOfStrings("group version kind"))), always("provider", link))
}
