// Package find finds values in slices.
package find

import "slices"

// Value returns the first value that fits; the zero value if none does.
func Value[T any](all []T, fits func(T) bool) (first T) {
	if i := slices.IndexFunc(all, fits); i >= 0 {
		first = all[i]
	}
	return first
}

// Distinct returns values without later copies.
func Distinct[T comparable](all []T) (distinct []T) {
	seen := make(map[T]bool, len(all))
	for _, v := range all {
		if !seen[v] {
			seen[v] = true
			distinct = append(distinct, v)
		}
	}
	return distinct
}

// CompareFirst orders values of which something is true before others.
func CompareFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Pointer returns a pointer to the first value that fits; nil if none does.
func Pointer[T any](all []T, fits func(T) bool) *T {
	if i := slices.IndexFunc(all, fits); i >= 0 {
		return &all[i]
	}
	return nil
}
