package rules

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
)

// TestStuckFix applies the fix of each stuck entry of real catalogs. The entry must not be stuck then, and there must be no new
// errors.
func TestStuckFix(t *testing.T) {
	names := []string{"community-v4.14", "community-v4.18", "community-v4.20", "community-v4.22"}
	if testing.Short() {
		names = names[1:2]
	}
	for _, name := range names {
		cats := opentest.Open(t, catalogtest.Data(t, "fbc/"+name))
		for _, pkg := range cats[0].Packages {
			for _, c := range pkg.Channels {
				for _, s := range graph.New(pkg, c).Stuck() {
					before := rejections(t, cats, pkg)
					skips := applyStuckFix(c, s)
					after := rejections(t, cats, pkg)
					c.Entries[s.FixEntry].Skips = skips
					this := fmt.Sprintf("graph/stuck %s %s", c.Name.Value, c.Entries[s.Entry].Name.Value)
					if slices.Contains(after, this) {
						t.Errorf("%s: %s: still stuck after the fix", name, this)
					}
					for _, f := range after {
						if !slices.Contains(before, f) {
							t.Errorf("%s: the fix of %s makes %s", name, this, f)
						}
					}
				}
			}
		}
	}
}

// applyStuckFix adds a stuck entry to the skips of the entry that should skip it, and returns the previous skips.
func applyStuckFix(c *catalogs.Channel, s graph.Stuck) []catalogs.Text {
	e := &c.Entries[s.FixEntry]
	before := e.Skips
	for _, i := range append([]int{s.Entry}, s.AlsoSkip...) {
		e.Skips = append(slices.Clone(e.Skips), c.Entries[i].Name)
	}
	return before
}

// rejections returns what opm and OLM v0 reject in a package.
func rejections(t *testing.T, cats []*catalogs.Catalog, pkg *catalogs.Package) []string {
	t.Helper()
	findings, err := lint.Run(context.Background(), cats, lint.Options{
		Rules:       All(),
		Gates:       lint.GateOPM | lint.GateOLMv0,
		MinSeverity: lint.Error,
		Packages:    []string{pkg.Name.Value},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range findings {
		for _, fault := range f.AllFaults() {
			all = append(all, fmt.Sprintf("%s %s %s", f.Rule, f.Channel, cmp.Or(fault, f.Bundle)))
		}
	}
	return all
}

// TestRealCatalogsUnderOPM checks that opm accepts the real catalogs, and that no rule reports more than half of the channels.
func TestRealCatalogsUnderOPM(t *testing.T) {
	for _, name := range []string{"community-v4.14", "community-v4.18", "community-v4.20", "community-v4.22"} {
		cats := opentest.Open(t, catalogtest.Data(t, "fbc/"+name))
		findings := lintAll(t, cats, lint.Options{Rules: family("graph", "version", "deprecation")})
		times := map[string]int{}
		for _, f := range findings {
			if f.Gates&lint.GateOPM != 0 {
				t.Errorf("%s: opm accepts it; we say %s [%s]", name, f.Message, f.Rule)
			}
			if times[f.Rule]++; times[f.Rule] == cats[0].Stats.Channels/2+1 {
				t.Errorf("%s: %s speaks of more than every second channel", name, f.Rule)
			}
		}
	}
}
