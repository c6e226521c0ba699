package crd

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

// TestFaults breaks a valid definition in one place each time and checks the faults.
func TestFaults(t *testing.T) {
	const root = "spec.versions.0.schema.openAPIV3Schema"
	const at = "spec.versions[0].schema.openAPIV3Schema"
	good := widget(version("v1*", `"size":{"type":"integer"},"list":{"type":"array","items":{"type":"string"}}`))
	for _, test := range []struct {
		path  string
		value any
		want  string
	}{
		{"metadata.annotations.a", "b", ``},
		{"metadata.namespace", "ns", ``},
		{"status", map[string]any{"acceptedNames": map[string]any{"plural": "", "kind": ""}, "conditions": []any{}, "storedVersions": []any{}}, ``},
		{"metadata.name", "gadgets.example.com", `metadata.name: "gadgets.example.com" is not valid: must be spec.names.plural+"."+spec.group`},
		{"spec.group", "example", `metadata.name: "widgets.example.com" is not valid: must be spec.names.plural+"."+spec.group
			spec.group: "example" is not valid: should be a domain with at least one dot`},
		{"spec.scope", nil, `spec.scope: is required`},
		{"spec.names.kind", nil, `spec.names.kind: is required
			spec.names.listKind: is required
			spec.names.singular: is required`},
		{"spec.names.listKind", "Widget", `spec.names.listKind: "Widget" is not valid: kind and listKind may not be the same`},
		{"spec.versions.0.storage", false, `spec.versions: must have exactly one version marked as storage version`},
		{"spec.versions.0.name", "V1", `spec.versions[0].name: "V1" is not valid: a DNS-1035 label must consist`},
		{"spec.versions.0.schema", nil, `spec.versions[0].schema.openAPIV3Schema: is required`},
		{"spec.preserveUnknownFields", true, `spec.preserveUnknownFields: true is not valid: cannot set to true`},
		{"spec.versions.0.deprecationWarning", "old", `spec.versions[0].deprecationWarning: "old" is not valid: can only be set for deprecated versions`},
		{"spec.versions.0.subresources.scale.specReplicasPath", ".spec.size",
			`spec.versions[0].subresources.scale.statusReplicasPath: is required`},
		{"spec.versions.0.additionalPrinterColumns", []any{map[string]any{"name": "a", "type": "text", "jsonPath": ".spec"}},
			`spec.versions[0].additionalPrinterColumns[0].type: "text" is not valid: must be one of boolean,date,integer,number,string`},
		{"spec.versions.0.selectableFields", []any{map[string]any{"jsonPath": ".spec.none"}}, `spec.versions[0].selectableFields[0].jsonPath: ".spec.none" is not valid`},
		{"spec.conversion", map[string]any{"strategy": "Webhook"}, `spec.conversion.webhook.clientConfig: is required
			spec.conversion.webhook.conversionReviewVersions: is required`},
		{root + ".type", nil, at + `.type: is required: must not be empty at the root`},
		{root + ".properties.spec.properties.size.type", nil, at + `.properties[spec].properties[size].type: is required: must not be empty for specified object fields`},
		{root + ".properties.spec.properties.size.type", "int", at + `.properties[spec].properties[size].type: "int" is not one of the allowed values`},
		{root + ".properties.spec.properties.size.default", "many", at + `.properties[spec].properties[size].default: must be of type integer, is string`},
		{root + ".properties.spec.properties.list.items.$ref", "#/a", at + `.properties[spec].properties[list].items.$ref: must not be set`},
		{root + ".properties.spec.properties.list.x-kubernetes-list-type", "map", at + `.properties[spec].properties[list]`},
		{root + ".properties.spec.properties.size.x-kubernetes-validations", []any{map[string]any{"rule": "self > "}},
			at + `.properties[spec].properties[size].x-kubernetes-validations[0].rule: compilation failed: at 1:8: Syntax error: mismatched input`},
		{root + ".properties.spec.properties.size.pattern", "(", at + `.properties[spec].properties[size].pattern: "(" is not valid`},
	} {
		faults, err := parse(t, edit(t, good, test.path, test.value)).Faults()
		if err != nil || !begins(faults, strings.ReplaceAll(test.want, "\t", "")) {
			t.Errorf("%s: %v\n%v\nwant\n%s", test.path, err, faults, test.want)
		}
	}
}

