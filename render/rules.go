package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// ruleList writes a line for each rule.
func ruleList(w io.Writer, rules []report.Guide, style text.Style) error {
	t := text.NewWriter(w, style)
	table := &text.Table{}
	for i := range rules {
		r := &rules[i]
		table.Add(text.Plain(r.ID), text.Plain(r.Severity.String()), text.Plain(r.Title()))
	}
	t.Rows(table)
	return t.Flush()
}

// RuleTable writes the rules as a Markdown table, as the README has it.
func RuleTable(w io.Writer, rules []report.Guide) error {
	var b strings.Builder
	b.WriteString("| rule | severity | gates | finds |\n|---|---|---|---|\n")
	for i := range rules {
		r := &rules[i]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, r.Gates, strings.ReplaceAll(r.Title(), "|", `\|`))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// jsonRules is the JSON form of rules: of all, or of those that are explained.
type jsonRules struct {
	text.Document
	Rules []jsonRule `json:"rules"`
}

type jsonRule struct {
	Rule      string       `json:"rule"`
	Severity  string       `json:"severity" enum:"off,info,warning,error"`                                              // the default
	Gates     []string     `json:"gates" enum:"opm,serve,olmv0,olmv1,apiserver,community,certified,marketplace,advice"` // what rejects it
	Title     string       `json:"title"`                                                                               // what it finds
	Why       string       `json:"why"`                                                                                 // why it matters
	Fix       string       `json:"fix"`                                                                                 // how to fix it
	Reference string       `json:"reference"`
	Examples  jsonExamples `json:"examples"` // each empty if there is none
}

type jsonExamples struct {
	Wrong string `json:"wrong"`
	Right string `json:"right"`
}

func rulesJSON(guides []report.Guide) jsonRules {
	out := jsonRules{Document: text.NewDocument()}
	for i := range guides {
		g := &guides[i]
		out.Rules = append(out.Rules, jsonRule{Rule: g.ID, Severity: g.Severity.String(), Gates: g.Gates.Names(), Title: g.Title(), Why: g.Why(), Fix: g.Fix(),
			Reference: g.Reference, Examples: jsonExamples(g.Example)})
	}
	return out
}
