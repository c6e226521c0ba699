package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// checkShared reports kinds that the heads of several packages bring. What the catalog says of them is enough: no manifest is
// needed.
func checkShared(p *Pass) {
	type owner struct {
		pkg    *catalogs.Package
		bundle *catalogs.Bundle
	}
	owners := map[string][]owner{} // by kind and group
	var kinds []string
	for _, pkg := range p.Catalog.Packages {
		own := map[string]bool{}
		for _, b := range defaultHeads(pkg) {
			for _, kind := range kindsOf(b) {
				if own[kind] {
					continue
				}
				own[kind] = true
				if owners[kind] == nil {
					kinds = append(kinds, kind)
				}
				owners[kind] = append(owners[kind], owner{pkg, b})
			}
		}
	}
	for _, kind := range kinds {
		all := owners[kind]
		for _, o := range all[1:] {
			p.Report(Finding{
				Subject: Subject{Package: o.pkg.Name.Value, Bundle: o.bundle.Name.Value},
				Pos:     o.bundle.Pos,
				Message: fmt.Sprintf("%q provides %s, and so does %q of package %q: no cluster can have both", o.bundle.Name.Value, kind,
					all[0].bundle.Name.Value, all[0].pkg.Name.Value),
				Cure:    "let one package bring it and the other one require it",
				Related: []Related{{Pos: all[0].bundle.Pos, Message: "the other one"}},
			})
		}
	}
}

// defaultHeads returns what a user of the package gets who names no channel.
func defaultHeads(pkg *catalogs.Package) []*catalogs.Bundle {
	c := pkg.Channel(pkg.DefaultChannel.Value)
	if c == nil {
		return nil
	}
	var heads []*catalogs.Bundle
	g := graph.Of(pkg, c)
	if i, ok := g.Head(); ok && c.Entries[i].Bundle != nil {
		heads = append(heads, c.Entries[i].Bundle)
	}
	return heads
}

// kindsOf returns the kinds that a bundle provides, as Kind.group.
func kindsOf(b *catalogs.Bundle) []string {
	deps, err := b.Dependencies()
	if err != nil {
		return nil
	}
	var kinds []string
	for _, api := range deps.Provides {
		if kind := api.Kind + "." + api.Group; !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// gvkOf returns what kind of object a custom resource is.
func gvkOf(object []byte) (group, version, kind string) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if json.Unmarshal(object, &head) != nil {
		return "", "", ""
	}
	group, version, ok := strings.Cut(head.APIVersion, "/")
	if !ok {
		group, version = "", group
	}
	return group, version, head.Kind
}
