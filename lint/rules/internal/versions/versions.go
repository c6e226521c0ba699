// Package versions compares and formats the versions of bundles, and parses version ranges as OLM does.
package versions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
)

// HasTypeProblem reports whether the value at a position has a reported problem with its type.
func HasTypeProblem(c *catalogs.Catalog, place catalogs.Pos) bool {
	at, _ := slices.BinarySearchFunc(c.Problems, catalogs.Problem{Pos: place}, catalogs.CompareProblems)
	for ; place.Known() && at < len(c.Problems) && c.Problems[at].Pos == place; at++ {
		if p := &c.Problems[at]; p.Kind == catalogs.FieldType || p.Kind == catalogs.Coercion {
			return true
		}
	}
	return false
}

// BundlesInChannels returns the bundles that are in some channel, in the order of the package.
func BundlesInChannels(pkg *catalogs.Package) []*catalogs.Bundle {
	in := map[*catalogs.Bundle]bool{}
	for _, c := range pkg.Channels {
		for i := range c.Entries {
			in[c.Entries[i].Bundle] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(pkg.Bundles), func(b *catalogs.Bundle) bool { return !in[b] })
}

// Text returns the version and release by which opm distinguishes bundles (opm: alpha/model Bundle.VersionString).
func Text(b *catalogs.Bundle) string {
	text := b.Semver().String()
	if b.Release.Value != "" {
		text += "-" + b.Release.Value
	}
	return text
}

// CompareVersions compares two bundles by version, then by release. No release is lower than any.
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

// CompareKnown is CompareVersions for bundles that may be nil or have no version, which are lower than those with a version.
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

// parseRelease parses a release as the prerelease of version 0.0.0.
func parseRelease(text string) (semver.Version, bool) {
	if text == "" {
		return semver.Version{}, false
	}
	v, err := semver.Parse("0.0.0-" + text)
	return v, err == nil
}

// NewerThan reports whether both bundles have a version, and that of a is higher.
func NewerThan(a, b *catalogs.Bundle) bool {
	return a != nil && b != nil && a.Semver() != nil && b.Semver() != nil && CompareVersions(a, b) > 0
}

// MaxRelease is the maximum length of a release (operator-registry: alpha/model NewRelease).
const MaxRelease = 20

// ParseMinKubeVersion parses a minKubeVersion as OLM v0 does, with or without a leading v.
func ParseMinKubeVersion(text string) (semver.Version, bool) {
	v, err := semver.Parse(strings.TrimPrefix(text, "v"))
	return v, err == nil
}

// HasVersion reports whether a bundle is not nil and has a valid version.
func HasVersion(b *catalogs.Bundle) bool { return b != nil && b.Semver() != nil }

// NearestPackage returns the defined package with the most similar name, "" if none is similar.
func NearestPackage(c *catalogs.Catalog, name string) string {
	var names []string
	for _, p := range c.Packages {
		if p.Defined() {
			names = append(names, p.Name.Value)
		}
	}
	near, _ := spelling.Nearest(name, names)
	return near
}
