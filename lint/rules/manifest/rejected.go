package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var rejected = lint.Rule{
	ID: "manifest/rejected", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `a bundle cannot be added to the index
The pipelines of catalog repositories add each bundle with opm registry add. It rejects a bundle that replaces one that was not
added, replaces itself, has the name or the version of another one, or whose default channel does not exist. A repository does not say
in which order its bundles were published: the lowest version is added first, and a bundle that is rejected is tried again later, and
in one batch with those that it replaces. Channels are then judged without the bundle. It is an info for a bundle that the base has: it
was added, so that the index has more than the repository.
Correct the edges, the version or the annotations of the bundle.`,
	Reference: "operator-registry pkg/registry DirectoryPopulator, BundleGraphLoader, pkg/lib/registry checkForBundles",
	Check:     checkRejected,
}

func checkRejected(p *lint.Pass) {
	problems.CheckMatching(func(problem *catalogs.Problem) bool { return problem.Kind == catalogs.RegistryRejected },
		"correct the bundle's edges, version or annotations", func(f *lint.Finding) {
			if p.BaseCatalog == nil {
				return
			}
			if old := p.BaseCatalog.Package(f.Package); old != nil && old.Bundle(f.Bundle) != nil {
				f.Severity = lint.Info
			}
		})(p)
}
