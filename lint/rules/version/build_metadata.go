package version

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var buildMetadata = lint.Rule{
	ID: "version/build-metadata", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `two bundles differ only in build metadata
Build metadata does not order versions: 1.0.0+1 and 1.0.0+2 are equal. opm accepts them, but no skipRange and no version range can
distinguish them, and which of the two OLM v1 selects is not defined.
Give the newer one a higher version, or a release.`,
	Reference: "semver.org 10; operator-controller compare.ByVersionAndRelease",
	Check:     checkBuildMetadata,
}

func checkBuildMetadata(p *lint.Pass) {
	bundles := slices.DeleteFunc(versions.BundlesInChannels(p.Package), func(b *catalogs.Bundle) bool { return b.Semver() == nil })
	slices.SortStableFunc(bundles, versions.CompareVersions)
	for i := 1; i < len(bundles); i++ {
		a, b := bundles[i-1], bundles[i]
		if versions.CompareVersions(a, b) != 0 || versions.Text(a) == versions.Text(b) {
			continue
		}
		p.Report(lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Cause:   []string{withoutBuild(b), b.Release.Value},
			Pos:     words.FirstKnown(b.Version.Pos, b.Name.Pos),
			Message: fmt.Sprintf("versions %s and %s differ in build metadata only, which does not order: to OLM they are equal",
				versions.Text(a), versions.Text(b)),
			Fix:     "give the newer one a higher version, or a release instead of build metadata",
			Related: []lint.Related{{Pos: words.FirstKnown(a.Version.Pos, a.Name.Pos), Message: "the other one"}},
		})
	}
}

// withoutBuild returns the version of a bundle without build metadata.
func withoutBuild(b *catalogs.Bundle) string {
	v := *b.Semver()
	v.Build = nil
	return v.String()
}
