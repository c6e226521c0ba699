// Package plan finds out how a cluster with its operators gets from one minor version of OpenShift to another: which operator is
// upgraded when, which subscription changes its channel or its catalog, which InstallPlan has to be approved, and what blocks the
// cluster. Every step in a namespace is one that graph/resolve says OLM v0 takes.
package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/lifecycle"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// Minor is a minor version of OpenShift as a number: 14 is 4.14. OpenShift 5.0 follows 4.22, so it is 23.
type Minor int

// firstOf5 is OpenShift 5.0, which is the same as 4.23 (operator-framework-olm: openshift helpers).
const firstOf5 Minor = 23

// String returns it as "4.14".
func (m Minor) String() string {
	if m >= firstOf5 {
		return fmt.Sprintf("5.%d", m-firstOf5)
	}
	return fmt.Sprintf("4.%d", int(m))
}

// MarshalText implements encoding.TextMarshaler.
func (m Minor) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// kubernetes returns the minor version of its Kubernetes: 27 is 1.27.
func (m Minor) kubernetes() int { return int(m) + 13 }

// kubernetesVersion returns the version of its API server, without the patch.
func (m Minor) kubernetesVersion() string { return fmt.Sprintf("1.%d", m.kubernetes()) }

// isEven reports whether a control-plane-only update can start or end with it.
func (m Minor) isEven() bool { return m%2 == 0 }

var errNoMinor = errors.New("want a minor version of OpenShift, for example 4.18")

// ParseMinor parses a minor version, for example "4.14" or "5.0".
func ParseMinor(text string) (Minor, error) {
	major, minor, ok := strings.Cut(text, ".")
	n, err := strconv.ParseUint(minor, 10, 16)
	switch {
	case !ok || err != nil || strings.HasPrefix(minor, "0") && minor != "0":
		return 0, fmt.Errorf("%q: %w", text, errNoMinor)
	case major == "4":
		return Minor(n), nil
	case major == "5":
		return firstOf5 + Minor(n), nil
	}
	return 0, fmt.Errorf("%q: %w", text, errNoMinor)
}

// Cluster is what is known of a cluster.
type Cluster struct {
	Minor Minor // of the control plane: the newest update that is completed
	// Workers is the minor version of the workers, as far as it is behind Minor; else 0.
	Workers Minor
	// Namespaces are those with Subscriptions. Their Sources have no catalogs: see Catalog.
	Namespaces []resolve.Namespace
	// Stored are status.storedVersions of CRDs, by the name of the CRD.
	Stored map[string][]string
	// Objects are custom resources.
	Objects []*bundled.Object
}

// Catalog is the content that a CatalogSource has while the cluster is at one minor version.
type Catalog struct {
	Source  resolve.SourceKey
	Minor   Minor // 0: at all of them
	Content *resolve.Catalog
	// Lifecycles are its objects of lifecycle metadata.
	Lifecycles lifecycle.Lifecycles
}

// Request is what is asked.
type Request struct {
	To Minor
	// EUS updates workers only at even minor versions (control plane only updates).
	EUS bool
	// Any is satisfied with any operators that run, up to date or not. Otherwise each one has to get to the head of its channel.
	Any bool
}

// Plan is how the cluster gets there. It is the cheapest one, if there is one and it is Exact.
type Plan struct {
	From Minor `json:"from"`
	To   Minor `json:"to"`
	// Steps lead to To; or, where there are Blockers, as far as Reached.
	Steps []Step `json:"-"`
	Cost  Cost   `json:"cost"`
	EUS   bool   `json:"eus"` // workers are updated only at even minor versions
	// Reached is the newest minor version that the cluster can be updated to. With Blockers it can be To: operators do not get where
	// they should then.
	Reached  Minor     `json:"reached"`
	Blockers []Blocker `json:"-"`
	// Unknown are the minor versions passed of which a catalog that is used was not given: nothing is upgraded there.
	Unknown []Minor `json:"unknown"`
	// Warnings are operators of versions that lifecycle metadata does not list for an OpenShift version, at each version left and at the end.
	Warnings []Warning `json:"-"`
	// Limited are the namespaces with upgrades that a service account may be forbidden: that is not checked.
	Limited []resolve.Limited `json:"limited"`
	// Frozen are the namespaces that are frozen already, before the first step.
	Frozen []Freeze `json:"-"`
	// Today are operators that do not run, or whose InstallPlan does not go on. Find does not set it, and assumes that they go on.
	Today []Today `json:"blockedToday"`
	// Exact is false if a limit of olmgraph was reached: there may be a cheaper plan, or any plan where there is none here.
	Exact bool `json:"exact"`
}