// begins says whether the faults, one a line, start with the lines of want, and are none if there are none.
func begins(faults []Fault, want string) bool {
	if want == "" {
		return len(faults) == 0
	}
	for i, line := range strings.Split(want, "\n") {
		if i >= len(faults) || !strings.HasPrefix(faults[i].Path+": "+faults[i].Message, line) && !strings.HasPrefix(faults[i].Path, line) {
			return false
		}
	}
	return true
}

// TestFaultsStayShort: messages are one line of bounded length for any definition.
func TestFaultsStayShort(t *testing.T) {
	long := strings.Repeat("x\n\x1b[31m", 2000)
	text := widget(version("v1*", `"size":{"type":"integer"}`))
	text = edit(t, text, "spec.names.plural", long)
	text = edit(t, text, "spec.versions.0.schema.openAPIV3Schema.properties.spec.x-kubernetes-validations", []any{map[string]any{"rule": long}})
	faults, err := parse(t, text).Faults()
	if err != nil || len(faults) < 3 {
		t.Fatal(err, faults)
	}
	for _, fault := range faults {
		if len(fault.Message) > 2*maxMessage || strings.ContainsAny(fault.Message, "\n\x1b") {
			t.Errorf("%q", fault)
		}
	}
}

func TestUpdateFaults(t *testing.T) {
	both := widget(version("v1alpha1*", ""), version("v1", ""))
	moved := widget(version("v1alpha1", ""), version("v1*", ""))
	alone := widget(version("v1*", ""))
	for name, test := range map[string]struct {
		old, new string
		stored   []string
		want     string
	}{
		"the storage version moves":   {both, moved, []string{"v1alpha1"}, ``},
		"one that nobody stored goes": {moved, alone, []string{"v1"}, ``},
		"a stored one goes": {moved, alone, []string{"v1alpha1", "v1"},
			`status.storedVersions[0]: "v1alpha1" is not valid: missing from spec.versions; v1alpha1 was previously a storage version, and must remain`},
		"scope":                       {alone, edit(t, alone, "spec.scope", "Cluster"), []string{"v1"}, `spec.scope: "Cluster" is not valid: field is immutable`},
		"kind":                        {alone, edit(t, alone, "spec.names.kind", "Gadget"), []string{"v1"}, `spec.names.kind: "Gadget" is not valid: field is immutable`},
		"plural":                      {alone, edit(t, alone, "spec.names.plural", "gadgets"), []string{"v1"}, `spec.names.plural: "gadgets" is not valid: field is immutable`},
		"group":                       {alone, edit(t, alone, "spec.group", "example.org"), []string{"v1"}, `spec.group: "example.org" is not valid: field is immutable`},
		"what is its own fault":       {alone, edit(t, alone, "spec.versions.0.name", "V1"), []string{"V1"}, ``},
		"listKind":                    {alone, edit(t, alone, "spec.names.listKind", "Widgets"), []string{"v1"}, ``},
		"from v1beta1":                {beta(`"a":{}`), alone, []string{"v1"}, ``},
		"from v1beta1, another scope": {beta(`"a":{}`), edit(t, alone, "spec.scope", "Cluster"), []string{"v1"}, `spec.scope: "Cluster" is not valid`},
	} {
		faults, err := UpdateFaults(parse(t, test.old).Outline, parse(t, test.new).Outline, test.stored)
		if err != nil || !begins(faults, test.want) {
			t.Errorf("%s: %v %v, want %s", name, err, faults, test.want)
		}
	}
}

// TestUpdateFaultsOnBundles compares UpdateFaults, which leaves out schemas, with the whole validation of updates in real bundles.
func TestUpdateFaultsOnBundles(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	known := definitions{}
	for i, s := range steps(bundleRepo(t)) {
		if i%20 > 0 { // the whole validation compiles all CEL rules four times
			continue
		}
		old, new := known.parse(t, s.old), known.parse(t, s.new)
		stored := []string{old.StorageVersion()}
		got, err := UpdateFaults(old.Outline, new.Outline, stored)
		if err != nil {
			t.Fatal(err)
		}
		if want := wholeUpdate(t, old, new, stored); !slices.Equal(got, want) {
			t.Errorf("%s:\n%v, want\n%v", s.new.file, got, want)
		}
	}
}

