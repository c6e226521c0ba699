package crd

import "testing"

// TestSum: only descriptions on which no check depends are left out. crdify compares those below additionalProperties, and an API server rejects
// those in anyOf.
func TestSum(t *testing.T) {
	spec := func(schema string) string {
		return `{"metadata":{"annotations":{"description":"a"}},"spec":{"versions":[{"schema":{"openAPIV3Schema":` + schema + `},"name":"v1"}]}}`
	}
	for schema, want := range map[string]string{
		`{"description":"a","type":"object"}`:        `{"type":"object"}`,
		`{"type":"object","description":"a \"} \\"}`: `{"type":"object"}`,
		`{"description":"a"}`:                        `{}`,
		`{"properties":{"description":{"description":"a","type":"string"},"b":{}},"nullable":true}`: `{"properties":{"description":{"type":"string"},"b":{}},"nullable":true}`,
		`{"properties":{"properties":{"properties":{"description":{"description":"a"}}}}}`:          `{"properties":{"properties":{"properties":{"description":{}}}}}`,
		`{"items":{"description":"a","type":"string"},"type":"array"}`:                              `{"items":{"type":"string"},"type":"array"}`,
		`{"additionalProperties":{"description":"a"}}`:                                              `{"additionalProperties":{"description":"a"}}`,
		`{"anyOf":[{"description":"a"}],"default":{"description":"a"}}`:                             `{"anyOf":[{"description":"a"}],"default":{"description":"a"}}`,
		`{"description":{"type":"string"},"properties":{"description":"a"}}`:                        `{"description":{"type":"string"},"properties":{"description":"a"}}`,
	} {
		if got := string(undescribed([]byte(spec(schema)))); got != spec(want) {
			t.Errorf("%s is judged as\n%s, want\n%s", schema, got, spec(want))
		}
		if NewSum([]byte(spec(schema))) != NewSum([]byte(spec(want))) {
			t.Errorf("%s has a sum of its own", schema)
		}
		for i := range spec(schema) { // a text that is cut off ends
			undescribed([]byte(spec(schema))[:i])
		}
	}
}
