package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/lint"
)

// TestLargeChannels: the time of rules on one long channel grows with its length, or the square of it, at most.
func TestLargeChannels(t *testing.T) {
	same := func(i int) int { return i }
	for _, test := range []struct {
		rule     string
		power, n int
		text     func(n int) string
	}{
		{"graph/downgrade", 2, 1250, func(n int) string {
			return largeChannel(n, "boat", "  skipRange: x\n", func(i int) int { return i ^ 1 })
		}},
		{"catalog/entry-without-bundle", 2, 200, func(n int) string { return largeChannel(n, "ship", "", same) }},
		{"deprecation/no-way-out", 2, 5000, func(n int) string { return largeChannel(n, "boat", "", same) + deprecated("boat.v1.0.0") }},
		{"graph/stranded graph/stuck", 1, 1000, func(n int) string {
			text := largeChannel(n, "boat", "", same)
			for i := 4; i < n; i += 4 { // which skips itself
				name := fmt.Sprintf("- name: boat.v1.%d.0\n", i)
				text = strings.Replace(text, name, fmt.Sprintf("%s  skips: [boat.v1.%d.0, boat.v1.%[2]d.0]\n", name, i), 1)
			}
			return text
		}},
	} {
		only := slices.DeleteFunc(All(), func(r lint.Rule) bool { return !slices.Contains(strings.Fields(test.rule), r.ID) })
		t.Run(test.rule, func(t *testing.T) {
			catalogtest.CheckGrowth(t, test.power, test.n, func(n int) {
				lintAll(t, []*catalogs.Catalog{opentest.Text(t, test.text(n))}, lint.Options{Rules: only})
			})
		})
	}
}

// largeChannel returns a catalog with a channel in which each entry replaces the one before. minor is that of the version of an entry; bundle is how
// the names of bundles begin.
func largeChannel(entries int, bundle, fields string, minor func(int) int) string {
	var channel, bundles strings.Builder
	channel.WriteString("schema: olm.package\nname: boat\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: boat\nname: stable\nentries:\n")
	for i := range entries {
		fmt.Fprintf(&channel, "- name: boat.v1.%d.0\n%s", minor(i), fields)
		if i > 0 {
			fmt.Fprintf(&channel, "  replaces: boat.v1.%d.0\n", minor(i-1))
		}
		fmt.Fprintf(&bundles, "---\nschema: olm.bundle\npackage: boat\nname: %s.v1.%d.0\nimage: quay.io/acme/boat:v%[2]d\nproperties:\n"+
			"- type: olm.package\n  value: {packageName: boat, version: 1.%[2]d.0}\n", bundle, minor(i))
	}
	return channel.String() + bundles.String()
}

// deprecated returns the deprecation of a bundle.
func deprecated(bundle string) string {
	return "---\nschema: olm.deprecations\npackage: boat\nentries:\n- reference: {schema: olm.bundle, name: " + bundle + "}\n  message: old\n"
}
