package versions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/graph"
)

// Range is a skipRange. The zero value holds for no version.
type Range struct {
	Text string
	In   *graph.Range // nil if there is none, or it cannot be read
	Err  error
}

func ParseRange(text string) Range {
	if text == "" {
		return Range{}
	}
	in, err := graph.ParseRange(text)
	return Range{Text: text, In: in, Err: err}
}

// Contains reports whether a version is in the range.
func (r Range) Contains(v semver.Version) bool { return r.In.Contains(v) }

// Crashes reports whether the range crashes OLM when it is held against some version. That is so where a part between || holds
// nothing but single characters.
func (r Range) Crashes() bool { return slices.ContainsFunc(r.probes(), r.In.Crashes) }

// lowestVersion is the lowest version there is.
var lowestVersion = semver.MustParse("0.0.0-0")

func (r Range) IsUnbounded() bool { return r.Contains(lowestVersion) }

// versionInText finds the versions that a range names; an x stands for a zero.
var versionInText = regexp.MustCompile(`([0-9]+)\.(?:([0-9]+)|x)(?:\.(?:([0-9]+)|x))?(-[0-9A-Za-z.-]+)?`)

// probes returns versions that are in the range if any is: the lowest one, those that the range names, and the next higher
// one to each. There are none where a version in the text cannot be told.
func (r Range) probes() []semver.Version {
	probes := []semver.Version{lowestVersion}
	for _, m := range versionInText.FindAllStringSubmatch(r.Text, -1) {
		v, err := semver.Parse(orZero(m[1]) + "." + orZero(m[2]) + "." + orZero(m[3]) + m[4])
		if err != nil {
			return nil
		}
		probes = append(probes, v, nextVersion(v))
	}
	return probes
}

// IsEmpty reports whether no version at all is in the range.
func (r Range) IsEmpty() bool {
	probes := r.probes()
	return r.In != nil && probes != nil && !slices.ContainsFunc(probes, r.Contains)
}

func orZero(number string) string {
	if number == "" {
		return "0"
	}
	return number
}

// nextVersion returns the version next to v.
func nextVersion(v semver.Version) semver.Version {
	zero := semver.PRVersion{IsNum: true}
	if len(v.Pre) > 0 {
		v.Pre = append(slices.Clone(v.Pre), zero)
		return v
	}
	v.Patch++
	v.Pre = []semver.PRVersion{zero}
	return v
}

var (
	shortVersion = regexp.MustCompile(`(^|[\s<>=!|])[0-9]+(\.[0-9]+)?($|[\s|])`)
	vVersion     = regexp.MustCompile(`(^|[\s<>=!|~^,])[vV]([0-9])`)
	tightOr      = regexp.MustCompile(`\S\|\||\|\|\S`)
	HyphenRange  = regexp.MustCompile(`\s-\s`)
	caretTilde   = regexp.MustCompile(`[~^]`)
)

// rangeMistakes are the ways in which other grammars of ranges are mistaken for this one, and the text mended as far as
// that goes.
var rangeMistakes = []struct {
	found func(text string) bool
	why   string
	fix   string
	mend  func(text string) string
}{
	{func(t string) bool { return strings.TrimSpace(t) == "" }, "it is empty", "write a range, or remove it", nil},
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

// RangeMistake says what is wrong with a range, and gives the mended one where it is certain.
func RangeMistake(text string) (why, fix string) {
	mended := text
	for _, m := range rangeMistakes {
		if !m.found(mended) {
			continue
		}
		if why == "" {
			why, fix = m.why, m.fix
		}
		if m.mend == nil {
			return why, fix
		}
		mended = m.mend(mended)
	}
	if _, err := semver.ParseRange(mended); why != "" && err == nil {
		fix = fmt.Sprintf("write %q", mended)
	}
	return why, fix
}
