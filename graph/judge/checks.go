package judge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// Checks are the checks of CRD schemas that will be requested for all upgrades. They are computed together, one CRD after the
// other, so that each is decoded once and few are in memory at the same time. Other checks are computed when they are requested.
type Checks uint8

// The questions.
const (
	CheckFaults   Checks = 1 << iota // Faults of all CRDs
	CheckChanges                     // Changes
	CheckUnseen                      // Unseen, of upgrades of OLM v0
	CheckExamples                    // BrokenExamples, of upgrades of OLM v0
)

// renderedCRD is a CRD as OLM v1 renders it from a bundle: with the conversion webhook that the ClusterServiceVersion has for it,
// if any.
type renderedCRD struct {
	outline *crd.Outline
	webhook bool
}

type faults struct {
	all []crd.Fault
	err error
}

type changes struct {
	all []crd.Change
	err error
}

// upgradedCRD identifies a CRD in an upgrade from the bundle with a ClusterServiceVersion.
type upgradedCRD struct {
	from     *csv.Document
	old, new *crd.Outline
}

// BrokenExample is an example of the older bundle that the newer CRD rejects.
type BrokenExample struct {
	csv.Example
	Index  int // in the annotation
	Faults []crd.Fault
}

// apply returns a definition as it is rendered.
func (r renderedCRD) apply(d *crd.Definition) *crd.Definition {
	if !r.webhook {
		return d
	}
	return d.WithWebhookConversion()
}

func (p *Package) renderCRD(b *catalogs.Bundle, c *CRD) renderedCRD {
	owner := p.CSV(b)
	return renderedCRD{c.Outline, owner != nil && slices.ContainsFunc(owner.Spec.Webhooks, func(w csv.WebhookDescription) bool {
		return w.Type == csv.ConversionWebhook && slices.Contains(w.ConversionCRDs, c.Manifest.Name)
	})}
}

// Faults returns the CRD of a manifest and why Kubernetes rejects it (ValidateCustomResourceDefinition). If the CRD cannot be read
// there are no faults: see CRD.Err. The error says why faults may be missing. An object of several bundles is validated once.
func (p *Package) Faults(m *bundled.Manifest) (*CRD, []crd.Fault, error) {
	p.prepare()
	c := p.crd(m)
	found := p.crdFaults(c)
	return c, found.all, found.err
}

func (k *Cache) crdFaults(c *CRD) faults {
	return k.results.faults.Get(k.crdNamed(c.Manifest.Name).sum(c.Manifest.Object), func() (f faults) {
		if c.Err == nil {
			f.all, f.err = k.definition(c).Faults()
		}
		return f
	})
}

// MayHaveNewFaults reports whether Kubernetes may reject CRDs for reasons for which it does not reject those of Options.Published, or
// heads for reasons for which it does not reject the heads there: not if all CRDs are valid that those do not have, and those of bundles
// that are not there.
func (p *Package) MayHaveNewFaults(heads, publishedHeads []*catalogs.Bundle) bool {
	if p.options.Published == nil {
		return true
	}
	ofHeads := p.crdObjects(publishedHeads)
	for _, b := range p.pkg.Bundles {
		isHead, isAdded := slices.Contains(heads, b), p.options.Published.Bundle(b.Name.Value) == nil
		for _, m := range p.CRDManifests(b) {
			if !isAdded && p.published()[m.Object] && (!isHead || ofHeads[m.Object]) {
				continue
			}
			if own, found, err := p.Faults(m); own.Err != nil || err != nil || len(found) > 0 {
				return true
			}
		}
	}
	return false
}

// publishedCRDs returns the CRDs of Options.Published, none if their faults are not asked for.
func (p *Package) publishedCRDs() map[*bundled.Object]bool {
	if p.options.Published == nil || p.options.Checks&CheckFaults == 0 {
		return nil
	}
	return p.crdObjects(p.options.Published.Bundles)
}

// crdObjects returns the CRDs of bundles of Options.Published that can be read.
func (k *Cache) crdObjects(bundles []*catalogs.Bundle) map[*bundled.Object]bool {
	all := map[*bundled.Object]bool{}
	for _, b := range bundles {
		if b == nil || !b.HasManifests() {
			continue
		}
		manifests, err := k.reader.Read(b)
		for _, m := range manifests {
			if err == nil && m.Kind == crd.Kind {
				all[m.Object] = true
			}
		}
	}
	return all
}

// Changes compares a CRD before and after an upgrade as OLM v1 does (crdify). Equal pairs are compared once.
func (p *Package) Changes(from, to *catalogs.Bundle, old, new *CRD) ([]crd.Change, error) {
	key := [2]renderedCRD{p.renderCRD(from, old), p.renderCRD(to, new)}
	known := p.results.changes.Get(key, func() (c changes) {
		c.all, c.err = compare(key[0].apply(p.definition(old)), key[1].apply(p.definition(new)))
		return c
	})
	return known.all, known.err
}

func compare(old, new *crd.Definition) ([]crd.Change, error) {
	all, err := crd.Changes(old, new)
	return crd.Topmost(all), err
}

// Unseen returns the changes of a CRD in an upgrade that can make objects invalid and that OLM v1 does not detect.
func (k *Cache) Unseen(old, new *CRD) ([]crd.Change, error) {
	known := k.results.unseen.Get([2]*crd.Outline{old.Outline, new.Outline}, func() (c changes) {
		c.all, c.err = crd.Unseen(k.definition(old), k.definition(new))
		return c
	})
	return known.all, known.err
}

