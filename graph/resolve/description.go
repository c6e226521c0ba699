package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// What a description need not say: the names that OLM's own installation uses.
const (
	defaultNamespace = "operators"
	defaultCatalog   = "catalog"
)

// readDescription reads a description.
func readDescription(d *snapshot.Description, in, global string) (*NamespaceState, error) {
	s := newState()
	s.Name, s.OpenShift = cmp.Or(d.Namespace, in, defaultNamespace), d.OpenShift
	s.Global = cmp.Or(global, globalNamespace(d))
	if in != "" && in != s.Name {
		return nil, NamespaceError{fmt.Errorf("it describes namespace %q, not %q", s.Name, in)}
	}
	for _, c := range d.Catalogs {
		key := SourceKey{cmp.Or(c.Name, defaultCatalog), cmp.Or(c.Namespace, s.Global)}
		if s.has[key] {
			return nil, fmt.Errorf("two catalogs have the name %q in namespace %q: give them a name each", key.Name, key.Namespace)
		}
		s.addSource(Source{SourceKey: key, Priority: c.Priority})
		if c.Ref != "" {
			s.Refs[key] = c.Ref
		}
	}
	for i := range d.Subscriptions {
		if err := s.describe(&d.Subscriptions[i], len(d.Catalogs)); err != nil {
			return nil, err
		}
	}
	for _, name := range d.Installed {
		s.install(name)
	}
	if len(s.Sources) == 0 {
		s.addSource(Source{SourceKey: SourceKey{defaultCatalog, s.Global}})
	}
	return s, nil
}

// globalNamespace returns the namespace of global catalogs: OLM's, or OpenShift's where a catalog is in that one.
func globalNamespace(d *snapshot.Description) string {
	if slices.ContainsFunc(d.Catalogs, func(c snapshot.DescribedCatalog) bool { return c.Namespace == snapshot.OpenShiftCatalogs }) {
		return snapshot.OpenShiftCatalogs
	}
	return snapshot.GlobalNamespace
}

// describe adds a described subscription.
func (s *NamespaceState) describe(d *snapshot.DescribedSubscription, catalogs int) error {
	sub := Subscription{Name: cmp.Or(d.Name, d.Package), Package: d.Package, Channel: d.Channel, StartingCSV: d.StartingCSV, InstalledCSV: d.Installed, Manual: d.Approval == "Manual"}
	switch {
	case d.Package == "":
		return errors.New("a subscription has no package")
	case d.Approval != "" && d.Approval != "Automatic" && d.Approval != "Manual":
		return fmt.Errorf("subscription %q: approval is %q: want Automatic or Manual", sub.Name, d.Approval)
	case slices.ContainsFunc(s.Subscriptions, func(other Subscription) bool { return other.Name == sub.Name }):
		return fmt.Errorf("two subscriptions have the name %q: give them a name each", sub.Name)
	case d.Catalog == "" && catalogs > 1:
		return fmt.Errorf("subscription %q: set catalog, there are several", sub.Name)
	case d.Catalog == "" && catalogs == 1:
		sub.Source = s.Sources[0].SourceKey
	default:
		var err error
		if sub.Source, err = s.sourceNamed(cmp.Or(d.Catalog, defaultCatalog)); err != nil {
			return fmt.Errorf("subscription %q: %w", sub.Name, err)
		}
		if catalogs == 0 {
			s.addSource(Source{SourceKey: sub.Source})
		}
	}
	if sub.InstalledCSV != "" {
		s.install(sub.InstalledCSV)
		sub.InstalledCSV, _, _ = graph.SplitName(sub.InstalledCSV)
	}
	s.Subscriptions = append(s.Subscriptions, sub)
	return nil
}

// sourceNamed returns the source that a subscription names; one that is not described is assumed to be global.
func (s *NamespaceState) sourceNamed(name string) (SourceKey, error) {
	switch found := s.keysNamed(name); len(found) {
	case 0:
		return SourceKey{name, s.Global}, nil
	case 1:
		return found[0], nil
	}
	return SourceKey{}, fmt.Errorf("several namespaces have a catalog %q: say which one is meant, as NAMESPACE/NAME", name)
}

// install adds an installed operator whose properties a catalog may have: a name, or name and version (see graph.SplitName).
func (s *NamespaceState) install(text string) {
	name, version, _ := graph.SplitName(text)
	if s.NameOnly[name] {
		return
	}
	s.NameOnly[name] = true
	s.Installed = append(s.Installed, InstalledOperator{Name: name, Version: version})
}
