package lint

import (
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
)

func TestFingerprint(t *testing.T) {
	f := Finding{Rule: "a/b", Severity: Error, Subject: Subject{Catalog: "x", Package: "p"}, Pos: catalogs.Pos{Line: 1}, Message: "m, first in line 7 (and 2 more upgrades)"}
	same := f
	same.Catalog, same.Pos.Line, same.Severity, same.Message = "y", 9, Warning, "m, first in line 19 (and one more upgrade)"
	if f.Fingerprint() != same.Fingerprint() {
		t.Error("it changes with its surroundings")
	}
	same.Message = "m, first in line 7"
	if f.Fingerprint() != same.Fingerprint() {
		t.Error("it changes when something is met a second time")
	}
	for _, change := range []func(*Finding){
		func(f *Finding) { f.Rule = "a/c" }, func(f *Finding) { f.Package = "q" }, func(f *Finding) { f.Channel = "p" },
		func(f *Finding) { f.Bundle = "b" }, func(f *Finding) { f.CRD = "c" }, func(f *Finding) { f.Message = "n" },
	} {
		other := f
		change(&other)
		if other.Fingerprint() == f.Fingerprint() {
			t.Errorf("%+v is taken for the same", other)
		}
	}
}
