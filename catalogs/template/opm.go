package template

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// OPM is a version of opm that has the command render-template: v1.26.4 or later. The zero value is NewestOPM.
//
// What a semver template expands to depends on it (operator-registry: the history of alpha/template/semver):
//
//   - v1.26.4, and render-veneer before it: the head of each minor version in a channel replaces the one before it there, and skips what
//     is below it in its minor version. Of channels with the same highest version the default is the major one.
//   - v1.26.5 and v1.27.0 (#1065, #1076): the edges of v1.61. Minor channels are generated unless the template says generateMinorChannels:
//     false, and there is no preference.
//   - v1.27.1 to v1.36 (#1095): the edges of v1.61.
//   - v1.37 to v1.56 (#1169): those of v1.26.4, and what is replaced is skipped as well.
//   - v1.57 to v1.60 (#1749): those of v1.26.4.
//   - since v1.61 (#1813): the highest patch of each minor version replaces that of the minor version before it, though that is in
//     another channel, and skips all lower versions of the same major version.
type OPM struct{ major, minor, patch int }

// NewestOPM returns the newest version whose templates are known here. Later ones are taken to be the same.
func NewestOPM() OPM { return OPM{1, 73, 0} }

// Changes returns the versions that changed what a semver template expands to, the oldest first: see OPM.
func Changes() []OPM {
	return []OPM{first(), {1, 26, 5}, {1, 27, 1}, {1, 37, 0}, {1, 57, 0}, {1, 61, 0}}
}

// Before reports whether a version is older than another.
func (v OPM) Before(w OPM) bool { return v.orNewest().before(w.orNewest()) }

// Pipelines returns the version with which the pipelines of Red Hat's catalog repositories make a catalog when they release a bundle, since
// July 2026, whatever the operator's Makefile pins; before, it was v1.46.0 (operator-pipelines: Dockerfile, #990; add_bundle_to_fbc).
func Pipelines() OPM { return OPM{1, 71, 0} }

// first is the first version with the command render-template (#1066).
func first() OPM { return OPM{1, 26, 4} }

var versionForm = regexp.MustCompile(`^v?([0-9]{1,5})\.([0-9]{1,5})(?:\.([0-9]{1,5}))?$`)

// ParseOPM parses a version: "v1.46", "1.46.0". The error says what is wrong with it.
func ParseOPM(text string) (OPM, error) {
	m := versionForm.FindStringSubmatch(text)
	if m == nil {
		return OPM{}, fmt.Errorf("%q is not a version of opm, such as v1.46.0", text)
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // "" is 0
	v := OPM{number(m[1]), number(m[2]), number(m[3])}
	if v.before(first()) && (m[3] != "" || v.major != first().major || v.minor != first().minor) {
		return OPM{}, fmt.Errorf("opm %s has no templates: its command render-template came with %s", v, first())
	}
	if v.before(first()) { // v1.26 is its last patch
		v.patch = 5
	}
	return v, nil
}

// String returns "v1.46.0".
func (v OPM) String() string {
	v = v.orNewest()
	return fmt.Sprintf("v%d.%d.%d", v.major, v.minor, v.patch)
}

func (v OPM) before(w OPM) bool {
	return cmp.Or(cmp.Compare(v.major, w.major), cmp.Compare(v.minor, w.minor), cmp.Compare(v.patch, w.patch)) < 0
}

// DescribesPackage reports whether the package of a semver template gets the description and the icon of the head of its default channel
// (#1933).
func (v OPM) DescribesPackage() bool { return !v.orNewest().before(OPM{1, 65, 0}) }

func (v OPM) orNewest() OPM {
	if v == (OPM{}) {
		return NewestOPM()
	}
	return v
}

// linking is how the edges of generated channels are made.
type linking int

const (
	acrossChannels linking = iota
	inChannel
	inChannelSkippingReplaced
	inChannelByName // as inChannel, with skips sorted by name
)

// era is what of an expansion depends on the version of opm.
type era struct {
	linking
	hasPreference bool // there is a preference, and minor channels are generated only if nothing else is asked for
	majorFirst    bool // the default channel is the major one if the heads of both kinds have the same version
}

func (v OPM) era() era {
	e := era{linking: acrossChannels, hasPreference: true}
	switch v = v.orNewest(); {
	case v.before(OPM{1, 26, 5}):
		return era{linking: inChannelByName, majorFirst: true}
	case v.before(OPM{1, 27, 1}):
		e.hasPreference = false
	case v.before(OPM{1, 37, 0}):
	case v.before(OPM{1, 57, 0}):
		e.linking = inChannelSkippingReplaced
	case v.before(OPM{1, 61, 0}):
		e.linking = inChannel
	}
	return e
}

// SameExpansion reports whether all semver templates expand to the same with both versions.
func (v OPM) SameExpansion(w OPM) bool { return v.era() == w.era() }

var (
	download   = regexp.MustCompile(`operator-registry/(?:releases/download/|cmd/opm@)(\S*)`)
	assignment = regexp.MustCompile(`^[ \t]*(?:(?:export|override)[ \t]+)*([A-Za-z0-9_.-]+)[ \t]*(\?|:{0,3})=[ \t]*([^#\r]*)`)
	reference  = regexp.MustCompile(`^(v?)\$(?:\(([A-Za-z0-9_.-]+)\)|\{([A-Za-z0-9_.-]+)\})`)
)

// PinnedOPM returns the version of opm that a Makefile downloads, or that its OPM_VERSION is, as far as it can be told without make.
func PinnedOPM(makefile []byte) (OPM, bool) {
	variables := map[string]string{}
	version := ""
	for line := range strings.Lines(string(makefile)) {
		line = strings.TrimRight(line, "\n")
		if code, _, _ := strings.Cut(line, " #"); version == "" && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			if m := download.FindStringSubmatch(code); m != nil {
				version = m[1]
			}
		}
		m := assignment.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(line, "\t") {
			continue
		}
		if _, set := variables[m[1]]; !set || m[2] != "?" {
			variables[m[1]] = strings.TrimSpace(m[3])
		}
	}
	version, _, _ = strings.Cut(version, "/")
	if m := reference.FindStringSubmatch(version); m != nil {
		version = m[1] + variables[m[2]+m[3]]
	} else if version == "" {
		version = variables["OPM_VERSION"]
	}
	v, err := ParseOPM(version)
	return v, err == nil
}
