package lint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs"
)

// TestForms lints one catalog in all its forms: the findings must be the same, positions aside.
func TestForms(t *testing.T) {
	root := filepath.Join("..", "..", "shared", "data")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no real data beside the project: ", err)
	}
	for folder, others := range map[string][]string{
		"fbc/community-v4.20": {"images/community-v4.20.oci", "images/community-v4.20.oci.tar", "images/community-v4.20.docker.tar"},
		"fbc/community-v4.18": {"fbc/community-v4.18.json"},
	} {
		want := placeless(t, filepath.Join(root, filepath.FromSlash(folder)))
		if len(want) < 20 {
			t.Errorf("%s: only %d findings", folder, len(want))
		}
		for _, other := range others {
			if diff := cmp.Diff(want, placeless(t, filepath.Join(root, filepath.FromSlash(other)))); diff != "" {
				t.Errorf("%s and %s (-folder +other):\n%s", folder, other, diff)
			}
		}
	}
}

// placeless lints a catalog and returns the findings without their places, counted.
func placeless(t *testing.T, ref string) map[string]int {
	t.Helper()
	cats, err := catalogs.Open(context.Background(), ref, catalogs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	findings, err := Run(context.Background(), cats, Options{Rules: Rules()})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, f := range findings {
		found[fmt.Sprint(f.Rule, f.Severity, f.Gates, f.Subject, f.Message, f.Cure)]++
	}
	return found
}
