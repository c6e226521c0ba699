package cluster

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
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
	if n.waitsAfterApproval() {
		if err := n.addWaiting(); err != nil {
			return err
		}
	}
	later := n.approvesUnhealthy()
	if later {
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
	if !hasDecision[*Waiting](n) {
		if err := n.addWaiting(); err != nil {
			return err
		}
	}
	if !later {
		if err := n.unhealthy(); err != nil {
			return err
		}
	}
	if err := n.rejectedCRDs(); err != nil {
		return err
	}
	n.addDeleted()
	if n.Trace.End == resolve.Loop {
		d := Decision{About: &loop{}}
		for _, step := range n.Trace.Steps[n.Trace.LoopStart:] {
			for i := range step.Installs {
				d.Operators = appendNew(d.Operators, n.installPackages(&step.Installs[i])...)
			}
		}
		n.add(d, Blocked)
	}
	n.addUnchanged()
	n.addUnplanned()
	n.addReported()
	return nil
}

// waitsAfterApproval reports whether something waits as soon as an InstallPlan is approved, which is then not to be approved before.
func (n *namespaceReport) waitsAfterApproval() bool {
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
	if w := about[*Waiting](&d); w != nil && w.Wait.Kind == resolve.UnsupportedGroup {
		d.Group = n.fitGroup()
	} else if u := about[*Unhealthy](&d); u != nil && u.Reason == resolve.UnsupportedOperatorGroup {
		d.Group = n.fitGroup()
	}
	at := len(n.decisions)
	for i := range n.operators {
		o := &n.operators[i]
		concerns := slices.Contains(d.Operators, o.Package) || slices.Contains(d.Freezes, o.Package)
		if u := about[*Unhealthy](&d); o.Subscription == "" || u != nil {
			concerns = u != nil && (o.Installed.Name == u.Name || concerns)
			if is := about[*Deletion](&d); is != nil && is.CSV != "" {
				concerns = o.Installed.Name == is.CSV
			}
		}
		if !concerns {
			continue
		}
		o.Decisions = append(o.Decisions, at)
		if len(o.Decisions) == 1 || state == Blocked {
			o.State = state
		}
	}
	n.decisions = append(n.decisions, d)
}

