package lint

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// checkProviderLost looks for upgrades after which nothing meets what another package requires.
func checkProviderLost(p *Pass) {
	m := p.dependencyIndex()
	if len(m.Dependencies) == 0 {
		return
	}
	steps, f := p.Preflight().Upgrades(), newFold(p)
	for i := range steps {
		s := &steps[i]
		from, known := p.indexed(m, p.Package, s.From)
		to, also := p.indexed(m, p.Package, s.To)
		if !known || !also {
			continue
		}
		for _, n := range m.Dependencies {
			if n.MetBy(from) && !n.MetBy(to) && !n.Costly && !providedByOthers(n, p.Package.Name.Value) {
				p.reportLostProvider(f, m, s, n)
			}
		}
	}
	f.report("upgrade")
}

// providedByOthers reports whether another package has something that OLM could install to meet a need.
func providedByOthers(n *resolve.Dependency, pkg string) bool {
	return slices.ContainsFunc(n.Providers(), func(o resolve.IndexedBundle) bool { return o.Package() != pkg })
}

// reportLostProvider tells each package that has the need: the heads of its channels count most.
func (p *Pass) reportLostProvider(f *foldedFindings, m *dependencyIndex, s *preflight.Upgrade, n *resolve.Dependency) {
	told := map[string]bool{p.Package.Name.Value: true}
	for _, heads := range []bool{true, false} {
		for _, o := range slices.Backward(n.Dependents) {
			channels := o.Heads()
			if told[o.Package()] || heads && len(channels) == 0 {
				continue
			}
			told[o.Package()] = true
			found := Finding{
				Subject: Subject{Channel: s.Channel, Bundle: s.To.Name.Value},
				Cause:   append(n.Parts(), o.Package()),
				Pos:     s.To.Pos,
				Message: fmt.Sprintf("the upgrade from %q to %q removes %s, which %q of package %q requires", s.From.Name.Value,
					s.To.Name.Value, n, o.Name(), o.Package()),
				Fix:     fmt.Sprintf("keep it until %q does not require it", o.Package()),
				Related: []Related{{Pos: m.posOfBundle(o), Message: "what requires it"}},
			}
			if heads {
				found.setInHead()
				found.Message += fmt.Sprintf(", the head of %s: OLM v0 does not make the upgrade where both are installed",
					allOf(channels))
			} else {
				found.Severity = Info
				found.Message += ": where both are installed OLM v0 makes the upgrade only together with an upgrade of that"
			}
			f.add(o.Package()+" "+n.String(), found)
		}
	}
}
