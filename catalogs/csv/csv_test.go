package csv_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

func decode(t *testing.T, text string) *csv.Document {
	t.Helper()
	objects, err := bundled.ParseObjects([]byte(text))
	if err != nil || len(objects) != 1 {
		t.Fatal(len(objects), err)
	}
	return csv.Decode(objects[0])
}

func TestDecode(t *testing.T) {
	d := decode(t, `
kind: ClusterServiceVersion
metadata:
  annotations:
    olm.examples: '[{"apiVersion": "old.example.com/v1", "kind": "Old"}]'
    alm-examples: '[{"apiVersion": "example.com/v1", "kind": "Boat"}, {"apiVersion": "example.com/v1", "kind": "Boat"}, {"apiVersion": "v1", "kind": "Pod"}, 3]'
spec:
  installModes: [{type: OwnNamespace, supported: true}, {type: AllNamespaces}, {type: OwnNamespace, supported: true}, {type: Other, supported: true}]
  customresourcedefinitions: {owned: [{name: boats.example.com, version: v1, kind: Boat}]}
  apiservicedefinitions: {owned: [{group: api.example.com, version: v2, kind: Ship}]}
`)
	for got, want := range map[string]string{
		fmt.Sprint(d.Err):                  "<nil>",
		fmt.Sprint(d.InstallModes()):       "[OwnNamespace Other]",
		fmt.Sprint(d.OwnedAPIs()):          "[Boat.v1.example.com Ship.v2.api.example.com]",
		d.ExampleAnnotation():              "alm-examples",
		fmt.Sprint(len(d.Examples())):      "4",
		string(d.Examples()[2].JSON):       `{"apiVersion": "v1", "kind": "Pod"}`,
		fmt.Sprintf("%q", d.ExampleAPIs()): `["Boat.v1.example.com" "Pod.v1" "."]`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestDecodePart: a value of the wrong type is an error that names it, and the rest is decoded.
func TestDecodePart(t *testing.T) {
	d := decode(t, "{kind: ClusterServiceVersion, spec: {version: 1.5, replaces: a.v1, installModes: [{type: AllNamespaces, supported: true}]}}")
	var wrong *json.UnmarshalTypeError
	if !errors.As(d.Err, &wrong) || wrong.Field != "spec.version" || d.Spec.Replaces != "a.v1" || len(d.InstallModes()) != 1 {
		t.Errorf("%v: %q %q", d.Err, d.Spec.Replaces, d.InstallModes())
	}
	if d.Examples() != nil || d.ExampleAnnotation() != "" {
		t.Errorf("%q of %q", d.Examples(), d.ExampleAnnotation())
	}
}

func TestAllows(t *testing.T) {
	rule := csv.PolicyRule{APIGroups: []string{"policy"}, Resources: []string{"a", "b"}, Verbs: []string{"get"}}
	if !rule.Allows("policy", []string{"b"}, "get") || rule.Allows("policy", []string{"b"}, "create") || rule.Allows("", []string{"b"}, "get") ||
		rule.Allows("policy", []string{"c"}, "get") {
		t.Error("a rule allows what it does not name")
	}
	if rule.Verbs = []string{"*"}; !rule.Allows("policy", []string{"a"}, "create") {
		t.Error("the verb * does not allow create")
	}
}
