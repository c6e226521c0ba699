package cli

import (
	"testing"

	"github.com/olmgraph/olmgraph/lint"
)

// TestOutcome counts no finding that is suppressed.
func TestOutcome(t *testing.T) {
	found := []lint.Finding{{Rule: "graph/stuck", Severity: lint.Error, Suppressed: "known"}, {Rule: "graph/cycle", Severity: lint.Warning}}
	if err := outcome(found, lint.Error, nil); err != nil {
		t.Errorf("%v for a suppressed error and a warning", err)
	}
	if err := outcome(found, lint.Warning, nil); err != status(statusFindings) {
		t.Errorf("%v for a warning that counts", err)
	}
}
