package crd

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// TestRandomSchemas compares random schemas: the changes are those of crdify, and if a valid object becomes invalid, some change
// narrows, either one of crdify's or an unseen one.
func TestRandomSchemas(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	changed, narrowed, same := 0, 0, 0
	rounds := catalogtest.Rounds(1500)
	for range rounds {
		was := randomSchema(r, 3)
		is := mutate(r, was, 3)
		old, new := parse(t, randomWidget(t, was)), parse(t, randomWidget(t, is))
		changed += min(1, parity(t, fmt.Sprint(was, is), old, new))
		changes, _ := Changes(old, new)
		unseen, err := Unseen(old, new)
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, unseen...)
		narrows := slices.ContainsFunc(changes, func(c Change) bool { return c.Narrows })
		for range 12 {
			object, _ := json.Marshal(map[string]any{"spec": map[string]any{"x": randomValue(r, was, 3)}})
			if broken(t, old, new, object) && !narrows {
				t.Errorf("%s is invalid now, but nothing narrows:\n%v\n%v\n%s", object, was, is, tell(changes))
			}
			if broken(t, old, new, object) {
				narrowed++
			}
			if sameness(t, old, new, object) {
				same += len(changes)
			}
			object, _ = json.Marshal(map[string]any{"spec": map[string]any{"x": randomValue(r, is, 3)}})
			sameness(t, new, old, object)
		}
	}
	t.Logf("%d pairs with changes, %d objects invalid now, %d changes that leave one the same", changed, narrowed, same)
}

// broken says whether an object was valid and is not any more.
func broken(t *testing.T, old, new *Definition, object []byte) bool {
	t.Helper()
	before, err := old.Invalid("v1", object)
	if err != nil {
		t.Fatal(err)
	}
	after, err := new.Invalid("v1", object)
	if err != nil {
		t.Fatal(err)
	}
	return len(before) == 0 && len(after) > 0
}

// sameness says whether the schemas are the same for an object, which then does not become invalid.
func sameness(t *testing.T, old, new *Definition, object []byte) bool {
	t.Helper()
	var value any
	_ = json.Unmarshal(object, &value)
	same := sameFor(value, versionSchema(old.version("v1")), versionSchema(new.version("v1")))
	if faults := newlyInvalid(old, new, "v1", object); same && len(faults) > 0 {
		t.Errorf("%s is invalid now, but the schemas are the same for it: %v", object, faults)
	}
	return same
}

func randomWidget(t *testing.T, schema map[string]any) string {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	return widget(version("v1*", `"x":`+string(text)))
}

var randomTypes = []string{"string", "integer", "boolean", "number", "object", "array"}

func randomSchema(r *rand.Rand, depth int) map[string]any {
	s := map[string]any{}
	kind := randomTypes[r.IntN(len(randomTypes))]
	if depth == 0 {
		kind = randomTypes[r.IntN(4)]
	}
	s["type"] = kind
	switch kind {
	case "object":
		properties := map[string]any{}
		for _, name := range []string{"a", "b", "c"}[:r.IntN(4)] {
			properties[name] = randomSchema(r, depth-1)
		}
		if s["properties"] = properties; r.IntN(3) == 0 {
			delete(s, "properties")
			s["additionalProperties"] = randomSchema(r, depth-1)
		}
	case "array":
		s["items"] = randomSchema(r, depth-1)
	}
	for range r.IntN(3) {
		decorate(r, s)
	}
	return s
}

