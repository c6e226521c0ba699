package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// TestObject: a key is misspelt if it is like one that the object does not have, and only then.
func TestObject(t *testing.T) {
	for text, want := range map[string]string{
		"schema: olm.channel\nentry: []":                                                          "entry: entries",
		"schema: olm.channel\nentries:\n- name: a\n  replace: b\n  replaces: c":                   "",
		"schema: olm.channel\nentries:\n- name: a\n  replace: b\n- name: c\n  skip-range: <1.0.0": "replace: replaces, skip-range: skipRange",
		"schema: olm.package\nDEFAULTCHANNEL: a\ncontact: b":                                      "",
		"schema: olm.bundles\nname: a":                                                            "olm.bundles: olm.bundle",
		"schema: com.example.bundle\nimage: a":                                                    "",
		"schema: bundle\nname: a":                                                                 "",
		"schema: bundle\nimage: a":                                                                "bundle: olm.bundle",
		"schema: olm.contact":                                                                     "olm.contact: ",
		"schema: olm.foreign\nentry: a":                                                           "",
		"scheme: olm.package\nname: a":                                                            "scheme: schema",
		"scheme: http\nname: a":                                                                   "",
		"schema: olm.bundle\nproperties:\n- type: olm.gkv\n  value: {}\n- type: com.example.gvk\n  value: {}": "olm.gkv: olm.gvk",
		"schema: olm.bundle\nproperties:\n- type: olm.package\n  value:\n  packageName: a":                    "packageName: packageName",
		"a: b": "",
	} {
		check(t, text, want, func(root *tree.Node) []Correction {
			return CorrectObject(root, func(schema string) bool { return schema == "olm.foreign" })
		})
	}
}

func TestManifest(t *testing.T) {
	const csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n"
	const prefix = "operators.operatorframework.io.bundle."
	for text, want := range map[string]string{
		csv + "spec:\n  replace: a":                                              "replace: replaces",
		csv + "spec:\n  installModes: []\n  contact: a":                          "",
		csv + "metadata:\n  annotations:\n    olm.skip-range: <1.0.0":            "olm.skip-range: olm.skipRange",
		csv + "metadata:\n  annotations:\n    olm.skiprange: <1.0.0":             "",
		"apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVerison": "ClusterServiceVerison: ClusterServiceVersion",
		"apiVersion: operators.coreos.com/v1\nkind: OperatorGroup":               "",
		"apiVersion: v1\nkind: ConfigMap\nspecs: {}":                             "",
		"annotations:\n  " + prefix + "channel.v1: a":                            prefix + "channel.v1: " + prefix + "channels.v1",
		"annotations:\n  " + prefix + "default.channel.v1: a":                    prefix + "default.channel.v1: " + prefix + "channel.default.v1",
		"annotations:\n  operators.operatorframework.io.metrics.builder: a":      "",
		"dependancies: []": "dependancies: dependencies",
		"packageName: a\nchannels:\n- name: b\n  curentCSV: c": "curentCSV: currentCSV",
	} {
		check(t, text, want, CorrectManifest)
	}
}

func check(t *testing.T, text, want string, correct func(*tree.Node) []Correction) {
	t.Helper()
	root, _, err := tree.ParseYAML([]byte(text), tree.Place{Line: 1, Col: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range correct(&root) {
		got = append(got, fmt.Sprintf("%s: %s", c.Was, c.Meant))
	}
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("%q: %q, want %q", text, got, want)
	}
	if again := correct(&root); len(again) > 0 && again[0].Meant != "" && again[0].Kind != MisspeltNesting {
		t.Errorf("%q: %v after the correction", text, again)
	}
}
