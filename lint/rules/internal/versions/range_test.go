package versions

import (
	"testing"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/graph"
)

func TestRangeMistakes(t *testing.T) {
	for _, c := range []struct{ text, why, fix string }{
		{"^1.2.0", "^ and ~ are not in its grammar", "write both bounds, as in >=1.2.0 <2.0.0"},
		{"~1.2.0", "^ and ~ are not in its grammar", "write both bounds, as in >=1.2.0 <2.0.0"},
		{">=v1.0.0 <v1.2.0", "it has a version with a leading v", `write ">=1.0.0 <1.2.0"`},
		{">=1.0.0, <1.2.0", "it has commas instead of spaces", `write ">=1.0.0 <1.2.0"`},
		{">=1.0.0,<1.2.0", "it has commas instead of spaces", `write ">=1.0.0 <1.2.0"`},
		{">=v1.0.0,<v1.2.0", "it has a version with a leading v", `write ">=1.0.0 <1.2.0"`},
		{">=1.0 <1.2.0", "it has a version with fewer than three numbers", "write all three, as in 1.2.0"},
		{" ", "it is empty", "write a range, or remove it"},
		{"<1.0.0||", "|| has no space on both sides", "put a space before and after ||"},
		{"latest", "", ""},
	} {
		if _, err := semver.ParseRange(c.text); err == nil {
			t.Errorf("%q is a range", c.text)
		}
		if why, fix := RangeMistake(c.text); why != c.why || fix != c.fix {
			t.Errorf("%q: got %q, %q; want %q, %q", c.text, why, fix, c.why, c.fix)
		}
	}
}

// FuzzRange checks that no range panics, and that no known version is in an empty range.
func FuzzRange(f *testing.F) {
	for _, text := range []string{">=1.0.0 <1.1.0", "1.x || >2.0.0-rc.1", "!1.0.0", "1.0.0 || 1 || 2.0.0", ">=v1, <2"} {
		f.Add(text, "1.0.0")
	}
	f.Fuzz(func(t *testing.T, text, version string) {
		RangeMistake(text)
		r := graph.ReadRange(text)
		empty := r != nil && r.IsEmpty()
		r.Crashes()
		if v, err := semver.Parse(version); err == nil && empty && r.Contains(v) {
			t.Errorf("%s is in %q, which is called empty", v, text)
		}
	})
}
