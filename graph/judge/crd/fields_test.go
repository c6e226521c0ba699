package crd

import "testing"

// TestSharedPaths: schemas of which crdify has one path for several are compared as crdify does, though what is the same is left out.
func TestSharedPaths(t *testing.T) {
	for _, test := range []struct{ was, is string }{
		{`"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"string"}}},"b.c":{"type":"integer"}}`,
			`"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"string"}}},"b.c":{"type":"number"}}`},
		{`"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"string"}}},"b.c":{"type":"integer"}}`,
			`"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"number"}}},"b.c":{"type":"integer"}}`},
		{`"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"a":{"maxLength":3}}}]`,
			`"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"a":{"maxLength":2}}}]`},
		{`"type":"object","properties":{"a":{"type":"string"}},"not":{"properties":{"a":{"enum":["b"]},"d":{"enum":["b"]}}}`,
			`"type":"object","properties":{"a":{"type":"string"}},"not":{"properties":{"a":{"enum":["c"]}}}`},
		{`"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}}},"b":{"type":"string"}}`,
			`"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}}},"b":{"type":"integer"}}`},
		{`"type":"object","properties":{"a[*]":{"type":"string"},"a":{"type":"array","items":{"type":"string"}}}`,
			`"type":"object","properties":{"a[*]":{"type":"string"},"a":{"type":"array","items":{"type":"integer"}}}`},
		{`"type":"array","items":{"type":"string"}`, `"type":"object","additionalProperties":{"type":"string"}`},
	} {
		old, new := parse(t, widget(version("v1*", `"x":{`+test.was+`}`))), parse(t, widget(version("v1*", `"x":{`+test.is+`}`)))
		choice(t, test.is, old, new)
		choice(t, test.was, new, old)
	}
}

// TestFlattenSchemas: of two large schemas only the parts that differ are compared.
func TestFlattenSchemas(t *testing.T) {
	with := func(limit string) *Definition {
		return parse(t, widget(version("v1*", `"a":{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}}},`+
			`"d":{"type":"object","properties":{"e":{"type":"string","maxLength":`+limit+`},"f":{"type":"string"}}}`)))
	}
	was, is := flattenSchemas(with("3").version("v1"), with("2").version("v1"))
	want := "[^ ^.spec ^.spec.d ^.spec.d.e]"
	for _, f := range []fields{was, is} {
		if got := sortedNames(f); len(got) != 4 || got[3] != "^.spec.d.e" {
			t.Errorf("%v, want %s", got, want)
		}
	}
}
