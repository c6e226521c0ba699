package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
)

// Fingerprint identifies what a finding reports: its rule, package and cause. It is the same for other words, severities and
// places, in another copy or form of the catalog, and after a change that leaves the cause as it is. Two findings can have the same.
func (f *Finding) Fingerprint() string { return f.fingerprint(f.AllFaults()...) }

// AllFaults are those that a finding reports; "" stands for the only one.
func (f *Finding) AllFaults() []string {
	if len(f.Faults) == 0 {
		return []string{""}
	}
	return f.Faults
}

// fingerprints returns the fingerprint of each fault.
func (f *Finding) fingerprints() []string {
	var all []string
	for _, fault := range f.AllFaults() {
		all = append(all, f.fingerprint(fault))
	}
	return all
}

func (f *Finding) fingerprint(faults ...string) string {
	cause := f.Cause
	if cause == nil {
		cause = []string{f.Channel, f.Bundle, f.CRD}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", []string{f.Rule, f.Package}, cause, slices.Sorted(slices.Values(faults))))
	return hex.EncodeToString(sum[:12])
}

// WithCause adds parts to the cause.
func (f *Finding) WithCause(parts ...string) *Finding {
	f.Cause = append(f.Cause, parts...)
	return f
}

// OncePerPackage is the cause of a finding that a rule reports once in a package, whatever it names.
func OncePerPackage() []string { return []string{} }

var indexes = regexp.MustCompile(`\[\d+\]`)

// FieldPath is the path of a field without the places of list items, which move when others are added.
func FieldPath(path string) string { return indexes.ReplaceAllString(path, "[]") }

// faultCounts counts the faults that some findings report.
type faultCounts map[string]int

func (t faultCounts) add(f *Finding) {
	for _, print := range f.fingerprints() {
		t[print]++
	}
}

// take takes the faults of a finding out, if all of them are in.
func (t faultCounts) take(f *Finding) bool {
	prints := f.fingerprints()
	if slices.ContainsFunc(prints, func(print string) bool { return t[print] <= 0 }) {
		return false
	}
	for _, print := range prints {
		t[print]--
	}
	return true
}
