package lint

import (
	"fmt"
	"slices"
)

// mergeChannels merges the findings of one rule and package that differ in the channel only into the first of them, and adds the
// channels of the others to its Also: one change of entries that several channels share is told once, with the edits of all. The
// merged finding has the fingerprints of all of them.
func mergeChannels(all []Finding) []Finding {
	first := map[string]int{}
	kept := make([]Finding, 0, len(all))
	for _, f := range all {
		key := channelKey(&f)
		n, met := first[key]
		if !met || kept[n].InChannel(f.Channel) { // in a broken catalog two channels can have the same name
			first[key] = len(kept)
			kept = append(kept, f)
			continue
		}
		kept[n].merge(&f)
	}
	return kept
}

// InChannel reports whether a finding is about a channel, or about all.
func (f *Finding) InChannel(name string) bool {
	return f.Channel == "" || f.Channel == name || slices.ContainsFunc(f.Also, func(o Occurrence) bool { return o.Channel == name })
}

func (f *Finding) merge(other *Finding) {
	f.merged = append(f.merged, other.fingerprints()...)
	f.Edits = append(slices.Clip(f.Edits), other.Edits...)
	f.Also = append(append(slices.Clip(f.Also), Occurrence{Subject: other.Subject, Pos: other.Pos}), other.Also...)
}

// channelKey identifies what the findings have in common that mergeChannels merges: their names and values but the channel's.
func channelKey(f *Finding) string {
	if f.Channel == "" {
		return ""
	}
	about, cause := f.Subject, slices.DeleteFunc(slices.Clone(f.Cause), func(part string) bool { return part == f.Channel })
	about.Channel = ""
	names := slices.Clone(f.Names)
	for _, r := range slices.Concat(f.Related, f.Details) {
		names = append(names, r.Name)
	}
	for _, e := range f.Edits {
		change := e.Change
		if change.Was == f.Channel {
			change.Was = ""
		}
		names = append(names, fmt.Sprint(change))
	}
	return fmt.Sprintf("%q %q %q %q %q %q %q %q %d %d %d", f.Rule, f.Suppressed, about, cause, f.Faults, f.From, f.Skipper, names, f.Severity, f.Gates, f.WarningGates)
}

// places returns the subject of a finding and those of Also.
func (f *Finding) places() []Subject {
	all := []Subject{f.Subject}
	for _, o := range f.Also {
		all = append(all, o.Subject)
	}
	return all
}
