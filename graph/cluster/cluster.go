// Package cluster answers what OLM does next with every operator of a cluster, what blocks it, and who has to act. It resolves each namespace
// as graph/resolve does.
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/lifecycle"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Input is what is asked about.
type Input struct {
	*snapshot.Snapshot
	States []*resolve.NamespaceState // of its namespaces, by name
	// Catalogs are those that are given, by their CatalogSources and ClusterCatalogs.
	Catalogs   map[resolve.SourceKey]*resolve.Catalog
	Lifecycles map[resolve.SourceKey]lifecycle.Lifecycles
	// Namespace is the only one that is answered; "" for all. Suppose changes it as a what-if question asks, once its Sources have catalogs; it
	// may be nil.
	Namespace string
	Suppose   func(*resolve.ResolveReport) error
	Details   bool // with the steps of each operator
}

// Report is the answer.
type Report struct {
	OpenShift  string `json:"openshift"` // the version, "" if it is not known
	Kubernetes string `json:"kubernetes"`
	Blocked    bool   `json:"blocked"` // somebody has to act
	// Assumed are the kinds of which the snapshot has no object, so that something is assumed.
	Assumed []string `json:"assumed"`
	// NotGiven are the CatalogSources that subscriptions use, whose catalogs were not given; and the ClusterCatalogs, without namespace.
	NotGiven []resolve.SourceKey `json:"notGiven"`
	// NotUpgradeable are the ClusterOperators because of which OpenShift is not updated to the next minor version.
	NotUpgradeable []ClusterOperatorStatus `json:"notUpgradeable"`
	// Unsupported are operators of versions that lifecycle metadata does not list for the OpenShift version.
	Unsupported []plan.Warning `json:"unsupported"`
	// Unreferenced are the InstallPlans that wait for approval, and that no Subscription refers to.
	Unreferenced []UnreferencedPlan `json:"unreferencedPlans"`
	// Unchecked says that CRDs of the cluster were not compared with those of upgrades, because catalogs have no manifests.
	Unchecked bool `json:"crdsUnchecked"`
	// Limited are the namespaces with upgrades that a service account may be forbidden, which is not checked.
	Limited []resolve.Limited `json:"limited"`

	Operators  []Operator  `json:"-"` // by namespace and package
	Decisions  []Decision  `json:"-"` // in the order of the operators
	Extensions []Extension `json:"-"`
	// Only is the only namespace that is answered; "" for all. Nothing but the name is known of Unknown, which are in it.
	Only    string                      `json:"-"`
	Unknown []resolve.InstalledOperator `json:"-"`
	// Supposed is what a what-if question supposes of a namespace; nil without one.
	Supposed *Supposition `json:"-"`
	// Clusters and Packages are of several clusters: see Combine.
	Clusters []Named   `json:"-"`
	Packages []Package `json:"-"` // by name
}

// NotRunning returns the operators that do not run, or whose InstallPlan failed or whose bundle cannot be unpacked, each once.
func (r *Report) NotRunning() (all []plan.Today) {
	for i := range r.Decisions {
		d := &r.Decisions[i]
		switch d.About.(type) {
		case *Unhealthy, *FailedPlan, *FailingPlan, *Unpacking:
			for _, name := range d.Operators {
				all = append(all, plan.Today{Namespace: d.Namespace, Package: name})
			}
		}
	}
	return find.Distinct(all)
}

// Supposition is what a what-if question supposes of a namespace, and what breaks because of it.
type Supposition struct {
	Namespace string          `json:"name"`
	WhatIf    string          `json:"whatIf"`
	Breaks    []resolve.Unmet `json:"breaks"`
}

// isBlocked reports whether anybody has to act.
func (r *Report) isBlocked() bool {
	return r.Supposed != nil && len(r.Supposed.Breaks) > 0 || slices.ContainsFunc(r.Decisions, func(d Decision) bool { return d.blocks() }) ||
		slices.ContainsFunc(r.Extensions, func(e Extension) bool { return e.IsBlocked() })
}

// IsUndecided reports whether a limit of olmgraph left a question open.
func (r *Report) IsUndecided() bool {
	return slices.ContainsFunc(r.Decisions, func(d Decision) bool { return about[*Limit](&d) != nil })
}

// State says what becomes of an operator.
type State int

// The states.
const (
	UpToDate   State = iota // nothing is newer in its channel
	Upgrades                // it is upgraded automatically
	Approve                 // an InstallPlan waits for approval
	Blocked                 // somebody has to act
	Unknown                 // its catalog was not given, or the answer was not found
	Unmanaged               // no subscription owns it, so that OLM never upgrades it
	inProgress              // OLM is installing, replacing or deleting it, and nobody has to act
)

