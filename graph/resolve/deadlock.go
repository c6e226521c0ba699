package resolve

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/blang/semver/v4"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/olmgraph/olmgraph/graph/resolve/sat"
)

// maxCombinations bounds how many combinations of installed versions are tried for packages that depend on each other, the newest
// first.
const maxCombinations = 1000

// Deadlock is operators of several packages that OLM never upgrades if they are installed together.
type Deadlock struct {
	// Waiting are the subscriptions that are not upgraded because of each other: the first of Rejected says why.
	Waiting []Choice
	// More counts the other combinations of versions of these packages that are blocked.
	More int
	// TooHard are the packages for which the limit of olmgraph was reached. Then Waiting is what was found until then, and may
	// be empty.
	TooHard []IndexedBundle
}

// Deadlocks looks for versions of packages that depend on each other which OLM v0 never upgrades if they are installed together
// from the default channels: it asks the resolver. The error is the context's.
func (m *DependencyIndex) Deadlocks(ctx context.Context) ([]Deadlock, error) {
	var all []Deadlock
	e := newBudgets(maxSteps)
	for _, ring := range m.mutualDependencies() {
		t := m.newTrial(ring)
		t.effort = e
		hard, err := t.run(ctx)
		if err != nil {
			return nil, err
		}
		if hard {
			t.found.TooHard = m.newest(t)
		}
		if len(t.found.Waiting)+len(t.found.TooHard) > 0 {
			all = append(all, t.found)
		}
	}
	return all, nil
}

// newest returns the first combination of a trial.
func (m *DependencyIndex) newest(t *trial) []IndexedBundle {
	var all []IndexedBundle
	for _, in := range t.members {
		if at, err := strconv.Atoi(in.source.Name); err == nil {
			all = append(all, IndexedBundle{at, in.entries[0].bundle})
		}
	}
	return all
}

// BundleOf returns the bundle in the index of an operator of a Deadlock.
func (m *DependencyIndex) BundleOf(o Operator) (IndexedBundle, bool) {
	at, err := strconv.Atoi(o.Source.Name)
	if err != nil {
		return IndexedBundle{}, false
	}
	return m.Bundle(at, o.Package, o.Name)
}

// packageKey is a package of one of the catalogs of an index.
type packageKey struct {
	at   int
	name string
}

// mutualDependencies returns the groups of packages that depend on each other for upgrades, in the order of the catalogs. One depends on
// another if only some versions of that meet its requirements, or if only older versions of its own meet those of the other.
func (m *DependencyIndex) mutualDependencies() [][]packageKey {
	bundles := map[packageKey][]IndexedBundle{}
	var packages []packageKey
	ids := map[packageKey]int64{}
	for o := range m.Bundles {
		k := packageKey{o.Catalog(), o.Package()}
		if bundles[k] == nil {
			ids[k] = int64(len(packages))
			packages = append(packages, k)
		}
		bundles[k] = append(bundles[k], o)
	}
	waits := simple.NewDirectedGraph()
	wait := func(a, b packageKey) { waits.SetEdge(waits.NewEdge(simple.Node(ids[a]), simple.Node(ids[b]))) }
	for _, n := range m.Dependencies {
		providers := packagesOf(n.Met)
		for _, asker := range packagesOf(n.Dependents) {
			for _, provider := range providers {
				if asker == provider {
					continue
				}
				some, falls := versionDependence(n, bundles[provider])
				if some {
					wait(asker, provider)
				}
				if falls {
					wait(provider, asker)
				}
			}
		}
	}
	var rings [][]packageKey
	for _, part := range topo.TarjanSCC(waits) {
		if len(part) < 2 {
			continue
		}
		var ring []packageKey
		for _, node := range part {
			ring = append(ring, packages[node.ID()])
		}
		slices.SortFunc(ring, func(a, b packageKey) int { return cmp.Compare(ids[a], ids[b]) })
		rings = append(rings, ring)
	}
	slices.SortFunc(rings, func(a, b []packageKey) int { return cmp.Compare(ids[a[0]], ids[b[0]]) })
	return rings
}

