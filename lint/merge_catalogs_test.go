package lint

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
)

// newFinding returns a finding of a bundle in a catalog.
func newFinding(catalog, pkg, bundle string, s Severity, faults ...string) Finding {
	return Finding{Rule: "a/b", Severity: s, Subject: Subject{Catalog: catalog, Package: pkg, Bundle: bundle}, Faults: faults,
		Pos: catalogs.Pos{File: catalog + "/" + pkg, Line: 1, Col: 1}, Message: catalog}
}

// TestMerge checks that a problem of several catalogs is one finding, the worst, which names the other catalogs.
func TestMerge(t *testing.T) {
	channel := newFinding("v1", "p", "x", Info)
	channel.Also = []Occurrence{{Subject{Package: "p", Channel: "c"}, channel.Pos}}
	merged := foldCatalogs([]Finding{channel, newFinding("v2", "p", "x", Error), newFinding("v3", "p", "x", Warning)})
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
	suppressed, other := newFinding("v2", "p", "x", Error), newFinding("v2", "p", "x", Error)
	suppressed.Suppressed, other.Rule = "reason", "a/c"
	for _, j := range []struct {
		name string
		all  []Finding
		want int
	}{
		{"another rule", []Finding{newFinding("v1", "p", "x", Error), other}, 2},
		{"another cause", []Finding{newFinding("v1", "p", "x", Error), newFinding("v2", "p", "y", Error)}, 2},
		{"suppressed", []Finding{newFinding("v1", "p", "x", Error), suppressed}, 2},
		{"twice in one catalog", []Finding{newFinding("v1", "p", "x", Error), newFinding("v1", "p", "x", Error)}, 2},
		{"twice in each catalog", []Finding{newFinding("v1", "p", "x", Error), newFinding("v1", "p", "x", Error), newFinding("v2", "p", "x", Error), newFinding("v2", "p", "x", Error)}, 2},
		{"a fault more", []Finding{newFinding("v1", "p", "x", Warning, "a", "b"), newFinding("v2", "p", "x", Error, "a", "c")}, 2},
		{"faults less", []Finding{newFinding("v1", "p", "x", Error, "a"), newFinding("v2", "p", "x", Error, "a", "b")}, 1},
	} {
		if got := foldCatalogs(j.all); len(got) != j.want {
			t.Errorf("%s: %d findings: %+v", j.name, len(got), got)
		}
	}
}

// forReport returns findings as a report has them.
func forReport(all []Finding) []Finding {
	sorted, _ := NewLinter(Options{}).sort(context.Background(), nil, foldCatalogs(all))
	return foldCRDs(sorted)
}

// TestFoldCRDs checks that findings of a rule about several CRDs of a bundle are in the one that has the most details, and come back in their order.
func TestFoldCRDs(t *testing.T) {
	var all []Finding
	for _, crd := range []string{"a", "b", "a", "c", "", "c"} {
		f := newFinding("v1", "p", "p.v1", Warning)
		if f.CRD = crd; crd == "c" {
			f.Details = make([]Related, 2)
		}
		all = append(all, f)
	}
	suppressed, other := all[0], all[0]
	suppressed.Suppressed, other.Bundle = "reason", "p.v2"
	all = append(all, suppressed, other)
	folded := foldCRDs(all)
	if len(folded) != 4 || folded[0].CRD != "c" || folded[0].Count() != 5 || folded[1].CRD != "" {
		t.Errorf("%+v", folded)
	}
	var was, is []string
	for _, f := range all {
		was = append(was, f.CRD+f.Bundle+f.Suppressed)
	}
	for _, f := range UnfoldCRDs(folded) {
		is = append(is, f.CRD+f.Bundle+f.Suppressed)
	}
	if !slices.Equal(was, is) {
		t.Errorf("%v, want %v", is, was)
	}
}

// TestMergeOrder checks the order of a report: worst packages first, in each the worst finding first.
func TestMergeOrder(t *testing.T) {
	all := []Finding{newFinding("v1", "a", "x", Info), newFinding("v1", "b", "1", Warning), newFinding("v1", "c", "1", Info), newFinding("v1", "c", "2", Error),
		newFinding("v2", "d", "x", Error), newFinding("v2", "", "x", Warning)}
	quiet := newFinding("v1", "a", "y", Error)
	quiet.Suppressed = "reason"
	var got []string
	for _, f := range forReport(append(all, quiet)) {
		got = append(got, f.Package+f.Bundle)
	}
	if want := []string{"c2", "c1", "dx", "x", "b1", "ay", "ax"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	again := forReport(all)
	if !reflect.DeepEqual(again, forReport(again)) {
		t.Error("the merge of a merge differs")
	}
}
