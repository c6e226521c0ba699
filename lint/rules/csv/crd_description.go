package csv

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var crdDescription = lint.Rule{
	ID: "csv/crd-description", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `a CRD has no description
The console shows the description of each owned and required CRD. Without one it shows only the name.
Add a description to the entry.`,
	Reference: "operator-framework/api good_practices.go validateCrdDescriptions",
	Check:     contents.InHeads(contents.WithCSV(checkCRDDescriptions)),
}

func checkCRDDescriptions(c *contents.Contents) {
	var silent []string
	seen := map[string]bool{}
	path := ""
	for list, all := range [][]csv.CRDDescription{c.CSV.Spec.CRDs.Owned, c.CSV.Spec.CRDs.Required} {
		for i, crd := range all {
			if strings.TrimSpace(crd.Description) != "" {
				continue
			}
			if path == "" {
				path = fmt.Sprintf("spec.customresourcedefinitions.%s[%d]", [...]string{"owned", "required"}[list], i)
			}
			if !seen[crd.Name] {
				seen[crd.Name] = true
				silent = append(silent, crd.Name)
			}
		}
	}
	if len(silent) > 0 {
		f := c.Report(path, "add a description to each", "has no description of %s: the console shows only %s", words.AllOf(silent),
			words.Plural(len(silent), "its name", "their names"))
		f.Cause, f.Faults = lint.OncePerPackage(), silent
	}
}