// String returns the words for the state.
func (s State) String() string {
	return [...]string{"up to date", "upgrades", "approve", "blocked", "unknown", "no subscription", "in progress"}[s]
}

// MarshalText implements encoding.TextMarshaler.
func (s State) MarshalText() ([]byte, error) {
	return []byte(strings.ReplaceAll(s.String(), " ", "-")), nil
}

// Operator is an operator of a namespace: a Subscription with what it has installed, or a ClusterServiceVersion without one.
type Operator struct {
	Cluster      string                `json:"cluster"` // one of several, or empty
	Namespace    string                `json:"namespace"`
	Package      string                `json:"package"`
	Subscription string                `json:"subscription"`
	Channel      string                `json:"channel"`
	Source       resolve.SourceKey     `json:"catalogSource"` // as NAMESPACE/NAME
	Installed    graph.InstalledBundle `json:"installed"`     // no name: nothing is
	Phase        string                `json:"phase"`         // of what is installed, if it is not Succeeded
	Lifecycle    *lifecycle.Lifecycle  `json:"lifecycle"`     // of what is installed; null: it is not known
	Next         graph.InstalledBundle `json:"upgradesTo"`    // no name: nothing
	Last         graph.InstalledBundle `json:"end"`           // of automatic upgrades
	Decisions    []int                 `json:"decisions"`     // what blocks it: indices
	State        State                 `json:"state" enum:"up-to-date,upgrades,approve,blocked,unknown,no-subscription,in-progress"`
	Deprecations []string              `json:"deprecations"` // of the package, the channel and what is installed
	Steps        []Step                `json:"-"`            // none without Details
}

// Name returns the package, or the name of what is installed if that has no package.
func (o *Operator) Name() string { return cmp.Or(o.Package, o.Installed.Name) }

// ClusterOperatorStatus is a part of OpenShift, and what it says.
type ClusterOperatorStatus struct {
	Name    string `json:"name"`
	Message string `json:"message"` // of its condition Upgradeable
}

// UnreferencedPlan is an InstallPlan that installs its bundles if it is approved, though no Subscription waits for it.
type UnreferencedPlan struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Bundles   []string `json:"bundles"` // that it installs if it is approved
}

// Find finds the answer. An error is the context's, of the snapshot, or of a catalog that has changed.
func Find(ctx context.Context, in Input) (*Report, error) {
	r := &Report{OpenShift: in.OpenShift, Kubernetes: in.Kubernetes(), Assumed: in.assumedKinds(), Only: in.Namespace}
	all, crds, compared := make([]*namespaceReport, len(in.States)), newCRDs(in.Snapshot), &comparisons{}
	unknown := make([][]resolve.InstalledOperator, len(all))
	parallel.Each(len(all), func(i int) {
		n, state := &namespaceReport{Input: &in, notGiven: map[resolve.SourceKey]bool{}, crds: crds, comparisons: compared}, in.States[i]
		n.bindSources(state)
		unknown[i] = state.AddFacts()
		all[i], n.Before = n, state.Namespace
		name := n.Before.Name
		n.namespaceObjects = namespaceObjects{in.Subscriptions[name], in.ClusterServiceVersions[name], in.InstallPlans[name], in.OperatorGroups[name]}
	})
	for _, state := range in.States {
		r.OpenShift = cmp.Or(state.OpenShift, r.OpenShift) // of a description
	}
	found := all
	if at := slices.IndexFunc(all, func(n *namespaceReport) bool { return n.Before.Name == in.Namespace }); at >= 0 {
		found, r.Unknown = all[at:at+1], unknown[at]
	}
	if in.Suppose != nil {
		n := &found[0].ResolveReport
		if err := in.Suppose(n); err != nil {
			return nil, err
		}
		r.Supposed = &Supposition{n.Before.Name, n.WhatIf, n.Unmet}
	}
	errs := make([]error, len(found))
	parallel.Each(len(found), func(i int) { errs[i] = found[i].find(ctx) })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	notGiven, providers := map[resolve.SourceKey]bool{}, collectProviders(all)
	for _, n := range found {
		n.groupConflicts(providers)
		r.add(n)
		maps.Copy(notGiven, n.notGiven)
		r.Unchecked = r.Unchecked || n.unchecked
		if slices.ContainsFunc(n.operators, func(o Operator) bool { return o.State == Upgrades || o.State == Approve }) {
			r.Limited = append(r.Limited, n.Before.Limited()...)
		}
	}
	r.Unknown = slices.DeleteFunc(r.Unknown, func(o resolve.InstalledOperator) bool {
		return !slices.ContainsFunc(found[0].Before.Installed, func(in resolve.InstalledOperator) bool { return in.Name == o.Name })
	})
	r.NotGiven = slices.SortedFunc(maps.Keys(notGiven), func(a, b resolve.SourceKey) int { return strings.Compare(a.String(), b.String()) })
	if in.Namespace == "" {
		r.Extensions = in.extensions()
	}
	r.findUnsupported()
	for _, o := range in.ClusterOperators {
		if message, not := o.NotUpgradeable(); not {
			r.NotUpgradeable = append(r.NotUpgradeable, ClusterOperatorStatus{o.Name(), message})
		}
	}
	r.Blocked = r.isBlocked()
	return r, nil
}

