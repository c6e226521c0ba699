package graph

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/blang/semver/v4"
)

// Range is a range of versions in the grammar of blang/semver, as of a skipRange. To read it takes n log n in its length, to match it
// log n: blang/semver tries each alternative. A nil Range contains nothing.
type Range struct {
	Text    string
	changes []semver.Version // ascending: from the first on versions are in the range, from the second on not, and so on
	named   []semver.Version // that it names, including those that its wildcards represent
	crashes bool             // blang/semver, and with it OLM, crashes at a version that is not in the range
}

// span is a half-open interval of indices.
type span struct{ low, high int }

// LongestRange is the number of bytes of the longest range that is read. Real ones have a hundred.
const LongestRange = 4096

// ParseRange reads a range. An error is of blang/semver, or that the range is too long, and the range is nil then.
func ParseRange(text string) (*Range, error) {
	if len(text) > LongestRange {
		return nil, fmt.Errorf("the range has %d bytes; olmgraph reads at most %d", len(text), LongestRange)
	}
	if _, err := semver.ParseRange(text); err != nil {
		return nil, err
	}
	r := &Range{Text: text}
	var union setSum
	words := rangeWords(text)
	for len(words) > 0 {
		end := slices.Index(words, "||")
		if end < 0 {
			end = len(words)
		}
		if r.crashes = end == 0; r.crashes {
			break // blang/semver accepts an empty alternative, as in "1.0.0 || 1 || 2.0.0", and crashes when it gets to it
		}
		var all setSum
		for _, word := range words[:end] {
			named := namedVersions(word)
			all = append(all, wordChanges(word, named)...)
			r.named = append(r.named, named...)
		}
		for i, at := range all.boundaries(end) {
			union = append(union, change{at, i%2 == 0})
		}
		words = words[min(end+1, len(words)):]
	}
	r.changes = union.boundaries(1)
	return r, nil
}

// ReadRange is ParseRange for a text that may be empty or invalid: it returns nil then.
func ReadRange(text string) *Range {
	if text == "" {
		return nil
	}
	r, _ := ParseRange(text)
	return r
}

// rangeWords splits a range as blang/semver does (splitAndTrim): at spaces that no operator precedes, without words of one character.
func rangeWords(text string) (words []string) {
	start, last := 0, byte(0)
	for i := range len(text) + 1 {
		if i < len(text) && (text[i] != ' ' || strings.IndexByte("><=", last) >= 0) {
			if text[i] != ' ' {
				last = text[i]
			}
			continue
		}
		if i-start > 1 {
			words = append(words, strings.ReplaceAll(text[start:i], " ", ""))
		}
		start = i + 1
	}
	return words
}

// namedVersions returns the version of a word. Of a wildcard it returns all versions where it could start or end, as blang/semver
// expands it: 1.x.x ends where 1.0.x ends, not where 1.x does.
func namedVersions(word string) []semver.Version {
	text := strings.TrimLeftFunc(word, func(c rune) bool { return !unicode.IsDigit(c) })
	if !strings.Contains(word, "x") { // blang/semver looks for one also before the digits
		v, _ := semver.Parse(text)
		return []semver.Version{v}
	}
	text = strings.Replace(strings.Replace(text, ".x.x", ".x", 1), ".x", ".0", 1)
	if strings.Count(text, ".") == 1 {
		text += ".0"
	}
	v, _ := semver.Parse(text)
	return []semver.Version{v, {Major: v.Major, Minor: v.Minor + 1}, {Major: v.Major + 1}}
}

// change says that from a version on a set has the versions, or has them no longer.
type change struct {
	at semver.Version
	in bool
}

// setSum are the changes of several sets.
type setSum []change

// wordChanges returns the changes of the set of a word with one operator, which can only be at the versions that it names and after them.
func wordChanges(word string, named []semver.Version) []change {
	matches, err := semver.ParseRange(word)
	if err != nil {
		return nil
	}
	tried := []semver.Version{lowestVersion}
	for _, v := range named {
		tried = append(tried, v, nextVersion(v))
	}
	slices.SortFunc(tried, semver.Version.Compare)
	var changes []change
	for _, v := range tried {
		if in := matches(v); in != (len(changes)%2 == 1) {
			changes = append(changes, change{v, in})
		}
	}
	return changes
}

