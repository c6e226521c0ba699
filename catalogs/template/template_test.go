package template_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/template"
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

// show returns faults as "line:col CAUSE", with "accepted " before what opm accepts.
func show(faults []template.Fault) []string {
	var lines []string
	for _, f := range faults {
		accepted := ""
		if f.Accepted {
			accepted = "accepted "
		}
		lines = append(lines, fmt.Sprintf("%d:%d %s%s", f.Line, f.Col, accepted, f.Cause[0]))
	}
	return lines
}

// readCase is a template, and its faults as show returns them.
type readCase struct{ name, text, want string }

func TestReadFaults(t *testing.T) {
	check(t, []readCase{
		{"no keys", "", "1:1 no-schema"},
		{"a text", "olm.semver", "1:1 kind"},
		{"no schema", "stable: {bundles: [{image: a}]}", "1:1 no-schema"},
		{"a misspelt key of the schema", "scheme: olm.semver", "1:1 unknown-key"},
		{"the schema under another key", "kind: olm.semver", "1:1 unknown-key"},
		{"a misspelt schema", "schema: olm.semvr", "1:9 unknown-schema"},
		{"a schema in another case", "schema: OLM.Semver", "1:9 unknown-schema"},
		{"a number as schema", "schema: 1", "1:9 kind"},
		{"the last schema in order counts", "schema: olm.template.basic\nSchema: olm.semver\nentries: [{}]", "2:1 accepted other-case"},

		{"good", "schema: olm.semver\nstable:\n  bundles:\n  - image: a", ""},
		{"keys in any case", "SCHEMA: olm.semver\nSTABLE:\n  Bundles:\n  - IMAGE: a", ""},
		{"JSON", `{"schema": "olm.semver", "fast": {"bundles": [{"image": "a"}]}}`, ""},
		{"an unknown key", "schema: olm.semver\nstabel:\n  bundles:\n  - image: a", "2:1 unknown-key"},
		{"an unknown key in a stream", "schema: olm.semver\nstable:\n  bundle:\n  - image: a", "3:3 unknown-key"},
		{"an unknown key of a bundle", "schema: olm.semver\nstable:\n  bundles:\n  - image: a\n    name: b", "5:5 unknown-key"},
		{"a key twice", "schema: olm.semver\nstable: {bundles: [{image: a}]}\nstable: {bundles: [{image: a}]}", "3:1 repeated-key"},
		{"a stream in two spellings", "schema: olm.semver\nstable: {bundles: [{image: a}]}\nStable: {bundles: [{image: a}, {image: b}]}", "3:1 accepted other-case"},
		{"no bundles", "schema: olm.semver\nstable: {}", "1:1 no-bundles"},
		{"nulls", "schema: olm.semver\nstable:\nfast: {bundles: }\ncandidate: {bundles: [{image: a}]}\ngenerateMajorChannels:\n", ""},
		{"a list as stream", "schema: olm.semver\nstable: [{image: a}]", "2:9 kind"},
		{"a text as bundle", "schema: olm.semver\nstable: {bundles: [a]}", "2:20 kind"},
		{"no image", "schema: olm.semver\nstable: {bundles: [{image: a}, {}, ~]}", "2:32 no-image, 2:36 no-image"},
		{"a number is an image", "schema: olm.semver\nstable: {bundles: [{image: 4}]}", ""},
		{"an image twice", "schema: olm.semver\nfast: {bundles: [{image: a}]}\nstable: {bundles: [{image: a}, {image: a}]}", "3:40 repeated-image"},
		{"a text as boolean", "schema: olm.semver\ngenerateMajorChannels: 'true'\nstable: {bundles: [{image: a}]}", "2:24 kind"},
		{"an unknown preference", "schema: olm.semver\ndefaultChannelTypePreference: max\nstable: {bundles: [{image: a}]}", "2:31 value"},
		{"a preference that is not generated", "schema: olm.semver\ndefaultChannelTypePreference: major\nstable: {bundles: [{image: a}]}", "2:31 value"},
		{"a preference that is generated", "schema: olm.semver\ngenerateMajorChannels: yes\ndefaultChannelTypePreference: major\nstable: {bundles: [{image: a}]}", ""},
	})
}

