package listing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// TestManyDeprecations: a deprecation is not compared with all before it, and of two of one bundle the first counts.
func TestManyDeprecations(t *testing.T) {
	catalogtest.CheckGrowth(t, 1, 5000, func(n int) {
		var text strings.Builder
		for i := range 2 * n {
			fmt.Fprintf(&text, `{"csvName": "p.v%d", "packageName": "p", "channelName": "c%d", "deprecation": {"message": "%[2]d"}}`+"\n", i%n, i/n)
		}
		c, err := OpenListing(t.Context(), &source.Source{Fsys: source.MemoryFile{Name: "x", Text: []byte(text.String())}}, "x", form.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if all := c.Packages[0].DeprecationEntries(); len(all) != n || all[0].Message.Value != "0" {
			t.Errorf("%d deprecations", len(all))
		}
	})
}
