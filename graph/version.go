package graph

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/find"
)

// ParseVersion returns a version as OLM v0 reads it, nil if it cannot (semver.ParseTolerant).
func ParseVersion(text string) *semver.Version {
	if v, err := semver.ParseTolerant(text); err == nil {
		return &v
	}
	return nil
}

// CompareVersions orders versions, nil below all of them.
func CompareVersions(v, w *semver.Version) int {
	if v == nil || w == nil {
		return find.CompareFirst(v == nil, w == nil)
	}
	return v.Compare(*w)
}

// Older reports whether v is lower than w; not if one of them is nil.
func Older(v, w *semver.Version) bool { return v != nil && w != nil && v.LT(*w) }

// CompareNames orders names of ClusterServiceVersions by the versions that they end in.
func CompareNames(a, b string) int {
	v, _ := VersionIn(a)
	w, _ := VersionIn(b)
	return v.Compare(w)
}

// versionStart is where a version may begin in a name: at its begin, or behind a dot, a dash or an underscore.
var versionStart = regexp.MustCompile(`(^|[._-])(v?)[0-9]`)

// longestName is the length of the longest name in which a version is looked for, in bytes: Kubernetes takes names of 253.
const longestName = 1 << 10

// VersionIn returns the version that a name of a ClusterServiceVersion ends in, as 1.2.3 of foo.v1.2.3 or foo-1.2.3: the
// longest end that is a version in full, or else the longest that is one with parts left out, as in foo.v1.2. It is false if
// there is none.
func VersionIn(name string) (semver.Version, bool) {
	if len(name) > longestName {
		return semver.Version{}, false
	}
	var ends []string
	for _, at := range versionStart.FindAllStringSubmatchIndex(name, -1) {
		if at[0] > 0 && '0' <= name[at[0]-1] && name[at[0]-1] <= '9' && at[4] == at[5] {
			continue // in the midst of a version: 1.2.3.4 does not end in 2.3.4, nor 1.2-1 in 1; foo-3.v1.2.3 does end in 1.2.3
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

// VersionJump is the difference between the versions of an upgrade.
type VersionJump struct {
	Downgrade bool
	Major     bool   // the major version changes
	Skipped   string // versions between, as "minor version 1.3" or "major versions 2 to 4", released or not
}

// VersionJump compares the versions of two bundles: see Version. It is zero if one of them has none.
func (pg *PackageGraph) VersionJump(from, to string) VersionJump {
	v, w := pg.semver(from), pg.semver(to)
	if v == nil || w == nil {
		return VersionJump{}
	}
	return VersionJump{Downgrade: w.LT(*v), Major: v.Major != w.Major, Skipped: skippedVersions(v, w)}
}

func skippedVersions(v, w *semver.Version) string {
	switch {
	case w.LT(*v):
		return ""
	case w.Major > v.Major:
		return numbersBetween("major version", "", v.Major, w.Major)
	default:
		return numbersBetween("minor version", fmt.Sprintf("%d.", w.Major), v.Minor, w.Minor)
	}
}

// numbersBetween words the numbers strictly between two.
func numbersBetween(what, prefix string, low, high uint64) string {
	switch {
	case high-low < 2 || high < low:
		return ""
	case high-low == 2:
		return fmt.Sprintf("%s %s%d", what, prefix, low+1)
	default:
		return fmt.Sprintf("%ss %s%d to %s%d", what, prefix, low+1, prefix, high-1)
	}
}

// namedVersion is the version that the name of a channel ends in: 25.3, stable-1.30, 2.3.x, alpha-0.3.3, candidate-v0.
var namedVersion = regexp.MustCompile(`(?:^|[-_.])(?:v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?|v(\d{1,6}))(?:\.x)?$`)

// NamesVersion reports whether a channel is named after a version.
func NamesVersion(channel string) bool { return namedVersion.MatchString(channel) }

// RenameChannel returns the name that a channel which is named after a version has for another one.
func RenameChannel(channel string, v semver.Version) string {
	m := namedVersion.FindStringSubmatchIndex(channel)
	if m == nil {
		return channel
	}
	is := fmt.Sprint(v.Major)
	from, to := m[8], m[9]
	if from < 0 {
		is, from, to = fmt.Sprintf("%d.%d", v.Major, v.Minor), m[2], m[5]
	}
	if m[6] >= 0 {
		is, to = fmt.Sprintf("%s.%d", is, v.Patch), m[7]
	}
	return channel[:from] + is + channel[to:]
}

// FitsChannelName reports whether a version is in the major or minor version that a channel is named after, or is that version, if it is named after one.
func FitsChannelName(channel string, v semver.Version) bool {
	m := namedVersion.FindStringSubmatch(channel)
	major := strconv.FormatUint(v.Major, 10)
	return m == nil || major == m[4] || major == m[1] && strconv.FormatUint(v.Minor, 10) == m[2] && (m[3] == "" || strconv.FormatUint(v.Patch, 10) == m[3])
}
