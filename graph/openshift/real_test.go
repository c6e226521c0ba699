package openshift_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// TestEndsOfRealCatalogs asks OLM v0's resolver about each head of public catalogs, in each newer one. Packages with requirements, which Ends leaves out,
// and with an olm.maxOpenShiftVersion are not asked about.
func TestEndsOfRealCatalogs(t *testing.T) {
	c := &cluster{}
	for _, path := range catalogtest.Match(t, "fbc/community-v4.[0-9][0-9]") {
		cats := opentest.Open(t, path)
		minor, err := plan.ParseMinor(strings.TrimPrefix(filepath.Base(path), "community-v"))
		if err != nil {
			t.Fatal(err)
		}
		v := openshift.Version{Minor: minor, Catalog: cats[0], Packages: map[string]*catalogs.Package{}}
		read, err := resolve.NewCatalog(t.Context(), cats[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range cats[0].Packages {
			v.Packages[p.Name.Value] = p
		}
		c.All, c.resolve = append(c.All, v), append(c.resolve, read)
	}
	asked, ended, left := 0, 0, 0
	for from := range c.All {
		for to := from + 1; to < len(c.All); to++ {
			for name, p := range c.All[from].Packages {
				c.Package = name
				if limited(t, p) || limited(t, c.PackageIn(to)) {
					left++
					continue
				}
				ends, err := c.Ends(from, to, true)
				if err != nil {
					t.Fatal(err)
				}
				for _, ch := range p.Channels {
					head := onlyHead(ch)
					if head == "" {
						continue
					}
					asked++
					got := slices.ContainsFunc(ends, func(e openshift.End) bool { return e.Channel == ch.Name.Value })
					if got {
						ended++
					}
					if want := c.endsByResolver(t.Context(), t, ch.Name.Value, head, from, to) != ""; got != want {
						t.Errorf("%s of channel %s from %s to %s: ends %v, resolver %v", head, ch.Name.Value, c.All[from].Minor, c.All[to].Minor, got, want)
					}
				}
			}
		}
	}
	t.Logf("%d heads asked, %d end; %d packages left out", asked, ended, left)
}

// limited reports whether a bundle of a package has requirements or an olm.maxOpenShiftVersion.
func limited(t *testing.T, p *catalogs.Package) bool {
	if p == nil {
		return false
	}
	return slices.ContainsFunc(p.Bundles, func(b *catalogs.Bundle) bool {
		needs, err := bundled.Dependencies(b)
		if err != nil {
			t.Fatal(err)
		}
		return len(needs.Requires) > 0 || needs.MaxOpenShift.Value != ""
	})
}
