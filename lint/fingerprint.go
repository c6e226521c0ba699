package lint

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Fingerprint returns a hash of the rule, package, cause and faults of a finding. It does not depend on message, severity and
// position, nor on the form of the catalog. Two findings can have the same fingerprint.
func (f *Finding) Fingerprint() string {
	if len(f.merged) == 0 {
		return f.fingerprint(f.AllFaults()...)
	}
	return shortHash(fmt.Appendf(nil, "%q", slices.Sorted(slices.Values(f.fingerprints()))))
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
	return shortHash(fmt.Appendf(nil, "%q %q %q", []string{f.Rule, f.Package}, cause, slices.Sorted(slices.Values(faults))))
}

func shortHash(text []byte) string {
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

// Baseline is a set of accepted findings, identified by their fingerprints.
type Baseline struct {
	Name      string // of the file, for positions
	entries   []BaselineEntry
	remaining faultCounts // accepted, but not found so far
}

// BaselineEntry is an accepted finding. Only Fingerprints and Count are compared; the other fields are for readers.
type BaselineEntry struct {
	Fingerprints []string `json:"fingerprints"` // of the faults that the finding reports
	Count        int      `json:"count"`
	Rule         string   `json:"rule"`
	Package      string   `json:"package,omitempty"`
	Channel      string   `json:"channel,omitempty"`
	Bundle       string   `json:"bundle,omitempty"`
	CRD          string   `json:"crd,omitempty"`
	Message      string   `json:"message"`
}

type baselineFile struct {
	Version  int             `json:"version"`
	Accepted []BaselineEntry `json:"accepted"`
}

// baselineVersion is the version of the fingerprints, rules and grouping of findings.
const baselineVersion = 3

// ParseBaseline parses the output of WriteBaseline. The name is for errors and positions.
func ParseBaseline(name string, text []byte) (*Baseline, error) {
	file := struct {
		baselineFile
		Tool string // of an answer
	}{}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s is not a baseline: %w", name, err)
	}
	if file.Tool != "" {
		return nil, fmt.Errorf("%s is an answer of %s, and no baseline", name, file.Tool)
	}
	if file.Version != baselineVersion {
		return nil, fmt.Errorf("%s is a baseline of version %d, and this olmgraph reads version %d", name, file.Version, baselineVersion)
	}
	for _, e := range file.Accepted {
		if len(e.Fingerprints) == 0 || slices.Contains(e.Fingerprints, "") || e.Count < 1 {
			return nil, errors.New(name + " has an entry without a fingerprint or a count")
		}
	}
	b := &Baseline{Name: name, entries: file.Accepted, remaining: faultCounts{}}
	for _, e := range file.Accepted {
		for _, print := range e.Fingerprints {
			b.remaining[print] += e.Count
		}
	}
	return b, nil
}

// WriteBaseline returns a baseline of the findings that are not suppressed, or that a baseline accepted. The output depends on
// nothing but the findings, and its order is stable, so that its diffs are small.
func WriteBaseline(findings []Finding) ([]byte, error) {
	byPrint := map[string]*BaselineEntry{}
	file := baselineFile{Version: baselineVersion, Accepted: []BaselineEntry{}}
	for i := range findings {
		f := &findings[i]
		if f.Suppressed != "" && f.Suppressed != baselineReason || !canBeAccepted(f) {
			continue
		}
		print := f.Fingerprint()
		if byPrint[print] == nil {
			byPrint[print] = &BaselineEntry{Fingerprints: f.fingerprints(), Rule: f.Rule, Package: f.Package, Channel: f.Channel, Bundle: f.Bundle, CRD: f.CRD, Message: f.Message}
		}
		byPrint[print].Count++
	}
	for _, e := range byPrint {
		file.Accepted = append(file.Accepted, *e)
	}
	slices.SortFunc(file.Accepted, func(a, b BaselineEntry) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Channel, b.Channel),
			cmp.Compare(a.Bundle, b.Bundle), cmp.Compare(a.CRD, b.CRD), cmp.Compare(a.Message, b.Message), slices.Compare(a.Fingerprints, b.Fingerprints))
	})
	text, err := json.MarshalIndent(file, "", "  ")
	return append(words.JSON(text), '\n'), err
}

// baselineReason is the Suppressed text of findings that a baseline accepts.
const baselineReason = "accepted in the baseline"

// Accept suppresses the findings that the baseline accepts, each at most as often as it was accepted.
func (b *Baseline) Accept(all []Finding) {
	for i := range all {
		f := &all[i]
		if f.Suppressed == "" && !f.Unchecked.AlwaysReported() && b.remaining.take(f) {
			f.Suppressed = baselineReason
		}
	}
}

// UnmatchedEntries returns the entries with a fault that was found less often than it was accepted.
func (b *Baseline) UnmatchedEntries() []BaselineEntry {
	return slices.DeleteFunc(slices.Clone(b.entries), func(e BaselineEntry) bool {
		return !slices.ContainsFunc(e.Fingerprints, func(print string) bool { return b.remaining[print] > 0 })
	})
}

// canBeAccepted reports whether a baseline can accept a finding.
func canBeAccepted(f *Finding) bool { return !f.Unchecked.AlwaysReported() && f.part != judgement }
