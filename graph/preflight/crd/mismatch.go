package crd

import (
	encoding "encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/util/json"
)

// decodeError returns why JSON could not be decoded into a value, with the path, in one line. The decoder's own errors name Go
// types, and their paths lack the names of properties.
func decodeError(text []byte, into any, err error) error {
	var value any
	if json.Unmarshal(text, &value) == nil {
		if fault := mismatch("", value, reflect.TypeOf(into).Elem()); fault != nil {
			return fault
		}
	}
	return errors.New(oneLine(strings.TrimPrefix(err.Error(), "json: "), maxMessage))
}

// mismatch returns an error for the first value that does not fit its Go type, nil if all do.
func mismatch(path string, value any, t reflect.Type) error {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if schema, ok := schemaTypes[t]; ok {
		return mismatchInSchema(path, value, t, schema)
	}
	switch {
	case value == nil:
		return nil
	case reflect.PointerTo(t).Implements(unmarshaler):
		return mismatchByDecoding(path, value, t)
	}
	switch v := value.(type) {
	case map[string]any:
		return mismatchInObject(path, v, t)
	case []any:
		return mismatchInList(path, v, t)
	}
	return mismatchByDecoding(path, value, t)
}

var unmarshaler = reflect.TypeFor[encoding.Unmarshaler]()

// schemaTypes are the types with an UnmarshalJSON of their own, which decode an object into a schema.
var schemaTypes = map[reflect.Type]reflect.Type{
	reflect.TypeFor[v1.JSONSchemaPropsOrArray]():            reflect.TypeFor[v1.JSONSchemaProps](),
	reflect.TypeFor[v1.JSONSchemaPropsOrBool]():             reflect.TypeFor[v1.JSONSchemaProps](),
	reflect.TypeFor[v1.JSONSchemaPropsOrStringArray]():      reflect.TypeFor[v1.JSONSchemaProps](),
	reflect.TypeFor[v1beta1.JSONSchemaPropsOrArray]():       reflect.TypeFor[v1beta1.JSONSchemaProps](),
	reflect.TypeFor[v1beta1.JSONSchemaPropsOrBool]():        reflect.TypeFor[v1beta1.JSONSchemaProps](),
	reflect.TypeFor[v1beta1.JSONSchemaPropsOrStringArray](): reflect.TypeFor[v1beta1.JSONSchemaProps](),
}

func mismatchInSchema(path string, value any, t, schema reflect.Type) error {
	switch v := value.(type) {
	case map[string]any:
		return mismatch(path, v, schema)
	case []any:
		if strings.HasSuffix(t.Name(), "OrArray") {
			return mismatch(path, v, reflect.SliceOf(schema))
		}
	}
	return mismatchByDecoding(path, value, t)
}

func mismatchInObject(path string, value map[string]any, t reflect.Type) error {
	for _, name := range slices.Sorted(maps.Keys(value)) {
		var err error
		switch t.Kind() {
		case reflect.Map:
			err = mismatch(path+"["+name+"]", value[name], t.Elem())
		case reflect.Struct:
			if field := fieldType(t, name); field != nil {
				err = mismatch(strings.TrimPrefix(path+"."+name, "."), value[name], field)
			}
		default:
			return wrongType(path, value, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fieldType returns the type of the field with a name in JSON.
func fieldType(t reflect.Type, name string) reflect.Type {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name && name != "" {
			return f.Type
		}
		if tag == "" && f.Anonymous {
			if inner := fieldType(f.Type, name); inner != nil {
				return inner
			}
		}
	}
	return nil
}

func mismatchInList(path string, value []any, t reflect.Type) error {
	if t.Kind() != reflect.Slice || t.Elem().Kind() == reflect.Uint8 {
		return wrongType(path, value, t)
	}
	for i, v := range value {
		if err := mismatch(fmt.Sprintf("%s[%d]", path, i), v, t.Elem()); err != nil {
			return err
		}
	}
	return nil
}

// mismatchByDecoding decodes one value on its own.
func mismatchByDecoding(path string, value any, t reflect.Type) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, reflect.New(t).Interface())
	}
	if err == nil {
		return nil
	}
	return wrongType(path, value, t)
}

// wrongType returns the error for a value of another type than expected.
func wrongType(path string, value any, t reflect.Type) error {
	if path == "" {
		path = "the document"
	}
	return fmt.Errorf("%s is %s, but must be %s", oneLine(path, maxMessage), kindOf(value), typeName(t))
}

func kindOf(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case bool:
		return "a boolean"
	case string:
		return "the string " + quote(v)
	}
	return fmt.Sprintf("the number %v", value)
}

func typeName(t reflect.Type) string {
	switch {
	case t.Name() == "Time":
		return "a date and time"
	case strings.HasSuffix(t.Name(), "OrBool"):
		return "a boolean or a schema"
	case strings.HasSuffix(t.Name(), "OrStringArray"):
		return "a schema or a list of strings"
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Float64:
		return "a number"
	}
	return "an integer"
}
