package version

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var nameMismatch = lint.Rule{
	ID: "version/name-mismatch", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `the version in a bundle's name is not the bundle's version
People and pipelines read versions from the names of bundles, in channels and on clusters; OLM reads the olm.package property. If
the two differ, they are misled about the installed version.
Publish the bundle under a name that ends in its version. Do not rename a published bundle: clusters identify it by its name.`,
	Reference: "operator-framework/api good practices, bundle name",
	Check:     lint.EachBundle(checkNameMismatch),
}

// nameVersion matches the version at the end of a bundle name.
var nameVersion = regexp.MustCompile(`[.-]v?([0-9]+\.[0-9]+\.[0-9]+(?:[-+.][0-9A-Za-z.+-]+)?)$`)

func checkNameMismatch(p *lint.Pass, b *catalogs.Bundle) {
	match := nameVersion.FindStringSubmatch(b.Name.Value)
	if match == nil || b.Semver() == nil || equalIgnoringSeparators(match[1], versions.Text(b)) {
		return
	}
	if _, err := semver.Parse(match[1]); err != nil {
		return
	}
	p.Report(lint.Finding{
		Subject: lint.Subject{Bundle: b.Name.Value},
		Pos:     words.FirstKnown(b.Version.Pos, b.Name.Pos),
		Message: fmt.Sprintf("bundle %q has version %s, not the one in its name: users are misled about the installed version",
			b.Name.Value, b.Version.Value),
		Fix:     "if it is not published yet, give name and version the same value",
		Related: []lint.Related{{Pos: b.Name.Pos, Message: "the name"}},
	})
}

// equalIgnoringSeparators reports whether two versions are equal except for separators: a name cannot have a plus.
func equalIgnoringSeparators(a, b string) bool {
	return strings.Trim(separators.ReplaceAllString(a, "."), ".") == strings.Trim(separators.ReplaceAllString(b, "."), ".")
}

var separators = regexp.MustCompile(`[^0-9A-Za-z]+`)
