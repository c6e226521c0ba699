package mirror

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

const ships = `{schema: olm.package, name: boat, defaultChannel: stable}
---
{schema: olm.channel, package: boat, name: stable, entries: [{name: boat.v1.0.0}, {name: boat.v1.1.0, replaces: boat.v1.0.0}, {name: boat.v1.2.0, replaces: boat.v1.1.0}]}
---
{schema: olm.channel, package: boat, name: old, entries: [{name: boat.v1.0.0}]}
---
{schema: olm.bundle, package: boat, name: boat.v1.0.0, image: 'r.example/boat:1.0.0', properties: [{type: olm.package, value: {packageName: boat, version: 1.0.0}}]}
---
{schema: olm.bundle, package: boat, name: boat.v1.1.0, image: 'r.example/boat:1.1.0', properties: [{type: olm.package, value: {packageName: boat, version: 1.1.0}}]}
---
{schema: olm.bundle, package: boat, name: boat.v1.2.0, image: 'r.example/boat:1.2.0', properties: [{type: olm.package, value: {packageName: boat, version: 1.2.0}}, {type: olm.package.required, value: {packageName: sail, versionRange: '<2.0.0'}}]}
---
{schema: olm.package, name: sail, defaultChannel: stable}
---
{schema: olm.channel, package: sail, name: stable, entries: [{name: sail.v1.0.0}, {name: sail.v1.1.0, replaces: sail.v1.0.0}, {name: sail.v2.0.0, replaces: sail.v1.1.0}]}
---
{schema: olm.bundle, package: sail, name: sail.v1.0.0, image: 'r.example/sail:1.0.0', properties: [{type: olm.package, value: {packageName: sail, version: 1.0.0}}]}
---
{schema: olm.bundle, package: sail, name: sail.v1.1.0, image: 'r.example/sail:1.1.0', properties: [{type: olm.package, value: {packageName: sail, version: 1.1.0}}]}
---
{schema: olm.bundle, package: sail, name: sail.v2.0.0, image: 'r.example/sail:2.0.0', properties: [{type: olm.package, value: {packageName: sail, version: 2.0.0}}]}
`

