package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var emptyMessage = lint.Rule{
	ID: "deprecation/empty-message", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a deprecation has no message
The message is what users read in the console: opm rejects an empty one.
Write since when, why, and what to use instead.`,
	Reference: "operator-registry alpha/model Deprecation.Validate",
	Check:     eachDeprecation(checkDeprecationMessage),
}

func checkDeprecationMessage(p *lint.Pass, d *catalogs.Deprecation) {
	if d.Message.Value == "" && !versions.HasTypeProblem(p.Catalog, d.Message.Pos) {
		p.Report(lint.Finding{
			Subject: deprecationSubject(d),
			Cause:   causeOf(d),
			Pos:     words.FirstKnown(d.Message.Pos, d.Pos),
			Message: fmt.Sprintf("%s is deprecated without a message: users are not told what to do", describeDeprecated(d)),
			Fix:     "add message: why, since when, and what to use instead",
		})
	}
}
