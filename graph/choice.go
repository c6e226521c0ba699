package graph

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Choice is what OLM v1 does with an installed bundle if nobody asks it for a version.
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
	Bundle   string
	Property string // its type, as "olm.gvk.required"
	Pos      catalogs.Pos
}

// RefusalOf returns why OLM v1 does not install a bundle, nil if it does.
func RefusalOf(b *catalogs.Bundle) *Refusal {
	for p := range b.PropertyTypes() {
		switch p.Value {
		case catalogs.TypePackageRequired, catalogs.TypeGVKRequired, catalogs.TypeConstraint:
			return &Refusal{Bundle: b.Name.Value, Property: p.Value, Pos: p.Pos}
		}
	}
	return nil
}

// Installed is a bundle on a cluster, whether the catalog has it or not.
type Installed struct {
	Name    string
	Version string // "" where it is not known
}

// Nameless reports whether only the version is known, which stands for the name.
func (in Installed) Nameless() bool {
	v, err := semver.ParseTolerant(in.Name)
	return err == nil && v.String() == in.Version
}

// installedAs is an installed bundle as OLM v1 sees it.
type installedAs struct {
	name    string
	release *release // nil where nobody can read the version
	index   int      // in the extension, or -1
}

// version is nil where nobody can read it.
func (in *installedAs) version() *semver.Version {
	if in.release == nil {
		return nil
	}
	return &in.release.version
}

func (x *Extension) installedAs(in Installed) installedAs {
	as := installedAs{name: in.Name, index: -1}
	if i, ok := x.index[in.Name]; ok {
		as.index, as.release = i, x.versions[i]
	} else if b := x.Package.Bundle(in.Name); b != nil {
		as.release = releaseOf(b, x.releases)
	} else {
		as.release = releaseOf(&catalogs.Bundle{Version: catalogs.Text{Value: in.Version}}, false)
	}
	return as
}

// Choose returns what OLM v1 does with an installed bundle.
func (x *Extension) Choose(in Installed) Choice {
	as := x.installedAs(in)
	e := none
	if as.release == nil && x.Package.Bundle(in.Name) != nil {
		return Choice{} // OLM v1 cannot read what is installed
	}
	if as.index >= 0 {
		e = x.choices().next[as.index]
	} else {
		for _, to := range x.best {
			var ok bool
			if e, ok = x.candidate(as, to); ok {
				break
			}
		}
	}
	if e.To < 0 {
		return Choice{}
	}
	c := Choice{Bundle: x.name(e.To), Refusal: RefusalOf(x.bundles[e.To])}
	if e.To != as.index {
		step := x.step(in.Name, e, true)
		c.Step = &step
	}
	return c
}

// Succeeded reports whether a field of any bundle takes over an installed one, itself left out.
func (x *Extension) Succeeded(in Installed) bool {
	as := x.installedAs(in)
	return slices.ContainsFunc(x.best, func(to int) bool {
		e, ok := x.candidate(as, to)
		return ok && to != as.index && e.Kind != SameVersion
	})
}

// candidate returns the edge by which OLM v1 may choose a bundle in the place of an installed one, itself included.
func (x *Extension) candidate(in installedAs, to int) (Edge, bool) {
	v := in.version()
	for _, at := range x.entries[to] {
		for kind, where := range named(at.entry) {
			if where.Value == in.name {
				return Edge{From: in.index, To: to, Kind: kind, Where: where}, true
			}
		}
		if v != nil && x.ranges[at.entry.SkipRange.Value].Contains(*v) {
			return Edge{From: in.index, To: to, Kind: SkipRange, Where: at.entry.SkipRange}, true
		}
	}
	if r := x.versions[to]; r != nil && in.release != nil && r.compare(in.release) == 0 {
		return Edge{From: in.index, To: to, Kind: SameVersion, Where: x.bundles[to].Version}, true
	}
	return none, false
}

// choices leads from each bundle to the one that OLM v1 chooses in its place, which may be itself or be refused.
func (x *Extension) choices() *course {
	return x.chosen.get(func() *course {
		c, claims := newCourse(len(x.bundles)), x.newClaims(x.own())
		for _, to := range x.best {
			claims.claim(to, func(e Edge) bool {
				c.next[e.From] = e
				return true
			})
		}
		for i := range c.next {
			if x.versions[i] == nil { // OLM v1 cannot read what is installed
				c.next[i] = none
			}
		}
		return c
	})
}

// automatic leads from each bundle to the one to which OLM v1 upgrades it without being asked. It never runs in a loop, because each bundle is better than
// the one before.
func (x *Extension) automatic() *course {
	return x.course.get(func() *course {
		c := newCourse(len(x.bundles))
		for i, e := range x.choices().next {
			if e.To >= 0 && e.To != i && RefusalOf(x.bundles[e.To]) == nil {
				c.next[i] = e
			}
		}
		return c
	})
}

