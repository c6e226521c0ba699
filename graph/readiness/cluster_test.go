package readiness

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// port is a cluster with one operator that OLM v1 can take over as it is.
const port = `
- apiVersion: operators.coreos.com/v1alpha1
  kind: CatalogSource
  metadata: {name: community, namespace: olm}
  spec: {sourceType: grpc, image: "example/community:v1"}
- apiVersion: operators.coreos.com/v1
  kind: OperatorGroup
  metadata: {name: all, namespace: port}
  spec: {}
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: my-boat, namespace: port}
  spec: {name: boat, channel: stable, source: community, sourceNamespace: olm}
  status: {state: AtLatestKnown, installedCSV: boat.v1.0.0}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: boat.v1.0.0, namespace: port}
  spec: {version: 1.0.0, installModes: [{type: AllNamespaces, supported: true}, {type: OwnNamespace, supported: true}]}
  status: {phase: Succeeded}
`

// shipyard has the package of port in two versions, the second with a requirement if it is given. The catalog has only their metadata.
func shipyard(requirement string) string {
	both := `---
{schema: olm.package, name: boat, defaultChannel: stable}
---
{schema: olm.channel, package: boat, name: stable, entries: [{name: boat.v1.0.0}, {name: boat.v1.1.0, replaces: boat.v1.0.0}]}
---
{schema: olm.channel, package: boat, name: new, entries: [{name: boat.v1.1.0}]}
`
	for _, version := range []string{"1.0.0", "1.1.0"} {
		properties := ""
		if version == "1.1.0" {
			properties = requirement
		}
		both += "---\n{schema: olm.bundle, package: boat, name: boat.v" + version + ", image: example/boat, properties: [{type: olm.package, value: {packageName: boat, version: " +
			version + "}}, " + properties + metadataText("AllNamespaces OwnNamespace") + "]}\n"
	}
	return both
}

func readSnapshot(text string) (*Cluster, error) {
	s := &snapshot.Snapshot{}
	if err := s.Read("cluster.yaml", strings.NewReader(text)); err != nil {
		return nil, err
	}
	return NewCluster(s)
}

