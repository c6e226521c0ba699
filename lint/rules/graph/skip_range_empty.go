package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var skipRangeEmpty = lint.Rule{
	ID: "graph/skip-range-empty", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `a skipRange covers nothing
No version can be in the range (a warning), or no version of the package is, although some are older than the entry: the bounds
may be wrong, and the upgrade that they should declare is missing. Versions that were published earlier and are no longer in the
catalog are not known here.
Correct the bounds, or remove the skipRange.`,
	Reference: "github.com/blang/semver ParseRange",
	Check:     eachRange(checkRangeEmpty),
}

func checkRangeEmpty(p *lint.Pass, g *graph.Graph, i int, r versions.Range) {
	e := &g.Channel.Entries[i]
	f := atRange(g, i)
	f.Fix = "correct the bounds, or remove the skipRange"
	f.Cause = []string{f.Channel, f.Bundle, r.Text}
	switch {
	case r.IsEmpty():
		f.Severity = lint.Warning
		f.Message = fmt.Sprintf("no version can be in the skipRange %q of %q: it upgrades no bundle",
			r.Text, e.Name.Value)
		if versions.SinglePipe.MatchString(r.Text) {
			f.Fix = "write || for or: a single | is dropped"
		}
		if versions.HyphenRange.MatchString(r.Text) {
			f.Fix = "write both bounds, as in >=1.0.0 <=1.2.3: hyphen ranges are not supported"
		}
	case versions.HasVersion(e.Bundle) && coversNothing(g, i, r) && !edges.PublishedIn(p, r):
		f.Message = fmt.Sprintf("no version of the package is in the skipRange %q of %q, but some are older than %s",
			r.Text, e.Name.Value, e.Bundle.Semver())
	default:
		return
	}
	p.Report(f)
}

// coversNothing reports whether no version of the package is in a range, though some are older than the entry.
func coversNothing(g *graph.Graph, i int, r versions.Range) bool {
	own, older := g.Channel.Entries[i].Bundle, false
	for _, b := range g.Package.Bundles {
		if !versions.HasVersion(b) || b == own {
			continue
		}
		if r.Contains(*b.Semver()) {
			return false
		}
		older = older || versions.NewerThan(own, b)
	}
	return older
}
