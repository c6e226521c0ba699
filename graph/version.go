package graph

import (
	"regexp"
	"strings"

	"github.com/blang/semver/v4"
)

// versionStart is where a version may begin in a name: at its begin, or behind a dot, a dash or an underscore.
var versionStart = regexp.MustCompile(`(^|[._-])v?[0-9]`)

// VersionIn returns the version that a name of a ClusterServiceVersion ends in, as 1.2.3 of foo.v1.2.3 or foo-1.2.3: the
// longest end that is a version in full, or else the longest that is one with parts left out, as in foo.v1.2. It is false if
// there is none.
func VersionIn(name string) (semver.Version, bool) {
	var ends []string
	for _, at := range versionStart.FindAllStringIndex(name, -1) {
		if at[0] > 0 && '0' <= name[at[0]-1] && name[at[0]-1] <= '9' {
			continue // in the midst of a version: 1.2.3.4 does not end in 2.3.4, nor 1.2-1 in 1
		}
		ends = append(ends, strings.TrimPrefix(strings.TrimLeft(name[at[0]:], "._-"), "v"))
	}
	for _, parse := range []func(string) (semver.Version, error){semver.Parse, semver.ParseTolerant} {
		for _, end := range ends {
			if v, err := parse(end); err == nil {
				return v, true
			}
		}
	}
	return semver.Version{}, false
}

// SplitName splits the name of an operator that no catalog may have: a name, or name and version as in foo.latest@1.2.3. The
// version is that in the name if none is given; known is false if there is none either, or if it is no version.
func SplitName(text string) (name string, version semver.Version, known bool) {
	name, given, ok := strings.Cut(text, "@") // which no name of an object can have
	if !ok {
		version, known = VersionIn(name)
		return name, version, known
	}
	version, err := semver.ParseTolerant(given)
	return name, version, err == nil
}
