package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var nameCollision = lint.Rule{
	ID: "catalog/name-collision", Severity: lint.Error, Gates: lint.GateOLMv0, Scope: lint.PerCatalog,
	Doc: `two packages have a channel and a bundle of the same names
OLM v0's resolver identifies a bundle by catalog, channel and name, without the package. It treats the two as one, and fails for
every namespace with a Subscription to either.
Rename the bundle or the channel in one of them.`,
	Reference: "OLM resolver.Resolve",
	Check:     checkNameCollision,
}

func checkNameCollision(p *lint.Pass) {
	type key struct{ channel, bundle string }
	first := map[key]*catalogs.Package{}
	where := map[key]catalogs.Pos{}
	for _, pkg := range p.Catalog.Packages {
		for _, c := range pkg.Channels {
			for _, e := range c.Entries {
				k := key{c.Name.Value, e.Name.Value}
				other := first[k]
				if other == nil {
					first[k], where[k] = pkg, e.Pos
				}
				if other == nil || other == pkg {
					continue
				}
				p.Report(lint.Finding{
					Subject: lint.Subject{Package: pkg.Name.Value, Channel: k.channel, Bundle: k.bundle},
					Cause:   []string{k.channel, k.bundle, other.Name.Value},
					Pos:     e.Pos,
					Message: fmt.Sprintf("package %q also has the bundle %q in a channel %q: OLM v0 treats the two as one and fails",
						other.Name.Value, k.bundle, k.channel),
					Fix:     "rename the bundle or the channel in one of the packages",
					Related: []lint.Related{{Pos: where[k], Message: "the other one"}},
				})
			}
		}
	}
}
