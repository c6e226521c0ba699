package template_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs/template"
)

// semver returns a semver template: lines "stable 1.0.0 1.1.0" list the bundles x.v1.0.0 and x.v1.1.0, others are copied.
func semver(t *testing.T, text string) (*template.SemverTemplate, map[string]template.Bundle) {
	t.Helper()
	var yaml strings.Builder
	yaml.WriteString("schema: olm.semver\n")
	bundles := map[string]template.Bundle{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if strings.HasSuffix(words[0], ":") {
			yaml.WriteString(line)
			continue
		}
		fmt.Fprintf(&yaml, "%s:\n  bundles:\n", words[0])
		for _, word := range words[1:] {
			image := "i/" + strings.NewReplacer("=", "/v", "+", "-").Replace(word)
			fmt.Fprintf(&yaml, "  - image: %s\n", image)
			name, version, ok := strings.Cut(word, "=")
			if !ok {
				name, version = "x.v"+word, word
			}
			bundles[image] = template.Bundle{Name: name, Package: "x", Version: version}
		}
	}
	f, faults := template.Read(parse(t, yaml.String()))
	for _, fault := range faults {
		t.Fatal(fault)
	}
	return f.Channels, bundles
}

// edges returns an expansion as lines "CHANNEL: HEAD<REPLACES-SKIPPED-SKIPPED …", without "x.v".
func edges(e *template.Expansion) string {
	var text strings.Builder
	for _, c := range e.Channels {
		text.WriteString(c.Name + ":")
		for _, n := range c.Entries {
			text.WriteString(" " + n.Name)
			if n.Replaces != "" {
				text.WriteString("<" + n.Replaces)
			}
			for _, s := range n.Skips {
				text.WriteString("-" + s)
			}
		}
		text.WriteString("\n")
	}
	return strings.ReplaceAll(text.String(), "x.v", "") + "default " + e.DefaultChannel + "\n"
}