// Upgrades follows what OLM v1 does with an installed bundle until it stays. Last is the choice at which it does.
func (x *Extension) Upgrades(in Installed) (way Way, last Choice) {
	for {
		last = x.Choose(in)
		if last.Step == nil || last.Refusal != nil {
			return way, last
		}
		way = append(way, *last.Step)
		in = Installed{Name: last.Bundle}
	}
}

// Pins returns the upgrades of an installed bundle that somebody can ask for by a version, best first, and those that OLM v1 would
// choose and refuse to install. Of bundles of one version it chooses the best.
func (x *Extension) Pins(in Installed) (steps []Step, refused []Refusal) {
	as, met := x.installedAs(in), map[int]bool{} // by the best bundle of the version
	if as.release == nil && x.Package.Bundle(in.Name) != nil {
		return nil, nil
	}
	automatic := x.Choose(in)
	for _, to := range x.best {
		e, ok := x.candidate(as, to)
		if !ok || x.versions[to] == nil || met[x.equal().version[to][0]] {
			continue
		}
		met[x.equal().version[to][0]] = true
		if to == as.index {
			continue
		}
		if r := RefusalOf(x.bundles[to]); r != nil {
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
	for _, at := range x.entries[e.To] {
		if s.Graph == nil || at.has(e) {
			s.Graph = at.graph
		}
		if at.has(e) {
			break
		}
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

// has reports whether a field of the entry makes an edge.
func (at entryAt) has(e Edge) bool {
	if e.Kind == SkipRange {
		return at.entry.SkipRange == e.Where
	}
	for kind, where := range named(at.entry) {
		if kind == e.Kind && where == e.Where {
			return true
		}
	}
	return false
}

// direct returns a shortest way along upgrades that somebody can ask for, false if there is none. It costs about as much as looking
// at every bundle once, however many edges there are.
func (x *Extension) direct(in Installed, to string) (way Way, ok bool) {
	end, ok := x.index[to]
	if !ok {
		return nil, false
	}
	as := x.installedAs(in)
	if as.release == nil && x.Package.Bundle(in.Name) != nil {
		return nil, false
	}
	own, at := x.own(), as.index
	if at < 0 {
		own, at = x.candidatesWith(&as), len(x.bundles)
	}
	steps := x.pinnedTo(end, own)
	for name := in.Name; at != end; at = steps[at].To {
		e := steps[at]
		if e.To < 0 {
			return nil, false
		}
		way = append(way, x.step(name, e, x.Choose(Installed{name, in.Version}).Bundle == x.name(e.To)))
		name = x.name(e.To)
	}
	return way, true
}

// pinnedTo returns, of each candidate, the first edge of a shortest way to a bundle along upgrades that somebody can ask for.
func (x *Extension) pinnedTo(end int, own candidates) []Edge {
	from := func(i int) installedAs {
		if i == len(x.bundles) {
			return *own.other
		}
		return installedAs{x.name(i), x.versions[i], i}
	}
	return waysTo(x.newClaims(own), []int{end}, rules{
		offers: func(to int) bool {
			return to < len(x.bundles) && x.versions[to] != nil && RefusalOf(x.bundles[to]) == nil
		},
		follows: func(e Edge) bool {
			return (e.From == len(x.bundles) || x.versions[e.From] != nil) && !x.shadowed(from(e.From), e.To)
		},
	}).step
}

// shadowed reports whether OLM v1 chooses another bundle of the same version where that of a bundle is asked for.
func (x *Extension) shadowed(in installedAs, to int) bool {
	for _, i := range x.equal().version[to] {
		if i == to {
			return false
		}
		if _, ok := x.candidate(in, i); ok {
			return true
		}
	}
	return false
}

// Rivals returns the bundles of the version of one: those that OLM v1 prefers where that version is asked for, best first; and those of
// the same release, itself included.
func (x *Extension) Rivals(name string) (preferred, equal []string) {
	i, ok := x.index[name]
	if !ok || x.versions[i] == nil {
		return nil, nil
	}
	for _, j := range x.equal().version[i] {
		if j == i {
			break
		}
		preferred = append(preferred, x.name(j))
	}
	for _, j := range x.equal().release[i] {
		equal = append(equal, x.name(j))
	}
	return preferred, equal
}

// reaching returns the names of the bundles from which there is a way to one, newest first.
func (x *Extension) reaching(to string) []string {
	end, ok := x.index[to]
	if !ok {
		return nil
	}
	steps := x.pinnedTo(end, x.own())
	var names []string
	for _, i := range x.byVersion() {
		if i != end && steps[i].To >= 0 {
			names = append(names, x.name(i))
		}
	}
	return names
}

// byVersion returns the bundles, newest first, whether they are deprecated or not.
func (x *Extension) byVersion() []int {
	sorted := slices.Clone(x.best)
	slices.SortStableFunc(sorted, func(a, b int) int {
		switch v, w := x.versions[a], x.versions[b]; {
		case v != nil && w != nil:
			return w.compare(v)
		default:
			return truth(v == nil) - truth(w == nil)
		}
	})
	return sorted
}
