// Package manifest has the rules on package manifests, bundle folders and ConfigMaps.
package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// reportAs reports the problems of a kind with the severity and gates of a finding.
func reportAs(p *lint.Pass, kind catalogs.ProblemKind, as lint.Finding) {
	for _, problem := range p.Catalog.Problems {
		if problem.Kind == kind {
			as.Subject, as.Pos, as.Message = lint.Subject{Package: problem.Package, Bundle: problem.Bundle}, problem.Pos, problem.Message
			p.Report(as)
		}
	}
}

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{unknownKey, packageRule, severalPackages, noChannel, orphanCSV, csvCount, ownedCRD, replacedCSV, annotations, rejected, pruned, configmap, noBundle}
}
