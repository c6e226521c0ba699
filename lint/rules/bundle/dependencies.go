package bundle

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var dependencies = lint.Rule{
	ID: "bundle/dependencies", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
	Doc: `a dependency of a bundle is malformed
metadata/dependencies.yaml declares what a bundle requires. opm alpha bundle validate rejects an entry of an unknown type or
without a field. In a catalog, such an entry prevents OLM v0 from resolving the namespace.
Correct the entry.`,
	Reference: "operator-registry pkg/registry types.go",
	Check:     contents.InAllBundles(checkDependencies),
}

// checkDependencies checks metadata/dependencies.yaml (operator-registry: pkg/registry types.go).
func checkDependencies(c *contents.Contents) {
	folder := c.Folder
	if folder == nil {
		return
	}
	for _, d := range folder.Dependencies {
		if fix, says := dependencyFault(d); says != "" {
			c.ReportAt(d.Pos, fix, "has a dependency %s", says).WithCause(d.Type, string(d.JSON))
		}
	}
}

// dependencyValue has the fields of all types of dependencies.
type dependencyValue struct {
	Group, Version, Kind string
	PackageName          string
	Label                string
	Cel                  *struct{ Rule string }
	All, Any, Not        json.RawMessage
	GVK, Package         json.RawMessage
}

// dependencyFault returns what is wrong with a dependency, and the fix; "" if nothing is.
func dependencyFault(d catalogs.Dependency) (fix, says string) {
	var v dependencyValue
	types := []string{"olm.gvk", "olm.package", "olm.label", "olm.constraint"}
	if !slices.Contains(types, d.Type) {
		return "use one of " + words.OneOf(types), fmt.Sprintf("of the type %q, which opm does not know", d.Type)
	}
	if len(d.JSON) == 0 || json.Unmarshal(d.JSON, &v) != nil {
		return "write the value as an object with fields that are strings", fmt.Sprintf("of the type %s that opm cannot read",
			d.Type)
	}
	switch {
	case d.Type == "olm.gvk" && (v.Group == "" || v.Version == "" || v.Kind == ""):
		return "set group, version and kind", "on an API without a group, a version or a kind"
	case d.Type == "olm.package":
		return packageFault(v.PackageName, v.Version)
	case d.Type == "olm.label" && v.Label == "":
		return "set label", "on a label without a name"
	case d.Type == "olm.constraint" && v.Cel != nil && v.Cel.Rule == "":
		return "set cel.rule", "on a constraint without a rule"
	}
	return "", ""
}

// packageFault is dependencyFault for olm.package.
func packageFault(name, span string) (fix, says string) {
	switch {
	case name == "":
		return "set packageName", "on a package without a name"
	case span == "":
		return "set version to a range, for example '>=1.0.0'", fmt.Sprintf("on the package %q without a range of versions", name)
	case versions.ParseRange(span).Err != nil:
		return "write a range, for example '>=1.0.0 <2.0.0'", fmt.Sprintf("on the package %q in the invalid range %q",
			name, span)
	}
	return "", ""
}
