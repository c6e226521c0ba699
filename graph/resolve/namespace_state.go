package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/snapshot"
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

// StatesOf returns what a snapshot says of all namespaces with Subscriptions or ClusterServiceVersions, by name, or of the one that it
// describes. What is missing in the whole snapshot is assumed: one OperatorGroup that every operator supports, and that what is installed is
// what the subscriptions say. in is the name of one that is asked for, and global that of the namespace of global CatalogSources; both may be
// empty. The error says what is wrong with the snapshot, or a NamespaceError what is wrong with in.
func StatesOf(s *snapshot.Snapshot, in, global string) ([]*NamespaceState, error) {
	if s.Description != nil {
		state, err := readDescription(s.Description, in, global)
		return []*NamespaceState{state}, err
	}
	names := s.Namespaces()
	switch {
	case len(names) == 0 && len(s.ClusterExtensions) == 0:
		return nil, explainForeign(s, errors.New("there is no Subscription in it: want what kubectl get subscriptions.operators.coreos.com,clusterserviceversions,operatorgroups,catalogsources -o yaml prints"))
	case in != "" && len(names) == 0:
		return nil, NamespaceError{errors.New("the snapshot has no namespace with a Subscription or ClusterServiceVersion")}
	case in != "" && !slices.Contains(names, in):
		return nil, NamespaceError{fmt.Errorf("namespace %q has no Subscription or ClusterServiceVersion in it; there are some in %s", in, strings.Join(phrase.Quoted(names), ", "))}
	}
	var all []*NamespaceState
	for _, name := range names {
		state, err := read(s, name, global)
		if err != nil {
			return nil, err
		}
		all = append(all, state)
	}
	return all, nil
}

// explainForeign adds to the error that there is no Subscription that there are others of that name.
func explainForeign(s *snapshot.Snapshot, err error) error {
	for _, kind := range slices.Sorted(maps.Keys(s.Foreign)) {
		if group, ok := strings.CutPrefix(kind, "Subscription."); ok && len(s.Subscriptions) == 0 {
			return fmt.Errorf("%w; those of API group %q are not OLM's", err, group)
		}
	}
	return err
}

// read reads the objects of a namespace.
func read(s *snapshot.Snapshot, name, global string) (*NamespaceState, error) {
	n := &NamespaceState{Refs: map[SourceKey]string{}}
	n.Name, n.Global, n.Kubernetes = name, cmp.Or(global, s.Global()), s.Kubernetes()
	if err := n.readSubscriptions(s.Subscriptions[name]); err != nil {
		return nil, err
	}
	if err := n.readInstalled(s.ClusterServiceVersions[name]); err != nil {
		return nil, err
	}
	if !s.Missing("OperatorGroup") {
		n.readGroups(s.OperatorGroups[name])
	}
	n.readSources(s.CatalogSources)
	n.readConditions(s.OperatorConditions[name])
	n.readPlans(s.InstallPlans[name], s.Missing("InstallPlan"))
	for i := range n.Subscriptions {
		if in := n.Subscriptions[i].InstalledCSV; in != "" && s.Missing("ClusterServiceVersion") {
			n.install(in)
		}
	}
	return n, nil
}

// AddFacts gives installed operators of which only the name is known the facts that the catalogs of its Sources have, and returns those that
// no catalog has.
func (s *NamespaceState) AddFacts() (unknown []InstalledOperator) {
	for i := range s.Installed {
		in := &s.Installed[i]
		at := slices.Index(s.NameOnly, in.Name)
		if at < 0 {
			continue
		}
		known, ok := s.find(in.Name)
		if !ok {
			unknown = append(unknown, *in)
			continue
		}
		*in, s.NameOnly = known, slices.Delete(slices.Clone(s.NameOnly), at, at+1)
	}
	return unknown
}

// find looks for a bundle in the source of its subscription first, then in all.
func (s *NamespaceState) find(name string) (InstalledOperator, bool) {
	for i := range s.Subscriptions {
		if sub := &s.Subscriptions[i]; sub.InstalledCSV == name {
			at := slices.IndexFunc(s.Sources, func(source Source) bool { return source.SourceKey == sub.Source })
			if at >= 0 && s.Sources[at].Catalog != nil {
				if in, ok := s.Sources[at].Catalog.InstalledOperator(sub.Package, name); ok {
					return in, true
				}
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