// decorate sets or takes away something of a schema.
func decorate(r *rand.Rand, s map[string]any) {
	ways := []func(){
		func() { s["nullable"] = r.IntN(2) == 0 },
		func() { s["maximum"] = r.IntN(4) },
		func() { s["minimum"] = r.IntN(4) },
		func() { s["maxLength"] = r.IntN(4) },
		func() { s["minLength"] = r.IntN(4) },
		func() { s["maxItems"] = r.IntN(3) },
		func() { s["maxProperties"] = r.IntN(3) },
		func() { s["minProperties"] = r.IntN(3) },
		func() { s["pattern"] = []string{"^a", "b$", "."}[r.IntN(3)] },
		func() { s["format"] = []string{"date", "int32", "ipv4"}[r.IntN(3)] },
		func() { s["enum"] = []any{"a", "ab", 1, 2, true}[r.IntN(3):] },
		func() { s["required"] = []string{"a", "b", "c"}[r.IntN(3):] },
		func() { s["exclusiveMaximum"] = r.IntN(2) == 0 },
		func() { s["exclusiveMinimum"] = r.IntN(2) == 0 },
		func() { s["multipleOf"] = 1 + r.IntN(3) },
		func() { s["uniqueItems"] = r.IntN(2) == 0 },
		func() { s["description"] = fmt.Sprint(r.IntN(3)) },
		func() { s["default"] = r.IntN(3) },
		func() {
			if s["items"] == nil { // crdify has one path for both
				s["additionalProperties"] = []any{true, false, map[string]any{"type": "string"}}[r.IntN(3)]
			}
		},
		func() { s["x-kubernetes-preserve-unknown-fields"] = true },
		func() { s["x-kubernetes-embedded-resource"] = true },
		func() { s["anyOf"] = []any{part(r), part(r)}[r.IntN(2):] },
		func() { s["allOf"] = []any{part(r), part(r)}[r.IntN(2):] },
		func() { s["oneOf"] = []any{part(r), part(r)}[r.IntN(2):] },
		func() { s["not"] = part(r) },
		func() {
			delete(s, "type")
			s["x-kubernetes-int-or-string"] = true
		},
		func() { delete(s, "type") },
	}
	ways[r.IntN(len(ways))]()
}

// part is a schema for anyOf and the like.
func part(r *rand.Rand) map[string]any {
	s := map[string]any{}
	decorate(r, s)
	delete(s, "additionalProperties") // crdify has one path for it and items beside
	return s
}

// mutate is a schema with a few things changed, somewhere.
func mutate(r *rand.Rand, s map[string]any, depth int) map[string]any {
	text, _ := json.Marshal(s)
	var other map[string]any
	_ = json.Unmarshal(text, &other)
	for range 1 + r.IntN(2) {
		change(r, other, depth)
	}
	return other
}

func change(r *rand.Rand, s map[string]any, depth int) {
	for _, below := range []string{"items", "additionalProperties", "a", "b", "c"} {
		at := s
		if properties, ok := s["properties"].(map[string]any); ok && len(below) == 1 {
			at = properties
		}
		if child, ok := at[below].(map[string]any); ok && r.IntN(2) == 0 {
			if len(below) == 1 && r.IntN(8) == 0 {
				delete(at, below)
			} else {
				change(r, child, depth-1)
			}
			return
		}
	}
	if keys := sortedKeys(s); r.IntN(3) == 0 && len(keys) > 0 {
		delete(s, keys[r.IntN(len(keys))])
		return
	}
	if r.IntN(6) == 0 {
		clear(s)
		for k, v := range randomSchema(r, max(depth, 0)) {
			s[k] = v
		}
		return
	}
	decorate(r, s)
}

func sortedKeys(s map[string]any) []string {
	var keys []string
	for k := range s {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// randomValue is something that mostly fits a schema.
func randomValue(r *rand.Rand, s map[string]any, depth int) any {
	kind, _ := s["type"].(string)
	if kind == "" || s["format"] == nil && r.IntN(8) == 0 { // a text with a format may be a list, to the validator
		kind = randomTypes[r.IntN(len(randomTypes))]
	}
	switch kind {
	case "string":
		return []string{"", "a", "ab", "abc", "b", strings.Repeat("a", 5), "2020-01-01", "x-0"}[r.IntN(8)]
	case "integer", "number":
		return r.IntN(5)
	case "boolean":
		return r.IntN(2) == 0
	case "array":
		return randomItems(r, s, depth)
	}
	return randomObject(r, s, depth)
}

func randomItems(r *rand.Rand, s map[string]any, depth int) []any {
	items, _ := s["items"].(map[string]any)
	values := []any{}
	for range r.IntN(3) {
		values = append(values, randomValue(r, items, depth-1))
	}
	return values
}

func randomObject(r *rand.Rand, s map[string]any, depth int) map[string]any {
	object := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	others, _ := s["additionalProperties"].(map[string]any)
	for _, name := range []string{"a", "b", "c"} {
		schema, ok := properties[name].(map[string]any)
		if !ok {
			schema = others
		}
		known := schema != nil || s["x-kubernetes-preserve-unknown-fields"] == true // others are dropped before they are stored
		if depth > 0 && known && r.IntN(3) > 0 {
			object[name] = randomValue(r, schema, depth-1)
		}
	}
	return object
}
