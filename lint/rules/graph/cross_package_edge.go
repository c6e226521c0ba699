package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var crossPackageEdge = lint.Rule{
	ID: "graph/cross-package-edge", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `an entry replaces or skips a bundle of another package
OLM upgrades within a package only, so the edge has no effect. It is not a migration from the other package.
Name a bundle of the same package. To move users to another package, deprecate the old one with a message that names the new one.`,
	Reference: "operator-registry pkg/registry ValidateEdgeBundlePackage", Scope: lint.PerCatalog,
	Check: checkCrossPackage,
}

// checkCrossPackage reports entries that name a bundle of another package.
func checkCrossPackage(p *lint.Pass) {
	owners := map[string]*catalogs.Package{}
	for _, pkg := range p.Catalog.Packages {
		for _, b := range pkg.Bundles {
			if owners[b.Name.Value] == nil {
				owners[b.Name.Value] = pkg
			}
		}
	}
	for _, pkg := range p.Catalog.Packages {
		for _, c := range pkg.Channels {
			for i := range c.Entries {
				for field, t := range edges.EdgeTexts(&c.Entries[i]) {
					owner := owners[t.Value]
					if owner == nil || owner == pkg || hasName(pkg, t.Value) {
						continue
					}
					name := c.Entries[i].Name
					p.Report(lint.Finding{
						Subject: lint.Subject{Package: pkg.Name.Value, Channel: c.Name.Value, Bundle: name.Value},
						Cause:   []string{c.Name.Value, name.Value, field.String(), t.Value, owner.Name.Value},
						Pos:     words.FirstKnown(t.Pos, name.Pos, c.Pos),
						Message: fmt.Sprintf("%q %s %q, a bundle of package %q: OLM never upgrades from one package to another",
							name.Value, field, t.Value, owner.Name.Value),
						Fix: fmt.Sprintf("name a bundle of package %q, or remove it", pkg.Name.Value),
					})
				}
			}
		}
	}
}
