package resolve

import (
	"slices"
	"testing"
)

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
		n := namespaceOf(t, "catalog main\npackage a\na.v3\npackage b\nb.v1\nsub a "+sub+"\nsub b has b.v1\n"+
			"csv a.v1 phase Replacing"+first+"\ncsv a.v2 replaces a.v1 phase Replacing\ncsv a.v3 replaces a.v2 phase Pending\n")
		out, gone, subs := n.Without("a")
		slices.Sort(gone)
		if !slices.Equal(gone, []string{"a.v1", "a.v2", "a.v3"}) || !slices.Equal(subs, []string{"a"}) || len(out.Installed) != 1 || out.Installed[0].Name != "b.v1" {
			t.Errorf("%s: without %q %q there are %v", name, gone, subs, out.Installed)
		}
		in, _ := n.Sources[0].Catalog.InstalledOperator("a", "a.v3")
		if with := n.With(in, Subscription{Package: "a"}); len(with.Installed) != 2 {
			t.Errorf("%s: with a.v3 there are %v", name, with.Installed)
		}
	}
}
