package upgrade

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

func checkSelectors(p *lint.Pass) {
	eachRefused(p, (*preflight.Refused).InCSV, func(u *preflight.Upgrade, r *preflight.Refused) (message, fix string) {
		return fmt.Sprintf("the upgrade from %q to %q fails: the selector of Deployment %q changes, which the API server refuses (%s: %s)",
				u.From.Name.Value, u.To.Name.Value, r.Name, r.Field, r.Message),
			fmt.Sprintf("give the Deployment another name, or keep its selector %s", r.Was)
	})
}

func checkFields(p *lint.Pass) {
	eachRefused(p, func(r *preflight.Refused) bool { return !r.InCSV() }, func(u *preflight.Upgrade, r *preflight.Refused) (message, fix string) {
		return fmt.Sprintf("the upgrade from %q to %q fails: %s of %s %q changes, which the API server refuses (%s)",
				u.From.Name.Value, u.To.Name.Value, r.Field, r.Kind, r.Name, r.Message),
			fmt.Sprintf("give the %s another name, or keep %s", r.Kind, r.Field)
	})
}

// eachRefused reports the changes that the API server refuses, the same change of an object once.
func eachRefused(p *lint.Pass, of func(*preflight.Refused) bool, says func(*preflight.Upgrade, *preflight.Refused) (message, fix string)) {
	same := contents.NewFindingGroups(p)
	for _, u := range upgradesOf(p) {
		refused := p.Preflight().Refused(u.From, u.To)
		for j := range refused {
			if r := &refused[j]; of(r) {
				f := findingOf(u, r, says)
				if !u.V0 || !decides(p, u.To) {
					f.Severity = lint.Warning
				}
				same.Add(r.Kind+" "+r.Name+" "+r.Field+" "+r.Was+" "+r.Is, f)
			}
		}
	}
	same.Report("upgrade")
}

// upgradesOf returns the upgrades of a package in the order in which what several have is told: to what a change adds, or else the newest
// bundle, and from the newest that is upgraded to it.
func upgradesOf(p *lint.Pass) (all []*preflight.Upgrade) {
	upgrades := p.Preflight().Upgrades()
	for i := range upgrades {
		all = append(all, &upgrades[i])
	}
	slices.SortStableFunc(all, func(a, b *preflight.Upgrade) int {
		return cmp.Or(contents.AddedFirst(p.BasePackage, a.To, b.To), versions.CompareKnown(b.From, a.From))
	})
	return all
}

// decides reports whether somebody can still change a bundle without more ado: one that the base does not have, or a head.
func decides(p *lint.Pass, b *catalogs.Bundle) bool {
	return p.BaseCatalog != nil && !p.Published(b.Name.Value) ||
		slices.ContainsFunc(p.Package.Channels, func(c *catalogs.Channel) bool { return p.Graph(c).IsHead(b.Name.Value) })
}

func findingOf(u *preflight.Upgrade, r *preflight.Refused, says func(*preflight.Upgrade, *preflight.Refused) (message, fix string)) lint.Finding {
	f := lint.Finding{
		Gates:   lint.GateAPIServer | lint.OLMGates(u.V0, u.V1),
		Subject: lint.Subject{Channel: u.Channel, Bundle: u.To.Name.Value},
		From:    u.From.Name.Value,
		Cause:   []string{r.Kind, r.Name, r.Field, r.Is},
		Related: []lint.Related{{Pos: r.Old.At(r.OldPath), Message: "before"}},
	}
	f.Message, f.Fix = says(u, r)
	return f.At(r.New, r.NewPath)
}
