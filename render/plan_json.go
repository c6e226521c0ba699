package render

import (
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/render/wording"
)

// jsonClusterPlan is the JSON form of a plan.
type jsonClusterPlan struct {
	plan.Plan
	Possible bool                     `json:"possible"`
	Steps    []jsonClusterPlanStep    `json:"steps"`
	Blockers []jsonClusterPlanBlocker `json:"blockers"`
	Warnings []plan.Warning           `json:"warnings"`
	Frozen   []jsonFreeze             `json:"frozen"` // before the first step
}

// jsonFreeze is a namespace in which OLM upgrades nothing.
type jsonFreeze struct {
	plan.Freeze
	Message string `json:"message"`
}

type jsonClusterPlanStep struct {
	plan.Step
	Message  string            `json:"message"`
	Upgrades []plan.Upgrade    `json:"upgrades"`
	Commands []wording.Command `json:"commands"` // in the order in which they are run
	Freezes  []string          `json:"freezes"`  // the namespaces in which OLM upgrades nothing after it
}

type jsonClusterPlanBlocker struct {
	plan.Blocker
	Blocks string `json:"blocks" enum:"openshift,operator"`
	wording.Blocked
}

func clusterPlanJSON(p *plan.Plan) jsonClusterPlan {
	return jsonClusterPlan{*p, p.IsPossible(), words.Map(p.Steps, planStepJSON), words.Map(p.Blockers, planBlockerJSON), p.Warnings,
		words.Map(p.Frozen, func(f plan.Freeze) jsonFreeze { return jsonFreeze{f, wording.Frozen(f)} })}
}

func planBlockerJSON(b plan.Blocker) jsonClusterPlanBlocker {
	blocks := "operator"
	if b.OfOpenShift() {
		blocks = "openshift"
	}
	return jsonClusterPlanBlocker{b, blocks, wording.Blocker(&b)}
}

func planStepJSON(s plan.Step) jsonClusterPlanStep {
	return jsonClusterPlanStep{s, wording.PlanStep(&s), s.Upgrades, wording.StepCommands(&s).All(), wording.StepFreezes(&s)}
}
