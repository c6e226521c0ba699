package catalogs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	if err := os.WriteFile(filepath.Join(dir, "catalog.yaml"), []byte(outspoken), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := openOne(t, dir, Options{}).Packages[0].Bundles[0].Facts()
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
	if diff := cmp.Diff([]string{TypeGVKRequired, TypeConstraint, TypeConstraint, TypeConstraint}, faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]PackageFact{{"p", "1.0.0"}}, f.Packages); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]API{{"g", "v1", "K"}}, f.Provides); diff != "" {
		t.Errorf("provides (-want +got):\n%s", diff)
	}
	if !f.Deprecated || !cmp.Equal(f.Labels, []string{"green"}) || len(f.Properties) != 14 {
		t.Errorf("deprecated %v, labels %v, %d properties", f.Deprecated, f.Labels, len(f.Properties))
	}
}

func TestConstraintSize(t *testing.T) {
	text := `{"gvk":{"group":"` + strings.Repeat("x", MaxConstraint) + `"}}`
	if _, err := ParseConstraint([]byte(text)); err == nil {
		t.Error("OLM refuses more than 128 KiB")
	}
	if _, err := ParseConstraint([]byte(text[:20] + text[60:])); err != nil {
		t.Error(err)
	}
	const deep = 3000 // encoding/json goes no deeper than 10,000 brackets
	nested := strings.Repeat(`{"all":{"constraints":[`, deep) + `{"gvk":{}}` + strings.Repeat(`]}}`, deep)
	if _, err := ParseConstraint([]byte(nested)); err != nil {
		t.Error(err)
	}
}

// TestRealFacts wants the facts to say what Dependencies says, where nothing is wrong.
func TestRealFacts(t *testing.T) {
	root := filepath.Join("..", "..", "shared", "data", "fbc", "community-v4.18")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the real catalogs are not beside the project")
	}
	for _, p := range openOne(t, root, Options{}).Packages {
		for _, b := range p.Bundles {
			deps, err := b.Dependencies()
			if err != nil {
				t.Fatal(err)
			}
			facts, err := b.Facts()
			if err != nil {
				t.Fatal(err)
			}
			if len(facts.Faults) > 0 || !cmp.Equal(deps.Provides, facts.Provides) || !cmp.Equal(deps.Requires, facts.Requires) {
				t.Errorf("%s: %+v and %+v", b.Name.Value, deps, facts)
			}
		}
	}
}
