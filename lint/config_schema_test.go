package lint

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// TestConfigSchema checks that the schema and ParseConfig accept the same configurations.
func TestConfigSchema(t *testing.T) {
	text, err := ConfigSchema(someRules())
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("config.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	for key, config := range map[string]string{"the schema": string(text), "the example": ConfigExample} {
		for _, known := range configKeys() {
			if !strings.Contains(config, known.name+`":`) && !strings.Contains(config, "\n#"+known.name+":") {
				t.Errorf("%s lacks %s", key, known.name)
			}
		}
	}
	for config, good := range map[string]bool{
		uncommentedExample():         true,
		"rules: {graph/stuck: off}":  true,
		"rules: {graph/stuk: error}": false,
		"rules: {graph/stuck: bad}":  false,
		"rules: []":                  false,
		"overrides: [{packages: [a*], rules: {graph/stuck: info}}]":                          true,
		"overrides: [{packages: a, rules: {graph/stuck: info}}]":                             false,
		"overrides: [{packages: [a]}]":                                                       false,
		"suppressions: [{rule: graph/stuck, reason: x}]":                                     true,
		"suppressions: [{rule: graph/stuck, reason: 'see [ticket 12'}]":                      true,
		"suppressions: [{rule: graph/stuck}]":                                                false,
		"suppressions: [{reason: x}]":                                                        false,
		"suppressions: [{rule: graph/stuck, reason: x, because: y}]":                         false,
		"suppressions: [{rule: graph/stuck, reason: x, expires: soon}]":                      false,
		`suppressions: [{rule: "graph/*", bundle: "a.*", reason: x, expires: "2027-01-31"}]`: true,
		"registries: [quay.io/acme]":                                                         true,
		"registries: quay.io":                                                                false,
		"maxHops: 3":                                                                         true,
		"maxHops: 0":                                                                         false,
		"maxHops: many":                                                                      false,
		`openshift: "4.18"`:                                                                  true,
		`openshift: "four"`:                                                                  false,
		`kube: "1.29"`:                                                                       true,
		`kube: "new"`:                                                                        false,
		`kube: "1.29.x"`:                                                                     false,
		"suppressions: [{rule: graph/stuck, reason: x, expires: '2027-02-41'}]":              false,
		"migratesStorage: {a: 1.2.3}":                                                        true,
		"migratesStorage: [a]":                                                               false,
		"something: else":                                                                    false,
	} {
		_, readErr := ParseConfig("c", []byte(config), someRules())
		var value any
		if err := yaml.Unmarshal([]byte(config), &value); err != nil {
			t.Fatal(config, err)
		}
		asJSON, err := json.Marshal(value)
		if err != nil {
			t.Fatal(config, err)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(config, err)
		}
		if schemaErr := schema.Validate(instance); (readErr == nil) != good || (schemaErr == nil) != good {
			t.Errorf("%s: the reader says %v, the schema %v", config, readErr, schemaErr)
		}
	}
}

// uncommentedExample returns ConfigExample with all settings enabled.
func uncommentedExample() string {
	var out strings.Builder
	for line := range strings.Lines(ConfigExample) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !isSentence(rest) {
			out.WriteString(rest)
		}
	}
	// The YAML library decodes an unquoted date as a time; editors do not.
	return strings.ReplaceAll(out.String(), "2027-01-31", `"2027-01-31"`)
}

// isSentence reports whether a line of the example is prose, not a setting: a space and a capital letter.
func isSentence(rest string) bool {
	return len(rest) > 2 && rest[0] == ' ' && 'A' <= rest[1] && rest[1] <= 'Z'
}
