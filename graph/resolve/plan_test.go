package resolve

import (
	"fmt"
	"slices"
	"testing"
)

// TestPendingPlans compares with OLM an InstallPlan that waits for approval while OLM creates another one: which steps the new one
// repeats, and which subscriptions still refer to the old one.
func TestPendingPlans(t *testing.T) {
	for _, test := range []struct{ name, text, csv, want string }{
		{"the same bundle again", "catalog main\npackage a\na.v1\na.v2 replaces a.v1\npackage b\nb.v1\nb.v2 replaces b.v1\n" +
			"sub a has a.v1 current a.v2\nsub b has b.v1\n", "a.v2", "[p] []"},
		{"a newer one by now", "catalog main\npackage a\na.v1\na.v2 replaces a.v1\na.v3 replaces a.v2 skips a.v1\npackage b\nb.v1\nb.v2 replaces b.v1\n" +
			"sub a has a.v1 current a.v2\nsub b has b.v1\n", "a.v2", "[] [p]"},
		{"nothing for its subscription", "catalog main\npackage a\na.v1\na.v2 replaces a.v1 requires X\npackage b\nb.v1 provides X\nb.v2 replaces b.v1\n" +
			"sub z package a has a.v1 current a.v2\nsub b has b.v1\n", "a.v2", "[] []"},
		{"one subscription of two is served", "catalog main\npackage a\na.v1\na.v2 replaces a.v1\na.v3 replaces a.v2 skips a.v1\npackage b\nb.v1 provides X\nb.v2 replaces b.v1\n" +
			"package c\nc.v1\nc.v2 replaces c.v1 requires X\nsub a has a.v1 current a.v2\nsub b has b.v1\nsub c has c.v1 current c.v2\n", "a.v2", "[] []"},
	} {
		n := parseNamespace(t, test.text)
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
		if got := fmt.Sprint(r.Plan.Repeats, r.Plan.Supersedes); got != test.want {
			t.Errorf("%s: %s, want %s; installs %s", test.name, got, test.want, installs(r))
		}
	}
}

// TestWithoutChains removes a package with an upgrade in progress as a whole, also if the subscription does not have the new
// operator yet, and the old ones do not have their package.
func TestWithoutChains(t *testing.T) {
	for name, sub := range map[string]string{
		"the subscription has the new one":    "has a.v3",
		"it has the old one, and waits":       "has a.v2 current a.v3",
		"it has the oldest one, and so on":    "has a.v1 current a.v3",
		"a loop of replacements does no harm": "has a.v3 current a.v9",
	} {
		first := ""
		if sub == "has a.v3 current a.v9" {
			first = " replaces a.v3"
		}
		n := parseNamespace(t, "catalog main\npackage a\na.v3\npackage b\nb.v1\nsub a "+sub+"\nsub b has b.v1\n"+
			"csv a.v1 phase Replacing"+first+"\ncsv a.v2 replaces a.v1 phase Replacing\ncsv a.v3 replaces a.v2 phase Pending\n")
		out, gone, subs := n.Without("a")
		slices.Sort(gone)
		if !slices.Equal(gone, []string{"a.v1", "a.v2", "a.v3"}) || !slices.Equal(subs, []string{"a"}) || len(out.Installed) != 1 || out.Installed[0].Name != "b.v1" {
			t.Errorf("%s: without %q %q there are %v", name, gone, subs, out.Installed)
		}
		in, _ := n.Sources[0].Catalog.InstalledOperator("a", "a.v3")
		if with := n.WithInstalled(in, Subscription{Package: "a"}); len(with.Installed) != 2 {
			t.Errorf("%s: with a.v3 there are %v", name, with.Installed)
		}
	}
}
