package bundle

import (
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var duplicateObject = lint.Rule{
	ID: "bundle/duplicate-object", Severity: lint.Warning, Gates: lint.GateAdvice, OtherGates: lint.GateOLMv1 | lint.GatePipelines,
	Doc: `a bundle contains an object twice
Both have the same kind and name: the one that is installed later overwrites the other. OLM v1 and the pipelines reject duplicate CRDs.
Keep one of them.`,
	Reference: "operator-framework/api bundle.go validateOwnedCRDs; operator-controller CheckCRDResourceUniqueness",
	Check:     contents.InAllBundles(checkDuplicateObjects),
}

func checkDuplicateObjects(c *contents.Contents) {
	type name struct{ kind, namespace, name string }
	seen := map[name]bool{}
	for _, m := range c.Objects() {
		key := name{m.Kind, m.Namespace, m.Name}
		if seen[key] && m.Name != "" && m.Kind != csv.Kind {
			f := c.ReportOn(m, "metadata.name", "keep one of them",
				"contains the %s %q twice: the later one overwrites the other", m.Kind, m.Name)
			if m.Kind == crd.Kind {
				f.Severity, f.Gates = lint.Error, lint.GateOLMv1|lint.GatePipelines
			}
		}
		seen[key] = true
	}
}
