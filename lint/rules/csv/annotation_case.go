package csv

import (
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var annotationCase = lint.Rule{
	ID: "csv/annotation-case", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
	Doc: `an annotation of OLM has the wrong case
OLM finds its annotations by their exact names, and ignores one with a letter in the wrong case: for example a skipRange that
skips nothing.
Write it as OLM does.`,
	Reference: "operator-framework/api annotations.go ValidateAnnotationNames",
	Check:     contents.InHeads(contents.WithCSV(checkAnnotationCase)),
}

// olmAnnotations are the case-sensitive annotations that OLM reads (operator-framework/api: annotations.go).
var olmAnnotations = []string{"olm.operatorGroup", "olm.operatorNamespace", "olm.targetNamespaces", "olm.providedAPIs",
	"olm.skipRange"}

func checkAnnotationCase(c *contents.Contents) {
	for _, want := range olmAnnotations {
		for _, key := range words.SortedKeys(c.CSV.Metadata.Annotations) {
			if key != want && strings.EqualFold(key, want) {
				c.Report(contents.AnnotationPath(key), "write "+want,
					"has the annotation %q, which OLM only reads as %q: it has no effect", key, want)
			}
		}
	}
}
