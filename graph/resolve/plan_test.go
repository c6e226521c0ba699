package resolve

import (
	"fmt"
	"testing"
)

// TestPendingPlans compares with OLM an InstallPlan that waits for approval while OLM creates another one: which steps the new one
// repeats, and which subscriptions still refer to the old one.
func TestPendingPlans(t *testing.T) {
	for _, test := range []struct{ name, text, csv, want string }{
		{"the same bundle again", "catalog main\npackage a\na.v1\na.v2 replaces a.v1\npackage b\nb.v1\nb.v2 replaces b.v1\n" +
			"sub a has a.v1 current a.v2\nsub b has b.v1\n", "a.v2", "[p] [] []"},
		{"a newer one by now", "catalog main\npackage a\na.v1\na.v2 replaces a.v1\na.v3 replaces a.v2 skips a.v1\npackage b\nb.v1\nb.v2 replaces b.v1\n" +
			"sub a has a.v1 current a.v2\nsub b has b.v1\n", "a.v2", "[] [p] []"},
		{"nothing for its subscription", "catalog main\npackage a\na.v1\na.v2 replaces a.v1 requires X\npackage b\nb.v1 provides X\nb.v2 replaces b.v1\n" +
			"sub z package a has a.v1 current a.v2\nsub b has b.v1\n", "a.v2", "[] [] [p]"},
		{"one subscription of two is served", "catalog main\npackage a\na.v1\na.v2 replaces a.v1\na.v3 replaces a.v2 skips a.v1\npackage b\nb.v1 provides X\nb.v2 replaces b.v1\n" +
			"package c\nc.v1\nc.v2 replaces c.v1 requires X\nsub a has a.v1 current a.v2\nsub b has b.v1\nsub c has c.v1 current c.v2\n", "a.v2", "[] [] [p]"},
	} {
		n := namespaceOf(t, test.text)
		n.Plans = []InstallPlan{{Name: "p", CSVs: []string{test.csv}, Phase: "RequiresApproval"}}
		for i := range n.Subscriptions {
			if sub := &n.Subscriptions[i]; sub.CurrentCSV != "" {
				sub.Plan = "p"
			}
		}
		r, err := Next(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if r.Plan == nil {
			t.Errorf("%s: no InstallPlan: %s", test.name, installs(r))
			continue
		}
		if got := fmt.Sprint(r.Plan.Repeats, r.Plan.Supersedes, r.Plan.Others); got != test.want {
			t.Errorf("%s: %s, want %s; installs %s", test.name, got, test.want, installs(r))
		}
	}
}