func TestReadFaultsOfBlobs(t *testing.T) {
	check(t, []readCase{
		{"a basic template", "schema: olm.template.basic\nentries:\n- schema: olm.package\n- {schema: olm.bundle, image: a, name: b}", ""},
		{"an unknown key", "schema: olm.template.basic\nentries: [{}]\nentry: []", "3:1 accepted unknown-key"},
		{"a key twice", "schema: olm.template.basic\nentries: [{}]\nentries: [{}, {}]", "3:1 accepted repeated-key"},
		{"a key twice that says the same", "schema: olm.template.basic\nentries: [{}]\nentries: [{}]", ""},
		{"no entries", "schema: olm.template.basic", "1:9 accepted no-entries"},
		{"a map of entries", "schema: olm.template.basic\nentries: {}", "2:10 kind"},
		{"entries of other kinds", "schema: olm.template.basic\nentries: [a, ~]", "2:11 kind, 2:14 kind"},
		{"an entry of another kind that is not read", "schema: olm.template.basic\nEntries: [a]\nentries: [{}]", "2:1 accepted other-case, 2:11 kind"},
		{"a bundle without image", "schema: olm.template.basic\nentries: [{schema: olm.bundle, name: a}]", "2:11 no-image"},
		{"a whole bundle", "schema: olm.template.basic\nentries: [{schema: olm.bundle, image: a, package: b, Properties: [{}], relatedimages: [{}]}]",
			"2:42 not-expanded, 2:54 not-expanded, 2:72 not-expanded"},
		{"empty fields of a bundle", "schema: olm.template.basic\nentries: [{schema: olm.bundle, image: a, package: '', properties: [], relatedImages: }]", ""},

		{"substitutes", "schema: olm.template.substitutes\nentries: [{schema: olm.bundle, image: a, package: b}]\nsubstitutions: [{name: a, base: b}]", ""},
		{"substitutions that lack something", "schema: olm.template.substitutes\nentries: [{}]\nsubstitutions:\n- {base: b}\n- {name: a}\n- ~\n- {name: a, base: a}",
			"4:3 incomplete, 5:3 incomplete, 6:3 incomplete, 7:10 same-name"},
		{"substitutions twice", "schema: olm.template.substitutes\nentries: [{}]\nsubstitutions:\n- {name: a, base: b}\n- {name: a, base: c}\n- {name: d, base: b}",
			"5:10 repeated-name, 6:19 repeated-base"},
		{"a number as base", "schema: olm.template.substitutes\nentries: [{}]\nsubstitutions: [{name: a, base: 1}]", "3:17 incomplete, 3:33 kind"},
	})
}

func check(t *testing.T, cases []readCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, faults := template.Read(parse(t, c.text))
			if got := strings.Join(show(faults), ", "); got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
			}
			for _, f := range faults {
				if f.Message == "" || f.Fix == "" || f.Line < 1 {
					t.Errorf("incomplete: %+v", f)
				}
			}
		})
	}
}

