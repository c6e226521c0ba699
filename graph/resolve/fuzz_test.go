package resolve

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
)

// FuzzConstraint parses any text as an olm.constraint: the result is a requirement or a fault, each time the same. Bundles meet it
// according to the parts that they meet.
func FuzzConstraint(f *testing.F) {
	for _, seed := range []string{
		`{"gvk":{"group":"g","version":"v1","kind":"X"}}`, `{"package":{"packageName":"b","versionRange":">=1.0.0 || 1 || 2.0.0"}}`,
		`{"all":{"constraints":[{"any":{}},{"not":{"constraints":[{"cel":{"rule":"properties.exists(p, p.type == 'x')"}}]}}]}}`,
		`{"any":{"constraints":[{"gvk":{"group":"g","version":"v1","kind":"X"}},{"package":{"packageName":"b","versionRange":"<2.0.0"}}]}}`,
		`{"not":{"constraints":[{"gvk":{"kind":"Y"}},{"cel":{"rule":"properties.exists(p, p.type == 'olm.gvk')"}}]}}`,
		`{"failureMessage":"m"}`, `null`, `[]`, `{"cel":{"rule":"semver_compare(properties[0].value.version, '1') < 0"}}`,
		strings.Repeat(`{"not":{"constraints":[`, 300) + `{"gvk":{}}` + strings.Repeat(`]}}`, 300),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		known := &requirementCompiler{}
		asking, again := constrained(known, text), constrained(&requirementCompiler{}, text)
		if len(asking.requires)+len(asking.faults) != 1 || len(asking.requires) != len(again.requires) {
			t.Fatalf("%d requirements and %d faults; when read again %d and %d",
				len(asking.requires), len(asking.faults), len(again.requires), len(again.faults))
		}
		for i, term := range asking.requires {
			if r := again.requires[i].requirement; requirementKey(r) != requirementKey(term.requirement) || r.String() != term.requirement.String() {
				t.Errorf("%s is %s when it is read again", term.requirement, r)
			}
			for _, b := range bundlesToMeet() {
				met := plainlyMeets(t, known, term.requirement, b)
				if term.meets(b) != met || again.requires[i].meets(b) != met {
					t.Errorf("%s meets %s: want %v", b.name, term.requirement, met)
				}
				checkDeMorgan(t, known, term.requirement, b)
			}
		}
	})
}

// constrained is a bundle that has one olm.constraint.
func constrained(known *requirementCompiler, text string) *bundle {
	b := &bundle{facts: catalogs.NewFacts([]catalogs.PropertyValue{{Type: catalogs.TypeConstraint, Value: []byte(text)}})}
	known.readRequirements(b)
	return b
}

// bundlesToMeet are bundles that differ in everything that can be required.
func bundlesToMeet() []*bundle {
	own := catalogs.PropertyValue{Type: catalogs.TypePackage, Value: []byte(`{"packageName":"b","version":"1.0.0"}`)}
	api := catalogs.PropertyValue{Type: catalogs.TypeGVK, Value: []byte(`{"group":"g","version":"v1","kind":"X"}`)}
	return []*bundle{
		{name: "nothing", facts: &catalogs.Facts{}},
		{name: "package", facts: catalogs.NewFacts([]catalogs.PropertyValue{own})},
		{name: "api", facts: catalogs.NewFacts([]catalogs.PropertyValue{api})},
		{name: "both", facts: catalogs.NewFacts([]catalogs.PropertyValue{own, api})},
	}
}

// plainlyMeets is a simple model of requirements: of APIs and of combined ones. Other requirements are evaluated one at a time.
func plainlyMeets(t *testing.T, known *requirementCompiler, r *catalogs.Requirement, b *bundle) bool {
	met := 0
	for i := range r.Of {
		met += truth(plainlyMeets(t, known, &r.Of[i], b))
	}
	switch {
	case r.API != nil:
		return slices.Contains(b.facts.Provides, *r.API)
	case r.Operator == "all":
		return met == len(r.Of)
	case r.Operator == "any":
		return met > 0
	case r.Operator == "not":
		return met == 0
	}
	return checkMeets(t, known, r, b)
}

