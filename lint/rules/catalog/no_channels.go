package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
)

var noChannels = lint.Rule{
	ID: "catalog/no-channels", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a package has no channel
It cannot be subscribed to, and opm rejects it.
Add an olm.channel object that names the package, or remove the package.`,
	Reference: "operator-registry alpha/model Package.Validate",
	Check:     checkNoChannels,
}

func checkNoChannels(p *lint.Pass) {
	if p.Package.Defined() && p.Package.Name.Value != "" && len(p.Package.Channels) == 0 && !p.Catalog.MayBeUnread(p.Package.Name.Value) {
		p.Report(lint.Finding{
			Pos:     p.Package.Pos,
			Message: fmt.Sprintf("package %q has no channel: it cannot be installed", p.Package.Name.Value),
			Fix:     fmt.Sprintf("add an olm.channel object with package: %s, or remove the package", p.Package.Name.Value),
		})
	}
}