// findUnsupported finds the operators whose lifecycle does not list the OpenShift version.
func (r *Report) findUnsupported() {
	v, err := semver.ParseTolerant(r.OpenShift)
	m, invalid := plan.ParseMinor(fmt.Sprintf("%d.%d", v.Major, v.Minor))
	if err != nil || invalid != nil {
		return
	}
	for i := range r.Operators {
		if o := &r.Operators[i]; plan.IsUnsupported(o.Lifecycle, m) {
			r.Unsupported = append(r.Unsupported, plan.NewWarning(m, o.Namespace, o.Package, o.Installed))
		}
	}
}

// assumedKinds returns the kinds of which the snapshot has no object.
func (in *Input) assumedKinds() []string {
	var all []string
	for _, kind := range []string{"ClusterServiceVersion", "OperatorGroup", "InstallPlan", "CatalogSource", "OperatorCondition", "CustomResourceDefinition"} {
		if in.IsMissing(kind) && !in.IsMissing("Subscription") {
			all = append(all, kind)
		}
	}
	return all
}

// add adds the operators and decisions of a namespace. A CatalogSource that OLM cannot read is one decision for all namespaces.
func (r *Report) add(n *namespaceReport) {
	for _, name := range n.Before.UnreferencedPlans() {
		r.Unreferenced = append(r.Unreferenced, UnreferencedPlan{n.Before.Name, name, n.installPlan(name).Spec.CSVs})
	}
	at := make([]int, len(n.decisions))
	for i := range n.decisions {
		d := &n.decisions[i]
		same := func(known Decision) bool {
			return known.unreachable() && about[*Fault](&known).Fault.Operator.Source == about[*Fault](d).Fault.Operator.Source
		}
		at[i] = -1
		if d.unreachable() {
			at[i] = slices.IndexFunc(r.Decisions, same)
		}
		if at[i] < 0 {
			at[i] = len(r.Decisions)
			r.Decisions = append(r.Decisions, *d)
			continue
		}
		known := &r.Decisions[at[i]]
		known.Also = append(known.Also, d.Namespace)
		known.Freezes = appendNew(known.Freezes, d.Freezes...)
	}
	for _, o := range n.operators {
		for i := range o.Decisions {
			o.Decisions[i] = at[o.Decisions[i]]
		}
		r.Operators = append(r.Operators, o)
	}
}

// namespaceRun is what OLM v0 does in a namespace, whatever else the snapshot says.
type namespaceRun struct{ resolve.ResolveReport }

// namespaceObjects are the objects of the snapshot in a namespace.
type namespaceObjects struct {
	subscriptions []snapshot.Subscription
	csvs          []snapshot.ClusterServiceVersion
	plans         []snapshot.InstallPlan
	groups        []snapshot.OperatorGroup
}

// namespaceReport is the answer for one namespace.
type namespaceReport struct {
	*Input
	namespaceRun
	namespaceObjects
	operators []Operator
	decisions []Decision
	notGiven  map[resolve.SourceKey]bool
	unchecked bool
	crds      *crds
	*comparisons
}

// find resolves the namespace.
func (n *namespaceReport) find(ctx context.Context) error {
	n.Before.Failure = n.failingUpgrades()
	if err := n.Run(ctx, resolve.MaxSteps); err != nil {
		return fmt.Errorf("namespace %q: %w", n.Before.Name, err)
	}
	n.rows()
	if err := n.decide(ctx); err != nil {
		return err
	}
	slices.SortStableFunc(n.operators, func(a, b Operator) int {
		return strings.Compare(a.Package+"\x00"+a.Subscription, b.Package+"\x00"+b.Subscription)
	})
	return nil
}

// bindSources gives the sources their catalogs.
func (n *namespaceReport) bindSources(state *resolve.NamespaceState) {
	for i := range state.Sources {
		source := &state.Sources[i]
		if given := n.Catalogs[source.SourceKey]; given != nil {
			source.Catalog = given
			continue
		}
		source.Unknown = source.Unreachable == ""
		if source.Unknown && slices.ContainsFunc(state.Subscriptions, func(s resolve.Subscription) bool { return s.Source == source.SourceKey }) {
			n.notGiven[source.SourceKey] = true
		}
	}
}

