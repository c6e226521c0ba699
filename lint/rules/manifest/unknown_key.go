package manifest

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var unknownKey = lint.Rule{
	ID: "manifest/unknown-key", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0 | lint.GateOLMv1, Scope: lint.PerCatalog,
	Doc: `a key, a kind or an annotation of a bundle is misspelt
opm and OLM ignore keys and annotations that they do not know, and Kubernetes drops them: an edge, a channel or an install mode is
missing. A key is reported if it is like one that the object does not have. The bundle is then checked as if it were spelt that way, so
that nothing else is reported that only follows from it.
A key without which the bundle can be installed and upgraded all the same is a warning.
Correct the key.`,
	Reference: "operator-framework/api pkg/operators/v1alpha1 ClusterServiceVersionSpec; operator-registry pkg/registry AnnotationsFile",
	Check:     checkUnknownKey,
}

// harmless are keys without which a bundle can be installed and upgraded as before.
var harmless = []string{
	"minKubeVersion", "maturity", "keywords", "labels", "links", "maintainers", "icon", "relatedImages", "selector",
	"cleanup", "nativeAPIs",
}

// checkUnknownKey reports the same misspelt key in several bundles of an operator once: the next bundle is copied from the last one.
func checkUnknownKey(p *lint.Pass) {
	var order []string
	found := map[string]*lint.Finding{}
	for _, problem := range p.Catalog.Problems {
		if problem.Kind != catalogs.UnknownKey {
			continue
		}
		key := problem.Package + "\x00" + problem.Message
		if first := found[key]; first != nil {
			first.Also = append(first.Also, lint.Occurrence{Subject: lint.Subject{Bundle: problem.Bundle}, Pos: problem.Pos})
			first.Faults = append(first.Faults, problem.Bundle)
			continue
		}
		f := &lint.Finding{Subject: lint.Subject{Package: problem.Package, Bundle: problem.Bundle}, Cause: problem.Cause,
			Faults: []string{problem.Bundle}, Pos: problem.Pos, Message: problem.Message, Fix: problem.Fix}
		if slices.Contains(harmless, problem.Like) || strings.HasPrefix(problem.Cause[0], "spec.") {
			f.Severity, f.Gates = lint.Warning, lint.GateAdvice
		}
		found[key] = f
		order = append(order, key)
	}
	for _, key := range order {
		f := found[key]
		f.Message += words.AndMore(len(f.Also), "bundle")
		p.Report(*f)
	}
}
