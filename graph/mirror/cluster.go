package mirror

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Cluster is what a snapshot says of subscriptions and catalogs.
type Cluster struct {
	Subscriptions []Subscription
	Sources       []Source
	// Named are the catalogs, by index, that the user has given names of CatalogSources for.
	Named map[string]int
	// Elsewhere are the Subscriptions whose catalogs the image set does not mirror.
	Elsewhere []Subscription
	// Described says that it was read from a description, in which a CatalogSource need not have the name that it has in the cluster.
	Described bool
}

// Subscription is a Subscription, and what it has installed; Name "" means nothing.
type Subscription struct {
	Namespace, Package, Channel string
	Source                      resolve.SourceKey
	Installed                   graph.InstalledBundle
	catalog                     int // the index of its catalog, -1 if there is none
}

// Source is a CatalogSource.
type Source struct {
	resolve.SourceKey
	Image string // spec.image
}

// NewCluster returns the Subscriptions of all namespaces of a snapshot, or of one.
func NewCluster(s *snapshot.Snapshot, namespace string) (*Cluster, error) {
	c := &Cluster{Named: map[string]int{}, Described: s.Description != nil}
	states, err := resolve.ReadStates(s, namespace, "")
	if err != nil {
		return nil, err
	}
	for _, state := range states {
		if namespace == "" || state.Name == namespace {
			c.add(state)
		}
	}
	if len(c.Subscriptions) == 0 && !c.Described {
		return nil, fmt.Errorf("there is no Subscription in it%s: want what kubectl get subscriptions.operators.coreos.com,clusterserviceversions,catalogsources -A -o yaml prints",
			words.Prefix(", in namespace ", namespace))
	}
	for i := range s.CatalogSources {
		o := &s.CatalogSources[i]
		c.Sources = append(c.Sources, Source{resolve.SourceKey{Name: o.Metadata.Name, Namespace: o.Metadata.Namespace}, o.Spec.Image})
	}
	return c, nil
}

// add adds the Subscriptions of a namespace.
func (c *Cluster) add(state *resolve.NamespaceState) {
	versions := map[string]string{}
	for i := range state.Installed {
		if in := &state.Installed[i]; !state.NameOnly[in.Name] {
			versions[in.Name] = in.Version.String()
		}
	}
	for i := range state.Subscriptions {
		sub := &state.Subscriptions[i]
		one := Subscription{Namespace: state.Name, Package: sub.Package, Channel: sub.Channel, Source: sub.Source, catalog: -1}
		if sub.InstalledCSV != "" {
			one.Installed = graph.ParseBundleName(sub.InstalledCSV)
			one.Installed.Version = versions[sub.InstalledCSV]
		}
		c.Subscriptions = append(c.Subscriptions, one)
	}
	for key := range state.Refs {
		if !slices.ContainsFunc(c.Sources, func(s Source) bool { return s.SourceKey == key }) {
			c.Sources = append(c.Sources, Source{SourceKey: key})
		}
	}
}

// assign finds the catalog of each Subscription: by the name that the user gave, by the image of its CatalogSource, by the name that oc-mirror
// gives it; if no image is known, the only one.
func (c *Cluster) assign(all []*Catalog) {
	c.Elsewhere = nil
	for i := range c.Subscriptions {
		sub := &c.Subscriptions[i]
		sub.catalog = c.sourceCatalog(sub.Source, all)
		if sub.catalog < 0 {
			c.Elsewhere = append(c.Elsewhere, *sub)
		}
	}
}

func (c *Cluster) sourceCatalog(key resolve.SourceKey, all []*Catalog) int {
	if at, ok := c.Named[key.Name]; ok {
		return at
	}
	if at := slices.IndexFunc(all, func(o *Catalog) bool { return o.Source == key.Name }); at >= 0 {
		return at
	}
	image, known := "", false
	for _, s := range c.Sources {
		known = known || s.Image != ""
		if s.SourceKey == key {
			image = s.Image
		}
	}
	if !known && len(all) == 1 {
		return 0
	}
	if at := slices.IndexFunc(all, func(o *Catalog) bool { return o.Operator.Catalog.Value == image }); at >= 0 || image == "" {
		return at
	}
	return slices.IndexFunc(all, func(o *Catalog) bool { return o.Operator.SameRepository(image) })
}
