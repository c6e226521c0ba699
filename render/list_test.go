package render

import (
	"fmt"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/graph/plan"
)

// TestListVersionsCost checks that the graphs of a package are not built once for each channel.
func TestListVersionsCost(t *testing.T) {
	const channels = 300
	name := catalogs.Text{Value: "p"}
	p := &catalogs.Package{Name: name}
	for i := range channels {
		p.Channels = append(p.Channels, &catalogs.Channel{Name: catalogs.Text{Value: fmt.Sprint("c", i)}, Entries: []catalogs.Entry{{Name: name}}})
	}
	l := Listing{Kind: "channels"}
	for _, minor := range []plan.Minor{16, 17} {
		l.Versions = append(l.Versions, openshift.Version{Minor: minor, Catalog: &catalogs.Catalog{OpenShift: minor.String()}, Packages: map[string]*catalogs.Package{"p": p}})
	}
	allocations := testing.AllocsPerRun(1, func() {
		if rows := l.versionRows(); len(rows) != channels || rows[0].Heads[1].Head != "p" {
			t.Errorf("%+v", rows)
		}
	})
	if allocations > 100*channels {
		t.Errorf("%.0f allocations", allocations)
	}
}
