package rules_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

// semverTemplates are random templates of schema olm.semver, whose bundles are all in one catalog.
type semverTemplates struct {
	random    *rand.Rand
	versions  []string
	published *catalogs.Catalog
}

func newSemverTemplates(t *testing.T) *semverTemplates {
	t.Helper()
	s := &semverTemplates{random: rand.New(rand.NewPCG(1, 2))}
	var text strings.Builder
	for major := range 3 {
		for minor := range 4 {
			for patch := range 3 {
				s.versions = append(s.versions, fmt.Sprintf("%d.%d.%d", major, minor, patch))
			}
		}
	}
	s.versions = append(s.versions, "1.1.0-rc.1", "2.0.0-0", "1.2.2+build")
	for _, v := range s.versions {
		fmt.Fprintf(&text, "---\nschema: olm.bundle\nname: red.v%[1]s\npackage: red\nimage: quay.io/red/bundle:%[1]s\nproperties:\n- {type: olm.package, value: {packageName: red, version: %[1]s}}\n", v)
	}
	s.published = opentest.Text(t, text.String())
	return s
}

// next returns a template, and a version of opm.
func (s *semverTemplates) next() (string, template.OPM) {
	var out strings.Builder
	major, minor := s.random.IntN(2) == 0, s.random.IntN(2) == 0
	fmt.Fprintf(&out, "schema: olm.semver\ngenerateMajorChannels: %v\ngenerateMinorChannels: %v\n", major, minor || !major)
	for _, stream := range []string{"candidate", "fast", "stable"} {
		var images []string
		for _, v := range s.versions {
			if s.random.IntN(5) == 0 {
				images = append(images, "  - image: quay.io/red/bundle:"+v+"\n")
			}
		}
		if s.random.IntN(2) == 0 || stream == "stable" {
			s.random.Shuffle(len(images), func(i, j int) { images[i], images[j] = images[j], images[i] })
			fmt.Fprintf(&out, "%s:\n  bundles:\n%s", stream, strings.Join(images, ""))
		}
	}
	changes := template.Changes()
	return out.String(), changes[s.random.IntN(len(changes))]
}

// TestFixesOfGeneratedChannels: opm generates the entries of a template of schema olm.semver, so no fix is to edit one, and no version of opm
// that a fix names leaves an entry stuck.
func TestFixesOfGeneratedChannels(t *testing.T) {
	s := newSemverTemplates(t)
	lintAs := func(text string, opm template.OPM) []lint.Finding {
		cats, err := open.Open(t.Context(), "-", open.Options{Stdin: strings.NewReader(text), Sources: []*catalogs.Catalog{s.published}, OPM: opm})
		if err != nil {
			t.Fatal(err)
		}
		findings, err := lint.Run(t.Context(), cats, lint.Options{Rules: rules.All()})
		if err != nil {
			t.Fatal(err)
		}
		return findings
	}
	seen := map[string]int{}
	for range 250 {
		text, opm := s.next()
		for _, f := range lintAs(text, opm) {
			if !strings.HasPrefix(f.Rule, "graph/") {
				continue
			}
			seen[f.Rule]++
			if f.Pos.Line == 0 || len(f.Edits) > 0 || strings.Contains(f.Fix, "skips") || strings.Contains(f.Fix, "replaces") || strings.HasPrefix(f.Fix, "let an entry") {
				t.Fatalf("%s of opm %s: %s at %s\n%s", f.Rule, opm, f.Fix, f.Pos, text)
			}
			if f.Rule != "graph/stuck" {
				continue
			}
			var since string
			if _, err := fmt.Sscanf(f.Fix, "use opm %s or later", &since); err != nil {
				t.Fatalf("%s\n%s", f.Fix, text)
			}
			later, err := template.ParseOPM(since)
			if err != nil || slices.ContainsFunc(lintAs(text, later), func(f lint.Finding) bool { return f.Rule == "graph/stuck" }) {
				t.Fatalf("%s (%v): entries are still stuck\n%s", f.Fix, err, text)
			}
		}
	}
	for _, rule := range []string{"graph/stuck", "graph/channel-switch", "graph/v1-all-channels"} {
		if seen[rule] == 0 {
			t.Errorf("%s was never reported", rule)
		}
	}
}