func TestReadMessages(t *testing.T) {
	for _, c := range []struct{ text, message, fix string }{
		{"schema: olm.semver\nFast: {bundles: [{image: a}]}\nFAST: {}",
			`the keys "FAST" and "Fast" are the same to opm: it takes the last one in alphabetical order, "Fast"`, "make them one fast"},
		{"schema: olm.semver\nFast: {bundles: [{image: a}]}\nfast: {}", `the keys "Fast" and "fast" are the same to opm: it reads both`, "make them one fast"},
		{"schema: olm.semver\ngeneratemajorchannels: true\ngenerateMajorChannels: false\nfast: {bundles: [{image: a}]}",
			`the keys "generateMajorChannels" and "generatemajorchannels" are the same to opm: it takes the last one in alphabetical order, "generatemajorchannels"`, "make them one generateMajorChannels"},
		{"schema: olm.template.basic\nEntries: [{}]\nentries: []",
			`the keys "Entries" and "entries" are the same to opm: it takes the last one in alphabetical order, "entries", and loses the 1 item of "Entries"`, "make them one entries"},
		{"schema: olm.semver\nstable: [{image: a}]", "stable is a list: opm requires keys and values", "put it under bundles:"},
		{"schema: olm.semver\nstable: {bundles: [a]}", "stable.bundles[0] is a string: opm requires keys and values", "put it under image:"},
		{"schema: olm.semver\ngenerateMajorChannels: 'true'\nfast: {bundles: [{image: a}]}", "generateMajorChannels is a string: opm requires a boolean", "write true"},
		{"schema: olm.semver\nfast: {bundles: [{image: a}]}\nfoo: 1",
			`no key "foo" is known: opm rejects the template`, "remove it; known keys: schema, generateMajorChannels, generateMinorChannels, defaultChannelTypePreference, candidate, fast, stable"},
		{"schema: olm.semver\nstable: {bundels: [{image: c}]}\nfast: {bundles: [{image: c}]}", `no key "bundels" is known in stable: opm rejects the template`, "write bundles"},
		{"schema: olm.semver\ngenerate-major-channel: true\nfast: {bundles: [{image: c}]}", `no key "generate-major-channel" is known: opm rejects the template`, "write generateMajorChannels"},
	} {
		_, faults := template.Read(parse(t, c.text))
		if len(faults) != 1 || faults[0].Message != c.message || faults[0].Fix != c.fix {
			t.Errorf("%s\ngot  %+v\nwant %s (%s)", c.text, faults, c.message, c.fix)
		}
	}
}

// TestOtherSpelling is of what encoding/json does: the last spelling in order is decoded into what the others left.
func TestOtherSpelling(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Stable: {bundles: [{image: a}, {image: b}]}\nstable: {bundles: [{image: c}]}", "c"},
		{"stable: {bundles: [{image: c}]}\nStable: {bundles: [{image: a}, {image: b}]}", "c"},
		{"Stable: {bundles: [{image: a}]}\nstable: {}", "a"},
		{"Stable: {bundles: [{image: a}]}\nstable:", "a"},
		{"Stable: {bundles: [{image: a}]}\nstable: {bundles: }", ""},
		{"Stable: {bundles: [{image: a}]}\nstable: {bundles: []}", ""},
		{"STABLE: {bundles: [{image: a}, {image: b}]}\nStable: {bundles: [{image: c}]}\nstable: {bundles: [{}, {}, {image: d}]}", "c b d"},
		{"stable: {bundles: [{image: a}], Bundles: [{image: b}]}", "a"},
		{"stable: {bundles: [{image: a, Image: b}]}", "a"},
	} {
		f, _ := template.Read(parse(t, "schema: olm.semver\n"+c.text))
		var images []string
		for _, image := range f.Channels.Images() {
			images = append(images, image.Value)
		}
		if got := strings.Join(images, " "); got != c.want {
			t.Errorf("%s\ngot %q, want %q", c.text, got, c.want)
		}
	}
}

func TestReadPlaces(t *testing.T) {
	f, faults := template.Read(parse(t, "Schema: olm.semver\nFast:\n  bundles:\n  - image: a\ncandidate:\n  bundles:\n  - image: b\n  - image: a\n"))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var got []string
	for _, s := range f.Channels.Streams {
		got = append(got, fmt.Sprintf("%s %d:%d", s.Archetype, s.Place.Line, s.Place.Col))
		for _, image := range s.Images {
			got = append(got, fmt.Sprintf("%s %d:%d", image.Value, image.Place.Line, image.Place.Col))
		}
	}
	if diff := cmp.Diff([]string{"candidate 5:1", "b 7:12", "a 8:12", "fast 2:1", "a 4:12"}, got); diff != "" {
		t.Error(diff)
	}
	if !f.Channels.Minor || f.Channels.Major || f.Schema != template.Semver || f.Place.Col != 9 {
		t.Errorf("%+v", f)
	}
}

// TestRepeatedKeys: a key is compared with the one before it, not with all.
func TestRepeatedKeys(t *testing.T) {
	catalogtest.CheckGrowth(t, 1, 20_000, func(n int) {
		text := "schema: olm.template.basic\n" + strings.Repeat("entries: []\n", n)
		root, _, err := tree.ParseYAML([]byte(text), tree.Place{Line: 1, Col: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, faults := template.Read(&root); len(faults) != 1 {
			t.Errorf("%d faults", len(faults))
		}
	})
}
