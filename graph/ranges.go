package graph

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"
)

// Range is a range of versions in the grammar of blang/semver, as of a skipRange. It can be matched against many sorted versions
// without trying each: the result changes only at the versions that it names, so it is enough to try one version of each segment
// between them. A nil Range contains nothing.
type Range struct {
	matches  semver.Range
	bounds   []semver.Version
	complete bool // bounds are all there are
}

// span is a half-open interval of indices.
type span struct{ low, high int }

// ParseRange reads a range. An error is of blang/semver, and the range is nil then.
func ParseRange(text string) (*Range, error) {
	holds, err := semver.ParseRange(text)
	if err != nil {
		return nil, err
	}
	r := &Range{matches: holds}
	r.bounds, r.complete = bounds(text)
	return r, nil
}

// Contains reports whether v is in the range. Where the range crashes it is not.
func (r *Range) Contains(v semver.Version) bool {
	in, _ := r.evaluate(v)
	return in
}

// Crashes reports whether blang/semver, and with it OLM, crashes when the range is applied to v: it accepts an empty alternative,
// as in "1.0.0 || 1 || 2.0.0", and drops it.
func (r *Range) Crashes(v semver.Version) bool {
	_, crash := r.evaluate(v)
	return crash
}

func (r *Range) evaluate(v semver.Version) (in, crash bool) {
	if r == nil {
		return false, false
	}
	defer func() {
		if recover() != nil {
			in, crash = false, true
		}
	}()
	return r.matches(v), false
}

// Lowest returns a version from which on a range contains versions, if any: the lowest that it names and contains, else the lowest that
// it names. It is 0.0.0 if the range has no lower end. False if the range is nil.
func (r *Range) Lowest() (lowest semver.Version, ok bool) {
	if r == nil || !r.complete || r.Contains(semver.Version{}) {
		return semver.Version{}, r != nil
	}
	inside := slices.DeleteFunc(slices.Clone(r.bounds), func(v semver.Version) bool { return !r.Contains(v) })
	if len(inside) == 0 {
		inside = r.bounds
	}
	return slices.MinFunc(inside, semver.Version.Compare), true
}

// spans returns where the range holds among sorted, distinct versions, ascending.
func (r *Range) spans(versions []semver.Version) []span {
	var spans []span
	low := 0
	for _, high := range r.segmentEnds(versions) {
		if low == high {
			continue
		}
		if r.Contains(versions[low]) {
			if n := len(spans); n > 0 && spans[n-1].high == low {
				spans[n-1].high = high
			} else {
				spans = append(spans, span{low, high})
			}
		}
		low = high
	}
	return spans
}

// segmentEnds returns the ends of the stretches within which the range cannot change, ascending; the last is len(versions).
func (r *Range) segmentEnds(versions []semver.Version) []int {
	cuts := []int{len(versions)}
	if !r.complete {
		for i := range versions {
			cuts = append(cuts, i)
		}
	}
	for _, b := range r.bounds {
		at := sort.Search(len(versions), func(i int) bool { return versions[i].GE(b) })
		cuts = append(cuts, at)
		if at < len(versions) && versions[at].EQ(b) {
			cuts = append(cuts, at+1)
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// bounds returns the versions that a range names, including those that its wildcards represent. It is false for a text of which it
// is not certain how blang/semver reads it.
func bounds(text string) ([]semver.Version, bool) {
	var found []semver.Version
	for alternative := range strings.SplitSeq(text, "||") {
		words := strings.FieldsFunc(alternative, func(c rune) bool { return strings.ContainsRune(" <>=!", c) })
		if len(words) == 0 {
			return nil, false
		}
		for _, word := range words {
			of, ok := boundsOf(word)
			if !ok {
				return nil, false
			}
			found = append(found, of...)
		}
	}
	return found, true
}

func boundsOf(word string) ([]semver.Version, bool) {
	if major, minor, ok := wildcard(word); ok {
		// 1.x.x ends where 1.0.x ends, not where 1.x does: all of them are possible bounds.
		return []semver.Version{
			{Major: major, Minor: minor},
			{Major: major, Minor: minor + 1},
			{Major: major + 1},
		}, true
	}
	v, err := semver.Parse(word)
	return []semver.Version{v}, err == nil && !strings.Contains(word, ".x")
}

// wildcard reads 1.x, 1.x.x and 1.2.x.
func wildcard(word string) (major, minor uint64, ok bool) {
	base, ok := strings.CutSuffix(word, ".x")
	if !ok {
		return 0, 0, false
	}
	first, second, two := strings.Cut(strings.TrimSuffix(base, ".x"), ".")
	major, err := strconv.ParseUint(first, 10, 31)
	if err == nil && two {
		minor, err = strconv.ParseUint(second, 10, 31)
	}
	return major, minor, err == nil
}
