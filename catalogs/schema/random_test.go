package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/operator-framework/api/crds"
	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apischema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/schema"
)

const whole = `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
"metadata": {"name": "boat.v1.0.0", "annotations": {"a": "b"}, "labels": {"c": "d"}},
"spec": {"displayName": "Boat", "skips": ["e"], "icon": [{"base64data": "Zg==", "mediatype": "image/png"}],
"installModes": [{"type": "AllNamespaces", "supported": true}], "cleanup": {"enabled": true}, "relatedImages": [{"name": "g", "image": "h"}],
"customresourcedefinitions": {"owned": [{"name": "boats.sea", "version": "v1", "kind": "Boat", "resources": [{"kind": "Pod", "name": "", "version": "v1"}],
  "specDescriptors": [{"path": "1Gi", "value": "Zg==", "x-descriptors": ["k"]}]}]},
"apiservicedefinitions": {"owned": [{"name": "tides", "group": "sea", "version": "v1", "kind": "Tide", "containerPort": 8443}]},
"webhookdefinitions": [{"type": "ConversionWebhook", "generateName": "l.sea", "sideEffects": "None", "admissionReviewVersions": ["v1"], "containerPort": 443,
  "targetPort": 8443, "rules": [{"operations": ["CREATE"], "apiGroups": ["sea"], "apiVersions": ["v1"], "resources": ["boats"]}], "objectSelector": {"matchExpressions":
  [{"key": "m", "operator": "In", "values": ["n"]}]}}],
"install": {"strategy": "deployment", "spec": {"clusterPermissions": [{"serviceAccountName": "o", "rules": [{"verbs": ["get"], "apiGroups": ["sea"], "resources": ["boats"]}]}],
"deployments": [{"name": "boat", "label": {"p": "q"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "boat"}}, "strategy": {"rollingUpdate": {"maxSurge": 1}},
 "template": {"metadata": {"labels": {"app": "boat"}}, "spec": {"nodeSelector": {"r": "s"}, "hostNetwork": false, "imagePullSecrets": [{"name": "t"}],
  "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "u", "operator": "Exists"}]}]}}},
  "containers": [{"name": "manager", "image": "v", "command": ["w"], "ports": [{"containerPort": 1, "protocol": "UDP"}, {"containerPort": 1}],
   "env": [{"name": "A", "value": "x"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, {"name": "C", "valueFrom": {"resourceFieldRef":
   {"resource": "limits.cpu", "divisor": "1m"}}}], "resources": {"limits": {"cpu": 1, "memory": "1Gi"}}, "livenessProbe": {"httpGet": {"port": "http",
   "httpHeaders": [{"name": "y", "value": "z"}]}}, "volumeMounts": [{"name": "x", "mountPath": "/x"}], "securityContext": {"capabilities": {"drop": ["ALL"]}}}],
  "volumes": [{"name": "x", "emptyDir": {"sizeLimit": "1Gi"}}, {"name": "y", "projected": {"sources": [{"secret": {"name": "z", "items": [{"key": "a", "path": "b"}]}}]}}]}}}}]}}}}`

// TestRandom: the API server rejects a changed ClusterServiceVersion, as OLM v0 writes it, if it has a fault that is not of a key, and only then.
func TestRandom(t *testing.T) {
	refuses := server(t)
	if found := schema.CSVFaults([]byte(whole)); len(found) > 0 || refuses([]byte(whole)) != "" {
		t.Fatal(found, refuses([]byte(whole)))
	}
	random, rejected := rand.New(rand.NewPCG(1, 2)), 0
	for range catalogtest.Rounds(4000) {
		var object map[string]any
		if err := json.Unmarshal([]byte(whole), &object); err != nil {
			t.Fatal(err)
		}
		for range 1 + random.IntN(2) {
			change(random, object["spec"])
		}
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		found := schema.CSVFaults(text)
		hard := slices.IndexFunc(found, func(f schema.Fault) bool { return f.Kind > schema.OtherCase && !f.Empty })
		refused := refuses(text)
		if (refused != "") != (hard >= 0) {
			t.Fatalf("refused: %q; found: %v\n%s", refused, found, text)
		}
		if refused != "" {
			rejected++
		}
	}
	t.Logf("%d were rejected", rejected)
}

// server returns why the API server rejects a ClusterServiceVersion as OLM v0 decodes and writes it, "" if it does not.
func server(t *testing.T) func(text []byte) string {
	internal := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(crds.ClusterServiceVersion().Spec.Versions[0].Schema.OpenAPIV3Schema, internal, nil); err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		t.Fatal(err)
	}
	structural, err := apischema.NewStructural(internal)
	if err != nil {
		t.Fatal(err)
	}
	return func(text []byte) string {
		var decoded v1alpha1.ClusterServiceVersion
		if err := json.Unmarshal(text, &decoded); err != nil {
			return err.Error()
		}
		written, err := json.Marshal(&decoded)
		if err != nil {
			return err.Error()
		}
		var object map[string]any
		if err := kubejson.Unmarshal(written, &object); err != nil {
			return err.Error()
		}
		delete(object, "status")
		pruning.Prune(object, structural, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
		defaulting.Default(object, structural)
		errs := append(validation.ValidateCustomResource(nil, object, validator), listtype.ValidateListSetsAndMaps(nil, structural, object)...)
		if len(errs) > 0 {
			return errs.ToAggregate().Error()
		}
		return ""
	}
}

// change changes a part of a value that is an object or a list with items: it removes it, renames it, repeats it or gives it another type.
func change(random *rand.Rand, in any) {
	switch v := in.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if len(keys) == 0 {
			return
		}
		key := keys[random.IntN(len(keys))]
		if container(v[key]) && random.IntN(8) > 0 {
			change(random, v[key])
			return
		}
		switch random.IntN(4) {
		case 0:
			delete(v, key)
		case 1:
			v[key[:len(key)-1]+"~"] = v[key]
			delete(v, key)
		default:
			v[key] = randomValue(random)
		}
	case []any:
		if len(v) == 0 {
			return
		}
		i := random.IntN(len(v))
		switch {
		case container(v[i]) && random.IntN(8) > 0:
			change(random, v[i])
		case random.IntN(2) == 0:
			v[i] = v[random.IntN(len(v))]
		default:
			v[i] = randomValue(random)
		}
	}
}

func container(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// randomValue returns a value of any type.
func randomValue(random *rand.Rand) any {
	return []any{nil, true, 3, 1.5, "text", "1", "Zm9v", "", []any{}, []any{"a"}, map[string]any{}, map[string]any{"a": "b"}, fmt.Sprint(random.IntN(9))}[random.IntN(13)]
}
