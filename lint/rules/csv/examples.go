package csv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var examples = lint.Rule{
	ID: "csv/examples", Severity: lint.Error, Gates: lint.GatePipelines, OtherGates: lint.GateAdvice,
	Doc: `the examples cannot be read
The annotation alm-examples is a JSON list of custom resources, from which the console generates its forms. The pipelines
reject anything else.
Write a JSON list.`,
	Reference: "operator-framework/api csv.go validateExamplesAnnotations",
	Check:     contents.InHeads(contents.WithCSV(checkExampleJSON)),
}

// formatAPI returns an API as group/version Kind.
func formatAPI(a catalogs.API) string { return fmt.Sprintf("%s/%s %s", a.Group, a.Version, a.Kind) }

func checkExampleJSON(c *contents.Contents) {
	key := c.CSV.ExampleAnnotation()
	text := c.CSV.Metadata.Annotations[key]
	if key == "" || strings.TrimSpace(text) == "" {
		return
	}
	var examples []map[string]any
	var syntax *json.SyntaxError
	switch err := json.Unmarshal([]byte(text), &examples); {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count([]byte(text)[:syntax.Offset], []byte("\n"))
		c.Report(contents.AnnotationPath(key), "write a JSON list of custom resources",
			"has %s that are not JSON: %v, in line %d of the annotation", key, err, line)
	case err != nil:
		c.Report(contents.AnnotationPath(key), "write a JSON list of custom resources",
			"has %s that are not a list of objects: the console cannot show them", key)
	}
	if _, both := c.CSV.Metadata.Annotations[csv.AnnotationOldExamples]; both && key == csv.AnnotationExamples {
		f := c.Report(contents.AnnotationPath(csv.AnnotationOldExamples), "keep alm-examples",
			"has the annotation %s beside %s, which is then ignored", csv.AnnotationOldExamples, csv.AnnotationExamples)
		f.Severity, f.Gates = lint.Info, lint.GateAdvice
	}
}
