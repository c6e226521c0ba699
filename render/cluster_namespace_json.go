package render

import (
	"maps"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/wording"
)

// jsonNamespace is the JSON form of what OLM v0 does in a namespace.
type jsonNamespace struct {
	Name           string                `json:"name"`
	WhatIf         string                `json:"whatIf"`
	OperatorGroups int                   `json:"operatorGroups"`
	Resolvable     bool                  `json:"resolvable"`
	Undecided      bool                  `json:"undecided"` // a limit of olmgraph was reached: resolvable has no meaning
	Breaks         []jsonUnmet           `json:"breaks"`
	Steps          []jsonResolveStep     `json:"steps"`
	End            string                `json:"end" enum:"ends"`
	LoopStart      int                   `json:"loopStart"`
	Unchanged      []jsonUnchanged       `json:"unchanged"`
	Finished       []jsonFinished        `json:"finished"`        // upgrades in progress before the first step, assumed to succeed
	Waiting        []jsonWait            `json:"waiting"`         // operators that do not run in the end
	Unplanned      []jsonInstall         `json:"unplanned"`       // missing operators for which OLM creates no InstallPlan
	Rejected       []jsonRejectedObjects `json:"rejectedObjects"` // CRDs and others, of bundles whose InstallPlans fail because of them, by name
	Uncertain      bool                  `json:"uncertain"`       // OLM may come to another result in the end
}

// jsonRejectedObjects are the reasons why CRDs or other objects of a bundle are rejected.
type jsonRejectedObjects struct {
	Name    string   `json:"name"`
	Reasons []string `json:"reasons"`
}

type jsonFinished struct {
	Replaces string `json:"replaces"`
	Name     string `json:"name"`
}

// jsonWait is an operator that does not run.
type jsonWait struct {
	Name     string `json:"name"`
	Replaces string `json:"replaces"`
	Kind     string `json:"kind" enum:"waitKinds"`
	Message  string `json:"message"`
}

// jsonPlan is the InstallPlan of a step.
type jsonPlan struct {
	ApprovalNeeded bool `json:"approvalNeeded"`
	resolve.Plan
}

type jsonUnmet struct {
	Operator    string `json:"operator"`
	Requirement string `json:"requirement"`
}

type jsonResolveStep struct {
	Installs []jsonInstall       `json:"installs"`
	Faults   []jsonFault         `json:"faults"`
	Conflict []jsonResolveReason `json:"conflict"`
	Reason   string              `json:"reason"` // of the condition ResolutionFailed, if that is set
	Plan     *jsonPlan           `json:"installPlan"`
	// Uncertain says that OLM may come to another result: it does not define an order of subscriptions and channels.
	Uncertain bool `json:"uncertain"`
}

type jsonInstall struct {
	jsonOperator
	Replaces      string          `json:"replaces"`
	Subscriptions []string        `json:"subscriptions"`
	Generated     string          `json:"generated"` // the name of the subscription that OLM creates
	RequiredBy    []jsonUnmet     `json:"requiredBy"`
	Rejected      []jsonRejection `json:"rejected"`
	Wait          *jsonWait       `json:"wait"`
}

// jsonOperator is an operator; catalogSource and channel are empty if it is installed.
type jsonOperator struct {
	Name          string `json:"name"`
	Package       string `json:"package"`
	Version       string `json:"version"`
	Channel       string `json:"channel"`
	CatalogSource string `json:"catalogSource"` // as NAMESPACE/NAME
}

type jsonUnchanged struct {
	jsonOperator
	Subscription string          `json:"subscription"`
	Blocked      bool            `json:"blocked"`
	Heads        []string        `json:"heads"` // of the channel, if no upgrade leads to one
	Rejected     []jsonRejection `json:"rejected"`
}

type jsonRejection struct {
	jsonOperator
	Reasons []jsonResolveReason `json:"reasons"`
}

type jsonResolveReason struct {
	Kind         string         `json:"kind" enum:"reasonKinds"`
	Message      string         `json:"message"`
	Subscription string         `json:"subscription"`
	Subject      string         `json:"subject"`
	Requirement  string         `json:"requirement"`
	Package      string         `json:"package"`
	API          string         `json:"api"`
	Operators    []jsonOperator `json:"operators"`
}

type jsonFault struct {
	Kind         string       `json:"kind" enum:"faultKinds"`
	Message      string       `json:"message"`
	Subscription string       `json:"subscription"`
	Operator     jsonOperator `json:"operator"`
	catalogs.Pos
}

// Names of kinds and ends in JSON, in the order of their constants.
func reasonKinds() []string {
	return []string{"wanted", "requires", "only-package", "only-api", "replacement", "stays", "prohibited", "chosen", "unexplained"}
}

func faultKinds() []string {
	return []string{"missing-catalog", "missing-package", "missing-channel", "missing-starting-csv", "malformed-requirement",
		"unordered-channel", "several-installed", "ambiguous-bundle", "costly-requirement",
		"broken-replacement", "operator-groups", "ended-plan", "unreachable-catalog", "unseen-catalog", "too-hard"}
}

func waitKinds() []string {
	return []string{"not-upgradeable", "unsupported-operator-group", "not-replaceable", "failed", "requirements-not-met"}
}

func ends() []string { return []string{"settled", "unresolvable", "loop", "more", "undecided"} }

