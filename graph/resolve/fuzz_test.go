package resolve

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
)

// FuzzConstraint reads any text as an olm.constraint: it is a requirement or a fault, and whatever it is, bundles can be
// held against it.
func FuzzConstraint(f *testing.F) {
	for _, seed := range []string{
		`{"gvk":{"group":"g","version":"v1","kind":"X"}}`, `{"package":{"packageName":"b","versionRange":">=1.0.0 || 1 || 2.0.0"}}`,
		`{"all":{"constraints":[{"any":{}},{"not":{"constraints":[{"cel":{"rule":"properties.exists(p, p.type == 'x')"}}]}}]}}`,
		`{"failureMessage":"m"}`, `null`, `[]`, `{"cel":{"rule":"semver_compare(properties[0].value.version, '1') < 0"}}`,
		strings.Repeat(`{"not":{"constraints":[`, 300) + `{"gvk":{}}` + strings.Repeat(`]}}`, 300),
	} {
		f.Add(seed)
	}
	facts := catalogs.FactsOf([]catalogs.PropertyValue{{Type: catalogs.TypePackage, Value: []byte(`{"packageName":"b","version":"1.0.0"}`)}})
	f.Fuzz(func(t *testing.T, text string) {
		terms := &terms{}
		asking := &bundle{facts: catalogs.FactsOf([]catalogs.PropertyValue{{Type: catalogs.TypeConstraint, Value: []byte(text)}})}
		terms.understand(asking)
		if len(asking.requires)+len(asking.faults) != 1 {
			t.Fatalf("%d requirements and %d faults", len(asking.requires), len(asking.faults))
		}
		for _, term := range asking.requires {
			b := &bundle{name: "b.v1", facts: facts}
			if met := term.meets(b); met != term.meets(b) || key(term.requirement) == "" {
				t.Errorf("not the same twice: %s", term.requirement)
			}
		}
	})
}

// FuzzState reads any text as what is in a namespace: it is an error, or something of which all questions can be asked.
func FuzzState(f *testing.F) {
	const api = `{"apiVersion":"operators.coreos.com/v1alpha1",`
	for _, seed := range []string{
		"subscriptions: [{package: a, installed: a.v1, startingCSV: a.v1}]\ninstalled: [b.v1, x]\ncatalogs: [{name: c, priority: -1}]", "{}", "- 1",
		api + `"kind":"Subscription","metadata":{"name":"s","namespace":"n"},"spec":{"name":"a","source":"c","sourceNamespace":"olm"}}` +
			api + `"kind":"ClusterServiceVersion","metadata":{"name":"a.v1","namespace":"n"},"spec":{"version":"1.0.0","customresourcedefinitions":{"required":[{"name":"x"}]}}}`,
		api + `"kind":"SubscriptionList","items":[` + api + `"kind":"Subscription","spec":{}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadState(text, "")
		if err != nil {
			return
		}
		s.Supply()
		s.Lacks()
		for i := range s.Subscriptions {
			s.Without(s.Subscriptions[i].Package)
		}
		if _, err := Settle(t.Context(), s.Namespace, 3); err != nil {
			t.Error(err)
		}
	})
}

// FuzzNamespace resolves namespaces made by chance, where brute force can follow.
func FuzzNamespace(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		check(t, namespaceOf(t, randomNamespace(rand.New(rand.NewPCG(seed, 5)))))
	})
}
