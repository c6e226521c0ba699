package cluster

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// decide finds the decisions of the namespace, those that come first first. The error is of CRDs that cannot be read, or of a catalog that has
// changed.
func (n *namespaceReport) decide(ctx context.Context) error {
	n.removal()
	if len(n.Before.Subscriptions) == 0 {
		n.addDeleted()
		return n.unhealthy()
	}
	n.addOrphaned()
	n.addUnpacking()
	if err := n.stoppedPlans(); err != nil {
		return err
	}
	if err := n.decideSteps(ctx); err != nil {
		return err
	}
	if err := n.rejectedCRDs(); err != nil {
		return err
	}
	n.addDeleted()
	n.addLoop()
	n.addUnchanged()
	n.addUnplanned()
	n.addReported()
	return nil
}

// decideSteps adds the decisions of what OLM does next. An approval after which something would wait comes after what it waits for.
func (n *namespaceReport) decideSteps(ctx context.Context) error {
	if n.waitsAfterApproval() {
		if err := n.addWaiting(); err != nil {
			return err
		}
	}
	repairFirst := n.approvesUnhealthy()
	if repairFirst {
		if err := n.unhealthy(); err != nil {
			return err
		}
	}
	for _, step := range n.Trace.Steps {
		switch {
		case !step.Resolvable():
			if err := n.unresolvable(ctx, step); err != nil {
				return err
			}
		case step.Plan != nil && step.Plan.NeedsApproval() && !hasDecision[*Approval](n):
			if err := n.approval(step); err != nil {
				return err
			}
		}
	}
	if err := n.unseenApproval(); err != nil {
		return err
	}
	if !hasDecision[*Waiting](n) {
		if err := n.addWaiting(); err != nil {
			return err
		}
	}
	if repairFirst {
		return nil
	}
	return n.unhealthy()
}

// addLoop adds that OLM repeats upgrades.
func (n *namespaceReport) addLoop() {
	if n.Trace.End != resolve.Loop {
		return
	}
	d := Decision{About: &loop{}}
	for _, step := range n.Trace.Steps[n.Trace.LoopStart:] {
		for i := range step.Installs {
			d.Operators = appendNew(d.Operators, n.installPackages(&step.Installs[i])...)
		}
	}
	n.add(d, Blocked)
}

// waitsAfterApproval reports whether something waits as soon as an InstallPlan is approved, which is then not to be approved before.
func (n *namespaceRun) waitsAfterApproval() bool {
	return slices.ContainsFunc(n.Trace.Steps, func(step *resolve.Resolution) bool {
		return step.Plan != nil && step.Plan.NeedsApproval() && hasWaits(step)
	})
}

func hasWaits(step *resolve.Resolution) bool {
	return slices.ContainsFunc(step.Installs, func(in resolve.Install) bool { return in.Wait != nil && in.Wait.Kind != resolve.UpgradeFails })
}

// add adds a decision, and the state to the operators that it is about and those that it freezes.
func (n *namespaceReport) add(d Decision, state State) {
	d.Namespace = n.Before.Name
	at := len(n.decisions)
	for i := range n.operators {
		o := &n.operators[i]
		if !d.concerns(o) {
			continue
		}
		o.Decisions = append(o.Decisions, at)
		if len(o.Decisions) == 1 || state == Blocked {
			o.State = state
		}
	}
	n.decisions = append(n.decisions, d)
}

// concerns reports whether a decision is about an operator, or freezes it. One without a Subscription is known by its ClusterServiceVersion.
func (d *Decision) concerns(o *Operator) bool {
	switch is := d.About.(type) {
	case *Unhealthy:
		if o.Installed.Name == is.Name {
			return true
		}
	case *Deletion:
		if is.CSV != "" && o.Installed.Name == is.CSV {
			return true
		}
	}
	return o.Subscription != "" && (slices.Contains(d.Operators, o.Package) || slices.Contains(d.Freezes, o.Package))
}