func namespaceJSON(o *resolve.ResolveReport) *jsonNamespace {
	if o == nil {
		return nil
	}
	out := &jsonNamespace{
		Name:           o.Before.Name,
		WhatIf:         o.WhatIf,
		OperatorGroups: 1,
		Resolvable:     o.Trace.End != resolve.Unresolvable && !o.Undecided(),
		Undecided:      o.Undecided(),
		End:            ends()[o.Trace.End],
		LoopStart:      o.Trace.LoopStart,
	}
	if o.Before.Groups != nil {
		out.OperatorGroups = len(o.Before.Groups.Names)
	}
	for _, l := range o.Unmet {
		out.Breaks = append(out.Breaks, jsonUnmet{l.Name, l.Requirement.String()})
	}
	for _, pair := range o.Trace.Finished {
		out.Finished = append(out.Finished, jsonFinished{pair[0], pair[1]})
	}
	for _, w := range o.Trace.Last.Waiting() {
		out.Waiting = append(out.Waiting, *waitJSON(&w))
	}
	for _, step := range o.Trace.Steps {
		out.Steps = append(out.Steps, stepJSON(step))
	}
	if rest := o.Trace.Final; rest != nil && len(rest.Installs) == 0 {
		out.Uncertain = rest.Uncertain
	}
	for _, s := range o.Unchanged() {
		stay := jsonUnchanged{jsonOperator: operatorJSON(s.Operator), Blocked: s.Blocked(), Heads: s.Heads, Rejected: rejectedJSON(s.Rejected)}
		if s.Subscription != nil {
			stay.Subscription = s.Subscription.Name
		}
		out.Unchanged = append(out.Unchanged, stay)
	}
	if rest := o.Trace.Final; rest != nil {
		for i := range rest.Unplanned {
			out.Unplanned = append(out.Unplanned, installJSON(rest, &rest.Unplanned[i]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Rejected)) {
		out.Rejected = append(out.Rejected, jsonRejectedObjects{name, o.Rejected[name]})
	}
	return out
}

func waitJSON(w *resolve.Wait) *jsonWait {
	if w == nil {
		return nil
	}
	return &jsonWait{Name: w.Name, Replaces: w.Replaces, Kind: waitKinds()[w.Kind], Message: wording.Wait(w)}
}

func planJSON(p *resolve.Plan) *jsonPlan {
	if p == nil {
		return nil
	}
	return &jsonPlan{p.Waits(), *p}
}

func stepJSON(r *resolve.Resolution) jsonResolveStep {
	out := jsonResolveStep{Conflict: resolveReasonsJSON(r.Conflict), Plan: planJSON(r.Plan), Uncertain: r.Uncertain}
	if !r.Resolvable() && !r.Undecided() {
		out.Reason = wording.Condition(r)
	}
	for i := range r.Installs {
		out.Installs = append(out.Installs, installJSON(r, &r.Installs[i]))
	}
	for i := range r.Faults {
		f := &r.Faults[i]
		out.Faults = append(out.Faults, jsonFault{Kind: faultKinds()[f.Kind], Message: wording.Fault(f), Subscription: f.Subscription,
			Operator: operatorJSON(f.Operator), Pos: f.Pos})
	}
	return out
}

func installJSON(r *resolve.Resolution, in *resolve.Install) jsonInstall {
	out := jsonInstall{jsonOperator: operatorJSON(in.Operator), Replaces: in.Replaces, Subscriptions: in.Subscriptions, Wait: waitJSON(in.Wait)}
	if in.Generated != nil {
		out.Generated = in.Generated.Name
	}
	for _, c := range r.RequiredBy(in) {
		out.RequiredBy = append(out.RequiredBy, jsonUnmet{c.Subject.Name, c.Requirement.String()})
	}
	for i := range r.Choices {
		if c := &r.Choices[i]; c.Chosen == in.Operator {
			out.Rejected = append(out.Rejected, rejectedJSON(c.Rejected)...)
		}
	}
	return out
}

// operatorJSON leaves out the catalog of an installed operator, which is a source that OLM makes up.
func operatorJSON(o resolve.Operator) jsonOperator {
	out := jsonOperator{Name: o.Name, Package: o.Package, Version: o.Version, Channel: o.Channel}
	if !o.IsInstalled() {
		out.CatalogSource = o.Source.String()
	}
	return out
}

func rejectedJSON(all []resolve.Rejection) []jsonRejection {
	var out []jsonRejection
	for _, r := range all {
		out = append(out, jsonRejection{operatorJSON(r.Operator), resolveReasonsJSON(r.Because)})
	}
	return out
}

func resolveReasonsJSON(all []resolve.Reason) []jsonResolveReason {
	var out []jsonResolveReason
	for i := range all {
		r := &all[i]
		reason := jsonResolveReason{Kind: reasonKinds()[r.Kind], Message: wording.Reason(r), Subscription: r.Subscription, Subject: r.Subject.Name,
			Package: r.Package}
		if r.Requirement != nil {
			reason.Requirement = r.Requirement.String()
		}
		if r.Kind == resolve.OnlyAPI {
			reason.API = r.API.String()
		}
		for _, o := range r.Operators {
			reason.Operators = append(reason.Operators, operatorJSON(o))
		}
		out = append(out, reason)
	}
	return out
}