// Today is an operator that somebody has to help before anything upgrades it.
type Today struct {
	Namespace string `json:"namespace"`
	Package   string `json:"package"`
}

// CanSkipWorkers reports whether control plane only updates would save updates of the workers: they begin and end at even versions.
func (p *Plan) CanSkipWorkers() bool {
	return !p.EUS && p.From.isEven() && p.To.isEven() && p.To > p.From && p.Reached == p.To
}

// IsPossible reports whether the cluster gets there.
func (p *Plan) IsPossible() bool { return len(p.Blockers) == 0 && p.Reached == p.To }

// Cost is compared field by field, in this order.
type Cost struct {
	Switches    int `json:"switches"` // of the channel or the catalog of a subscription
	Approvals   int `json:"approvals"`
	Upgrades    int `json:"upgrades"`    // of operators
	Unsupported int `json:"unsupported"` // operators of a version that lifecycle metadata does not list for the OpenShift version, at each minor version left and at the end
}

// Freeze is a namespace in which OLM upgrades nothing, since it finds no solution.
type Freeze struct {
	Namespace string    `json:"namespace"`
	Packages  []string  `json:"packages"`
	Because   []Blocker `json:"-"`
	Until     Minor     `json:"-"` // the OpenShift version at which the plan ends it; 0 if it does not
	// Waiting are the bundles to which OLM would upgrade next without the packages that block.
	Waiting []string `json:"waiting"`
}

// StepKind says what is done in a step.
type StepKind string

// The kinds of steps.
const (
	UpgradeOperators StepKind = "upgrade-operators" // OLM upgrades Upgrades of Namespace, after an approval if Approve is set
	SwitchChannel    StepKind = "switch-channel"    // the Subscription gets the channel To instead of From
	SwitchSource     StepKind = "switch-catalog"    // it gets the catalog To instead of From, and the channel too if Channel is set
	UpgradeOpenShift StepKind = "update-openshift"  // the control plane is updated to Minor
	UpgradeWorkers   StepKind = "update-workers"    // the workers are updated to Minor
	PauseWorkers     StepKind = "pause-workers"     // the workers are paused before control plane only updates
	ChangeCatalogs   StepKind = "change-catalogs"   // the catalogs become those of Minor
)

