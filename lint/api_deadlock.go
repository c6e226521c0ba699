package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// maxStates bounds how many combinations of installed versions are tried for packages that may wait for each other, the
// newest first.
const maxStates = 1000

// checkDeadlock looks among packages that may have to wait for each other for versions of them that, installed together, OLM
// v0 never upgrades: by asking its resolver.
func checkDeadlock(p *Pass) {
	m := p.market()
	for _, ring := range m.rings() {
		if m.of[ring[0].at] != p.Catalog {
			continue // told where that is judged
		}
		t := &trial{market: m, ring: ring, names: make([][]string, len(ring))}
		for i, k := range ring {
			t.names[i] = t.installable(k)
		}
		if t.run(p); t.first != nil {
			p.Report(t.finding())
		}
	}
}

// packageIn is a package of one of a market's catalogs.
type packageIn struct {
	at   int
	name string
}

// rings returns the packages that may have to wait for each other, in the order of the catalogs. One waits for another where
// only some versions of that meet what it requires, or where only its own older versions meet what the other one requires.
func (m *market) rings() [][]packageIn {
	bundles := map[packageIn][]resolve.Offer{}
	var packages []packageIn
	ids := map[packageIn]int64{}
	for o := range m.Offers {
		k := packageIn{o.Catalog(), o.Package()}
		if bundles[k] == nil {
			ids[k] = int64(len(packages))
			packages = append(packages, k)
		}
		bundles[k] = append(bundles[k], o)
	}
	waits := simple.NewDirectedGraph()
	wait := func(a, b packageIn) { waits.SetEdge(waits.NewEdge(simple.Node(ids[a]), simple.Node(ids[b]))) }
	for _, n := range m.Needs {
		providers := packagesOf(n.Met)
		for _, asker := range packagesOf(n.Askers) {
			for _, provider := range providers {
				if asker == provider {
					continue
				}
				some, falls := turns(n, bundles[provider])
				if some {
					wait(asker, provider)
				}
				if falls {
					wait(provider, asker)
				}
			}
		}
	}
	var rings [][]packageIn
	for _, part := range topo.TarjanSCC(waits) {
		if len(part) < 2 {
			continue
		}
		var ring []packageIn
		for _, node := range part {
			ring = append(ring, packages[node.ID()])
		}
		slices.SortFunc(ring, func(a, b packageIn) int { return cmp.Compare(ids[a], ids[b]) })
		rings = append(rings, ring)
	}
	slices.SortFunc(rings, func(a, b []packageIn) int { return cmp.Compare(ids[a[0]], ids[b[0]]) })
	return rings
}

