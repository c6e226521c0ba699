package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var unknownKey = lint.Rule{
	ID: "manifest/unknown-key", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0 | lint.GateOLMv1, Scope: lint.PerCatalog,
	Doc: `a key, a kind or an annotation of a bundle is misspelt
opm and OLM ignore keys and annotations that they do not know, and Kubernetes drops them: an edge, a channel or an install mode is
missing. A key is reported if it is like one that the object does not have. The bundle is then checked as if it were spelt that way, so
that nothing else is reported that only follows from it.
Correct the key.`,
	Reference: "operator-framework/api pkg/operators/v1alpha1 ClusterServiceVersionSpec; operator-registry pkg/registry AnnotationsFile",
	Check:     problems.Check(catalogs.UnknownKey, "correct the key"),
}
