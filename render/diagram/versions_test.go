package diagram

import (
	"fmt"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/graph/plan"
)

// TestVersionsCost checks that the entries of all channels are not followed once for each channel.
func TestVersionsCost(t *testing.T) {
	text := func(s string) catalogs.Text { return catalogs.Text{Value: s} }
	p := &catalogs.Package{Name: text("p"), DefaultChannel: text("c0")}
	for i := range 20 {
		p.Bundles = append(p.Bundles, &catalogs.Bundle{Name: text(fmt.Sprintf("p.v1.%d.0", i)), Version: text(fmt.Sprintf("1.%d.0", i))})
	}
	for i := range 100 {
		c := &catalogs.Channel{Name: text(fmt.Sprint("c", i))}
		for n, b := range p.Bundles {
			c.Entries = append(c.Entries, catalogs.Entry{Name: b.Name, Bundle: b, Replaces: text(fmt.Sprintf("p.v1.%d.0", n-1))})
		}
		p.Channels = append(p.Channels, c)
	}
	v := &openshift.Versions{Package: "p"}
	for _, minor := range []plan.Minor{16, 17, 18} {
		v.All = append(v.All, openshift.Version{Minor: minor, Catalog: &catalogs.Catalog{OpenShift: minor.String()}, Packages: map[string]*catalogs.Package{"p": p}})
	}
	allocations := testing.AllocsPerRun(1, func() {
		if d, err := Versions(v, nil); err != nil || len(d.Nodes) != len(p.Channels) {
			t.Error(err)
		}
	})
	if allocations > 1_000_000 {
		t.Errorf("%.0f allocations", allocations)
	}
}