// DecidedBefore returns a function that reports whether the newest bundle between those of an upgrade has a change of a CRD already. It
// does not if nothing is known of that, or the target changes the schema at the same path again.
func (p *Package) DecidedBefore(u *Upgrade, new *CRD) func(*crd.Change) bool {
	never := func(*crd.Change) bool { return false }
	between := p.ordered().newestBetween(u.From, u.To)
	if between == nil {
		return never
	}
	old := p.ReadableCRD(between, new.Manifest.Name)
	if old == nil {
		return never
	}
	type place struct{ version, path string }
	again := map[place]bool{}
	if old.Manifest.Object != new.Manifest.Object {
		var found []crd.Change
		var err error
		if new.APIVersion == crd.V1 {
			found, err = p.Changes(between, u.To, old, new)
		}
		unseen, unseenErr := p.Unseen(old, new)
		if err != nil || unseenErr != nil {
			return never
		}
		for _, c := range slices.Concat(found, unseen) {
			again[place{c.Version, c.Path}] = true
		}
	}
	return func(c *crd.Change) bool { return !again[place{c.Version, c.Path}] }
}

// BrokenExamples returns the examples of a bundle that are valid under its own CRD and not under that of the bundle to which it is
// upgraded.
func (p *Package) BrokenExamples(from *catalogs.Bundle, old, new *CRD) []BrokenExample {
	owner := p.CSV(from)
	if owner == nil {
		return nil
	}
	return p.crdNamed(new.Manifest.Name).broken.Get(upgradedCRD{owner.Document, old.Outline, new.Outline}, func() []BrokenExample {
		var all []BrokenExample
		for i, e := range owner.Examples() {
			if e.API.Kind != new.Kind || e.API.Group != new.Group || !old.Serves(e.API.Version) || !new.Serves(e.API.Version) {
				continue
			}
			if faults := crd.NewlyInvalid(p.definition(old), p.definition(new), e.API.Version, e.JSON); len(faults) > 0 {
				all = append(all, BrokenExample{e, i, faults})
			}
		}
		return all
	})
}

// prepare computes the requested checks, along the upgrades of each CRD, so that each CRD is decoded once and few are in memory at
// the same time.
func (p *Package) prepare() {
	if p.prepared || p.options.Checks == 0 {
		return
	}
	p.prepared = true
	p.published()
	all, sizes := map[string][]*bundled.Manifest{}, map[string]int{}
	known := map[*bundled.Object]bool{}
	for _, b := range p.pkg.Bundles {
		p.uniqueCRDManifests(b)
		for _, m := range p.CRDManifests(b) {
			all[m.Name] = append(all[m.Name], m)
			if !known[m.Object] {
				known[m.Object] = true
				sizes[m.Name] += m.Size()
			}
			p.crdNamed(m.Name)
			p.CSV(b)
		}
	}
	upgrades := p.Upgrades()
	for i := range upgrades {
		if b := p.ordered().newestBetween(upgrades[i].From, upgrades[i].To); b != nil {
			p.uniqueCRDManifests(b)
			p.CSV(b)
		}
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Or(sizes[b]-sizes[a], strings.Compare(a, b)) }) // the longest first
	// What several of them read was computed above.
	parallel.EachOn(max(1, p.options.Goroutines), len(names), func(i int) {
		(&crdPreparation{p, names[i]}).run(all[names[i]], upgrades)
	})
}

// crdPreparation computes the requested checks of the CRDs of one name.
type crdPreparation struct {
	*Package
	name string
}

// run computes them, of the CRDs in some manifests.
func (p *crdPreparation) run(all []*bundled.Manifest, upgrades []Upgrade) {
	of := p.crdNamed(p.name)
	of.decoded = &decodedCache{}
	for i := range upgrades {
		u := &upgrades[i]
		old, new := p.readable(u.From), p.readable(u.To)
		if old == nil || new == nil {
			continue
		}
		p.faults(old)
		p.faults(new)
		p.changes(u, u.From, old, new)
		if p.options.Checks&CheckExamples != 0 && u.V0 && old.Manifest.Object != new.Manifest.Object {
			p.BrokenExamples(u.From, old, new)
		}
		if between := p.ordered().newestBetween(u.From, u.To); between != nil {
			if old := p.readable(between); old != nil {
				p.changes(u, between, old, new)
			}
		}
	}
	for _, m := range all {
		p.faults(p.crd(m))
	}
	of.decoded = &p.decoded
}

// readable returns the CRD in a bundle without reading others; nil if there is none that can be read.
func (p *crdPreparation) readable(b *catalogs.Bundle) *CRD {
	for _, m := range p.uniqueCRDManifests(b) {
		if m.Name == p.name {
			if c := p.crd(m); c.Outline != nil {
				return c
			}
		}
	}
	return nil
}

func (p *crdPreparation) faults(c *CRD) {
	if p.options.Checks&CheckFaults != 0 && !p.published()[c.Manifest.Object] {
		p.crdFaults(c)
	}
}

// changes computes the changes of a CRD from that of a bundle to that of the target of an upgrade, under the conditions under which rules request them.
func (p *crdPreparation) changes(u *Upgrade, from *catalogs.Bundle, old, new *CRD) {
	if old.Manifest.Object == new.Manifest.Object {
		return
	}
	if p.options.Checks&CheckChanges != 0 && new.APIVersion == crd.V1 {
		p.Changes(from, u.To, old, new)
	}
	if p.options.Checks&CheckUnseen != 0 && u.V0 {
		p.Unseen(old, new)
	}
}
