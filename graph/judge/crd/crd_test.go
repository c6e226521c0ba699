package crd

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// widget is a definition of Widgets with versions made by version, in v1.
func widget(versions ...string) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},"versions":[%s]}}`,
		strings.Join(versions, ","))
}

// version is one version: its name, with * if it is the stored one and ! if it is not served, and the properties of its spec.
func version(name, properties string) string {
	bare := strings.Trim(name, "*!")
	return fmt.Sprintf(`{"name":%q,"served":%v,"storage":%v,"schema":{"openAPIV3Schema":{"type":"object","properties":{
		"spec":{"type":"object","properties":{%s}}}}}}`,
		bare, !strings.Contains(name, "!"), strings.Contains(name, "*"), properties)
}

// beta is a definition of Widgets in v1beta1, with one schema for all its versions, v1.
func beta(properties string) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition",
		"metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","version":"v1","names":{"kind":"Widget","plural":"widgets"},
		"validation":{"openAPIV3Schema":{"properties":{"spec":{"properties":{%s}}}}}}}`, properties)
}

// edit sets a value in JSON at a path of names and indices: spec.versions.0.served. nil takes it away.
func edit(t testing.TB, text, path string, value any) string {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	steps := strings.Split(path, ".")
	at := root
	for _, step := range steps[:len(steps)-1] {
		switch v := at.(type) {
		case map[string]any:
			if v[step] == nil {
				v[step] = map[string]any{}
			}
			at = v[step]
		case []any:
			at = v[step[0]-'0']
		}
	}
	if last := steps[len(steps)-1]; value == nil {
		delete(at.(map[string]any), last)
	} else {
		at.(map[string]any)[last] = value
	}
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func parse(t testing.TB, text string) *Definition {
	t.Helper()
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestParse(t *testing.T) {
	d := parse(t, widget(version("v1alpha1", `"a":{"type":"string"}`), version("v1*", `"a":{"type":"string"}`)))
	if d.crd.Spec.Names.ListKind != "WidgetList" || d.crd.Spec.Names.Singular != "widget" || d.Conversion != "None" || d.Scope != "Namespaced" {
		t.Errorf("not defaulted: %+v", d)
	}
	if d.StorageVersion() != "v1" || !d.Serves("v1alpha1") || d.Serves("v2") {
		t.Errorf("wrong versions: %+v", d.Versions)
	}
}

func TestParseV1beta1(t *testing.T) {
	d := parse(t, beta(`"size":{}`))
	if d.Scope != "Namespaced" || d.StorageVersion() != "v1" || versionSchema(d.version("v1")) == nil || !d.PreserveUnknownFields {
		t.Errorf("not defaulted: %+v", d)
	}
	if faults, err := d.Faults(); err != nil || len(faults) > 0 {
		t.Errorf("what v1beta1 took: %v %v", faults, err)
	}
	d = parse(t, edit(t, edit(t, beta(`"size":{}`), "metadata.name", "gadgets.example.com"), "spec.names.plural", "Widgets"))
	if faults, err := d.Faults(); err != nil || len(faults) != 2 {
		t.Errorf("what it did not take: %v %v", faults, err)
	}
}

// TestBeyondLimits: if the schemas are too large everything else is validated, and no error is attributed to an API server.
func TestBeyondLimits(t *testing.T) {
	deep := version("v1*", `"a":{"type":"object","description":"openAPIV3Schema","properties":`+strings.Repeat(`{"a":{"properties":`, maxDepth)+"{}"+strings.Repeat("}}", maxDepth)+`}`)
	flat := version("v1alpha1", `"openAPIV3Schema":{"type":"string"}`)
	d := parse(t, widget(flat, deep))
	if len(d.Versions) != 2 || d.StorageVersion() != "v1" || versionSchema(d.version("v1")) == nil {
		t.Errorf("%+v", d)
	}
	var says uncheckedError
	if faults, err := d.Faults(); len(faults) > 0 || !errors.As(err, &says) {
		t.Errorf("%v %v", faults, err)
	}
	d = parse(t, edit(t, widget(flat, deep), "metadata.name", "gadgets.example.com"))
	if faults, err := d.Faults(); len(faults) != 1 || !errors.As(err, &says) {
		t.Errorf("a wrong name beside a large schema: %v %v", faults, err)
	}
	old := parse(t, widget(version("v1alpha1*", "")))
	if faults, err := UpdateFaults(old.Outline, d.Outline, []string{"v2"}); err != nil || len(faults) == 0 {
		t.Errorf("%v %v", faults, err)
	}
	_, changes := Changes(old, d)
	_, unseen := Unseen(old, d)
	_, invalid := d.Invalid("v1", []byte("{}"))
	for _, err := range []error{changes, unseen, invalid} {
		if !errors.As(err, &says) {
			t.Error(err)
		}
	}
}

// TestRealSize takes a definition that is nested as much as the largest published ones, of some 421,000 objects times their depth.
func TestRealSize(t *testing.T) {
	field := func(i int) string {
		return fmt.Sprintf(`"f%d":`, i) + strings.Repeat(`{"type":"object","properties":{"a":`, 9) + `{"type":"string"}` + strings.Repeat("}}", 9)
	}
	var fields []string
	for i := range 1350 {
		fields = append(fields, field(i))
	}
	text := widget(version("v1*", strings.Join(fields, ",")))
	if n := measure([]byte(text)).nesting; n < 400_000 || n > 500_000 {
		t.Errorf("%d objects times their depth", n)
	}
	if faults, err := parse(t, text).Faults(); err != nil || len(faults) > 0 {
		t.Errorf("%v %v", faults, err)
	}
}

func TestParseErrors(t *testing.T) {
	const spec = "spec.versions.0.schema.openAPIV3Schema.properties.spec"
	good := widget(version("v1*", ""))
	for want, text := range map[string]string{
		"unexpected end of JSON input":                                           "",
		"the document is the number 3, but must be an object":                    "3",
		`kind is "List", but must be CustomResourceDefinition`:                   edit(t, good, "kind", "List"),
		`apiVersion is "v1", but must be`:                                        edit(t, good, "apiVersion", "v1"),
		"kind is the number 1, but must be a string":                             edit(t, good, "kind", 1),
		"has 201 levels; a CRD with more than 110":                               strings.Repeat("[", 201),
		"has 3145730 bytes without white space":                                  `"` + strings.Repeat("x", 3<<20) + `"`,
		"has 101 versions":                                                       widget(strings.Split(strings.Repeat("{} ", 101)[:302], " ")...),
		`spec.versions is the string "v1", but must be a list`:                   edit(t, good, "spec.versions", "v1"),
		"spec.versions[0].name is the number 1, but must be a string":            edit(t, good, "spec.versions.0.name", 1),
		"metadata.labels.a is a boolean, but must be a string":                   edit(t, good, "metadata.labels.a", true),
		`metadata.creationTimestamp is the string "now", parsing time`:           edit(t, good, "metadata.creationTimestamp", "now"),
		`spec.preserveUnknownFields is the string "no\n", but must be a boolean`: edit(t, good, "spec.preserveUnknownFields", "no\n"),
		"spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.a.items.maxLength is the number 1.5, but must be an integer": edit(t, good, spec+".properties.a.items.maxLength", 1.5),
		`.properties.spec.additionalProperties is the string "yes", boolean or JSON schema expected`:                                     edit(t, good, spec+".additionalProperties", "yes"),
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80s: %v, want %s", text, err, want)
		}
	}
}

// TestInvalid validates objects by the schema of a version, as OLM v0 does before it updates a definition.
func TestInvalid(t *testing.T) {
	d := parse(t, edit(t, widget(version("v1*", `"size":{"type":"integer","maximum":20},"mode":{"type":"string","enum":["a","b"]},
		"list":{"type":"array","maxItems":1,"items":{"type":"object","required":["key"],"properties":{"key":{"type":"string","pattern":"^[a-z]+$"}}}},
		"rule":{"type":"integer","default":1,"x-kubernetes-validations":[{"rule":"self > 1"}]}`)),
		"spec.versions.0.schema.openAPIV3Schema.properties.spec.additionalProperties", false))
	for object, want := range map[string]string{
		`{"spec":{"size":20,"mode":"a","rule":0}}`:           ``,
		`{"spec":{"size":21}}`:                               `spec.size: 21 is not valid: should be less than or equal to 20`,
		`{"spec":{"size":"a"}}`:                              `spec.size: must be of type integer, is string`,
		`{"spec":{"mode":"c"}}`:                              `spec.mode: "c" is not one of the allowed values: supported values: "a", "b"`,
		`{"spec":{"list":[{}]}}`:                             `spec.list[0].key: is required`,
		`{"spec":{"list":[{"key":"A"}]}}`:                    `spec.list[0].key: "A" is not valid: should match '^[a-z]+$'`,
		`{"spec":{"list":[{"key":"a"},{"key":"b"}]}}`:        `spec.list: 2 is not valid: must have at most 1 item`,
		`{"apiVersion":"example.com/v1","kind":"Widget"}`:    ``,
		`{"spec":{"other":1}}`:                               `spec: "other" is not valid: is a forbidden property`,
		`{"spec":{"size":null}}`:                             `spec.size: must be of type integer, is null`,
		`{"spec":{"size":21},"metadata":{"labels":[{}, 3]}}`: `spec.size: 21 is not valid`,
	} {
		faults, err := d.Invalid("v1", []byte(object))
		if err != nil || !begins(faults, want) {
			t.Errorf("%s: %v %v, want %s", object, err, faults, want)
		}
	}
	for version, object := range map[string]string{"v2": `{}`, "v1": `[]`} {
		if _, err := d.Invalid(version, []byte(object)); err == nil {
			t.Errorf("%s %s: no error", version, object)
		}
	}
}

// TestStored gives objects as an API server has them after a write: pruned, without nulls, with defaults.
func TestStored(t *testing.T) {
	fields := `"a":{"type":"string","default":"x"},"n":{"type":"string","nullable":true},"m":{"type":"object","additionalProperties":{"type":"integer"}},
		"any":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"o":{"type":"object"}}},
		"l":{"type":"array","items":{"type":"object","properties":{"d":{"type":"integer","default":3}}}}`
	for _, test := range []struct{ definition, object, want string }{
		{fields, `{"kind":"Widget","metadata":{"name":"w","x":1},"status":null,"spec":{"a":"y"}}`, `{"kind":"Widget","metadata":{"name":"w","x":1},"spec":{"a":"y"}}`},
		{fields, `{"spec":null}`, `{}`},
		{fields, `{"spec":{"a":null,"b":1,"n":null,"m":{"k":1,"null":null}}}`, `{"spec":{"a":"x","m":{"k":1},"n":null}}`},
		{fields, `{"spec":{"any":{"k":1,"o":{"k":1}},"l":[{"e":1},{"d":4}]}}`, `{"spec":{"a":"x","any":{"k":1,"o":{}},"l":[{"d":3},{"d":4}]}}`},
	} {
		got, err := parse(t, widget(version("v1*", test.definition))).asStored("v1", []byte(test.object))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %v %s, want %s", test.object, err, got, test.want)
		}
	}
	kept := `{"spec":{"b":null}}`
	if got, err := parse(t, beta(fields)).asStored("v1", []byte(kept)); err != nil || string(got) != kept {
		t.Errorf("with preserveUnknownFields: %v %s", err, got)
	}
	items := strings.TrimSuffix(strings.Repeat("{},", 2000), ",")
	large := `"a":{"type":"array","default":[` + items + `],"items":{"type":"object","properties":{"b":{"type":"array","default":[` + items + `],
		"items":{"type":"object","properties":{"c":{"type":"string","default":"` + strings.Repeat("x", 2000) + `"}}}}}}}`
	var says uncheckedError
	if _, err := parse(t, widget(version("v1*", large))).asStored("v1", []byte(`{"spec":{}}`)); !errors.As(err, &says) {
		t.Errorf("gigabytes of defaults: %v", err)
	}
}
