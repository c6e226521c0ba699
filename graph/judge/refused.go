package judge

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// refuse adds a field that differs from that of the object of the older bundle and cannot be changed: the API server rejects the object. OLM v0 and
// OLM v1 replace what has the same kind and name (OLM: catalog StepEnsurer, install CreateOrUpdateDeployment).
func (c *upgradeCase) refuse(kind, name, field, message string, old, new *bundled.Manifest, oldPath, path, was, is string) *Reason {
	r := c.add(new, path, "%s: %s", field, message).WithCause(kind, name, field, is)
	r.Kind, r.Name, r.Was, r.Is, r.Old, r.OldPath = kind, name, was, is, old, oldPath
	return r
}

// findRefused finds objects other than CRDs and Deployments that the API server rejects.
func findRefused(c *upgradeCase) {
	if !c.From.HasManifests() || !c.To.HasManifests() {
		return
	}
	for _, m := range c.pkg.Manifests(c.To) {
		fields := immutableFields[m.Kind]
		if len(fields) == 0 {
			continue
		}
		before := c.pkg.Manifests(c.From)
		i := slices.IndexFunc(before, func(old *bundled.Manifest) bool { return old.Kind == m.Kind && old.Name == m.Name })
		if i >= 0 && before[i].Object != m.Object {
			c.refuseFields(before[i], m, fields)
		}
	}
}

// findSelectors finds the Deployments whose selector changes (Kubernetes: validation ValidateDeploymentUpdate).
func findSelectors(c *upgradeCase) {
	old, new := c.pkg.readableCSV(c.From), c.pkg.readableCSV(c.To)
	if old == nil || new == nil || old.Document == new.Document {
		return
	}
	before := old.Spec.Install.Spec.Deployments
	for i, d := range new.Spec.Install.Spec.Deployments {
		j := slices.IndexFunc(before, func(b csv.Deployment) bool { return b.Name == d.Name })
		if j < 0 {
			continue
		}
		_, was := parseSelector(before[j].Spec.Selector)
		_, is := parseSelector(d.Spec.Selector)
		if was == is || was == "" || is == "" {
			continue
		}
		path := func(i int) string { return fmt.Sprintf("spec.install.spec.deployments[%d].spec.selector", i) }
		c.refuse("Deployment", d.Name, "spec.selector", "field is immutable", old.Manifest, new.Manifest, path(j), path(i), was, is).
			Fix = "give the Deployment another name, or keep its selector " + was
	}
}

// immutableField is a field of a kind that the API server does not let change.
type immutableField struct {
	path    string
	absent  any // the value if there is none: a default
	message string
	// changes reports whether a change is rejected; nil: every change is.
	changes func(old map[string]any, was, is any) bool
}

// immutableFields has those of the kinds that OLM installs from a bundle, by kind (Kubernetes: pkg/apis/*/validation, pkg/registry/core/service).
var immutableFields = map[string][]immutableField{
	"RoleBinding":        {{path: "roleRef", message: "cannot change roleRef", changes: changesRole}},
	"ClusterRoleBinding": {{path: "roleRef", message: "cannot change roleRef", changes: changesRole}},
	"PriorityClass": {
		{path: "value", absent: 0.0, message: "may not be changed in an update"},
		{path: "preemptionPolicy", absent: "PreemptLowerPriority", message: "field is immutable"},
	},
	"ConfigMap": {
		{path: "data", message: "field is immutable when `immutable` is set", changes: isImmutable},
		{path: "binaryData", message: "field is immutable when `immutable` is set", changes: isImmutable},
		{path: "immutable", absent: false, message: "field is immutable when `immutable` is set", changes: isImmutable},
	},
	"Secret": {
		{path: "type", absent: "Opaque", message: "field is immutable"},
		{path: "data", message: "field is immutable when `immutable` is set", changes: isImmutable},
		{path: "immutable", absent: false, message: "field is immutable when `immutable` is set", changes: isImmutable},
	},
	"Service": {{path: "spec.clusterIP", absent: "", message: "may not change once set", changes: changesAddress}},
}

func isImmutable(old map[string]any, _, _ any) bool { return old["immutable"] == true }

// mergeStringData adds stringData of a Secret to its data, as the API server does.
func mergeStringData(secret map[string]any) {
	texts, _ := secret["stringData"].(map[string]any)
	data, _ := secret["data"].(map[string]any)
	if data == nil {
		data = map[string]any{}
	}
	for key, value := range texts {
		if text, ok := value.(string); ok {
			data[key] = base64.StdEncoding.EncodeToString([]byte(text))
		}
	}
	secret["data"] = data
}

// changesAddress reports whether a Service gets another address: without one in the manifest it keeps what it has.
func changesAddress(old map[string]any, _, is any) bool {
	return is != "" && pathValue(old, "spec.type", "") != "ExternalName"
}

// changesRole reports whether two references lead to different roles: the group is that of roles.
func changesRole(_ map[string]any, was, is any) bool {
	before, _ := was.(map[string]any)
	after, _ := is.(map[string]any)
	return before["kind"] != after["kind"] || before["name"] != after["name"]
}

func (c *upgradeCase) refuseFields(old, new *bundled.Manifest, fields []immutableField) {
	var was, is map[string]any
	if json.Unmarshal(old.JSON(), &was) != nil || json.Unmarshal(new.JSON(), &is) != nil {
		return
	}
	if new.Kind == "Secret" {
		mergeStringData(was)
		mergeStringData(is)
	}
	for _, f := range fields {
		before, after := pathValue(was, f.path, f.absent), pathValue(is, f.path, f.absent)
		if reflect.DeepEqual(before, after) || f.changes != nil && !f.changes(was, before, after) {
			continue
		}
		c.refuse(new.Kind, new.Name, f.path, f.message, old, new, f.path, f.path, toJSON(before), toJSON(after)).
			Fix = fmt.Sprintf("give the %s another name, or keep %s", new.Kind, f.path)
	}
}

// pathValue returns the value at a path of keys, without empty parts; absent if there is none.
func pathValue(object map[string]any, path string, absent any) any {
	key, rest, more := strings.Cut(path, ".")
	value := withoutEmpty(object[key])
	if within, ok := value.(map[string]any); ok && more {
		return pathValue(within, rest, absent)
	}
	if value == nil || more {
		return absent
	}
	return value
}

// withoutEmpty returns a value without nulls, empty objects and empty lists, which Kubernetes does not tell from none.
func withoutEmpty(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, part := range v {
			if part = withoutEmpty(part); part != nil {
				kept[key] = part
			}
		}
		if len(kept) > 0 {
			return kept
		}
		return nil
	case []any:
		if len(v) == 0 {
			return nil
		}
	}
	return value
}

func toJSON(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