// otherPackages returns the packages of the other subscriptions.
func (n *namespaceReport) otherPackages(than []string) []string {
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
func (n *namespaceReport) subscribedPackage(sub string) string {
	for i := range n.Trace.Last.Subscriptions {
		if s := &n.Trace.Last.Subscriptions[i]; s.Name == sub {
			return s.Package
		}
	}
	return ""
}

// packageOfCSV returns the package of the subscription that has an operator, or is to have it.
func (n *namespaceReport) packageOfCSV(name string) string {
	for _, of := range [][]resolve.Subscription{n.Before.Subscriptions, n.Trace.Last.Subscriptions} {
		for i := range of {
			if of[i].InstalledCSV == name || of[i].CurrentCSV == name {
				return of[i].Package
			}
		}
	}
	return ""
}

func (n *namespaceReport) installPackages(in *resolve.Install) []string {
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
		if f.Kind == resolve.UnreachableCatalog && strings.Contains(f.Err.Error(), ": ") { // not only the state of the connection
			d.Said = []string{f.Err.Error()}
		}
		if f.Kind == resolve.EndedPlan {
			is.Again = n.retry(f.Subscription)
		}
		switch f.Kind {
		case resolve.MissingChannel:
			is.Channels = n.channelsFor(f.Subscription)
		case resolve.MissingCatalog, resolve.UnseenCatalog:
			is.Sources = n.sourcesFor(f.Subscription)
		case resolve.MissingPackage:
			if is.Sources = n.sourcesFor(f.Subscription); len(is.Sources) == 0 {
				is.Package = n.meantPackage(f)
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

// approval adds the decision to approve an InstallPlan. It holds up everything that is upgraded later as well.
func (n *namespaceReport) approval(step *resolve.Resolution) error {
	if n.outdatedPlan(step.Plan) {
		return nil
	}
	a := &Approval{Plan: step.Plan, Later: hasWaits(step) || n.approvesUnhealthy()}
	d := Decision{About: a}
	for i := range step.Installs {
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
		n.failForward(is)
		if w.Replaces != "" && len(d.Operators) == 0 {
			d.Operators = appendNew(nil, n.packageOfCSV(w.Replaces))
		}
		d.Freezes = n.frozenBy(w, d.Operators)
		n.add(d, Blocked)
	}
	return nil
}

// frozenBy returns the packages other than those of an operator that waits, if OLM cannot resolve the namespace because of it.
func (n *namespaceReport) frozenBy(w *resolve.Wait, of []string) []string {
	if n.Trace.End == resolve.Unresolvable && blocksResolution(n.Trace.Steps[len(n.Trace.Steps)-1], w, n.Trace.Last.WaitingOperators()) {
		return n.otherPackages(of)
	}
	return nil
}

// failForward adds what OLM would upgrade a ClusterServiceVersion that has failed to, if its OperatorGroup allowed that (OLM: olm transitionCSVState).
func (n *namespaceReport) failForward(w *Waiting) {
	groups := n.OperatorGroups[n.Before.Name]
	for i := range n.Before.Subscriptions {
		sub := &n.Before.Subscriptions[i]
		if w.Wait.Kind == resolve.HasFailed && !n.Before.FailForward && sub.CurrentCSV == w.Wait.Name && len(groups) == 1 {
			w.Instead, w.Group = n.nextUpgrade(sub, w.Wait.Name), groups[0].Metadata.Name
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

// channelsFor returns the channels on which a subscription could go on with what is installed.
func (n *namespaceReport) channelsFor(subscription string) []ChannelChoice {
	for i := range n.Trace.Last.Subscriptions {
		if sub := &n.Trace.Last.Subscriptions[i]; sub.Name == subscription {
			in, _ := n.findInstalled(sub.InstalledCSV)
			return n.channelsOn(sub, in)
		}
	}
	return nil
}

// meantPackage returns the package of the catalog that a Subscription without an operator means: the one of its own name, or the nearest; "" if there is none.
func (n *namespaceReport) meantPackage(f *resolve.Fault) string {
	i := slices.IndexFunc(n.Trace.Last.Subscriptions, func(s resolve.Subscription) bool { return s.Name == f.Subscription })
	if i < 0 || n.Trace.Last.Subscriptions[i].InstalledCSV != "" {
		return ""
	}
	sub := &n.Trace.Last.Subscriptions[i]
	if n.packageIn(sub.Source, sub.Name) != nil {
		return sub.Name
	}
	var names []string
	for _, p := range n.givenPackages(sub.Source) {
		names = append(names, p.Name.Value)
	}
	near, _ := words.Nearest(sub.Package, names)
	return near
}

func (n *namespaceReport) givenPackages(source resolve.SourceKey) []*catalogs.Package {
	if c := n.Catalogs[source]; c != nil {
		return c.Packages
	}
	return nil
}

// groupToKeep returns the OperatorGroup with which all operators of the namespace run; "" if none does, or several with other targets.
func (n *namespaceReport) groupToKeep() (keep string) {
	var kept []string
	for _, g := range n.OperatorGroups[n.Before.Name] {
		targets, known := g.Targets()
		if !known || !n.Trace.Last.RunWith(targets) {
			continue
		}
		if keep != "" && !slices.Equal(targets, kept) {
			return ""
		}
		keep, kept = cmp.Or(keep, g.Metadata.Name), targets
	}
	return keep
}

// channelsOn returns the other channels of a subscription's package in which OLM upgrades what is installed, or where it is the head: the default
// channel first, then those that lead to higher versions.
func (n *namespaceReport) channelsOn(sub *resolve.Subscription, in graph.InstalledBundle) []ChannelChoice {
	p := n.Before.SubscribedPackage(sub)
	if p == nil {
		return nil
	}
	var all []ChannelChoice
	for _, g := range graph.NewPackageGraph(p).Graphs {
		if g.Channel.Name.Value == sub.Channel {
			continue
		}
		if end, on := automaticEnd(g, in); on {
			all = append(all, ChannelChoice{g.Channel.Name.Value, end})
		}
	}
	slices.SortStableFunc(all, func(a, b ChannelChoice) int {
		if isDefault := p.DefaultChannel.Value; a.Channel == isDefault || b.Channel == isDefault {
			return cmp.Compare(rank(a.Channel == isDefault), rank(b.Channel == isDefault))
		}
		va, vb := graph.ParseVersion(a.End), graph.ParseVersion(b.End)
		if va == nil || vb == nil {
			return 0
		}
		return vb.Compare(*va)
	})
	return all
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// automaticEnd returns the version, or the name of a bundle without one, at which OLM's upgrades of what is installed end in a channel; false if it is not the head and has none.
func automaticEnd(g *graph.Graph, in graph.InstalledBundle) (version string, on bool) {
	if in.Name == "" { // it gets the head
		heads := g.Heads()
		if len(heads) != 1 {
			return "", false
		}
		if v := g.Version(heads[0]); v != nil {
			return v.String(), true
		}
		return g.Name(heads[0]), true
	}
	if on = g.IsHead(in.Name); on {
		return cmp.Or(in.Version, in.Name), true
	}
	for range g.Entries() {
		e, next := g.NextOfInstalled(in.Name, in.Version)
		if !next {
			break
		}
		in, on = graph.InstalledBundle{Name: g.Name(e.To)}, true
		if v := g.Version(e.To); v != nil {
			in.Version = v.String()
		}
	}
	return cmp.Or(in.Version, in.Name), on
}

// sourcesFor returns the CatalogSources, of those that the namespace sees and of which catalogs are given, with which a subscription could go on.
func (n *namespaceReport) sourcesFor(subscription string) (all []resolve.SourceKey) {
	i := slices.IndexFunc(n.Trace.Last.Subscriptions, func(s resolve.Subscription) bool { return s.Name == subscription })
	if i < 0 {
		return nil
	}
	sub := &n.Trace.Last.Subscriptions[i]
	in, _ := n.findInstalled(sub.InstalledCSV)
	for j := range n.Before.Sources {
		key := n.Before.Sources[j].SourceKey
		p := n.packageIn(key, sub.Package)
		if p == nil || p.Channel(sub.Channel) == nil || !n.Before.Sees(key.Namespace) {
			continue
		}
		if _, on := automaticEnd(graph.New(p, p.Channel(sub.Channel)), in); on {
			all = append(all, key)
		}
	}
	return all
}

// unowned returns the ClusterServiceVersion that no subscription owns, where it is the cause of a conflict with a subscription to its package, and OLM
// finds a solution without it: otherwise its operator would be gone, and not come back.
func (n *namespaceReport) unowned(ctx context.Context, conflict []resolve.Reason) (string, error) {
	without := n.Trace.Last
	for _, r := range conflict {
		waits := func(s resolve.Subscription) bool { return s.Package == r.Subject.Package && s.InstalledCSV == "" }
		if r.Kind != resolve.NotOwned || !slices.ContainsFunc(n.Before.Subscriptions, waits) {
			continue
		}
		without.Installed = slices.DeleteFunc(slices.Clone(n.Trace.Last.Installed), func(in resolve.InstalledOperator) bool { return in.Name == r.Subject.Name })
		solved, err := resolve.Resolve(ctx, without)
		if err != nil || solved.Resolvable() {
			return r.Subject.Name, err
		}
	}
	return "", nil
}

// fitGroup returns a change of the OperatorGroup with which all operators of the namespace run; nil if none is known.
func (n *namespaceReport) fitGroup() *GroupChange {
	groups := n.OperatorGroups[n.Before.Name]
	if len(groups) != 1 {
		return nil
	}
	for _, all := range []bool{false, true} {
		targets := []string{n.Before.Name}
		if all {
			targets = []string{""}
		}
		if n.Trace.Last.RunWith(targets) {
			return &GroupChange{groups[0].Metadata.Name, all, groups[0].Spec.Selector != nil}
		}
	}
	return nil
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