// checkDeMorgan holds the negation of a requirement against the negations of its parts.
func checkDeMorgan(t *testing.T, known *requirementCompiler, r *catalogs.Requirement, b *bundle) {
	t.Helper()
	not := func(r catalogs.Requirement) catalogs.Requirement {
		return catalogs.Requirement{Operator: "not", Of: []catalogs.Requirement{r}}
	}
	var nots []catalogs.Requirement
	for _, part := range r.Of {
		nots = append(nots, not(part))
	}
	opposite := not(*r)
	want := !checkMeets(t, known, r, b)
	switch r.Operator {
	case "all":
		opposite = catalogs.Requirement{Operator: "any", Of: nots}
	case "any":
		opposite = catalogs.Requirement{Operator: "all", Of: nots}
	case "not":
		opposite = catalogs.Requirement{Operator: "any", Of: r.Of}
	}
	if got := checkMeets(t, known, &opposite, b); got != want {
		t.Errorf("%s meets %s: %v, but want the opposite of %s", b.name, &opposite, got, r)
	}
}

func checkMeets(t *testing.T, known *requirementCompiler, r *catalogs.Requirement, b *bundle) bool {
	t.Helper()
	met, err := known.compileRequirement(r)
	if err != nil {
		t.Fatalf("%s: %v", r, err)
	}
	return met(b)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FuzzState reads any text as the state of a namespace: the result is an error, or a state for which all methods work.
func FuzzState(f *testing.F) {
	const api = `{"apiVersion":"operators.coreos.com/v1alpha1",`
	for _, seed := range []string{
		"subscriptions: [{package: a, installed: a.v1, startingCSV: a.v1}]\ninstalled: [b.v1, x]\ncatalogs: [{name: c, priority: -1}]", "{}", "- 1",
		api + `"kind":"Subscription","metadata":{"name":"s","namespace":"n"},"spec":{"name":"a","source":"c","sourceNamespace":"olm"}}` +
			api + `"kind":"ClusterServiceVersion","metadata":{"name":"a.v1","namespace":"n"},"spec":{"version":"1.0.0","customresourcedefinitions":{"required":[{"name":"x"}]}}}`,
		api + `"kind":"Subscription","metadata":{"name":"s","namespace":"n"},"spec":{"name":"a","source":"c","sourceNamespace":"olm"},"status":{"installedCSV":"a.v1","currentCSV":"a.v2","installPlanRef":{"name":"p"}}}` +
			api + `"kind":"ClusterServiceVersion","metadata":{"name":"a.v1","namespace":"n"},"spec":{"version":"1.0.0","replaces":"a.v2"}}` +
			api + `"kind":"OperatorGroup","metadata":{"name":"g","namespace":"n"},"spec":{"upgradeStrategy":"TechPreviewUnsafeFailForward"}}` +
			api + `"kind":"OperatorCondition","metadata":{"name":"a.v1","namespace":"n"},"spec":{"overrides":[{"type":"Upgradeable"}]}}` +
			api + `"kind":"InstallPlan","metadata":{"name":"p","namespace":"n"},"spec":{"clusterServiceVersionNames":["a.v2","b.v1"]},"status":{"plan":[{"resource":{"kind":"ClusterServiceVersion","name":"a.v2","manifest":"{}"}}]}}`,
		api + `"kind":"SubscriptionList","items":[` + api + `"kind":"Subscription","spec":{}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := readState(text, "", "")
		if err != nil {
			return
		}
		s.AddFacts()
		s.findUnmet()
		for i := range s.Subscriptions {
			s.Without(s.Subscriptions[i].Package)
		}
		if _, err := runToFixedPoint(t.Context(), s.Namespace, 3); err != nil {
			t.Error(err)
		}
	})
}

// FuzzNamespace resolves random namespaces that are small enough for brute force.
func FuzzNamespace(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		check(t, parseNamespace(t, randomNamespace(rand.New(rand.NewPCG(seed, 5)))))
	})
}
