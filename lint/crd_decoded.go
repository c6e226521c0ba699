package lint

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
)

// mostDecoded is how many bytes of JSON are held as decoded CRDs at most; decoded they are ten times as large. The two that are
// compared are always held.
const mostDecoded = 2 << 20

// decodedCRDs are the CRDs that were asked for last, with their schemas.
type decodedCRDs struct {
	held  []decodedCRD // the last one last
	bytes int
}

type decodedCRD struct {
	object *catalogs.Object
	size   int // of its JSON
	whole  *crd.Definition
	err    error
}

// of decodes a CRD, unless it was asked for lately.
func (d *decodedCRDs) of(o *catalogs.Object) (*crd.Definition, error) {
	i := slices.IndexFunc(d.held, func(c decodedCRD) bool { return c.object == o })
	if i < 0 {
		i = len(d.held)
		text := o.JSON()
		one := decodedCRD{object: o, size: len(text)}
		one.whole, one.err = crd.Parse(text)
		d.held = append(d.held, one)
		d.bytes += one.size
	}
	one := d.held[i]
	d.held = append(slices.Delete(d.held, i, i+1), one)
	for d.bytes > mostDecoded && len(d.held) > 2 {
		d.bytes -= d.held[0].size
		d.held = slices.Delete(d.held, 0, 1)
	}
	return one.whole, one.err
}

// forget lets go of all.
func (d *decodedCRDs) forget() { *d = decodedCRDs{} }

// whole returns a CRD that can be read, with its schemas.
func (f *crdFacts) whole(c *ownCRD) *crd.Definition {
	whole, _ := f.decoded.of(c.Object) // it was read before
	return whole
}

// crdQuestions are what rules ask of the schemas of CRDs.
type crdQuestions uint8

const (
	asksFaults crdQuestions = 1 << iota
	asksChanges
	asksUnseen
	asksBroken
)

// crdAnswers are what was asked of schemas before. They hold none.
type crdAnswers struct {
	asked   crdQuestions // by the rules that are called
	ready   bool         // all answers to them are there
	judged  map[*catalogs.Object]judgement
	changes map[[2]rendition]changes
	unseen  map[[2]*crd.Outline]changes
	broken  map[upgradedCRD][]brokenExample
}

// rendition is a CRD as OLM v1 makes it of a bundle: with the conversion webhook that its ClusterServiceVersion speaks of, of that
// deployment, if it does.
type rendition struct {
	of         *crd.Outline
	hooked     bool
	deployment string
}

type changes struct {
	all []crd.Change
	err error
}

// upgradedCRD is a CRD in an upgrade.
type upgradedCRD struct {
	from     *catalogs.Bundle
	old, new *crd.Outline
}

// brokenExample is an example of the older bundle that the newer CRD does not take.
type brokenExample struct {
	csv.Example
	index  int
	faults []crd.Fault
}

// render makes it.
func (r rendition) render(d *crd.Definition) *crd.Definition {
	if !r.hooked {
		return d
	}
	// What the webhook is called makes no difference to any check.
	return d.WithWebhookConversion(crd.Webhook{Namespace: "ns", Service: r.deployment + "-service", Port: 443, ReviewVersions: []string{"v1"}})
}

func (p *Pass) rendition(b *catalogs.Bundle, c *ownCRD) rendition {
	r := rendition{of: c.Outline}
	if c := p.facts.csvOf(b); c != nil {
		for _, w := range c.Spec.Webhooks {
			if w.Type == csv.ConversionWebhook && slices.Contains(w.ConversionCRDs, c.Manifest.Name) {
				r.hooked, r.deployment = true, w.DeploymentName
				return r
			}
		}
	}
	return r
}

// changesIn compares the CRD before and after an upgrade as OLM v1 does; equal pairs are compared once.
func (p *Pass) changesIn(from, to *catalogs.Bundle, old, new *ownCRD) ([]crd.Change, error) {
	f := &p.facts.crds
	key := [2]rendition{p.rendition(from, old), p.rendition(to, new)}
	known, ok := f.answers.changes[key]
	if !ok {
		known.all, known.err = compared(key[0].render(f.whole(old)), key[1].render(f.whole(new)))
		put(&f.answers.changes, key, known)
	}
	return known.all, known.err
}

