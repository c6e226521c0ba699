package mirror

import (
	"fmt"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
)

// pkg is a package of one bundle, NAME.v1.0.0, in its default channel, with a property besides that of its package.
func pkg(name, property string) string {
	return fmt.Sprintf(`---
{schema: olm.package, name: %[1]s, defaultChannel: stable}
---
{schema: olm.channel, package: %[1]s, name: stable, entries: [{name: %[1]s.v1.0.0}]}
---
{schema: olm.bundle, package: %[1]s, name: %[1]s.v1.0.0, image: example/%[1]s, properties: [
  {type: olm.package, value: {packageName: %[1]s, version: 1.0.0}}, %[2]s]}
`, name, property)
}

// TestProviders looks for the provider of each form of requirement as OLM's resolver does.
func TestProviders(t *testing.T) {
	for _, c := range []struct{ name, property, want string }{
		{"a package", `{type: olm.package.required, value: {packageName: water, versionRange: ">=1.0.0"}}`, "water"},
		{"a package of another version", `{type: olm.package.required, value: {packageName: water, versionRange: ">1.0.0"}}`,
			"boat.v1.0.0 requires package water >1.0.0, which no default channel of this catalog provides"},
		{"an API", `{type: olm.gvk.required, value: {group: g.io, version: v1, kind: Wave}}`, "water"},
		{"an API that only a bundle provides that OLM never installs", `{type: olm.gvk.required, value: {group: g.io, version: v1, kind: Old}}`,
			"boat.v1.0.0 requires API Old.v1.g.io, which no default channel of this catalog provides"},
		{"a label", `{type: olm.label.required, value: {label: wet}}`, "water"},
		{"a rule", `{type: olm.constraint, value: {cel: {rule: 'properties.exists(p, p.type == "olm.label" && p.value.label == "wet")'}}}`, "water"},
		{"any of several, the first package of the catalog that meets one", `{type: olm.constraint, value: {any: {constraints: [
  {package: {packageName: water, versionRange: ">=1.0.0"}}, {package: {packageName: land, versionRange: ">=1.0.0"}}]}}}`, "land"},
		{"all by one bundle", `{type: olm.constraint, value: {all: {constraints: [
  {package: {packageName: water, versionRange: ">=1.0.0"}}, {gvk: {group: g.io, version: v1, kind: Wave}}]}}}`, "water"},
		{"all by two bundles", `{type: olm.constraint, value: {all: {constraints: [
  {package: {packageName: water, versionRange: ">=1.0.0"}}, {package: {packageName: land, versionRange: ">=1.0.0"}}]}}}`,
			"boat.v1.0.0 requires all of (package water >=1.0.0, package land >=1.0.0), which no default channel of this catalog provides"},
		{"a range that cannot be read", `{type: olm.package.required, value: {packageName: water, versionRange: "over nine"}}`,
			`boat.v1.0.0 has a requirement that OLM cannot read: property olm.package.required: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := pkg("boat", c.property) + pkg("land", `{type: olm.label, value: {label: dry}}`) +
				pkg("old", `{type: olm.gvk, value: {group: g.io, version: v1, kind: Old}}, {type: olm.deprecated, value: {}}`) +
				pkg("water", `{type: olm.gvk, value: {group: g.io, version: v1, kind: Wave}}, {type: olm.label, value: {label: wet}}`)
			s := selectInstalled(t, text)
			got := strings.Join(s.Notes, "; ")
			for _, p := range s.Packages[1:] {
				got += p.Name.Value
				if one := p.Channels[0]; s.RequiredBy[p.Name.Value] != "boat.v1.0.0" || len(p.Channels) != 1 || one.Name.Value != "stable" || one.Min.Value != "1.0.0" || one.Max.Value != "1.0.0" {
					t.Errorf("%+v", p)
				}
			}
			if got != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(got, c.want)) {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// selectInstalled returns what is mirrored for the installed bundle of the package boat alone.
func selectInstalled(t *testing.T, text string) *Selection {
	t.Helper()
	c := opentest.Text(t, text)
	pg := graph.NewPackageGraph(c.Package("boat"))
	answer := pg.Ask(graph.Question{Channel: pg.Graph("stable"), From: "boat.v1.0.0", To: "boat.v1.0.0", Limit: 1})
	s, err := Select(t.Context(), c, "boat", answer, answer.Paths[0])
	if err != nil {
		t.Fatal(err)
	}
	return s
}
