package lint

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// foldedFindings reports what is the same fault in many places once: where it was met first, with how often it was met again. Who
// publishes a catalog can mend the next bundle only.
type foldedFindings struct {
	pass  *Pass
	order []string
	byKey map[string]*foldedFinding
}

type foldedFinding struct {
	finding Finding
	others  int
}

func newFold(p *Pass) *foldedFindings {
	return &foldedFindings{pass: p, byKey: map[string]*foldedFinding{}}
}

// seen counts a fault that was met before, and reports whether it was: its finding, which it costs something to place, need not
// be made.
func (f *foldedFindings) seen(key string) bool {
	known := f.byKey[key]
	if known != nil {
		known.others++
	}
	return known != nil
}

// add takes a finding; those of one key are the same fault.
func (f *foldedFindings) add(key string, finding Finding) {
	if f.seen(key) {
		return
	}
	f.byKey[key] = &foldedFinding{finding: finding}
	f.order = append(f.order, key)
}

// report reports each fault; what names one of the other places, as "older bundle".
func (f *foldedFindings) report(what string) {
	for _, key := range f.order {
		one := f.byKey[key]
		one.finding.Message += andMore(one.others, what)
		f.pass.Report(one.finding)
	}
}

// newestFirst returns the bundles of a package, newest version first; those without one come last, in the order of the text.
func newestFirst(p *catalogs.Package) []*catalogs.Bundle {
	sorted := slices.Clone(p.Bundles)
	slices.SortStableFunc(sorted, func(a, b *catalogs.Bundle) int { return compareKnown(b, a) })
	return sorted
}

// andMore counts what folds several findings into one: "" for none.
func andMore(n int, what string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (and one more %s)", what)
	}
	return fmt.Sprintf(" (and %d more %ss)", n, what)
}
