package cluster

import (
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// crds are the CRDs of the cluster, by name.
type crds map[string]*catalogs.Object

func newCRDs(all []*catalogs.Object) crds {
	c := crds{}
	for _, o := range all {
		c[o.Name] = o
	}
	return c
}

// clusterOf returns the cluster with those CRDs that the bundles of a path have; nil if it has none of them, or they cannot be read.
func (c crds) clusterOf(p *catalogs.Package, path graph.Path) *preflight.Cluster {
	pkg := preflight.New(p, preflight.Options{})
	seen := map[string]bool{}
	var objects []*catalogs.Object
	for _, step := range path {
		b := p.Bundle(step.To)
		if b == nil {
			continue
		}
		for _, own := range pkg.CRDs(b) {
			name := own.Manifest.Name
			if o := c[name]; o != nil && !seen[name] {
				seen[name], objects = true, append(objects, o)
			}
		}
	}
	if len(objects) == 0 {
		return nil
	}
	found, err := preflight.NewCluster(objects)
	if err != nil {
		return nil
	}
	return found
}

// rejectedCRDs adds the upgrades whose CRDs are rejected: the InstallPlan fails (OLM: pkg/lib/crd, catalog ExecutePlan).
func (n *namespaceReport) rejectedCRDs() {
	if len(n.crds) == 0 {
		return
	}
	for i := range n.Before.Subscriptions {
		sub := &n.Before.Subscriptions[i]
		path := n.pathOf(sub)
		given := n.Catalogs[sub.Source]
		if len(path) == 0 || given == nil {
			continue
		}
		p := given.Packages.Package(sub.Package)
		if p == nil {
			continue
		}
		if to := p.Bundle(path[0].To); to == nil || !to.HasManifests() {
			n.unchecked = true
			continue
		}
		if cluster := n.crds.clusterOf(p, path); cluster != nil {
			n.addRejectedCRD(sub, cluster.Preflight(p, path, graph.V0))
		}
	}
}

// addRejectedCRD adds the first upgrade that is rejected. The operator gets no further.
func (n *namespaceReport) addRejectedCRD(sub *resolve.Subscription, all preflight.Outcomes) {
	for _, o := range all {
		if len(o.Reasons) == 0 {
			continue
		}
		d := Decision{Kind: InvalidCRD, Operators: []string{sub.Package}, From: Bundle{Name: o.From}, To: []string{o.To}}
		for _, r := range o.Reasons {
			if strings.HasPrefix(r.Message, "status.storedVersions has ") {
				d.Kind = StoredCRD
			}
			d.Said = append(d.Said, r.CRD+": "+r.Message)
		}
		for i := range n.operators {
			row := &n.operators[i]
			switch {
			case row.Subscription != sub.Name:
			case row.Installed.Name == o.From:
				row.Last = row.Next
			default:
				row.Last = Bundle{o.From, n.Catalogs[sub.Source].versionOf(sub.Package, o.From)}
			}
		}
		n.add(d, Blocked)
		return
	}
}

func (c *Catalog) versionOf(pkg, name string) string {
	if b := c.Packages.Package(pkg).Bundle(name); b != nil {
		return b.Version.Value
	}
	return ""
}

// pathOf returns the upgrades of a subscription.
func (n *namespaceReport) pathOf(sub *resolve.Subscription) graph.Path {
	var path graph.Path
	from := sub.InstalledCSV
	for _, step := range n.Trace.Steps {
		for i := range step.Installs {
			in := &step.Installs[i]
			for _, name := range in.Subscriptions {
				if name == sub.Name && step.Resolvable() {
					path = append(path, graph.Step{From: from, To: in.Name})
					from = in.Name
				}
			}
		}
	}
	return path
}
