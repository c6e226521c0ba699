package graph

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
)

// versionChannel matches the name of a version channel: stable-v1.2, 25.3, 2.x.
var versionChannel = regexp.MustCompile(`^(.*?)v?([0-9]{1,9}(?:\.[0-9]{1,9}){0,2})((?:\.x)?)$`)

var number = regexp.MustCompile(`[0-9]+`)

// VersionChannel is a channel that is named after a version.
type VersionChannel struct {
	*catalogs.Channel
	Version semver.Version
	family  string // its name without numbers and v
}

func parseVersionChannel(c *catalogs.Channel) (VersionChannel, bool) {
	m := versionChannel.FindStringSubmatch(c.Name.Value)
	if m == nil {
		return VersionChannel{}, false
	}
	v, err := semver.ParseTolerant(m[2])
	return VersionChannel{c, v, m[1] + number.ReplaceAllString(m[2], "#") + m[3]}, err == nil
}

// Families returns the version channels of a package, those whose names differ in numbers and v only together, the lowest version first.
func Families(pkg *catalogs.Package) (all [][]VersionChannel) {
	var named []VersionChannel
	for _, c := range pkg.Channels {
		if v, ok := parseVersionChannel(c); ok && pkg.Channel(c.Name.Value) == c {
			named = append(named, v)
		}
	}
	slices.SortStableFunc(named, func(a, b VersionChannel) int {
		return cmp.Or(strings.Compare(a.family, b.family), a.Version.Compare(b.Version))
	})
	for i, c := range named {
		if i == 0 || named[i-1].family != c.family {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], c)
	}
	return all
}

// EarlierChannels returns the version channels of a package to which one that it does not have yet would belong, as far as they are of lower versions.
func EarlierChannels(pkg *catalogs.Package, channel string) []VersionChannel {
	is, ok := parseVersionChannel(&catalogs.Channel{Name: catalogs.Text{Value: channel}})
	if !ok {
		return nil
	}
	family := find.Value(Families(pkg), func(all []VersionChannel) bool { return all[0].family == is.family })
	return slices.DeleteFunc(family, func(c VersionChannel) bool { return c.Version.GE(is.Version) })
}

// ChannelFamily returns the one of the Families that has a channel, nil if that is no version channel.
func ChannelFamily(pkg *catalogs.Package, channel string) []VersionChannel {
	return find.Value(Families(pkg), func(family []VersionChannel) bool {
		return slices.ContainsFunc(family, func(c VersionChannel) bool { return c.Name.Value == channel })
	})
}

// PatternName returns the name that a channel has in the pattern of at least two others that all differ from it in v and separators in the same way,
// as stable-v1.3 for stable-1.3; false if another channel has its own pattern.
func PatternName(channel string, others []string) (string, bool) {
	own, meant := number.ReplaceAllString(channel, "#"), ""
	found := 0
	for _, other := range others {
		switch pattern := number.ReplaceAllString(other, "#"); {
		case pattern == own || meant != "" && foldPattern(pattern) == foldPattern(own) && meant != pattern:
			return "", false
		case foldPattern(pattern) == foldPattern(own):
			meant, found = pattern, found+1
		}
	}
	if found < 2 || !strings.Contains(own, "#") {
		return "", false
	}
	for _, n := range number.FindAllString(channel, -1) {
		meant = strings.Replace(meant, "#", n, 1)
	}
	return meant, true
}

// foldPattern returns a pattern without v before a number and without separators.
func foldPattern(pattern string) string {
	return strings.NewReplacer("-", "", "_", "", "v#", "#").Replace(pattern)
}
