package release

import (
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// generatedPackage returns a package with channel c, whose entries are written NAME<REPLACES.
func generatedPackage(entries ...string) *catalogs.Package {
	p := &catalogs.Package{Name: catalogs.Text{Value: "a"}}
	c := &catalogs.Channel{Name: catalogs.Text{Value: "c"}, Package: p.Name}
	for _, text := range entries {
		name, replaces, _ := strings.Cut(text, "<")
		c.Entries = append(c.Entries, catalogs.Entry{Name: catalogs.Text{Value: name}, Replaces: catalogs.Text{Value: replaces}})
	}
	p.Channels = []*catalogs.Channel{c}
	return p
}

// TestGenerated says what a template makes of a further image, and refuses edges that strand someone.
func TestGenerated(t *testing.T) {
	base := graph.NewPackageGraph(generatedPackage("a.v1.0.0", "a.v1.1.0<a.v1.0.0"))
	request := Request{Name: "a.v1.2.0", Version: "1.2.0"}
	plan := NewGeneratedPlan(base, generatedPackage("a.v1.0.0", "a.v1.1.0<a.v1.0.0", "a.v1.2.0<a.v1.1.0"), request)
	if plan.Refusal != nil || len(plan.Edits) != 1 || !plan.Edits[0].Added || plan.Edits[0].After.Replaces != "a.v1.1.0" || len(plan.Classes) != 3 {
		t.Errorf("%+v: %+v", plan.Refusal, plan.Edits)
	}
	now := generatedPackage("a.v1.0.0", "a.v1.1.0<a.v1.0.0", "a.v1.2.0")
	now.Channels[0].Entries[2].Skips = []catalogs.Text{{Value: "a.v1.1.0"}}
	plan = NewGeneratedPlan(base, now, request)
	if plan.Refusal == nil || !strings.Contains(plan.Refusal.Constraint, "a.v1.0.0") || plan.Refusal.Channel != "c" {
		t.Errorf("nobody is said to be stranded: %+v", plan.Refusal)
	}
}
