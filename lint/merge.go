package lint

import (
	"cmp"
	"slices"
)

// Merge reports a problem that several catalogs share once: the worst finding, with the places in the other catalogs in Also. These
// are findings with the same rule, package and cause, of which the worst has all faults. The n-th finding of a cause in one catalog
// is the n-th one in another. A suppressed finding is not merged with one that is not suppressed, nor with one that is for another reason.
//
// The result is in the order of a report: first the packages with errors, then those with warnings, then the others, each by name; the
// findings of catalogs as a whole are a package without a name. In a package the worst come first, then they are by catalog and position.
func Merge(findings []Finding) []Finding {
	groups := map[string][]*Finding{}
	var order []string
	for i := range findings {
		f := &findings[i]
		key := f.fingerprint() + f.Suppressed
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], f)
	}
	var merged []Finding
	for _, key := range order {
		merged = append(merged, mergeCause(groups[key])...)
	}
	sortForReport(merged, findings)
	return merged
}

// mergeCause merges the findings of one cause.
func mergeCause(all []*Finding) []Finding {
	slices.SortStableFunc(all, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(len(b.Faults), len(a.Faults)))
	})
	var merged []Finding
	for _, f := range all {
		i := slices.IndexFunc(merged, func(m Finding) bool { return m.covers(f) })
		if i < 0 {
			one := *f
			one.Also = f.occurrences()[1:]
			merged = append(merged, one)
			continue
		}
		m := &merged[i]
		m.Gates |= f.Gates
		m.Also = append(m.Also, f.occurrences()...)
	}
	for i := range merged {
		slices.SortStableFunc(merged[i].Also, func(a, b Occurrence) int { return cmp.Compare(a.Catalog, b.Catalog) })
	}
	return merged
}

// covers reports whether a finding has all faults of a finding of the same cause in a catalog that it does not have yet.
func (f *Finding) covers(other *Finding) bool {
	if f.Catalog == other.Catalog || slices.ContainsFunc(f.Also, func(o Occurrence) bool { return o.Catalog == other.Catalog }) {
		return false
	}
	faults := f.AllFaults()
	return !slices.ContainsFunc(other.AllFaults(), func(fault string) bool { return !slices.Contains(faults, fault) })
}

// occurrences returns the place of the finding, and its other places.
func (f *Finding) occurrences() []Occurrence {
	all := append([]Occurrence{{f.Subject, f.Pos}}, f.Also...)
	for i := range all {
		all[i].Catalog = cmp.Or(all[i].Catalog, f.Catalog)
	}
	return all
}

// sortForReport sorts findings for Merge. unmerged has the catalogs in their order.
func sortForReport(merged, unmerged []Finding) {
	worst, catalog := map[string]Severity{}, map[string]int{}
	for i := range unmerged {
		f := &unmerged[i]
		if f.Suppressed == "" {
			worst[f.Package] = max(worst[f.Package], f.Severity)
		}
		if _, met := catalog[f.Catalog]; !met {
			catalog[f.Catalog] = len(catalog)
		}
	}
	slices.SortStableFunc(merged, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(worst[b.Package], worst[a.Package]),
			cmp.Compare(a.Package, b.Package),
			cmp.Compare(b.Severity, a.Severity),
			cmp.Compare(catalog[a.Catalog], catalog[b.Catalog]),
			compareFindings(a, b),
		)
	})
}
