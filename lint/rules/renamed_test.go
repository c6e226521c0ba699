package rules

import (
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/lint"
)

// TestRenamedRules: a former ID leads to existing rules and is no rule itself.
func TestRenamedRules(t *testing.T) {
	all := All()
	if got := lint.RenamedTo(all, "crd/schema-enum"); !slices.Equal(got, []string{"crd/schema-narrowed"}) {
		t.Errorf("crd/schema-enum is now %v", got)
	}
	if got := lint.RenamedTo(all, "crd/schema-other"); len(got) != 2 {
		t.Errorf("crd/schema-other is now %v", got)
	}
	if got := lint.RenamedTo(all, "crd/dropped"); got != nil {
		t.Errorf("crd/dropped is now %v", got)
	}
	for _, r := range all {
		for _, former := range r.Formerly {
			if slices.ContainsFunc(all, func(other lint.Rule) bool { return other.ID == former }) {
				t.Errorf("%s was %s, which is a rule", r.ID, former)
			}
		}
	}
}
