package cluster

import (
	"slices"

	"github.com/olmgraph/olmgraph/graph/changes"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// Decision is one thing that somebody has to decide or do. What is not of all kinds is in About.
type Decision struct {
	About
	Cluster   string // one of several
	Namespace string
	Also      []string     // other namespaces, of a CatalogSource that OLM cannot read
	Operators []string     // the packages that it is about
	Freezes   []string     // the packages of the namespace that are not upgraded either because of it
	Said      []string     // what rejects it, in its own words
	Failure   *Failure     // why OLM cannot install something, where that is known
	Group     *GroupChange // with which all operators of the namespace run, where the OperatorGroup does not fit one of them
	Unseen    string       // the CatalogSource whose catalog would tell whether what is to be installed runs, or the namespace can be resolved; "" if it is given
}

// GroupChange is a change of the target namespaces of an OperatorGroup.
type GroupChange struct {
	Group    string
	All      bool // they become all namespaces, or else the namespace of the group alone
	Selector bool // it has a selector, which has to go
}

// ChannelChoice is a channel that a subscription can be switched to, and the version at which OLM's upgrades end there.
type ChannelChoice struct{ Channel, End string }

// About is what a decision is about: one of the types below. Kind is its name in JSON.
type About interface{ Kind() string }

// Approval is an InstallPlan that needs approval.
type Approval struct {
	Plan    *resolve.Plan
	To      []string          // what it installs
	Stale   []string          // what the plans install that Plan supersedes
	Hanging []string          // InstallPlans of the same bundles that are approved and have not ended
	Later   bool              // what is approved would wait for what an earlier decision tells
	Steps   []PlanStep        // as far as the snapshot has them
	Changes []*changes.Report // of the upgrades, as far as the catalogs have both bundles
}

// Fault is why OLM does not resolve the namespace.
type Fault struct {
	Fault    *resolve.Fault
	Channels []ChannelChoice     // of a missing channel: others that lead on, the best one first
	Sources  []resolve.SourceKey // of a missing catalog or package: others that have the channel, and upgrade from what is installed or have it
	Package  string              // of a missing package without Sources: the one of the catalog that is meant, if the Subscription has nothing installed
	Keep     string              // of several OperatorGroups: the one with which all operators of the namespace run
	Again    *Again              // of an InstallPlan that never runs
	Exists   bool                // the Subscription of a missing package does, and Empty says that nothing is installed by it
	Empty    bool
}

// Limit is a limit of olmgraph that was reached.
type Limit struct{ Fault *resolve.Fault }

// Conflict is of the constraints of the namespace. Unowned is the ClusterServiceVersion that is the cause, of the package of a subscription that does not own
// it; "" if there is none.
type Conflict struct {
	Reasons []resolve.Reason
	Unowned string
}

// Rejection is that of upgrades because of requirements.
type Rejection struct {
	From string
	Best *resolve.Rejection // of the best candidate
}

// NotGiven is a catalog that was not given, and that may have what is required: of a conflict, or of a rejection.
type NotGiven struct {
	Conflict  []resolve.Reason
	Rejection *Rejection
}

// Waiting is an operator that waits, or has failed.
type Waiting struct {
	Wait   *resolve.Wait
	Stuck  string // the ClusterServiceVersion that does not run, "" if the snapshot does not have it
	Reason string // of its phase
	// Instead is what OLM would upgrade to if the OperatorGroup Group allowed it; "" if nothing.
	Instead, Group string
}

// NoPath is that no upgrade leads to a head of the channel.
type NoPath struct {
	From, Channel, Subscription string
	Heads                       []string
	Channels                    []ChannelChoice // those that do lead on, the best one first
}

// NoPlan is what is missing, and OLM creates no InstallPlan for.
type NoPlan struct {
	From, To   string
	RequiredBy []string
	Again      *Again // nil: there is no subscription
}

// RefusedUpgrade is an upgrade that OLM or the API server rejects, for the reasons in Said.
type RefusedUpgrade struct {
	Refusal, From, To string
	Later             bool // upgrades to From come first
}

// The refusals.
const (
	StoredCRD      = "stored-version"  // a CRD lacks a version in which objects are stored
	InvalidCRD     = "invalid-crd"     // the API server or OLM rejects a CRD
	ImmutableField = "immutable-field" // the API server rejects a change of an object, as the selector of a Deployment
	UpgradeFails   = "upgrade-fails"   // any other
)

// Unpacking is a bundle that OLM could not unpack.
type Unpacking struct {
	Reason string // of the condition
	Source resolve.SourceKey
	Retry  string // the interval in which OLM tries again; "" if it does not
}

// loop is that upgrades repeat.
type loop struct{}

// Unhealthy is a ClusterServiceVersion that does not run.
type Unhealthy struct {
	Name, Phase, Reason string
	Replacing           string // what is to replace it, and waits for it; "" if nothing does
	Again               bool   // OLM has installed it before, found it unhealthy, and installs it again
	Subscription        string // of one that has failed because of another operator; "" if it has none
	Unserved            []UnservedVersion
	ServiceAccounts     []string // that do not exist, and that OLM does not create again
}

// UnservedVersion is a version of a CRD that a ClusterServiceVersion owns, and the CRD has without serving it, at an index of its versions.
type UnservedVersion struct {
	CRD, Version string
	Index        int
}

// OutdatedPlan is an InstallPlan of a bundle that the catalog does not have any more.
type OutdatedPlan struct {
	InstallPlans []string
	From, To     string
	Next         string // to which the catalog upgrades From
	Again        *Again
}

// FailingPlan is an InstallPlan that OLM tries to install again and again.
type FailingPlan struct{ InstallPlan string }

// FailedPlan is an InstallPlan that has failed, and what it creates does not run.
type FailedPlan struct {
	InstallPlan  string
	From         string // what runs
	To           []string
	Subscription string
	Reason       string // of the phase of what it has created
	Instead      string // to which OLM can upgrade From; "" if to nothing else
	Again        *Again // if it has not created what it is to install; nil: OLM goes on with the same InstallPlan
}

// Reported is what OLM says of a Subscription or OperatorGroup, and what nothing else tells.
type Reported struct {
	Condition string
	Source    resolve.SourceKey // none unless it is about one
	Deleted   string            // the namespace of OLM, which still asks a Source that was deleted; "" if that is not so
}

// GeneratedBy is the InstallPlan that made a Subscription, which OLM looks for and does not find.
type GeneratedBy struct{ Subscription, InstallPlan string }

// Deletion is a Subscription that is being deleted, and waits for finalizers; or a ClusterServiceVersion.
type Deletion struct {
	Subscription, CSV string // one of both
	Finalizers        []string
}

// CustomResources are those of an operator that is to be removed, before it.
type CustomResources struct{ *Removal }

// Remove is the removal of an operator.
type Remove struct{ *Removal }

// Leftovers are what OLM leaves of it.
type Leftovers struct{ *Removal }

func (*Approval) Kind() string         { return "approval" }
func (*Fault) Kind() string            { return "fault" }
func (*Limit) Kind() string            { return "limit" }
func (*Conflict) Kind() string         { return "conflict" }
func (*Rejection) Kind() string        { return "rejected" }
func (*NotGiven) Kind() string         { return "not-given" }
func (*Waiting) Kind() string          { return "waiting" }
func (*NoPath) Kind() string           { return "no-path" }
func (*NoPlan) Kind() string           { return "no-install-plan" }
func (r *RefusedUpgrade) Kind() string { return r.Refusal }
func (*Unpacking) Kind() string        { return "unpacking" }
func (*loop) Kind() string             { return "loop" }
func (*Unhealthy) Kind() string        { return "unhealthy" }
func (*OutdatedPlan) Kind() string     { return "outdated-plan" }
func (*FailingPlan) Kind() string      { return "failing-plan" }
func (*FailedPlan) Kind() string       { return "failed-plan" }
func (*Reported) Kind() string         { return "reported" }
func (*GeneratedBy) Kind() string      { return "generated-by" }
func (*Deletion) Kind() string         { return "deletion" }
func (*CustomResources) Kind() string  { return "custom-resources" }
func (*Remove) Kind() string           { return "remove" }
func (*Leftovers) Kind() string        { return "leftovers" }

// about returns what a decision is about, nil if it is of another type.
func about[T About](d *Decision) (a T) {
	a, _ = d.About.(T)
	return a
}

// blocks reports whether somebody has to act because of it.
func (d *Decision) blocks() bool {
	switch d.About.(type) {
	case *Limit, *NotGiven, *CustomResources, *Remove, *Leftovers:
		return false
	}
	return true
}

func (d *Decision) unreachable() bool {
	f := about[*Fault](d)
	return f != nil && f.Fault.Kind == resolve.UnreachableCatalog
}

// hasDecision reports whether there is a decision about a type.
func hasDecision[T About](n *namespaceReport) bool {
	return slices.ContainsFunc(n.decisions, func(d Decision) bool { _, is := d.About.(T); return is })
}
