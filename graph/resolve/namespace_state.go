package resolve

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// NamespaceState is a namespace as read from text. Its Sources have no catalogs yet, and installed operators may have no facts.
type NamespaceState struct {
	Namespace
	Refs map[SourceKey]string // where the catalogs of sources are, as far as that is written there too
	// Unseen are the CatalogSources that OLM does not use for the namespace.
	Unseen []SourceKey
	// NameOnly are the installed operators of which the text has only the name: the rest comes from a catalog.
	NameOnly []string
	// OpenShift is the version of the cluster that a description names; "" if it names none.
	OpenShift string
}

// NamespaceError is an error of the choice of the namespace, not of the text.
type NamespaceError struct{ error }

// ReadState reads the output of kubectl for a namespace, or a short description. in is the name of the namespace; it may be
// empty if only one has subscriptions. global is the namespace of global CatalogSources; it may be empty, too. An error says
// what is wrong with the text, a NamespaceError what is wrong with in.
func ReadState(text []byte, in, global string) (*NamespaceState, error) {
	var s Snapshot
	if err := s.Read("", bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return s.State(in, global)
}

// AddFacts gives installed operators of which only the name is known the facts that the catalogs have, and returns those that no
// catalog has.
func (s *NamespaceState) AddFacts() (unknown []InstalledOperator) {
	for i := range s.Installed {
		in := &s.Installed[i]
		if !slices.Contains(s.NameOnly, in.Name) {
			continue
		}
		known, ok := s.find(in.Name)
		if !ok {
			unknown = append(unknown, *in)
			continue
		}
		*in = known
	}
	return unknown
}

// find looks for a bundle in the source of its subscription first, then in all.
func (s *NamespaceState) find(name string) (InstalledOperator, bool) {
	for i := range s.Subscriptions {
		sub := &s.Subscriptions[i]
		if sub.InstalledCSV != name {
			continue
		}
		at := slices.IndexFunc(s.Sources, func(source Source) bool { return source.SourceKey == sub.Source })
		if at >= 0 && s.Sources[at].Catalog != nil {
			if in, ok := s.Sources[at].Catalog.InstalledOperator(sub.Package, name); ok {
				return in, true
			}
		}
	}
	for i := range s.Sources {
		if c := s.Sources[i].Catalog; c != nil {
			if at := slices.IndexFunc(c.bundles, func(b *bundle) bool { return b.name == name }); at >= 0 {
				return c.bundles[at].asInstalled(), true
			}
		}
	}
	return InstalledOperator{}, false
}

// chooseNamespace returns the namespace to resolve: the one that is named, else the only one with subscriptions.
func chooseNamespace(names []string, in string) (string, error) {
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case in != "" && slices.Contains(names, in):
		return in, nil
	case len(names) == 0:
		return "", errors.New("there is no Subscription in it: want what kubectl get subscriptions.operators.coreos.com,clusterserviceversions,operatorgroups,catalogsources -o yaml prints")
	case in != "":
		return "", NamespaceError{fmt.Errorf("namespace %q has no Subscription in it; there are some in %s", in, quoted(names))}
	case len(names) > 1:
		return "", NamespaceError{fmt.Errorf("several namespaces have Subscriptions: say with -n which one is meant: %s", quoted(names))}
	}
	return names[0], nil
}

func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, strconv.Quote(name))
	}
	return strings.Join(all, ", ")
}
