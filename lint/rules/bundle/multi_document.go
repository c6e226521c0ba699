package bundle

import (
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var multiDocument = lint.Rule{
	ID: "bundle/multi-document", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `a file has several documents
OLM v0 and opm read only the first document of a file and ignore the others silently; OLM v1 installs all of them. The same bundle
then differs between clusters.
Write each object to its own file.`,
	Reference: "operator-registry pkg/registry DecodeFile; operator-controller rukpak/bundle/source",
	Check:     contents.InHeads(checkDocuments),
}

func checkDocuments(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.File != "" && m.Document > 0 {
			c.ReportOn(m, "", "move it to its own file",
				"contains the %s %q as another document of the file %s, of which OLM v0 and opm read only the first one: it is not installed",
				m.Kind, m.Name, m.File)
		}
	}
}
