package lint

import (
	"encoding/json"
	"slices"
)

// OldBaseline is a baseline of an earlier version of olmgraph, with other fingerprints, rules or grouping of findings.
type OldBaseline struct {
	entries []BaselineEntry
	used    []bool
}

// ParseOldBaseline parses a baseline of an earlier version. It returns nil if the text is not one.
func ParseOldBaseline(text []byte) *OldBaseline {
	var file baselineFile
	if err := json.Unmarshal(text, &file); err != nil || file.Version < 1 || file.Version >= baselineVersion {
		return nil
	}
	return &OldBaseline{entries: file.Accepted, used: make([]bool, len(file.Accepted))}
}

// Accept suppresses the findings that the baseline accepted: those with a fingerprint of an entry, and those for which it has as many
// entries as they have Details, each of the same subject and of a rule that the finding's rule replaces. The other findings stay as
// they are, since they may be new. It returns the number of entries that are carried over, and of those that match no finding.
func (b *OldBaseline) Accept(all []Finding, rules []Rule) (carried, dropped int) {
	formerly := map[string][]string{}
	for i := range rules {
		formerly[rules[i].ID] = append([]string{rules[i].ID}, rules[i].Formerly...)
	}
	for _, match := range []func(*Finding) []int{b.sameFingerprint, func(f *Finding) []int { return b.sameSubject(f, formerly[f.Rule]) }} {
		for i := range all {
			f := &all[i]
			if f.Suppressed != "" || !canBeAccepted(f) {
				continue
			}
			for _, e := range match(f) {
				b.used[e] = true
				f.Suppressed = baselineReason
			}
		}
	}
	for _, used := range b.used {
		if used {
			carried++
		} else {
			dropped++
		}
	}
	return carried, dropped
}

// sameFingerprint returns the entry with all fingerprints of a finding.
func (b *OldBaseline) sameFingerprint(f *Finding) []int {
	prints := f.fingerprints()
	for i, e := range b.entries {
		if b.entries[i].Count > 0 && !slices.ContainsFunc(prints, func(p string) bool { return !slices.Contains(e.Fingerprints, p) }) {
			b.entries[i].Count--
			return []int{i}
		}
	}
	return nil
}

// sameSubject returns the entries about the subject of a finding, if they are enough, and marks them as found.
func (b *OldBaseline) sameSubject(f *Finding, rules []string) []int {
	var found []int
	count := 0
	for i, e := range b.entries {
		if e.Count > 0 && slices.Contains(rules, e.Rule) && f.isAbout(&e) {
			found = append(found, i)
			count += e.Count
		}
	}
	if count < max(1, len(f.Details)) {
		return nil
	}
	if len(f.Details) < 2 {
		found = found[:1]
		b.entries[found[0]].Count--
		return found
	}
	for _, i := range found {
		b.entries[i].Count = 0
	}
	return found
}

// isAbout reports whether a finding, one of its other places or one of its faults is about the subject of an entry.
func (f *Finding) isAbout(e *BaselineEntry) bool {
	return f.Package == e.Package && slices.ContainsFunc(f.occurrences(), func(o Occurrence) bool {
		return (e.Channel == o.Channel || e.Channel == "" || o.Channel == "") && e.CRD == o.CRD &&
			(e.Bundle == o.Bundle || slices.Contains(f.Faults, e.Bundle))
	})
}

// canBeAccepted reports whether a baseline can accept a finding.
func canBeAccepted(f *Finding) bool { return !AlwaysReported(f.Rule) && familyOf(f.Rule) != "config" }

// Accepted returns the findings that a baseline accepts.
func Accepted(all []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.Suppressed != baselineReason })
}

// Acceptable returns the number of findings that are not suppressed, and that a baseline can accept.
func Acceptable(all []Finding) int {
	n := 0
	for i := range all {
		if all[i].Suppressed == "" && canBeAccepted(&all[i]) {
			n++
		}
	}
	return n
}
