package csv

import (
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var exampleMissing = lint.Rule{
	ID: "csv/example-missing", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `an API has no example
The console generates the form for a new object from an example in the annotation alm-examples. Without an example the form is
empty.
Add an example of each owned API.`,
	Reference: "operator-framework/api csv.go matchGVKProvidedAPIs",
	Check:     contents.InHeads(contents.WithCSV(checkExamplesMissing)),
}

func checkExamplesMissing(c *contents.Contents) {
	examples, path := c.CSV.ExampleAPIs(), "metadata.annotations"
	if key := c.CSV.ExampleAnnotation(); key != "" {
		path = contents.AnnotationPath(key)
		if c.CSV.Examples() == nil && strings.TrimSpace(c.CSV.Metadata.Annotations[key]) != "" {
			return // reported by csv/examples
		}
	}
	has := map[catalogs.API]bool{}
	for _, a := range examples {
		has[a] = true
	}
	var missing, ids []string
	for _, a := range c.CSV.OwnedAPIs() {
		if !has[a] {
			missing, ids = append(missing, formatAPI(a)), append(ids, a.String())
			has[a] = true
		}
	}
	if len(missing) > 0 {
		f := c.Report(path, "add one of each to the annotation alm-examples",
			"has no example of %s: the console shows an empty form", words.AllOf(missing))
		f.Cause, f.Faults = lint.OncePerPackage(), ids
	}
}
