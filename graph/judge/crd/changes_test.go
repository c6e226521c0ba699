package crd

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestChanges compares two schemas of spec.x and checks the changes, as "path check: message", with ! before changes that narrow.
// Every case is also compared with crdify's own runner.
func TestChanges(t *testing.T) {
	long := strings.Repeat("ä", 300)
	for _, test := range []struct{ was, is, want string }{
		{`"type":"string"`, `"type":"string"`, ``},
		{`"type":"string","description":"a"`, `"type":"string","description":"b"`, ``},
		{`"type":"string"`, `"type":"integer"`, `! ^.spec.x type: spec.x is an integer now, was a string`},
		{`"type":"integer"`, `"type":"number"`, `^.spec.x type: spec.x is a number now, was an integer`},
		{`"type":"integer"`, `"x-kubernetes-int-or-string":true`,
			`^.spec.x type: spec.x is an integer or string now, was an integer
			^.spec.x unhandled: spec.x may be an integer or a string now`},
		{`"type":"string"`, `"type":"string","enum":["a","b"]`, `! ^.spec.x enum: spec.x may only be one of "a" and "b" now`},
		{`"type":"string","enum":["a","b"]`, `"type":"string","enum":["b","c"]`, `! ^.spec.x enum: spec.x may no longer be "a"`},
		{`"type":"string","enum":["a"]`, `"type":"string","enum":["a","b"]`, ``},
		{`"type":"string","enum":["a"]`, `"type":"string"`, `^.spec.x enum: spec.x may have any value now, was one of "a"`},
		{`"type":"integer","maximum":20`, `"type":"integer","maximum":10`, `! ^.spec.x maximum: spec.x must be at most 10, was 20`},
		{`"type":"integer","maximum":20`, `"type":"integer","maximum":30`, ``},
		{`"type":"integer","maximum":20`, `"type":"integer"`, ``},
		{`"type":"integer"`, `"type":"integer","minimum":1`, `! ^.spec.x minimum: spec.x must be at least 1 now`},
		{`"type":"string"`, `"type":"string","maxLength":63`, `! ^.spec.x maxLength: spec.x must have at most 63 characters now`},
		{`"type":"string","minLength":1`, `"type":"string","minLength":2`, `! ^.spec.x minLength: spec.x must have at least 2 characters, was 1`},
		{`"type":"array","items":{}`, `"type":"array","items":{},"maxItems":3`, `! ^.spec.x maxItems: spec.x must have at most 3 items now`},
		{`"type":"array","items":{}`, `"type":"array","items":{},"minItems":1`, `! ^.spec.x minItems: spec.x must have at least 1 item now`},
		{`"type":"object","maxProperties":9`, `"type":"object","maxProperties":8`, `! ^.spec.x maxProperties: spec.x must have at most 8 fields, was 9`},
		{`"type":"object"`, `"type":"object","minProperties":1`, `! ^.spec.x minProperties: spec.x must have at least 1 field now`},
		{`"type":"object","properties":{"a":{},"b":{}}`, `"type":"object","properties":{"a":{},"b":{}},"required":["a"]`,
			`! ^.spec.x required: spec.x.a is required now`},
		{`"type":"object","properties":{"a":{},"b":{}}`, `"type":"object","properties":{"a":{},"b":{}},"required":["b","a"]`,
			`! ^.spec.x required: spec.x.a and spec.x.b are required now`},
		{`"type":"object","properties":{"a":{}},"required":["a"]`, `"type":"object","properties":{"a":{}}`, ``},
		{`"type":"integer"`, `"type":"integer","default":3`, `^.spec.x default: spec.x has the default 3 now, had none`},
		{`"type":"integer","default":3`, `"type":"integer"`, `^.spec.x default: spec.x has no default now, was 3`},
		{`"type":"integer","default":3`, `"type":"integer","default":4`, `^.spec.x default: spec.x has the default 4 now, was 3`},
		{`"type":"string"`, `"type":"string","format":"date-time"`, `! ^.spec.x unhandled: spec.x has the format date-time now, had none`},
		{`"type":"string","pattern":"^a"`, `"type":"string"`, `^.spec.x unhandled: spec.x has no pattern now, was ^a`},
		{`"type":"string","pattern":"^a"`, `"type":"string","pattern":"^b"`, `! ^.spec.x unhandled: spec.x has the pattern ^b now, was ^a`},
		{`"type":"string"`, `"type":"string","nullable":true`, `^.spec.x unhandled: spec.x may be null now`},
		{`"type":"string","nullable":true`, `"type":"string"`, `! ^.spec.x unhandled: spec.x may no longer be null`},
		{`"type":"string","pattern":"^(s|m)$"`, `"type":"string","pattern":"^(s|ms|m)$"`, `^.spec.x unhandled: spec.x has the pattern ^(s|ms|m)$ now, was ^(s|m)$`},
		{`"type":"string","pattern":"^[^s]$"`, `"type":"string","pattern":"^[^s|m]$"`, `! ^.spec.x unhandled: spec.x has the pattern ^[^s|m]$ now, was ^[^s]$`},
		{`"type":"string","pattern":"` + long + `a.*"`, `"type":"string","pattern":"` + long + `b.*"`,
			`! ^.spec.x unhandled: spec.x has the pattern …ääääääääääb.* now, was …ääääääääääa.*`},
		{`"type":"string","pattern":"a b"`, `"type":"string","pattern":"a  b"`, `! ^.spec.x unhandled: spec.x has the pattern with different white space now`},
		{`"type":"string","x-kubernetes-validations":[{"rule":"'` + long + `a' != self"}]`, `"type":"string","x-kubernetes-validations":[{"rule":"'` + long + `b' != self"}]`,
			`^.spec.x unhandled: spec.x must satisfy a rule now: "…ääääääääääb' != self", no longer has to satisfy a rule: "…ääääääääääa' != self"`},
		{`"type":"object","additionalProperties":{"type":"boolean"}`, `"type":"object","properties":{"a":{"type":"boolean"}}`,
			`- ^.spec.x unhandled: spec.x drops other fields now
			- ^.spec.x[*] existingFieldRemoval: spec.x[*] was removed
			- ^.spec.x[*] type: spec.x[*] was removed, with its type boolean`},
		{`"type":"object"`, `"type":"object","additionalProperties":{"type":"boolean"}`, `^.spec.x unhandled: spec.x accepts other fields now, by a schema`},
		{`"type":"object"`, `"type":"object","additionalProperties":true`, `^.spec.x unhandled: spec.x accepts any other fields now`},
		{`"type":"object","additionalProperties":true`, `"type":"object"`, `- ^.spec.x unhandled: spec.x drops other fields now`},
		{`"type":"object","additionalProperties":true`, `"type":"object","additionalProperties":{"type":"boolean"}`,
			`! ^.spec.x unhandled: spec.x accepts other fields only by a schema now`},
		{`"type":"object","x-kubernetes-preserve-unknown-fields":true,"additionalProperties":{"type":"boolean"}`, `"type":"object","x-kubernetes-preserve-unknown-fields":true`,
			`^.spec.x unhandled: spec.x accepts any other fields now
			^.spec.x[*] existingFieldRemoval: spec.x[*] is no longer described, but kept: spec.x keeps unknown fields
			^.spec.x[*] type: spec.x[*] is no longer described, but kept: spec.x keeps unknown fields`},
		{`"type":"object","properties":{"a":{"type":"boolean"}}`, `"type":"object","x-kubernetes-preserve-unknown-fields":true`,
			`^.spec.x unhandled: spec.x keeps unknown fields now
			^.spec.x.a existingFieldRemoval: spec.x.a is no longer described, but kept: spec.x keeps unknown fields
			^.spec.x.a type: spec.x.a is no longer described, but kept: spec.x keeps unknown fields`},
		{`"type":"object","properties":{"a":{"type":"boolean"}}`, `"type":"object","additionalProperties":{"type":"boolean"}`,
			`^.spec.x unhandled: spec.x accepts other fields now, by a schema
			^.spec.x.a existingFieldRemoval: spec.x.a is no longer described by its name: the schema of all other fields of spec.x applies
			^.spec.x.a type: spec.x.a is no longer described by its name: the schema of all other fields of spec.x applies`},
		{`"type":"object","additionalProperties":{"type":"object"}`, `"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"string"}}}`,
			`^.spec.x unhandled: spec.x[*].a is new`},
		{`"type":"object"`, `"type":"object","x-kubernetes-preserve-unknown-fields":true`, `^.spec.x unhandled: spec.x keeps unknown fields now`},
		{`"type":"object","x-kubernetes-preserve-unknown-fields":true`, `"type":"object"`, `- ^.spec.x unhandled: spec.x loses unknown fields now`},
		{`"type":"array","items":{"type":"string"}`, `"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"`,
			`^.spec.x unhandled: spec.x has the x-kubernetes-list-type set now, was atomic`},
		{`"type":"integer"`, `"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]`,
			`^.spec.x unhandled: spec.x must satisfy a rule now: "self > 1"`},
		{`"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]`, `"type":"integer"`,
			`^.spec.x unhandled: spec.x no longer has to satisfy a rule: "self > 1"`},
		{`"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]`, `"type":"integer","x-kubernetes-validations":[{"rule":"self > 1","message":"m"}]`,
			`^.spec.x unhandled: spec.x has the same rules with another message, order or other fields`},
		{`"type":"integer","maximum":9`, `"type":"integer","maximum":9,"exclusiveMaximum":true`,
			`! ^.spec.x unhandled: spec.x must be less than its maximum now`},
		{`"type":"object"`, `"type":"object","additionalProperties":false`, `! ^.spec.x unhandled: spec.x no longer accepts other fields`},
		{`"type":"object","additionalProperties":{"type":"string"}`, `"type":"object","additionalProperties":{"type":"integer"}`,
			`! ^.spec.x unhandled: spec.x[*] is an integer now, was a string
			! ^.spec.x[*] type: spec.x[*] is an integer now, was a string`},
		{`"type":"object","additionalProperties":{"type":"string","description":"a"}`, `"type":"object","additionalProperties":{"type":"string","description":"b"}`,
			`^.spec.x unhandled: spec.x[*] has the description b now, was a`},
		{`"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true`, `"anyOf":[{"type":"string"},{"type":"integer"}],"x-kubernetes-int-or-string":true`,
			`^.spec.x type: spec.x has anyOf in another order, which means the same`},
		{`"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}`, `"type":"array","items":{"type":"object"}`,
			`- ^.spec.x[*].a existingFieldRemoval: spec.x[*].a was removed
			- ^.spec.x[*].a type: spec.x[*].a was removed, with its type string`},
	} {
		t.Run(test.was+" to "+test.is, func(t *testing.T) {
			old := parse(t, widget(version("v1*", `"x":{`+test.was+`}`)))
			new := parse(t, widget(version("v1*", `"x":{`+test.is+`}`)))
			changes, err := Changes(old, new)
			if got, want := tell(changes), strings.ReplaceAll(test.want, "\t", ""); err != nil || got != want {
				t.Errorf("%v\n%s\nwant\n%s", err, got, want)
			}
			parity(t, "", old, new)
		})
	}
}

