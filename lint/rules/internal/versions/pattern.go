package versions

import (
	"regexp"
	"strings"
)

var number = regexp.MustCompile(`[0-9]+`)

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
