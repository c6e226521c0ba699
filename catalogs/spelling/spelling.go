// Package spelling finds the name that was probably meant by a misspelt one.
package spelling

import (
	"regexp"
	"slices"
)

// maxCandidates bounds the time that a search takes: among more candidates there is none.
const maxCandidates = 1000

// Nearest returns the candidate with the smallest Distance from a name: one edit, or one for each 8 bytes of the name. Of several it
// is the first in alphabetical order. It reports false if there is none.
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
	return best, best != ""
}

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