func tell(changes []Change) string {
	var said []string
	for _, c := range changes {
		line := fmt.Sprintf("%s %s: %s", c.Path, c.Check, c.Message)
		if c.Narrows {
			line = "! " + line
		}
		if c.Loses {
			line = "- " + line
		}
		said = append(said, line)
	}
	return strings.Join(said, "\n")
}

func TestChangeOfScope(t *testing.T) {
	old := widget(version("v1*", ""))
	changes, err := Changes(parse(t, old), parse(t, edit(t, old, "spec.scope", "Cluster")))
	if err != nil || len(changes) != 1 || changes[0].Message != `the scope is "Cluster" now, was "Namespaced"` || changes[0].At != "spec.scope" {
		t.Errorf("%v %+v", err, changes)
	}
}

// TestChangePlaces checks the place of each change in the new definition: the deepest that exists.
func TestChangePlaces(t *testing.T) {
	const spec = "spec.versions[1].schema.openAPIV3Schema.properties[spec]"
	for _, test := range []struct{ was, is, want string }{
		{`"x":{"type":"integer","maximum":9}`, `"x":{"type":"integer","maximum":8}`, spec + ".properties[x].maximum"},
		{`"x":{"type":"integer"},"y":{"type":"string"}`, `"x":{"type":"integer"}`, spec},
		{`"x":{"type":"string","enum":["a"]}`, `"x":{"type":"string"}`, spec + ".properties[x]"},
		{`"x":{"type":"array","items":{"type":"string"}}`, `"x":{"type":"array","items":{"type":"string","format":"date"}}`, spec + ".properties[x].items.format"},
		{`"x":{"type":"object","additionalProperties":{"type":"string"}}`, `"x":{"type":"object","additionalProperties":{"type":"string","nullable":true}}`,
			spec + ".properties[x].additionalProperties"},
	} {
		old := parse(t, widget(version("v0", ""), version("v1*", test.was)))
		new := parse(t, widget(version("v0", ""), version("v1*", test.is)))
		changes, err := Changes(old, new)
		if err != nil || len(changes) == 0 || changes[0].At != test.want {
			t.Errorf("%s to %s: %v %+v, want %s", test.was, test.is, err, changes, test.want)
		}
	}
}

