package lint

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs"
)

// FuzzContents puts any object into a bundle, whole and as metadata of a ClusterServiceVersion: no rule may fail on it, and the same
// text must give the same findings.
func FuzzContents(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"ClusterServiceVersion","metadata":{"name":"a.v1.0.0","annotations":{"alm-examples":"[{}, 1]","olm.skiprange":""}},"spec":{"installModes":[{}],"webhookdefinitions":[{"conversionCRDs":["a.b"]},{"rules":[{"apiGroups":["*"]}]}]}}`,
		`{"kind":"ClusterServiceVersion","spec":{"version":1,"install":{"strategy":"deployment","spec":{"deployments":[{"name":"a","spec":{"template":{"spec":{"containers":[null,{"env":[{"name":"RELATED_IMAGE_A","value":"b"}]}]}}}}],"permissions":[{"rules":[{}]}]}}}}`,
		`{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v3","metadata":{"name":"a.b","labels":{"a":"?"}},"spec":{"conversion":{"strategy":"Webhook"}}}`,
		`{"kind":"ClusterRole","rules":[{"apiGroups":["security.openshift.io"],"resources":["securitycontextconstraints"],"verbs":["*"]}]}`,
		`{"kind":"PodDisruptionBudget","apiVersion":"policy/v1beta1","spec":{"maxUnavailable":"0%","minAvailable":[]}}`,
		`{"crdDescriptions":{"owned":[{"name":"a"}]},"maintainers":[{"email":"?"}],"links":[{"url":"?"}],"minKubeVersion":"1"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, object string) {
		if strings.Contains(object, "\n") || !strings.HasPrefix(object, "{") {
			return
		}
		text := `{"schema":"olm.package","name":"a","defaultChannel":"c"}
{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v1.0.0"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1.0.0","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},%s]}`
		data := base64.StdEncoding.EncodeToString([]byte(object))
		for _, property := range []string{
			fmt.Sprintf(`{"type":"olm.bundle.object","value":{"data":%q}},{"type":"olm.bundle.object","value":{"data":%q}}`, data, data),
			fmt.Sprintf(`{"type":"olm.csv.metadata","value":%s}`, object),
		} {
			name := filepath.Join(t.TempDir(), "catalog.json")
			if err := os.WriteFile(name, fmt.Appendf(nil, text, property), 0o666); err != nil {
				t.Fatal(err)
			}
			if first, again := contentFindings(t, name), contentFindings(t, name); first != again {
				t.Errorf("two runs differ:\n%s\n%s", first, again)
			}
		}
	})
}

func contentFindings(t *testing.T, name string) string {
	cats, err := catalogs.Open(context.Background(), name, catalogs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rules := family("bundle", "csv", "object", "crd") // those that look into bundles
	findings, err := Run(context.Background(), cats, Options{Rules: rules, Config: &Config{Kube: "1.29"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == f.Rule })
		if i >= 0 && f.Gates&^(rules[i].Gates|rules[i].OtherGates) != 0 {
			t.Errorf("%s has a finding for the gates %s", f.Rule, f.Gates)
		}
	}
	return fmt.Sprint(findings)
}

// TestFolding wants what several bundles have wrong to be reported for the newest of them.
func TestFolding(t *testing.T) {
	files := fstest.MapFS{"boat.package.yaml": {Data: []byte("packageName: boat\nchannels: [{name: a, currentCSV: boat.v1.2.0}]\n")}}
	for i, modes := range []string{"[]", "[]", "[{type: OwnNamespace, supported: false}]"} {
		text := fmt.Sprintf("kind: ClusterServiceVersion\nmetadata: {name: boat.v1.%d.0}\nspec: {version: 1.%d.0, installModes: %s, replaces: boat.v1.%d.0}\n", i, i, modes, i-1)
		files[fmt.Sprintf("1.%d.0/boat.yaml", i)] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, ", replaces: boat.v1.-1.0", ""))}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	found := contentFindings(t, dir)
	for _, want := range []string{`"boat.v1.2.0" supports none`, `"boat.v1.1.0" has no installModes: no OperatorGroup fits it, and it cannot be installed (and one more older bundle)`, `"boat.v1.2.0" has no minKubeVersion`} {
		if strings.Count(found, want) != 1 {
			t.Errorf("%d times %q in %s", strings.Count(found, want), want, found)
		}
	}
	if silent := `"boat.v1.1.0" has no minKubeVersion`; strings.Contains(found, silent) {
		t.Errorf("a published bundle is told what only a new one can mend: %s", found)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"boat.v1.0.0": "", "a": "", "": "is empty", "Boat": "must have only", "boat-": "must have only", "-boat": "must have only", "a..b": "must have only", "a_b": "must have only",
		strings.Repeat("a", 253): "", strings.Repeat("a", 254): "has 254 characters",
	} {
		if got := nameFault(name); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for text, want := range map[string]string{"": "", "Boat_1.0": "", "boat.": "must have only", "a b": "must have only", strings.Repeat("a", 63): "", strings.Repeat("a", 64): "has 64 characters"} {
		if got := labelFault(text); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("label %q: %q, want %q", text, got, want)
		}
	}
}

func TestAPIVersionOrder(t *testing.T) {
	ascending := []string{"v1alpha1", "v1alpha2", "v2alpha1", "v1beta1", "v1beta2", "v1", "v2", "v10"}
	for i, a := range ascending {
		for j, b := range ascending {
			if got := apiVersionLess(a, b); got != (i < j) {
				t.Errorf("%s before %s: %v", a, b, got)
			}
		}
		for _, other := range []string{"", "1", "v", "v1.0", "v1gamma1", "v1beta", "v01", "latest"} {
			if apiVersionLess(a, other) || apiVersionLess(other, a) {
				t.Errorf("%s and %q have an order", a, other)
			}
		}
	}
}

func TestKube(t *testing.T) {
	for text, want := range map[string]int{"1.29": 29, "v1.29.3": 29, "1.9": 9, "": -1, "1": -1, "2.0": -1, "1.29-rc": -1, "1.2.3.4": -1} {
		if got, err := ParseKube(text); (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, c := range []struct {
		kube, config, catalog string
		want                  int
	}{{"1.30", "4.14", "", 30}, {"", "4.14", "4.12", 27}, {"", "", "4.12", 25}, {"", "", "", 0}, {"", "", "4.2", 0}, {"", "5.1", "", 0}} {
		p := &Pass{Catalog: &catalogs.Catalog{OpenShift: c.catalog}, Config: &Config{Kube: c.kube, OpenShift: c.config}}
		if got, _ := p.kube(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestRemovedIn(t *testing.T) {
	for api, want := range map[[2]string]int{
		{"policy/v1beta1", "PodDisruptionBudget"}: 25, {"policy/v1", "PodDisruptionBudget"}: 0, {"storage.k8s.io/v1beta1", "CSIDriver"}: 22,
		{"storage.k8s.io/v1beta1", "CSIStorageCapacity"}: 27, {"flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema"}: 32,
		{"extensions/v1beta1", "Ingress"}: 22, {"extensions/v1beta1", "Deployment"}: 16, {"rbac.authorization.k8s.io/v1beta1", "Role"}: 22,
	} {
		if got := removedIn(api[0], api[1]); got != want {
			t.Errorf("%v: %d, want %d", api, got, want)
		}
	}
}
