package crds

import (
	"fmt"
	"maps"
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

// add puts a schema and all below it into f.
func (f fields) add(n *node) {
	f[n.path] = n
	eachChild(n.schema, func(path, step string, schema *v1.JSONSchemaProps) {
		f.add(&node{path: n.path + path, schema: schema, parent: n, step: step})
	})
}

// eachChild calls do for the schemas in s, in crdify's order (SchemaHas), with what they add to crdify's path and to Kubernetes'.
func eachChild(s *v1.JSONSchemaProps, do func(path, step string, schema *v1.JSONSchemaProps)) {
	if s.Items != nil {
		if s.Items.Schema != nil {
			do("[*]", ".items", s.Items.Schema)
		}
		each("", s.Items.JSONSchemas, func(_, index string, schema *v1.JSONSchemaProps) { do(index, ".items"+index, schema) })
	}
	each(".allOf", s.AllOf, do)
	each(".anyOf", s.AnyOf, do)
	each(".oneOf", s.OneOf, do)
	if s.Not != nil {
		do("", ".not", s.Not)
	}
	named(s.Properties, func(name string, schema *v1.JSONSchemaProps) { do("."+name, ".properties["+name+"]", schema) })
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		do("[*]", ".additionalProperties", s.AdditionalProperties.Schema)
	}
	eachUnstructural(s, do)
}

// eachUnstructural goes on with what no structural schema has.
func eachUnstructural(s *v1.JSONSchemaProps, do func(path, step string, schema *v1.JSONSchemaProps)) {
	named(s.PatternProperties, func(name string, schema *v1.JSONSchemaProps) { do("", ".patternProperties["+name+"]", schema) })
	if s.AdditionalItems != nil && s.AdditionalItems.Schema != nil {
		do("", ".additionalItems", s.AdditionalItems.Schema)
	}
	named(s.Definitions, func(name string, schema *v1.JSONSchemaProps) { do("", ".definitions["+name+"]", schema) })
	for _, name := range slices.Sorted(maps.Keys(s.Dependencies)) {
		if schema := s.Dependencies[name].Schema; schema != nil {
			do("", ".dependencies["+name+"]", schema)
		}
	}
}

// each calls do for schemas in a list, which have the path of the schema that they stand in.
func each(step string, schemas []v1.JSONSchemaProps, do func(path, step string, schema *v1.JSONSchemaProps)) {
	for i := range schemas {
		do("", step+"["+strconv.Itoa(i)+"]", &schemas[i])
	}
}

func named(schemas map[string]v1.JSONSchemaProps, do func(name string, schema *v1.JSONSchemaProps)) {
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		schema := schemas[name]
		do(name, &schema)
	}
}

func sortedPaths(f fields) []string {
	return slices.Sorted(maps.Keys(f))
}

// whole is the schema to which n belongs as a part of its allOf, anyOf, oneOf or the like, or n itself.
func (n *node) whole() *node {
	for n.parent != nil && n.parent.path == n.path {
		n = n.parent
	}
	return n
}

// count is the number of schemas in s, itself one of them.
func count(s *v1.JSONSchemaProps) int {
	n := 1
	eachChild(s, func(_, _ string, child *v1.JSONSchemaProps) { n += count(child) })
	return n
}

// way is the path from the root of the schema to n, as Kubernetes writes it.
func (n *node) way() string {
	var steps []string
	for ; n != nil; n = n.parent {
		steps = append(steps, n.step)
	}
	slices.Reverse(steps)
	return strings.Join(steps, "")
}

// at is the place of a path in the new definition: of the nearest schema above it that is still there.
func (c *comparison) at(version, path string, was, is fields) string {
	n := is[path]
	for old := was[path]; n == nil; old = old.parent {
		n = is[old.path]
	}
	return c.schemaPath(newer(version)) + n.way()
}

// schemaPath is where the new definition has the schema of a version.
func (c *comparison) schemaPath(version string) string {
	if c.new.old != nil && c.new.old.Spec.Validation != nil {
		return "spec.validation.openAPIV3Schema"
	}
	i := slices.IndexFunc(c.new.Versions, func(v Version) bool { return v.Name == version })
	return fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
}
