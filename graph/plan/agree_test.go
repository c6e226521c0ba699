package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// agreement asks, for each upgrade of a plan, whether it is the next one in its channel, and what judge says of it on a cluster
// whose CRDs are those of what is installed, with objects in each version that was the storage version.
type agreement struct {
	all    []Catalog
	stored map[string][]string // by CRD
	next   int                 // upgrades that were compared with the channel
	crds   int                 // CRDs that were judged
}

// check returns the first contradiction.
func (a *agreement) check(t *testing.T, plan *Plan) error {
	t.Helper()
	a.stored = map[string][]string{}
	for i := range plan.Steps {
		s := &plan.Steps[i]
		for j := range s.Upgrades {
			if u := &s.Upgrades[j]; u.From.Name != "" {
				if err := a.upgrade(t, s.Minor, u); err != nil {
					return fmt.Errorf("step %d: %w", i+1, err)
				}
			}
		}
	}
	return nil
}

func (a *agreement) upgrade(t *testing.T, m Minor, u *Upgrade) error {
	at := slices.IndexFunc(a.all, func(c Catalog) bool { return c.Minor == m && c.Source == u.Source })
	if at < 0 {
		return fmt.Errorf("%s at %s, which has no catalog", u.To.Name, m)
	}
	p := a.all[at].Content.Package(u.Package)
	g := graph.NewPackageGraph(p).Graph(u.Channel)
	e, ok := g.NextOfInstalled(u.From.Name, u.From.Version)
	if !ok || g.Name(e.To) != u.To.Name {
		return fmt.Errorf("%s to %s, and the next one in channel %s is %s", u.From.Name, u.To.Name, u.Channel, g.Name(e.To))
	}
	a.next++
	live := a.live(t, u.Package, u.From.Name)
	if len(live) == 0 {
		return nil
	}
	cluster, err := judge.NewCluster(live, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := judge.New(p, judge.Options{}).Judge(graph.Path{{From: u.From.Name, To: u.To.Name, Edge: e}}, judge.On{OLM: graph.V0, Cluster: cluster, Resolved: true})
	if said.IsRejected() {
		return fmt.Errorf("%s to %s: %v", u.From.Name, u.To.Name, said[0].Reasons)
	}
	for _, s := range said[0].Stored {
		a.stored[s.CRD] = s.Versions
		a.crds++
	}
	return nil
}

// live returns the CRDs of a bundle as a cluster has them, from the oldest catalog with its manifests.
func (a *agreement) live(t *testing.T, pkg, name string) []*bundled.Object {
	t.Helper()
	for _, c := range a.all {
		p := c.Content.Package(pkg)
		if p == nil || p.Bundle(name) == nil {
			continue
		}
		if crds := judge.New(p, judge.Options{}).CRDs(p.Bundle(name)); len(crds) > 0 {
			var live []*bundled.Object
			for _, c := range crds {
				live = append(live, a.object(t, c))
			}
			return live
		}
	}
	return nil
}

// object returns a CRD with status.storedVersions: those that are known, or its storage version.
func (a *agreement) object(t *testing.T, c *judge.CRD) *bundled.Object {
	t.Helper()
	var text map[string]any
	if err := json.Unmarshal(c.Manifest.JSON(), &text); err != nil {
		t.Fatal(err)
	}
	stored := a.stored[c.Manifest.Name]
	if len(stored) == 0 {
		stored = []string{c.StorageVersion()}
	}
	text["status"] = map[string]any{"storedVersions": stored}
	out, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return bundled.NewLazyObject(c.Manifest.APIVersion, c.Manifest.Kind, c.Manifest.Name, "", func() []byte { return out })
}