func opm(t *testing.T, text string) template.OPM {
	t.Helper()
	v, err := template.ParseOPM(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestExpand(t *testing.T) {
	const both = "generateMajorChannels: true\ngenerateMinorChannels: true\n"
	for _, c := range []struct{ name, versions, text, want string }{
		{"one bundle", "v1.26.4 v1.27.0 v1.36.0 v1.46 v1.60 v1.73.0", "fast 1.0.0", "fast-v1.0: 1.0.0\ndefault fast-v1.0\n"},
		{"patches", "v1.26.4 v1.27.0 v1.36.0 v1.46 v1.60 v1.73.0", "fast 1.0.2 1.0.0 1.0.1",
			"fast-v1.0: 1.0.0 1.0.1 1.0.2-1.0.0-1.0.1\ndefault fast-v1.0\n"},
		{"minor channels name bundles of others", "v1.26.5 v1.36 v1.61", "stable 1.0.0 1.0.1 1.1.0 1.2.0 1.2.1",
			"stable-v1.0: 1.0.0 1.0.1-1.0.0\nstable-v1.1: 1.1.0<1.0.1-1.0.0\nstable-v1.2: 1.2.0 1.2.1<1.1.0-1.0.0-1.0.1-1.2.0\ndefault stable-v1.2\n"},
		{"minor channels name their own", "v1.26.4 v1.46 v1.57", "stable 1.0.0 1.0.1 1.1.0 1.2.0 1.2.1",
			"stable-v1.0: 1.0.0 1.0.1-1.0.0\nstable-v1.1: 1.1.0\nstable-v1.2: 1.2.0 1.2.1-1.2.0\ndefault stable-v1.2\n"},
		{"major channels", "v1.61", both + "stable 1.0.0 1.0.1 1.1.0 1.1.1 2.0.0",
			"stable-v1: 1.0.0 1.0.1-1.0.0 1.1.0 1.1.1<1.0.1-1.0.0-1.1.0\nstable-v1.0: 1.0.0 1.0.1-1.0.0\nstable-v1.1: 1.1.0 1.1.1<1.0.1-1.0.0-1.1.0\n" +
				"stable-v2: 2.0.0\nstable-v2.0: 2.0.0\ndefault stable-v2.0\n"},
		{"major channels skip what they replace", "v1.37 v1.56.0", "generateMajorChannels: true\nstable 1.0.0 1.0.1 1.1.0 1.1.1",
			"stable-v1: 1.0.0 1.0.1-1.0.0 1.1.0 1.1.1<1.0.1-1.0.1-1.1.0\ndefault stable-v1\n"},
		{"major channels skip their patches", "v1.57 v1.60.0", "generateMajorChannels: true\nstable 1.0.0 1.0.1 1.1.0 1.1.1",
			"stable-v1: 1.0.0 1.0.1-1.0.0 1.1.0 1.1.1<1.0.1-1.1.0\ndefault stable-v1\n"},
		{"minor channels are generated unless the template says not to", "v1.26.5 v1.27.0", "generateMajorChannels: true\nstable 1.0.0 1.1.0",
			"stable-v1: 1.0.0 1.1.0<1.0.0\nstable-v1.0: 1.0.0\nstable-v1.1: 1.1.0<1.0.0\ndefault stable-v1.1\n"},
		{"the major channel is the default", "v1.26.4", both + "stable 1.0.0 1.1.0",
			"stable-v1: 1.0.0 1.1.0<1.0.0\nstable-v1.0: 1.0.0\nstable-v1.1: 1.1.0\ndefault stable-v1\n"},
		{"the most stable archetype is the default", "v1.46 v1.61", "candidate 3.0.0\nfast 2.0.0\nstable 1.0.0",
			"candidate-v3.0: 3.0.0\nfast-v2.0: 2.0.0\nstable-v1.0: 1.0.0\ndefault stable-v1.0\n"},
		{"archetypes are not linked", "v1.61", "fast 1.0.0 1.1.0\nstable 1.1.0", "fast-v1.0: 1.0.0\nfast-v1.1: 1.1.0<1.0.0\nstable-v1.1: 1.1.0\ndefault stable-v1.1\n"},
		{"the preference decides between channels with the same lowest version", "v1.27.1 v1.61", both + "defaultChannelTypePreference: major\nstable 1.1.0",
			"stable-v1: 1.1.0\nstable-v1.1: 1.1.0\ndefault stable-v1\n"},
		{"the preference does not matter where a minor channel begins later", "v1.61", both + "defaultChannelTypePreference: major\nstable 1.0.0 1.1.0",
			"stable-v1: 1.0.0 1.1.0<1.0.0\nstable-v1.0: 1.0.0\nstable-v1.1: 1.1.0<1.0.0\ndefault stable-v1.1\n"},
		{"pre-releases", "v1.61", "stable 1.1.0-rc.2 1.1.0-rc.10 1.0.0", "stable-v1.0: 1.0.0\nstable-v1.1: 1.1.0-rc.2 1.1.0-rc.10<1.0.0-1.1.0-rc.2\ndefault stable-v1.1\n"},
		{"no version above 0.0.0", "v1.46 v1.61", "candidate 0.0.0-rc.1 0.0.1", "candidate-v0.0: 0.0.0-rc.1 0.0.1-0.0.0-rc.1\ndefault \n"},
		{"0.0.0", "v1.61", "candidate 0.0.0", "candidate-v0.0: 0.0.0\ndefault candidate-v0.0\n"},
		{"0.0.0 before there was a preference", "v1.26.4 v1.27.0", "candidate 0.0.0", "candidate-v0.0: 0.0.0\ndefault \n"},
		{"nothing to generate", "v1.26.4", "generateMinorChannels: false\nstable 1.0.0", "default \n"},
		{"channels by name", "v1.61", "stable 1.10.0 1.2.0", "stable-v1.10: 1.10.0<1.2.0\nstable-v1.2: 1.2.0\ndefault stable-v1.10\n"},
	} {
		for version := range strings.FieldsSeq(c.versions) {
			t.Run(c.name+" "+version, func(t *testing.T) {
				s, bundles := semver(t, c.text)
				e, faults := s.Expand(bundles, opm(t, version))
				if len(faults) > 0 {
					t.Fatal(faults)
				}
				if diff := cmp.Diff(c.want, edges(e)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestExpandPlaces(t *testing.T) {
	s, bundles := semver(t, "fast 1.0.0\nstable 1.0.0")
	e, _ := s.Expand(bundles, template.NewestOPM())
	var got []string
	for _, c := range e.Channels {
		got = append(got, fmt.Sprintf("%s %s %d, %s %d", c.Name, c.Archetype, c.Place.Line, c.Entries[0].Image.Value, c.Entries[0].Image.Place.Line))
	}
	if diff := cmp.Diff([]string{"fast-v1.0 fast 2, i/1.0.0 4", "stable-v1.0 stable 5, i/1.0.0 7"}, got); diff != "" || e.Package != "x" {
		t.Error(diff, e.Package)
	}
}

func TestExpandFaults(t *testing.T) {
	for _, c := range []struct{ name, version, text, want string }{
		{"two images with one name", "v1.61", "stable a=1.0.0 b=1.1.0 a=1.2.0", "6:12 repeated-name"},
		{"the name in two archetypes", "v1.61", "fast a=1.0.0\nstable a=1.0.0", ""},
		{"versions that differ by build metadata", "v1.61", "stable 1.0.0 1.0.0+1", "5:12 same-version"},
		{"the same version", "v1.61", "stable a=1.0.0 b=1.0.0 a=1.2.0", "6:12 repeated-name, 5:12 same-version"},
		{"versions in two archetypes", "v1.61", "fast 1.0.0\nstable 1.0.0+1", ""},
		{"no version", "v1.61", "stable a= b=1.0 c=v1.0.0 d=1.0.0", "4:12 version-syntax, 5:12 version-syntax, 6:12 version-syntax"},
		{"no preference before v1.27.1", "v1.27.0", "generateMajorChannels: true\ndefaultChannelTypePreference: major\nstable 1.0.0", "3:31 older-opm"},
		{"an empty preference before v1.27.1", "v1.27.0", "defaultChannelTypePreference:\nstable 1.0.0", "2:30 older-opm"},
		{"nothing to generate before v1.27.1", "v1.26.5", "generateMinorChannels: false\nstable 1.0.0", "3:1 nothing"},
		{"nothing to generate", "v1.61", "generateMinorChannels: false\nstable 1.0.0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, bundles := semver(t, c.text)
			e, faults := s.Expand(bundles, opm(t, c.version))
			if got := strings.Join(show(faults), ", "); got != c.want || (e == nil) != (got != "") {
				t.Errorf("got %s, want %s; %v", got, c.want, e)
			}
		})
	}
	s, bundles := semver(t, "stable 1.0.0 1.1.0 1.2.0")
	delete(bundles, "i/1.0.0")
	bundles["i/1.2.0"] = template.Bundle{Name: "y.v1.2.0", Package: "y", Version: "1.2.0"}
	if _, faults := s.Expand(bundles, template.OPM{}); strings.Join(show(faults), ", ") != "4:12 unknown-bundle, 6:12 other-package" {
		t.Error(faults)
	}
}

func TestOPM(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"v1.46", "v1.46.0"}, {"1.46.0", "v1.46.0"}, {"1.26", "v1.26.5"}, {"v1.26.4", "v1.26.4"}, {"v2.0", "v2.0.0"},
		{"v1.26.3", "opm v1.26.3 has no templates: its command render-template came with v1.26.4"},
		{"1.25", "opm v1.25.0 has no templates: its command render-template came with v1.26.4"},
		{"", `"" is not a version of opm, such as v1.46.0`}, {"v1", `"v1" is not a version of opm, such as v1.46.0`},
		{"latest", `"latest" is not a version of opm, such as v1.46.0`}, {"v1.46.0\n", `"v1.46.0\n" is not a version of opm, such as v1.46.0`},
	} {
		v, err := template.ParseOPM(c.text)
		got := v.String()
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"v1.27.1", "v1.36.0", true}, {"v1.36.0", "v1.37.0", false}, {"v1.36.0", "v1.73.0", true}, {"v1.37", "v1.56", true}, {"v1.56", "v1.57", false},
		{"v1.57", "v1.60", true}, {"v1.60", "v1.61", false}, {"v1.26.5", "v1.27.0", true}, {"v1.27.0", "v1.27.1", false}, {"v1.26.4", "v1.26.5", false}, {"v1.99", "v1.61", true},
	} {
		if opm(t, c.a).SameExpansion(opm(t, c.b)) != c.same {
			t.Errorf("%s %s: want %v", c.a, c.b, c.same)
		}
	}
	if (template.OPM{}).String() != template.NewestOPM().String() || !(template.OPM{}).SameExpansion(template.NewestOPM()) {
		t.Error("the zero value is not the newest version")
	}
}

func TestPinnedOPM(t *testing.T) {
	const curl = "bin/opm:\n\tcurl -sLO https://github.com/operator-framework/operator-registry/releases/download/"
	for _, c := range []struct{ name, text, want string }{
		{"a default", "YQ_VERSION ?= v4.45.1\nOPM_VERSION ?= v1.46.0\n" + curl + "$(OPM_VERSION)/$(OS)-$(ARCH)-opm && chmod +x opm", "v1.46.0"},
		{"other assignments", "export OPM_VERSION:=1.71.0 # newest\n", "v1.71.0"},
		{"the first default", "OPM_VERSION ?= v1.46.0\nOPM_VERSION ?= v1.71.0", "v1.46.0"},
		{"the last assignment", "OPM_VERSION ?= v1.46.0\r\nOPM_VERSION = v1.71.0\r\n", "v1.71.0"},
		{"the address", "OPM_VERSION = v1.71.0\n" + curl + "v1.23.0/$${OS}-opm", "none"},
		{"the address", "OPM_VERSION = v1.71.0\n" + curl + "v1.55.0/$${OS}-opm", "v1.55.0"},
		{"another variable", "REGISTRY=1.50.0\n" + curl + "v${REGISTRY}/linux-amd64-opm", "v1.50.0"},
		{"go install", "\tgo install github.com/operator-framework/operator-registry/cmd/opm@v1.47.0\n", "v1.47.0"},
		{"a comment", "# OPM_VERSION ?= v1.46.0\n#\tcurl operator-registry/releases/download/v1.46.0/opm\n", "none"},
		{"a command", "\tOPM_VERSION=v1.46.0 make", "none"},
		{"computed", "OPM_VERSION = $(shell latest)", "none"},
		{"nothing", "", "none"},
	} {
		v, ok := template.PinnedOPM([]byte(c.text))
		got := "none"
		if ok {
			got = v.String()
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestCheckSubstitutions(t *testing.T) {
	// Versions are VERSION or VERSION/RELEASE.
	for _, c := range []struct{ substitute, base, want string }{
		{"1.0.1", "1.0.0", ""}, {"1.0.0", "1.0.0", "4:10 not-higher"}, {"1.0.0", "1.0.1", "4:10 not-higher"}, {"1.0.0", "1.0.0-rc.1", ""},
		{"1.0.0+2", "1.0.0+1", "4:10 not-higher"}, {"1.0.0/1", "1.0.0", ""}, {"1.0.0", "1.0.0/1", "4:10 not-higher"}, {"1.0.0/10", "1.0.0/9", ""},
		{"1.0.0/1", "1.0.0/1", "4:10 not-higher"}, {"1.0", "0.9.0", "4:10 not-higher"}, {"0.9.0/2", "1.0.0/1", "4:10 not-higher"},
	} {
		f, _ := template.Read(parse(t, "schema: olm.template.substitutes\nentries: [{}]\nsubstitutions:\n- {name: image, base: base}\n"))
		bundle := func(name, version string) map[string]template.Bundle {
			version, release, _ := strings.Cut(version, "/")
			return map[string]template.Bundle{name: {Name: name, Version: version, Release: release}}
		}
		if got := strings.Join(show(template.CheckSubstitutions(f.Substitutions, bundle("image", c.substitute), bundle("base", c.base))), ", "); got != c.want {
			t.Errorf("%s for %s: got %s, want %s", c.substitute, c.base, got, c.want)
		}
	}
	f, _ := template.Read(parse(t, "schema: olm.template.substitutes\nentries: [{}]\nsubstitutions:\n- {name: i1, base: v0}\n- {name: i2, base: v1}\n- {name: i3, base: v4}\n"))
	byImage := map[string]template.Bundle{"i1": {Name: "v1", Version: "0.1.0"}, "i2": {Name: "v2", Version: "0.2.0"}}
	if got := strings.Join(show(template.CheckSubstitutions(f.Substitutions, byImage, map[string]template.Bundle{"v0": {Name: "v0", Version: "0.0.0"}})), ", "); got != "6:20 unknown-base" {
		t.Error("a substitute may be a base:", got)
	}
}
