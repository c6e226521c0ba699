package graph

import (
	"fmt"

	"github.com/blang/semver/v4"
)

// VersionJump is the difference between the versions of an upgrade.
type VersionJump struct {
	Downgrade bool
	Major     bool   // the major version changes
	Skipped   string // versions between, as "minor version 1.3" or "major versions 2 to 4", released or not
}

// VersionJump compares the versions of two bundles: see Version. It is zero if one of them has none.
func (a *PackageGraph) VersionJump(from, to string) VersionJump {
	v, w := a.semver(from), a.semver(to)
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
