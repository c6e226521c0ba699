package render

import (
	"errors"
	"io"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/messages"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// Explanation is of rules, or of messages that were found in a text or, if there are none, the nearest that are known.
type Explanation struct {
	Rules   []report.Guide
	Found   []messages.Found
	Nearest []messages.Message
}

// manyRules is from how many rules on, as of a family, only a list of them is printed as text.
const manyRules = 5

// ExplainFormats returns the formats of explanations.
func ExplainFormats() []text.Format[*Explanation] {
	return []text.Format[*Explanation]{
		{Name: "text", Write: func(w io.Writer, e *Explanation, style text.Style) error {
			if len(e.Rules) > manyRules {
				return ruleList(w, e.Rules, style)
			}
			return errors.Join(report.Explain(w, e.Rules, style), e.say().Text(w, style))
		}},
		answer.JSON((*Explanation).json),
		{Name: "markdown", Write: text.Unstyled(func(w io.Writer, e *Explanation) error {
			return errors.Join(report.ExplainMarkdown(w, e.Rules), e.say().Markdown(w))
		})},
	}
}

// stopsText says what a message stops.
func stopsText(stops string) string {
	return map[string]string{"namespace": "every upgrade in the namespace", "operator": "the installation or upgrade of this operator", "cluster": "the update of OpenShift to the next minor version",
		"mirror": "this run of oc-mirror, or a part of it", "waits": "the operator, until what it waits for is done", "nothing": "nothing"}[stops]
}

func (e *Explanation) say() *answer.Answer {
	a := &answer.Answer{}
	if len(e.Found)+len(e.Rules) == 0 {
		a.Title("no message that olmgraph knows")
	}
	for i := range e.Nearest {
		a.Item("near it: ", e.Nearest[i].Patterns[0])
	}
	for i := range e.Found {
		f := &e.Found[i]
		if i > 0 {
			a.Section()
		}
		a.Title(f.Name, " (", f.Who, ")")
		for _, said := range f.Texts {
			a.Item("found: ", said)
		}
		a.Say(f.Cause, " It stops ", stopsText(f.Stops), ".")
		for n, s := range f.Steps {
			a.Numbered(n+1, s.Text)
			if s.Command != "" {
				a.Detail(text.Styled(s.Command, text.Command))
			}
		}
		if f.Earlier != "" {
			a.Item("found earlier by ", f.Earlier)
		}
		a.Item("source: ", f.Source)
	}
	return a
}

// jsonExplanation is the JSON form of an explanation.
type jsonExplanation struct {
	jsonRules
	Messages []messages.Found `json:"messages"` // the worst first
	Nearest  []string         `json:"nearest"`  // names of known messages, if none was found
}

func (e *Explanation) json() jsonExplanation {
	return jsonExplanation{rulesJSON(e.Rules), e.Found, phrase.Of(e.Nearest, func(m messages.Message) string { return m.Name })}
}
