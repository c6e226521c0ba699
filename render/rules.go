package render

import (
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/messages"
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
	Rules []jsonRule `json:"rules"`
}

type jsonRule struct {
	Rule      string         `json:"rule"`
	Severity  string         `json:"severity" enum:"off,info,warning,error"`                                              // the default
	Gates     []string       `json:"gates" enum:"opm,serve,olmv0,olmv1,apiserver,community,certified,marketplace,advice"` // what rejects it
	Title     string         `json:"title"`                                                                               // what it finds
	Why       string         `json:"why"`                                                                                 // why it matters
	Fix       string         `json:"fix"`                                                                                 // how to fix it
	Reference string         `json:"reference"`
	Examples  report.Example `json:"examples"` // each empty if there is none
}

func rulesJSON(guides []report.Guide) jsonRules {
	out := jsonRules{}
	for i := range guides {
		g := &guides[i]
		out.Rules = append(out.Rules, jsonRule{Rule: g.ID, Severity: g.Severity.String(), Gates: g.Gates.Names(), Title: g.Title(), Why: g.Effect(), Fix: g.Fix(),
			Reference: g.Reference, Examples: g.Example})
	}
	return out
}

// Explanation is of rules, of words in the status of an object or in a catalog, and of messages that were found in a text; or, if there is none, has the nearest
// messages that are known.
type Explanation struct {
	Rules   []report.Guide
	Terms   []messages.Term
	Found   []messages.Found
	Nearest []messages.Message
}

// manyRules is from how many rules on, as of a family, only a list of them is printed as text.
const manyRules = 5

// ExplainFormats returns the formats of explanations.
func ExplainFormats() []text.Format[*Explanation] {
	return answer.Formats((*Explanation).say, (*Explanation).json)
}

// stopsText says what a message can stop.
func stopsText(stops string) string {
	return map[string]string{"namespace": "It can stop every upgrade in the namespace.", "operator": "It can stop this operator: its installation, its upgrade, or its work.",
		"cluster": "It can stop the update of OpenShift.", "mirror": "It can stop this run of oc-mirror, or a part of it.",
		"waits": "It can delay this operator.", "nothing": "On a cluster it stops no upgrade."}[stops]
}

func (e *Explanation) say() *answer.Answer {
	a := &answer.Answer{}
	guides := a
	if len(e.Rules) > manyRules {
		a.InText().Add(sayRules(e.Rules))
		guides = a.InMarkdown()
	}
	for i := range e.Rules {
		e.Rules[i].Say(guides)
		guides.Section()
	}
	sayTerms(a, e.Terms)
	if len(e.Found)+len(e.Rules)+len(e.Terms) == 0 {
		a.Title("olmgraph does not know this message")
	}
	for i := range e.Nearest {
		a.Item("similar: ", e.Nearest[i].Patterns[0])
	}
	for i := range e.Found {
		f := &e.Found[i]
		if i+len(e.Terms) > 0 {
			a.Section()
		}
		a.Title(f.Name, " (", f.Who, ")")
		for _, said := range f.Texts {
			a.Item("found: ", said)
		}
		switch {
		case f.Partial:
			decides := " The rest of the message decides whether that is so here."
			if f.RestDecides() {
				decides = ""
			}
			a.Say("Part of it is known: ", f.Cause, decides)
		case f.IsGeneral():
			a.Say(f.Cause)
		default:
			a.Say(f.Cause, " ", stopsText(f.Stops))
		}
		sayMessageSteps(a, f.Steps)
		if f.Earlier != "" {
			a.Item("found earlier by ", f.Earlier)
		}
		a.Item("source: ", f.Source)
	}
	return a
}

// sayMessageSteps says what to do about a message.
func sayMessageSteps(a *answer.Answer, steps []messages.Step) {
	for n, s := range steps {
		a.NumberedItem(n+1, s.Text)
		if s.Command != "" {
			a.Detail(text.Styled(s.Command, text.Command))
		}
	}
}

// sayTerms says what words mean, and what to do.
func sayTerms(a *answer.Answer, terms []messages.Term) {
	for i, t := range terms {
		if i > 0 {
			a.Section()
		}
		a.Title(t.Name, " (", t.Of, ")")
		a.Say(t.Means)
		a.Say(t.Do.Text)
		if t.Do.Command != "" {
			a.Detail(text.Styled(t.Do.Command, text.Command))
		}
		a.Item("source: ", t.Source)
	}
}

// jsonExplanation is the JSON form of an explanation.
type jsonExplanation struct {
	jsonRules
	Terms    []messages.Term  `json:"terms"`    // words of the status of an object, or of a catalog
	Messages []messages.Found `json:"messages"` // the worst first
	Nearest  []string         `json:"nearest"`  // names of known messages, if none was found
}

func (e *Explanation) json() jsonExplanation {
	return jsonExplanation{rulesJSON(e.Rules), e.Terms, e.Found, words.Map(e.Nearest, func(m messages.Message) string { return m.Name })}
}