func packagesOf(offers []resolve.Offer) []packageIn {
	var all []packageIn
	for _, o := range offers {
		if k := (packageIn{o.Catalog(), o.Package()}); !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}

// turns reports whether some but not all bundles meet a need, and whether one does not that is newer than one that does.
func turns(n *resolve.Need, bundles []resolve.Offer) (some, falls bool) {
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
	*market
	ring  []packageIn
	names [][]string // of each package, newest first
	first *stuckState
	more  int // other combinations that are stuck
}

// stuckState is a combination of installed versions that OLM never upgrades.
type stuckState struct {
	waiting []resolve.Choice // for each other
}

// installable returns the entries of a package's default channel that may be installed, newest first.
func (t *trial) installable(k packageIn) []string {
	pkg := t.of[k.at].Package(k.name)
	c := pkg.Channel(pkg.DefaultChannel.Value)
	if c == nil {
		return nil
	}
	g := graph.Of(pkg, c)
	if _, err := g.Order(); err != nil {
		return nil // OLM resolves nothing there: graph/* says why
	}
	var names []string
	for _, i := range g.ByVersion() {
		names = append(names, g.Name(i))
	}
	return names
}

// run goes through the combinations as an odometer does.
func (t *trial) run(p *Pass) {
	at := make([]int, len(t.ring))
	for _, names := range t.names {
		if len(names) == 0 {
			return
		}
	}
	for range maxStates {
		state := t.try(p, at)
		switch {
		case state == nil:
		case t.first == nil:
			t.first = state
		default:
			t.more++
		}
		i := len(at) - 1
		for ; i >= 0 && at[i] == len(t.names[i])-1; i-- {
			at[i] = 0
		}
		if i < 0 {
			return
		}
		at[i]++
	}
}

// try asks OLM's resolver what it does with one combination. It is nil unless some of the packages wait for each other.
func (t *trial) try(p *Pass, at []int) *stuckState {
	n := resolve.Namespace{Sources: t.sources}
	for i, k := range t.ring {
		in, ok := t.sources[k.at].Catalog.Installed(k.name, t.names[i][at[i]])
		if !ok {
			return nil
		}
		pkg := t.of[k.at].Package(k.name)
		n.Installed = append(n.Installed, in)
		n.Subscriptions = append(n.Subscriptions, resolve.Subscription{Name: k.name, Package: k.name,
			Channel: pkg.DefaultChannel.Value, Source: t.sources[k.at].Key, Installed: in.Name})
	}
	r, err := resolve.Resolve(p.markets.ctx, n)
	if err != nil || !r.Resolvable() || slices.ContainsFunc(r.Installs, func(i resolve.Install) bool { return len(i.Subscriptions) > 0 }) {
		return nil
	}
	if waiting := eachOther(r.Choices); len(waiting) > 1 {
		return &stuckState{waiting: waiting}
	}
	return nil
}

// eachOther returns the subscriptions that stay as they are because of one another.
func eachOther(choices []resolve.Choice) []resolve.Choice {
	waiting := slices.DeleteFunc(slices.Clone(choices), func(c resolve.Choice) bool {
		return c.Subscription == "" || !c.Chosen.Installed() || len(c.Rejected) == 0
	})
	for before := 0; before != len(waiting); {
		before = len(waiting)
		still := slices.Clone(waiting)
		waiting = slices.DeleteFunc(waiting, func(c resolve.Choice) bool {
			return !slices.ContainsFunc(still, func(o resolve.Choice) bool {
				return o.Subscription != c.Subscription && slices.ContainsFunc(c.Rejected[0].Because, func(r resolve.Reason) bool { return speaksOf(r, o.Subscription) })
			})
		})
	}
	return waiting
}

func speaksOf(r resolve.Reason, pkg string) bool {
	return r.Subject.Package == pkg || slices.ContainsFunc(r.Operators, func(o resolve.Operator) bool { return o.Package == pkg })
}

func (t *trial) finding() Finding {
	var names, whys []string
	f := Finding{Cure: "publish a version of one of them that can live with the others as they are, or skip what is in between"}
	for i, c := range t.first.waiting {
		names = append(names, fmt.Sprintf("%q", c.Chosen.Name))
		next := c.Rejected[0]
		pos, why := t.why(&next)
		whys = append(whys, why)
		if i == 0 {
			f.Subject, f.Pos = Subject{Package: c.Subscription, Bundle: next.Name}, pos
		} else {
			f.Related = append(f.Related, Related{Pos: pos, Message: "the other one"})
		}
	}
	last := len(names) - 1
	f.Message = fmt.Sprintf("where %s and %s are installed, OLM v0 never upgrades any of them: %s%s",
		strings.Join(names[:last], ", "), names[last], strings.Join(whys, "; "), andMore(t.more, "combination of versions"))
	return f
}

// why says what keeps OLM from an upgrade, and where that stands.
func (t *trial) why(next *resolve.Rejection) (catalogs.Pos, string) {
	for _, r := range next.Because {
		if r.Kind == resolve.Requires && r.Subject.Name == next.Name {
			return r.Requirement.Pos, fmt.Sprintf("%q requires %s", next.Name, r.Requirement)
		}
	}
	for _, r := range next.Because {
		if r.Kind == resolve.Requires && r.Subject.Installed() {
			return t.posOf(next), fmt.Sprintf("%q does not meet %s, which %q requires", next.Name, r.Requirement, r.Subject.Name)
		}
	}
	return t.posOf(next), fmt.Sprintf("%q cannot be together with the others", next.Name)
}

func (t *trial) posOf(next *resolve.Rejection) catalogs.Pos {
	for i, s := range t.sources {
		if o, ok := t.Bundle(i, next.Package, next.Name); ok && s.Key == next.Source {
			return t.pos(o)
		}
	}
	return catalogs.Pos{}
}
