package render

import (
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// RuleFormats returns the formats of the list of rules.
func RuleFormats() []text.Format[[]report.Guide] { return answer.Formats(sayRules, rulesJSON) }

// sayRules says what each rule finds.
func sayRules(rules []report.Guide) *answer.Answer {
	table := &answer.Table{Columns: []string{"rule", "severity", "gates", "finds"}}
	for i := range rules {
		r := &rules[i]
		table.Add(text.Styled(r.ID, text.Name), r.Severity, r.Gates, r.Title())
	}
	a := &answer.Answer{}
	a.Table(table)
	return a
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
