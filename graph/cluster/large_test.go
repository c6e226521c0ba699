package cluster_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

const api = "operators.coreos.com/v1alpha1"

// largeCluster writes a cluster in the form in which kubectl prints it: operators of a catalog, each at its oldest version, in so many
// namespaces, with copied ClusterServiceVersions and CRDs.
func largeCluster(w io.Writer, c *catalogs.Catalog, operators, namespaces, copied, crds int) {
	fmt.Fprint(w, "apiVersion: v1\nitems:\n- apiVersion: config.openshift.io/v1\n  kind: ClusterVersion\n  metadata:\n    name: version\n"+
		"  status:\n    history:\n    - state: Completed\n      version: 4.14.30\n")
	fmt.Fprintf(w, "- apiVersion: %s\n  kind: CatalogSource\n  metadata:\n    name: community\n    namespace: openshift-marketplace\n  spec:\n    sourceType: grpc\n", api)
	for i := range namespaces {
		fmt.Fprintf(w, "- apiVersion: operators.coreos.com/v1\n  kind: OperatorGroup\n  metadata:\n    name: g\n    namespace: ns-%d\n  spec: {}\n", i)
	}
	for i := range operators {
		p := c.Packages[i%len(c.Packages)]
		g := graph.NewPackageGraph(p).Graph(p.DefaultChannel.Value)
		if g == nil {
			continue
		}
		entries := g.ByVersion()
		name := g.Name(entries[len(entries)-1])
		fmt.Fprintf(w, "- apiVersion: %s\n  kind: Subscription\n  metadata:\n    name: s%d\n    namespace: ns-%d\n  spec:\n    channel: %q\n    name: %q\n    source: community\n"+
			"    sourceNamespace: openshift-marketplace\n  status:\n    currentCSV: %[6]q\n    installedCSV: %[6]q\n", api, i, i%namespaces, g.Channel.Name.Value, p.Name.Value, name)
		writeCSV(w, name, fmt.Sprintf("ns-%d", i%namespaces), "", c.Package(p.Name.Value).Bundle(name).Version.Value)
	}
	for i := range copied {
		writeCSV(w, fmt.Sprintf("copied-%d.v1.0.0", i%100), fmt.Sprintf("ns-%d", i/100), "openshift-operators", "1.0.0")
	}
	for i := range crds {
		fmt.Fprintf(w, "- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  metadata:\n    name: things.g%d.example\n  spec:\n    group: g%[1]d.example\n"+
			"    names:\n      kind: Thing\n      plural: things\n    scope: Namespaced\n    versions:\n    - name: v1\n      schema:\n        openAPIV3Schema:\n          properties:\n", i)
		for j := range 100 {
			fmt.Fprintf(w, "            field%d:\n              description: what is said of a field of this kind, which takes a line or two\n              type: string\n", j)
		}
		fmt.Fprint(w, "          type: object\n      served: true\n      storage: true\n  status:\n    storedVersions:\n    - v1\n")
	}
	fmt.Fprint(w, "kind: List\nmetadata:\n  resourceVersion: \"\"\n")
}

func writeCSV(w io.Writer, name, namespace, from, version string) {
	labels, reason := "", ""
	if from != "" {
		labels, reason = "    labels:\n      olm.copiedFrom: "+from+"\n", "    reason: Copied\n"
	}
	fmt.Fprintf(w, "- apiVersion: %s\n  kind: ClusterServiceVersion\n  metadata:\n    annotations:\n      alm-examples: |-\n        [\n          {\n            \"apiVersion\": \"a/v1\"\n          }\n        ]\n"+
		"%s    name: %q\n    namespace: %s\n  spec:\n    install:\n      spec:\n        deployments:\n%s    version: %s\n  status:\n    phase: Succeeded\n%s", api, labels, name, namespace,
		deployments, version, reason)
}

var deployments = strings.Repeat("        - name: a\n          spec:\n            replicas: 1\n            text: a line of a deployment, of which there are many\n", 60)

// openReal opens a real catalog.
func openReal(t testing.TB, version string) *resolve.Catalog {
	t.Helper()
	ref := filepath.Join("../../../shared/data/fbc", "community-"+version)
	if _, err := os.Stat(ref); err != nil {
		t.Skip(err)
	}
	all := opentest.Open(t, ref)
	out, err := resolve.NewCatalog(t.Context(), all[0])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLargeCluster reads a cluster of 200 namespaces in little time and memory, and copied ClusterServiceVersions for nothing.
func TestLargeCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	catalog := openReal(t, "v4.14")
	var text bytes.Buffer
	largeCluster(&text, catalog.Catalog, 500, 200, 20_000, 3_000)
	var s snapshot.Snapshot
	begin := time.Now()
	before := heap()
	if err := s.Read("cluster.yaml", bytes.NewReader(text.Bytes())); err != nil {
		t.Fatal(err)
	}
	t.Logf("read %d MiB in %v, %d MiB of heap", text.Len()>>20, time.Since(begin), (heap()-before)>>20)
	if used := heap() - before; used > 64<<20 {
		t.Errorf("uses %d MiB", used>>20)
	}
	begin = time.Now()
	states, err := resolve.ReadStates(&s, "", "")
	if err != nil {
		t.Fatal(err)
	}
	report, err := cluster.Find(t.Context(), cluster.Input{Snapshot: &s, States: states, Catalogs: map[resolve.SourceKey]*resolve.Catalog{
		{Name: "community", Namespace: "openshift-marketplace"}: catalog}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("found %d operators and %d decisions in %v", len(report.Operators), len(report.Decisions), time.Since(begin))
	if len(report.Operators) < 480 {
		t.Errorf("%d operators", len(report.Operators))
	}
	if name := os.Getenv("LARGE_CLUSTER"); name != "" {
		if err := os.WriteFile(name, text.Bytes(), 0o644); err != nil {
			t.Error(err)
		}
	}
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// BenchmarkFind answers for namespaces whose OperatorGroups select all others, each with an operator to install that another one may be in
// the way of: the time is to grow with their number.
func BenchmarkFind(b *testing.B) {
	catalog := openReal(b, "v4.14")
	for _, namespaces := range []int{250, 1000, 4000} {
		b.Run(fmt.Sprint(namespaces), func(b *testing.B) {
			var text bytes.Buffer
			largeCluster(&text, catalog.Catalog, namespaces, namespaces, 0, 0)
			installed := regexp.MustCompile(`(?m)^  status:\n    currentCSV:.*\n    installedCSV:.*\n`)
			waiting := installed.ReplaceAll(text.Bytes(), nil)
			for b.Loop() {
				var s snapshot.Snapshot
				if err := s.Read("", bytes.NewReader(waiting)); err != nil {
					b.Fatal(err)
				}
				states, err := resolve.ReadStates(&s, "", "")
				if err != nil {
					b.Fatal(err)
				}
				if _, err := cluster.Find(b.Context(), cluster.Input{Snapshot: &s, States: states, Catalogs: map[resolve.SourceKey]*resolve.Catalog{
					{Name: "community", Namespace: "openshift-marketplace"}: catalog}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