// Step is one step of a plan.
type Step struct {
	Kind      StepKind `json:"kind"`
	Minor     Minor    `json:"openshift"` // of the control plane, after the step
	Namespace string   `json:"namespace"`
	// Approve says that somebody has to approve an InstallPlan: InstallPlans are those that exist in the cluster already.
	Approve      bool     `json:"approvalNeeded"`
	InstallPlans []string `json:"installPlans"`
	// Waiting are those of the cluster that wait for approval too, if the step approves one that OLM creates instead.
	Waiting  []string  `json:"waitingInstallPlans"`
	Upgrades []Upgrade `json:"-"`
	// Subscription and Package are those that SwitchChannel and SwitchSource are about.
	Subscription string   `json:"subscription"`
	Package      string   `json:"package"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	Channel      string   `json:"channel"`        // of SwitchSource, if it changes as well
	Keeps        bool     `json:"-"`              // the switch upgrades nothing
	Catalogs     []string `json:"catalogSources"` // of ChangeCatalogs: names of CatalogSources
	Freezes      []Freeze `json:"-"`              // of UpgradeOpenShift: the namespaces that it freezes
	Paused       bool     `json:"-"`              // of UpgradeWorkers: they are paused until then, so that OpenShift does not update them
}

// Upgrade is an operator that is upgraded, or installed if From has no name.
type Upgrade struct {
	Package       string                `json:"package"`
	Channel       string                `json:"channel"`
	Source        resolve.SourceKey     `json:"catalogSource"`
	Dependency    bool                  `json:"dependency"` // no subscription asked for it
	From          graph.InstalledBundle `json:"from"`       // empty if it is installed
	To            graph.InstalledBundle `json:"to"`
	Subscriptions []string              `json:"-"`
	Deprecations  []string              `json:"deprecations"` // of the package, the channel and the version, in the catalog that it is from
}

// Warning is an operator of a version that lifecycle metadata does not list for an OpenShift version.
type Warning struct {
	Minor     Minor  `json:"openshift"`
	Namespace string `json:"namespace"`
	Package   string `json:"package"`
	Operator  string `json:"operator"`
	Version   string `json:"version"`
	Message   string `json:"message"`
}

// NewWarning returns the warning of what is installed.
func NewWarning(m Minor, namespace, pkg string, in graph.InstalledBundle) Warning {
	return Warning{m, namespace, pkg, in.Name, in.Version, fmt.Sprintf("%s %s in namespace %q: its lifecycle metadata does not list OpenShift %s", pkg, in.Version, namespace, m)}
}

// BlockerKind says which constraint blocks the cluster, or an operator.
type BlockerKind int

// The kinds of blockers.
const (
	MaxOpenShift     BlockerKind = iota // Operator does not allow OpenShift versions beyond Limit
	InvalidMax                          // its olm.maxOpenShiftVersion is invalid, which OpenShift treats like the oldest one
	NoUpgrade                           // no upgrade leads from Operator to a head of its channel
	MissingInCatalog                    // its catalog, package or channel is missing in the catalogs of Minor
	NotSupported                        // the OperatorGroup and the install modes of Operator do not fit
	NotUpgradeable                      // the operator's own condition forbids upgrades
	KubernetesTooOld                    // Operator needs a newer Kubernetes
	StoredVersions                      // a CRD of Operator lacks a version in which objects are stored, or Kubernetes rejects it
	RemovedAPI                          // the bundle has an object of an API that Kubernetes no longer has
	unsatisfiable                       // requirements contradict each other
	InvalidGroups                       // the namespace has no OperatorGroup, or several
	UnknownCatalog                      // a catalog of Minor was not given
	Hanging                             // Operator does not run already
	ImmutableField                      // the API server rejects a change of an object of Operator: Limit
	UpgradeFails                        // OLM or the API server rejects the bundle
	TooHard                             // the limit of olmgraph was reached, which OLM and OpenShift do not have
)

// String returns its name in JSON.
func (k BlockerKind) String() string {
	return [...]string{"max-openshift-version", "invalid-max-openshift-version", "no-upgrade", "missing-in-catalog", "unsupported-operator-group", "not-upgradeable",
		"kubernetes-too-old", "stored-versions", "removed-api", "unsatisfiable", "invalid-operator-groups", "unknown-catalog", "not-running", "immutable-field", "upgrade-fails", "limit"}[k]
}

// MarshalText implements encoding.TextMarshaler.
func (k BlockerKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Blocker is a constraint without which the cluster would get further.
type Blocker struct {
	Minor     Minor  `json:"openshift"` // the version that cannot be reached, or at which the operator is blocked
	Namespace string `json:"namespace"`
	Package   string `json:"package"`
	Operator  string `json:"operator"`
	// Also are other bundles that the namespace would get and that require the same, if Limit is a requirement that nothing provides.
	Also    []resolve.Operator `json:"-"`
	Channel string             `json:"-"`
	Source  resolve.SourceKey  `json:"-"`
	// Limit is the olm.maxOpenShiftVersion, or the version of a CRD or of Kubernetes, or the head of the channel of NoUpgrade, or the
	// object of ImmutableField, or what is missing: "catalog", "package", "channel" or "startingCSV"; of unsatisfiable a requirement that nothing provides, or "";
	// of Hanging "InstallPlan" if Operator is the name of one.
	Limit   string `json:"-"`
	Message string `json:"-"` // what OLM, the operator or the catalog says
	// Frozen are other packages of the namespace that get no upgrades because of it.
	Frozen []string `json:"freezes"`
	// Together says that lifting this constraint alone does not help: there are others.
	Together bool `json:"together"`
	// Lifted is how far the cluster gets without the constraint; Solved says that there is a plan then.
	Lifted Minor `json:"lifted"`
	Solved bool  `json:"solved"`

	Kind BlockerKind `json:"kind" enum:"graph/plan.BlockerKind.String"`

	part *part // where it is
}

// OfOpenShift reports whether it blocks the update of OpenShift itself; others block operators.
func (b *Blocker) OfOpenShift() bool { return b.Kind == MaxOpenShift || b.Kind == InvalidMax }

// IsUndecided reports whether a limit of olmgraph was reached before any plan was found.
func (p *Plan) IsUndecided() bool {
	return slices.ContainsFunc(p.Blockers, func(b Blocker) bool { return b.Kind == TooHard })
}
