package schema

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/operator-framework/api/crds"
	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

var update = flag.Bool("update", false, "write schema.txt")

// TestGenerated compares schema.txt with the CRD and the Go types of operator-framework/api. With -update it writes it.
func TestGenerated(t *testing.T) {
	g := generator{t: t, names: map[string]string{}, taken: map[string]bool{}}
	crd := crds.ClusterServiceVersion()
	if len(crd.Spec.Versions) != 1 {
		t.Fatal("several versions")
	}
	g.object("ClusterServiceVersion", crd.Spec.Versions[0].Schema.OpenAPIV3Schema, reflect.TypeFor[v1alpha1.ClusterServiceVersion]())
	text := header + strings.Join(g.lines, "\n") + "\n"
	if *update {
		catalogtest.Write(t, "schema.txt", text)
	} else if text != schemaText {
		t.Error("schema.txt is not what the module says: go test ./catalogs/schema -run TestGenerated -update writes it")
	}
}

const header = `# The CRD of ClusterServiceVersions (operator-framework/api crds), of which TestGenerated makes it: an object a line, its name and its fields.
# A field is a string, or is followed by = and its type: b a boolean, i an integer, p an integer or a string, q a quantity, v base64,
# * anything, [ a list, {} a map, else an object of that name, by default the name of the field; | separates the values of a string.
# [a+b] is a list in which no two items have the same a and b. ! marks a field without which the API server rejects what OLM v0
# writes, ~ another required field: OLM v0 writes it, empty.
`

// generator writes each schema of an object once.
type generator struct {
	t     *testing.T
	lines []string
	names map[string]string // of objects, by their fields
	taken map[string]bool
}

func (g *generator) object(name string, s *v1.JSONSchemaProps, of reflect.Type) string {
	var fields []string
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[key]
		goField, ok := jsonField(of, key)
		if !ok { // in another version of Kubernetes than ours
			fields = append(fields, key+"=*")
			continue
		}
		fields = append(fields, g.mark(s, key, goField)+g.typedField(key, g.valueType(key, &property, goField.Type)))
	}
	return g.add(name, fields)
}

func (g *generator) add(name string, fields []string) string {
	text := strings.Join(fields, " ")
	if known := g.names[text]; known != "" {
		return known
	}
	unique := name
	for n := 2; g.taken[unique] || len(unique) < 2; n++ {
		unique = fmt.Sprint(name, n)
	}
	g.names[text], g.taken[unique] = unique, true
	g.lines = append(g.lines, unique+" "+text)
	return unique
}

// typedField returns a field with its type.
func (g *generator) typedField(key, valueType string) string {
	switch valueType {
	case "s":
		return key
	case key:
		return key + "="
	}
	return key + "=" + valueType
}

func (g *generator) mark(s *v1.JSONSchemaProps, key string, field reflect.StructField) string {
	switch property := s.Properties[key]; {
	case refusedWithout(s, key, &property, field):
		return "!"
	case slices.Contains(s.Required, key):
		return "~"
	}
	return ""
}

// refusedWithout reports whether the API server rejects what OLM v0 writes, which decodes and encodes the Go type, if a field is absent.
func refusedWithout(parent *v1.JSONSchemaProps, key string, s *v1.JSONSchemaProps, field reflect.StructField) bool {
	required := slices.Contains(parent.Required, key)
	omitted := strings.Contains(field.Tag.Get("json"), ",omitempty")
	switch field.Type.Kind() {
	case reflect.Struct:
		if field.Type.Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(field.Type).Implements(reflect.TypeFor[json.Marshaler]()) {
			return false // writes its zero value
		}
		for name, property := range s.Properties {
			if inner, ok := jsonField(field.Type, name); ok && refusedWithout(s, name, &property, inner) {
				return true
			}
		}
		return false
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface:
		return required && s.Default == nil
	}
	return required && s.Default == nil && (omitted || len(s.Enum) > 0)
}

func (g *generator) valueType(key string, s *v1.JSONSchemaProps, of reflect.Type) string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case key == "status":
		return "*" // the API server drops it
	case of == reflect.TypeFor[metav1.ObjectMeta]():
		return g.goType("metadata", of)
	case s.XIntOrString && s.Pattern != "":
		return "q"
	case s.XIntOrString:
		return "p"
	case s.Type == "array":
		return listType(s) + g.valueType(key, s.Items.Schema, of.Elem())
	case s.Type == "object" && s.AdditionalProperties != nil:
		return "{}" + g.valueType(key, s.AdditionalProperties.Schema, of.Elem())
	case s.Type == "object" && len(s.Properties) > 0:
		return g.object(key, s, of)
	case len(s.Enum) > 0:
		var all []string
		for _, value := range s.Enum {
			all = append(all, strings.Trim(string(value.Raw), `"`))
		}
		return strings.Join(all, "|")
	case s.XPreserveUnknownFields != nil || s.Type == "object":
		g.t.Fatalf("%s: an object of type %s", key, of)
	}
	g.checkKnown(key, s)
	if s.Format == "byte" {
		return "v"
	}
	return cmp.Or(map[string]string{"string": "s"}[s.Type], s.Type[:1])
}

// checkKnown fails for constraints that schema.txt does not have.
func (g *generator) checkKnown(key string, s *v1.JSONSchemaProps) {
	left := *s
	if key == "release" || key == "containerPort" { // see the rules csv/version and csv/webhook
		left.MaxLength, left.XValidations, left.Minimum, left.Maximum = nil, nil, nil, nil
	}
	left.Description, left.Type, left.Format, left.Default = "", "", "", nil
	if !reflect.DeepEqual(left, v1.JSONSchemaProps{}) {
		g.t.Errorf("%s has constraints that are not written: %v", key, left)
	}
}

// listType returns the beginning of the type of a list, with its keys and their defaults.
func listType(s *v1.JSONSchemaProps) string {
	if s.XListType == nil || *s.XListType == "atomic" {
		return "["
	}
	var keys []string
	for _, key := range s.XListMapKeys {
		if standard := s.Items.Schema.Properties[key].Default; standard != nil {
			key += ":" + strings.Trim(string(standard.Raw), `"`)
		}
		keys = append(keys, key)
	}
	return "[" + strings.Join(keys, "+") + "]"
}

// goType returns the type of a Go type that has no schema: of ObjectMeta.
func (g *generator) goType(key string, of reflect.Type) string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch of.Kind() {
	case reflect.Bool:
		return "b"
	case reflect.Int64:
		return "i"
	case reflect.Map:
		return "{}" + g.goType(key, of.Elem())
	case reflect.Slice:
		return "[" + g.goType(key, of.Elem())
	case reflect.Struct:
		if of == reflect.TypeFor[metav1.FieldsV1]() {
			return "*"
		}
		if of == reflect.TypeFor[metav1.Time]() {
			return "s"
		}
		var fields []string
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			fields = append(fields, g.typedField(name, g.goType(name, of.Field(i).Type)))
		}
		slices.Sort(fields)
		return g.add(key, fields)
	}
	return "s"
}

// jsonField returns the field of a struct that has a name in JSON.
func jsonField(of reflect.Type, name string) (reflect.StructField, bool) {
	for i := range of.NumField() {
		field := of.Field(i)
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == name {
			return field, true
		}
		if field.Anonymous && (tag == "" || strings.Contains(options, "inline")) {
			if inner, ok := jsonField(field.Type, name); ok {
				return inner, true
			}
		}
	}
	return reflect.StructField{}, false
}
