package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var lostDocument = lint.Rule{
	ID: "catalog/lost-document", Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `opm silently drops a part of the file
opm splits a file at lines that begin with --- and reads one document of each part. It silently drops what follows a document in
the same part, after a line of three dots: packages, channels or bundles can be missing from the catalog.
Insert a line --- before it.`,
	Reference: "k8s.io/apimachinery YAMLReader",
	Check:     problems.Check(catalogs.LostDocument, "insert a line --- before it, or remove it"),
}
