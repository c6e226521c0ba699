package release

import (
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/graph"
)

// TestPrune drops old entries: who has one of them installed is upgraded to the head as before.
func TestPrune(t *testing.T) {
	s := small{"c": entries{
		"v1.0.0": {}, "v1.1.0": {Replaces: "v1.0.0"}, "v1.1.1": {Replaces: "v1.1.0"}, "v1.2.0": {Replaces: "v1.1.1"},
	}, "other": entries{"v1.0.0": {}, "v1.1.0": {Replaces: "v1.0.0"}}}
	plan := NewPlan(graph.NewPackageGraph(buildPackage(s, extra{})), Request{Name: "v1.3.0", Version: "1.3.0", Channels: []string{"c"}, Prune: []string{"v1.0.0", "v1.1.0", "v1.1.1"}})
	if plan.Refusal != nil {
		t.Fatal(plan.Refusal)
	}
	var removed []string
	for _, e := range plan.Edits {
		if e.Removed {
			removed = append(removed, e.Entry)
		}
	}
	// v1.2.0 still replaces v1.1.1
	if e := plan.Edits[0].After; e.Replaces != "v1.2.0" || !slices.Equal(e.Skips, []string{"v1.0.0", "v1.1.0"}) || e.SkipRange != "" {
		t.Errorf("%+v", e)
	}
	if !slices.Equal(removed, []string{"v1.1.1", "v1.1.0", "v1.0.0"}) {
		t.Errorf("removed %v", removed)
	}
	if !slices.Equal(plan.Unused, []string{"v1.1.1"}) || plan.After.Package.Bundle("v1.1.1") != nil || plan.After.Package.Bundle("v1.1.0") == nil {
		t.Errorf("unused %v", plan.Unused)
	}
	if j := newJudge(s, plan.Request, extra{}); j.wrong(plan.Edits) != "" {
		t.Error(j.wrong(plan.Edits))
	}
}

// TestPruneRefused does not drop what is no entry, or a head that the release does not replace.
func TestPruneRefused(t *testing.T) {
	s := small{"c": entries{"v1.0.0": {}, "v1.2.0": {Replaces: "v1.0.0"}}}
	for name, want := range map[string]string{
		"v1.1.0": "none of the channels has v1.1.0",
		"v1.2.0": "v1.2.0 cannot be dropped: it is the head, and newer than the release",
	} {
		plan := NewPlan(graph.NewPackageGraph(buildPackage(s, extra{})), Request{Name: "v1.1.1", Version: "1.1.1", Channels: []string{"c"}, Prune: []string{name}})
		if plan.Refusal == nil || plan.Refusal.Constraint != want {
			t.Errorf("%s: %+v", name, plan.Refusal)
		}
	}
}

// TestWithdrawnInTheMiddle withdraws an entry far below the head: opm would reject the channel unless all below were skipped, so the entry
// above replaces what is below.
func TestWithdrawnInTheMiddle(t *testing.T) {
	pg := longChannel(40, func(int, *Edges) {})
	plan := NewPlan(pg, Request{Name: "v9.0.0", Version: "9.0.0", Channels: []string{"c"}, InsteadOf: []string{longName(15)}})
	if plan.Refusal != nil || len(plan.Edits) != 2 {
		t.Fatalf("%+v", plan)
	}
	own, above := plan.Edits[0].After, plan.Edits[1]
	if own.Replaces != longName(39) || len(own.Skips) > 0 || own.SkipRange != "" {
		t.Errorf("%+v", own)
	}
	if above.Entry != longName(16) || above.After.Replaces != longName(14) || !slices.Equal(above.After.Skips, []string{longName(15)}) {
		t.Errorf("%+v", above)
	}
}

// TestPruneMany covers many dropped entries with a skipRange that begins at the oldest.
func TestPruneMany(t *testing.T) {
	pg := longChannel(60, func(int, *Edges) {})
	plan := NewPlan(pg, Request{Name: "v9.0.0", Version: "9.0.0", Channels: []string{"c"}, Prune: longNames(0, 30)})
	if plan.Refusal != nil {
		t.Fatalf("%+v", plan)
	}
	if e := plan.Edits[0].After; e.Replaces != longName(59) || len(e.Skips) > 0 || e.SkipRange != ">=1.0.0 <9.0.0" {
		t.Errorf("%+v", e)
	}
	few := NewPlan(pg, Request{Name: "v9.0.0", Version: "9.0.0", Channels: []string{"c"}, Prune: longNames(0, 3)})
	if e := few.Edits[0].After; !slices.Equal(e.Skips, longNames(0, 2)) || e.SkipRange != "" {
		t.Errorf("%+v", e)
	}
}

// TestPruneBlame says which of some entries cannot be dropped: no other entry upgrades what is newer than the release.
func TestPruneBlame(t *testing.T) {
	s := small{"c": entries{"v1.0.0": {}, "v1.1.0": {Replaces: "v1.0.0"}, "v1.2.0": {Replaces: "v1.1.0"}, "v1.3.0": {Replaces: "v1.2.0"}, "v2.0.0": {Replaces: "v1.3.0"}}}
	plan := NewPlan(graph.NewPackageGraph(buildPackage(s, extra{})), Request{Name: "v1.1.1", Version: "1.1.1", Channels: []string{"c"}, Prune: []string{"v1.0.0", "v1.2.0", "v1.3.0"}})
	if plan.Refusal == nil || !strings.Contains(plan.Refusal.Constraint, "v1.2.0 cannot be dropped: ") && !strings.Contains(plan.Refusal.Constraint, "v1.3.0 cannot be dropped: ") {
		t.Errorf("%+v", plan.Refusal)
	}
}