// readOperators returns the operators of a snapshot whose subscriptions all use the catalog olm/community.
func readOperators(t *testing.T, r Release, snapshot, catalog string) []*Operator {
	t.Helper()
	s, err := readSnapshot("apiVersion: v1\nkind: List\nitems:" + snapshot)
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.Operators(s, map[resolve.SourceKey]*catalogs.Catalog{{Name: "community", Namespace: "olm"}: opentest.Text(t, catalog)})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func ids(all []Obstacle) string {
	var words []string
	for _, r := range all {
		words = append(words, r.Kind)
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// TestRequirements holds changes of a cluster against the requirements of a migration.
func TestRequirements(t *testing.T) {
	const dependency = "{type: olm.gvk.required, value: {group: g.io, version: v1, kind: Wave}}, "
	for _, c := range []struct {
		name, old, new string // a change of port
		more           string // further objects
		verdict        Verdict
		hard, soft     string
	}{
		{"as it is", "", "", "", Ready, "", ""},
		{"limited to its namespace", "spec: {}", "spec: {targetNamespaces: [port]}", "", Ready, "", "watch-scope"},
		{"limited to labels", "spec: {}", "spec: {selector: {matchLabels: {a: b}}}", "", Ready, "", "watch-scope"},
		{"limited by the status", "spec: {}", `status: {namespaces: [port]}`, "", Ready, "", "watch-scope"},
		{"not limited by the status", "spec: {}", `status: {namespaces: [""]}`, "", Ready, "", ""},
		{"limited permissions", "spec: {}", "spec: {serviceAccountName: weak}", "", Ready, "", "service-account"},
		{"no OperatorGroup", "kind: OperatorGroup", "kind: Other", "", Unknown, "", ""},
		{"OwnNamespace only", "{type: AllNamespaces, supported: true}, ", "", "", Gate, "install-modes", ""},
		{"an API service", "spec: {version", "spec: {apiservicedefinitions: {owned: [{group: a.io, version: v1, kind: A}]}, version", "", Blocked, "api-service", ""},
		{"permissions on OLM v0", "spec: {version", "spec: {install: {spec: {clusterPermissions: [{rules: [{apiGroups: [operators.coreos.com], resources: [subscriptions]}]}]}}, version", "", Ready, "", "olm-v0-api"},
		{"permissions on both", "spec: {version", "spec: {install: {spec: {clusterPermissions: [{rules: [{apiGroups: [operators.coreos.com, olm.operatorframework.io], resources: ['*']}]}]}}, version", "", Ready, "", ""},
		{"generated", "name: my-boat, ", "name: my-boat, annotations: {olm.generated-by: install-x}, ", "", Blocked, "dependency", ""},
		{"nothing installed", ", installedCSV: boat.v1.0.0", "", "", Blocked, "installed", ""},
		{"not steady", "AtLatestKnown", "UpgradeAvailable", "", Ready, "", "steady"},
		{"an upgrade waits", "AtLatestKnown", "UpgradePending", "", Ready, "", ""},
		{"it fails", "phase: Succeeded", "phase: Failed", "", Ready, "", "steady"},
		{"no CatalogSource of that name", "metadata: {name: community,", "metadata: {name: other,", "", Blocked, "source", ""},
		{"no CatalogSource", "kind: CatalogSource", "kind: Other", "", Unknown, "", ""},
		{"a CatalogSource by address", `sourceType: grpc, image: "example/community:v1"`, "sourceType: grpc, address: a", "", Blocked, "source", ""},
		{"a CatalogSource of a ConfigMap", "sourceType: grpc", "sourceType: internal", "", Blocked, "source", ""},
		{"a package that is gone", "spec: {name: boat,", "spec: {name: ship,", "", Blocked, "catalog", ""},
		{"a bundle that is gone", "installedCSV: boat.v1.0.0", "installedCSV: boat.v0.9.0", "", Blocked, "catalog", ""},
		{"a channel that is gone", "channel: stable", "channel: old", "", Blocked, "channel", ""},
		{"a channel without it", "channel: stable", "channel: new", "", Blocked, "channel", ""},
		{"no channel", "channel: stable, ", "", "", Ready, "", ""},
		{"no ClusterServiceVersion", "kind: ClusterServiceVersion", "kind: Other", "", Unknown, "", ""},
		{"a configuration", "sourceNamespace: olm", "sourceNamespace: olm, config: {env: []}", "", Ready, "", "config"},
		{"a selector only", "sourceNamespace: olm", "sourceNamespace: olm, config: {selector: {}}", "", Ready, "", ""},
		{"conditions", "", "", "- {apiVersion: operators.coreos.com/v2, kind: OperatorCondition, metadata: {name: boat.v1.0.0, namespace: port}, spec: {conditions: [{type: Upgradeable}]}}\n", Ready, "", "operator-condition"},
		{"no conditions", "", "", "- {apiVersion: operators.coreos.com/v2, kind: OperatorCondition, metadata: {name: boat.v1.0.0, namespace: port}}\n", Ready, "", ""},
		{"a ClusterExtension of it", "", "", "- {apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: x}, spec: {source: {catalog: {packageName: boat}}}}\n", Blocked, "one-owner", ""},
		{"a ClusterExtension of that name", "", "", "- {apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: my-boat}, spec: {source: {catalog: {packageName: x}}}}\n", Blocked, "name", ""},
		{"two Subscriptions of it", "", "", "- {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: z, namespace: z}, spec: {name: boat, source: community, sourceNamespace: olm}}\n", Blocked, "one-owner", ""},
		{"two Subscriptions of that name", "", "", "- {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: my-boat, namespace: z}, spec: {name: z, source: community, sourceNamespace: olm}}\n", Ready, "", "name"},
		{"two of it, and two of that name", "", "", "- {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: my-boat, namespace: queue}, spec: {name: boat, source: community, sourceNamespace: olm}}\n- {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: my-boat, namespace: z}, spec: {name: z, source: community, sourceNamespace: olm}}\n", Blocked, "one-owner", "name"},
		{"two of it, of that name", "", "", "- {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: my-boat, namespace: queue}, spec: {name: boat, source: community, sourceNamespace: olm}}\n", Blocked, "one-owner", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			snapshot := strings.Replace(port, c.old, c.new, 1)
			if snapshot == port && c.old != "" {
				t.Fatal("nothing is changed")
			}
			o := readOperators(t, NewestRelease(), snapshot+c.more, shipyard(dependency))[0]
			if o.Verdict() != c.verdict || ids(o.Hard) != c.hard || ids(o.Soft) != c.soft {
				t.Errorf("%s: hard %v, soft %v, not known %q; want %s: %q, %q", o.Verdict(), o.Hard, o.Soft, o.NotKnown, c.verdict, c.hard, c.soft)
			}
			if (o.Extension == nil) != (c.hard != "") || (o.Steps == nil) != (c.hard != "") {
				t.Errorf("hard %q, ClusterExtension %v", c.hard, o.Extension)
			}
			if o.Extension != nil && (o.Next == nil || o.Next.Name != "boat.v1.1.0" || o.Next.Verdict != Blocked) {
				t.Errorf("next %v", o.Next)
			}
		})
	}
}

// TestTakeOver: the ClusterExtension is of the package, channel and version of the Subscription, from its catalog, and has what its release
// needs.
func TestTakeOver(t *testing.T) {
	change := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(port) }
	own := func(pairs ...string) string {
		return change(append(pairs, "spec: {}", "spec: {targetNamespaces: [port]}", "{type: AllNamespaces, supported: true}, ", "")...)
	}
	config := change("sourceNamespace: olm", "sourceNamespace: olm, config: {selector: {}, env: [{name: A}]}")
	catalog := "- {apiVersion: olm.operatorframework.io/v1, kind: ClusterCatalog, metadata: {name: fleet}, spec: {source: {image: {ref: 'example/community:v1'}}}}\n"
	for _, c := range []struct {
		name, release, snapshot string
		gates                   []string
		want                    Extension
	}{
		{"newest", "v1.11", port, nil, Extension{Catalog: "community"}},
		{"service account", "v1.10", port, nil, Extension{Catalog: "community", ServiceAccount: "my-boat-installer"}},
		{"default channel", "v1.11", change("channel: stable, ", ""), nil, Extension{Catalog: "community"}},
		{"ClusterCatalog", "v1.11", port + catalog, nil, Extension{Catalog: "fleet"}},
		{"unavailable ClusterCatalog", "v1.11", port + strings.Replace(catalog, "spec: {", "spec: {availabilityMode: Unavailable, ", 1), nil, Extension{Catalog: "community"}},
		{"own namespace", "v1.8", own(), nil, Extension{Catalog: "community", ServiceAccount: "my-boat-installer", WatchNamespace: "port"}},
		{"own namespace by an annotation", "v1.3", own(), []string{judge.FeatureNamespaces}, Extension{Catalog: "community", ServiceAccount: "my-boat-installer", WatchNamespace: "port", WatchAnnotation: true}},
		{"own namespace by the gate", "v1.11", own(), []string{judge.FeatureNamespaces}, Extension{Catalog: "community", WatchNamespace: "port"}},
		{"configuration", "v1.8", config, nil, Extension{Catalog: "community", ServiceAccount: "my-boat-installer", Deployment: []byte(`{"env":[{"name":"A"}]}`)}},
		{"configuration by the gate", "v1.11", config, []string{judge.FeatureDeployment}, Extension{Catalog: "community", Deployment: []byte(`{"env":[{"name":"A"}]}`)}},
		{"no configuration", "v1.7", config, nil, Extension{Catalog: "community", ServiceAccount: "my-boat-installer"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := ParseRelease(c.release)
			for _, gate := range c.gates {
				if err == nil {
					r, err = r.WithGate(gate, true)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			o := readOperators(t, r, c.snapshot, shipyard(""))[0]
			if o.Extension == nil {
				t.Fatalf("in the way: %v", o.Hard)
			}
			got, want := *o.Extension, c.want
			want.Name, want.Namespace, want.Package, want.Channel, want.Version = "my-boat", "port", "boat", "stable", "1.0.0"
			if got.Comments = nil; !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// TestMustWatch: without AllNamespaces the ClusterExtension must name the one namespace that the OperatorGroup names.
func TestMustWatch(t *testing.T) {
	for group, want := range map[string]string{"spec: {}": "install-modes", "spec: {targetNamespaces: [port]}": "", "spec: {targetNamespaces: [other]}": "install-modes",
		"spec: {targetNamespaces: [port, other]}": "install-modes"} {
		snapshot := strings.NewReplacer("spec: {}", group, "{type: AllNamespaces, supported: true}, ", "").Replace(port)
		if o := readOperators(t, releases()[8], snapshot, shipyard(""))[0]; ids(o.Hard) != want {
			t.Errorf("%s: %v, want %q", group, o.Hard, want)
		}
	}
}

// TestUpgradeFirst: what OLM v1 cannot take over may be upgraded to what it can; and operators that require it are named.
func TestUpgradeFirst(t *testing.T) {
	requirement := "{type: olm.constraint, value: {all: {constraints: []}}}, "
	catalog := strings.Replace(shipyard(""), "version: 1.0.0}}, ", "version: 1.0.0}}, "+requirement, 1)
	snapshot := port + `- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: crew.v1.0.0, namespace: port, annotations: {operatorframework.io/properties: '{"properties":[{"type":"olm.maxOpenShiftVersion","value":"4.20"},{"type":"olm.package.required","value":{"packageName":"boat","versionRange":">0.1.0"}}]}'}}
`
	o := readOperators(t, NewestRelease(), snapshot, catalog)[0]
	notes := strings.Join(o.Notes, "\n")
	if ids(o.Hard) != "dependency" || ids(o.Soft) != "dependents" || !strings.Contains(notes, "boat.v1.1.0: upgrade to it under OLM v0 first") {
		t.Errorf("%v %v\n%s", o.Hard, o.Soft, notes)
	}
}

// TestSnapshotErrors: names that become part of commands are names of Kubernetes objects.
func TestSnapshotErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"kind: Subscription", "kind: Other", "there is no Subscription"},
		{"name: my-boat", `name: "boat; reboot"`, "no Kubernetes object has that name"},
		{"namespace: port", `namespace: "$(reboot)"`, "no Kubernetes object has that name"},
		{"installedCSV: boat.v1.0.0", `installedCSV: "-o yaml"`, "no Kubernetes object has that name"},
		{"source: community", `source: "a b"`, "no Kubernetes object has that name"},
		{"spec: {name: boat,", "spec: {", "spec.name is missing"},
		{"spec: {name: boat,", "spec: {name: [],", "spec.name"},
	} {
		text := "apiVersion: v1\nkind: List\nitems:" + strings.ReplaceAll(port, c.old, c.new)
		if _, err := readSnapshot(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
	if _, err := readSnapshot("{"); err == nil {
		t.Error("what is no YAML is read")
	}
}

// BenchmarkOperators answers for as many Subscriptions of the same package: the time is to grow with their number.
func BenchmarkOperators(b *testing.B) {
	for _, namespaces := range []int{250, 1000, 4000} {
		b.Run(fmt.Sprint(namespaces), func(b *testing.B) {
			var text strings.Builder
			for i := range namespaces {
				fmt.Fprintf(&text, "---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata:\n  name: ferry\n  namespace: n%d\n"+
					"spec:\n  name: ferry\n  source: tide\n  sourceNamespace: olm\n", i)
			}
			for b.Loop() {
				var s snapshot.Snapshot
				if err := s.Read("", strings.NewReader(text.String())); err != nil {
					b.Fatal(err)
				}
				c, err := NewCluster(&s)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := NewestRelease().Operators(c, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
