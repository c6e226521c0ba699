package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var lowerPreferred = lint.Rule{
	ID: "deprecation/lower-preferred", Severity: lint.Info, Gates: lint.GateOLMv1,
	Doc: `OLM v1 installs an older version, since the newer ones are deprecated
Without a version or channel in the ClusterExtension OLM v1 installs the highest version that is not deprecated. If all newer
versions are deprecated, but the package is not, new users of OLM v1 get the older version and those of OLM v0 the head.
Deprecate the older versions as well, or explain in the message why the newer ones were withdrawn.`,
	Reference: "operator-controller resolve.CatalogResolver",
	Check:     checkLowerPreferred,
}

func checkLowerPreferred(p *lint.Pass) {
	d := edges.DeprecatedIn(p.Package)
	if len(d.Bundles) == 0 || d.Package != nil {
		return
	}
	var best, highest *catalogs.Bundle
	for _, b := range versions.BundlesInChannels(p.Package) {
		if b.Semver() == nil {
			continue
		}
		if highest == nil || versions.NewerThan(b, highest) {
			highest = b
		}
		if d.Bundles[b.Name.Value] == nil && (best == nil || versions.NewerThan(b, best)) {
			best = b
		}
	}
	if best == nil || best == highest || d.Bundles[highest.Name.Value] == nil {
		return
	}
	p.Report(lint.Finding{
		Subject: lint.Subject{Bundle: best.Name.Value},
		Pos:     d.Bundles[highest.Name.Value].Pos,
		Message: fmt.Sprintf("OLM v1 installs %q, since %q and all other newer bundles are deprecated", best.Name.Value, highest.Name.Value),
		Fix:     "deprecate the older bundles as well, or add a newer bundle that is not deprecated",
	})
}
