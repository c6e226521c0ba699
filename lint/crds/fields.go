package crds

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// fields are the schemas of a version by the paths that crdify gives them. Parts of allOf, anyOf, oneOf and not have the path of
// the schema that they belong to, and the last one stands for all of them, as in crdify; where crdify's choice is random, the
// last in alphabetical order.
type fields map[string]*node

// node is a schema and the way to it.
type node struct {
	path   string
	schema *v1.JSONSchemaProps
	parent *node
	step   string // from the parent, as Kubernetes writes paths: .properties[foo]
}

// fields flattens the schema of a version, once.
func (c *comparison) fields(v *v1.CustomResourceDefinitionVersion) fields {
	if c.flat[v] == nil {
		schema := schemaOf(v)
		if schema == nil {
			schema = &v1.JSONSchemaProps{}
		}
		c.flat[v] = fields{}
		c.flat[v].add(&node{path: "^", schema: schema})
	}
	return c.flat[v]
}

// add puts a schema and all below it into f, in crdify's order (SchemaHas).
func (f fields) add(n *node) {
	f[n.path] = n
	path, s := n.path, n.schema
	child := func(path, step string, schema *v1.JSONSchemaProps) {
		if schema != nil {
			f.add(&node{path: path, schema: schema, parent: n, step: step})
		}
	}
	if s.Items != nil {
		child(path+"[*]", ".items", s.Items.Schema)
		for i := range s.Items.JSONSchemas {
			index := "[" + strconv.Itoa(i) + "]"
			child(path+index, ".items"+index, &s.Items.JSONSchemas[i])
		}
	}
	for _, of := range []struct {
		step    string
		schemas []v1.JSONSchemaProps
	}{{".allOf", s.AllOf}, {".anyOf", s.AnyOf}, {".oneOf", s.OneOf}} {
		for i := range of.schemas {
			child(path, of.step+"["+strconv.Itoa(i)+"]", &of.schemas[i])
		}
	}
	child(path, ".not", s.Not)
	named(s.Properties, func(name string, schema *v1.JSONSchemaProps) {
		child(path+"."+name, ".properties["+name+"]", schema)
	})
	if s.AdditionalProperties != nil {
		child(path+"[*]", ".additionalProperties", s.AdditionalProperties.Schema)
	}
	f.addUnstructural(path, s, child)
}

// addUnstructural adds what no structural schema has.
func (f fields) addUnstructural(path string, s *v1.JSONSchemaProps, child func(path, step string, schema *v1.JSONSchemaProps)) {
	named(s.PatternProperties, func(name string, schema *v1.JSONSchemaProps) {
		child(path, ".patternProperties["+name+"]", schema)
	})
	if s.AdditionalItems != nil {
		child(path, ".additionalItems", s.AdditionalItems.Schema)
	}
	named(s.Definitions, func(name string, schema *v1.JSONSchemaProps) {
		child(path, ".definitions["+name+"]", schema)
	})
	for _, name := range slices.Sorted(maps.Keys(s.Dependencies)) {
		child(path, ".dependencies["+name+"]", s.Dependencies[name].Schema)
	}
}

func named(schemas map[string]v1.JSONSchemaProps, do func(name string, schema *v1.JSONSchemaProps)) {
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		schema := schemas[name]
		do(name, &schema)
	}
}

// way is the path from the root of the schema to n, as Kubernetes writes it.
func (n *node) way() string {
	if n.parent == nil {
		return ""
	}
	return n.parent.way() + n.step
}

// sameNode says, fast, that two schemas are equal but for their properties and items. It may be wrong about equal ones, never
// about different ones.
func sameNode(a, b *v1.JSONSchemaProps) bool {
	x, y := *a, *b
	x.Properties, x.Items, y.Properties, y.Items = nil, nil, nil, nil
	return reflect.DeepEqual(x, y)
}

func sameTree(a, b *v1.JSONSchemaProps) bool {
	return reflect.DeepEqual(a, b)
}

// at is the place of a path in the new definition: of the nearest schema above it that is still there.
func (c *comparison) at(version, path string, was, is fields) string {
	n := is[path]
	for old := was[path]; n == nil; old = old.parent {
		n = is[old.path]
	}
	_, newest, two := strings.Cut(version, " -> ")
	if !two {
		newest = version
	}
	return c.schemaPath(newest) + n.way()
}

// schemaPath is where the new definition has the schema of a version.
func (c *comparison) schemaPath(version string) string {
	if c.new.old != nil && c.new.old.Spec.Validation != nil {
		return "spec.validation.openAPIV3Schema"
	}
	i := slices.IndexFunc(c.new.Versions, func(v Version) bool { return v.Name == version })
	return fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
}
