package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// foldDrift makes what a template differs in from a catalog a part of the finding about the change of the catalog that causes it.
func foldDrift(all []Finding) []Finding {
	folded := make([]bool, len(all))
	for n, f := range all {
		if f.Suppressed != "" || f.Drifted == nil {
			continue
		}
		i := slices.IndexFunc(all, func(o Finding) bool {
			return o.Package == f.Package && (o.changes(f.Faults) || len(o.changed) > 0 && f.Drifted.Template.Template.IsGenerated())
		})
		if folded[n] = i >= 0; folded[n] {
			all[i].Details = append(slices.Clip(all[i].Details), Related{Pos: f.Pos, Message: f.Message})
		}
	}
	kept := make([]Finding, 0, len(all))
	for n, f := range all {
		if !folded[n] {
			kept = append(kept, f)
		}
	}
	return kept
}

// foldChannels folds the findings of one rule and package whose names and values differ in the channel only into the first of them, and adds the
// channels of the others to its Also: one change of entries that several channels share is told once, with the edits of all. The
// merged finding has the fingerprints of all of them.
func foldChannels(all []Finding) []Finding {
	first := map[string]int{}
	same := map[int][]Finding{}
	kept := make([]Finding, 0, len(all))
	for _, f := range all {
		key := channelKey(&f)
		n, met := first[key]
		if !met || kept[n].InChannel(f.Channel) { // in a broken catalog two channels can have the same name
			first[key] = len(kept)
			kept = append(kept, f)
			continue
		}
		if same[n] == nil {
			same[n] = []Finding{kept[n]}
		}
		same[n] = append(same[n], f)
		kept[n].merge(&f)
	}
	for n, merged := range same {
		kept[n].sayFixes(merged)
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
		fix := fmt.Sprintf("in %s: %s", words.QuoteSome(names), same[0].Fix)
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

// channelKey identifies what the findings have in common that foldChannels merges: their names and values but the channel's.
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

// foldCatalogs reports a problem that several catalogs share once: the worst finding that has
// all fingerprints of the others, with their places in Also. The n-th finding of a cause in one catalog is the n-th one in another. A suppressed finding is folded
// only with those that are suppressed for the same reason.
func foldCatalogs(findings []Finding) []Finding {
	type key struct{ rule, pkg, suppressed string }
	var groups memo.Groups[key, *Finding]
	for i := range findings {
		f := &findings[i]
		groups.Add(key{f.Rule, f.Package, f.Suppressed}, f)
	}
	merged := make([]Finding, 0, len(findings))
	for _, same := range groups.All() {
		merged = appendShared(merged, same)
	}
	return merged
}

// sharedFinding is the worst of the findings of one cause in several catalogs.
type sharedFinding struct {
	Finding
	prints   map[string]bool
	catalogs []string
}

// appendShared appends findings of one rule and package, merged.
func appendShared(to []Finding, all []*Finding) []Finding {
	prints := map[*Finding][]string{}
	for _, f := range all {
		prints[f] = f.fingerprints()
	}
	slices.SortStableFunc(all, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(len(prints[b]), len(prints[a])))
	})
	if !slices.ContainsFunc(all, func(f *Finding) bool { return f.Catalog != all[0].Catalog }) {
		for _, f := range all {
			to = append(to, *f)
			to[len(to)-1].Also = f.otherPlaces()
		}
		return to
	}
	var merged []*sharedFinding
	of := map[string][]*sharedFinding{} // by fingerprint
	taken := map[[2]string]int{}        // how many of the first of those have a finding of the catalog
	for _, f := range all {
		print := prints[f][0]
		among, known := of[print], [2]string{print, f.Catalog}
		for taken[known] < len(among) && slices.Contains(among[taken[known]].catalogs, f.Catalog) {
			taken[known]++
		}
		among = among[taken[known]:]
		i := slices.IndexFunc(among, func(m *sharedFinding) bool {
			return !slices.Contains(m.catalogs, f.Catalog) && !slices.ContainsFunc(prints[f], func(print string) bool { return !m.prints[print] })
		})
		if i < 0 {
			m := newSharedFinding(f, prints[f])
			merged = append(merged, m)
			for print := range m.prints {
				of[print] = append(of[print], m)
			}
			continue
		}
		m := among[i]
		m.Gates |= f.Gates
		m.catalogs = append(m.catalogs, f.Catalog)
		m.Also = append(append(m.Also, Occurrence{f.Subject, f.Pos}), f.otherPlaces()...)
	}
	for _, m := range merged {
		slices.SortStableFunc(m.Also, func(a, b Occurrence) int { return cmp.Compare(a.Catalog, b.Catalog) })
		to = append(to, m.Finding)
	}
	return to
}

func newSharedFinding(f *Finding, prints []string) *sharedFinding {
	m := &sharedFinding{Finding: *f, prints: map[string]bool{}, catalogs: []string{f.Catalog}}
	m.Also = f.otherPlaces()
	for _, o := range m.Also {
		m.catalogs = append(m.catalogs, o.Catalog)
	}
	for _, print := range prints {
		m.prints[print] = true
	}
	return m
}

// otherPlaces returns the other places of the finding, each with its catalog, by these.
func (f *Finding) otherPlaces() []Occurrence {
	all := append([]Occurrence{}, f.Also...)
	for i := range all {
		all[i].Catalog = cmp.Or(all[i].Catalog, f.Catalog)
	}
	slices.SortStableFunc(all, func(a, b Occurrence) int { return cmp.Compare(a.Catalog, b.Catalog) })
	return all
}

// foldCRDs folds the findings of one rule about CRDs of one bundle, or upgrades to it, into the one with the most details. The order is that of the report,
// to which UnfoldCRDs returns.
func foldCRDs(all []Finding) []Finding {
	at := map[string]int{}
	kept := make([]Finding, 0, len(all))
	for n, f := range all {
		f.order = n
		key := fmt.Sprintf("%q", []string{f.Catalog, f.Package, f.Bundle, f.Rule, f.Severity.String(), f.Suppressed})
		i, met := at[key]
		switch {
		case f.CRD == "" || f.Bundle == "":
			kept = append(kept, f)
		case !met:
			at[key] = len(kept)
			kept = append(kept, f)
		case len(f.Details) > len(kept[i].Details):
			folded := kept[i].Folded
			kept[i].Folded = nil
			f.Folded = append(folded, kept[i])
			kept[i] = f
		default:
			kept[i].Folded = append(kept[i].Folded, f)
		}
	}
	return kept
}

// Count returns the number of findings that f stands for, itself included.
func (f *Finding) Count() int { return 1 + len(f.Folded) }

// UnfoldCRDs returns findings of a report as foldCRDs had them, for what shows each on its own.
func UnfoldCRDs(findings []Finding) []Finding {
	all := make([]Finding, 0, len(findings))
	for _, f := range findings {
		folded := f.Folded
		f.Folded = nil
		all = append(append(all, f), folded...)
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return a.order - b.order })
	return all
}
