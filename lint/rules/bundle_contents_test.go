package rules

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/lint"
)

// FuzzContents adds any object to a bundle, as a manifest and as metadata of a ClusterServiceVersion. No rule may panic, and the
// findings must be deterministic.
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
			catalogtest.Write(t, name, fmt.Sprintf(text, property))
			if first, again := contentFindings(t, name), contentFindings(t, name); first != again {
				t.Errorf("two runs differ:\n%s\n%s", first, again)
			}
		}
	})
}

func contentFindings(t *testing.T, name string) string {
	cats := opentest.Open(t, name)
	rules := family("bundle", "csv", "object", "crd") // families that read bundles
	findings := lintAll(t, cats, lint.Options{Rules: rules, Config: &lint.Config{Kube: "1.29"}})
	for _, f := range findings {
		i := slices.IndexFunc(rules, func(r lint.Rule) bool { return r.ID == f.Rule })
		if i >= 0 && f.Gates&^(rules[i].Gates|rules[i].OtherGates) != 0 {
			t.Errorf("%s has a finding for the gates %s", f.Rule, f.Gates)
		}
	}
	return fmt.Sprint(findings)
}
