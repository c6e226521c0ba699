// Package words has what all messages are made of: lists of names and counts in sentences, the name that a misspelt one probably means, names and labels
// as Kubernetes checks them, and escapes for text of strangers. It also finds out whether texts mention names without parsing them.
package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DescribeJSON returns a value in json.UnmarshalTypeError in words: "number 1.5", "array", "bool".
func DescribeJSON(value string) string {
	kind, number, _ := strings.Cut(value, " ")
	switch kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "a boolean"
	}
	if number != "" {
		return "the number " + number
	}
	return "a " + kind
}

// SortedKeys returns the keys of maps, sorted, each once.
func SortedKeys[V any](all ...map[string]V) (keys []string) {
	for _, m := range all {
		keys = slices.AppendSeq(keys, maps.Keys(m))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// ContainsAny reports whether have contains one of want.
func ContainsAny(have []string, want ...string) bool {
	return slices.ContainsFunc(have, func(h string) bool { return slices.Contains(want, h) })
}

// AndMore returns the suffix of a message for n more of what, "" for none.
func AndMore(n int, what string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (and one more %s)", what)
	}
	return fmt.Sprintf(" (and %d more %ss)", n, what)
}

// LowerFirst returns s with the first letter in lower case.
func LowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