func packagesOf(offers []IndexedBundle) []packageKey {
	var all []packageKey
	for _, o := range offers {
		if k := (packageKey{o.Catalog(), o.Package()}); !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}

// versionDependence reports whether some but not all bundles meet a requirement, and whether one that does not is newer than one that does.
func versionDependence(n *Dependency, bundles []IndexedBundle) (some, falls bool) {
	var met, unmet []semver.Version
	for _, o := range bundles {
		switch v := o.Version(); {
		case v == nil:
		case n.MetBy(o):
			met = append(met, *v)
		default:
			unmet = append(unmet, *v)
		}
	}
	if len(met) == 0 || len(unmet) == 0 {
		return false, false
	}
	compare := func(a, b semver.Version) int { return a.Compare(b) }
	return true, slices.MinFunc(met, compare).LT(slices.MaxFunc(unmet, compare))
}

// trial tries combinations of what may be installed of some packages.
type trial struct {
	effort  *budgets
	sources []Source
	members []member
	found   Deadlock
}

// member is a package of a trial, with its default channel.
type member struct {
	source  SourceKey
	channel *channel
	entries []*entry // those that may be installed, newest first
}

func (m *DependencyIndex) newTrial(ring []packageKey) *trial {
	t := &trial{}
	for at, c := range m.catalogs {
		t.sources = append(t.sources, Source{SourceKey: SourceKey{Name: strconv.Itoa(at)}, Priority: -at, Catalog: c})
	}
	for _, k := range ring {
		in := member{source: t.sources[k.at].SourceKey, channel: m.catalogs[k.at].packages[k.name].channels[0]}
		if _, err := in.channel.graph.Order(); err == nil && in.channel.isDefault {
			for _, i := range in.channel.graph.ByVersion() {
				in.entries = append(in.entries, in.channel.entries[i])
			}
		}
		t.members = append(t.members, in)
	}
	return t
}

// run tries all combinations, the last member varying fastest. It reports whether the limit was reached for one, and ends there.
func (t *trial) run(ctx context.Context) (bool, error) {
	at := make([]int, len(t.members))
	if slices.ContainsFunc(t.members, func(in member) bool { return len(in.entries) == 0 }) {
		return false, nil
	}
	for range maxCombinations {
		waiting, err := t.try(ctx, at)
		switch {
		case errors.Is(err, sat.ErrLimit):
			return true, nil
		case err != nil:
			return false, err
		case len(waiting) < 2:
		case t.found.Waiting == nil:
			t.found.Waiting = waiting
		default:
			t.found.More++
		}
		i := len(at) - 1
		for ; i >= 0 && at[i] == len(t.members[i].entries)-1; i-- {
			at[i] = 0
		}
		if i < 0 {
			return false, nil
		}
		at[i]++
	}
	return false, nil
}

// try resolves one combination and returns the subscriptions in it that wait for each other. The error is sat.ErrLimit if the
// limit is reached, or the context's.
func (t *trial) try(ctx context.Context, at []int) ([]Choice, error) {
	n := Namespace{Sources: t.sources}
	for i, of := range t.members {
		in, pkg := of.entries[at[i]].bundle.asInstalled(), of.channel.pkg.name
		n.Installed = append(n.Installed, in)
		n.Subscriptions = append(n.Subscriptions, Subscription{Name: pkg, Package: pkg, Channel: of.channel.name, Source: of.source, InstalledCSV: in.Name})
	}
	r, err := t.effort.resolve(ctx, n)
	switch {
	case err != nil:
		return nil, err
	case slices.ContainsFunc(r.Faults, func(f Fault) bool { return f.Kind == TooHard }) || t.effort.explain.Empty():
		return nil, sat.ErrLimit
	case !r.Resolvable() || slices.ContainsFunc(append(r.Others, r.Installs), upgrades):
		return nil, nil
	case r.MoreOthers:
		if can, err := t.effort.canUpgrade(ctx, n); err != nil || can {
			return nil, err
		}
	}
	return waitingForEachOther(r.Choices), nil
}

// canUpgrade reports whether any solution upgrades a subscription, in whatever order OLM decides.
func (e *budgets) canUpgrade(ctx context.Context, n Namespace) (bool, error) {
	space, err := newSpace(ctx, &n)
	if err != nil {
		return false, err
	}
	y := newSystem(space, e)
	for i := range y.wants {
		for _, o := range y.wants[i].options {
			if o.source == nil {
				continue
			}
			if ok, err := y.solver.Solve(ctx, o.lit); err != nil || ok {
				return ok, err
			}
		}
	}
	return false, nil
}

// upgrades reports whether any subscription is upgraded.
func upgrades(all []Install) bool {
	return slices.ContainsFunc(all, func(i Install) bool { return len(i.Subscriptions) > 0 })
}

// waitingForEachOther returns the subscriptions that are not upgraded because of each other.
func waitingForEachOther(choices []Choice) []Choice {
	waiting := slices.DeleteFunc(slices.Clone(choices), func(c Choice) bool {
		return c.Subscription == "" || !c.Chosen.IsInstalled() || len(c.Rejected) == 0
	})
	for before := 0; before != len(waiting); {
		before = len(waiting)
		still := slices.Clone(waiting)
		waiting = slices.DeleteFunc(waiting, func(c Choice) bool {
			because := c.Rejected[0].Because
			return !slices.ContainsFunc(still, func(o Choice) bool {
				return o.Subscription != c.Subscription && slices.ContainsFunc(because, func(r Reason) bool { return r.mentions(o.Subscription) })
			})
		})
	}
	return waiting
}

func (r *Reason) mentions(pkg string) bool {
	return r.Subject.Package == pkg || slices.ContainsFunc(r.Operators, func(o Operator) bool { return o.Package == pkg })
}
