package render

import (
	"io"

	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// jsonResolve is the JSON form.
type jsonResolve struct {
	Version    int               `json:"version"`
	Tool       string            `json:"tool"`
	Namespace  string            `json:"namespace"`
	Supposed   string            `json:"whatIf"`
	Groups     int               `json:"operatorGroups"`
	Good       bool              `json:"upToDate"` // nothing is broken, unresolvable or held back for ever
	Resolvable bool              `json:"resolvable"`
	Undecided  bool              `json:"undecided"` // it takes more to work out than olmgraph tries: neither good nor resolvable says anything
	Breaks     []jsonUnmet       `json:"breaks"`
	Steps      []jsonResolveStep `json:"steps"`
	End        string            `json:"end"` // settled, unresolvable, loop, more, undecided
	Back       int               `json:"loopStart"`
	Stays      []jsonUnchanged   `json:"unchanged"`
	Finished   []jsonFinished    `json:"finished"`   // upgrades under way before the first step, taken to succeed
	Waits      []jsonWait        `json:"waiting"`    // what does not run in the end
	Unplanned  []jsonInstall     `json:"unplanned"`  // what is missing, but OLM makes no InstallPlan for
	Stale      []string          `json:"stalePlans"` // InstallPlans that wait for approval though no subscription refers to them
	jsonOthers                   // of the end
}

type jsonFinished struct {
	Replaces string `json:"replaces"`
	Name     string `json:"name"`
}

// jsonWait is an operator that does not run.
type jsonWait struct {
	Name     string `json:"name"`
	Replaces string `json:"replaces"`
	Kind     string `json:"kind"`
	Message  string `json:"message"`
}

// jsonPlan is the InstallPlan of a step.
type jsonPlan struct {
	Approval bool     `json:"approvalNeeded"`
	Names    []string `json:"names"`   // those that are there already; none if OLM creates one
	Approve  []string `json:"approve"` // those of names that somebody has to approve
	Manual   []string `json:"manual"`  // the subscriptions that make a new one wait for approval
	// Those that still wait for approval while OLM creates a new one: it has steps of them as well; no subscription refers to
	// them any more; it has nothing to do with them.
	Repeats    []string `json:"repeats"`
	Supersedes []string `json:"supersedes"`
	Apart      []string `json:"unrelated"`
}

// jsonOthers is what OLM may install instead, all in all, depending on an order that it does not promise.
type jsonOthers struct {
	Others     [][]jsonInstalls `json:"alternatives"`
	MoreOthers bool             `json:"moreAlternatives"` // there may be others still: not all were looked at
}

// jsonInstalls is a bundle that is installed.
type jsonInstalls struct {
	jsonOperator
	Replaces string `json:"replaces"`
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
	jsonOthers
}

type jsonInstall struct {
	jsonOperator
	Replaces      string          `json:"replaces"`
	Subscriptions []string        `json:"subscriptions"`
	Generated     string          `json:"generated"` // the name of the subscription that OLM makes
	RequiredBy    []jsonUnmet     `json:"requiredBy"`
	Rejected      []jsonRejection `json:"rejected"`
	Arbitrary     bool            `json:"arbitrary"`
	Wait          *jsonWait       `json:"wait"`
}

// jsonOperator is an operator; catalog and channel are empty if it is installed.
type jsonOperator struct {
	Name             string `json:"name"`
	Package          string `json:"package"`
	BundleVersion    string `json:"bundleVersion"`
	Channel          string `json:"channel"`
	Catalog          string `json:"catalog"`
	CatalogNamespace string `json:"catalogNamespace"`
}

type jsonUnchanged struct {
	jsonOperator
	Subscription string          `json:"subscription"`
	Held         bool            `json:"blocked"`
	Heads        []string        `json:"heads"` // of the channel, if no upgrade leads to one
	Rejected     []jsonRejection `json:"rejected"`
}

type jsonRejection struct {
	jsonOperator
	Because   []jsonResolveReason `json:"reasons"`
	Arbitrary bool                `json:"arbitrary"`
}

type jsonResolveReason struct {
	Kind         string         `json:"kind"`
	Message      string         `json:"message"`
	Subscription string         `json:"subscription"`
	Subject      string         `json:"subject"`
	Requirement  string         `json:"requirement"`
	Package      string         `json:"package"`
	API          string         `json:"api"`
	Operators    []jsonOperator `json:"operators"`
}

type jsonFault struct {
	Kind         string       `json:"kind"`
	Message      string       `json:"message"`
	Subscription string       `json:"subscription"`
	Operator     jsonOperator `json:"operator"`
	File         string       `json:"file"`
	Line         int          `json:"line"`
	Column       int          `json:"column"`
}

// The names of kinds and ends, in the order of their constants.
func reasonKinds() []string {
	return []string{"wanted", "requires", "only-package", "only-api", "replacement", "stays", "prohibited", "chosen", "unexplained"}
}

func faultKinds() []string {
	return []string{"missing-catalog", "missing-package", "missing-channel", "missing-starting-csv", "malformed-requirement",
		"unordered-channel", "several-installed", "ambiguous-bundle", "costly-requirement",
		"broken-replacement", "operator-groups", "ended-plan", "unreachable-catalog", "unseen-catalog", "too-hard"}
}

func waitKinds() []string {
	return []string{"not-upgradeable", "unsupported-operator-group", "not-replaceable", "failed"}
}

func ends() []string { return []string{"settled", "unresolvable", "loop", "more", "undecided"} }

// resolveJSON writes it for programs.
func resolveJSON(w io.Writer, o *resolve.ResolveReport) error {
	out := jsonResolve{Version: text.JSONVersion, Tool: "olmgraph", Namespace: o.Before.Name, Supposed: o.WhatIf, Groups: 1, Good: o.UpToDate(),
		Resolvable: o.Trace.End != resolve.Unresolvable && !o.Undecided(), Undecided: o.Undecided(), Breaks: []jsonUnmet{}, Steps: []jsonResolveStep{},
		End: ends()[o.Trace.End], Back: o.Trace.LoopStart, Stays: []jsonUnchanged{}, Finished: []jsonFinished{}, Waits: []jsonWait{}, Unplanned: []jsonInstall{},
		Stale: append([]string{}, o.Before.UnreferencedPlans()...), jsonOthers: jsonOthers{Others: [][]jsonInstalls{}}}
	if o.Before.Groups != nil {
		out.Groups = len(o.Before.Groups.Names)
	}
	for _, l := range o.Unmet {
		out.Breaks = append(out.Breaks, jsonUnmet{l.Name, l.Requirement.String()})
	}
	for _, pair := range o.Trace.Finished {
		out.Finished = append(out.Finished, jsonFinished{pair[0], pair[1]})
	}
	for _, w := range o.Trace.Last.Waiting() {
		out.Waits = append(out.Waits, *waitJSON(&w))
	}
	for _, step := range o.Trace.Steps {
		out.Steps = append(out.Steps, stepJSON(step))
	}
	if rest := o.Trace.Final; rest != nil && len(rest.Installs) == 0 {
		out.jsonOthers = othersJSON(rest)
	}
	for _, s := range o.Unchanged() {
		stay := jsonUnchanged{jsonOperator: operatorJSON(s.Operator), Held: s.Blocked(), Heads: append([]string{}, s.Heads...), Rejected: rejectedJSON(s.Rejected)}
		if s.Subscription != nil {
			stay.Subscription = s.Subscription.Name
		}
		out.Stays = append(out.Stays, stay)
	}
	if rest := o.Trace.Final; rest != nil {
		for i := range rest.Unplanned {
			out.Unplanned = append(out.Unplanned, installJSON(rest, &rest.Unplanned[i]))
		}
	}
	return text.JSON(w, out)
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
	return &jsonPlan{Approval: p.Waits(), Names: append([]string{}, p.Names...), Approve: append([]string{}, p.Approve...),
		Manual: append([]string{}, p.Manual...), Repeats: append([]string{}, p.Repeats...),
		Supersedes: append([]string{}, p.Supersedes...), Apart: append([]string{}, p.Others...)}
}

func stepJSON(r *resolve.Resolution) jsonResolveStep {
	out := jsonResolveStep{Installs: []jsonInstall{}, Faults: []jsonFault{}, Conflict: resolveReasonsJSON(r.Conflict),
		Plan: planJSON(r.Plan), jsonOthers: othersJSON(r)}
	if !r.Resolvable() && !r.Undecided() {
		out.Reason = wording.Condition(r)
	}
	for i := range r.Installs {
		out.Installs = append(out.Installs, installJSON(r, &r.Installs[i]))
	}
	for i := range r.Faults {
		f := &r.Faults[i]
		out.Faults = append(out.Faults, jsonFault{Kind: faultKinds()[f.Kind], Message: wording.Fault(f), Subscription: f.Subscription,
			Operator: operatorJSON(f.Operator), File: f.Pos.File, Line: f.Pos.Line, Column: f.Pos.Col})
	}
	return out
}

func othersJSON(r *resolve.Resolution) jsonOthers {
	out := jsonOthers{Others: [][]jsonInstalls{}, MoreOthers: r.MoreOthers}
	for _, other := range r.Others {
		installs := []jsonInstalls{}
		for i := range other {
			installs = append(installs, jsonInstalls{operatorJSON(other[i].Operator), other[i].Replaces})
		}
		out.Others = append(out.Others, installs)
	}
	return out
}

func installJSON(r *resolve.Resolution, in *resolve.Install) jsonInstall {
	out := jsonInstall{jsonOperator: operatorJSON(in.Operator), Replaces: in.Replaces, Subscriptions: append([]string{}, in.Subscriptions...),
		RequiredBy: []jsonUnmet{}, Rejected: []jsonRejection{}, Wait: waitJSON(in.Wait)}
	if in.Generated != nil {
		out.Generated = in.Generated.Name
	}
	for _, c := range neededBy(r, in) {
		out.RequiredBy = append(out.RequiredBy, jsonUnmet{c.Subject.Name, c.Requirement.String()})
	}
	for i := range r.Choices {
		if c := &r.Choices[i]; c.Chosen == in.Operator {
			out.Rejected = append(out.Rejected, rejectedJSON(c.Rejected)...)
			out.Arbitrary = out.Arbitrary || c.Arbitrary
		}
	}
	return out
}

// operatorJSON leaves out that what is installed is of a source that OLM makes up.
func operatorJSON(o resolve.Operator) jsonOperator {
	out := jsonOperator{Name: o.Name, Package: o.Package, BundleVersion: o.Version, Channel: o.Channel}
	if !o.IsInstalled() {
		out.Catalog, out.CatalogNamespace = o.Source.Name, o.Source.Namespace
	}
	return out
}

func rejectedJSON(all []resolve.Rejection) []jsonRejection {
	out := []jsonRejection{}
	for _, r := range all {
		out = append(out, jsonRejection{operatorJSON(r.Operator), resolveReasonsJSON(r.Because), r.Arbitrary})
	}
	return out
}

func resolveReasonsJSON(all []resolve.Reason) []jsonResolveReason {
	out := []jsonResolveReason{}
	for i := range all {
		r := &all[i]
		reason := jsonResolveReason{Kind: reasonKinds()[r.Kind], Message: wording.Reason(r), Subscription: r.Subscription, Subject: r.Subject.Name,
			Package: r.Package, Operators: []jsonOperator{}}
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
