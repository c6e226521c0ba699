package words

import (
	"regexp"
	"slices"
	"strings"
)

// maxCandidates bounds the time that a search takes: among more candidates there is none.
const maxCandidates = 1000

// Nearest returns the candidate with the smallest Distance from a name: one edit, or one for each 8 bytes of the name. Of several it
// is the first in alphabetical order. If there is none it is the only one that ends in a version that is the name, as red.v1.0.0 for v1.0.0. It
// reports false if there is neither.
func Nearest(name string, candidates []string) (string, bool) {
	if len(candidates) > maxCandidates {
		return "", false
	}
	best, least := "", 1+max(1, len(name)/8)
	for _, c := range candidates {
		if c == name || c == "" {
			continue
		}
		if d := Distance(name, c, least+1); d < least || d == least && best != "" && c < best {
			best, least = c, d
		}
	}
	for _, c := range candidates {
		if best == "" && version.MatchString(name) && strings.HasSuffix(c, "."+name) {
			return c, !slices.ContainsFunc(candidates, func(o string) bool { return o != c && strings.HasSuffix(o, "."+name) })
		}
	}
	return best, best != ""
}

var version = regexp.MustCompile(`^v?[0-9]+\.[0-9]+\.[0-9]+`)

var digits = regexp.MustCompile(`[0-9]+`)

// NearestVersioned is Nearest among the candidates with the same numbers in the same order: two names that differ in a number name
// two versions, and neither is a misspelling of the other.
func NearestVersioned(name string, candidates []string) (string, bool) {
	if len(candidates) > maxCandidates {
		return "", false
	}
	var same []string
	numbers := digits.FindAllString(name, -1)
	for _, c := range candidates {
		if slices.Equal(numbers, digits.FindAllString(c, -1)) {
			same = append(same, c)
		}
	}
	return Nearest(name, same)
}

// Distance returns the Damerau-Levenshtein distance of two strings (optimal string alignment): how many bytes must be inserted,
// deleted, replaced or exchanged with their neighbour to turn one into the other. From limit on it returns some number not below
// limit.
func Distance(a, b string, limit int) int {
	if max(len(a), len(b))-min(len(a), len(b)) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		if least > limit {
			return limit
		}
	}
	return row[len(b)]
}

// NearestWord returns the candidate, a word of a file format such as a key, that is the same as a word but for case, separators and
// plural, or has "name" appended; otherwise the Nearest one, or the only one of which it has the first three fifths or more, as own for owned.
// Words of less than three bytes are like none.
func NearestWord(word string, candidates []string) (string, bool) {
	if len(word) < 3 || len(word) > 64 {
		return "", false
	}
	sorted := slices.Sorted(slices.Values(candidates))
	for _, same := range []func(string) string{foldWord, singular} {
		folded := same(word)
		for _, c := range sorted {
			if same(c) == folded {
				return c, true
			}
		}
	}
	b := foldWord(word)
	for _, c := range sorted {
		if a := foldWord(c); a+"name" == b || b+"name" == a {
			return c, true
		}
	}
	if near, ok := Nearest(word, sorted); ok {
		return near, ok
	}
	longer := slices.DeleteFunc(sorted, func(c string) bool { return !strings.HasPrefix(foldWord(c), b) || 5*len(b) < 3*len(c) })
	if len(longer) != 1 {
		return "", false
	}
	return longer[0], true
}

var wordSeparators = strings.NewReplacer("-", "", "_", "", "/", ".")

// foldWord returns a word in lower case, without hyphens and underscores; slashes count as dots.
func foldWord(word string) string {
	return wordSeparators.Replace(strings.ToLower(word))
}

func singular(word string) string {
	word = foldWord(word)
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(word, "s")
}

// SameButConfused reports whether two names differ only in characters that look alike: O and 0, l or I and 1, upper and lower case, and
// separators.
func SameButConfused(a, b string) bool { return a != b && confusable(a) == confusable(b) }

func confusable(name string) string {
	return strings.NewReplacer("o", "0", "l", "1", "i", "1", "-", ".", "_", ".").Replace(strings.ToLower(name))
}
