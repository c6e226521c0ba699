package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint/crds"
)

// ownCRD is a CRD that a bundle brings. Definition is nil where it could not be read: err says why.
type ownCRD struct {
	*crds.Definition
	*catalogs.Manifest
	err error
}

// crdFacts are what the rules on CRDs know of one package.
type crdFacts struct {
	read     map[*catalogs.Object]*ownCRD
	byBundle map[*catalogs.Bundle][]*ownCRD
	hooked   map[hooked]*crds.Definition
	changes  map[[2]*crds.Definition]changes
	provided map[*catalogs.Bundle]provided
	// installable says of bundles whether OLM v1 installs them.
	installable map[*catalogs.Bundle]bool
	steps       []step
	known       bool // steps are
	judged      map[*catalogs.Object]judgement
}

// hooked is a CRD with the conversion webhook of a ClusterServiceVersion.
type hooked struct {
	*crds.Definition
	service string
}

type changes struct {
	all []crds.Change
	err error
}

// CRDs returns the CRDs that a bundle brings, by name. Where it brings two of one name, the one in v1 counts, or the first.
func (p *Pass) CRDs(b *catalogs.Bundle) []*ownCRD {
	f := &p.facts.crds
	if own, known := f.byBundle[b]; known {
		return own
	}
	var own []*ownCRD
	for _, m := range p.manifestsOfCRDs(b) {
		own = append(own, f.definition(m))
	}
	slices.SortStableFunc(own, func(a, b *ownCRD) int { return cmp.Or(cmp.Compare(a.Manifest.Name, b.Manifest.Name), a.age()-b.age()) })
	own = slices.CompactFunc(own, func(a, b *ownCRD) bool { return a.Manifest.Name == b.Manifest.Name })
	if f.byBundle == nil {
		f.byBundle = map[*catalogs.Bundle][]*ownCRD{}
	}
	f.byBundle[b] = own
	return own
}

// manifestsOfCRDs returns the manifests of all CRDs of a bundle. Where there can be none nothing is read.
func (p *Pass) manifestsOfCRDs(b *catalogs.Bundle) []*catalogs.Manifest {
	if !b.HasManifests() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Manifests(b)), func(m *catalogs.Manifest) bool { return m.Kind != kindCRD })
}

func (c *ownCRD) age() int {
	if c.APIVersion == crds.V1 {
		return 0
	}
	return 1
}

// definition reads a CRD; one that stands in several bundles once.
func (f *crdFacts) definition(m *catalogs.Manifest) *ownCRD {
	known, ok := f.read[m.Object]
	if !ok {
		known = &ownCRD{}
		known.Definition, known.err = crds.Parse(m.JSON)
		if f.read == nil {
			f.read = map[*catalogs.Object]*ownCRD{}
		}
		f.read[m.Object] = known
	}
	return &ownCRD{Definition: known.Definition, Manifest: m, err: known.err}
}

// CRD returns the CRD of that name that a bundle brings, or nil if it brings none that can be read.
func (p *Pass) CRD(b *catalogs.Bundle, name string) *ownCRD {
	if c := p.ownCRD(b, name); c != nil && c.Definition != nil {
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

// rendered is the CRD as OLM v1 makes it of a bundle: with the conversion webhook that its ClusterServiceVersion speaks of.
func (p *Pass) rendered(b *catalogs.Bundle, c *ownCRD) *crds.Definition {
	csv := p.facts.csvOf(b)
	if csv == nil {
		return c.Definition
	}
	for _, w := range csv.Spec.Webhooks {
		if w.Type == conversionWebhook && slices.Contains(w.ConversionCRDs, c.Manifest.Name) {
			return p.facts.crds.withWebhook(c.Definition, w.DeploymentName)
		}
	}
	return c.Definition
}

func (f *crdFacts) withWebhook(d *crds.Definition, deployment string) *crds.Definition {
	key := hooked{d, deployment}
	with, ok := f.hooked[key]
	if !ok {
		// What the webhook is called makes no difference to any check.
		with = d.WithWebhookConversion(crds.Webhook{Namespace: "ns", Service: deployment + "-service", Port: 443, ReviewVersions: []string{"v1"}})
		if f.hooked == nil {
			f.hooked = map[hooked]*crds.Definition{}
		}
		f.hooked[key] = with
	}
	return with
}

// changesOf compares two CRDs as OLM v1 does; equal pairs are compared once.
func (f *crdFacts) changesOf(old, new *crds.Definition) ([]crds.Change, error) {
	key := [2]*crds.Definition{old, new}
	known, ok := f.changes[key]
	if !ok {
		known.all, known.err = crds.Changes(old, new)
		known.all = crds.Topmost(known.all)
		if f.changes == nil {
			f.changes = map[[2]*crds.Definition]changes{}
		}
		f.changes[key] = known
	}
	return known.all, known.err
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
		for _, u := range p.Graph(c).Steps() {
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
				if new := p.CRD(s.To, old.Manifest.Name); new != nil && old.Definition != nil {
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
