package csv

import (
	"strings"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var description = lint.Rule{
	ID: "csv/description", Severity: lint.Error, Gates: lint.GateCommunity,
	Doc: `an operator has no useful display name or description
The pipeline of the community catalog requires a display name of at least 3 characters and a description of at least 20. The console
shows little else before the installation.
Set spec.displayName and spec.description.`,
	Reference: "operator-pipelines static_tests/community check_required_fields",
	Check:     contents.InHeads(contents.WithCSV(checkDescription)),
}

// checkDescription checks what users read before they install the operator (operator-pipelines: check_required_fields).
func checkDescription(c *contents.Contents) {
	display := strings.TrimSpace(c.CSV.Spec.DisplayName)
	if n := utf8.RuneCountInString(display); n > 0 && n < 3 {
		c.Report("spec.displayName", "use at least 3 characters",
			"has the display name %q: the community pipeline requires at least 3 characters", display).WithCause(display)
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(c.CSV.Spec.Description)); n < 20 && c.CSV.Err == nil {
		c.Report("spec.description", "describe what the operator does",
			"has a description of %d characters: the community pipeline requires at least 20", n)
	}
}
