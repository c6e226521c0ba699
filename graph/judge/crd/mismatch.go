package crd

import (
	"bytes"
	encoding "encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
)

// decodeError returns why JSON could not be decoded into a value, with the path, in one line. The decoder's own errors name Go
// types, and their paths lack the names of properties.
func decodeError(text []byte, into any, err error) error {
	decoder := encoding.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return errors.New(oneLine(strings.TrimPrefix(err.Error(), "json: "), maxMessage))
	}
	path, part, err := mismatch("", value, err, func(value any) error {
		text, err := encoding.Marshal(value)
		if err != nil {
			return nil
		}
		return json.Unmarshal(text, reflect.New(reflect.TypeOf(into).Elem()).Interface())
	})
	if path == "" {
		path = "the document"
	}
	must := oneLine(err.Error(), maxMessage)
	if of := (*encoding.UnmarshalTypeError)(nil); errors.As(err, &of) {
		must = "but must be " + typeName(of.Type)
	}
	return fmt.Errorf("%s is %s, %s", oneLine(path, maxMessage), describeValue(part), must)
}

// mismatch returns the deepest part of a value that is not decoded even without all that is beside it, and why.
func mismatch(path string, value any, why error, decode func(any) error) (string, any, error) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			alone := func(value any) error { return decode(map[string]any{name: value}) }
			if err := alone(v[name]); err != nil {
				return mismatch(strings.TrimPrefix(path+"."+name, "."), v[name], err, alone)
			}
		}
	case []any:
		for i, item := range v {
			alone := func(value any) error { return decode([]any{value}) }
			if err := alone(item); err != nil {
				return mismatch(fmt.Sprintf("%s[%d]", path, i), item, err, alone)
			}
		}
	}
	return path, value, why
}

func describeValue(value any) string {
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