// otherPackages returns the packages of the other subscriptions.
func (n *namespaceRun) otherPackages(than []string) []string {
	var all []string
	for i := range n.Before.Subscriptions {
		if name := n.Before.Subscriptions[i].Package; !slices.Contains(than, name) {
			all = appendNew(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func appendNew(all []string, more ...string) []string {
	for _, s := range more {
		if s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// subscribedPackage returns the package of a subscription.
func (n *namespaceRun) subscribedPackage(sub string) string {
	if s := n.Trace.Last.Subscription(sub); s != nil {
		return s.Package
	}
	return ""
}

// packageOfCSV returns the package of the subscription that has an operator, or is to have it.
func (n *namespaceRun) packageOfCSV(name string) string {
	for _, of := range [][]resolve.Subscription{n.Before.Subscriptions, n.Trace.Last.Subscriptions} {
		for i := range of {
			if of[i].InstalledCSV == name || of[i].CurrentCSV == name {
				return of[i].Package
			}
		}
	}
	return ""
}

func (n *namespaceRun) installPackages(in *resolve.Install) []string {
	var all []string
	for _, sub := range in.Subscriptions {
		all = appendNew(all, n.subscribedPackage(sub))
	}
	return appendNew(all, in.Package)
}

// unresolvable adds the decisions of a step that OLM does not take: one for each fault, of which OLM may see some only when others are
// fixed, or one for a conflict. After steps that leave an operator waiting, and because of it, that is the decision, which waiting adds.
func (n *namespaceReport) unresolvable(ctx context.Context, step *resolve.Resolution) error {
	waiting := n.Trace.Last.WaitingOperators()
	if slices.ContainsFunc(waiting, func(w resolve.Wait) bool { return blocksResolution(step, &w, waiting) }) {
		return nil
	}
	if len(step.Faults) == 0 {
		return n.conflict(ctx, step.Conflict)
	}
	var blamed []string
	for i := range step.Faults {
		if step.Faults[i].Kind.Stage() == step.Faults[0].Kind.Stage() {
			blamed = appendNew(blamed, n.subscribedPackage(step.Faults[i].Subscription))
		}
	}
	for i := range step.Faults {
		f := &step.Faults[i]
		if f.Kind == resolve.EndedPlan && n.hasFailed(f.Subscription) {
			continue
		}
		is := &Fault{Fault: f}
		d, state := Decision{About: is, Operators: appendNew(nil, n.subscribedPackage(f.Subscription))}, Blocked
		if f.Kind.IsUndecided() {
			d.About, state = &Limit{f}, Unknown
		}
		if i == 0 {
			d.Freezes = n.otherPackages(blamed)
		}
		switch f.Kind {
		case resolve.EndedPlan:
			is.Again = n.retry(f.Subscription)
		case resolve.UnreachableCatalog:
			if said := f.Err.Error(); strings.Contains(said, ": ") { // not only the state of the connection
				d.Said = []string{said}
			}
		case resolve.MissingChannel:
			is.Channels = n.channelsFor(f.Subscription)
		case resolve.MissingCatalog, resolve.UnseenCatalog:
			is.Sources = n.sourcesFor(f.Subscription)
		case resolve.MissingPackage:
			if is.Sources = n.sourcesFor(f.Subscription); len(is.Sources) == 0 {
				is.Package = n.meantPackage(f)
				of := n.subscription(f.Subscription)
				is.Exists = of.Metadata.Name != "" // not if it is only supposed
				is.Empty = is.Exists && of.Status.Installed == ""
			}
		case resolve.InvalidGroups:
			is.Keep = n.groupToKeep()
		}
		n.add(d, state)
	}
	return nil
}

// conflict adds the decision for a conflict.
func (n *namespaceReport) conflict(ctx context.Context, reasons []resolve.Reason) error {
	unowned, err := n.unowned(ctx, reasons)
	if err != nil {
		return err
	}
	d := Decision{About: &Conflict{reasons, unowned}}
	for _, r := range reasons {
		d.Operators = appendNew(d.Operators, n.subscribedPackage(r.Subscription))
	}
	d.Freezes = n.otherPackages(d.Operators)
	if n.Before.MayBeElsewhere(reasons) {
		d.About = &NotGiven{Conflict: reasons}
		d.Operators, d.Freezes = appendNew(d.Operators, d.Freezes...), nil
		n.add(d, Unknown)
		return nil
	}
	n.add(d, Blocked)
	return nil
}

// unseenApproval adds the approval for which a subscription waits whose catalog is not given, so that no step upgrades it.
func (n *namespaceReport) unseenApproval() error {
	if len(n.notGiven) == 0 || hasDecision[*Approval](n) {
		return nil
	}
	step, err := n.Before.RunApproved()
	if err != nil || step.Plan == nil || !step.Plan.NeedsApproval() {
		return err
	}
	for i := range step.Installs {
		if n.unseen(func(s resolve.Subscription) bool { return slices.Contains(step.Installs[i].Subscriptions, s.Name) }) != "" {
			return n.approval(step)
		}
	}
	return nil
}

// approval adds the decision to approve an InstallPlan. It holds up everything that is upgraded later as well.
func (n *namespaceReport) approval(step *resolve.Resolution) error {
	if n.outdatedPlan(step.Plan) {
		return nil
	}
	a := &Approval{Plan: step.Plan, Later: hasWaits(step) || n.replacesUnhealthy(step)}
	d := Decision{About: a}
	for i := range step.Installs {
		d.Unseen = cmp.Or(d.Unseen, n.unseen(func(s resolve.Subscription) bool { return slices.Contains(step.Installs[i].Subscriptions, s.Name) }))
		d.Operators = appendNew(d.Operators, n.installPackages(&step.Installs[i])...)
		a.To = append(a.To, step.Installs[i].Name)
	}
	if err := n.describePlan(a, step.Installs); err != nil {
		return err
	}
	n.add(d, Approve)
	return nil
}

// addWaiting adds the operators that wait in the end, each with what it freezes if OLM cannot resolve the namespace because of it.
func (n *namespaceReport) addWaiting() error {
	all := n.Trace.Last.WaitingOperators()
	for i := range all {
		w := &all[i]
		if slices.ContainsFunc(all, func(other resolve.Wait) bool { return other.Name == w.Replaces }) {
			continue // it follows from that
		}
		if w.Kind == resolve.UpgradeFails {
			continue // see rejectedCRDs
		}
		is := &Waiting{Wait: w}
		d := Decision{About: is, Operators: appendNew(nil, n.packageOfCSV(w.Name))}
		if o := n.object(w.Stuck()); o != nil {
			is.Stuck, is.Reason, d.Said = w.Stuck(), o.Status.Reason, csvMessages(o)
			if err := n.installFailure(&d, o); err != nil {
				return err
			}
		}
		if w.Kind == resolve.NotUpgradeable {
			d.Unseen = n.unseen(func(s resolve.Subscription) bool { return s.CurrentCSV == w.Name })
		}
		if n.failForward(is); w.Kind == resolve.UnsupportedGroup {
			d.Group = n.fitGroup()
		}
		if w.Replaces != "" && len(d.Operators) == 0 {
			d.Operators = appendNew(nil, n.packageOfCSV(w.Replaces))
		}
		d.Freezes = n.frozenBy(w, d.Operators)
		n.add(d, Blocked)
	}
	return nil
}

// unseen returns the CatalogSource of a subscription, if its catalog is not given; "" if that of none is missing.
func (n *namespaceRun) unseen(which func(resolve.Subscription) bool) string {
	return find.Value(n.Before.Subscriptions, func(s resolve.Subscription) bool { return which(s) && n.unknownSource(s.Source) }).Source.Name
}

// frozenBy returns the packages other than those of an operator that waits, if OLM cannot resolve the namespace because of it.
func (n *namespaceRun) frozenBy(w *resolve.Wait, of []string) []string {
	if n.Trace.End == resolve.Unresolvable && blocksResolution(n.Trace.Steps[len(n.Trace.Steps)-1], w, n.Trace.Last.WaitingOperators()) {
		return n.otherPackages(of)
	}
	return nil
}

// failForward adds what OLM would upgrade a ClusterServiceVersion that has failed to, if its OperatorGroup allowed that (OLM: olm transitionCSVState).
func (n *namespaceReport) failForward(w *Waiting) {
	for i := range n.Before.Subscriptions {
		sub := &n.Before.Subscriptions[i]
		if w.Wait.Kind == resolve.HasFailed && !n.Before.FailForward && sub.CurrentCSV == w.Wait.Name && len(n.groups) == 1 {
			w.Instead, w.Group = n.nextUpgrade(sub, w.Wait.Name), n.groups[0].Metadata.Name
		}
	}
}

// blocksResolution reports whether OLM cannot take a step because of what an operator that waits is to replace, or one that waits for it.
func blocksResolution(step *resolve.Resolution, w *resolve.Wait, all []resolve.Wait) bool {
	behind := []string{w.Name}
	for i := 0; i < len(behind); i++ {
		for _, other := range all {
			if other.Replaces == behind[i] {
				behind = appendNew(behind, other.Name)
			}
		}
	}
	return slices.ContainsFunc(step.Conflict, func(r resolve.Reason) bool {
		return r.Kind == resolve.NotOwned && slices.ContainsFunc(all, func(o resolve.Wait) bool { return o.Replaces == r.Subject.Name && slices.Contains(behind, o.Name) })
	})
}

// addUnchanged adds what blocks the operators that OLM leaves as they are in the end.
func (n *namespaceReport) addUnchanged() {
	for _, u := range n.UnchangedOperators() {
		if u.Subscription == nil || u.Wait != nil || !u.IsBlocked() && !u.Elsewhere || n.unknownSource(u.Subscription.Source) {
			continue
		}
		d, state := Decision{Operators: appendNew(nil, u.Subscription.Package)}, Blocked
		switch {
		case len(u.Rejected) == 0:
			outdated := func(o Decision) bool { p := about[*OutdatedPlan](&o); return p != nil && p.To == u.Name }
			if slices.ContainsFunc(n.decisions, outdated) {
				continue // it is not to be installed
			}
			d.About = &NoPath{From: u.Name, Channel: u.Subscription.Channel, Subscription: u.Subscription.Name, Heads: u.Heads,
				Channels: n.channelsOn(u.Subscription, graph.InstalledBundle{Name: u.Name, Version: u.Version})}
		case u.Elsewhere:
			d.About, state = &NotGiven{Rejection: &Rejection{u.Name, &u.Rejected[0]}}, Unknown
		default:
			d.About = &Rejection{u.Name, &u.Rejected[0]}
		}
		n.add(d, state)
	}
}

// addUnplanned adds what is missing and gets no InstallPlan.
func (n *namespaceReport) addUnplanned() {
	if n.Trace.Final == nil {
		return
	}
	for i := range n.Trace.Final.Unplanned {
		in := &n.Trace.Final.Unplanned[i]
		if n.Removed != nil && n.Removed.Package == in.Package || slices.ContainsFunc(in.Subscriptions, n.hasFailed) {
			continue
		}
		is := &NoPlan{From: in.Replaces, To: in.Name}
		for _, c := range n.Trace.Final.RequiredBy(in) {
			is.RequiredBy = appendNew(is.RequiredBy, c.Subject.Name)
		}
		for _, name := range in.Subscriptions {
			is.Again = n.retry(name)
		}
		n.add(Decision{About: is, Operators: n.installPackages(in)}, Blocked)
	}
}
