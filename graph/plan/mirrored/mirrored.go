// Package mirrored finds out what oc-mirror v2 has to mirror for the plan of a cluster: the bundles that the plan passes, and no others
// unless the plan would become another one.
package mirrored

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// Set is what has to be mirrored at one minor version of OpenShift.
type Set struct {
	Minor    plan.Minor
	Catalogs []Catalog
}

// Catalog is what has to be mirrored of a catalog.
type Catalog struct {
	Index    int // in the catalogs of the plan
	Source   resolve.SourceKey
	Operator imageset.Operator
	// Dependencies are the packages that no subscription asked for.
	Dependencies []string
}

// ErrOther says that the plan on what can be mirrored is another one, whatever is mirrored: for example because oc-mirror rejects a catalog.
var ErrOther = errors.New("no image set was found with which the plan stays the same")

// Of returns what has to be mirrored at each minor version that a possible plan passes and whose catalogs are known. The plan is found again, and
// taken step by step, on what oc-mirror leaves of the catalogs. An error is ErrOther, the context's, or of a source that has changed.
func Of(ctx context.Context, cluster plan.Cluster, all []plan.Catalog, r plan.Request, p *plan.Plan) ([]Set, error) {
	w := newWalk(all, p)
	for level := exact; level <= everything; level++ {
		m := &mirror{walk: w, level: level, levels: map[packageAt]amount{}}
		left, ok, err := m.filter(ctx)
		if err != nil {
			return nil, err
		}
		if ok {
			if ok, err = same(ctx, cluster, left, r, p); err != nil {
				return nil, err
			}
		}
		if ok {
			return m.sets(), nil
		}
	}
	return nil, ErrOther
}

// same reports whether a plan is still the plan with other catalogs.
func same(ctx context.Context, cluster plan.Cluster, left []plan.Catalog, r plan.Request, p *plan.Plan) (bool, error) {
	if fault, err := plan.Replay(ctx, cluster, left, p); fault != nil || err != nil {
		return false, err
	}
	if !p.Exact { // another search can find a cheaper one
		return true, nil
	}
	again, err := plan.Find(ctx, cluster, left, r)
	if err != nil {
		return false, err
	}
	return again.Possible() && again.Cost == p.Cost, nil
}

// amount is how much is mirrored of a package.
type amount int

const (
	exact      amount = iota // from the oldest to the newest version passed
	upward                   // from the oldest version passed
	channels                 // the channels passed
	everything               // all channels
)

// packageAt is a package of a catalog.
type packageAt struct {
	catalog int
	name    string
}

// passed are the bundles of a package that a plan passes, by channel.
type passed struct {
	channels   []string
	bundles    map[string][]string
	dependency bool
}

// walk is what a plan passes.
type walk struct {
	all    []plan.Catalog
	plan   *plan.Plan
	passed map[packageAt]*passed
	minors map[plan.Minor]map[int]bool // the catalogs used at each minor version
}

// operator is what is installed while a plan is walked.
type operator struct {
	namespace, pkg, subscription, channel, name string
	source                                      resolve.SourceKey
	dependency                                  bool
}

func newWalk(all []plan.Catalog, p *plan.Plan) *walk {
	w := &walk{all: all, plan: p, passed: map[packageAt]*passed{}, minors: map[plan.Minor]map[int]bool{}}
	var installed []*operator
	for i := range p.Operators {
		o := &p.Operators[i]
		installed = append(installed, &operator{o.Namespace, o.Package, o.Subscription, o.Channel, o.Name, o.Source, false})
	}
	for m := p.From; m <= p.Reached; m++ {
		for _, o := range installed {
			w.pass(m, o)
		}
		for i := range p.Steps {
			if s := &p.Steps[i]; s.Minor == m && s.Namespace != "" {
				installed = w.step(m, s, installed)
			}
		}
	}
	return w
}

// step takes a step of a plan.
func (w *walk) step(m plan.Minor, s *plan.Step, installed []*operator) []*operator {
	for _, o := range installed {
		if s.Kind == plan.UpgradeOperators || o.namespace != s.Namespace || o.subscription != s.Subscription {
			continue
		}
		if s.Kind == plan.SwitchChannel {
			o.channel = s.To
		} else {
			namespace, name, _ := strings.Cut(s.To, "/")
			o.source = resolve.SourceKey{Name: name, Namespace: namespace}
			if s.Channel != "" {
				o.channel = s.Channel
			}
		}
		w.pass(m, o)
	}
	for i := range s.Upgrades {
		u := &s.Upgrades[i]
		found := false
		for _, o := range installed {
			if o.namespace == s.Namespace && o.pkg == u.Package {
				o.name, found = u.To, true
				if o.dependency || o.source == u.Source {
					w.pass(m, o)
				}
			}
		}
		one := &operator{s.Namespace, u.Package, "", u.Channel, u.To, u.Source, true}
		w.pass(m, one)
		if !found {
			installed = append(installed, one)
		}
	}
	return installed
}

