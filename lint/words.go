package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// maxCandidates bounds what a guess may cost.
const maxCandidates = 1000

// Nearest returns the candidate with the fewest edits from a name, if that is few enough for a slip of the fingers. Of
// equally near ones it is the first in the alphabet.
func Nearest(name string, candidates []string) (string, bool) {
	if len(candidates) > maxCandidates {
		return "", false
	}
	best, least := "", 1+max(1, len(name)/8)
	for _, c := range candidates {
		if c == name || c == "" {
			continue
		}
		if d := edits(name, c, least+1); d < least || d == least && best != "" && c < best {
			best, least = c, d
		}
	}
	return best, best != ""
}

// edits returns how many letters must be added, taken out, changed, or exchanged with their neighbour to make one string of
// another, or a number not below limit if it is not below.
func edits(a, b string, limit int) int {
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

// oneOf lists names as the alternatives of a sentence, the first few of many.
func oneOf(names []string) string {
	quoted := make([]string, 0, len(names))
	for _, n := range names {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	switch n := len(quoted); {
	case n == 1:
		return quoted[0]
	case n > 4:
		return fmt.Sprintf("%s or one of the %d others", strings.Join(quoted[:3], ", "), n-3)
	default:
		return strings.Join(quoted[:n-1], ", ") + " or " + quoted[n-1]
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// allOf lists names as the parts of a sentence, the first few of many.
func allOf(names []string) string {
	n := len(names)
	shown := n
	if n > 4 {
		shown = 3
	}
	quoted := make([]string, shown)
	for i := range quoted {
		quoted[i] = strconv.Quote(names[i])
	}
	switch {
	case n > 4:
		return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), n-shown)
	case n > 1:
		return strings.Join(quoted[:n-1], ", ") + " and " + quoted[n-1]
	}
	return strings.Join(quoted, "")
}

// firstKnown returns the first position that is known.
func firstKnown(places ...catalogs.Pos) catalogs.Pos {
	for _, p := range places {
		if p.Known() {
			return p
		}
	}
	return catalogs.Pos{}
}

// misspelt returns the candidate that is the same name in another spelling: same numbers in the same order, and few
// edits. Where versions are in names, two names that differ in a number are two versions and no slip.
func misspelt(name string, candidates []string) (string, bool) {
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

var digits = regexp.MustCompile(`[0-9]+`)
