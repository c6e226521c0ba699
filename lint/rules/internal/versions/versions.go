// Package versions compares and formats the versions of bundles, and parses version ranges as OLM does.
package versions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
)

// HasTypeProblem reports whether the value at a position has a reported problem with its type.
func HasTypeProblem(c *catalogs.Catalog, place catalogs.Pos) bool {
	at, _ := slices.BinarySearchFunc(c.Problems, catalogs.Problem{Pos: place}, catalogs.CompareProblems)
	for ; place.IsKnown() && at < len(c.Problems) && c.Problems[at].Pos == place; at++ {
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

// OfEntry returns the version of an entry as Text, or says whose it is if that is not known.
func OfEntry(e *catalogs.Entry) string {
	if !HasVersion(e.Bundle) {
		return fmt.Sprintf("that of %q", e.Name.Value)
	}
	return Text(e.Bundle)
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
		return find.CompareFirst(!okX, !okY)
	}
}

// CompareKnown is CompareVersions for bundles that may be nil or have no version, which are lower than those with a version.
func CompareKnown(a, b *catalogs.Bundle) int {
	switch okA, okB := HasVersion(a), HasVersion(b); {
	case okA && okB:
		return CompareVersions(a, b)
	default:
		return find.CompareFirst(!okA, !okB)
	}
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
		if p.IsDefined() {
			names = append(names, p.Name.Value)
		}
	}
	near, _ := words.Nearest(name, names)
	return near
}

var (
	shortVersion = regexp.MustCompile(`(^|[\s<>=!|])[0-9]+(\.[0-9]+)?($|[\s|])`)
	vVersion     = regexp.MustCompile(`(^|[\s<>=!|~^,])[vV]([0-9])`)
	tightOr      = regexp.MustCompile(`\S\|\||\|\|\S`)
	HyphenRange  = regexp.MustCompile(`\s-\s`)
	caretTilde   = regexp.MustCompile(`[~^]`)
	quotesIn     = regexp.MustCompile("[\"'“”‘’`]")
	noVersion    = regexp.MustCompile(`[<>]=?\s+[<>]|[<>=]\s*$`)
	wrongOrder   = regexp.MustCompile(`=\s*([<>])`)
	doubled      = regexp.MustCompile(`([<>])(?:\s*=\s*=|\s+=)`)
	andWord      = regexp.MustCompile(`\s*&&?\s*|(?i)\s+and\s+`)
	SinglePipe   = regexp.MustCompile(`(?:^|[^|])\|(?:[^|]|$)`)
)

// rangeMistakes are constructs of other range grammars, with a function that corrects them if possible.
var rangeMistakes = []struct {
	found   func(text string) bool
	why     string
	fix     string
	correct func(text string) string
}{
	{func(t string) bool { return strings.TrimSpace(t) == "" }, "it is empty", "write a range, or remove it", nil},
	{
		quotesIn.MatchString, "it has quotes in it", "remove the quotes",
		func(t string) string { return quotesIn.ReplaceAllString(t, "") },
	},
	{noVersion.MatchString, "an operator has no version after it", "write the version, or remove the operator", nil},
	{
		wrongOrder.MatchString, "it has an operator in the wrong order", "write >= or <=",
		func(t string) string { return wrongOrder.ReplaceAllString(t, "$1=") },
	},
	{
		doubled.MatchString, "it has an operator with a space in it or an equals sign too many", "write >= or <= without a space in it",
		func(t string) string { return doubled.ReplaceAllString(t, "$1=") },
	},
	{
		andWord.MatchString, "it has a word or && for and, which a space means", "write a space instead",
		func(t string) string { return strings.Join(strings.Fields(andWord.ReplaceAllString(t, " ")), " ") },
	},
	{caretTilde.MatchString, "^ and ~ are not in its grammar", "write both bounds, as in >=1.2.0 <2.0.0", nil},
	{
		vVersion.MatchString, "it has a version with a leading v", "write the versions without the v",
		func(t string) string { return vVersion.ReplaceAllString(t, "$1$2") },
	},
	{
		func(t string) bool { return strings.Contains(t, ",") }, "it has commas instead of spaces",
		"write a space instead of each comma",
		func(t string) string { return strings.Join(strings.FieldsFunc(t, isCommaOrSpace), " ") },
	},
	{shortVersion.MatchString, "it has a version with fewer than three numbers", "write all three, as in 1.2.0", nil},
	{
		tightOr.MatchString, "|| has no space on both sides", "put a space before and after ||",
		func(t string) string {
			return strings.Join(strings.Fields(strings.ReplaceAll(t, "||", " || ")), " ")
		},
	},
}

func isCommaOrSpace(c rune) bool { return c == ',' || c == ' ' }

// RangeMistake says what is wrong with a range, with the corrected range as the fix if it is certain.
func RangeMistake(text string) (why, fix string) {
	if len(text) > graph.LongestRange {
		return fmt.Sprintf("it has more than the %d bytes that olmgraph reads", graph.LongestRange), "write fewer parts between ||"
	}
	corrected := text
	for _, m := range rangeMistakes {
		if !m.found(corrected) {
			continue
		}
		if why == "" {
			why, fix = m.why, m.fix
		}
		if m.correct == nil {
			return why, fix
		}
		corrected = m.correct(corrected)
	}
	if why != "" && graph.ReadRange(corrected) != nil {
		fix = fmt.Sprintf("write %q", corrected)
	}
	return why, fix
}
