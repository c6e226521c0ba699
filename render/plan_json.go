package render

import (
	"io"

	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// jsonClusterPlan is the JSON form of a plan.
type jsonClusterPlan struct {
	Version  int                      `json:"version"`
	Tool     string                   `json:"tool"`
	From     string                   `json:"from"`
	To       string                   `json:"to"`
	Possible bool                     `json:"possible"`
	Exact    bool                     `json:"exact"`
	Reached  string                   `json:"reached"`
	Cost     jsonClusterPlanCost      `json:"cost"`
	Unknown  []string                 `json:"unknown"`
	Steps    []jsonClusterPlanStep    `json:"steps"`
	Blockers []jsonClusterPlanBlocker `json:"blockers"`
	Warnings []jsonClusterPlanWarning `json:"warnings"`
}

type jsonClusterPlanCost struct {
	Switches    int `json:"switches"`
	Approvals   int `json:"approvals"`
	Upgrades    int `json:"upgrades"`
	Unsupported int `json:"unsupported"`
}

type jsonClusterPlanStep struct {
	Kind         string                   `json:"kind"`
	OpenShift    string                   `json:"openshift"`
	Message      string                   `json:"message"`
	Namespace    string                   `json:"namespace,omitempty"`
	Approve      bool                     `json:"approve,omitempty"`
	InstallPlans []string                 `json:"installPlans,omitempty"`
	Subscription string                   `json:"subscription,omitempty"`
	Package      string                   `json:"package,omitempty"`
	From         string                   `json:"from,omitempty"`
	To           string                   `json:"to,omitempty"`
	Channel      string                   `json:"channel,omitempty"`
	Catalogs     []string                 `json:"catalogs,omitempty"`
	Upgrades     []jsonClusterPlanUpgrade `json:"upgrades,omitempty"`
}

type jsonClusterPlanUpgrade struct {
	Package     string `json:"package"`
	Channel     string `json:"channel"`
	Catalog     string `json:"catalog"`
	From        string `json:"from,omitempty"`
	FromVersion string `json:"fromVersion,omitempty"`
	To          string `json:"to"`
	ToVersion   string `json:"toVersion"`
	Dependency  bool   `json:"dependency,omitempty"`
}

type jsonClusterPlanBlocker struct {
	Kind      string   `json:"kind"`
	OpenShift string   `json:"openshift"`
	Namespace string   `json:"namespace"`
	Package   string   `json:"package,omitempty"`
	Operator  string   `json:"operator,omitempty"`
	Message   string   `json:"message"`
	First     string   `json:"first"`
	Frozen    []string `json:"frozen"`
	Solved    bool     `json:"solved"`
	Lifted    string   `json:"lifted"`
	Together  bool     `json:"together"`
}

type jsonClusterPlanWarning struct {
	OpenShift string `json:"openshift"`
	Namespace string `json:"namespace"`
	Package   string `json:"package"`
	Operator  string `json:"operator"`
	Version   string `json:"version"`
	Message   string `json:"message"`
}

func planStepKinds() []string {
	return []string{"upgrade-operators", "switch-channel", "switch-catalog", "update-openshift", "update-workers", "pause-workers", "change-catalogs"}
}

func planBlockerKinds() []string {
	return []string{"max-openshift-version", "invalid-max-openshift-version", "no-upgrade", "missing-in-catalog", "unsupported-operator-group", "not-upgradeable",
		"kubernetes-too-old", "stored-versions", "removed-api", "unsatisfiable", "invalid-operator-groups", "unknown-catalog", "not-running", "limit"}
}

func clusterPlanJSON(w io.Writer, p *plan.Plan) error {
	out := jsonClusterPlan{Version: text.JSONVersion, Tool: "olmgraph", From: p.From.String(), To: p.To.String(), Possible: p.Possible(), Exact: p.Exact, Reached: p.Reached.String(),
		Cost: jsonClusterPlanCost(p.Cost), Unknown: []string{}, Steps: []jsonClusterPlanStep{}, Blockers: []jsonClusterPlanBlocker{}, Warnings: []jsonClusterPlanWarning{}}
	for _, m := range p.Unknown {
		out.Unknown = append(out.Unknown, m.String())
	}
	for i := range p.Steps {
		out.Steps = append(out.Steps, newJSONClusterPlanStep(&p.Steps[i]))
	}
	for i := range p.Blockers {
		b := &p.Blockers[i]
		said := wording.Blocker(b)
		out.Blockers = append(out.Blockers, jsonClusterPlanBlocker{Kind: planBlockerKinds()[b.Kind], OpenShift: b.Minor.String(), Namespace: b.Namespace, Package: b.Package,
			Operator: b.Operator, Message: said.What, First: said.First, Frozen: append([]string{}, b.Frozen...), Solved: b.Solved, Lifted: b.Lifted.String(), Together: b.Together})
	}
	for i := range p.Warnings {
		one := &p.Warnings[i]
		out.Warnings = append(out.Warnings, jsonClusterPlanWarning{one.Minor.String(), one.Namespace, one.Package, one.Operator, one.Version, wording.PlanWarning(one)})
	}
	return text.JSON(w, out)
}

func newJSONClusterPlanStep(s *plan.Step) jsonClusterPlanStep {
	one := jsonClusterPlanStep{Kind: planStepKinds()[s.Kind], OpenShift: s.Minor.String(), Message: wording.PlanStep(s), Namespace: s.Namespace, Approve: s.Approve,
		InstallPlans: s.InstallPlans, Subscription: s.Subscription, Package: s.Package, From: s.From, To: s.To, Channel: s.Channel, Catalogs: s.Catalogs}
	for i := range s.Upgrades {
		u := &s.Upgrades[i]
		one.Upgrades = append(one.Upgrades, jsonClusterPlanUpgrade{u.Package, u.Channel, u.Source.String(), u.From, u.FromVersion, u.To, u.ToVersion, u.Dependency})
	}
	return one
}
