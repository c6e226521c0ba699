package catalogs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const needy = `schema: olm.bundle
package: p
name: p.v1
properties:
- {type: olm.package, value: {packageName: p, version: 1.0.0}}
- {type: olm.maxOpenShiftVersion, value: 4.10}
- {type: olm.gvk, value: {group: g, kind: K, version: v1}}
- type: olm.gvk
  value: {group: "", kind: Core, version: v1}
- {type: olm.gvk.required, value: {Group: h, KIND: L, version: v2}}
- {type: olm.package.required, value: {packageName: q, versionRange: '>=1.0.0'}}
- {type: olm.label.required, value: {label: blue}}
- type: olm.constraint
  value:
    failureMessage: h is wanted
    all:
      constraints:
      - {gvk: {group: h, kind: L, version: v2}}
      - not: {constraints: [{package: {packageName: r, versionRange: <2.0.0}}]}
      - any:
          constraints:
          - {cel: {rule: "true"}}
- {type: olm.constraint, value: nonsense}
- {type: olm.constraint, value: {failureMessage: no, gvk: {group: h, kind: L, version: v3}}}
- {type: something.else, value: [1, 2]}
- {type: olm.csv.metadata, value: {annotations: {a: b}}}
`

func TestDependencies(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "catalog.yaml"), []byte(needy), 0o644); err != nil {
		t.Fatal(err)
	}
	b := openOne(t, dir, Options{}).Packages[0].Bundles[0]
	deps, err := b.Dependencies()
	if err != nil {
		t.Fatal(err)
	}
	var requires []string
	for i := range deps.Requires {
		requires = append(requires, deps.Requires[i].String())
		if line := strings.Split(needy, "\n")[deps.Requires[i].Pos.Line-1]; deps.Requires[i].Pos.Line == 0 || line == "" {
			t.Errorf("%v stands nowhere", deps.Requires[i])
		}
	}
	want := []string{
		"API L.v2.h", "package q >=1.0.0", "label blue",
		"all of (API L.v2.h, not of (package r <2.0.0), any of (rule true))",
	}
	if diff := cmp.Diff(want, requires); diff != "" {
		t.Errorf("requires (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]API{{"g", "v1", "K"}, {"", "v1", "Core"}}, deps.Provides); diff != "" {
		t.Errorf("provides (-want +got):\n%s", diff)
	}
	if deps.MaxOpenShift.Value != "4.10" {
		t.Errorf("the last OpenShift version is %q", deps.MaxOpenShift.Value)
	}
	// The file changes behind our back: an error, not a wrong answer.
	if err := os.WriteFile(filepath.Join(dir, "catalog.yaml"), []byte(strings.Repeat("[", len(needy))), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Dependencies(); err == nil {
		t.Error("a changed file was read as if nothing had happened")
	}
}

// TestDependenciesAreFacts wants the same requirements of both, however deep they nest.
func TestDependenciesAreFacts(t *testing.T) {
	const deep = 10
	nested := strings.Repeat("{all: {constraints: [", deep) + "{package: {packageName: q, versionRange: '>1.0.0'}}" + strings.Repeat("]}}", deep)
	dir := t.TempDir()
	text := "schema: olm.bundle\npackage: p\nname: p.v1\nproperties:\n- {type: olm.constraint, value: " + nested + "}\n" +
		"- {type: olm.label.required, value: {label: ''}}\n- {type: olm.constraint, value: {any: {}, more: 1}}\n"
	if err := os.WriteFile(filepath.Join(dir, "catalog.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	b := openOne(t, dir, Options{}).Packages[0].Bundles[0]
	deps, err := b.Dependencies()
	if err != nil {
		t.Fatal(err)
	}
	facts, err := b.Facts()
	if err != nil {
		t.Fatal(err)
	}
	if len(deps.Requires) != 2 || !strings.Contains(deps.Requires[0].String(), "package q") {
		t.Errorf("got %+v", deps.Requires)
	}
	if diff := cmp.Diff(facts.Requires, deps.Requires); diff != "" {
		t.Error(diff)
	}
}

// TestRealDependencies reads those of every real bundle, from YAML and from JSON: there are some 90 requirements by API
// and 23 by package in the four catalogs.
func TestRealDependencies(t *testing.T) {
	root := filepath.Join("..", "..", "shared", "data", "fbc")
	yaml, json := filepath.Join(root, "community-v4.18"), filepath.Join(root, "community-v4.18.json")
	if _, err := os.Stat(yaml); err != nil {
		t.Skip("the real catalogs are not beside the project")
	}
	requires, provides := count(t, openOne(t, yaml, Options{}))
	if requires != 43+8 || provides != 5837 {
		t.Errorf("%d requirements and %d APIs", requires, provides)
	}
	if r, p := count(t, openOne(t, json, Options{})); r != requires || p != provides {
		t.Errorf("%d requirements and %d APIs in JSON, %d and %d in YAML", r, p, requires, provides)
	}
}

func count(t *testing.T, c *Catalog) (requires, provides int) {
	t.Helper()
	for _, p := range c.Packages {
		for _, b := range p.Bundles {
			deps, err := b.Dependencies()
			if err != nil {
				t.Fatal(err)
			}
			requires += len(deps.Requires)
			provides += len(deps.Provides)
		}
	}
	return requires, provides
}
