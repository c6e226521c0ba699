package report

import (
	"bytes"
	"math"
	"strings"

	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// Guide is the documentation of a rule.
type Guide struct {
	lint.Rule
	Example Example // empty if there is none
}

// Say adds the documentation to an answer.
func (g *Guide) Say(a *answer.Answer) {
	a.Title(text.Styled(g.ID, text.Name), ": ", g.Title())
	g.sayRest(a)
}

// sayRest adds the documentation without the title.
func (g *Guide) sayRest(a *answer.Answer) {
	a.Say("severity: ", g.Severity)
	for i, name := range g.Gates.Names() {
		verb := "rejected by "
		if gate, _ := judge.ParseGate(name); gate == lint.GateAdvice {
			verb = "gate " // nothing rejects it
		}
		a.Item(verb, text.Styled(name, text.Name), " (", g.Gates.Meanings()[i], ")")
	}
	a.Section()
	for _, paragraph := range strings.Split(g.Effect(), "\n\n") {
		a.Say(paragraph)
	}
	a.Section("to fix it")
	for _, paragraph := range strings.Split(g.Fix(), "\n\n") {
		a.Say(paragraph)
	}
	if g.Example.Wrong != "" {
		a.Section("wrong")
		a.Code("yaml", g.Example.Wrong)
		a.Section("right")
		a.Code("yaml", g.Example.Right)
	}
	a.Section()
	a.Say("see: ", g.Reference)
}

// help returns the documentation without the title for programs that show it.
func (g *Guide) help() (plain, markdown string) {
	var a answer.Answer
	g.sayRest(&a)
	var lines, blocks bytes.Buffer
	_, _ = a.Text(&lines, text.Style{Width: math.MaxInt}), a.Markdown(&blocks) // a buffer takes everything
	return lines.String(), blocks.String()
}
