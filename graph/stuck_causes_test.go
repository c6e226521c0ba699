package graph

import (
	"slices"
	"strings"
	"testing"
)

// TestStuckCauses checks that a chain in which each entry skips the one before has one cause: the skip nearest to the head.
func TestStuckCauses(t *testing.T) {
	for name, one := range map[string]struct{ text, want string }{
		"each skips the one before": {"v1; v2 replaces v1 skips v1; v3 replaces v2 skips v2; v4 replaces v3 skips v3", "v4 skips v3: v1 v2"},
		"entries below a stuck one": {"v1; v2 replaces v1; v3 replaces v2; v4 skips v3", "v4 skips v3: v1 v2"},
		"two skips":                 {"v1; v2 replaces v1; v3 replaces v2 skips v2; w1; w2 replaces w1; v4 replaces v3 skips w2", "v3 skips v2: v1; v4 skips w2: w1"},
		"nothing is skipped":        {"v1; v2 replaces v1; w0; w1 replaces w2; w2 replaces w1 skips w0; v3 replaces v2 skips v2", "none: w0 w1 w2; v3 skips v2: v1"},
		"nothing is stuck":          {"v1; v2 replaces v1; v3 replaces v2 skips v1", ""},
		"a cycle below a skip":      {"v1 replaces v2; v2 replaces v1 skips v1; v3 skips v2", "v3 skips v2: v1"},
	} {
		g := parseGraph(strings.ReplaceAll(one.text, ";", "\n"))
		var got []string
		for _, c := range g.StuckCauses() {
			cause := "none"
			if c.Skip.To >= 0 {
				cause = g.Name(c.Skip.To) + " skips " + g.Name(c.Skip.From)
			}
			var stuck []string
			for _, s := range c.Stuck {
				stuck = append(stuck, g.Name(s.Entry))
			}
			slices.Sort(stuck)
			got = append(got, cause+": "+strings.Join(stuck, " "))
		}
		slices.Sort(got)
		if strings.Join(got, "; ") != one.want {
			t.Errorf("%s: %q, want %q", name, got, one.want)
		}
	}
}
