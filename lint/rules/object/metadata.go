package object

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/names"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var metadata = lint.Rule{
	ID: "object/metadata", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer,
	Doc: `an object has invalid metadata
Every object needs an apiVersion, a kind, a name that Kubernetes accepts, and valid labels. Otherwise the API server rejects it,
and the whole installation fails.
Correct the metadata.`,
	Reference: "operator-registry pkg/lib/bundle validateKubectlable; Kubernetes ObjectMeta validation",
	Check:     contents.InAllBundles(checkObjectMeta),
}

// checkObjectMeta checks the metadata of objects other than CSVs and CRDs.
func checkObjectMeta(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.Kind == csv.Kind || m.Kind == crd.Kind || m.File != "" && m.Document > 0 {
			continue
		}
		var head struct {
			Metadata csv.ObjectMeta `json:"metadata"`
		}
		err := json.Unmarshal(m.JSON(), &head)
		checkObjectName(c, m, &head.Metadata, err)
		for _, key := range words.SortedKeys(head.Metadata.Labels) {
			if says := names.LabelFault(head.Metadata.Labels[key]); says != "" {
				c.ReportOn(m, "metadata.labels["+key+"]", "correct the label", "contains the %s %q with the label %s: %q, which %s",
					m.Kind, m.Name, key, head.Metadata.Labels[key], says)
			}
		}
	}
}

// checkObjectName checks apiVersion, kind and name of an object. err is the error of decoding its metadata.
func checkObjectName(c *contents.Contents, m *bundled.Manifest, meta *csv.ObjectMeta, err error) {
	switch {
	case m.APIVersion == "" || m.Kind == "":
		c.ReportOn(m, "", "set apiVersion and kind, or remove it",
			"contains an object %q without apiVersion or kind: OLM cannot install it", m.Name)
	case err != nil:
		c.ReportOn(m, "metadata", "quote the strings",
			"contains the %s %q with metadata of the wrong type: %s", m.Kind, m.Name, typeFault(err))
	case meta.Name == "" && meta.GenerateName == "":
		c.ReportOn(m, "metadata", "set metadata.name", "contains a %s without a name: OLM cannot create it", m.Kind)
	case meta.Name != "" && names.NameFault(meta.Name) != "" && !slices.Contains(anyNameKinds, m.Kind):
		c.ReportOn(m, "metadata.name", "rename it", "contains the %s %q, a name that %s", m.Kind, meta.Name,
			names.NameFault(meta.Name))
	}
}

// anyNameKinds are the kinds whose names need not be DNS names.
var anyNameKinds = []string{"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}

func typeFault(err error) string {
	if wrong, ok := err.(*json.UnmarshalTypeError); ok {
		return fmt.Sprintf("%s is %s", wrong.Field, words.DescribeJSON(wrong.Value))
	}
	return "it is not an object"
}
