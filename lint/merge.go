package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/memo"
)

// mergeChannels merges the findings of one rule and package that differ in the channel only into the first of them, and adds the
// channels of the others to its Also: one change of entries that several channels share is told once, with the edits of all. The
// merged finding has the fingerprints of all of them.
func mergeChannels(all []Finding) []Finding {
	first := map[string]int{}
	same := map[int][]Finding{}
	kept := make([]Finding, 0, len(all))
	for _, f := range all {
		key := channelKey(&f)
		n, met := first[key]
		if !met || kept[n].InChannel(f.Channel) { // in a broken catalog two channels can have the same name
			first[key] = len(kept)
			same[len(kept)] = []Finding{f}
			kept = append(kept, f)
			continue
		}
		same[n] = append(same[n], f)
		kept[n].merge(&f)
	}
	for n := range kept {
		kept[n].sayFixes(same[n])
	}
	return kept
}

// maxFixes is the number of different fixes that a merged finding says; the details have all, if there are more.
const maxFixes = 3

// sayFixes says the fix in each channel, if those of the findings that were merged differ in more than the channel.
func (f *Finding) sayFixes(merged []Finding) {
	var byFix memo.Groups[string, *Finding]
	for i := range merged {
		byFix.Add(strings.ReplaceAll(merged[i].Fix, strconv.Quote(merged[i].Channel), ""), &merged[i])
	}
	if len(byFix.Keys()) < 2 {
		return
	}
	var fixes []string
	details := slices.Clip(f.Details)
	for _, same := range byFix.All() {
		var names []string
		for _, one := range same {
			names = append(names, one.Channel)
		}
		fix := fmt.Sprintf("in %s: %s", quoted(names), same[0].Fix)
		fixes, details = append(fixes, fix), append(details, Related{Pos: same[0].Pos, Message: fix})
	}
	if f.Fix = strings.Join(fixes[:min(maxFixes, len(fixes))], "; "); len(fixes) > maxFixes {
		f.Fix += fmt.Sprintf("; and %d more, in the details", len(fixes)-maxFixes)
		f.Details = details
	}
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
