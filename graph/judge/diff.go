package judge

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
)

// Diff returns graph.Diff of a package and the upgrades of OLM v0 that newly fail, worst first. Either may be nil.
func Diff(base, now *catalogs.Package) ([]graph.Difference, error) {
	all, err := graph.Diff(base, now)
	if err != nil {
		return nil, err
	}
	all = append(all, newlyFailing(base, now)...)
	slices.SortStableFunc(all, func(a, b graph.Difference) int { return cmp.Compare(a.Kind, b.Kind) })
	return all, nil
}

// newlyFailing returns the upgrades of OLM v0 in a package that fail for a reason for which they did not in the base. Either may be nil. Bundles of
// the same image are not compared again.
func newlyFailing(base, now *catalogs.Package) []graph.Difference {
	if now == nil {
		return nil
	}
	before := failingUpgrades(base, now)
	return words.Map(failingSteps(now, func(step graph.Step) (map[string]bool, bool) {
		was, made := before[[2]string{step.From, step.To}]
		return was, !made || was != nil
	}), func(f Failing) graph.Difference {
		return graph.Difference{Kind: graph.UpgradeFails, Package: now.Name.Value, Channel: f.Channel, Names: f.From, Was: f.Reason, Is: f.To}
	})
}

// Failing are upgrades of OLM v0 in a channel that fail for one reason.
type Failing struct {
	Channel string   `json:"channel"`
	From    []string `json:"from"`
	To      string   `json:"-"`
	Reason  string   `json:"reason"`
}

// FailingInto returns the upgrades of OLM v0 to a bundle that fail.
func FailingInto(pkg *catalogs.Package, name string) []Failing {
	return failingSteps(pkg, func(step graph.Step) (map[string]bool, bool) { return nil, step.To == name })
}

// failingSteps returns the upgrades of OLM v0 that fail, of those that may, for other reasons than they did before.
func failingSteps(pkg *catalogs.Package, mayFail func(graph.Step) (was map[string]bool, ok bool)) (all []Failing) {
	known := New(pkg, Options{})
	for _, c := range pkg.Channels {
		byReason := map[[2]string]int{} // indexes of all, by target and reason
		for _, step := range automaticSteps(graph.New(pkg, c)) {
			was, ok := mayFail(step)
			if !ok {
				continue
			}
			for _, r := range known.failureReasons(step) {
				key := [2]string{step.To, r.String()}
				if was[key[1]] {
					continue
				}
				at, ok := byReason[key]
				if !ok {
					at = len(all)
					byReason[key] = at
					all = append(all, Failing{Channel: c.Name.Value, To: step.To, Reason: key[1]})
				}
				all[at].From = append(all[at].From, step.From)
			}
		}
	}
	return all
}

// failingUpgrades returns the upgrades of OLM v0 in the base, with the reasons why they fail: nil if both bundles have the images that they have now.
func failingUpgrades(base, now *catalogs.Package) map[[2]string]map[string]bool {
	all := map[[2]string]map[string]bool{}
	if base == nil {
		return all
	}
	known := New(base, Options{})
	isSame := func(name string) bool {
		b := base.Bundle(name)
		return b == nil || now.HasSameBundle(b) && (b.Image.Value != "" || b.Folder == nil)
	}
	for _, c := range base.Channels {
		for _, step := range automaticSteps(graph.New(base, c)) {
			key := [2]string{step.From, step.To}
			if all[key] = nil; isSame(step.From) && isSame(step.To) {
				continue
			}
			all[key] = map[string]bool{}
			for _, r := range known.failureReasons(step) {
				all[key][r.String()] = true
			}
		}
	}
	return all
}

// failureReasons returns why an upgrade of OLM v0 fails, whatever objects there are.
func (p *Package) failureReasons(step graph.Step) []Reason {
	all := p.Judge(graph.Path{step}, On{OLM: graph.V0, Kubernetes: p.options.Kubernetes})[0].Reasons
	return slices.DeleteFunc(all, func(r Reason) bool { return len(r.Where) > 0 })
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
