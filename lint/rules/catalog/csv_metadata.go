package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var csvMetadata = lint.Rule{
	ID: "catalog/csv-metadata", Severity: lint.Error, Gates: lint.GateServe,
	Doc: `a bundle has more than one olm.csv.metadata property
opm validate accepts it; opm serve then fails to answer for the bundle, and it cannot be installed.
Keep one.`,
	Reference: "operator-registry pkg/api",
	Check:     lint.EachBundle(checkCSVMetadata),
}

func checkCSVMetadata(p *lint.Pass, b *catalogs.Bundle) {
	if n := b.PropertyCount(catalogs.TypeCSVMetadata); n > 1 {
		more := laterProperties(b, catalogs.TypeCSVMetadata)
		p.Report(lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Pos:     more[0].Pos,
			Message: fmt.Sprintf("bundle %q has %d olm.csv.metadata properties: opm serve fails to answer for it", b.Name.Value, n),
			Fix:     "keep one",
			Related: more[1:],
		})
	}
}
