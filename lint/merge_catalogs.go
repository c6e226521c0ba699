package lint

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/memo"
)

// Merge reports a problem that several catalogs share once: the worst finding, with the places in the other catalogs in Also. It has
// all fingerprints of the others. The n-th finding of a cause in one catalog is the n-th one in another. A suppressed finding is merged
// only with those that are suppressed for the same reason.
//
// The result is in the order of a report: first the packages with errors, then those with warnings, then the others, each by name; the
// findings of catalogs as a whole are a package without a name. In a package the worst come first, then they are by catalog and position.
func Merge(findings []Finding) []Finding {
	type key struct{ rule, pkg, suppressed string }
	var groups memo.Groups[key, *Finding]
	for i := range findings {
		f := &findings[i]
		groups.Add(key{f.Rule, f.Package, f.Suppressed}, f)
	}
	var merged []Finding
	for _, same := range groups.All() {
		merged = append(merged, mergeGroup(same)...)
	}
	sortForReport(merged, findings)
	return merged
}

// mergedFinding is the worst of the findings of one cause in several catalogs.
type mergedFinding struct {
	Finding
	prints   map[string]bool
	catalogs []string
}

// mergeGroup merges findings of one rule and package.
func mergeGroup(all []*Finding) []Finding {
	prints := map[*Finding][]string{}
	for _, f := range all {
		prints[f] = f.fingerprints()
	}
	slices.SortStableFunc(all, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(len(prints[b]), len(prints[a])))
	})
	var merged []*mergedFinding
	of := map[string][]*mergedFinding{} // by fingerprint
	taken := map[[2]string]int{}        // how many of the first of those have a finding of the catalog
	for _, f := range all {
		print := prints[f][0]
		among, known := of[print], [2]string{print, f.Catalog}
		for taken[known] < len(among) && slices.Contains(among[taken[known]].catalogs, f.Catalog) {
			taken[known]++
		}
		among = among[taken[known]:]
		i := slices.IndexFunc(among, func(m *mergedFinding) bool {
			return !slices.Contains(m.catalogs, f.Catalog) && !slices.ContainsFunc(prints[f], func(print string) bool { return !m.prints[print] })
		})
		if i < 0 {
			m := newMergedFinding(f, prints[f])
			merged = append(merged, m)
			for print := range m.prints {
				of[print] = append(of[print], m)
			}
			continue
		}
		m := among[i]
		m.Gates |= f.Gates
		m.catalogs = append(m.catalogs, f.Catalog)
		m.Also = append(m.Also, f.occurrences()...)
	}
	result := make([]Finding, len(merged))
	for i, m := range merged {
		slices.SortStableFunc(m.Also, func(a, b Occurrence) int { return cmp.Compare(a.Catalog, b.Catalog) })
		result[i] = m.Finding
	}
	return result
}

func newMergedFinding(f *Finding, prints []string) *mergedFinding {
	m := &mergedFinding{Finding: *f, prints: map[string]bool{}, catalogs: []string{f.Catalog}}
	m.Also = f.occurrences()[1:]
	for _, o := range m.Also {
		m.catalogs = append(m.catalogs, o.Catalog)
	}
	for _, print := range prints {
		m.prints[print] = true
	}
	return m
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
