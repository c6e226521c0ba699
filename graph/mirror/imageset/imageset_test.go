package imageset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
)

const header = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\n"

// TestNoImageSet has texts that are something else.
func TestNoImageSet(t *testing.T) {
	for text, want := range map[string]string{
		"kind: [":             "f.yaml:1:",
		"- a":                 "it has no kind",
		"schema: olm.package": "it has no kind",
		"kind: ConfigMap":     `kind "ConfigMap": want an ImageSetConfiguration`,
		"kind: DeleteImageSetConfiguration\ndelete: {}":                                     `kind "DeleteImageSetConfiguration"`,
		"kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v1alpha2\nmirror: {}": "that of oc-mirror v1",
		"kind: ImageSetConfiguration\napiVersion: v1\nmirror: {}":                           `apiVersion "v1": want mirror.openshift.io/v2alpha1`,
		"kind: ImageSetConfiguration":                                                       "no mirror section",
	} {
		if _, err := Parse("f.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// TestFaults has what oc-mirror refuses, each with the place and part of the message.
func TestFaults(t *testing.T) {
	operator := "mirror:\n  operators:\n  - catalog: r.example/c:v1\n"
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"mirror: {platform: {graph: true, channels: [{name: stable-4.18, type: ocp}]}, helm: {repositories: [{name: a, url: b, charts: [{name: c}]}]}, additionalImages: [{name: i}]}\narchiveSize: 4\n", nil},
		{operator + "    packages:\n    - name: a\n      minversion: 1.0.0\n", nil}, // encoding/json takes it
		{operator + "    packages:\n    - name: a\n      minVersoin: 1.0.0\n", []string{"8:7 mirror.operators[0].packages[0].minVersoin is not a field of oc-mirror; write minVersion"}},
		{operator + "    packages:\n    - name: a\n      minVersion: 1.10\n", []string{`8:19 mirror.operators[0].packages[0].minVersion is a number, and oc-mirror wants a string; write it in quotes: "1.10"`}},
		{operator + "    packages: a\n", []string{"6:15 mirror.operators[0].packages is a string, and oc-mirror wants a list"}},
		{operator + "    full: \"true\"\n", []string{"6:11 mirror.operators[0].full is a string, and oc-mirror wants true or false"}},
		{operator + "    packages: [{name: a}, {name: a}]\n", []string{`6:34 package "a" is listed twice`}},
		{operator + "    packages:\n    - {name: a, name: b}\n", []string{"7:17 mirror.operators[0].packages[0].name is listed twice"}},
		{operator + "    packages: [{channels: [{minVersion: 1.0.0}]}]\n", []string{"6:16 a package without a name", "6:28 a channel of package"}},
		{operator + "    packages: [{name: a, maxVersion: x1}]\n", []string{`6:38 maxVersion "x1" of package "a" is not a version`}},
		{operator + "    packages: [{name: a, minVersion: 1.0.0, channels: [{name: b, maxVersion: 2.0.0}]}]\n", []string{"6:78 package \"a\" and its channel \"b\" both have versions"}},
		{operator + "  - catalog: r.example/c:v1\n", []string{`6:14 catalog "r.example/c:v1" is listed twice`}},
		{operator + "  - catalog: r.example/c:v1\n    targetTag: x\n", nil},
		{"mirror: {operators: [{catalog: r.example/c}]}", []string{"a tag or a digest"}},
		{"mirror: {operators: [{catalog: 'r.example/c:v1', targetCatalog: 'a:b'}]}", []string{"targetCatalog"}},
	} {
		c, err := Parse("f.yaml", []byte(header+tt.text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range c.Faults {
			got = append(got, fmt.Sprintf("%d:%d %s; %s", f.Pos.Line, f.Pos.Col, f.Message, f.Fix))
		}
		if len(got) != len(tt.want) {
			t.Errorf("%s\ngot %q\nwant %q", tt.text, got, tt.want)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], tt.want[i]) {
				t.Errorf("%s\ngot %q\nwant %q", tt.text, got[i], tt.want[i])
			}
		}
	}
}

// FuzzParse reads any text, and filters a catalog by what it says.
func FuzzParse(f *testing.F) {
	f.Add(header + "mirror: {operators: [{catalog: 'r.example/c:v1', packages: [{name: scale, minVersion: 0.8.1, maxVersion: 0.9.0}]}]}")
	f.Add(header + "mirror: {operators: [{catalog: 'oci://c', full: true}, {catalog: 'c@sha256:0', packages: [{name: work, channels: [{name: fast, maxVersion: v1}]}]}]}")
	c := opentest.Text(f, operators())
	f.Fuzz(func(t *testing.T, text string) {
		config, err := Parse("f.yaml", []byte(text))
		if err != nil {
			return
		}
		for _, fault := range config.Faults {
			if fault.Pos.Line < 1 || fault.Message == "" {
				t.Errorf("a fault without a place or words: %+v", fault)
			}
		}
		for i := range config.Operators {
			config.Operators[i].CatalogSource()
			if left := Filter(c, &config.Operators[i]); (left.Catalog == nil) != (len(left.Rejections) > 0) {
				t.Errorf("%q: a catalog and a refusal, or neither", text)
			}
		}
	})
}
