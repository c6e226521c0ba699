package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/names"
)

var customSchemaName = lint.Rule{
	ID: "catalog/custom-schema-name", Severity: lint.Error, Gates: lint.GateServe, Scope: lint.PerCatalog,
	Doc: `opm serve cannot store an object of this schema
opm validate accepts objects of any schema. When the catalog's pod starts, opm serve stores them by schema and package, and fails
if a name has characters other than letters, digits, dot, underscore and hyphen: the catalog is never served.
Rename the schema or the package of the object.`,
	Reference: "operator-registry pkg/cache",
	Check:     checkCustomSchemas,
}

func checkCustomSchemas(p *lint.Pass) {
	for _, o := range p.Catalog.Others {
		bad := o.Schema
		if names.CacheName.MatchString(o.Schema.Value) {
			bad = o.Package
			if bad.Value == "" || names.CacheName.MatchString(bad.Value) {
				continue
			}
		}
		p.Report(lint.Finding{
			Subject: lint.Subject{Package: o.Package.Value},
			Cause:   []string{o.Schema.Value, bad.Value},
			Pos:     bad.Pos,
			Message: fmt.Sprintf("opm serve cannot store objects under the name %q: the catalog's pod does not start", bad.Value),
			Fix:     "use letters, digits, dots, underscores and hyphens only, a letter or digit first",
		})
	}
}
