package crd

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// fields are the schemas of a version by crdify's paths. Parts of allOf, anyOf, oneOf and not have the path of the schema that they
// are part of, of which crdify keeps the last; where crdify's choice is random, it is the last in alphabetical order.
type fields map[string]*node

// node is a schema and its path.
type node struct {
	path   string
	schema *v1.JSONSchemaProps
	parent *node
	step   string // from the parent, as Kubernetes writes paths: .properties[foo]
}

// flattenSchemas flattens the schemas of two versions that are compared. Schemas that are equal at the same path of both, and at no
// other, are left out.
func flattenSchemas(before, after *v1.CustomResourceDefinitionVersion) (was, is fields) {
	was, is = fields{}, fields{}
	addBoth(was, is, rootNode(before), rootNode(after))
	return was, is
}

func rootNode(v *v1.CustomResourceDefinitionVersion) *node {
	schema := versionSchema(v)
	if schema == nil {
		schema = &v1.JSONSchemaProps{}
	}
	return &node{path: "^", schema: schema}
}

// addBoth adds two schemas of one path, and what differs below them, to was and is.
func addBoth(was, is fields, a, b *node) {
	if !hasUniquePaths(a.schema) || !hasUniquePaths(b.schema) {
		was.add(a)
		is.add(b)
		return
	}
	was[a.path], is[b.path] = a, b
	olds, news := differingChildren(a, b)
	for path, old := range olds {
		if new := news[path]; new != nil {
			addBoth(was, is, old, new)
		} else {
			was.add(old)
		}
	}
	for path, new := range news {
		if olds[path] == nil {
			is.add(new)
		}
	}
}

// hasUniquePaths reports whether each schema in s has a path that no other schema below can have.
func hasUniquePaths(s *v1.JSONSchemaProps) bool {
	if len(s.AllOf)+len(s.AnyOf)+len(s.OneOf)+len(s.PatternProperties)+len(s.Definitions)+len(s.Dependencies) > 0 || s.Not != nil ||
		s.AdditionalItems != nil || s.Items != nil && (len(s.Items.JSONSchemas) > 0 || s.AdditionalProperties != nil) {
		return false
	}
	for name := range s.Properties {
		if strings.ContainsAny(name, ".[") {
			return false
		}
	}
	return true
}

// differingChildren returns the schemas below a and below b that differ from that at the same path below the other, by what they add
// to the path.
func differingChildren(a, b *node) (below, belowOther map[string]*node) {
	below, belowOther = map[string]*node{}, map[string]*node{}
	x, y := a.schema, b.schema
	for name := range x.Properties {
		if !sameProperty(x.Properties, y.Properties, name) {
			below["."+name] = a.property(name)
			if _, both := y.Properties[name]; both {
				belowOther["."+name] = b.property(name)
			}
		}
	}
	for name := range y.Properties {
		if _, both := x.Properties[name]; !both {
			belowOther["."+name] = b.property(name)
		}
	}
	if c, d := itemSchema(x), itemSchema(y); !sameTree(c, d) {
		a.addEach(below, c, ".items")
		b.addEach(belowOther, d, ".items")
	}
	if c, d := additionalSchema(x), additionalSchema(y); !sameTree(c, d) {
		a.addEach(below, c, ".additionalProperties")
		b.addEach(belowOther, d, ".additionalProperties")
	}
	return below, belowOther
}

// property returns the schema of a property of n.
func (n *node) property(name string) *node {
	schema := n.schema.Properties[name]
	return &node{n.path + "." + name, &schema, n, ".properties[" + name + "]"}
}

// addEach adds a schema of all items or all other fields of n, if there is one.
func (n *node) addEach(found map[string]*node, schema *v1.JSONSchemaProps, step string) {
	if schema != nil {
		found["[*]"] = &node{n.path + "[*]", schema, n, step}
	}
}