func wholeUpdate(t *testing.T, old, new *Definition, stored []string) []Fault {
	t.Helper()
	before, err := old.internal()
	if err != nil {
		t.Fatal(err)
	}
	after, err := new.internal()
	if err != nil {
		t.Fatal(err)
	}
	asCreated(after)
	alone := convertFaults(validation.ValidateCustomResourceDefinition(context.Background(), after), new.writtenPath)
	asUpdated(before, after, stored)
	all := convertFaults(validation.ValidateCustomResourceDefinitionUpdate(context.Background(), after, before), new.writtenPath)
	return slices.DeleteFunc(all, func(f Fault) bool { return slices.Contains(alone, f) })
}

// TestConcurrent calls all methods of the same definitions concurrently.
func TestConcurrent(t *testing.T) {
	a := parse(t, widget(version("v1alpha1", `"x":{"type":"integer","default":1}`), version("v1*", `"x":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]}`)))
	b := parse(t, widget(version("v1alpha1", `"x":{"type":"string"}`), version("v1*", `"x":{"type":"integer","maximum":3}`)))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			_, _ = a.Faults()
			_, _ = UpdateFaults(a.Outline, b.Outline, []string{"v1"})
			_, _ = Changes(a, b)
			_, _ = Unseen(a, b)
			_, _ = b.Invalid("v1", []byte(`{"spec":{"x":4}}`))
			_ = b.WithWebhookConversion()
		})
	}
	group.Wait()
}

// TestUnseen checks the changes that crdify does not detect and OLM v0 rejects.
func TestUnseen(t *testing.T) {
	const quantity = `"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true`
	for _, test := range []struct{ was, is, want string }{
		{`"x":{` + quantity + `}`, `"x":{` + quantity + `,"pattern":"^[0-9]+$"}`, `! ^.spec.x unseen: spec.x has the pattern ^[0-9]+$ now, had none`},
		{`"x":{` + quantity + `}`, `"x":{` + quantity + `,"description":"a"}`, ``},
		{`"x":{"type":"string"}`, `"x":{"type":"string","pattern":"a"}`, ``},
		{`"x":{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, `"x":{"type":"object","properties":{"a":{"type":"string"}}}`,
			`! ^.spec.x.a unseen: spec.x.a has a schema now, and could have any value`},
		{`"x":{"type":"object"}`, `"x":{"type":"object","properties":{"a":{"type":"string"}}}`, ``},
		{`"x":{"type":"object","additionalProperties":{"type":"boolean"}}`, `"x":{"type":"object","properties":{"a":{"type":"boolean"}}}`, ``},
		{`"x":{"type":"object","additionalProperties":{"type":"boolean"}}`, `"x":{"type":"object","properties":{"a":{"type":"string"}}}`,
			`! ^.spec.x.a unseen: spec.x.a is a string now, was a boolean`},
		{`"x":{"type":"object","additionalProperties":{"type":"object"}}`, `"x":{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`, ``},
		{`"x":{"type":"object","additionalProperties":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}`,
			`"x":{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`, `! ^.spec.x.a unseen: spec.x.a.b has a schema now, and could have any value`},
		{`"x":{"type":"object","additionalProperties":true}`, `"x":{"type":"object","properties":{"a":{"type":"string"}}}`,
			`! ^.spec.x.a unseen: spec.x.a has a schema now, and could have any value`},
		{`"x":{"oneOf":[{"maxLength":3,"description":"a"},{"minLength":5}]}`, `"x":{"oneOf":[{"maxLength":3,"description":"b"},{"minLength":5}]}`, ``},
		{`"x":{"oneOf":[{"maxLength":3},{"minLength":5}]}`, `"x":{"oneOf":[{"maxLength":6},{"minLength":5}]}`, `! ^.spec.x unseen: spec.x.oneOf[0] must have at most 6 characters, was 3`},
		{`"x":{"type":"string"}`, `"x":{"type":"array","items":{"type":"string"}}`, ``},
		{`"x":{"type":"string"}`, `"x":{"type":"object","additionalProperties":{"type":"string"}}`, ``},
		{`"x":{"type":"array"}`, `"x":{"type":"array","items":{"type":"string"}}`, `! ^.spec.x[*] unseen: spec.x[*] has a schema now, and could have any value`},
	} {
		old, new := parse(t, widget(version("v1*", test.was))), parse(t, widget(version("v1*", test.is)))
		changes, err := Unseen(old, new)
		if got := tell(changes); err != nil || got != test.want {
			t.Errorf("%s to %s: %v %s, want %s", test.was, test.is, err, got, test.want)
		}
	}
}
