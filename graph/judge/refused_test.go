package judge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// TestRefused compares with what an API server 1.34 refuses when it has the first object and gets the second one.
func TestRefused(t *testing.T) {
	deployment := func(selector string) string {
		return "{apiVersion: apps/v1, kind: Deployment, spec: {selector: " + selector + "}}"
	}
	binding := func(role string) string {
		return "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, roleRef: " + role + "}"
	}
	object := func(kind, fields string) string { return "{apiVersion: v1, kind: " + kind + ", " + fields + "}" }
	for _, test := range []struct{ name, old, new, field string }{
		{"selector", deployment("{matchLabels: {a: b}}"), deployment("{matchLabels: {a: b, c: d}}"), "spec.selector"},
		{"selector without expressions", deployment("{matchLabels: {a: b}, matchExpressions: []}"), deployment("{matchLabels: {a: b}}"), ""},
		{"selector with an unknown field", deployment("{matchLabels: {a: b}, c: d}"), deployment("{matchLabels: {a: b}}"), ""},
		{"selector in another order", deployment("{matchExpressions: [{key: a, operator: Exists}, {key: c, operator: Exists}]}"),
			deployment("{matchExpressions: [{key: c, operator: Exists}, {key: a, operator: Exists}]}"), "spec.selector"},
		{"selector as expression", deployment("{matchLabels: {a: b}}"), deployment("{matchExpressions: [{key: a, operator: In, values: [b]}]}"), "spec.selector"},
		{"role", binding("{kind: ClusterRole, name: v}"), binding("{kind: ClusterRole, name: w}"), "roleRef"},
		{"role without a group", binding("{kind: ClusterRole, name: v, apiGroup: rbac.authorization.k8s.io}"), binding("{kind: ClusterRole, name: v}"), ""},
		{"kind of a role", binding("{kind: ClusterRole, name: v}"), binding("{kind: Role, name: v}"), "roleRef"},
		{"priority", object("PriorityClass", "value: 5"), object("PriorityClass", "value: 6"), "value"},
		{"no priority", object("PriorityClass", "globalDefault: false"), object("PriorityClass", "value: 0"), ""},
		{"preemption", object("PriorityClass", "value: 5"), object("PriorityClass", "value: 5, preemptionPolicy: Never"), "preemptionPolicy"},
		{"default preemption", object("PriorityClass", "value: 5"), object("PriorityClass", "value: 5, preemptionPolicy: PreemptLowerPriority"), ""},
		{"immutable data", object("ConfigMap", "immutable: true, data: {a: b}"), object("ConfigMap", "immutable: true, data: {a: c}"), "data"},
		{"mutable data", object("ConfigMap", "data: {a: b}"), object("ConfigMap", "immutable: true, data: {a: c}"), ""},
		{"empty data", object("ConfigMap", "immutable: true, data: {}"), object("ConfigMap", "immutable: true"), ""},
		{"immutable no longer", object("ConfigMap", "immutable: true, data: {a: b}"), object("ConfigMap", "data: {a: b}"), "immutable"},
		{"type of a secret", object("Secret", "type: Opaque"), object("Secret", "type: kubernetes.io/basic-auth"), "type"},
		{"default type of a secret", object("Secret", "data: {}"), object("Secret", "type: Opaque"), ""},
		{"secret", object("Secret", "immutable: true, data: {a: YQ==}"), object("Secret", "immutable: true, data: {a: Yg==}"), "data"},
		{"secret as text", object("Secret", "immutable: true, stringData: {a: a}"), object("Secret", "immutable: true, data: {a: YQ==}"), ""},
		{"another text of a secret", object("Secret", "immutable: true, stringData: {a: b}"), object("Secret", "immutable: true, data: {a: YQ==}"), "data"},
		{"address", object("Service", "spec: {ports: [{port: 80}]}"), object("Service", "spec: {clusterIP: None, ports: [{port: 80}]}"), "spec.clusterIP"},
		{"no address", object("Service", "spec: {clusterIP: None, ports: [{port: 80}]}"), object("Service", "spec: {ports: [{port: 80}]}"), ""},
		{"address of a name", object("Service", "spec: {type: ExternalName, externalName: x.example}"), object("Service", "spec: {clusterIP: None, ports: [{port: 80}]}"), ""},
		{"budget", object("PodDisruptionBudget", "spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}"), object("PodDisruptionBudget", "spec: {minAvailable: 1, selector: {matchLabels: {a: c}}}"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := openBundles(t, bundleWith(t, 1, test.old), bundleWith(t, 2, test.new))
			var field string
			known := judge.New(p, judge.Options{})
			for _, rule := range []string{"upgrade/selector-changed", "upgrade/immutable-field"} {
				for _, r := range known.FindBetween(judge.FindRow(rule), p.Bundle("a.v1.0.0"), p.Bundle("a.v2.0.0")) {
					field += r.Cause[2]
				}
			}
			if field != test.field {
				t.Errorf("refused: %q, want %q", field, test.field)
			}
		})
	}
}

