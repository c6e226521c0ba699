package crd

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
)

// checkShared reports kinds that the heads of several packages provide. It does not need manifests.
func checkShared(p *lint.Pass) {
	type owner struct {
		pkg    *catalogs.Package
		bundle *catalogs.Bundle
	}
	var owners memo.Groups[string, owner] // by kind and group
	for _, pkg := range p.Catalog.Packages {
		b := defaultHead(pkg)
		if b == nil {
			continue
		}
		for _, kind := range providedBy(p.Dependencies(b)).sorted() {
			owners.Add(kind, owner{pkg, b})
		}
	}
	for kind, all := range owners.All() {
		for _, o := range all[1:] {
			if folder := o.bundle.Folder; folder != nil && slices.Contains(folder.Beside, all[0].pkg.Name.Value) {
				continue // of one operator: bundle/package-name
			}
			p.Report(lint.Finding{
				Subject: lint.Subject{Package: o.pkg.Name.Value, Bundle: o.bundle.Name.Value},
				Cause:   []string{kind, all[0].pkg.Name.Value},
				Pos:     o.bundle.Pos,
				Message: fmt.Sprintf("%q provides %s, and so does %q of package %q: a cluster cannot have both", o.bundle.Name.Value, kind,
					all[0].bundle.Name.Value, all[0].pkg.Name.Value),
				Fix:     "let one package provide it and the other one require it",
				Related: []lint.Related{{Pos: all[0].bundle.Pos, Message: "the other one"}},
			})
		}
	}
}

// defaultHead returns the head of the default channel, or nil.
func defaultHead(pkg *catalogs.Package) *catalogs.Bundle {
	c := pkg.Channel(pkg.DefaultChannel.Value)
	if c == nil {
		return nil
	}
	if i, ok := graph.Of(pkg, c).Head(); ok {
		return c.Entries[i].Bundle
	}
	return nil
}
