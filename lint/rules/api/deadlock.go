package api

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// checkDeadlock reports packages whose upgrades block each other, once, for the catalog of the first package.
func checkDeadlock(p *lint.Pass) {
	index := p.DependencyIndex()
	all, err := index.Deadlocks(p.Context())
	if err != nil {
		return // the run is canceled
	}
	for i := range all {
		if hard := all[i].TooHard; len(hard) > 0 && index.Catalogs[hard[0].Catalog()] == p.Catalog {
			p.Report(limitExceeded(index, hard))
		}
		if len(all[i].Waiting) == 0 {
			continue
		}
		if first, ok := index.BundleOf(all[i].Waiting[0].Rejected[0].Operator); ok && index.Catalogs[first.Catalog()] == p.Catalog {
			p.Report(deadlock(index, &all[i]))
		}
	}
}

// limitExceeded returns the finding that the search for deadlocks was not completed.
func limitExceeded(index *lint.DependencyIndex, all []resolve.IndexedBundle) lint.Finding {
	var names []string
	for _, o := range all {
		names = append(names, o.Package())
	}
	f := lint.Finding{Severity: lint.Warning, Subject: lint.Subject{Package: names[0]}, Cause: names, Pos: index.PosOfBundle(all[0]),
		Fix: "let their bundles require less of each other, or state each requirement once"}
	f.Message = fmt.Sprintf("whether OLM v0 upgrades %s together was not determined: their requirements of each other exceed the limit of olmgraph",
		words.AllOf(names))
	return f
}

// deadlock returns the finding about packages whose upgrades block each other.
func deadlock(index *lint.DependencyIndex, d *resolve.Deadlock) lint.Finding {
	var names, whys []string
	f := lint.Finding{Fix: "publish a version of one of them that works with the current versions of the others, or skip the versions in between"}
	for i, c := range d.Waiting {
		names = append(names, c.Chosen.Name)
		f.WithCause(c.Subscription)
		next := c.Rejected[0]
		pos, why := blockingRequirement(index, &next)
		whys = append(whys, why)
		if i == 0 {
			f.Subject, f.Pos = lint.Subject{Package: c.Subscription, Bundle: next.Name}, pos
		} else {
			f.Related = append(f.Related, lint.Related{Pos: pos, Message: "the other one"})
		}
	}
	f.Message = fmt.Sprintf("where %s are installed, OLM v0 never upgrades any of them: %s%s",
		words.AllOf(names), strings.Join(whys, "; "), words.AndMore(d.More, "combination of versions"))
	return f
}

// blockingRequirement returns the requirement that blocks an upgrade in words, and its position.
func blockingRequirement(index *lint.DependencyIndex, next *resolve.Rejection) (catalogs.Pos, string) {
	for _, r := range next.Because {
		if r.Kind == resolve.Requires && r.Subject.Name == next.Name {
			return r.Requirement.Pos, fmt.Sprintf("%q requires %s", next.Name, r.Requirement)
		}
	}
	for _, r := range next.Because {
		if r.Kind == resolve.Requires && r.Subject.IsInstalled() {
			return posOf(index, next), fmt.Sprintf("%q does not meet %s, which %q requires", next.Name, r.Requirement, r.Subject.Name)
		}
	}
	return posOf(index, next), fmt.Sprintf("%q conflicts with the others", next.Name)
}

// posOf returns the position of a rejected bundle.
func posOf(index *lint.DependencyIndex, next *resolve.Rejection) catalogs.Pos {
	o, _ := index.BundleOf(next.Operator)
	return index.PosOfBundle(o)
}
