package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// NamespaceState is a namespace as read from text. Its Sources have no catalogs yet, and installed operators may have no facts.
type NamespaceState struct {
	Namespace
	Refs map[SourceKey]string // where the catalogs of sources are, as far as that is written there too
	// NameOnly are the installed operators of which the text has only the name: the rest comes from a catalog.
	NameOnly map[string]bool
	// OpenShift is the version of the cluster that a description names; "" if it names none.
	OpenShift string

	has map[SourceKey]bool // Sources
}

func newState() *NamespaceState {
	return &NamespaceState{Refs: map[SourceKey]string{}, NameOnly: map[string]bool{}, has: map[SourceKey]bool{}}
}

// NamespaceError is an error of the choice of the namespace, not of the text.
type NamespaceError struct{ error }

// maxNamespaces is the largest number of namespaces with operators: no cluster comes near, since Kubernetes is tested with 10,000 namespaces in all.
// maxSources is that of the CatalogSources that they see together, and maxOperators that of the Subscriptions, the ClusterServiceVersions, and the
// names in InstallPlans of one: all catalogs together have fewer packages.
const (
	maxNamespaces = 20_000
	maxSources    = 1_000_000
	maxOperators  = 2_000
)

// ReadStates returns what a snapshot says of all namespaces with Subscriptions or ClusterServiceVersions, by name, or of the one that it
// describes. What is missing in the whole snapshot is assumed: one OperatorGroup that every operator supports, and that what is installed is
// what the subscriptions say. in is the name of one that is asked for, and global that of the namespace of global CatalogSources; both may be
// empty. The error says what is wrong with the snapshot, or a NamespaceError what is wrong with in.
func ReadStates(s *snapshot.Snapshot, in, global string) ([]*NamespaceState, error) {
	if d := s.Description; d != nil {
		if err := tooMany(cmp.Or(d.Namespace, in, defaultNamespace), len(d.Subscriptions), len(d.Installed), 0); err != nil {
			return nil, err
		}
		state, err := readDescription(d, in, global)
		return []*NamespaceState{state}, err
	}
	names := s.Namespaces()
	switch {
	case len(names) == 0 && len(s.ClusterExtensions) == 0:
		return nil, explainForeign(s, errors.New("there is no Subscription in it: want what kubectl get subscriptions.operators.coreos.com,clusterserviceversions,operatorgroups,catalogsources -o yaml prints"))
	case len(names) > maxNamespaces:
		return nil, fmt.Errorf("%d of its namespaces have Subscriptions or ClusterServiceVersions that are not copied, but olmgraph takes at most %d", len(names), maxNamespaces)
	case in != "" && len(names) == 0:
		return nil, NamespaceError{errors.New("the snapshot has no namespace with a Subscription or ClusterServiceVersion")}
	case in != "" && !slices.Contains(names, in):
		return nil, NamespaceError{fmt.Errorf("namespace %q has no Subscription or ClusterServiceVersion in it; there are some in %s", in, strings.Join(words.Quote(names), ", "))}
	}
	var all []*NamespaceState
	seen := 0
	global = cmp.Or(global, s.Global()) // looks through all of the snapshot
	sources := map[string][]snapshot.CatalogSource{}
	for _, o := range s.CatalogSources {
		sources[o.Metadata.Namespace] = append(sources[o.Metadata.Namespace], o)
	}
	for _, name := range names {
		state, err := read(s, sources, name, global)
		if err != nil {
			return nil, err
		}
		if seen += len(state.Sources); seen > maxSources {
			return nil, fmt.Errorf("its namespaces see %d CatalogSources or more, in each the global ones, but olmgraph takes at most %d", seen, maxSources)
		}
		all = append(all, state)
	}
	return all, nil
}

// tooMany returns an error for more operators than a namespace can have.
func tooMany(namespace string, subs, csvs, planned int) error {
	for _, count := range []struct {
		n    int
		what string
	}{{subs, "Subscriptions"}, {csvs, "ClusterServiceVersions that are not copied"}, {planned, "names in InstallPlans that have not ended"}} {
		if count.n > maxOperators {
			return fmt.Errorf("namespace %q has %d %s, but olmgraph takes at most %d in a namespace", namespace, count.n, count.what, maxOperators)
		}
	}
	return nil
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

// read reads the objects of a namespace. sources are those of the snapshot by their namespaces.
func read(s *snapshot.Snapshot, sources map[string][]snapshot.CatalogSource, name, global string) (*NamespaceState, error) {
	n := newState()
	n.Name, n.Global, n.Kubernetes = name, global, s.Kubernetes()
	if err := n.readSubscriptions(s.Subscriptions[name]); err != nil {
		return nil, err
	}
	if err := n.readInstalled(s.ClusterServiceVersions[name]); err != nil {
		return nil, err
	}
	if !s.IsMissing("OperatorGroup") {
		n.readGroups(s.OperatorGroups[name])
	}
	n.readSources(sources)
	n.readConditions(s.OperatorConditions[name])
	n.readPlans(s.InstallPlans[name], s.IsMissing("InstallPlan"))
	planned := 0
	for i := range n.Plans {
		if !n.Plans[i].isFinal() {
			planned += len(n.Plans[i].CSVs)
		}
	}
	if err := tooMany(name, len(n.Subscriptions), len(n.Installed), planned); err != nil {
		return nil, err
	}
	for i := range n.Subscriptions {
		if in := n.Subscriptions[i].InstalledCSV; in != "" && s.IsMissing("ClusterServiceVersion") {
			n.install(in)
		}
	}
	return n, nil
}

// AddFacts gives installed operators of which only the name is known the facts that the catalogs of its Sources have, and returns those that
// no catalog has.
func (s *NamespaceState) AddFacts() (unknown []InstalledOperator) {
	owners, sources := map[string][]*Subscription{}, map[SourceKey]*Catalog{}
	for i := range s.Subscriptions {
		owners[s.Subscriptions[i].InstalledCSV] = append(owners[s.Subscriptions[i].InstalledCSV], &s.Subscriptions[i])
	}
	for i := range s.Sources {
		sources[s.Sources[i].SourceKey] = s.Sources[i].Catalog
	}
	for i := range s.Installed {
		in := &s.Installed[i]
		if !s.NameOnly[in.Name] {
			continue
		}
		known, ok := s.find(in.Name, owners[in.Name], sources)
		if !ok {
			unknown = append(unknown, *in)
			continue
		}
		*in = known
		delete(s.NameOnly, in.Name)
	}
	return unknown
}

// find looks for a bundle in the sources of its subscriptions first, then in all.
func (s *NamespaceState) find(name string, owners []*Subscription, sources map[SourceKey]*Catalog) (InstalledOperator, bool) {
	for _, sub := range owners {
		if c := sources[sub.Source]; c != nil {
			if in, ok := c.InstalledOperator(sub.Package, name); ok {
				return in, true
			}
		}
	}
	for i := range s.Sources {
		if c := s.Sources[i].Catalog; c != nil && c.byName[name] != nil {
			return c.byName[name][0].asInstalled(), true
		}
	}
	return InstalledOperator{}, false
}
