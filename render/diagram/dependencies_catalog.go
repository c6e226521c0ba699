package diagram

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// dependencyFact says which bundles require what, and which bundles provide it.
func dependencyFact(d *resolve.PackageDependency) string {
	said := fmt.Sprintf("%s %s %s, which ", bundleNames(d.Dependents), phrase.Plural(len(d.Dependents), "requires", "require"), d)
	if d.Missing() {
		return said + "no bundle of the catalog meets"
	}
	return said + fmt.Sprintf("%s %s", bundleNames(d.Providers), phrase.Plural(len(d.Providers), "meets", "meet"))
}

// bundleNames lists bundles of one package: heads first, then the newest.
func bundleNames(bundles []resolve.IndexedBundle) string {
	sorted := slices.Clone(bundles)
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
			name += " (head of " + phrase.And(heads) + ")"
		}
		names = append(names, name)
	}
	return phrase.And(names)
}

// Dependencies returns the diagram of the dependencies between the packages of a catalog: of all packages, or of some with
// their direct and indirect dependencies and dependents. It has no nodes if there are no dependencies.
func Dependencies(m *resolve.DependencyIndex, catalog string, packages []string) *Diagram {
	s := newBuilder(dependencyKind(), "n")
	s.Title = dependencyTitle(catalog, packages)
	dependencies := slices.DeleteFunc(m.PackageDependencies(), func(d resolve.PackageDependency) bool { return d.From == d.To && !d.Missing() })
	required, requiring := m.Closure(packages)
	all := len(packages) == 0
	near := func(name string) bool { return all || required[name] || requiring[name] }
	s.Notes = incompleteNotes(m, near)
	ofHead := map[[2]string]bool{} // pairs of packages between which a head requires something
	for i := range dependencies {
		d := &dependencies[i]
		pair := [2]string{d.From, d.To}
		ofHead[pair] = ofHead[pair] || !d.OnlyOlder()
	}
	for i := range dependencies {
		d := &dependencies[i]
		if all || d.Missing() && required[d.From] || !d.Missing() && near(d.From) && near(d.To) {
			s.dependency(d, ofHead[[2]string{d.From, d.To}])
		}
	}
	for _, name := range packages {
		if n := s.nodes["package "+name]; n != nil {
			n.Marks |= Selected
		}
	}
	return s.Diagram
}

func dependencyTitle(catalog string, packages []string) string {
	title := "dependencies between packages"
	switch len(packages) {
	case 0:
	case 1:
		title = "dependencies of " + packages[0]
	default:
		title = "dependencies of " + phrase.And(packages)
	}
	if catalog != "" {
		title += ", in catalog " + catalog
	}
	return title
}

// incompleteNotes says which dependencies of some packages the diagram may lack.
func incompleteNotes(m *resolve.DependencyIndex, of func(pkg string) bool) []string {
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
		notes = append(notes, "not all providers of "+phrase.Count(costly, "requirement")+" may be drawn: finding them takes too long")
	}
	if unread > 0 {
		notes = append(notes, phrase.CountOf(unread, "requirement", "requirements")+" that OLM cannot read: olmgraph lint says which")
	}
	return notes
}

// dependency adds a dependency to the edge between its packages. ofHead says that a head also has one between them: then the
// label marks those of older versions only.
func (s *builder) dependency(d *resolve.PackageDependency, ofHead bool) {
	from := s.ofPackage(d.From)
	line := requirementLine(d.Requirement)
	var marks Mark
	if d.OnlyOlder() {
		marks |= OnlyOlder
		if ofHead {
			line = "older versions: " + line
		}
	}
	if d.Choice {
		marks |= OneOfSeveral
	}
	fact := dependencyFact(d)
	from.Facts = appendNew(from.Facts, fact)
	if d.Missing() {
		s.addEdge(from, s.missing(d.String()), marks, "", fact)
		return
	}
	to := s.ofPackage(d.To)
	to.Facts = appendNew(to.Facts, fact)
	s.addEdge(from, to, marks, line, fact)
}

func (s *builder) ofPackage(name string) *Node {
	n := s.node("package "+name, name)
	if n.Package == "" {
		n.Package, n.Facts = name, []string{"package " + name}
	}
	return n
}
