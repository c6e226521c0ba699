package csv

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var marketplace = lint.Rule{
	ID: "csv/marketplace", Severity: lint.Error, Gates: lint.GateMarketplace,
	Doc: `an operator of the marketplace lacks its links
The console links to the price and the support of an operator of the marketplace by two annotations. The pipeline of the marketplace
catalog requires the exact links of the package. It is checked if that pipeline judges the catalog.
Set both annotations.`,
	Reference: "operator-pipelines static_tests/isv check_marketplace_annotation",
	Check:     contents.InHeads(contents.WithReadableCSV(contents.InFolder(checkMarketplace))),
}

func checkMarketplace(c *contents.Contents) {
	if !c.Pass.JudgedBy(lint.GateMarketplace) {
		return
	}
	for _, a := range []struct{ key, page string }{{"remote-workflow", "pricing"}, {"support-workflow", "support"}} {
		key := "marketplace.openshift.io/" + a.key
		want := fmt.Sprintf("https://marketplace.redhat.com/en-us/operators/%s/%s?utm_source=openshift_console", c.Package.Value, a.page)
		switch value, ok := c.CSV.Metadata.Annotations[key]; {
		case !ok:
			c.Report("metadata.annotations", fmt.Sprintf("add %s: %s", key, want), "lacks the annotation %s: the marketplace pipeline rejects it", key).WithCause(key)
		case value != want:
			c.Report(contents.AnnotationPath(key), "write "+want, "has the annotation %s with %q, which the marketplace pipeline rejects", key, value)
		}
	}
}
