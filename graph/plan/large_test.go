package plan

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// largeText writes a catalog of some packages as it is at a minor version. Every third package has a new channel for each minor version,
// and keeps the last three only; every fifth one limits OpenShift.
func largeText(r *rand.Rand, packages int, m Minor) string {
	var b strings.Builder
	for i := range packages {
		pkg := fmt.Sprintf("operator-%d", i)
		newest := 10 + 6*(int(m)-14)
		channels := map[string][2]int{"stable": {1, newest}}
		if i%3 == 0 {
			channels = map[string][2]int{}
			for k := range 3 {
				top := newest - 6*k
				channels[fmt.Sprintf("stable-%d", int(m)-k)] = [2]int{max(1, top-11), top}
			}
		}
		first := ""
		for name, span := range channels {
			first = max(first, name)
			fmt.Fprintf(&b, `{"schema":"olm.channel","package":%q,"name":%q,"entries":[`, pkg, name)
			for v := span[0]; v <= span[1]; v++ {
				if v > span[0] {
					b.WriteString(",")
				}
				fmt.Fprintf(&b, `{"name":"%s.v1.%d.0","skipRange":">=1.%d.0 <1.%d.0"`, pkg, v, max(0, v-4), v)
				if v > span[0] {
					fmt.Fprintf(&b, `,"replaces":"%s.v1.%d.0"`, pkg, v-1)
				}
				b.WriteString("}")
			}
			b.WriteString("]}\n")
		}
		fmt.Fprintf(&b, `{"schema":"olm.package","name":%q,"defaultChannel":%q}`+"\n", pkg, first)
		for v := 1; v <= newest; v++ {
			if i%3 == 0 && v < newest-6*2-11 {
				continue
			}
			fmt.Fprintf(&b, `{"schema":"olm.bundle","package":%q,"name":"%s.v1.%d.0","image":"i/%s:%d","properties":[{"type":"olm.package","value":{"packageName":%q,"version":"1.%d.0"}},{"type":"olm.gvk","value":{"group":"g%d","version":"v1","kind":"K"}}`,
				pkg, pkg, v, pkg, v, pkg, v, i)
			if i%5 == 0 {
				fmt.Fprintf(&b, `,{"type":"olm.maxOpenShiftVersion","value":"4.%d"}`, 14+v/6)
			}
			if i%7 == 0 && i > 0 {
				fmt.Fprintf(&b, `,{"type":"olm.package.required","value":{"packageName":"operator-%d","versionRange":">=1.%d.0"}}`, i-1, max(1, v-12))
			}
			fmt.Fprintf(&b, `,{"type":"olm.csv.metadata","value":{"displayName":"operator","description":%q}}]}`+"\n", strings.Repeat("text ", 300))
		}
	}
	return b.String()
}

// largeCluster is a cluster with operators in a number of namespaces.
func largeCluster(t testing.TB, operators, namespaces int, manual bool, known *resolve.Catalog) Cluster {
	c := Cluster{Minor: 14}
	for i := range namespaces {
		n := resolve.Namespace{Name: fmt.Sprintf("ns-%d", i), Global: "olm", Sources: []resolve.Source{{SourceKey: community}}}
		for j := i; j < operators; j += namespaces {
			pkg := fmt.Sprintf("operator-%d", j)
			channel := "stable"
			if j%3 == 0 {
				channel = "stable-14"
			}
			in, ok := known.InstalledOperator(pkg, pkg+".v1.5.0")
			if !ok {
				t.Fatal(pkg)
			}
			n.Installed = append(n.Installed, in)
			n.Subscriptions = append(n.Subscriptions, resolve.Subscription{Name: pkg, Package: pkg, Channel: channel, Source: community, InstalledCSV: in.Name, Manual: manual})
		}
		c.Namespaces = append(c.Namespaces, n)
	}
	return c
}

// TestThirtyOperators plans thirty operators over six updates, in one namespace or in many.
func TestThirtyOperators(t *testing.T) {
	catalogtest.SkipUnlessLong(t)
	var all []Catalog
	r := rand.New(rand.NewPCG(1, 1))
	for m := Minor(14); m <= 20; m++ {
		c := openText(t, largeText(r, 60, m))
		all = append(all, Catalog{Source: community, Minor: m, Content: c})
	}
	for _, namespaces := range []int{30, 1} {
		for _, manual := range []bool{false, true} {
			c := largeCluster(t, 30, namespaces, manual, all[0].Content)
			start := time.Now()
			plan, err := Find(t.Context(), c, all, Request{To: 20})
			took := time.Since(start)
			if err != nil {
				t.Fatal(err)
			}
			if fault, err := replay(t.Context(), newContent(all, &c), c, plan); fault != nil || err != nil {
				t.Errorf("%v %v", fault, err)
			}
			if !plan.IsPossible() || !plan.Exact && namespaces > 1 {
				t.Errorf("%d namespaces, manual %v: possible %v, exact %v: reached %s, %+v", namespaces, manual, plan.IsPossible(), plan.Exact, plan.Reached, plan.Blockers)
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			t.Logf("%d namespaces, manual %v: %v, %+v, %d steps, %d MiB", namespaces, manual, took, plan.Cost, len(plan.Steps), m.Sys>>20)
		}
	}
}
