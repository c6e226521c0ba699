package csv

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var crdEntry = lint.Rule{
	ID: "csv/crd-entry", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0,
	Doc: `an owned or required CRD is incomplete
OLM finds each CRD by its name, plural.group, with its version and kind. Without one of these it stays Pending.
Set name, version and kind.`,
	Reference: "operator-framework/api csv.go getProvidedAPIs; OLM requirements.go",
	Check:     contents.InAllBundles(contents.WithCSV(checkCRDEntries)),
}

// checkCRDEntries checks the fields of the owned and required CRDs.
func checkCRDEntries(c *contents.Contents) {
	checkEntries(c, "owned", c.CSV.Spec.CRDs.Owned)
	checkEntries(c, "required", c.CSV.Spec.CRDs.Required)
}

func checkEntries(c *contents.Contents, list string, all []csv.CRDDescription) {
	for i, crd := range all {
		path := fmt.Sprintf("spec.customresourcedefinitions.%s[%d]", list, i)
		switch {
		case crd.Name == "" || crd.Version == "" || crd.Kind == "":
			if c.CSV.Err == nil { // it may be in the part that could not be read
				c.Report(path, "set name, version and kind", "has the %s CRD %q without %s: it stays Pending in OLM v0", list,
					crd.Name, missingField(crd)).WithCause(crd.Name, crd.Version, crd.Kind)
			}
		case !strings.Contains(crd.Name, "."):
			c.Report(path+".name", "write the plural, a dot and the group",
				"has the %s CRD %q, a name without a group: no CRD can have it", list, crd.Name).WithCause(crd.Name)
		}
	}
}

func missingField(crd csv.CRDDescription) string {
	switch "" {
	case crd.Name:
		return "a name"
	case crd.Version:
		return "a version"
	}
	return "a kind"
}
