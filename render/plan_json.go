package render

import (
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// jsonClusterPlan is the JSON form of a plan.
type jsonClusterPlan struct {
	text.Document
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
	Kind           string                   `json:"kind" enum:"planStepKinds"`
	OpenShift      string                   `json:"openshift"`
	Message        string                   `json:"message"`
	Namespace      string                   `json:"namespace"`
	ApprovalNeeded bool                     `json:"approvalNeeded"`
	InstallPlans   []string                 `json:"installPlans"`
	Subscription   string                   `json:"subscription"`
	Package        string                   `json:"package"`
	From           string                   `json:"from"`
	To             string                   `json:"to"`
	Channel        string                   `json:"channel"`
	CatalogSources []string                 `json:"catalogSources"` // of change-catalogs
	Upgrades       []jsonClusterPlanUpgrade `json:"upgrades"`
	Commands       []jsonCommand            `json:"commands"` // in the order in which they are run
}

type jsonClusterPlanUpgrade struct {
	Package       string         `json:"package"`
	Channel       string         `json:"channel"`
	CatalogSource string         `json:"catalogSource"` // as NAMESPACE/NAME
	From          cluster.Bundle `json:"from"`          // empty if it is installed
	To            cluster.Bundle `json:"to"`
	Dependency    bool           `json:"dependency"`
	Deprecations  []string       `json:"deprecations"` // of the package, the channel and the version
}

type jsonClusterPlanBlocker struct {
	Kind      string   `json:"kind" enum:"planBlockerKinds"`
	Blocks    string   `json:"blocks" enum:"openshift,operator"`
	OpenShift string   `json:"openshift"`
	Namespace string   `json:"namespace"`
	Package   string   `json:"package"`
	Operator  string   `json:"operator"`
	Message   string   `json:"message"`
	First     string   `json:"first"`
	Freezes   []string `json:"freezes"` // the other packages of the namespace that are not upgraded because of it
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
		"kubernetes-too-old", "stored-versions", "removed-api", "unsatisfiable", "invalid-operator-groups", "unknown-catalog", "not-running", "immutable-field", "limit"}
}

func clusterPlanJSON(p *plan.Plan) jsonClusterPlan {
	return jsonClusterPlan{
		Document: text.NewDocument(),
		From:     p.From.String(),
		To:       p.To.String(),
		Possible: p.Possible(),
		Exact:    p.Exact,
		Reached:  p.Reached.String(),
		Cost:     jsonClusterPlanCost(p.Cost),
		Unknown:  phrase.Of(p.Unknown, plan.Minor.String),
		Steps:    phrase.Of(p.Steps, planStepJSON),
		Blockers: phrase.Of(p.Blockers, planBlockerJSON),
		Warnings: phrase.Of(p.Warnings, warningJSON),
	}
}

func planBlockerJSON(b plan.Blocker) jsonClusterPlanBlocker {
	said, blocks := wording.Blocker(&b), "operator"
	if b.OfOpenShift() {
		blocks = "openshift"
	}
	return jsonClusterPlanBlocker{
		Kind:      planBlockerKinds()[b.Kind],
		Blocks:    blocks,
		OpenShift: b.Minor.String(),
		Namespace: b.Namespace,
		Package:   b.Package,
		Operator:  b.Operator,
		Message:   said.What,
		First:     said.First,
		Freezes:   b.Frozen,
		Solved:    b.Solved,
		Lifted:    b.Lifted.String(),
		Together:  b.Together,
	}
}

func planStepJSON(s plan.Step) jsonClusterPlanStep {
	return jsonClusterPlanStep{
		Kind:           planStepKinds()[s.Kind],
		OpenShift:      s.Minor.String(),
		Message:        wording.PlanStep(&s),
		Namespace:      s.Namespace,
		ApprovalNeeded: s.Approve,
		InstallPlans:   s.InstallPlans,
		Subscription:   s.Subscription,
		Package:        s.Package,
		From:           s.From,
		To:             s.To,
		Channel:        s.Channel,
		CatalogSources: s.Catalogs,
		Commands:       commandsJSON(wording.StepCommands(&s).All()),
		Upgrades: phrase.Of(s.Upgrades, func(u plan.Upgrade) jsonClusterPlanUpgrade {
			return jsonClusterPlanUpgrade{u.Package, u.Channel, sourceName(u.Source), cluster.Bundle{Name: u.From, Version: u.FromVersion}, cluster.Bundle{Name: u.To, Version: u.ToVersion},
				u.Dependency, wording.Deprecations(u.Package, u.Deprecated)}
		}),
	}
}

func warningJSON(w plan.Warning) jsonClusterPlanWarning {
	return jsonClusterPlanWarning{w.Minor.String(), w.Namespace, w.Package, w.Operator, w.Version, wording.PlanWarning(&w)}
}
