package graph_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/graph"
)

// lamp is a catalog with a package of one channel.
const lamp = `
{schema: olm.package, name: lamp, defaultChannel: stable}
---
schema: olm.channel
package: lamp
name: stable
entries:
- {name: lamp.v1.0.0}
- {name: lamp.v1.1.0, replaces: lamp.v1.0.0}
- {name: lamp.v1.2.0, replaces: lamp.v1.1.0, skipRange: ">=1.0.0 <1.1.0"}
---
{schema: olm.bundle, package: lamp, name: lamp.v1.0.0, image: "example.com/lamp:1.0", properties: [{type: olm.package, value: {packageName: lamp, version: 1.0.0}}]}
---
{schema: olm.bundle, package: lamp, name: lamp.v1.1.0, image: "example.com/lamp:1.1", properties: [{type: olm.package, value: {packageName: lamp, version: 1.1.0}}]}
---
{schema: olm.bundle, package: lamp, name: lamp.v1.2.0, image: "example.com/lamp:1.2", properties: [{type: olm.package, value: {packageName: lamp, version: 1.2.0}}]}
`

// readPackage reads the package lamp of a catalog. A file or a folder is opened by its name, without Stdin.
func readPackage(catalog string) *catalogs.Package {
	cats, err := open.Open(context.Background(), "-", open.Options{Stdin: strings.NewReader(catalog)})
	if err != nil {
		log.Fatal(err)
	}
	return cats[0].Package("lamp")
}

// The heads of a channel: there is one, unless opm rejects the channel.
func ExampleGraph_Heads() {
	pkg := readPackage(lamp)
	g := graph.New(pkg, pkg.Channels[0])
	for _, head := range g.Heads() {
		fmt.Println(g.Name(head))
	}
	// Output: lamp.v1.2.0
}

// What OLM v0 upgrades an installed bundle to, and why.
func ExampleGraph_Next() {
	pkg := readPackage(lamp)
	g := graph.NewPackageGraph(pkg).Graph("stable")
	for _, i := range g.Entries() {
		if edge, ok := g.Next(i); ok {
			fmt.Println(g.Name(i), "->", g.Name(edge.To), "by", edge.Kind, edge.Where.Value)
		}
	}
	// Output:
	// lamp.v1.0.0 -> lamp.v1.2.0 by skipRange >=1.0.0 <1.1.0
	// lamp.v1.1.0 -> lamp.v1.2.0 by replaces lamp.v1.1.0
}

// The path from one bundle to another under OLM v0, or why there is none.
func ExamplePackageGraph_Ask() {
	pg := graph.NewPackageGraph(readPackage(lamp))
	for _, to := range []string{"lamp.v1.2.0", "lamp.v1.1.0"} {
		answer := pg.Ask(graph.Question{Channel: pg.Graph("stable"), From: "lamp.v1.0.0", To: to, Limit: 1})
		if answer.Obstacle != nil {
			fmt.Println(to, "is not on the path: the last stop before it is", answer.Obstacle.Nearest)
			continue
		}
		for _, step := range answer.Paths[0] {
			fmt.Println(step.From, "->", step.To)
		}
	}
	// Output:
	// lamp.v1.0.0 -> lamp.v1.2.0
	// lamp.v1.1.0 is not on the path: the last stop before it is lamp.v1.0.0
}

// Whom a change of a channel strands: installed bundles that were upgraded to the head before it, and no longer are. OLM v0 does not
// offer what is skipped, so that the skip below cuts off lamp.v1.0.0.
func ExampleChange_Strandings() {
	was := readPackage(lamp)
	now := readPackage(strings.Replace(lamp, `skipRange: ">=1.0.0 <1.1.0"`, "skips: [lamp.v1.1.0]", 1))
	change := graph.Change{Base: graph.NewPackageGraph(was).Graph("stable"), Now: graph.NewPackageGraph(now).Graph("stable")}
	for _, stranding := range change.Strandings() {
		for _, i := range stranding.Stranded {
			fmt.Println(change.Base.Name(i), "is stranded:", change.Now.Name(stranding.FixEntry), "should skip it")
		}
	}
	// Output: lamp.v1.0.0 is stranded: lamp.v1.2.0 should skip it
}
