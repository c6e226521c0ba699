package graph

import (
	"regexp"
	"strings"

	"github.com/blang/semver/v4"
)

// upperBound matches an upper bound in a range.
var upperBound = regexp.MustCompile(`<=?\s*[^\s<>=!|]+`)

// Below returns the part of the range below a version, as an author writes it: false if there is none.
func (r *Range) Below(end semver.Version) (string, bool) {
	if r == nil {
		return "", false
	}
	var parts []string
	for part := range strings.SplitSeq(r.Text, "||") {
		text := strings.TrimSpace(part)
		if ReadRange(text).ContainsFrom(end) {
			text = strings.Join(append(strings.Fields(upperBound.ReplaceAllString(text, " ")), "<"+end.String()), " ")
		}
		if r := ReadRange(text); r == nil || !r.IsEmpty() {
			parts = append(parts, text)
		}
	}
	text := strings.Join(parts, " || ")
	below := ReadRange(text)
	if below == nil || below.ContainsFrom(end) {
		return "", false
	}
	return text, true
}

// endBound matches an upper bound that is not itself in the range.
var endBound = regexp.MustCompile(`<\s*([^\s<>=!|]+)`)

// End returns the highest version before which a part of the range ends; false if there is none.
func (r *Range) End() (end semver.Version, ok bool) {
	if r == nil {
		return end, false
	}
	for _, m := range endBound.FindAllStringSubmatch(r.Text, -1) {
		if v, err := semver.Parse(m[1]); err == nil && (!ok || v.GT(end)) {
			end, ok = v, true
		}
	}
	return end, ok
}

// WithEnd returns the range with another End.
func (r *Range) WithEnd(v semver.Version) string {
	end, _ := r.End()
	return endBound.ReplaceAllStringFunc(r.Text, func(bound string) string {
		if strings.TrimSpace(bound[1:]) == end.String() {
			return "<" + v.String()
		}
		return bound
	})
}