func itemSchema(s *v1.JSONSchemaProps) *v1.JSONSchemaProps {
	if s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

func additionalSchema(s *v1.JSONSchemaProps) *v1.JSONSchemaProps {
	if s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}

func sameProperty(a, b map[string]v1.JSONSchemaProps, name string) bool {
	x, y := a[name], b[name]
	_, both := b[name]
	return both && sameTree(&x, &y)
}

// add adds a schema and all schemas below it.
func (f fields) add(n *node) {
	f[n.path] = n
	eachChild(n.schema, func(path, step string, schema *v1.JSONSchemaProps) {
		f.add(&node{path: n.path + path, schema: schema, parent: n, step: step})
	})
}

// eachChild calls do for the schemas in s, in crdify's order (SchemaHas), with what they add to crdify's path and to that of
// Kubernetes.
func eachChild(s *v1.JSONSchemaProps, do func(path, step string, schema *v1.JSONSchemaProps)) {
	if s.Items != nil {
		if s.Items.Schema != nil {
			do("[*]", ".items", s.Items.Schema)
		}
		eachInList("", s.Items.JSONSchemas, func(_, index string, schema *v1.JSONSchemaProps) { do(index, ".items"+index, schema) })
	}
	eachInList(".allOf", s.AllOf, do)
	eachInList(".anyOf", s.AnyOf, do)
	eachInList(".oneOf", s.OneOf, do)
	if s.Not != nil {
		do("", ".not", s.Not)
	}
	eachByName(s.Properties, func(name string, schema *v1.JSONSchemaProps) { do("."+name, ".properties["+name+"]", schema) })
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		do("[*]", ".additionalProperties", s.AdditionalProperties.Schema)
	}
	eachUnstructural(s, do)
}

// eachUnstructural continues eachChild with the fields that no structural schema has.
func eachUnstructural(s *v1.JSONSchemaProps, do func(path, step string, schema *v1.JSONSchemaProps)) {
	eachByName(s.PatternProperties, func(name string, schema *v1.JSONSchemaProps) { do("", ".patternProperties["+name+"]", schema) })
	if s.AdditionalItems != nil && s.AdditionalItems.Schema != nil {
		do("", ".additionalItems", s.AdditionalItems.Schema)
	}
	eachByName(s.Definitions, func(name string, schema *v1.JSONSchemaProps) { do("", ".definitions["+name+"]", schema) })
	for _, name := range sortedNames(s.Dependencies) {
		if schema := s.Dependencies[name].Schema; schema != nil {
			do("", ".dependencies["+name+"]", schema)
		}
	}
}

// eachInList calls do for schemas in a list, which have the same path as the schema that contains the list.
func eachInList(step string, schemas []v1.JSONSchemaProps, do func(path, step string, schema *v1.JSONSchemaProps)) {
	for i := range schemas {
		do("", step+"["+strconv.Itoa(i)+"]", &schemas[i])
	}
}

func eachByName(schemas map[string]v1.JSONSchemaProps, do func(name string, schema *v1.JSONSchemaProps)) {
	for _, name := range sortedNames(schemas) {
		schema := schemas[name]
		do(name, &schema)
	}
}

// sortedNames returns the keys of a map, sorted. It allocates nothing for an empty map, as most schemas have.
func sortedNames[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

// wholeSchema returns the schema of which n is a part in allOf, anyOf, oneOf or the like, or n itself.
func (n *node) wholeSchema() *node {
	for n.parent != nil && n.parent.path == n.path {
		n = n.parent
	}
	return n
}

// count returns the number of schemas in s, including s.
func count(s *v1.JSONSchemaProps) int {
	n := 1
	eachChild(s, func(_, _ string, child *v1.JSONSchemaProps) { n += count(child) })
	return n
}

// kubernetesPath returns the path from the root of the schema to n, as Kubernetes writes it.
func (n *node) kubernetesPath() string {
	var steps []string
	for ; n != nil; n = n.parent {
		steps = append(steps, n.step)
	}
	slices.Reverse(steps)
	return strings.Join(steps, "")
}

// locate returns the place of a path in the new definition: of the nearest schema above it that still exists.
func (c *comparison) locate(version, path string, was, is fields) string {
	n := is[path]
	for old := was[path]; n == nil; old = old.parent {
		n = is[old.path]
	}
	return c.schemaPath(newerVersion(version)) + n.kubernetesPath()
}

// schemaPath returns the path of the schema of a version in the new definition.
func (c *comparison) schemaPath(version string) string {
	if c.new.old != nil && c.new.old.Spec.Validation != nil {
		return "spec.validation.openAPIV3Schema"
	}
	return fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", c.new.VersionIndex(version))
}