// installedCluster returns a snapshot with a Subscription of each line: namespace, package, channel, installed bundle.
func installedCluster(t *testing.T, image string, lines ...string) *Cluster {
	t.Helper()
	text := "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: ships, namespace: olm}, spec: {image: '" + image + "'}}\n" +
		"- {apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: none, namespace: nowhere}, spec: {version: 1.0.0}}\n"
	for _, line := range lines {
		f := strings.Fields(line)
		text += "- {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: " + f[1] + ", namespace: " + f[0] + "}, spec: {name: " + f[1] + ", channel: " + f[2] +
			", source: ships, sourceNamespace: olm}, status: {installedCSV: " + f[3] + "}}\n"
	}
	s := &snapshot.Snapshot{}
	if err := s.Read("cluster.yaml", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	c, err := NewCluster(s, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// findings returns kinds, channels and who is affected, with the errors first.
func findings(r *Report) string {
	var all []string
	for _, f := range r.Findings {
		one := f.Severity.String() + " " + f.Kind.String()
		for _, part := range []string{f.Package, f.Channel, strings.Join(labels(f.Users), ","), strings.Join(f.Bundles, ",")} {
			if part != "" {
				one += " " + part
			}
		}
		all = append(all, one)
	}
	return strings.Join(all, "; ")
}

func report(t *testing.T, catalog, lines string, cluster *Cluster) *Report {
	t.Helper()
	r, err := Check(t.Context(), parse(t, lines), []*catalogs.Catalog{opentest.Text(t, catalog)}, cluster)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFindings(t *testing.T) {
	const sail = "    - {name: sail, minVersion: 1.0.0, maxVersion: 1.1.0}\n"
	for _, tt := range []struct {
		name, lines, image string
		subscriptions      []string
		want               string
	}{
		{name: "a head that requires what is not mirrored", lines: "    packages: [{name: boat, minVersion: 1.1.0, channels: [{name: stable}]}]\n",
			want: "error requirement boat boat.v1.2.0"},
		{name: "what is installed meets a requirement", lines: "    packages: [{name: boat, channels: [{name: stable, minVersion: 1.1.0}]}]\n", image: "mirror.example/x/catalog:v0",
			subscriptions: []string{"a sail stable sail.v1.1.0", "a boat stable boat.v1.0.0"}, want: "error unmirrored sail stable 1.1.0 in namespace a; warning renamed"},
		{name: "all that is needed", lines: "    packages:\n    - {name: boat, channels: [{name: stable, minVersion: 1.1.0}]}\n" + sail,
			want: "warning head sail stable sail.v2.0.0; info unneeded sail sail.v1.0.0"},
		{name: "a channel that a Subscription names", lines: "    packages:\n    - {name: boat, channels: [{name: stable}]}\n" + sail, image: "r.example/catalog:v0", subscriptions: []string{"a boat old boat.v1.0.0"},
			want: "error unmirrored boat old 1.0.0 in namespace a; warning head sail stable sail.v2.0.0; warning renamed; info unneeded sail sail.v1.0.0"},
		{name: "newer than what is mirrored", lines: "    packages:\n    - {name: sail, maxVersion: 1.0.0}\n", image: "r.example/catalog:v0", subscriptions: []string{"a sail stable sail.v2.0.0", "b sail stable sail.v1.1.0", "c sail stable sail.v0.9.0"},
			want: "warning head sail stable sail.v2.0.0; warning newer sail stable 1.1.0 in namespace b; warning renamed"},
		{name: "stranded in one namespace", lines: "    packages:\n    - {name: boat, channels: [{name: stable}]}\n" + sail, image: "r.example/catalog:v0", subscriptions: []string{"a boat stable boat.v1.0.0", "b boat stable boat.v1.1.0"},
			want: "error stranded boat stable 1.0.0 in namespace a boat.v1.1.0; warning head sail stable sail.v2.0.0; warning renamed; info unneeded sail sail.v1.0.0"},
		{name: "another catalog", lines: "    packages:\n    - {name: boat, channels: [{name: stable}]}\n" + sail, image: "r.example/elsewhere:v0", subscriptions: []string{"a boat old boat.v1.0.0"},
			want: "warning head sail stable sail.v2.0.0; info unneeded sail sail.v1.0.0"},
		{name: "several versions that are the same", lines: "    packages:\n    - {name: sail, minVersion: 3.0.0, maxVersion: 3.0.0}\n", want: "error rejected sail stable"},
	} {
		var cluster *Cluster
		if tt.image != "" {
			cluster = installedCluster(t, tt.image, tt.subscriptions...)
		}
		if got := findings(report(t, ships, tt.lines, cluster)); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestRealImageSet: who an image set of real packages strands.
func TestRealImageSet(t *testing.T) {
	text, err := os.ReadFile(catalogtest.Data(t, "admin/imageset.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := imageset.Parse("imageset.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	whole := opentest.Open(t, catalogtest.Data(t, filepath.Join("fbc", "community-v4.18")))
	r, err := Check(t.Context(), config, whole, nil)
	if err != nil || len(r.Findings) == 0 || r.Findings[0].Kind != Stranded || r.Findings[0].Package != "rabbitmq-cluster-operator" || len(r.Findings[0].Users) != 10 {
		t.Fatal(err, findings(r))
	}
}

// FuzzCheck filters catalogs by any image set: what is found has a place and words.
func FuzzCheck(f *testing.F) {
	f.Add("    packages: [{name: boat, minVersion: 1.1.0, channels: [{name: stable}]}, {name: sail, maxVersion: 1.1.0}]\n")
	f.Add("    full: true\n    packages: [{name: boat, defaultChannel: old, channels: [{name: old}]}, {name: bare}, {name: none}]\n")
	f.Add("    packages: [{name: bare}]\n")
	f.Add("    packages: [{name: boat, minVersion: 1.0.0, maxVersion: 1.0.0}]\n  - catalog: b:v1\n    packages: [{name: sail}]\n")
	c := opentest.Text(f, ships+"---\n{schema: olm.package, name: bare, defaultChannel: x}\n---\n{schema: olm.channel, package: half, name: a, entries: [{name: half.v1}, {name: half.v2, replaces: half.v1}]}\n")
	f.Fuzz(func(t *testing.T, lines string) {
		config, err := imageset.Parse("imageset.yaml", []byte(header+lines))
		if err != nil || len(config.Operators) > 3 {
			return
		}
		whole := slices.Repeat([]*catalogs.Catalog{c}, len(config.Operators))
		r, err := Check(t.Context(), config, whole, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range r.Findings {
			if one.Pos.Line < 1 || one.Message == "" {
				t.Errorf("%q: a finding without a place or words: %+v", lines, one)
			}
		}
	})
}
