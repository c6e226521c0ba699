package readiness

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Cluster has the objects of a cluster that decide a migration from OLM v0 to OLM v1.
type Cluster struct {
	*snapshot.Snapshot
	subscriptions []*snapshot.Subscription // by namespace and name
	crds          func() *judge.Cluster    // nil if it has none that can be read
	alike         map[string]*alike        // objects by what they have in common
	judged        map[*catalogs.Package]*judged
}

// What objects have in common.
const (
	packageOf     = "package "     // of Subscriptions
	nameOf        = "name "        // of Subscriptions, by package
	requirementOf = "requirement " // of ClusterServiceVersions
)

// alike are objects with something in common. Of thousands, only few are named for each of the others.
type alike struct {
	ids   []string // each once
	first []*snapshot.Metadata
	count map[string]int
	all   int
}

// add adds an object, by its id, to those that have something in common.
func (c *Cluster) add(what, id string, o *snapshot.Metadata) {
	a := c.alike[what]
	if a == nil {
		a = &alike{count: map[string]int{}}
		c.alike[what] = a
	}
	if a.count[id] == 0 {
		a.ids, a.first = append(a.ids, id), append(a.first, o)
	}
	a.count[id]++
	a.all++
}

// without says, with a verb, which objects there are without those of an id; "" if there is none.
func (a *alike) without(id, format, one, many string) string {
	if a == nil || a.all == a.count[id] {
		return ""
	}
	const shown = 3
	var names []string
	for i, o := range a.first[:min(len(a.first), shown+1)] {
		if a.ids[i] != id && len(names) < shown {
			names = append(names, fmt.Sprintf(format, o.Name, o.Namespace))
		}
	}
	others := a.all - a.count[id]
	text := strings.Join(names, ", ")
	if others > len(names) {
		text += fmt.Sprintf(" and %d more", others-len(names))
	}
	return text + " " + words.Plural(others, one, many)
}

// NewCluster checks that the snapshot has Subscriptions, and the fields that name objects, which are part of commands.
func NewCluster(s *snapshot.Snapshot) (*Cluster, error) {
	c := &Cluster{Snapshot: s, alike: map[string]*alike{}, judged: map[*catalogs.Package]*judged{}, subscriptions: slices.Collect(s.Subscriptions.Each()), crds: sync.OnceValue(func() *judge.Cluster {
		all, err := judge.NewCluster(s.CRDs, nil)
		if err != nil {
			return nil
		}
		return all
	})}
	if len(c.subscriptions) == 0 {
		return nil, errors.New("there is no Subscription in it")
	}
	slices.SortStableFunc(c.subscriptions, func(a, b *snapshot.Subscription) int {
		return strings.Compare(a.Metadata.Namespace+"/"+a.Metadata.Name, b.Metadata.Namespace+"/"+b.Metadata.Name)
	})
	for _, o := range c.subscriptions {
		if err := checkNames(o); err != nil {
			return nil, fmt.Errorf("the Subscription %q in namespace %q: %w", o.Metadata.Name, o.Metadata.Namespace, err)
		}
		id := o.Metadata.Namespace + "/" + o.Metadata.Name
		c.add(packageOf+o.Spec.Package, id, &o.Metadata)
		c.add(nameOf+o.Metadata.Name, o.Spec.Package, &o.Metadata)
	}
	for o := range s.ClusterServiceVersions.Each() {
		for _, r := range requires(o) {
			c.add(requirementOf+r, o.Metadata.Name, &o.Metadata)
		}
	}
	return c, nil
}

func checkNames(o *snapshot.Subscription) error {
	if o.Spec.Package == "" {
		return errors.New("spec.name is missing")
	}
	for _, field := range [][2]string{{"spec.source", o.Spec.Source}, {"spec.sourceNamespace", o.Spec.Namespace}, {"status.installedCSV", o.Status.Installed}} {
		if !snapshot.IsName(field[1]) && (field[0] != "status.installedCSV" || field[1] != "") {
			return fmt.Errorf("%s is %q, and no Kubernetes object has that name", field[0], field[1])
		}
	}
	return nil
}

// requires returns the packages and APIs that an installed operator requires, each once.
func requires(c *snapshot.ClusterServiceVersion) []string {
	values, _, err := c.Properties()
	if err != nil {
		return nil
	}
	facts := catalogs.NewFacts(values)
	var all []string
	for i := range facts.Requires {
		switch r := &facts.Requires[i]; {
		case r.API != nil:
			all = append(all, r.API.String())
		case r.Package != "":
			all = append(all, r.Package)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
