package listing

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// TestManyDeprecations: a deprecation is not compared with all before it, and of two of one bundle the first counts.
func TestManyDeprecations(t *testing.T) {
	var text strings.Builder
	const n = 30_000
	for i := range 2 * n {
		fmt.Fprintf(&text, `{"csvName": "p.v%d", "packageName": "p", "channelName": "c%d", "deprecation": {"message": "%[2]d"}}`+"\n", i%n, i/n)
	}
	begin := time.Now()
	c, err := OpenListing(t.Context(), &source.Source{Fsys: source.MemoryFile{Name: "x", Text: []byte(text.String())}}, "x", form.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := c.Packages[0].DeprecationEntries()
	if took := time.Since(begin); len(all) != n || all[0].Message.Value != "0" || took > 10*time.Second {
		t.Errorf("%d deprecations after %s", len(all), took)
	}
}
