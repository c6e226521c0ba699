package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph/resolve"
)

// dependency is a requirement that bundles of a package have, and who can meet it: bundles of one other package, of their own, or
// nothing at all.
type dependency struct {
	need   *resolve.Dependency
	from   string
	to     string // if anything in the catalog meets it
	askers []resolve.IndexedBundle
	met    []resolve.IndexedBundle
	choice bool // other packages can meet it, too
}

// dependenciesOf returns what the packages of a catalog require of each other, in the order of the catalog. What nothing is known to
// meet because it is too costly to find out is left out.
func dependenciesOf(m *resolve.DependencyIndex) []dependency {
	var all []dependency
	for _, n := range m.Dependencies {
		met := n.Providers()
		for _, askers := range byPackage(n.Dependents) {
			all = append(all, dependenciesOfPackage(n, askers, met)...)
		}
	}
	return all
}

func dependenciesOfPackage(n *resolve.Dependency, askers, met []resolve.IndexedBundle) []dependency {
	b := dependency{need: n, from: askers[0].Package(), askers: askers}
	var all []dependency
	for _, providers := range byPackage(met) {
		b.to, b.met = providers[0].Package(), providers
		all = append(all, b)
	}
	itself := slices.IndexFunc(all, func(other dependency) bool { return other.to == b.from })
	switch {
	case len(all) == 0 && n.Costly: // who knows
	case len(all) == 0:
		all = []dependency{b}
	case itself >= 0 && !slices.ContainsFunc(askers, func(o resolve.IndexedBundle) bool { return !n.MetBy(o) }):
		all = all[itself : itself+1] // OLM looks at what is there already before it looks for others
	}
	for i := range all {
		all[i].choice = len(all) > 1
	}
	return all
}

// byPackage puts bundles together that are of one package, in their order.
func byPackage(offers []resolve.IndexedBundle) [][]resolve.IndexedBundle {
	var all [][]resolve.IndexedBundle
	for _, o := range offers {
		i := slices.IndexFunc(all, func(of []resolve.IndexedBundle) bool { return of[0].Package() == o.Package() })
		if i < 0 {
			i, all = len(all), append(all, nil)
		}
		all[i] = append(all[i], o)
	}
	return all
}

// older reports whether none of the bundles with the requirement is a head.
func (b *dependency) older() bool {
	return !slices.ContainsFunc(b.askers, func(o resolve.IndexedBundle) bool { return len(o.Heads()) > 0 })
}

func (b *dependency) pair() [2]string { return [2]string{b.from, b.to} }

// nobody reports whether nothing in the catalog meets the requirement.
func (b *dependency) nobody() bool { return len(b.met) == 0 }

// fact says who requires what, and which bundles meet it.
func (b *dependency) fact() string {
	said := fmt.Sprintf("%s %s %s, which ", offerWords(b.askers), plural(len(b.askers), "requires", "require"), b.need)
	if b.nobody() {
		return said + "nothing in the catalog meets"
	}
	return said + fmt.Sprintf("%s %s", offerWords(b.met), plural(len(b.met), "meets", "meet"))
}

// offerWords names bundles of one package: heads first, then the newest.
func offerWords(offers []resolve.IndexedBundle) string {
	sorted := slices.Clone(offers)
	slices.SortStableFunc(sorted, func(a, b resolve.IndexedBundle) int {
		if c := cmp.Compare(min(len(b.Heads()), 1), min(len(a.Heads()), 1)); c != 0 || a.Version() == nil || b.Version() == nil {
			return c
		}
		return b.Version().Compare(*a.Version())
	})
	var names []string
	for _, o := range sorted {
		name := o.Name()
		if heads := o.Heads(); len(heads) > 0 {
			name += " (head of " + andNames(heads) + ")"
		}
		names = append(names, name)
	}
	return andNames(names)
}

// DependencyDiagram draws what the packages of a catalog require of each other: all of them, or those that are named with what they need and
// what needs them, over others too. It has no nodes if there is nothing to draw.
func DependencyDiagram(m *resolve.DependencyIndex, catalog string, packages []string) *Diagram {
	s := newBuilder()
	s.Title = webTitle(catalog, packages)
	dependencies := slices.DeleteFunc(dependenciesOf(m), func(b dependency) bool { return b.from == b.to && !b.nobody() })
	required, requiring := m.Closure(packages)
	all := len(packages) == 0
	near := func(name string) bool { return all || required[name] || requiring[name] }
	s.Notes = unknownNeeds(m, near)
	firm := map[[2]string]bool{} // pairs between which a head requires something
	for i := range dependencies {
		b := &dependencies[i]
		firm[b.pair()] = firm[b.pair()] || !b.older()
	}
	for i := range dependencies {
		if b := &dependencies[i]; all || b.nobody() && required[b.from] || !b.nobody() && near(b.from) && near(b.to) {
			s.dependency(b, firm[b.pair()])
		}
	}
	for _, name := range packages {
		if n := s.nodes["package "+name]; n != nil {
			n.Marks |= Sought
		}
	}
	return s.Diagram
}

func webTitle(catalog string, packages []string) string {
	title := "who requires whom"
	switch len(packages) {
	case 0:
	case 1:
		title = "who requires " + packages[0] + ", and whom it requires"
	default:
		title = "who requires " + andNames(packages) + ", and whom they require"
	}
	if catalog != "" {
		title += ", in catalog " + catalog
	}
	return title
}

// unknownNeeds says what the picture cannot show of some packages.
func unknownNeeds(m *resolve.DependencyIndex, of func(pkg string) bool) []string {
	var notes []string
	costly, unread := 0, 0
	for _, n := range m.Dependencies {
		if n.Costly && slices.ContainsFunc(n.Dependents, func(o resolve.IndexedBundle) bool { return of(o.Package()) }) {
			costly++
		}
	}
	for o := range m.Bundles {
		if of(o.Package()) {
			unread += len(o.Faults())
		}
	}
	if costly > 0 {
		notes = append(notes, "not all that could meet "+count(costly, "requirement")+" may be drawn: it takes too long to find out")
	}
	if unread > 0 {
		notes = append(notes, countOf(unread, "requirement", "requirements")+" that OLM cannot read: olmgraph lint says which")
	}
	return notes
}

// dependency adds a dependency to the edge of its packages; firm says that heads require something there as well, so that it is to be said
// what only older ones do.
func (s *builder) dependency(b *dependency, firm bool) {
	from := s.ofPackage(b.from)
	line := requirementLine(b.need.Requirement)
	var marks Mark
	if b.older() {
		marks |= Older
		if firm {
			line = "older versions: " + line
		}
	}
	if b.choice {
		marks |= Choice
	}
	fact := b.fact()
	from.Facts = appendNew(from.Facts, fact)
	if b.nobody() {
		s.tie(from, s.missing("nobody in this catalog", b.need.String()), marks, "", fact)
		return
	}
	to := s.ofPackage(b.to)
	to.Facts = appendNew(to.Facts, fact)
	s.tie(from, to, marks, line, fact)
}

func (s *builder) ofPackage(name string) *Node {
	n := s.node("package "+name, name)
	if n.Package == "" {
		n.Package, n.Facts = name, []string{"package " + name}
	}
	return n
}