// rows makes a row of each subscription, and of each operator without one.
func (n *namespaceReport) rows() {
	for i := range n.Before.Subscriptions {
		n.operators = append(n.operators, n.row(&n.Before.Subscriptions[i]))
	}
	for _, in := range n.Before.Operators() {
		owned := func(s resolve.Subscription) bool { return s.InstalledCSV == in.Name || s.CurrentCSV == in.Name }
		if slices.ContainsFunc(n.Before.Subscriptions, owned) || n.replaces(in.Name) {
			continue
		}
		installed, phase := n.findInstalled(in.Name)
		waits := find.Pointer(n.operators, func(o Operator) bool { return in.Package != "" && o.Package == in.Package && o.Installed.Name == "" })
		if waits == nil {
			n.operators = append(n.operators, Operator{Namespace: n.Before.Name, Package: in.Package, State: Unmanaged, Installed: installed, Phase: phase})
			continue
		}
		waits.Installed, waits.Phase = installed, phase // by nobody, so that the subscription can install nothing
	}
}

// row makes the row of a subscription.
func (n *namespaceReport) row(sub *resolve.Subscription) Operator {
	o := Operator{Namespace: n.Before.Name, Package: sub.Package, Subscription: sub.Name, Channel: sub.Channel, Source: sub.Source}
	runs := n.runningName(sub.InstalledCSV)
	o.Installed, o.Phase = n.findInstalled(runs)
	if p := n.Catalogs[sub.Source].Package(sub.Package); p != nil {
		o.Deprecations = p.Deprecated(sub.Channel, runs)
	}
	if v, err := semver.Parse(o.Installed.Version); err == nil {
		o.Lifecycle = n.Lifecycles[sub.Source].Find(sub.Package, v)
	}
	for _, step := range n.Trace.Steps {
		for j := range step.Installs {
			if in := &step.Installs[j]; slices.Contains(in.Subscriptions, sub.Name) && step.Resolvable() {
				if o.Next.Name == "" {
					o.Next = graph.InstalledBundle{Name: in.Name, Version: in.Version}
					o.Last = o.Next
				}
				if in.Wait == nil {
					o.Last = graph.InstalledBundle{Name: in.Name, Version: in.Version}
				}
			}
		}
	}
	if at := n.object(sub.CurrentCSV); at != nil && o.Next.Name == "" && sub.CurrentCSV != runs {
		o.Next, _ = n.findInstalled(sub.CurrentCSV) // OLM has created it
		o.Last = o.Next
	}
	if n.Details {
		o.Steps = n.subscriptionSteps(sub)
	}
	of := n.subscription(sub.Name)
	switch at := n.object(sub.InstalledCSV); {
	case at != nil && n.progresses(at) || of.Metadata.Deleted != "":
		o.State = inProgress
	case o.Next.Name != "":
		o.State = Upgrades
	}
	if n.unknownSource(sub.Source) && o.Next.Name == "" {
		o.State = Unknown
	}
	return o
}

// subscription returns a Subscription of the snapshot, one without values if it has none of that name.
func (n *namespaceObjects) subscription(name string) snapshot.Subscription {
	return find.Value(n.subscriptions, func(s snapshot.Subscription) bool { return s.Metadata.Name == name })
}

// object returns a ClusterServiceVersion of the snapshot, nil if it has none of that name.
func (n *namespaceObjects) object(name string) *snapshot.ClusterServiceVersion {
	return find.Pointer(n.csvs, func(o snapshot.ClusterServiceVersion) bool { return o.Metadata.Name == name })
}

// replaces reports whether an operator is being replaced by another one: then the row of that one is enough.
func (n *namespaceRun) replaces(name string) bool {
	return slices.ContainsFunc(n.Before.Installed, func(in resolve.InstalledOperator) bool { return in.Replaces == name })
}

func (n *namespaceRun) findInstalled(name string) (b graph.InstalledBundle, phase string) {
	for i := range n.Before.Installed {
		if in := &n.Before.Installed[i]; in.Name == name {
			return graph.InstalledBundle{Name: name, Version: in.Version.String()}, string(in.Phase)
		}
	}
	return graph.InstalledBundle{}, ""
}

func (n *namespaceRun) unknownSource(key resolve.SourceKey) bool {
	return slices.ContainsFunc(n.Before.Sources, func(s resolve.Source) bool { return s.SourceKey == key && s.Unknown })
}
