package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
)

// Fingerprint returns a hash of the rule, package, cause and faults of a finding. It does not depend on message, severity and
// position, nor on the form of the catalog. Two findings can have the same fingerprint.
func (f *Finding) Fingerprint() string {
	if len(f.merged) == 0 {
		return f.fingerprint(f.AllFaults()...)
	}
	return hashOf(fmt.Appendf(nil, "%q", slices.Sorted(slices.Values(f.fingerprints()))))
}

// AllFaults returns Faults, or a list of "" if there are none.
func (f *Finding) AllFaults() []string {
	if len(f.Faults) == 0 {
		return []string{""}
	}
	return f.Faults
}

// fingerprints returns the fingerprint of each fault, in each channel of the finding.
func (f *Finding) fingerprints() []string {
	var all []string
	for _, fault := range f.AllFaults() {
		all = append(all, f.fingerprint(fault))
	}
	return append(all, f.merged...)
}

func (f *Finding) fingerprint(faults ...string) string {
	cause := f.Cause
	if cause == nil {
		cause = []string{f.Channel, f.Bundle, f.CRD}
	}
	return hashOf(fmt.Appendf(nil, "%q %q %q", []string{f.Rule, f.Package}, cause, slices.Sorted(slices.Values(faults))))
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// WithCause appends parts to Cause.
func (f *Finding) WithCause(parts ...string) *Finding {
	f.Cause = append(f.Cause, parts...)
	return f
}

// OncePerPackage returns the Cause of a finding that a rule reports at most once per package.
func OncePerPackage() []string { return []string{} }

var indexes = regexp.MustCompile(`\[\d+\]`)

// FieldPath returns the path of a field without list indexes, which change when items are added.
func FieldPath(path string) string { return indexes.ReplaceAllString(path, "[]") }

// faultCounts has the number of faults by fingerprint.
type faultCounts map[string]int

func (t faultCounts) add(f *Finding) {
	for _, print := range f.fingerprints() {
		t[print]++
	}
}

// take removes the faults of a finding and returns true, if all of them are there.
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
