package api

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// checkProviderLost reports upgrades that remove the last provider of what another package requires.
func checkProviderLost(p *lint.Pass) {
	index := p.DependencyIndex()
	if len(index.Dependencies) == 0 {
		return
	}
	steps, f := p.Preflight().Upgrades(), contents.NewFindingGroups(p)
	for i := range steps {
		s := &steps[i]
		from, known := p.Indexed(index, p.Package, s.From)
		to, also := p.Indexed(index, p.Package, s.To)
		if !known || !also {
			continue
		}
		for _, n := range index.Dependencies {
			if n.MetBy(from) && !n.MetBy(to) && !n.Costly && !providedByOthers(n, p.Package.Name.Value) {
				reportLostProvider(p, f, index, s, n)
			}
		}
	}
	f.Report("upgrade")
}

// providedByOthers reports whether OLM could install a bundle of another package that meets a requirement.
func providedByOthers(n *resolve.Dependency, pkg string) bool {
	return slices.ContainsFunc(n.Providers(), func(o resolve.IndexedBundle) bool { return o.Package() != pkg })
}

// reportLostProvider reports a requirement once, with all packages that have it, preferring bundles that are heads of channels.
func reportLostProvider(p *lint.Pass, f *contents.FindingGroups, index *lint.DependencyIndex, s *preflight.Upgrade, n *resolve.Dependency) {
	met := map[string]bool{p.Package.Name.Value: true}
	var first *resolve.IndexedBundle
	var related []lint.Related
	inHead := false
	for _, heads := range []bool{true, false} {
		for _, o := range slices.Backward(n.Dependents) {
			if met[o.Package()] || heads && len(o.Heads()) == 0 || inHead && !heads {
				continue
			}
			if met[o.Package()], inHead = true, heads; first == nil {
				first = &o
			}
			related = append(related, lint.Related{Pos: index.PosOfBundle(o), Message: "what requires it"})
		}
	}
	if first == nil {
		return
	}
	found := lint.Finding{
		Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value},
		Cause:   n.Parts(),
		Pos:     s.To.Pos,
		Message: fmt.Sprintf("the upgrade from %q to %q removes %s, which %q of package %q requires", s.From.Name.Value, s.To.Name.Value, n, first.Name(), first.Package()),
		Fix:     fmt.Sprintf("keep it until %q does not require it", first.Package()),
		Related: related,
	}
	if inHead {
		contents.MarkInHead(&found)
		found.Message += fmt.Sprintf(", the head of %s", words.AllOf(first.Heads())) + words.AndMore(len(related)-1, "package") + ": OLM v0 does not make the upgrade where both are installed"
	} else {
		found.Severity = lint.Info
		found.Message += words.AndMore(len(related)-1, "package") + ": where both are installed OLM v0 makes the upgrade only together with an upgrade of that"
	}
	f.Add(n.String(), found)
}
