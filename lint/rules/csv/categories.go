package csv

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var categoriesRule = lint.Rule{
	ID: "csv/categories", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `a category of an operator is unknown
The annotation categories has values of a fixed list, separated by commas, by which users find the operator. The pipelines reject
other values.
Use categories of the list.`,
	Reference: "operator-framework/api standardcategories.go; operator-pipelines validations.py",
	Check:     contents.InHeads(contents.WithCSV(checkCategories)),
}

// categories are the values of the annotation categories: those of operator-framework/api, and one that only the pipelines know.
var categories = []string{
	"AI/Machine Learning", "Application Runtime", "Big Data", "Cloud Provider", "Database", "Developer Tools", "Drivers and plugins",
	"Integration & Delivery", "Logging & Tracing", "Modernization & Migration", "Monitoring", "Networking", "Observability",
	"OpenShift Optional", "Security", "Storage", "Streaming & Messaging",
}

func checkCategories(c *contents.Contents) {
	key := "categories"
	value, ok := c.CSV.Metadata.Annotations[key]
	if !ok {
		return
	}
	for category := range strings.SplitSeq(value, ",") {
		if category = strings.TrimSpace(category); !slices.Contains(categories, category) {
			c.Report(contents.AnnotationPath(key), suggestion(category, categories),
				"has the category %q, which is not in the list of the pipelines: they reject it", category).WithCause(category)
		}
	}
}
