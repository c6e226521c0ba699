package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
)

// buildIndex is that of one catalog: packages of one version each, with these further properties.
func buildIndex(t *testing.T, packages map[string][]string) *DependencyIndex {
	t.Helper()
	var text strings.Builder
	for name, properties := range packages {
		fmt.Fprintf(&text, "---\nschema: olm.package\nname: %s\ndefaultChannel: c\n---\nschema: olm.channel\nname: c\npackage: %[1]s\nentries: [{name: %[1]s.v1.0.0}]\n"+
			"---\nschema: olm.bundle\nname: %[1]s.v1.0.0\npackage: %[1]s\nimage: sea.example/%[1]s\nproperties:\n"+
			"- {type: olm.package, value: {packageName: %[1]s, version: 1.0.0}}\n", name)
		for _, p := range properties {
			text.WriteString("- " + p + "\n")
		}
	}
	cats := opentest.Text(t, text.String())
	ready, err := NewCatalog(t.Context(), cats)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newDependencyIndex(t.Context(), 1_000_000, []*Catalog{ready})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestDependencies checks the bundles that meet each requirement. A rule that takes too long is cancelled, and the others are not.
func TestDependencies(t *testing.T) {
	rule := "properties.all(a, " + strings.Repeat("properties.all(b, ", 8) + "a.type != 'x'" + strings.Repeat(")", 9)
	var endless []string
	for i := range 10 { // more than all rules together may take
		endless = append(endless, fmt.Sprintf(`{type: olm.constraint, value: {cel: {rule: "%s || %d == 1"}}}`, rule, i+2))
	}
	m := buildIndex(t, map[string][]string{
		"a": endless,
		"b": {
			`{type: olm.package.required, value: {packageName: c, versionRange: ">=1.0.0"}}`,
			`{type: olm.package.required, value: {packageName: c, versionRange: ">1.0.0"}}`,
			`{type: olm.gvk.required, value: {group: sea.example, version: v1, kind: Tide}}`,
			`{type: olm.label.required, value: {label: salty}}`,
			`{type: olm.constraint, value: {all: {constraints: [{gvk: {group: sea.example, version: v1, kind: Tide}}, {package: {packageName: c, versionRange: "1.0.0"}}]}}}`,
			`{type: olm.constraint, value: {not: {constraints: [{gvk: {group: sea.example, version: v1, kind: Tide}}]}}}`,
		},
		"c": {`{type: olm.gvk, value: {group: sea.example, version: v1, kind: Tide}}`, `{type: olm.label, value: {label: salty}}`},
		"d": {`{type: x, value: 1}`, `{type: x, value: 2}`, `{type: x, value: 3}`, `{type: x, value: 4}`},
	})
	costly := 0
	var got []string
	for _, n := range m.Dependencies {
		if n.CEL != "" {
			if n.Costly {
				costly++
			}
			continue
		}
		var met []string
		for o := range m.Bundles {
			if n.MetBy(o) {
				met = append(met, o.Package())
			}
		}
		got = append(got, fmt.Sprintf("%s: %s", n, strings.Join(met, " ")))
		if n.Costly || len(n.Dependents) != 1 || n.Dependents[0].Package() != "b" || len(met) != len(n.Met) {
			t.Errorf("%s: costly %v, asked by %v", n, n.Costly, n.Dependents)
		}
	}
	want := `package c >=1.0.0: c
package c >1.0.0: 
API Tide.v1.sea.example: c
label salty: c
all of (API Tide.v1.sea.example, package c 1.0.0): c
not of (API Tide.v1.sea.example): a b d`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if costly != len(endless) {
		t.Errorf("%d of %d endless rules are given up", costly, len(endless))
	}
}
