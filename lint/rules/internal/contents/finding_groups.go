package contents

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// FindingGroups reports what is the same fault in many places once: where it was met first, with how often it was met again. Who
// publishes a catalog can mend the next bundle only.
type FindingGroups struct {
	pass  *lint.Pass
	order []string
	ByKey map[string]*findingGroup
}

type findingGroup struct {
	finding lint.Finding
	others  int
}

func NewFindingGroups(p *lint.Pass) *FindingGroups {
	return &FindingGroups{pass: p, ByKey: map[string]*findingGroup{}}
}

// Seen counts a fault that was met before, and reports whether it was: its finding, which it costs something to place, need not
// be made.
func (f *FindingGroups) Seen(key string) bool {
	known := f.ByKey[key]
	if known != nil {
		known.others++
	}
	return known != nil
}

// Add takes a finding; those of one key are the same fault.
func (f *FindingGroups) Add(key string, finding lint.Finding) {
	if f.Seen(key) {
		return
	}
	f.ByKey[key] = &findingGroup{finding: finding}
	f.order = append(f.order, key)
}

// Report reports each fault; what names one of the other places, as "older bundle".
func (f *FindingGroups) Report(what string) {
	for _, key := range f.order {
		one := f.ByKey[key]
		one.finding.Message += words.AndMore(one.others, what)
		f.pass.Report(one.finding)
	}
}

// NewestFirst returns the bundles of a package, newest version first; those without one come last, in the order of the text.
func NewestFirst(p *catalogs.Package) []*catalogs.Bundle {
	sorted := slices.Clone(p.Bundles)
	slices.SortStableFunc(sorted, func(a, b *catalogs.Bundle) int { return versions.CompareKnown(b, a) })
	return sorted
}
