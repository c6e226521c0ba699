package catalog

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
)

var bundleWithoutChannel = lint.Rule{
	ID: "catalog/bundle-without-channel", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a bundle is in no channel
opm rejects an olm.bundle object that no entry of its package's channels names: it could not be installed.
Add it to a channel, or remove it.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkBundleWithoutChannel,
}

func checkBundleWithoutChannel(p *lint.Pass) {
	if !p.Package.Defined() {
		return // reported by catalog/unknown-package
	}
	unused := unlisted(p.Package)
	for _, name := range unused {
		if p.Catalog.MayBeUnread(name) || isMeant(p.Package, name, unused) {
			continue
		}
		b := p.Package.Bundle(name)
		f := lint.Finding{Subject: lint.Subject{Bundle: name}, Pos: b.Name.Pos,
			Message: fmt.Sprintf("bundle %q is in no channel: it cannot be installed", name),
			Fix:     "add an entry for it to a channel, or remove it"}
		if !b.Name.Pos.Known() {
			f.Pos, f.Message, f.Fix = b.Pos, "a bundle without a name", "add its name"
		}
		p.Report(f)
	}
}

// isMeant reports whether an entry without a bundle probably means a bundle: catalog/entry-without-bundle says so.
func isMeant(p *catalogs.Package, name string, unused []string) bool {
	return slices.ContainsFunc(p.Channels, func(c *catalogs.Channel) bool {
		return slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool {
			near, ok := spelling.Nearest(e.Name.Value, unused)
			return ok && near == name && e.Bundle == nil
		})
	})
}
