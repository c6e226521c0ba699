package graph

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Choice is what OLM v1 does with an installed bundle if the ClusterExtension requests no version.
type Choice struct {
	// Bundle is the chosen one, which can be the installed one; "" if there is none, not even that: then OLM v1 reports it, and the
	// installed bundle stays.
	Bundle string
	// Step is the upgrade to Bundle, nil where there is none.
	Step *Step
	// Refusal is why OLM v1 does not install Bundle, nil if it does. It chooses no other one then (operator-controller:
	// resolve/catalog.go Resolve, the validations).
	Refusal *Refusal
}

// Refusal is a property for which OLM v1 installs no bundle (operator-controller: resolve NoDependencyValidation).
type Refusal struct {
	Bundle   string `json:"name"`
	Property string `json:"property"` // its type, as "olm.gvk.required"
	catalogs.Pos
}

// V1Refusal returns why OLM v1 does not install a bundle, nil if it does.
func V1Refusal(b *catalogs.Bundle) *Refusal {
	for p := range b.PropertyTypes() {
		switch p.Value {
		case catalogs.TypePackageRequired, catalogs.TypeGVKRequired, catalogs.TypeConstraint:
			return &Refusal{Bundle: b.Name.Value, Property: p.Value, Pos: p.Pos}
		}
	}
	return nil
}

// installedV1 is an installed bundle as OLM v1 sees it.
type installedV1 struct {
	name    string
	release *release // nil if the version cannot be parsed
	index   int      // in the extension, or -1
	// unreadable says that the package has it, with a version that OLM v1 cannot read: it finds nothing for it.
	unreadable bool
}

// version is nil if it cannot be parsed.
func (in *installedV1) version() *semver.Version {
	if in.release == nil {
		return nil
	}
	return &in.release.version
}

func (x *Extension) installedV1(in InstalledBundle) installedV1 {
	installed := installedV1{name: in.Name, index: -1}
	b := x.Package.Bundle(in.Name)
	if i, ok := x.index[in.Name]; ok {
		installed.index, installed.release = i, x.versions[i]
	} else if b != nil {
		installed.release = bundleRelease(b, x.releases)
	} else {
		installed.release = bundleRelease(&catalogs.Bundle{Version: catalogs.Text{Value: in.Version}}, ReleaseOrder{Ignored: x.releases.Ignored, MaxLength: x.releases.MaxLength})
	}
	installed.unreadable = b != nil && installed.release == nil
	return installed
}

// Choose returns what OLM v1 does with an installed bundle.
func (x *Extension) Choose(in InstalledBundle) Choice {
	installed := x.installedV1(in)
	e := noEdge
	if installed.index >= 0 {
		e = x.choices().next[installed.index]
	} else if all := x.candidatesFor(installed); len(all) > 0 {
		e = x.candidate(installed, all[0])
	}
	if e.To < 0 {
		return Choice{}
	}
	c := Choice{Bundle: x.name(e.To), Refusal: V1Refusal(x.bundles[e.To])}
	if e.To != installed.index {
		step := x.step(in.Name, e, true)
		c.Step = &step
	}
	return c
}

// ChoiceV1 returns what OLM v1 does with an installed entry where a ClusterExtension names this channel and no version.
func (g *Graph) ChoiceV1(from int) Choice { return g.extension().Choose(g.installedEntry(from)) }

// NextV1 returns the edge of the upgrade of ChoiceV1, false if there is none.
func (g *Graph) NextV1(from int) (Edge, bool) {
	if c := g.ChoiceV1(from); c.Step != nil && c.Refusal == nil {
		return c.Step.Edge, true
	}
	return noEdge, false
}

// hasSuccessor reports whether another bundle replaces, skips or covers an installed one.
func (x *Extension) hasSuccessor(in InstalledBundle) bool {
	installed := x.installedV1(in)
	return slices.ContainsFunc(x.candidatesFor(installed), func(to int) bool {
		e := x.candidate(installed, to)
		return to != installed.index && e.Kind != SameVersion
	})
}

// candidatesFor returns the bundles that OLM v1 may choose for an installed one, itself included, best first. Of those that only
// have the same version and release it is the best one.
func (x *Extension) candidatesFor(in installedV1) []int {
	if in.unreadable {
		return nil
	}
	var all []int
	for _, n := range x.declaredBy[in.name] {
		all = append(all, n.bundle)
	}
	if v := in.version(); v != nil {
		for text, bundles := range x.withRange {
			if x.ranges[text].Contains(*v) {
				all = append(all, bundles...)
			}
		}
	}
	if i, ok := x.bestBundle(in.release); ok {
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b int) int { return x.rank[a] - x.rank[b] })
	return slices.Compact(all)
}

// bestBundle returns the best bundle of a version and release.
func (x *Extension) bestBundle(r *release) (int, bool) {
	sorted := x.equalBundles().sorted
	if r == nil {
		return 0, false
	}
	at, ok := slices.BinarySearchFunc(sorted, r, func(i int, r *release) int { return r.compare(x.versions[i]) })
	if !ok {
		return 0, false
	}
	return x.equalBundles().release[sorted[at]][0], true
}

