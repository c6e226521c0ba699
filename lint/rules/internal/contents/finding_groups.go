package contents

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// FindingGroups reports findings with the same key once, at the first position, with the number of the others. An author can fix
// the next bundle only.
type FindingGroups struct {
	pass  *lint.Pass
	order []string
	ByKey map[string]*findingGroup
}

type findingGroup struct {
	finding lint.Finding
	others  int
}

// NewFindingGroups returns empty groups that report to p.
func NewFindingGroups(p *lint.Pass) *FindingGroups {
	return &FindingGroups{pass: p, ByKey: map[string]*findingGroup{}}
}

// Seen reports whether a key is known, and counts it if so. The caller need not make the finding then, whose position is slow to
// find.
func (f *FindingGroups) Seen(key string) bool {
	known := f.ByKey[key]
	if known != nil {
		known.others++
	}
	return known != nil
}

// Add adds a finding, or counts it if its key is known.
func (f *FindingGroups) Add(key string, finding lint.Finding) {
	if f.Seen(key) {
		return
	}
	f.ByKey[key] = &findingGroup{finding: finding}
	f.order = append(f.order, key)
}

// Report reports the findings. The others are counted as what, for example "older bundle".
func (f *FindingGroups) Report(what string) {
	for _, key := range f.order {
		one := f.ByKey[key]
		one.finding.Message += words.AndMore(one.others, what)
		f.pass.Report(one.finding)
	}
}

// NewestFirst returns the bundles of a package, newest version first. Those without a version come last.
func NewestFirst(p *catalogs.Package) []*catalogs.Bundle {
	sorted := slices.Clone(p.Bundles)
	slices.SortStableFunc(sorted, func(a, b *catalogs.Bundle) int { return versions.CompareKnown(b, a) })
	return sorted
}
