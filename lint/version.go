package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// versionRules judge the versions of bundles: can opm read them, and tell them apart?
var versionRules = []Rule{
	{
		ID: "version/number", Severity: Error, Gates: GateOPM, Scope: PerBoth,
		Doc: `a bundle's version is not a string
Without quotes YAML reads 1.10 as the number 1.1, and opm rejects the catalog. A number is also not a semantic version, which has
three parts.
Write the full version in quotes.`,
		Reference: "operator-registry alpha/property Parse",
		Check: problemsThat(func(problem *catalogs.Problem) bool { return problem.Field == versionField },
			"write the full version in quotes"),
	},
	{
		ID: "version/semver", Severity: Error, Gates: GateOPM,
		Doc: `a bundle's version is not a semantic version
opm reads the version of the olm.package property strictly: three numbers, no leading v, no leading zeros, then an optional
prerelease and build metadata. It rejects the whole catalog if the version of one bundle is anything else.
Write the full version, in the catalog and in the CSV of the bundle.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkSemver,
	},
	{
		ID: "version/duplicate", Severity: Error, Gates: GateOPM,
		Doc: `two bundles of a package have the same version
opm rejects two bundles of one version in a package, whatever their channels. It compares the text of version and release
together, so that version 1.0.0-1 and version 1.0.0 with release 1 are the same.
Give one of them another version.`,
		Reference: "operator-registry alpha/model validateUniqueBundleVersions",
		Check:     checkDuplicateVersion,
	},
	{
		ID: "version/build-metadata", Severity: Warning, Gates: GateAdvice,
		Doc: `two bundles differ only in build metadata
Build metadata does not order versions: 1.0.0+1 and 1.0.0+2 are equal. opm accepts them, but no skipRange and no version range can
distinguish them, and which of the two OLM v1 selects is not defined.
Give the newer one a higher version, or a release.`,
		Reference: "semver.org 10; operator-controller compare.ByVersionAndRelease",
		Check:     checkBuildMetadata,
	},
	{
		ID: "version/release", Severity: Error, Gates: GateOPM,
		Doc: `a bundle's release is malformed, or not in its name
A release counts rebuilds of one version. It is dot-separated letters, digits and hyphens like a prerelease, at most 20
characters, no number with a leading zero. The version must then have no build metadata, and the bundle must have the name
<package>-v<version>-<release>. opm rejects anything else.
Correct the release or the name; change the name in the channels too.`,
		Reference: "operator-registry alpha/model Bundle.Validate",
		Check:     eachBundle(checkRelease),
	},
	{
		ID: "version/name-mismatch", Severity: Warning, Gates: GateAdvice,
		Doc: `the version in a bundle's name is not the bundle's version
People and pipelines read versions from the names of bundles, in channels and on clusters; OLM reads the olm.package property. If
the two differ, they are misled about the installed version.
Publish the bundle under a name that ends in its version. Do not rename a published bundle: clusters identify it by its name.`,
		Reference: "operator-framework/api good practices, bundle name",
		Check:     eachBundle(checkNameMismatch),
	},
}

func checkSemver(p *Pass) {
	for _, b := range p.Package.Bundles {
		v := b.Version
		if b.Semver() != nil || b.PropertyCount(catalogs.TypePackage) == 0 || isProblemAt(p.Catalog, v.Pos) {
			continue
		}
		f := Finding{
			Subject: Subject{Bundle: b.Name.Value},
			Pos:     firstKnown(v.Pos, b.PackageName.Pos, b.Name.Pos, b.Pos),
			Message: fmt.Sprintf("version %q of bundle %q is not a semantic version: %s", v.Value, b.Name.Value, versionMistake(v.Value)),
			Fix:     "write major.minor.patch",
		}
		if v.Value == "" {
			f.Message = fmt.Sprintf("bundle %q has no version: opm refuses it, and nothing can be newer or older",
				b.Name.Value)
			f.Fix = "add version to its olm.package property"
		}
		if meant, err := semver.ParseTolerant(v.Value); err == nil {
			f.Fix = fmt.Sprintf("write %q, if that is intended", meant)
		}
		p.Report(f)
	}
}

// isProblemAt reports whether the value at a place is reported as of the wrong type.
func isProblemAt(c *catalogs.Catalog, place catalogs.Pos) bool {
	return place.Known() && slices.ContainsFunc(c.Problems, func(p catalogs.Problem) bool {
		return p.Pos == place && (p.Kind == catalogs.FieldType || p.Kind == catalogs.Coercion)
	})
}

// versionMistake says why opm cannot read a version.
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
		return lowerFirst(err.Error())
	}
	return "opm cannot read it"
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// listedBundles returns the bundles that are in some channel, in the order of the text, each name once.
func listedBundles(pkg *catalogs.Package) []*catalogs.Bundle {
	in := map[*catalogs.Bundle]bool{}
	for _, c := range pkg.Channels {
		for i := range c.Entries {
			in[c.Entries[i].Bundle] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(pkg.Bundles), func(b *catalogs.Bundle) bool { return !in[b] })
}

func checkDuplicateVersion(p *Pass) {
	first := map[string]*catalogs.Bundle{}
	for _, b := range listedBundles(p.Package) {
		if b.Semver() == nil {
			continue
		}
		text := versionText(b)
		other := first[text]
		if other == nil {
			first[text] = b
			continue
		}
		p.Report(Finding{
			Subject: Subject{Bundle: b.Name.Value},
			Cause:   []string{text},
			Pos:     firstKnown(b.Version.Pos, b.Name.Pos),
			Message: fmt.Sprintf("bundle %q has the same version as %q: %s", b.Name.Value, other.Name.Value, describeVersion(b, other)),
			Fix:     "give one of them another version, or remove one of them",
			Related: []Related{{Pos: firstKnown(other.Version.Pos, other.Name.Pos), Message: "the other one"}},
		})
	}
}

// versionText is what opm compares to tell versions apart (opm: alpha/model Bundle.VersionString).
func versionText(b *catalogs.Bundle) string {
	text := b.Semver().String()
	if b.Release.Value != "" {
		text += "-" + b.Release.Value
	}
	return text
}

// describeVersion says what two bundles of the same version text have in common.
func describeVersion(a, b *catalogs.Bundle) string {
	if a.Version.Value == b.Version.Value {
		return versionText(a)
	}
	return fmt.Sprintf("%s, as opm joins version and release", versionText(a))
}

func checkBuildMetadata(p *Pass) {
	bundles := slices.DeleteFunc(listedBundles(p.Package), func(b *catalogs.Bundle) bool { return b.Semver() == nil })
	slices.SortStableFunc(bundles, compareVersions)
	for i := 1; i < len(bundles); i++ {
		a, b := bundles[i-1], bundles[i]
		if compareVersions(a, b) != 0 || versionText(a) == versionText(b) {
			continue
		}
		p.Report(Finding{
			Subject: Subject{Bundle: b.Name.Value},
			Cause:   []string{withoutBuild(b), b.Release.Value},
			Pos:     firstKnown(b.Version.Pos, b.Name.Pos),
			Message: fmt.Sprintf("versions %s and %s differ in build metadata only, which does not order: to OLM they are equal",
				versionText(a), versionText(b)),
			Fix:     "give the newer one a higher version, or a release instead of build metadata",
			Related: []Related{{Pos: firstKnown(a.Version.Pos, a.Name.Pos), Message: "the other one"}},
		})
	}
}

// withoutBuild returns what orders the version of a bundle.
func withoutBuild(b *catalogs.Bundle) string {
	v := *b.Semver()
	v.Build = nil
	return v.String()
}

// compareVersions orders two bundles that have versions by those, then by release; none is lower than any.
func compareVersions(a, b *catalogs.Bundle) int {
	if c := a.Semver().Compare(*b.Semver()); c != 0 {
		return c
	}
	x, okX := parseRelease(a.Release.Value)
	y, okY := parseRelease(b.Release.Value)
	switch {
	case okX && okY:
		return x.Compare(y)
	default:
		return cmp.Compare(boolToInt(okX), boolToInt(okY))
	}
}

// compareKnown is compareVersions where a bundle may be missing or have no version: then it is lower than any that has one.
func compareKnown(a, b *catalogs.Bundle) int {
	switch okA, okB := hasVersion(a), hasVersion(b); {
	case okA && okB:
		return compareVersions(a, b)
	default:
		return cmp.Compare(boolToInt(okA), boolToInt(okB))
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// parseRelease reads a release as the prerelease of version 0.0.0.
func parseRelease(text string) (semver.Version, bool) {
	v, err := semver.Parse("0.0.0-" + text)
	return v, err == nil && text != ""
}

// newerThan reports whether the version of a is known to be higher than that of b.
func newerThan(a, b *catalogs.Bundle) bool {
	return a != nil && b != nil && a.Semver() != nil && b.Semver() != nil && compareVersions(a, b) > 0
}

// maxRelease is how long a release may be (operator-registry alpha/model NewRelease).
const maxRelease = 20

func checkRelease(p *Pass, b *catalogs.Bundle) {
	text := b.Release.Value
	if text == "" {
		return
	}
	f := Finding{Subject: Subject{Bundle: b.Name.Value}, Pos: firstKnown(b.Release.Pos, b.Name.Pos)}
	_, err := semver.Parse("0.0.0-" + text)
	want := fmt.Sprintf("%s-v%s-%s", p.Package.Name.Value, b.Version.Value, text)
	switch {
	case strings.Contains(text, "+"):
		f.Message = fmt.Sprintf("release %q of bundle %q has build metadata, which opm refuses in a release",
			text, b.Name.Value)
		f.Fix = "remove the plus and what follows it"
	case err != nil:
		f.Message = fmt.Sprintf("release %q of bundle %q is malformed: %s", text, b.Name.Value, lowerFirst(err.Error()))
		f.Fix = "use numbers without leading zeros, letters and hyphens, separated by dots"
	case len(text) > maxRelease:
		f.Message = fmt.Sprintf("release %q of bundle %q has %d characters; opm allows %d",
			text, b.Name.Value, len(text), maxRelease)
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

// nameVersion finds the version at the end of a bundle's name.
var nameVersion = regexp.MustCompile(`[.-]v?([0-9]+\.[0-9]+\.[0-9]+(?:[-+.][0-9A-Za-z.+-]+)?)$`)

func checkNameMismatch(p *Pass, b *catalogs.Bundle) {
	match := nameVersion.FindStringSubmatch(b.Name.Value)
	if match == nil || b.Semver() == nil || sameLetters(match[1], versionText(b)) {
		return
	}
	if _, err := semver.Parse(match[1]); err != nil {
		return
	}
	p.Report(Finding{
		Subject: Subject{Bundle: b.Name.Value},
		Pos:     firstKnown(b.Version.Pos, b.Name.Pos),
		Message: fmt.Sprintf("bundle %q has version %s, not the one in its name: users are misled about the installed version",
			b.Name.Value, b.Version.Value),
		Fix:     "if it is not published yet, give name and version the same value",
		Related: []Related{{Pos: b.Name.Pos, Message: "the name"}},
	})
}

// sameLetters reports whether two versions differ in nothing but separators: a name can have no plus.
func sameLetters(a, b string) bool {
	return strings.Trim(separators.ReplaceAllString(a, "."), ".") == strings.Trim(separators.ReplaceAllString(b, "."), ".")
}

var separators = regexp.MustCompile(`[^0-9A-Za-z]+`)
