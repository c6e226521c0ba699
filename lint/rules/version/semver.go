package version

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var semverRule = lint.Rule{
	ID: "version/semver", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a bundle's version is not a semantic version
opm reads the version of the olm.package property strictly: three numbers, no leading v, no leading zeros, then an optional
prerelease and build metadata. It rejects the whole catalog if the version of one bundle is anything else.
Write the full version, in the catalog and in the CSV of the bundle.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkSemver,
}

func checkSemver(p *lint.Pass) {
	for _, b := range p.Package.Bundles {
		v := b.Version
		if b.Semver() != nil || b.PropertyCount(catalogs.TypePackage) == 0 || versions.HasTypeProblem(p.Catalog, v.Pos) {
			continue
		}
		f := lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Pos:     words.FirstKnown(v.Pos, b.PackageName.Pos, b.Name.Pos, b.Pos),
			Message: fmt.Sprintf("version %q of bundle %q is not a semantic version: %s", v.Value, b.Name.Value, versionMistake(v.Value)),
			Fix:     "write major.minor.patch",
		}
		if v.Value == "" {
			f.Message = fmt.Sprintf("bundle %q has no version: opm rejects it, and nothing can be newer or older",
				b.Name.Value)
			f.Fix = "add version to its olm.package property"
		}
		if meant, err := semver.ParseTolerant(v.Value); err == nil {
			f.Fix = fmt.Sprintf("write %q, if that is intended", meant)
		}
		p.Report(f)
	}
}

// versionMistake says why opm cannot parse a version.
func versionMistake(text string) string {
	core, _, _ := strings.Cut(text, "-")
	parts := strings.Split(core, ".")
	zero := func(part string) bool { return len(part) > 1 && part[0] == '0' }
	switch _, err := semver.Parse(text); {
	case strings.TrimSpace(text) != text:
		return "it has leading or trailing spaces"
	case strings.HasPrefix(text, "v") || strings.HasPrefix(text, "V"):
		return "it has a leading v"
	case len(parts) < 3:
		return "it needs three numbers"
	case slices.ContainsFunc(parts[:3], zero):
		return "a number has a leading zero"
	case err != nil:
		return words.LowerFirst(err.Error())
	}
	return "opm cannot read it"
}