// candidate returns the edge by which OLM v1 may choose a bundle for an installed one, itself included.
func (x *Extension) candidate(in installedV1, to int) Edge {
	if n, ok := x.findDeclaration(to, in.name); ok {
		return Edge{From: in.index, To: to, Kind: n.kind, Where: n.where}
	}
	v := in.version()
	for _, at := range x.entries[to] {
		if v != nil && x.ranges[at.entry.SkipRange.Value].Contains(*v) {
			return Edge{From: in.index, To: to, Kind: SkipRange, Where: at.entry.SkipRange}
		}
	}
	if r := x.versions[to]; r != nil && in.release != nil && r.compare(in.release) == 0 {
		return Edge{From: in.index, To: to, Kind: SameVersion, Where: x.bundles[to].Version}
	}
	return noEdge
}

// choices returns the successors of each bundle as OLM v1 chooses them; a successor may be the bundle itself, or one that OLM v1
// does not install.
func (x *Extension) choices() *automaticEdges {
	return x.chosenEdges.value(func() *automaticEdges {
		a, assignment := newAutomaticEdges(len(x.bundles)), x.newEdgeAssignment(x.ownCandidates())
		for _, to := range x.best {
			assignment.offerEdges(to, func(e Edge) bool {
				a.next[e.From] = e
				return true
			})
		}
		for i := range a.next {
			if x.versions[i] == nil { // OLM v1 cannot read what is installed
				a.next[i] = noEdge
			}
		}
		return a
	})
}

// automatic returns the automatic upgrade of each bundle under OLM v1. They never form a loop, because each bundle is better
// than the one before.
func (x *Extension) automatic() *automaticEdges {
	return x.upgradeEdges.value(func() *automaticEdges {
		a := newAutomaticEdges(len(x.bundles))
		for i, e := range x.choices().next {
			if e.To >= 0 && e.To != i && V1Refusal(x.bundles[e.To]) == nil {
				a.next[i] = e
			}
		}
		return a
	})
}

// upgradesFrom follows the automatic upgrades of an installed bundle to their end. Last is the choice there.
func (x *Extension) upgradesFrom(in InstalledBundle) (path Path, last Choice) {
	for {
		last = x.Choose(in)
		if last.Step == nil || last.Refusal != nil {
			return path, last
		}
		path = append(path, *last.Step)
		in = InstalledBundle{Name: last.Bundle}
	}
}

// upgradesByVersion returns the upgrades of an installed bundle that a user can request by version, best first, and those that OLM v1 would
// choose and not install. Of several bundles of one version OLM v1 chooses the best.
func (x *Extension) upgradesByVersion(in InstalledBundle) (steps []Step, refused []Refusal) {
	installed, met := x.installedV1(in), map[int]bool{} // by the best bundle of the version
	automatic := x.Choose(in)
	for _, to := range x.candidatesFor(installed) {
		if x.versions[to] == nil || met[x.equalBundles().version[to][0]] {
			continue
		}
		e := x.candidate(installed, to)
		met[x.equalBundles().version[to][0]] = true
		if to == installed.index {
			continue
		}
		if r := V1Refusal(x.bundles[to]); r != nil {
			refused = append(refused, *r)
			continue
		}
		steps = append(steps, x.step(in.Name, e, automatic.Bundle == x.name(to)))
	}
	return steps, refused
}

// step is an edge of the extension as an upgrade.
func (x *Extension) step(from string, e Edge, automatic bool) Step {
	s := Step{From: from, To: x.name(e.To), Edge: e, Automatic: automatic}
	if n, ok := x.findDeclaration(e.To, from); ok {
		s.Graph, s.Edge.Kind, s.Edge.Where = n.graph, n.kind, n.where
	} else if entries := x.entries[e.To]; len(entries) > 0 {
		at := slices.IndexFunc(entries, func(at entryAt) bool { return e.Kind == SkipRange && at.entry.SkipRange == e.Where })
		s.Graph = entries[max(at, 0)].graph
	}
	if s.Graph != nil {
		s.Edge.To, _ = s.Graph.Index(s.To)
		s.Edge.From = -1
		if i, ok := s.Graph.Index(from); ok {
			s.Edge.From = i
		}
	}
	return s
}

// isShadowed reports whether OLM v1 chooses another bundle of the same version if the version of a bundle is requested.
func (x *Extension) isShadowed(in installedV1, to int) bool {
	equal := x.equalBundles().version[to]
	if equal[0] == to {
		return false
	}
	return !in.unreadable && slices.ContainsFunc(equal, func(i int) bool { return x.rank[i] < x.rank[to] && x.candidate(in, i).To >= 0 })
}

// IsShadowed reports whether OLM v1 upgrades from a bundle to another one of its version if that version is requested.
func (x *Extension) IsShadowed(name string) bool {
	i, ok := x.index[name]
	return ok && x.versions[i] != nil && x.isShadowed(x.installedV1(InstalledBundle{Name: name}), i)
}
