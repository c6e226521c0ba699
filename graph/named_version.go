package graph

import (
	"regexp"
	"strconv"

	"github.com/blang/semver/v4"
)

// namedVersion is the version that the name of a channel ends in: 25.3, stable-1.30, 2.3.x, candidate-v0.
var namedVersion = regexp.MustCompile(`(?:^|[-_.])(?:v?(\d{1,6})\.(\d{1,6})|v(\d{1,6}))(?:\.x)?$`)

// InNamed reports whether a version is in the major or minor version that the channel is named after; named is false if that is none.
func (g *Graph) InNamed(v semver.Version) (in, named bool) {
	m := namedVersion.FindStringSubmatch(g.Channel.Name.Value)
	if m == nil {
		return false, false
	}
	if m[3] != "" {
		return strconv.FormatUint(v.Major, 10) == m[3], true
	}
	return strconv.FormatUint(v.Major, 10) == m[1] && strconv.FormatUint(v.Minor, 10) == m[2], true
}