// bundleWith returns the objects of a bundle with one object, in YAML; a Deployment is in the ClusterServiceVersion.
func bundleWith(t *testing.T, version int, text string) []string {
	t.Helper()
	var o map[string]any
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	o["metadata"] = map[string]string{"name": "x"}
	spec := map[string]any{}
	if o["kind"] == "Deployment" {
		spec["install"] = map[string]any{"spec": map[string]any{"deployments": []any{map[string]any{"name": "x", "spec": o["spec"]}}}}
	}
	all := []any{map[string]any{"kind": "ClusterServiceVersion", "metadata": map[string]string{"name": fmt.Sprintf("a.v%d.0.0", version)}, "spec": spec}}
	if len(spec) == 0 {
		all = append(all, o)
	}
	var texts []string
	for _, o := range all {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// TestOwnedNotServed: a ClusterServiceVersion waits for its own CRD to serve what it owns; nothing is said of a version that is served.
func TestOwnedNotServed(t *testing.T) {
	csv := func(version int, owned string) string {
		return fmt.Sprintf(`{"kind":"ClusterServiceVersion","metadata":{"name":"a.v%d.0.0"},"spec":{"customresourcedefinitions":{"owned":[{"name":"boats.example.com","version":%q,"kind":"Boat"}]}}}`, version, owned)
	}
	for owned, want := range map[string]int{"v1": 0, "v2": 1, "v%d": 1} { // reasons
		p := openBundles(t, []string{csv(1, "v1"), crdText([]string{"v1"}, "")}, []string{csv(2, owned), crdText([]string{"v1"}, "")})
		path := graph.Path{{From: "a.v1.0.0", To: "a.v2.0.0"}}
		if all := judge.New(p, judge.Options{}).Outcomes(path, graph.V0, nil); len(all) != 1 || !all[0].Known || len(all[0].Reasons) != want || len(all[0].Warnings) > 0 {
			t.Errorf("%s: %+v", owned, all)
		} else if want > 0 && !strings.Contains(all[0].Reasons[0].Message, "version "+owned+" of CRD boats.example.com, which does not serve it") {
			t.Errorf("%s: %s", owned, all[0].Reasons[0].Message)
		}
	}
}

// TestRequirements: what the newer ClusterServiceVersion requires of a cluster is told if the older one does not.
func TestRequirements(t *testing.T) {
	csv := func(version int, kubernetes, mode string) []string {
		return []string{fmt.Sprintf(`{"kind":"ClusterServiceVersion","metadata":{"name":"a.v%d.0.0"},"spec":{"minKubeVersion":%q,"installModes":[{"type":%q,"supported":true}]}}`,
			version, kubernetes, mode)}
	}
	for _, test := range []struct {
		name, old, new, cluster, mode string
		reasons, warnings             int
	}{
		{"newer", "1.20.0", "1.29.0", "", "AllNamespaces", 0, 1},
		{"as before", "1.29.0", "1.29.0", "", "AllNamespaces", 0, 0},
		{"as any cluster", "", "1.16.0", "", "AllNamespaces", 0, 0},
		{"older cluster", "1.20.0", "1.29.0", "1.28", "AllNamespaces", 1, 0},
		{"newer cluster", "1.20.0", "1.29.0", "1.29", "AllNamespaces", 0, 0},
		{"no version", "", "newest", "1.29", "AllNamespaces", 1, 0},
		{"another mode", "", "", "", "OwnNamespace", 0, 1},
	} {
		p := openBundles(t, csv(1, test.old, "AllNamespaces"), csv(2, test.new, test.mode))
		path := graph.Path{{From: "a.v1.0.0", To: "a.v2.0.0"}}
		all := judge.New(p, judge.Options{Kubernetes: test.cluster}).Outcomes(path, graph.V0, nil)
		if len(all[0].Reasons) != test.reasons || len(all[0].Warnings) != test.warnings {
			t.Errorf("%s: %+v", test.name, all)
		}
		if all = judge.New(p, judge.Options{Kubernetes: test.cluster}).Outcomes(path, graph.V1, nil); len(all[0].Reasons) > 0 || len(all[0].Warnings) > 0 != (test.mode != "AllNamespaces") {
			t.Errorf("%s: OLM v1 checks AllNamespaces alone: %+v", test.name, all)
		}
	}
}
