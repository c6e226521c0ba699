package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
)

// ownCRD is a CRD that a bundle brings. Outline is nil where it could not be read: err says why.
type ownCRD struct {
	*crd.Outline
	*catalogs.Manifest
	err error
}

// crdFacts are what the rules on CRDs know of one package.
type crdFacts struct {
	read     map[*catalogs.Object]*ownCRD
	counting map[*catalogs.Bundle][]*catalogs.Manifest
	byBundle map[*catalogs.Bundle][]*ownCRD
	provided map[*catalogs.Bundle]provided
	// installable says of bundles whether OLM v1 installs them.
	installable map[*catalogs.Bundle]bool
	steps       []step
	known       bool // steps are
	decoded     decodedCRDs
	answers     crdAnswers
}

// CRDs returns the CRDs that a bundle brings, by name. Where it brings two of one name, the one in v1 counts, or the first.
func (p *Pass) CRDs(b *catalogs.Bundle) []*ownCRD {
	p.answer()
	f := &p.facts.crds
	if own, known := f.byBundle[b]; known {
		return own
	}
	var own []*ownCRD
	for _, m := range p.countingCRDs(b) {
		own = append(own, f.outline(m))
	}
	put(&f.byBundle, b, own)
	return own
}

// countingCRDs returns the manifests of CRDs.
func (p *Pass) countingCRDs(b *catalogs.Bundle) []*catalogs.Manifest {
	f := &p.facts.crds
	if all, known := f.counting[b]; known {
		return all
	}
	all := p.manifestsOfCRDs(b)
	slices.SortStableFunc(all, func(a, b *catalogs.Manifest) int { return cmp.Or(cmp.Compare(a.Name, b.Name), age(a)-age(b)) })
	all = slices.CompactFunc(all, func(a, b *catalogs.Manifest) bool { return a.Name == b.Name })
	put(&f.counting, b, all)
	return all
}

// manifestsOfCRDs returns the manifests of all CRDs of a bundle. Where there can be none nothing is read.
func (p *Pass) manifestsOfCRDs(b *catalogs.Bundle) []*catalogs.Manifest {
	if !b.HasManifests() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Manifests(b)), func(m *catalogs.Manifest) bool { return m.Kind != crd.Kind })
}

func age(m *catalogs.Manifest) int {
	if m.APIVersion == crd.V1 {
		return 0
	}
	return 1
}

// outline reads a CRD; one that stands in several bundles once.
func (f *crdFacts) outline(m *catalogs.Manifest) *ownCRD {
	known, ok := f.read[m.Object]
	if !ok {
		known = &ownCRD{Manifest: m}
		if whole, err := f.decoded.of(m.Object); err != nil {
			known.err = err
		} else {
			known.Outline = whole.Outline
		}
		put(&f.read, m.Object, known)
	}
	return &ownCRD{Outline: known.Outline, Manifest: m, err: known.err}
}

// CRD returns the CRD of that name that a bundle brings, or nil if it brings none that can be read.
func (p *Pass) CRD(b *catalogs.Bundle, name string) *ownCRD {
	if c := p.ownCRD(b, name); c != nil && c.Outline != nil {
		return c
	}
	return nil
}

// ownCRD is CRD for one that may be unreadable.
func (p *Pass) ownCRD(b *catalogs.Bundle, name string) *ownCRD {
	own := p.CRDs(b)
	if i := slices.IndexFunc(own, func(c *ownCRD) bool { return c.Manifest.Name == name }); i >= 0 {
		return own[i]
	}
	return nil
}

// step is an upgrade from one bundle to another that some user of a channel may make now.
type step struct {
	graph.Upgrade
	From, To *catalogs.Bundle
	channel  string // "" if it is in several
}

// Steps returns the upgrades of the package to which all others come down (graph.Steps), each pair of bundles once, whatever
// its channel.
func (p *Pass) Steps() []step {
	f := &p.facts.crds
	if f.known {
		return f.steps
	}
	f.known = true
	seen := map[[2]*catalogs.Bundle]int{}
	for _, c := range p.Package.Channels {
		for _, u := range p.Graph(c).DirectUpgrades() {
			from, to := c.Entries[u.From].Bundle, c.Entries[u.To].Bundle
			if from == nil || to == nil {
				continue
			}
			u, ok := p.judged(u, from, to)
			if !ok {
				continue
			}
			s := step{Upgrade: u, channel: c.Name.Value, From: from, To: to}
			pair := [2]*catalogs.Bundle{s.From, s.To}
			if i, again := seen[pair]; again {
				f.steps[i].V0 = f.steps[i].V0 || u.V0
				f.steps[i].V1 = f.steps[i].V1 || u.V1
				f.steps[i].channel = ""
				continue
			}
			seen[pair] = len(f.steps)
			f.steps = append(f.steps, s)
		}
	}
	return f.steps
}

// gates are those of an upgrade: each OLM that makes it.
func (s *step) gates() Gates { return gatesOf(s.V0, s.V1) }

func gatesOf(v0, v1 bool) Gates {
	var g Gates
	if v0 {
		g |= GateOLMv0
	}
	if v1 {
		g |= GateOLMv1
	}
	return g
}

// eachCRDUpgrade makes a Check of a question about a CRD before and after an upgrade.
func eachCRDUpgrade(check func(p *Pass, s *step, old, new *ownCRD)) func(*Pass) {
	return func(p *Pass) {
		steps := p.Steps()
		for i := range steps {
			s := &steps[i]
			for _, old := range p.CRDs(s.From) {
				if new := p.CRD(s.To, old.Manifest.Name); new != nil && old.Outline != nil {
					check(p, s, old, new)
				}
			}
		}
	}
}

// leap says what kind of release an upgrade is, if it should not break anything: " in a patch release".
func (s *step) leap() string {
	from, to := s.From.Semver(), s.To.Semver()
	switch {
	case from == nil || to == nil || from.Major != to.Major || from.Major == 0 || len(from.Pre) > 0:
		return ""
	case from.Minor != to.Minor:
		return ", in a minor release"
	}
	return ", in a patch release"
}

// isAlpha reports whether a version promises nothing (Kubernetes: API versioning).
func isAlpha(version string) bool { return strings.Contains(version, "alpha") }

// before is the place of the CRD that an upgrade replaces.
func before(old *ownCRD, at string) Related {
	return Related{Pos: old.At(at), Message: "as it was before"}
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
