package open

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

const outspoken = `schema: olm.bundle
package: p
name: p.v1
properties:
- {type: olm.package, value: {packageName: p, version: 1.0.0}}
- {type: olm.gvk, value: {group: g, kind: K, version: v1}}
- {type: olm.gvk, value: nonsense}
- {type: olm.label, value: {label: green}}
- {type: olm.deprecated, value: {}}
- {type: olm.gvk.required, value: {Group: h, KIND: L, version: v2, more: 1}}
- {type: olm.package.required, value: {packageName: q, versionRange: nonsense}}
- {type: olm.label.required, value: {label: blue}}
- {type: olm.label.required, value: {label: ""}}
- {type: olm.constraint, value: {failureMessage: m, all: {constraints: [{not: {constraints: [{cel: {rule: x}}]}}, {any: {}}]}}}
- {type: olm.gvk.required, value: [1]}
- {type: olm.constraint, value: {gvk: {group: h, plural: ls}}}
- {type: olm.constraint, value: {all: {constraints: [{}]}}}
- {type: olm.constraint, value: nonsense}
- {type: olm.csv.metadata, value: {annotations: {a: b}}}
`

func TestFacts(t *testing.T) {
	dir := t.TempDir()
	catalogtest.Write(t, filepath.Join(dir, "catalog.yaml"), outspoken)
	f, err := bundled.Facts(openOne(t, dir, form.Options{}).Packages[0].Bundles[0])
	if err != nil {
		t.Fatal(err)
	}
	var requires, faults []string
	for i := range f.Requires {
		requires = append(requires, f.Requires[i].String())
	}
	for _, fault := range f.Faults {
		line := strings.Split(outspoken, "\n")[fault.Pos.Line-1]
		faults = append(faults, fault.Type)
		if !strings.Contains(line, fault.Type) || fault.Err == nil {
			t.Errorf("%v is not in the line %s", fault, line)
		}
	}
	want := []string{"API L.v2.h", "package q nonsense", "label blue", "any of ()", "all of (not of (rule x), any of ())"}
	if diff := cmp.Diff(want, requires); diff != "" {
		t.Errorf("requires (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{catalogs.TypeGVKRequired, catalogs.TypeConstraint, catalogs.TypeConstraint, catalogs.TypeConstraint}, faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]catalogs.PackageProperty{{Name: "p", Version: "1.0.0"}}, f.Packages); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]catalogs.API{{Group: "g", Version: "v1", Kind: "K"}}, f.Provides); diff != "" {
		t.Errorf("provides (-want +got):\n%s", diff)
	}
	if !f.Deprecated || !cmp.Equal(f.Labels, []string{"green"}) || len(f.Properties) != 14 {
		t.Errorf("deprecated %v, labels %v, %d properties", f.Deprecated, f.Labels, len(f.Properties))
	}
}

func TestConstraintSize(t *testing.T) {
	text := `{"gvk":{"group":"` + strings.Repeat("x", catalogs.MaxConstraint) + `"}}`
	if _, err := catalogs.ParseConstraint([]byte(text)); err == nil {
		t.Error("OLM rejects more than 128 KiB")
	}
	if _, err := catalogs.ParseConstraint([]byte(text[:20] + text[60:])); err != nil {
		t.Error(err)
	}
	const deep = 3000 // encoding/json goes no deeper than 10,000 brackets
	nested := strings.Repeat(`{"all":{"constraints":[`, deep) + `{"gvk":{}}` + strings.Repeat(`]}}`, deep)
	if _, err := catalogs.ParseConstraint([]byte(nested)); err != nil {
		t.Error(err)
	}
}

// TestFolderFacts compares the properties of a bundle folder with those of opm render, in opm's order.
func TestFolderFacts(t *testing.T) {
	folder := fstest.MapFS{
		"manifests/csv.yaml": {Data: []byte(`kind: ClusterServiceVersion
metadata:
  name: boat.v1.0.0
  annotations:
    olm.properties: '[{"type": "olm.label", "value": {"label": "red"}}, {"type": "olm.deprecated", "value": {}},
      {"type": "olm.maxOpenShiftVersion", "value": "4.18"}, {"type": "olm.gvk", "value": {"group": "x.y", "version": "v1", "kind": "X", "plural": "xs"}}]'
spec:
  version: 1.0.0
  apiservicedefinitions:
    owned: [{group: s.example.com, version: v1, kind: S}]
  customresourcedefinitions:
    required: [{name: seas.example.org, version: v2, kind: Sea}]
`)},
		"manifests/crd.yaml": {Data: []byte("kind: CustomResourceDefinition\nmetadata: {name: boats.example.com}\n" +
			"spec: {group: example.com, names: {kind: Boat}, versions: [{name: v1}, {name: v2, served: false}]}\n")},
		"metadata/annotations.yaml": {Data: []byte("annotations: {" + catalogs.AnnotationPackage + ": boat, " + catalogs.AnnotationChannels + ": a}\n")},
		"metadata/dependencies.yaml": {Data: []byte(`dependencies:
- {type: olm.label, value: {label: blue}}
- {type: olm.package, value: {packageName: q, version: 1.0.0}}
- {type: olm.package, value: [q]}
- {type: olm.gvk, value: {group: g, version: v1, kind: K, plural: ks}}
- {type: olm.constraint, value: {cel: {rule: "true"}}}
`)},
		"metadata/properties.yaml": {Data: []byte(`properties:
- {type: olm.package, value: {packageName: other, version: 9.0.0}}
- {type: olm.label, value: {label: green}}
- {type: olm.label, value: {label: red}}
- {type: something.else, value: [1, 4.10]}
- {type: without.value}
`)},
	}
	cats, err := Folder(t.Context(), &source.Source{Fsys: folder}, form.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := bundled.Facts(cats[0].Packages[0].Bundles[0])
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, p := range f.Properties {
		got.WriteString(p.Type + " " + string(p.Value) + "\n")
		if !p.Pos.IsKnown() {
			t.Errorf("%s stands nowhere", p.Type)
		}
	}
	const want = `olm.constraint {"cel":{"rule":"true"}}
olm.deprecated {}
olm.gvk {"group":"example.com","kind":"Boat","version":"v1"}
olm.gvk {"group":"example.com","kind":"Boat","version":"v2"}
olm.gvk {"group":"s.example.com","kind":"S","version":"v1"}
olm.gvk {"group":"x.y","kind":"X","version":"v1"}
olm.gvk.required {"group":"example.org","kind":"Sea","version":"v2"}
olm.gvk.required {"group":"g","kind":"K","version":"v1"}
olm.label {"label":"blue"}
olm.label {"label":"green"}
olm.label {"label":"red"}
olm.maxOpenShiftVersion "4.18"
olm.package {"packageName":"boat","version":"1.0.0"}
olm.package.required ["q"]
olm.package.required {"packageName":"q","versionRange":"1.0.0"}
something.else [1,4.1]
without.value null
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
	if !f.Deprecated || len(f.Labels) != 3 || len(f.Faults) != 1 || len(f.Requires) != 4 {
		t.Errorf("deprecated %v, labels %v, faults %v, %d requirements", f.Deprecated, f.Labels, f.Faults, len(f.Requires))
	}
}

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
	catalogtest.Write(t, filepath.Join(dir, "catalog.yaml"), needy)
	b := openOne(t, dir, form.Options{}).Packages[0].Bundles[0]
	deps, err := bundled.Dependencies(b)
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
	if facts, err := bundled.Facts(b); err != nil || !cmp.Equal(facts.Requires, deps.Requires) {
		t.Errorf("the facts have %v: %v", facts, err)
	}
	if diff := cmp.Diff([]catalogs.API{{Group: "g", Version: "v1", Kind: "K"}, {Version: "v1", Kind: "Core"}}, deps.Provides); diff != "" {
		t.Errorf("provides (-want +got):\n%s", diff)
	}
	if deps.MaxOpenShift.Value != "4.10" {
		t.Errorf("the last OpenShift version is %q", deps.MaxOpenShift.Value)
	}
	// The file changes behind our back: an error, not a wrong answer.
	catalogtest.Write(t, filepath.Join(dir, "catalog.yaml"), strings.Repeat("[", len(needy)))
	if _, err := bundled.Dependencies(b); err == nil {
		t.Error("a changed file was read as if nothing had happened")
	}
}
