package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// crds are the CRDs of the cluster and objects of their kinds, by API group. It is safe for concurrent use.
type crds struct {
	kubernetes string
	byGroup    map[string][]*bundled.Object
	objects    map[string][]*bundled.Object
	known      sync.Map // by crdUpgrades: functions that return the outcomes, which are the same in all namespaces
}

// crdUpgrades are upgrades of a package; path has the names of the bundles, an upgrade a line.
type crdUpgrades struct {
	of   *catalogs.Package
	path string
}

// newCRDs returns the CRDs and objects of a snapshot.
func newCRDs(s *snapshot.Snapshot) *crds {
	c := &crds{kubernetes: s.Kubernetes(), byGroup: map[string][]*bundled.Object{}, objects: map[string][]*bundled.Object{}}
	for _, o := range s.CRDs {
		_, group, _ := strings.Cut(o.Name, ".")
		c.byGroup[group] = append(c.byGroup[group], o)
	}
	for _, o := range s.CustomResources {
		group, _, _ := strings.Cut(o.APIVersion, "/")
		c.objects[group] = append(c.objects[group], o)
	}
	return c
}

// concern reports whether the cluster has CRDs in an API group of a bundle.
func (c *crds) concern(of *resolve.Catalog, pkg, name string) bool {
	b, ok := of.InstalledOperator(pkg, name)
	return ok && slices.ContainsFunc(b.Facts.Provides, func(api catalogs.API) bool { return len(c.byGroup[api.Group]) > 0 })
}

// check returns the outcomes of upgrades of a package on the cluster. The error is of a CRD that cannot be read, or of a catalog that has changed.
func (c *crds) check(p *catalogs.Package, path graph.Path) (judge.Outcomes, error) {
	key := crdUpgrades{of: p}
	for _, step := range path {
		key.path += step.From + " " + step.To + "\n"
	}
	check, _ := c.known.LoadOrStore(key, sync.OnceValues(func() (judge.Outcomes, error) { return c.judge(p, path) }))
	return check.(func() (judge.Outcomes, error))()
}

// judge judges upgrades on a cluster with those CRDs and objects that are in API groups of the bundles.
func (c *crds) judge(p *catalogs.Package, path graph.Path) (judge.Outcomes, error) {
	seen := map[string]bool{}
	var crds, objects []*bundled.Object
	for _, step := range path {
		b := p.Bundle(step.To)
		if b == nil {
			continue
		}
		facts, err := bundled.Facts(b)
		if err != nil {
			return nil, err
		}
		for _, api := range facts.Provides {
			if !seen[api.Group] {
				seen[api.Group], crds, objects = true, append(crds, c.byGroup[api.Group]...), append(objects, c.objects[api.Group]...)
			}
		}
	}
	cluster, err := judge.NewCluster(crds, objects)
	if err != nil {
		return nil, fmt.Errorf("the snapshot: %w", err)
	}
	cluster.Others = c.byGroup
	return judge.New(p, judge.Options{}).Judge(path, judge.On{OLM: graph.V0, Kubernetes: c.kubernetes, Cluster: cluster, Resolved: true}), nil
}

// failingUpgrades returns Failure of the namespace: upgrades that its bundle, CRDs or other objects let fail.
func (n *namespaceReport) failingUpgrades() func(subscription, to string) error {
	paths := map[string]graph.Path{}
	return func(name, to string) error {
		sub := n.Before.Subscription(name)
		if sub == nil || n.Before.SubscribedPackage(sub) == nil {
			return nil
		}
		path := paths[name]
		switch last := len(path) - 1; {
		case last < 0:
			path = graph.Path{{From: sub.InstalledCSV, To: to}}
		case path[last].To != to:
			path = append(path, graph.Step{From: path[last].To, To: to})
		}
		paths[name] = path
		all, err := n.crds.check(n.Before.SubscribedPackage(sub), path)
		if err != nil || !all[len(path)-1].Fails() {
			return nil // rejectedCRDs meets the error, too
		}
		return errors.New(all[len(path)-1].Reasons[0].String())
	}
}

// rejectedCRDs adds the upgrades that fail because of CRDs or other objects (OLM: pkg/lib/crd, catalog ExecutePlan).
func (n *namespaceReport) rejectedCRDs() error {
	for i := range n.Before.Subscriptions {
		sub := &n.Before.Subscriptions[i]
		path, p := n.Path(sub), n.Before.SubscribedPackage(sub)
		if len(path) == 0 || p == nil || n.hasFailed(sub.Name) {
			continue
		}
		if to := p.Bundle(path[0].To); to == nil || !to.HasManifests() {
			n.unchecked = n.unchecked || n.crds.concern(n.Catalogs[sub.Source], sub.Package, path[0].To)
		}
		all, err := n.crds.check(p, path)
		if err != nil {
			return err
		}
		n.addRejectedCRD(sub, all)
	}
	return nil
}

// addRejectedCRD adds the first upgrade that is rejected. The operator gets no further.
func (n *namespaceReport) addRejectedCRD(sub *resolve.Subscription, all judge.Outcomes) {
	for _, o := range all {
		if len(o.Reasons) == 0 {
			continue
		}
		is := &RefusedUpgrade{UpgradeFails, o.From, o.To, o.From != all[0].From}
		d := Decision{About: is, Operators: []string{sub.Package}}
		for _, r := range o.Reasons {
			switch {
			case r.Stored:
				is.Refusal = StoredCRD
			case r.Kind == crd.Kind && is.Refusal != StoredCRD:
				is.Refusal = InvalidCRD
			case r.Old != nil && is.Refusal == UpgradeFails:
				is.Refusal = ImmutableField
			}
			d.Said = append(d.Said, r.String())
		}
		d.Failure = &Failure{Remedy: chooseRemedy(nil, o.Reasons)}
		n.remedyObjects(d.Failure, "", nil, o.Reasons)
		if w := find.Pointer(n.Trace.Last.WaitingOperators(), func(w resolve.Wait) bool { return w.Name == o.To }); w != nil {
			d.Freezes = n.frozenBy(w, d.Operators)
		}
		n.add(d, Blocked)
		return
	}
}