// TestServedVersions compares served versions with each other: only what is new counts, and nothing where a webhook converts.
func TestServedVersions(t *testing.T) {
	same := parse(t, widget(version("v1alpha1", `"x":{"type":"string"}`), version("v1*", `"x":{"type":"string"}`)))
	other := parse(t, widget(version("v1alpha1", `"x":{"type":"string"}`), version("v1*", `"x":{"type":"string"},"y":{"type":"string"}`)))
	less := parse(t, widget(version("v1alpha1", `"x":{"type":"string"},"z":{"type":"string"}`), version("v1*", `"x":{"type":"string"}`)))
	unserved := parse(t, widget(version("v1alpha1!", `"x":{"type":"string"},"z":{"type":"string"}`), version("v1*", `"x":{"type":"string"}`)))
	for name, test := range map[string]struct {
		old, new *Definition
		want     string
	}{
		"new field in the newer":           {same, other, ""},
		"new field in the older":           {same, less, "- ^.spec.z type: spec.z is not in v1, with its type string"},
		"known before":                     {less, less, ""},
		"the older is not served":          {same, unserved, ""},
		"it is served from now":            {unserved, less, "- ^.spec.z type: spec.z is not in v1, with its type string"},
		"a webhook converts":               {same, less.WithWebhookConversion(), ""},
		"a webhook converted, but not now": {same.WithWebhookConversion(), less, "- ^.spec.z type: spec.z is not in v1, with its type string"},
	} {
		changes, err := Changes(test.old, test.new)
		if got := tell(changes); err != nil || got != test.want {
			t.Errorf("%s: %v %s, want %s", name, err, got, test.want)
		}
		parity(t, name, test.old, test.new)
	}
}

