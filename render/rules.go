package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
)

// RuleList writes a line a rule for people.
func RuleList(w io.Writer, rules []lint.Rule) error {
	width := 0
	for i := range rules {
		width = max(width, len(rules[i].ID))
	}
	var b strings.Builder
	for i := range rules {
		r := &rules[i]
		fmt.Fprintf(&b, "%-*s  %-7s  %s\n", width, r.ID, r.Severity, r.Title())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// RuleTable writes the rules as a table for a README.
func RuleTable(w io.Writer, rules []lint.Rule) error {
	var b strings.Builder
	b.WriteString("| rule | severity | gates | finds |\n|---|---|---|---|\n")
	for i := range rules {
		r := &rules[i]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, r.Gates, strings.ReplaceAll(r.Title(), "|", `\|`))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Rule writes what there is to know about a rule.
func Rule(w io.Writer, r *lint.Rule) error {
	_, why, _ := strings.Cut(r.Doc, "\n")
	_, err := fmt.Fprintf(w, "%s: %s\n\nseverity: %s\nminded by: %s\n\n%s\n\nsee: %s\n\n", r.ID, r.Title(), r.Severity, r.Gates, why, r.Ref)
	return err
}
