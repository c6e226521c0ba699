package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// Plan is the plan of a cluster. Details are, in text, the commands that check a step.
type Plan struct {
	*plan.Plan
	Details bool
}

// PlanFormats returns the formats of the plan of a cluster.
func PlanFormats() []text.Format[*Plan] {
	return answer.Formats(sayPlan, func(p *Plan) jsonClusterPlan { return clusterPlanJSON(p.Plan) })
}

// sayPlan says what blocks, what becomes of each operator, and the steps by OpenShift version, to tick off.
func sayPlan(p *Plan) *answer.Answer {
	a := answer.New(wording.PlanHeading(p.Plan))
	for _, note := range wording.PlanNotes(p.Plan) {
		a.Item(text.Styled(note, text.Warning))
	}
	sayBlockers(a, p.Plan)
	if t := planTable(p.Plan); t.Rows() > 0 {
		a.Section()
		a.Table(t)
	}
	if len(p.Blockers) > 0 && len(p.Steps) > 0 {
		a.Section("steps to OpenShift ", p.Reached)
	}
	told := map[string]int{}
	for i := 0; i < len(p.Steps); {
		if m := p.Steps[i].Minor; i == 0 || m != p.Steps[i-1].Minor {
			a.Section("OpenShift ", m)
		}
		n := p.sameApprovals(i)
		if n > 1 {
			p.sayApprovals(a.InText(), i, n, told)
		}
		for all := i + n; i < all; i++ {
			if n == 1 {
				p.sayStep(a, i, told)
			} else {
				p.sayStep(a.InMarkdown(), i, told)
			}
		}
	}
	for i := range p.Warnings {
		if i == 0 {
			a.Section("warnings")
		}
		a.Item(text.Styled(p.Warnings[i].Message, text.Warning))
	}
	return a
}

// sayStep says one step.
func (p *Plan) sayStep(a *answer.Answer, i int, told map[string]int) {
	s := &p.Steps[i]
	a.TodoItem(i+1, wording.PlanStep(s), wording.PlanUpgrades(s))
	for _, said := range wording.StepFreezes(s) {
		a.Detail(text.Styled(said, text.Error))
	}
	p.sayStepCommands(a, i+1, wording.StepCommands(s).All(), told)
}

// sayApprovals says steps that approve one InstallPlan after the other as one.
func (p *Plan) sayApprovals(a *answer.Answer, i, n int, told map[string]int) {
	all := p.Steps[i]
	all.Upgrades = nil
	for j := i; j < i+n; j++ {
		all.Upgrades = append(all.Upgrades, p.Steps[j].Upgrades...)
	}
	a.NumberedItem(i+1, fmt.Sprintf("%s; then, as steps %d to %d, each one that OLM creates after it (--details lists them)", wording.PlanStep(&all), i+2, i+n))
	for _, said := range wording.PlanUpgrades(&all) {
		a.Detail(said)
	}
	p.sayStepCommands(a, i+1, wording.StepCommands(&p.Steps[i]).All(), told)
}

// sameApprovals returns how many steps from one on do the same in text: at least three that approve InstallPlans of a namespace which OLM has not created
// yet; or 1.
func (p *Plan) sameApprovals(i int) int {
	n, first := 0, &p.Steps[i]
	for ; !p.Details && i+n < len(p.Steps); n++ {
		s := &p.Steps[i+n]
		if !s.Approve || len(s.InstallPlans) > 0 || len(s.Freezes) > 0 || s.Namespace != first.Namespace || s.Minor != first.Minor {
			break
		}
	}
	if n < 3 {
		return 1
	}
	return n
}

// sayStepCommands says the commands of a step. Without details text has none that checks, and those of an earlier step, of those told, are not repeated.
func (p *Plan) sayStepCommands(a *answer.Answer, step int, commands []wording.Command, told map[string]int) {
	if p.Details {
		sayCommands(a, commands)
		return
	}
	sayCommands(a.InMarkdown(), commands)
	commands = slices.DeleteFunc(slices.Clone(commands), func(c wording.Command) bool { return c.Purpose == "check" })
	key := fmt.Sprint(commands)
	if first := told[key]; first > 0 && len(commands) > 0 {
		a.InText().Detail("run: as in step ", first)
		return
	}
	told[key] = step
	sayCommands(a.InText(), commands)
}

// planTable has the version of each operator that is upgraded, before the plan and at each OpenShift version where one is.
func planTable(p *plan.Plan) *answer.Table {
	type operator struct{ namespace, name string }
	var operators []operator
	var minors []plan.Minor
	versions, namespaces := map[operator]map[plan.Minor]string{}, map[string]bool{}
	const now plan.Minor = -1
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, u := range s.Upgrades {
			o := operator{s.Namespace, u.Package}
			if versions[o] == nil {
				operators, versions[o] = append(operators, o), map[plan.Minor]string{now: cmp.Or(u.From.Version, "-")}
			}
			versions[o][s.Minor], namespaces[s.Namespace] = u.To.Version, true
			if !slices.Contains(minors, s.Minor) {
				minors = append(minors, s.Minor)
			}
		}
	}
	t := &answer.Table{Columns: []string{"namespace", "operator", "now"}, Groups: 1}
	for _, m := range minors {
		t.Columns = append(t.Columns, m.String())
	}
	for _, o := range operators {
		cells := []any{o.namespace, o.name, versions[o][now]}
		for _, m := range minors {
			cells = append(cells, cmp.Or(versions[o][m], "·"))
		}
		t.Add(cells...)
	}
	if len(namespaces) < 2 {
		t.Drop(0)
	}
	return t
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