// TestOfficialOrder follows the documented steps to add a version and remove an old one: no step is rejected.
func TestOfficialOrder(t *testing.T) {
	const fields = `"x":{"type":"string"}`
	steps := []struct {
		versions []string
		stored   []string // when the step is taken
	}{
		{[]string{version("v1alpha1*", fields)}, []string{"v1alpha1"}},
		{[]string{version("v1alpha1*", fields), version("v1", fields)}, []string{"v1alpha1"}},
		{[]string{version("v1alpha1", fields), version("v1*", fields)}, []string{"v1alpha1", "v1"}},
		{[]string{version("v1alpha1!", fields), version("v1*", fields)}, []string{"v1"}}, // migrated by hand
		{[]string{version("v1*", fields)}, []string{"v1"}},
	}
	for i := 1; i < len(steps); i++ {
		old, new := parse(t, widget(steps[i-1].versions...)), parse(t, widget(steps[i].versions...))
		refusals, err := UpdateFaults(old.Outline, new.Outline, steps[i-1].stored)
		if err != nil || len(refusals) > 0 {
			t.Errorf("step %d: %v %v", i, err, refusals)
		}
		if changes, err := Changes(old, new); err != nil || len(changes) > 0 {
			t.Errorf("step %d: %v %v", i, err, changes)
		}
	}
}

