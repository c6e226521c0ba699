package csv

import (
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var keywords = lint.Rule{
	ID: "csv/keywords", Severity: lint.Warning, Gates: lint.GateCommunity,
	Doc: `an operator has no keywords
The console searches the keywords of an operator. The pipeline of the community catalog warns if there are none.
Set spec.keywords.`,
	Reference: "operator-pipelines static_tests/community check_required_fields",
	Check:     contents.InHeads(contents.WithReadableCSV(checkKeywords)),
}

func checkKeywords(c *contents.Contents) {
	if c.CSV.Err == nil && len(c.CSV.Spec.Keywords) == 0 {
		c.Report("spec", "set spec.keywords", "has no keywords: the community pipeline warns of it, and the console does not find it by them")
	}
}
