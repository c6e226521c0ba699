package lint

import (
	"encoding/json"
	"slices"
	"strings"
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

// Accept suppresses the findings that the baseline accepted: those with all fingerprints of an entry, and those of which each fault is
// in an entry about the same subject, of a rule that the finding's rule replaces. The other findings stay as they are, since they may be
// new. It returns the number of entries that are carried over, and of those that match no finding.
func (b *OldBaseline) Accept(all []Finding, rules []Rule) (carried, dropped int) {
	formerly := map[string][]string{}
	for i := range rules {
		formerly[rules[i].ID] = append([]string{rules[i].ID}, rules[i].Formerly...)
	}
	for _, match := range []func(*Finding) []int{b.sameFingerprint, func(f *Finding) []int { return b.sameFaults(f, formerly[f.Rule]) }} {
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

// sameFingerprint returns entries with all fingerprints of a finding, and takes each once.
func (b *OldBaseline) sameFingerprint(f *Finding) []int {
	var found []int
	for _, print := range f.fingerprints() {
		i := slices.IndexFunc(b.entries, func(e BaselineEntry) bool { return e.Count > 0 && slices.Contains(e.Fingerprints, print) })
		if i < 0 {
			return nil
		}
		if !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	for _, i := range found {
		b.entries[i].Count--
	}
	return found
}

// sameFaults returns the entries about the subject of a finding that have its faults, or nil if they do not have all of them in all
// channels; changes of CRDs are in the first channel only. The entries of a finding without faults are taken once.
func (b *OldBaseline) sameFaults(f *Finding, rules []string) []int {
	var found []int
	for _, channel := range f.channels() {
		for _, fault := range f.AllFaults() {
			known := false
			for i := range b.entries {
				e := &b.entries[i]
				if e.Count > 0 && slices.Contains(rules, e.Rule) && f.isAbout(e, channel) && e.hasFault(strings.TrimPrefix(fault, "head/")) {
					found, known = append(found, i), true
					if fault == "" {
						break
					}
				}
			}
			if !known {
				return nil
			}
		}
	}
	if len(f.Faults) == 0 {
		for _, i := range found {
			b.entries[i].Count--
		}
	}
	return found
}

// channels returns the channels that a finding is about; "" if it is about no channel or about a CRD.
func (f *Finding) channels() []string {
	if f.CRD != "" {
		return []string{""}
	}
	all := []string{f.Channel}
	for _, o := range f.Also {
		if !slices.Contains(all, o.Channel) {
			all = append(all, o.Channel)
		}
	}
	return all
}

// isAbout reports whether a finding, one of its other places or one of its faults is about the subject of an entry, in a channel.
func (f *Finding) isAbout(e *BaselineEntry, channel string) bool {
	return f.Package == e.Package && (e.Channel == channel || e.Channel == "" || channel == "") &&
		slices.ContainsFunc(f.occurrences(), func(o Occurrence) bool {
			return e.CRD == o.CRD && (e.Bundle == o.Bundle || slices.Contains(f.Faults, e.Bundle))
		})
}

// hasFault reports whether an entry is about a fault: a bundle, a version with the path of a field, or a name in its message.
func (e *BaselineEntry) hasFault(fault string) bool {
	parts := strings.Split(fault, "/")
	switch {
	case fault == "" || e.Bundle == fault:
		return true
	case len(parts) == 1:
		return strings.Contains(e.Message, fault)
	}
	path := parts[1]
	return path == "" || slices.ContainsFunc(strings.FieldsFunc(e.Message, func(r rune) bool { return strings.ContainsRune(" ,:", r) }), func(word string) bool {
		rest, ok := strings.CutPrefix(word, path)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
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
