package lint

import (
	"reflect"
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
)

// found returns a finding of a bundle in a catalog.
func found(catalog, pkg, bundle string, s Severity, faults ...string) Finding {
	return Finding{Rule: "a/b", Severity: s, Subject: Subject{Catalog: catalog, Package: pkg, Bundle: bundle}, Faults: faults,
		Pos: catalogs.Pos{File: catalog + "/" + pkg, Line: 1, Col: 1}, Message: catalog}
}

// TestMerge checks that a problem of several catalogs is one finding, the worst, which names the other catalogs.
func TestMerge(t *testing.T) {
	channel := found("v1", "p", "x", Info)
	channel.Also = []Occurrence{{Subject{Package: "p", Channel: "c"}, channel.Pos}}
	merged := Merge([]Finding{channel, found("v2", "p", "x", Error), found("v3", "p", "x", Warning)})
	if len(merged) != 1 || merged[0].Message != "v2" || merged[0].Severity != Error {
		t.Fatalf("%+v", merged)
	}
	var also []string
	for _, o := range merged[0].Also {
		also = append(also, o.Catalog+o.Channel)
	}
	if !slices.Equal(also, []string{"v1", "v1c", "v3"}) {
		t.Error(also)
	}
}

// TestMergeKeepsApart checks which findings are not the same problem of several catalogs.
func TestMergeKeepsApart(t *testing.T) {
	suppressed, other := found("v2", "p", "x", Error), found("v2", "p", "x", Error)
	suppressed.Suppressed, other.Rule = "reason", "a/c"
	for _, j := range []struct {
		name string
		all  []Finding
		want int
	}{
		{"another rule", []Finding{found("v1", "p", "x", Error), other}, 2},
		{"another cause", []Finding{found("v1", "p", "x", Error), found("v2", "p", "y", Error)}, 2},
		{"suppressed", []Finding{found("v1", "p", "x", Error), suppressed}, 2},
		{"twice in one catalog", []Finding{found("v1", "p", "x", Error), found("v1", "p", "x", Error)}, 2},
		{"twice in each catalog", []Finding{found("v1", "p", "x", Error), found("v1", "p", "x", Error), found("v2", "p", "x", Error), found("v2", "p", "x", Error)}, 2},
		{"a fault more", []Finding{found("v1", "p", "x", Warning, "a", "b"), found("v2", "p", "x", Error, "a", "c")}, 2},
		{"faults less", []Finding{found("v1", "p", "x", Error, "a"), found("v2", "p", "x", Error, "a", "b")}, 1},
	} {
		if got := Merge(j.all); len(got) != j.want {
			t.Errorf("%s: %d findings: %+v", j.name, len(got), got)
		}
	}
}

// TestMergeOrder checks the order of a report: worst packages first, in each the worst finding first.
func TestMergeOrder(t *testing.T) {
	all := []Finding{found("v1", "a", "x", Info), found("v1", "b", "1", Warning), found("v1", "c", "1", Info), found("v1", "c", "2", Error),
		found("v2", "d", "x", Error), found("v2", "", "x", Warning)}
	quiet := found("v1", "a", "y", Error)
	quiet.Suppressed = "reason"
	var got []string
	for _, f := range Merge(append(all, quiet)) {
		got = append(got, f.Package+f.Bundle)
	}
	if want := []string{"c2", "c1", "dx", "x", "b1", "ay", "ax"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	again := Merge(all)
	if !reflect.DeepEqual(again, Merge(again)) {
		t.Error("the merge of a merge differs")
	}
}
