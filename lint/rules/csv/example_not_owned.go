package csv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var exampleNotOwned = lint.Rule{
	ID: "csv/example-not-owned", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `an example is of an API that is not owned
Each example is of an API that the operator owns, in that version. The pipelines reject other examples: the console would offer an API
that the operator does not serve.
Write it for an owned version, or remove it.`,
	Reference: "operator-framework/api csv.go matchGVKProvidedAPIs",
	Check:     contents.InHeads(contents.WithCSV(checkExamplesOwned)),
}

func checkExamplesOwned(c *contents.Contents) {
	owned, versions := map[catalogs.API]bool{}, map[catalogs.API]string{} // versions is by group and kind
	for _, o := range c.CSV.OwnedAPIs() {
		owned[o], versions[catalogs.API{Group: o.Group, Kind: o.Kind}] = true, o.Version
	}
	var others, ids []string
	fix := "remove it, or own that API"
	for _, a := range c.CSV.ExampleAPIs() {
		if owned[a] || c.CSV.Err != nil || misdescribed(c, a) {
			continue
		}
		others, ids = append(others, formatAPI(a)), append(ids, a.String())
		if v, ok := versions[catalogs.API{Group: a.Group, Kind: a.Kind}]; ok && len(others) == 1 {
			fix = fmt.Sprintf("write it for version %s, which it owns", v)
		}
	}
	if n := len(others); n > 0 {
		c.Report(contents.AnnotationPath(c.CSV.ExampleAnnotation()), fix, "has %s of %s, %s that it does not own",
			words.Plural(n, "an example", "examples"), words.AllOf(others), words.Plural(n, "an API", "APIs")).Faults = ids
	}
}

// misdescribed reports whether the bundle has the CRD of an API in another version or kind than its ClusterServiceVersion says: manifest/owned-crd.
func misdescribed(c *contents.Contents, a catalogs.API) bool {
	return slices.ContainsFunc(c.Pass.Catalog.Problems, func(p catalogs.Problem) bool {
		return p.Kind == catalogs.ManifestOwnedCRD && p.Bundle == c.Name.Value && p.Fix != "" && strings.HasSuffix(p.Cause[0], "."+a.Group)
	})
}