func TestTopmost(t *testing.T) {
	const deep = `"a":{"type":"object","default":{},"properties":{"b":{"type":"object","properties":{"c":{"type":"string"}}},"d":{"type":"array","items":{"type":"string"}}}}`
	for _, test := range []struct {
		was, is, want string
	}{
		{deep + `,"e":{"type":"string"}`, `"e":{"type":"string"}`, `- ^.spec.a existingFieldRemoval: spec.a was removed`},
		{deep, `"a":{"type":"string"}`, `^.spec.a default: spec.a has no default now, was {}
			! ^.spec.a type: spec.a is a string now, was an object`},
		{`"x":{"type":"object","additionalProperties":{"type":"string"}}`, `"x":{"type":"object","additionalProperties":{"type":"integer"}}`,
			`! ^.spec.x[*] type: spec.x[*] is an integer now, was a string`},
		{`"x":{"type":"object","additionalProperties":{"type":"string","description":"a"}}`, `"x":{"type":"object","additionalProperties":{"type":"string"}}`,
			`^.spec.x unhandled: spec.x[*] has no description now, was a`},
	} {
		changes, err := Changes(parse(t, widget(version("v1*", test.was))), parse(t, widget(version("v1*", test.is))))
		top := Topmost(changes)
		if got := tell(top); err != nil || got != strings.ReplaceAll(test.want, "\t", "") {
			t.Errorf("%s to %s: %v\n%s, want\n%s", test.was, test.is, err, got, test.want)
		}
	}
}

func TestTopmostOfServedVersions(t *testing.T) {
	old := parse(t, widget(version("v1alpha1", ""), version("v1*", "")))
	new := parse(t, widget(version("v1alpha1", `"a":{"type":"object","default":{},"properties":{"b":{"type":"string"}}}`), version("v1*", "")))
	changes, err := Changes(old, new)
	top := Topmost(changes)
	if err != nil || len(top) != 1 || top[0].Message != "spec.a is not in v1, with its type object" {
		t.Errorf("%v %+v", err, top)
	}
}

// TestVersionsWithoutSchema count as ones with an empty schema, where crdify itself panics.
func TestVersionsWithoutSchema(t *testing.T) {
	with := widget(version("v1*", `"x":{"type":"string"}`))
	bare := edit(t, with, "spec.versions.0.schema", nil)
	changes, err := Changes(parse(t, with), parse(t, bare))
	if err != nil || len(Topmost(changes)) == 0 {
		t.Errorf("%v %v", err, changes)
	}
	if changes, err := Changes(parse(t, bare), parse(t, bare)); err != nil || len(changes) > 0 {
		t.Errorf("%v %v", err, changes)
	}
}

func TestV1beta1AgainstV1(t *testing.T) {
	changes, err := Changes(parse(t, beta(`"size":{"type":"integer"},"gone":{"type":"string"}`)), parse(t, widget(version("v1*", `"size":{"type":"string"}`))))
	want := "^ type: the object has the type object now, had none\n! ^.spec type: spec has the type object now, had none\n" +
		"- ^.spec.gone existingFieldRemoval: spec.gone was removed\n! ^.spec.size type: spec.size is a string now, was an integer"
	if got := tell(Topmost(changes)); err != nil || got != want {
		t.Errorf("%v %s", err, got)
	}
	changes, err = Changes(parse(t, beta(`"size":{"type":"integer"}`)), parse(t, beta(`"size":{"type":"string"}`)))
	if err != nil || len(changes) != 1 || changes[0].At != "spec.validation.openAPIV3Schema.properties[spec].properties[size].type" {
		t.Errorf("%v %+v", err, changes)
	}
}

// TestEveryFieldHasWords changes each field that a schema can have: each difference must have a message.
func TestEveryFieldHasWords(t *testing.T) {
	for i, schema := 0, reflect.TypeFor[v1.JSONSchemaProps](); i < schema.NumField(); i++ {
		name := schema.Field(i).Name
		if name == "Properties" || name == "Items" {
			continue
		}
		a, b := &v1.JSONSchemaProps{}, &v1.JSONSchemaProps{}
		fill(reflect.ValueOf(b).Elem().Field(i))
		for _, pair := range [][2]*v1.JSONSchemaProps{{a, b}, {b, a}} {
			found := (&differ{budget: maxVisits}).differences(pair[0], pair[1])
			if len(found) != 1 || found[0].text == "" {
				t.Errorf("%s: %+v", name, found)
			}
		}
		if sameNode(a, b) || !sameTree(b, b.DeepCopy()) {
			t.Errorf("%s: taken for the same, or the same for another", name)
		}
	}
}

// fill sets a value to something other than its zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), reflect.Zero(v.Type().Elem()))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[v1.JSON]() {
			v.Set(reflect.ValueOf(v1.JSON{Raw: json.RawMessage("1")}))
		} else if v.NumField() > 0 {
			fill(v.Field(0))
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8:
		v.SetUint('1')
	}
}
