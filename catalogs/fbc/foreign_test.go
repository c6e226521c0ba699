package fbc

import (
	"strings"
	"testing"
)

// TestForeign wants each text to be recognised by what it says, in YAML and in JSON, and nothing of it to be taken for a package.
func TestForeign(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"schema: olm.template.basic\nentries: [{schema: olm.package, name: red}]", "a template (olm.template.basic)"},
		{"Schema: olm.semver\nStable: {Bundles: [{Image: x}]}", "a template (olm.semver)"},
		{`{"SCHEMA": "olm.template.substitutes"}`, "a template (olm.template.substitutes)"},
		{`{"csvName": "red.v1", "packageName": "red", "channelName": "stable"}` + "\n" + `{"csvName": "red.v2", "bundlePath": "x"}`,
			"an answer of ListBundles of a catalog's pod (as grpcurl prints it)"},
		{`{"name": "red", "channels": [{"name": "stable", "csvName": "red.v1"}], "defaultChannelName": "stable"}`,
			"an answer of GetPackage of a catalog's pod (as grpcurl prints it)"},
		{"apiVersion: packages.operators.coreos.com/v1\nkind: PackageManifest", "the package manifests that a cluster's package server shows (kubectl get packagemanifests)"},
		{"apiVersion: v1\nkind: List\nitems: [{apiVersion: packages.operators.coreos.com/v1, kind: PackageManifest}]",
			"the package manifests that a cluster's package server shows (kubectl get packagemanifests)"},
		{"apiVersion: v1\nkind: ConfigMap\ndata: {clusterServiceVersions: x}", "a catalog in a ConfigMap"},
		{"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, data: {packages: x}}]", "a catalog in a ConfigMap"},
		{"apiVersion: v1\nkind: ConfigMap\ndata: {a: b}", `a Kubernetes object (kind "ConfigMap")`},
		{"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}]", `a Kubernetes object (kind "List")`},
		{"apiVersion: v1\nkind: \"a\\x1b[31m\\u202e\"", `a Kubernetes object (kind "a\x1b[31m\u202e")`},
		{"kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1", "an ImageSetConfiguration of oc-mirror"},
		{"apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource", "a CatalogSource"},
		{"apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion", "a ClusterServiceVersion"},
		{"packageName: red\nchannels: [{name: stable, currentCSV: red.v1}]", "a package manifest"},
		{"annotations: {operators.operatorframework.io.bundle.package.v1: red}", "the annotations of a bundle"},
		{"dependencies: [{type: olm.gvk}]", "the dependencies of a bundle"},
		{"updateGraph: semver-mode", "the ci.yaml of a catalog repository"},
		{"fbc: {enabled: true}", "the ci.yaml of a catalog repository"},
		{"catalog_templates: [{template_name: v4.20.yaml, channels: [stable]}]", "the release-config.yaml of a bundle in a catalog repository"},
		{"merge: false\ncatalog_templates: [{template_name: a}]", "the release-config.yaml of a bundle in a catalog repository"},
		{`{"schemaVersion": 2, "layers": []}`, "the manifest of a container image"},
		{`{"imageLayoutVersion": "1.0.0"}`, "the mark of an OCI image layout"},
		{"apiVersion: v2\nname: red\nversion: 1.0.0", "the Chart.yaml of a Helm chart"},
		{"schema: olm.bundel\nname: red", `objects of schema "olm.bundel"`},
		{"schema: olm.deprecations\npackage: red\nentries: []", "deprecations (olm.deprecations) of a package that is not there"},
		{"{}", ""},
	} {
		c := loadText(t, []byte(test.text+"\n"), chunkSize)
		found, none := c.NoPackage()
		if !none || found.What != test.want || found.Fix == "" || !found.Pos.IsKnown() && test.want != "" {
			t.Errorf("%q: %+v, %v; want %q", test.text, found, none, test.want)
		}
		if n := strings.Count(problemText(c), "has no schema"); n > 1 {
			t.Errorf("%q: %d problems for one file:\n%s", test.text, n, problemText(c))
		}
	}
	for _, catalog := range []string{twoFormats, "schema: olm.package\nname: red\n", "schema: olm.channel\npackage: red\nname: stable\n",
		"schema: olm.bundle\npackage: red\nname: red.v1\n"} {
		if found, none := loadText(t, []byte(catalog), chunkSize).NoPackage(); none {
			t.Errorf("%.40q: %+v", catalog, found)
		}
	}
}
