package pipelineconfig

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

func parse(t *testing.T, text string) *tree.Node {
	t.Helper()
	root, _, err := tree.ParseYAML([]byte(text), tree.Place{Line: 1, Col: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &root
}

// describe has a line for each fault: its line, what it says up to a colon, and a question mark if the pipelines accept it.
func describe(faults []Fault) string {
	var all []string
	for _, f := range faults {
		says, _, _ := strings.Cut(f.Message, ":")
		if f.Accepted {
			says += "?"
		}
		all = append(all, fmt.Sprintf("%d %s", f.Line, says))
	}
	return strings.Join(all, "; ")
}

func TestCheckCI(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"updateGraph: semver-mode\nreviewers: [a]\naddReviewers: true\nother: {x: 1}\n", ""},
		{"fbc:\n  enabled: true\n  version_promotion_strategy: never\n  catalog_mapping:\n  - {template_name: a.yaml, type: olm.semver, catalog_names: [v4.18]}\n", ""},
		{"updateGraph: semver-skippatch-mode\n", `1 updateGraph is "semver-skippatch-mode"`},
		{"updateGraph: replaces\n", `1 updateGraph is "replaces"`},
		{"updateGraph:\n", "1 updateGraph is empty"},
		{"updategraph: semver-mode\n", `1 no key "updategraph" is known`},
		{"- a\n", "1 ci.yaml is a list"},
		{"reviewers: a\n", "1 reviewers is a string"},
		{"reviewers: []\n", "1 reviewers is an empty list"},
		{"reviewers: [a, 1]\n", "1 reviewers[1] is a number (1)"},
		{"merge: \"true\"\n", "1 merge is a string"},
		{"cert_project_id: 123\n", "1 cert_project_id is a number (123)"},
		{"merge: true\nmerge: false\n", `2 the key "merge" is there twice?`},
		{"fbc:\n  enabled: \"yes\"\n  extra: 1\n", `2 fbc.enabled is a string; 3 no key "extra" is known in fbc`},
		{"updateGraph: semver-mode\nfbc:\n  enabled: true\n", "1 updateGraph beside fbc"},
		{"updateGraph: semver-mode\nfbc:\n  enabled: false\n", ""},
		{"fbc:\n  catalog_maping: []\n", `2 no key "catalog_maping" is known in fbc`},
		{"fbc:\n  catalog_mapping:\n  - template_name: a.yaml\n    type: olm.semver\n    catalogs_names: [v4.18]\n",
			`5 no key "catalogs_names" is known in fbc.catalog_mapping[0]`},
		{"fbc:\n  catalog_mapping:\n  - template_name: a.yaml\n    type: semver\n", `3 the key catalog_names is missing in fbc.catalog_mapping[0]; 4 fbc.catalog_mapping[0].type is "semver"`},
		{"fbc:\n  catalog_mapping:\n  - {template_name: a.yaml, type: olm.semver, catalog_names: [v4.18, v4.18]}\n",
			`3 fbc.catalog_mapping[0].catalog_names has "v4.18" twice`},
		{"fbc:\n  catalog_mapping:\n  - {template_name: a.yaml, type: olm.semver, catalog_names: [v4.18]}\n  - {template_name: b.yaml, type: olm.semver, catalog_names: [v4.18]}\n",
			`4 the catalog "v4.18" is mapped to two templates, "a.yaml" and "b.yaml"`},
		{"fbc:\n  catalog_mapping:\n  - {template_name: a.yaml, type: olm.semver, catalog_names: [4.18]}\n", "3 fbc.catalog_mapping[0].catalog_names[0] is a number (4.18)"},
	} {
		if got := describe(CheckCI(parse(t, c.text))); got != c.want {
			t.Errorf("%s%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

func TestCheckRelease(t *testing.T) {
	exists := func(name string) bool { return name == "basic.yaml" || name == "semver.yaml" }
	const ci = "fbc:\n  enabled: true\n  catalog_mapping:\n  - {template_name: basic.yaml, type: olm.template.basic, catalog_names: [v4.17]}\n" +
		"  - {template_name: semver.yaml, type: olm.semver, catalog_names: [v4.18]}\n"
	for _, c := range []struct{ text, ci, want string }{
		{"catalog_templates:\n- {template_name: basic.yaml, channels: [stable], replaces: a.v1, skips: [a.v0], skipRange: \"<1.0.0\"}\n", ci, ""},
		{"catalog_templates:\n- {template_name: semver.yaml, channels: [Fast, Stable]}\n", ci, ""},
		{"", ci, ""},
		{"{}\n", ci, "1 the key catalog_templates is missing"},
		{"catalog_templates: []\n", ci, "1 catalog_templates is an empty list"},
		{"catalog_template:\n- {template_name: basic.yaml, channels: [stable]}\n", ci, `1 no key "catalog_template" is known`},
		{"extra: 1\ncatalog_templates:\n- {template_name: basic.yaml, channels: [stable]}\n", ci, `1 no key "extra" is known`},
		{"catalog_templates:\n- template_name: basic.yaml\n  chanels: [stable]\n", ci, `3 no key "chanels" is known in catalog_templates[0]`},
		{"catalog_templates:\n- {template_name: basic.yaml, channels: [a]}\n- {template_name: basic.yaml, channels: [a]}\n", ci, "3 catalog_templates has the same item twice"},
		{"catalog_templates:\n- {template_name: basics.yaml, channels: [a]}\n", ci, `2 the template "basics.yaml" is not in catalog_mapping of ci.yaml`},
		{"catalog_templates:\n- {template_name: basic.yaml, channels: [a], defaultChannel: b}\n", ci, `2 the defaultChannel "b" is not in channels`},
		{"catalog_templates:\n- {template_name: semver.yaml, channels: [stable]}\n", ci, `2 the channel "stable" of a template of type olm.semver`},
		{"catalog_templates:\n- {template_name: semver.yaml, channels: [Stable], replaces: a.v1}\n", ci, "2 replaces for a template of type olm.semver?"},
		{"catalog_templates:\n- {template_name: basic.yaml, channels: [a]}\n", "updateGraph: semver-mode\n", "1 a release-config.yaml, but ci.yaml does not enable fbc"},
	} {
		root := parse(t, c.text)
		if got := describe(append(CheckReleaseSchema(root), CheckRelease(root, parse(t, c.ci), exists)...)); got != c.want {
			t.Errorf("%s%s\nwant\n%s", c.text, got, c.want)
		}
	}
	if got := describe(CheckRelease(parse(t, "catalog_templates: []\n"), nil, exists)); got != "1 a release-config.yaml, but ci.yaml does not enable fbc" {
		t.Error("without a ci.yaml:", got)
	}
}

func TestCheckRepository(t *testing.T) {
	const images = "index_image: {repository: a, pending_repository: b, public_repository_mirror: c}\n"
	for _, c := range []struct{ text, want string }{
		{"organization: community-operators\nmaintainers: [a]\ntests: [{name: check_operator_name, ignore_operators: [^a]}]\n" + images, ""},
		{"site_name: docs of another program\n", ""},
		{"organization: community-operator\n" + images, `1 organization is "community-operator"?`},
		{"organization: community-operators\nallowed_bundle_registries: quay.io/a\n" + images, "2 allowed_bundle_registries is a string"},
		{"organization: community-operators\nallowed_bundle_registry: [quay.io/a]\n" + images, ""},
		{"organization: community-operators\nallowed_bundle_registrys: [quay.io/a]\n" + images, `2 no key "allowed_bundle_registrys" is known?`},
		{"organization: community-operators\nindex_image: {repository: a, pending_repository: b}\n", "2 the key public_repository_mirror is missing in index_image"},
		{"organization: community-operators\n", "1 the key index_image is missing"},
		{"organization: community-operators\ntests: [{ignore_operators: a}]\n" + images, "2 the key name is missing in tests[0]; 2 tests[0].ignore_operators is a string"},
	} {
		if got := describe(CheckRepository(parse(t, c.text))); got != c.want {
			t.Errorf("%s%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// TestTooLarge: a file of a pipeline that is larger than any real one is a finding with its size, and not read.
func TestTooLarge(t *testing.T) {
	for size, want := range map[int]string{maxSize: "", maxSize + 1: "it has 65537 bytes, but olmgraph reads at most 65536, so it is not checked"} {
		s := &source.Source{Fsys: fstest.MapFS{"ci.yaml": {Data: []byte(fmt.Sprintf("%-*s", size, "updateGraph: semver-mode"))}}}
		f, said := ReadPipelineFile(s, catalogs.CIConfig, "ci.yaml"), ""
		for _, p := range f.Found {
			said += p.Message
		}
		if said != want || (f.Root == nil) != (want != "") || (ReadPublishing(s, "").Mode == "") != (want != "") {
			t.Errorf("%d bytes: %q, want %q", size, said, want)
		}
	}
}