func compared(old, new *crd.Definition) ([]crd.Change, error) {
	all, err := crd.Changes(old, new)
	return crd.Topmost(all), err
}

// unseenIn is what OLM v1 does not see in an upgrade of a CRD.
func (f *crdFacts) unseenIn(old, new *ownCRD) ([]crd.Change, error) {
	key := [2]*crd.Outline{old.Outline, new.Outline}
	known, ok := f.answers.unseen[key]
	if !ok {
		known.all, known.err = crd.Unseen(f.whole(old), f.whole(new))
		put(&f.answers.unseen, key, known)
	}
	return known.all, known.err
}

// brokenExamples are the examples of a bundle that are valid by its CRD and do not fit the one that takes its place.
func (p *Pass) brokenExamples(from *catalogs.Bundle, old, new *ownCRD) []brokenExample {
	f := &p.facts.crds
	csv := p.facts.csvOf(from)
	key := upgradedCRD{from, old.Outline, new.Outline}
	known, ok := f.answers.broken[key]
	if ok || csv == nil {
		return known
	}
	for i, e := range csv.Examples() {
		if e.API.Kind != new.Kind || e.API.Group != new.Group || !old.Serves(e.API.Version) || !new.Serves(e.API.Version) {
			continue
		}
		if faults := crd.Broken(f.whole(old), f.whole(new), e.API.Version, e.JSON); len(faults) > 0 {
			known = append(known, brokenExample{e, i, faults})
		}
	}
	put(&f.answers.broken, key, known)
	return known
}

// put sets an entry of a map that may not be there yet.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// answer gets the answers to all that the rules ask of the schemas of the package, a CRD after the other along the upgrades, so
// that each is decoded once and few are held at the same time.
func (p *Pass) answer() {
	f := &p.facts.crds
	if f.answers.ready || f.answers.asked == 0 {
		return
	}
	f.answers.ready = true
	all := map[string][]*catalogs.Manifest{}
	for _, b := range newestFirst(p.Package) {
		for _, m := range p.manifestsOfCRDs(b) {
			all[m.Name] = append(all[m.Name], m)
		}
	}
	steps := p.Steps()
	for _, name := range sortedKeys(all) {
		for i := range steps {
			s := &steps[i]
			if old, new := p.readable(s.From, name), p.readable(s.To, name); old != nil && new != nil {
				p.answerOn(s, old, new)
			}
		}
		for _, m := range all[name] {
			p.judgeIfAsked(f.outline(m))
		}
		f.decoded.forget()
	}
}

// readable returns the CRD of that name that a bundle brings, of which no other needs to be read; nil if it cannot be read.
func (p *Pass) readable(b *catalogs.Bundle, name string) *ownCRD {
	all := p.countingCRDs(b)
	i := slices.IndexFunc(all, func(m *catalogs.Manifest) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	c := p.facts.crds.outline(all[i])
	p.judgeIfAsked(c)
	if c.Outline == nil {
		return nil
	}
	return c
}

func (p *Pass) judgeIfAsked(c *ownCRD) {
	if f := &p.facts.crds; f.answers.asked&asksFaults != 0 {
		f.judge(c.Manifest)
	}
}

// answerOn gets the answers on a CRD in an upgrade. It asks what the rules ask, under the conditions of these.
func (p *Pass) answerOn(s *step, old, new *ownCRD) {
	asked := p.facts.crds.answers.asked
	if old.Object == new.Object {
		return
	}
	if asked&asksChanges != 0 && new.APIVersion == crd.V1 {
		p.changesIn(s.From, s.To, old, new)
	}
	if asked&asksUnseen != 0 && s.V0 {
		p.facts.crds.unseenIn(old, new)
	}
	if asked&asksBroken != 0 && s.V0 {
		p.brokenExamples(s.From, old, new)
	}
}
