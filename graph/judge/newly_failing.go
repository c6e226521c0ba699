package judge

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// NewlyFailing returns the upgrades of OLM v0 in a package that fail, and that it did not make in the base, or between bundles with other images.
// Either may be nil.
func NewlyFailing(base, now *catalogs.Package) (all []graph.Difference) {
	if now == nil {
		return nil
	}
	known, before := New(now, Options{}), map[[2]string]bool{}
	if base != nil {
		for _, c := range base.Channels {
			for _, step := range automaticSteps(graph.Of(base, c)) {
				before[[2]string{step.From, step.To}] = true
			}
		}
	}
	for _, c := range now.Channels {
		byReason := map[[2]string]int{} // indexes of all, by target and reason
		for _, step := range automaticSteps(graph.Of(now, c)) {
			if before[[2]string{step.From, step.To}] && base.HasSame(now.Bundle(step.From)) && base.HasSame(now.Bundle(step.To)) {
				continue
			}
			for _, o := range known.Outcomes(graph.Path{step}, graph.V0, nil) {
				for _, r := range o.Reasons {
					key := [2]string{step.To, r.String()}
					at, ok := byReason[key]
					if !ok {
						at = len(all)
						byReason[key] = at
						all = append(all, graph.Difference{Kind: graph.UpgradeFails, Package: now.Name.Value, Channel: c.Name.Value, Was: r.String(), Is: step.To})
					}
					all[at].Names = append(all[at].Names, step.From)
				}
			}
		}
	}
	return all
}

// automaticSteps returns the upgrades of OLM v0 in a channel, by the version that is upgraded.
func automaticSteps(g *graph.Graph) (all []graph.Step) {
	for _, i := range g.ByVersion() {
		if e, ok := g.Next(i); ok {
			all = append(all, graph.Step{Graph: g, From: g.Name(i), To: g.Name(e.To), Edge: e, Automatic: true})
		}
	}
	return all
}
