package template_test

import (
	"context"
	"log"
	"os"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/open"
)

// read reads a catalog, or what opm makes of a template. A file or a folder is opened by its name, without Stdin.
func read(text string, o open.Options) []*catalogs.Catalog {
	o.Stdin = strings.NewReader(text)
	cats, err := open.Open(context.Background(), "-", o)
	if err != nil {
		log.Fatal(err)
	}
	return cats
}

// The catalog that opm makes of a template. The bundles of its images are taken from a catalog in which they were published.
func Example() {
	published := read(`
{schema: olm.package, name: lamp, defaultChannel: stable}
---
{schema: olm.channel, package: lamp, name: stable, entries: [{name: lamp.v1.0.0}]}
---
{schema: olm.bundle, package: lamp, name: lamp.v1.0.0, image: "example.com/lamp:1.0", properties: [{type: olm.package, value: {packageName: lamp, version: 1.0.0}}]}
`, open.Options{})
	made := read(`
schema: olm.semver
generateMajorChannels: true
stable:
  bundles:
  - image: example.com/lamp:1.0
`, open.Options{Sources: published})

	expanded, err := expansion.FileBased(made[0])
	if err != nil {
		log.Fatal(err)
	}
	if err := expanded.WriteYAML(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ---
	// defaultChannel: stable-v1
	// name: lamp
	// schema: olm.package
	// ---
	// entries:
	// - name: lamp.v1.0.0
	// name: stable-v1
	// package: lamp
	// schema: olm.channel
	// ---
	// image: example.com/lamp:1.0
	// name: lamp.v1.0.0
	// package: lamp
	// properties:
	// - type: olm.package
	//   value:
	//     packageName: lamp
	//     version: 1.0.0
	// schema: olm.bundle
}