// pass records that an operator is installed at a minor version, with its channel.
func (w *walk) pass(m plan.Minor, o *operator) {
	at := slices.IndexFunc(w.all, func(k plan.Catalog) bool { return k.Source == o.source && (k.Minor == m || k.Minor == 0) })
	if at < 0 {
		return
	}
	p := w.all[at].Content.Package(o.pkg)
	if p == nil {
		return
	}
	channel := o.channel
	if channel == "" {
		channel = p.DefaultChannel.Value
	}
	if w.minors[m] == nil {
		w.minors[m] = map[int]bool{}
	}
	w.minors[m][at] = true
	key := packageAt{at, o.pkg}
	one := w.passed[key]
	if one == nil {
		one = &passed{bundles: map[string][]string{}, dependency: o.dependency}
		w.passed[key] = one
	}
	one.dependency = one.dependency && o.dependency
	if p.Channel(channel) == nil {
		return
	}
	if !slices.Contains(one.channels, channel) {
		one.channels = append(one.channels, channel)
	}
	if !slices.Contains(one.bundles[channel], o.name) {
		one.bundles[channel] = append(one.bundles[channel], o.name)
	}
}

// mirror is one try to mirror what is passed.
type mirror struct {
	*walk
	level  amount
	levels map[packageAt]amount // of packages of which more has to be mirrored
}

// filter returns what oc-mirror leaves of the catalogs; false if it leaves nothing that OLM accepts, whatever is mirrored.
func (m *mirror) filter(ctx context.Context) ([]plan.Catalog, bool, error) {
	left := slices.Clone(m.all)
	for i := range left {
		if minor := left[i].Minor; minor > m.plan.Reached {
			continue
		}
		var mirrored *catalogs.Catalog
		for mirrored == nil {
			o := m.operator(i)
			f := imageset.Filter(left[i].Content.Catalog, &o)
			bad := faults(f)
			if len(bad) == 0 {
				mirrored = f.Catalog
			}
			for _, name := range bad {
				key := packageAt{i, name}
				if m.passed[key] == nil || m.levelOf(key) == everything {
					return nil, false, nil
				}
				m.levels[key] = m.levelOf(key) + 1
			}
		}
		var err error
		if left[i].Content, err = resolve.NewCatalog(ctx, mirrored); err != nil {
			return nil, false, err
		}
	}
	return left, true, nil
}

func (m *mirror) levelOf(key packageAt) amount { return max(m.level, m.levels[key]) }

// faults returns the packages of a filtered catalog that oc-mirror or opm rejects, or in which oc-mirror chooses a bundle at random.
func faults(f *imageset.Filtered) []string {
	var bad []string
	for i := range f.Refusals {
		bad = append(bad, f.Refusals[i].Package)
	}
	for i := range f.Random {
		bad = append(bad, f.Random[i].Package)
	}
	if f.Catalog != nil {
		for _, p := range f.Catalog.Packages {
			if !valid(p) {
				bad = append(bad, p.Name.Value)
			}
		}
	}
	slices.Sort(bad)
	return slices.Compact(bad)
}

// valid reports whether opm accepts the channels of a package: none is empty, and each bundle is in one.
func valid(p *catalogs.Package) bool {
	in := map[string]bool{}
	for _, ch := range p.Channels {
		if len(ch.Entries) == 0 {
			return false
		}
		for i := range ch.Entries {
			in[ch.Entries[i].Name.Value] = true
		}
	}
	return !slices.ContainsFunc(p.Bundles, func(b *catalogs.Bundle) bool { return !in[b.Name.Value] })
}

// none is a name that no package has: without any package oc-mirror mirrors all.
const none = "-"

// operator returns what is mirrored of a catalog.
func (m *mirror) operator(i int) imageset.Operator {
	var o imageset.Operator
	for _, p := range m.all[i].Content.Packages {
		if key := (packageAt{i, p.Name.Value}); m.passed[key] != nil {
			o.Packages = append(o.Packages, m.packageOf(key, p))
		}
	}
	if o.Packages == nil {
		o.Packages = []imageset.Package{{Name: catalogs.Text{Value: none}}}
	}
	return o
}

func (m *mirror) packageOf(key packageAt, p *catalogs.Package) imageset.Package {
	one, level := m.passed[key], m.levelOf(key)
	out := imageset.Package{Name: catalogs.Text{Value: p.Name.Value}}
	names := slices.Clone(one.channels)
	if level == everything {
		names = p.ChannelNames()
	}
	slices.Sort(names)
	if d := p.DefaultChannel.Value; d != "" && !slices.Contains(names, d) {
		names = append(names, d)
	}
	for _, name := range names {
		c := imageset.Channel{Name: catalogs.Text{Value: name}}
		bundles := one.bundles[name]
		if level >= channels && (level == everything || bundles != nil) {
			bundles = entriesOf(p, name)
		}
		in := entriesOf(p, name)
		for _, bundle := range bundles {
			if b := p.Bundle(bundle); b != nil && slices.Contains(in, bundle) {
				c.Include(b)
			}
		}
		if level > exact {
			c.Max.Value = ""
		}
		out.Channels = append(out.Channels, c)
	}
	return out
}

func entriesOf(p *catalogs.Package, channel string) []string {
	if ch := p.Channel(channel); ch != nil {
		return ch.EntryNames()
	}
	return nil
}

// sets returns the image sets.
func (m *mirror) sets() []Set {
	var all []Set
	for minor := m.plan.From; minor <= m.plan.Reached; minor++ {
		s := Set{Minor: minor}
		for i := range m.all {
			if !m.minors[minor][i] {
				continue
			}
			c := Catalog{Index: i, Source: m.all[i].Source, Operator: m.operator(i)}
			for j := range c.Operator.Packages {
				if name := c.Operator.Packages[j].Name.Value; m.passed[packageAt{i, name}].dependency {
					c.Dependencies = append(c.Dependencies, name)
				}
			}
			s.Catalogs = append(s.Catalogs, c)
		}
		if s.Catalogs != nil {
			all = append(all, s)
		}
	}
	return all
}
