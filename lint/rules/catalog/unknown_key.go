package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var unknownKey = lint.Rule{
	ID: "catalog/unknown-key", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0 | lint.GateOLMv1, Scope: lint.PerCatalog,
	Doc: `a key is misspelt
opm ignores keys that it does not know, and properties of a type that it does not know: an edge, a version or a default channel is
missing from the catalog, and opm may name only what follows from that. A key is reported if it is like one that the object does not
have. The catalog is then checked as if it were spelt that way, so that nothing else is reported that only follows from it.
Correct the key.`,
	Reference: "operator-registry alpha/declcfg Package, Channel, Bundle, Deprecation; alpha/property",
	Check:     problems.Check(catalogs.UnknownKey, "correct the key"),
}
