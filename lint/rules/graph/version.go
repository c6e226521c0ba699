package graph

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// VersionRules returns the rules of the family, in the order in which they are called.
func VersionRules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Versions}, []lint.Rule{
		{
			ID: "version/semver", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a bundle's version is not a semantic version
opm reads the version of the olm.package property strictly: three numbers, no leading v, no leading zeros, then an optional
prerelease and build metadata. It rejects the whole catalog if the version of one bundle is anything else.
Write the full version, in the catalog and in the CSV of the bundle.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     checkSemver,
		},
		{
			ID: "version/duplicate", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `two bundles of a package have the same version
opm rejects two bundles of one version in a package, whatever their channels. It compares the text of version and release
together, so that version 1.0.0-1 and version 1.0.0 with release 1 are the same.
Give one of them another version.`,
			Reference: "operator-registry alpha/model validateUniqueBundleVersions",
			Check:     checkDuplicateVersion,
		},
		{
			ID: "version/build-metadata", Severity: lint.Warning, Gates: lint.GateAdvice, InfoIfPublished: lint.Warning,
			Doc: `two bundles differ only in build metadata
Build metadata does not order versions: 1.0.0+1 and 1.0.0+2 are equal. opm accepts them, but no skipRange and no version range can
distinguish them, and which of the two OLM v1 selects is not defined.
Give the newer one a higher version, or a release.`,
			Reference: "semver.org 10; operator-controller compare.ByVersionAndRelease",
			Check:     checkBuildMetadata,
		},
		{
			ID: "version/release", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a bundle's release is malformed, or not in its name
A release counts rebuilds of one version. It is dot-separated letters, digits and hyphens like a prerelease, at most 20
characters, no number with a leading zero. The version must then have no build metadata, and the bundle must have the name
<package>-v<version>-<release>. opm rejects anything else.
Correct the release or the name; change the name in the channels too.`,
			Reference: "operator-registry alpha/model Bundle.Validate",
			Check:     lint.EachBundle(checkRelease),
		},
		{
			ID: "version/name-mismatch", Severity: lint.Warning, Gates: lint.GateAdvice, InfoIfPublished: lint.Warning,
			Doc: `the version in a bundle's name is not the bundle's version
People and pipelines read versions from the names of bundles, in channels and on clusters; OLM reads the olm.package property. If
the two differ, they are misled about the installed version.
Publish the bundle under a name that ends in its version. Do not rename a published bundle: clusters identify it by its name.`,
			Reference: "operator-framework/api good practices, bundle name",
			Check:     lint.EachBundle(checkNameMismatch),
		},
	})
}

func checkSemver(p *lint.Pass) {
	for _, b := range p.Package.Bundles {
		v := b.Version
		if b.Semver() != nil || b.PropertyCount(catalogs.TypePackage) == 0 || versions.HasTypeProblem(p.Catalog, v.Pos) {
			continue
		}
		f := lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Pos:     catalogs.KnownPos(v.Pos, b.PackageName.Pos, b.Name.Pos, b.Pos),
			Message: fmt.Sprintf("version %q of bundle %q is not a semantic version: %s", v.Value, b.Name.Value, versionMistake(v.Value)),
			Fix:     "write major.minor.patch",
		}
		if v.Value == "" {
			f.Message = fmt.Sprintf("bundle %q has no version: opm rejects it, and nothing can be newer or older",
				b.Name.Value)
			f.Fix = "add version to its olm.package property"
			if !p.Catalog.Editable() {
				f.Fix = "set spec.version of its ClusterServiceVersion"
			}
		}
		if meant, err := semver.ParseTolerant(v.Value); err == nil {
			f.Fix = fmt.Sprintf("write %q, if that is intended", meant)
			f.Suggest(v, meant.String())
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
			Pos:     catalogs.KnownPos(b.Version.Pos, b.Name.Pos),
			Message: fmt.Sprintf("bundle %q has the same version as %q: %s", b.Name.Value, other.Name.Value, describeVersion(b, other)),
			Fix:     "give one of them another version, or remove one of them",
			Related: []lint.Related{{Pos: catalogs.KnownPos(other.Version.Pos, other.Name.Pos), Message: "the other one"}},
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

func checkBuildMetadata(p *lint.Pass) {
	bundles := slices.DeleteFunc(versions.BundlesInChannels(p.Package), func(b *catalogs.Bundle) bool { return b.Semver() == nil })
	slices.SortStableFunc(bundles, versions.CompareVersions)
	for len(bundles) > 0 {
		end := 1
		for end < len(bundles) && versions.CompareVersions(bundles[0], bundles[end]) == 0 {
			end++
		}
		reportBuilds(p, slices.CompactFunc(bundles[:end:end], func(a, b *catalogs.Bundle) bool { return versions.Text(a) == versions.Text(b) }))
		bundles = bundles[end:]
	}
}

// reportBuilds reports bundles whose versions are equal but for build metadata, at one that is a head, since the others are published.
func reportBuilds(p *lint.Pass, bundles []*catalogs.Bundle) {
	if len(bundles) < 2 {
		return
	}
	at := len(bundles) - 1
	if head := slices.IndexFunc(bundles, func(b *catalogs.Bundle) bool { return contents.HeadSet(p)[b] }); head >= 0 {
		at = head
	}
	b := bundles[at]
	f := lint.Finding{
		Subject: lint.Subject{Bundle: b.Name.Value},
		Cause:   []string{withoutBuild(b), b.Release.Value},
		Pos:     catalogs.KnownPos(b.Version.Pos, b.Name.Pos),
		Message: fmt.Sprintf("versions %s differ in build metadata only, which does not order: to OLM they are equal", words.And(words.Map(bundles, versions.Text))),
		Fix:     "give the newer one a higher version, or a release instead of build metadata",
	}
	for _, other := range slices.Delete(slices.Clone(bundles), at, at+1) {
		f.Related = append(f.Related, lint.Related{Pos: catalogs.KnownPos(other.Version.Pos, other.Name.Pos), Message: "equal to it"})
	}
	p.Report(f)
}

// withoutBuild returns the version of a bundle without build metadata.
func withoutBuild(b *catalogs.Bundle) string {
	v := *b.Semver()
	v.Build = nil
	return v.String()
}

func checkRelease(p *lint.Pass, b *catalogs.Bundle) {
	text := b.Release.Value
	if text == "" {
		return
	}
	f := lint.Finding{Subject: lint.Subject{Bundle: b.Name.Value}, Pos: catalogs.KnownPos(b.Release.Pos, b.Name.Pos)}
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
	if b.Folder != nil && b.Folder.Name == match[1] && p.Catalog.Form == catalogs.Repository && p.Runs("bundle/folder-name", "") {
		return // which says so
	}
	p.Report(lint.Finding{
		Subject: lint.Subject{Bundle: b.Name.Value},
		Pos:     catalogs.KnownPos(b.Version.Pos, b.Name.Pos),
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
