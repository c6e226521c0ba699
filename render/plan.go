package render

import (
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// PlanFormats returns the formats of the plan of a cluster.
func PlanFormats() []text.Format[*plan.Plan] {
	return answer.Formats(sayPlan, clusterPlanJSON)
}

// sayPlan says what blocks, and the steps by OpenShift version, to tick off.
func sayPlan(p *plan.Plan) *answer.Answer {
	a := answer.New(wording.PlanHeading(p))
	for _, note := range wording.PlanNotes(p) {
		a.Item(text.Styled(note, text.Warning))
	}
	sayBlockers(a, p)
	if len(p.Blockers) > 0 && len(p.Steps) > 0 {
		a.Section("steps to OpenShift ", p.Reached)
	}
	at := plan.Minor(0)
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Minor != at {
			at = s.Minor
			a.Section("OpenShift ", at)
		}
		a.TodoItem(i+1, wording.PlanStep(s), wording.PlanUpgrades(s))
		for _, said := range wording.StepFreezes(s) {
			a.Detail(text.Styled(said, text.Error))
		}
		sayCommands(a, wording.StepCommands(s).All())
	}
	for i := range p.Warnings {
		if i == 0 {
			a.Section("warnings")
		}
		a.Item(text.Styled(wording.PlanWarning(&p.Warnings[i]), text.Warning))
	}
	return a
}

// sayBlockers says what blocks, and what to do first.
func sayBlockers(a *answer.Answer, p *plan.Plan) {
	for i := range p.Blockers {
		b := &p.Blockers[i]
		if i == 0 || b.OfOpenShift() != p.Blockers[i-1].OfOpenShift() {
			a.Section(wording.Blocks(b))
		}
		said := wording.Blocker(b)
		a.Item(text.Styled(said.What, text.Error))
		a.Detail("first: ", said.First)
		if gain := wording.BlockerGain(b, p); gain != "" {
			a.Detail(text.Styled(gain, text.Faint))
		}
	}
}
