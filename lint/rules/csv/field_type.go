package csv

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var fieldType = lint.Rule{
	ID: "csv/field-type", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0,
	Doc: `a field of a ClusterServiceVersion has the wrong type
OLM decodes a ClusterServiceVersion into fields of fixed types, and rejects all of it if one does not match. The usual cause is a
number without quotes where a string is required.
Write the value in the required type.`,
	Reference: "operator-framework/api pkg/operators/v1alpha1",
	Check:     contents.InAllBundles(contents.WithReadableCSV(checkFieldType)),
}

// checkFieldType reports the first field of the wrong type; the other rules do not report it.
func checkFieldType(c *contents.Contents) {
	var wrong *json.UnmarshalTypeError
	if !errors.As(c.CSV.Err, &wrong) {
		return
	}
	fix := "write " + expectedType(wrong.Type)
	if wrong.Type.Kind() == reflect.String {
		fix = "quote it"
	}
	c.Report(wrong.Field, fix, "has %s as %s instead of %s: OLM cannot read the ClusterServiceVersion",
		words.DescribeJSON(wrong.Value), wrong.Field, expectedType(wrong.Type))
}

// expectedType returns the JSON type of a Go type, in words.
func expectedType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Int:
		return "an integer"
	}
	return "an object"
}
