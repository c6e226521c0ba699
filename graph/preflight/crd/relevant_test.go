package crd

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestRelevant: the relevant part of a schema has the same results for an object as the whole: whether it is valid and how it is
// stored.
func TestRelevant(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	invalid, altered := 0, 0
	for range 400 {
		schema := randomSchema(r, 3)
		other := randomSchema(r, 3)
		setDefaults(r, schema)
		part, whole := parse(t, randomWidget(t, schema)), parse(t, randomWidget(t, schema))
		m := whole.measures("v1")
		m.plain = false
		whole.measured["v1"] = func() measures { return m }
		for range 12 {
			from := schema
			if r.IntN(3) == 0 {
				from = other
			}
			object, _ := json.Marshal(map[string]any{"metadata": map[string]any{"name": "a"},
				"spec": map[string]any{"x": randomValue(r, from, 3), "y": 1}})
			got, err := part.Invalid("v1", object)
			want, err2 := whole.Invalid("v1", object)
			if !reflect.DeepEqual(got, want) || err != nil || err2 != nil {
				t.Fatalf("%s by %v:\n%v %v\n%v %v", object, schema, got, err, want, err2)
			}
			stored, err := part.Stored("v1", object)
			wanted, err2 := whole.Stored("v1", object)
			if string(stored) != string(wanted) || err != nil || err2 != nil {
				t.Fatalf("%s by %v is stored as\n%s %v\n%s %v", object, schema, stored, err, wanted, err2)
			}
			invalid += min(1, len(got))
			if len(stored) != len(object)-len(`,"y":1`) {
				altered++
			}
		}
	}
	if invalid < 100 || altered < 100 {
		t.Errorf("%d objects are invalid and %d stored in another form: too few to see anything", invalid, altered)
	}
}

// setDefaults gives schemas below others defaults now and then.
func setDefaults(r *rand.Rand, s map[string]any) {
	properties, _ := s["properties"].(map[string]any)
	for _, name := range keysOf(properties) {
		child := properties[name].(map[string]any)
		setDefaults(r, child)
		if r.IntN(3) == 0 {
			child["default"] = randomValue(r, child, 2)
		}
	}
	for _, below := range []string{"items", "additionalProperties"} {
		if child, ok := s[below].(map[string]any); ok {
			setDefaults(r, child)
		}
	}
}

// TestNotPlain: the whole schema is used if the libraries could reject a part of it that is not relevant for an object.
func TestNotPlain(t *testing.T) {
	for _, x := range []string{
		`{"type":"object","x-kubernetes-embedded-resource":true}`,
		`{"type":"object","x-kubernetes-preserve-unknown-fields":false}`,
		`{"type":"array","items":[{"type":"string"}]}`,
		`{"type":"object","patternProperties":{"a":{"type":"string"}}}`,
		`{"$ref":"#/definitions/a"}`,
		`{"type":"number","default":1e999}`,
		`{"type":"object","properties":{"y":{"not":{"id":"a"}}}}`,
	} {
		d := parse(t, widget(version("v1*", `"x":`+x)))
		if d.measures("v1").plain {
			t.Errorf("%s counts as plain", x)
		}
	}
}
