package judge

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// Refused is an object that the API server refuses in an upgrade, since a field differs from that of the object of the older bundle and
// cannot be changed. CRDs are not among them.
type Refused struct {
	Kind, Name string
	Field      string // as Kubernetes writes it: spec.selector
	Message    string // of the API server (Kubernetes 1.34), without the value
	// Old and New are the manifests in which the field is at OldPath and NewPath: of a Deployment the ClusterServiceVersions.
	Old, New         *bundled.Manifest
	OldPath, NewPath string
	Was, Is          string // the values, in JSON
}

// InCSV reports whether OLM v0 makes the object of the ClusterServiceVersion, after the InstallPlan is complete.
func (r *Refused) InCSV() bool { return r.New.Kind == csv.Kind }

func (r *Refused) reason() Reason {
	row := immutable
	if r.InCSV() {
		row = selectorChanged
	}
	return Reason{Row: row, Kind: r.Kind, Name: r.Name, Message: r.Field + ": " + r.Message, Values: r.Was + " → " + r.Is}
}

// Refused returns the objects that the API server refuses in an upgrade between two bundles; none if the manifests of one are not known.
// OLM v0 and OLM v1 replace what has the same kind and name (OLM: catalog StepEnsurer, install CreateOrUpdateDeployment).
func (p *Package) Refused(from, to *catalogs.Bundle) []Refused {
	if !from.HasManifests() || !to.HasManifests() {
		return nil
	}
	all := p.refusedDeployments(from, to)
	for _, m := range p.Manifests(to) {
		fields := immutableFields[m.Kind]
		if len(fields) == 0 {
			continue
		}
		i := slices.IndexFunc(p.Manifests(from), func(old *bundled.Manifest) bool { return old.Kind == m.Kind && old.Name == m.Name })
		if i < 0 {
			continue
		}
		if old := p.Manifests(from)[i]; old.Object != m.Object {
			all = append(all, refusedFields(old, m, fields)...)
		}
	}
	return all
}

// refusedDeployments returns the deployments whose selector changes (Kubernetes: validation ValidateDeploymentUpdate).
func (p *Package) refusedDeployments(from, to *catalogs.Bundle) (all []Refused) {
	old, new := p.CSV(from), p.CSV(to)
	if old == nil || new == nil || old.Err != nil || new.Err != nil || old.Document == new.Document {
		return nil
	}
	before := old.Spec.Install.Spec.Deployments
	for i, d := range new.Spec.Install.Spec.Deployments {
		j := slices.IndexFunc(before, func(b csv.Deployment) bool { return b.Name == d.Name })
		if j < 0 {
			continue
		}
		was, is := selectorOf(before[j].Spec.Selector), selectorOf(d.Spec.Selector)
		if was == is || was == "" || is == "" {
			continue
		}
		path := func(i int) string { return fmt.Sprintf("spec.install.spec.deployments[%d].spec.selector", i) }
		all = append(all, Refused{Kind: "Deployment", Name: d.Name, Field: "spec.selector", Message: "field is immutable",
			Old: old.Manifest, New: new.Manifest, OldPath: path(j), NewPath: path(i), Was: was, Is: is})
	}
	return all
}

// immutableField is a field of a kind that the API server does not let change.
type immutableField struct {
	path    string
	absent  any // the value if there is none: a default
	message string
	// changes reports whether a change is refused; nil: every change is.
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
	return is != "" && valueAt(old, "spec.type", "") != "ExternalName"
}

// changesRole reports whether two references lead to different roles: the group is that of roles.
func changesRole(_ map[string]any, was, is any) bool {
	before, _ := was.(map[string]any)
	after, _ := is.(map[string]any)
	return before["kind"] != after["kind"] || before["name"] != after["name"]
}

func refusedFields(old, new *bundled.Manifest, fields []immutableField) (all []Refused) {
	var was, is map[string]any
	if json.Unmarshal(old.JSON(), &was) != nil || json.Unmarshal(new.JSON(), &is) != nil {
		return nil
	}
	if new.Kind == "Secret" {
		mergeStringData(was)
		mergeStringData(is)
	}
	for _, f := range fields {
		before, after := valueAt(was, f.path, f.absent), valueAt(is, f.path, f.absent)
		if reflect.DeepEqual(before, after) || f.changes != nil && !f.changes(was, before, after) {
			continue
		}
		all = append(all, Refused{Kind: new.Kind, Name: new.Name, Field: f.path, Message: f.message,
			Old: old, New: new, OldPath: f.path, NewPath: f.path, Was: jsonOf(before), Is: jsonOf(after)})
	}
	return all
}

// valueAt returns the value at a path of keys, without empty parts; absent if there is none.
func valueAt(object map[string]any, path string, absent any) any {
	key, rest, more := strings.Cut(path, ".")
	value := withoutEmpty(object[key])
	if within, ok := value.(map[string]any); ok && more {
		return valueAt(within, rest, absent)
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

// selectorOf returns a selector as Kubernetes reads it, in JSON: without unknown fields. It is "" if it cannot be read.
func selectorOf(text json.RawMessage) string {
	var selector struct {
		MatchLabels      map[string]string `json:"matchLabels,omitempty"`
		MatchExpressions []struct {
			Key      string   `json:"key"`
			Operator string   `json:"operator"`
			Values   []string `json:"values,omitempty"`
		} `json:"matchExpressions,omitempty"`
	}
	if json.Unmarshal(text, &selector) != nil {
		return ""
	}
	return jsonOf(selector)
}

func jsonOf(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
