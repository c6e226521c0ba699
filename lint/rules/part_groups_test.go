package rules

import (
	"fmt"
	"testing"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// TestPartGroups: a part belongs to the first group that has it, and each other group is one more place, however many parts of the
// same group it has.
func TestPartGroups(t *testing.T) {
	var g contents.PartGroups[string, int]
	for _, add := range []struct{ key, part string }{
		{"1 to 2", "a"}, {"1 to 2", "b"}, {"1 to 2", "a"}, {"1 to 3", "a"}, {"1 to 3", "b"}, {"1 to 3", "c"}, {"2 to 3", "c"}, {"0 to 3", "a"},
	} {
		part, isNew := g.Add(add.key, add.part, lint.Occurrence{Subject: lint.Subject{Bundle: add.key}})
		if *part++; isNew != (*part == 1) {
			t.Errorf("%v: new %t, added %d times", add, isNew, *part)
		}
	}
	var got []string
	for _, group := range g.All {
		var added []int
		for _, part := range group.Parts {
			added = append(added, *part)
		}
		var also []string
		for _, at := range group.Also {
			also = append(also, at.Bundle)
		}
		got = append(got, fmt.Sprintf("%s %v %q", group.Key, added, also))
	}
	if want := `[1 to 2 [4 2] ["1 to 3" "0 to 3"] 1 to 3 [2] ["2 to 3"]]`; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
