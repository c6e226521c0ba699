package lint

import (
	"testing"
)

// TestFaultCounts checks that a finding with several faults is known if each of them is, as often as it was found.
func TestFaultCounts(t *testing.T) {
	in := faultCounts{}
	in.add(&Finding{Rule: "a/b", Faults: []string{"a", "b", "c"}})
	for _, step := range []struct {
		each []string
		want bool
	}{{[]string{"a", "d"}, false}, {[]string{"b", "a"}, true}, {[]string{"a"}, false}, {[]string{"c"}, true}, {nil, false}} {
		if got := in.take(&Finding{Rule: "a/b", Faults: step.each}); got != step.want {
			t.Errorf("%q: %t", step.each, got)
		}
	}
}
