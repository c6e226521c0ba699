package api

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var labelNoop = lint.Rule{
	ID: "api/label-noop", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `a dependency on a label has no effect
opm copies an olm.label of metadata/dependencies.yaml into the catalog unchanged. There it is a label of the bundle, not a
requirement, and no OLM reads it.
Use an olm.constraint with a CEL rule, or remove the dependency.`,
	Reference: "operator-registry pkg/registry registry_to_model.go ObjectsAndPropertiesFromBundle",
	Check:     checkLabels,
}

// checkLabels reports olm.label dependencies in metadata/dependencies.yaml.
func checkLabels(p *lint.Pass) {
	f := contents.NewFindingGroups(p)
	for _, b := range contents.NewestFirst(p.Package) {
		folder := b.Folder
		if folder == nil {
			continue
		}
		for _, d := range folder.Dependencies {
			if d.Type == "olm.label" {
				f.Add(string(d.JSON), lint.Finding{
					Subject: lint.Subject{Bundle: b.Name.Value}, Cause: []string{string(d.JSON)}, Pos: d.Pos,
					Message: fmt.Sprintf("%q depends on a label, %s: opm makes it a label of the bundle, and no OLM reads it",
						b.Name.Value, d.JSON),
					Fix: "use an olm.constraint with a CEL rule, or remove it",
				})
			}
		}
	}
	f.Report("older bundle")
}
