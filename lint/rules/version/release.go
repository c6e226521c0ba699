package version

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var release = lint.Rule{
	ID: "version/release", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a bundle's release is malformed, or not in its name
A release counts rebuilds of one version. It is dot-separated letters, digits and hyphens like a prerelease, at most 20
characters, no number with a leading zero. The version must then have no build metadata, and the bundle must have the name
<package>-v<version>-<release>. opm rejects anything else.
Correct the release or the name; change the name in the channels too.`,
	Reference: "operator-registry alpha/model Bundle.Validate",
	Check:     lint.EachBundle(checkRelease),
}

func checkRelease(p *lint.Pass, b *catalogs.Bundle) {
	text := b.Release.Value
	if text == "" {
		return
	}
	f := lint.Finding{Subject: lint.Subject{Bundle: b.Name.Value}, Pos: words.FirstKnown(b.Release.Pos, b.Name.Pos)}
	_, err := semver.Parse("0.0.0-" + text)
	want := fmt.Sprintf("%s-v%s-%s", p.Package.Name.Value, b.Version.Value, text)
	switch {
	case strings.Contains(text, "+"):
		f.Message = fmt.Sprintf("release %q of bundle %q has build metadata, which opm rejects in a release",
			text, b.Name.Value)
		f.Fix = "remove the plus and what follows it"
	case err != nil:
		f.Message = fmt.Sprintf("release %q of bundle %q is malformed: %s", text, b.Name.Value, words.LowerFirst(err.Error()))
		f.Fix = "use numbers without leading zeros, letters and hyphens, separated by dots"
	case len(text) > versions.MaxRelease:
		f.Message = fmt.Sprintf("release %q of bundle %q has %d characters; opm allows %d",
			text, b.Name.Value, len(text), versions.MaxRelease)
		f.Fix = "shorten it; a counter is enough"
	case b.Semver() != nil && len(b.Semver().Build) > 0:
		f.Message = fmt.Sprintf("bundle %q has both build metadata in its version, %s, and a release",
			b.Name.Value, b.Version.Value)
		f.Fix = "remove the plus and what follows it from the version"
	case b.Semver() != nil && b.Name.Value != want:
		f.Pos = b.Name.Pos
		f.Message = fmt.Sprintf("bundle %q has release %s, so opm requires the name %q", b.Name.Value, text, want)
		f.Fix = "rename it, also in the channels, or remove the release"
	default:
		return
	}
	p.Report(f)
}
