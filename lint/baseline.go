package lint

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/inert"
)

// Baseline is findings that are accepted as they are, known by what they say and not by where they stand.
type Baseline struct {
	Name      string // of its file, for what is reported about it
	entries   []BaselineEntry
	remaining faultCounts // that were not found yet
}

// BaselineEntry is an accepted finding. The other fields are for people: the fingerprints and the count matter.
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

// baselineVersion grows with each change of the fingerprints: those of another version say nothing.
const baselineVersion = 2

// ParseBaseline reads what WriteBaseline wrote.
func ParseBaseline(name string, text []byte) (*Baseline, error) {
	var file baselineFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s is not a baseline: %w", name, err)
	}
	if file.Version > 0 && file.Version < baselineVersion {
		return nil, fmt.Errorf("%s was written by an older version of olmgraph, with other fingerprints; write it again with --write-baseline", name)
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

// WriteBaseline accepts all findings that count, or are accepted already. The same findings give the same text, a few lines each,
// in an order that changes no more than they do.
func WriteBaseline(findings []Finding) ([]byte, error) {
	byPrint := map[string]*BaselineEntry{}
	file := baselineFile{Version: baselineVersion, Accepted: []BaselineEntry{}}
	for i := range findings {
		f := &findings[i]
		if f.Suppressed != "" && f.Suppressed != baselineReason || AlwaysReported(f.Rule) || familyOf(f.Rule) == "config" {
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
	return append(inert.JSON(text), '\n'), err
}

// baselineReason is why a finding of the baseline does not count.
const baselineReason = "accepted in the baseline"

// Accept marks the findings that the baseline has, as many of each as it has, and keeps the others.
func (b *Baseline) Accept(all []Finding) {
	for i := range all {
		f := &all[i]
		if f.Suppressed == "" && !AlwaysReported(f.Rule) && b.remaining.take(f) {
			f.Suppressed = baselineReason
		}
	}
}

// Unmatched returns the entries of which a fault was not found as often as it was accepted.
func (b *Baseline) Unmatched() []BaselineEntry {
	return slices.DeleteFunc(slices.Clone(b.entries), func(e BaselineEntry) bool {
		return !slices.ContainsFunc(e.Fingerprints, func(print string) bool { return b.remaining[print] > 0 })
	})
}