// boundaries returns where versions begin, and cease, to be in n sets or more.
func (s setSum) boundaries(n int) []semver.Version {
	slices.SortFunc(s, func(a, b change) int { return a.at.Compare(b.at) })
	var changes []semver.Version
	sets := 0
	for i, c := range s {
		if c.in {
			sets++
		} else {
			sets--
		}
		if i+1 < len(s) && s[i+1].at.EQ(c.at) {
			continue
		}
		if (sets >= n) != (len(changes)%2 == 1) {
			changes = append(changes, c.at)
		}
	}
	return changes
}

// lowestVersion is the lowest semantic version.
var lowestVersion = semver.Version{Pre: []semver.PRVersion{{IsNum: true}}}

// nextVersion returns the lowest version above v.
func nextVersion(v semver.Version) semver.Version {
	zero := semver.PRVersion{IsNum: true}
	if len(v.Pre) > 0 {
		return semver.Version{Major: v.Major, Minor: v.Minor, Patch: v.Patch, Pre: append(slices.Clone(v.Pre), zero)}
	}
	next := semver.Version{Major: v.Major, Minor: v.Minor, Patch: v.Patch + 1, Pre: []semver.PRVersion{zero}}
	if v.Patch == math.MaxUint64 {
		next.Minor++
		if v.Minor == math.MaxUint64 {
			next.Major++
		}
	}
	return next
}

// Contains reports whether v is in the range. Where the range crashes it is not.
func (r *Range) Contains(v semver.Version) bool {
	return r != nil && r.changesUpTo(v)%2 == 1
}

// changesUpTo returns how many changes are at v or below.
func (r *Range) changesUpTo(v semver.Version) int {
	return sort.Search(len(r.changes), func(i int) bool { return r.changes[i].GT(v) })
}

// ContainsFrom reports whether v or a higher version is in the range.
func (r *Range) ContainsFrom(v semver.Version) bool {
	return r.Contains(v) || r != nil && r.changesUpTo(v) < len(r.changes)
}

// IsEmpty reports whether no version is in the range.
func (r *Range) IsEmpty() bool { return r == nil || len(r.changes) == 0 }

// IsUnbounded reports whether the range has no lower bound.
func (r *Range) IsUnbounded() bool { return r.Contains(lowestVersion) }

// Crashes reports whether OLM crashes when it compares the range with a version that is not in it.
func (r *Range) Crashes() bool {
	return r != nil && r.crashes && !(len(r.changes) == 1 && r.IsUnbounded())
}

// Lowest returns a version from which on a range contains versions, if any: the lowest that it names and contains, else the lowest that
// it names. It is 0.0.0 if the range has no lower end. False if the range is nil.
func (r *Range) Lowest() (lowest semver.Version, ok bool) {
	if r == nil || r.Contains(semver.Version{}) {
		return semver.Version{}, r != nil
	}
	inside := slices.DeleteFunc(slices.Clone(r.named), func(v semver.Version) bool { return !r.Contains(v) })
	if len(inside) == 0 {
		inside = r.named
	}
	return slices.MinFunc(inside, semver.Version.Compare), true
}

// spans returns where the range holds among sorted, distinct versions, ascending.
func (r *Range) spans(versions []semver.Version) []span {
	if r == nil {
		return nil
	}
	var spans []span
	place := func(change int) int {
		if change == len(r.changes) {
			return len(versions)
		}
		return sort.Search(len(versions), func(i int) bool { return versions[i].GE(r.changes[change]) })
	}
	for i := 0; i < len(r.changes); i += 2 {
		low, high := place(i), place(i+1)
		switch n := len(spans); {
		case low == high:
		case n > 0 && spans[n-1].high == low:
			spans[n-1].high = high
		default:
			spans = append(spans, span{low, high})
		}
	}
	return spans
}
