package version

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var duplicate = lint.Rule{
	ID: "version/duplicate", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `two bundles of a package have the same version
opm rejects two bundles of one version in a package, whatever their channels. It compares the text of version and release
together, so that version 1.0.0-1 and version 1.0.0 with release 1 are the same.
Give one of them another version.`,
	Reference: "operator-registry alpha/model validateUniqueBundleVersions",
	Check:     checkDuplicateVersion,
}

func checkDuplicateVersion(p *lint.Pass) {
	first := map[string]*catalogs.Bundle{}
	for _, b := range versions.BundlesInChannels(p.Package) {
		if b.Semver() == nil {
			continue
		}
		text := versions.Text(b)
		other := first[text]
		if other == nil {
			first[text] = b
			continue
		}
		p.Report(lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Cause:   []string{text},
			Pos:     words.FirstKnown(b.Version.Pos, b.Name.Pos),
			Message: fmt.Sprintf("bundle %q has the same version as %q: %s", b.Name.Value, other.Name.Value, describeVersion(b, other)),
			Fix:     "give one of them another version, or remove one of them",
			Related: []lint.Related{{Pos: words.FirstKnown(other.Version.Pos, other.Name.Pos), Message: "the other one"}},
		})
	}
}

// describeVersion returns the version of two bundles with the same version text.
func describeVersion(a, b *catalogs.Bundle) string {
	if a.Version.Value == b.Version.Value {
		return versions.Text(a)
	}
	return fmt.Sprintf("%s, as opm joins version and release", versions.Text(a))
}
