package plan

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

var community = resolve.SourceKey{Name: "community", Namespace: "olm"}

// realCatalogs opens the real catalogs.
func realCatalogs(t testing.TB) []Catalog {
	var all []Catalog
	for _, m := range []Minor{14, 18, 20, 22} {
		cats, err := open.Open(t.Context(), catalogtest.Data(t, fmt.Sprintf("fbc/community-v4.%d", m)), open.Options{})
		if err != nil || len(cats) != 1 {
			t.Fatal(err)
		}
		r, err := resolve.NewCatalog(t.Context(), cats[0])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Catalog{Source: community, Minor: m, Content: r})
	}
	return all
}

// TestRealPackages plans clusters with every fourth version of every package of the oldest catalog that has it.
func TestRealPackages(t *testing.T) {
	all := realCatalogs(t)
	count := map[string]int{}
	agreed := agreement{all: all}
	start := time.Now()
	seen := map[string]bool{}
	var slowest time.Duration
	for _, k := range all[:3] {
		for _, p := range k.Content.Packages {
			if seen[p.Name.Value] {
				continue
			}
			seen[p.Name.Value] = true
			g := graph.NewPackageGraph(p).Graph(p.DefaultChannel.Value)
			for at, i := range g.ByVersion() {
				if at%4 != 0 {
					continue
				}
				began := time.Now()
				c := clusterWith(t, k, p, g.Name(i))
				c.Stored = AssumedStored(c, all)
				plan, err := Find(t.Context(), c, all, Request{To: 22})
				if err != nil {
					t.Fatal(err)
				}
				if d := time.Since(began); d > slowest {
					slowest = d
				}
				if fault, err := replay(t.Context(), newContent(all, &c), c, plan); fault != nil || err != nil {
					t.Errorf("%s: %v %v", g.Name(i), fault, err)
				}
				if err := agreed.check(t, plan); err != nil {
					t.Errorf("%s: %v", g.Name(i), err)
				}
				line := fmt.Sprintf("%s at %s: %v reached %s cost %v exact %v", g.Name(i), k.Minor, plan.IsPossible(), plan.Reached, plan.Cost, plan.Exact)
				if !plan.Exact {
					count["inexact"]++
				}
				if plan.IsPossible() {
					count["plan"]++
				} else {
					count["none"]++
					line += describeBlockers(plan, count)
					if len(plan.Blockers) == 0 {
						t.Errorf("%s: nothing blocks", g.Name(i))
					}
				}
				if os.Getenv("PLANS") != "" {
					t.Log(line)
				}
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Log(agreed.next, "upgrades are the next ones of their channels,", agreed.crds, "CRDs were judged")
	if agreed.next < 100 || agreed.crds < 10 {
		t.Error("too few were compared")
	}
	t.Log(count, time.Since(start), "slowest", slowest, "from the system", m.Sys>>20, "MiB")
}

// describeBlockers counts the blockers of a plan by kind, and describes them.
func describeBlockers(plan *Plan, count map[string]int) string {
	said := ""
	for _, b := range plan.Blockers {
		count[fmt.Sprintf("kind %d", b.Kind)]++
		said += fmt.Sprintf("\n    %d %s %s %s %q together %v lifted %s solved %v", b.Kind, b.Minor, b.Operator, b.Channel, b.Message, b.Together, b.Lifted, b.Solved)
	}
	return said
}

func clusterWith(t testing.TB, k Catalog, p *catalogs.Package, name string) Cluster {
	in, ok := k.Content.InstalledOperator(p.Name.Value, name)
	if !ok {
		t.Fatal(name)
	}
	n := resolve.Namespace{Name: "operators", Global: "olm", Sources: []resolve.Source{{SourceKey: community}}, Installed: []resolve.InstalledOperator{in},
		Subscriptions: []resolve.Subscription{{Name: "sub", Package: p.Name.Value, Channel: p.DefaultChannel.Value, Source: community, InstalledCSV: name}}}
	return Cluster{Minor: k.Minor, Namespaces: []resolve.Namespace{n}}
}
