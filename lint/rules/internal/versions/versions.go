// Package versions compares and words the versions of bundles, and reads version ranges as OLM does.
package versions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// HasTypeProblem reports whether the value at a place is reported as of the wrong type.
func HasTypeProblem(c *catalogs.Catalog, place catalogs.Pos) bool {
	return place.Known() && slices.ContainsFunc(c.Problems, func(p catalogs.Problem) bool {
		return p.Pos == place && (p.Kind == catalogs.FieldType || p.Kind == catalogs.Coercion)
	})
}

// BundlesInChannels returns the bundles that are in some channel, in the order of the text, each name once.
func BundlesInChannels(pkg *catalogs.Package) []*catalogs.Bundle {
	in := map[*catalogs.Bundle]bool{}
	for _, c := range pkg.Channels {
		for i := range c.Entries {
			in[c.Entries[i].Bundle] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(pkg.Bundles), func(b *catalogs.Bundle) bool { return !in[b] })
}

// Text is what opm compares to tell versions apart (opm: alpha/model Bundle.VersionString).
func Text(b *catalogs.Bundle) string {
	text := b.Semver().String()
	if b.Release.Value != "" {
		text += "-" + b.Release.Value
	}
	return text
}

// CompareVersions orders two bundles that have versions by those, then by release; none is lower than any.
func CompareVersions(a, b *catalogs.Bundle) int {
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

// CompareKnown is compareVersions where a bundle may be missing or have no version: then it is lower than any that has one.
func CompareKnown(a, b *catalogs.Bundle) int {
	switch okA, okB := HasVersion(a), HasVersion(b); {
	case okA && okB:
		return CompareVersions(a, b)
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

// NewerThan reports whether the version of a is known to be higher than that of b.
func NewerThan(a, b *catalogs.Bundle) bool {
	return a != nil && b != nil && a.Semver() != nil && b.Semver() != nil && CompareVersions(a, b) > 0
}

// MaxRelease is how long a release may be (operator-registry alpha/model NewRelease).
const MaxRelease = 20

// VersionField has a rule of its own: version/number.
const VersionField = catalogs.TypePackage + ".version"

// ParseMinKubeVersion reads three numbers as OLM v0 does for minKubeVersion: a leading v is let pass.
func ParseMinKubeVersion(text string) (semver.Version, bool) {
	v, err := semver.Parse(strings.TrimPrefix(text, "v"))
	return v, err == nil
}

func HasVersion(b *catalogs.Bundle) bool { return b != nil && b.Semver() != nil }
