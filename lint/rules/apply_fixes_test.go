package rules

import (
	"context"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/lint"
)

// applyFixes applies the fixes of a catalog in memory, and returns the fixed catalogs.
func applyFixes(t *testing.T, ref string) (*lint.FixResult, []*catalogs.Catalog) {
	t.Helper()
	open := func(revised map[string][]byte) ([]*catalogs.Catalog, error) {
		return open.Open(context.Background(), ref, open.Options{Overlay: revised})
	}
	cats, err := open(nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := lint.ApplyFixes(context.Background(), cats, lint.Options{Rules: All()}, open)
	if err != nil {
		t.Fatal(err)
	}
	revised := map[string][]byte{}
	for _, f := range m.Files {
		revised[f.Name] = f.New
	}
	after, err := open(revised)
	if err != nil {
		t.Fatal(err)
	}
	return m, after
}

// TestApplyFixesReal fixes real catalogs in YAML and in JSON. No entry is stuck then.
func TestApplyFixesReal(t *testing.T) {
	for name, want := range map[string]int{"community-v4.20": 2, "community-v4.18": 2, "community-v4.18.json": 2, "community-v4.14": 0, "community-v4.22": 2} {
		m, after := applyFixes(t, catalogtest.Data(t, "fbc/"+name))
		for _, f := range m.Unfixed {
			t.Errorf("%s: left: %s: %s", name, f.Message, f.Why)
		}
		if m.Fixed != want {
			t.Errorf("%s: %d fixed, want %d", name, m.Fixed, want)
		}
		findings := lintAll(t, after, lint.Options{Rules: family("graph")})
		for _, f := range findings {
			if len(f.Edits) > 0 {
				t.Errorf("%s: still there: %s", name, f.Message)
			}
		}
	}
}
