// Package resolve answers what OLM v0 would do in a namespace, dependencies included: which operators it would install or
// upgrade in one step, which stay and why, and what keeps it from doing anything at all.
//
// It does what operator-lifecycle-manager's pkg/controller/registry/resolver does. Where the order of subscriptions in OLM is
// random they are processed by name, and the result says where the order matters.
package resolve

import (
	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// SourceKey identifies a CatalogSource, or a ClusterCatalog, which has no namespace.
type SourceKey struct{ Name, Namespace string }

// String returns namespace and name, as "olm/community"; of a ClusterCatalog, which has no namespace, its name.
func (k SourceKey) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// MarshalText implements encoding.TextMarshaler.
func (k SourceKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// virtualSource is the name of the source of installed operators (OLM: cache NewVirtualSourceKey).
const virtualSource = "@existing"

// Source is a CatalogSource.
type Source struct {
	SourceKey
	Priority int // spec.priority: high ones first
	Catalog  *Catalog
	// Unreachable is the last state of the connection to the catalog if OLM could not read it; else empty. Such a source stops
	// every namespace that sees it, whether a subscription refers to it or not.
	Unreachable string
	// Unknown says that its catalog was not given. What subscriptions to it have installed is assumed to stay as it is.
	Unknown bool
}

// Subscription is a Subscription, created by a user or by OLM.
type Subscription struct {
	Name        string
	Package     string
	Channel     string // empty: any
	Source      SourceKey
	StartingCSV string // only counts as long as nothing is installed
	// InstalledCSV and CurrentCSV are status.installedCSV and status.currentCSV: what is installed, and what OLM was to install
	// last. An empty CurrentCSV is InstalledCSV.
	InstalledCSV, CurrentCSV string
	Manual                   bool   // spec.installPlanApproval is Manual
	Plan                     string // the name in status.installPlanRef
	Pending                  bool   // status.state is UpgradePending; it only counts if CurrentCSV is empty
}

// InstalledOperator is a ClusterServiceVersion in the namespace, not one copied from another.
type InstalledOperator struct {
	Name    string
	Version semver.Version // spec.version
	// Facts are its properties. FromAnnotation says that they are those of the annotation operatorframework.io/properties, which
	// OLM uses unchanged. Otherwise they are the APIs that the CSV owns and requires, and OLM adds the package of the subscription.
	Facts          *catalogs.Facts
	FromAnnotation bool
	// Replaces and Phase are spec.replaces and status.phase.
	Replaces string
	Phase    Phase
	MinKube  string               // spec.minKubeVersion; not set if it has to be read from the bundle
	reason   string               // status.reason
	modes    *[]csv.InstallMode   // spec.installModes; nil if they are not known, or have to be read from the bundle
	source   *bundleSpecification // of what a catalog has: the bundle
	wait     *Wait
}

// Phase is a phase of a CSV.
type Phase string

// The phases that matter.
const (
	succeeded    Phase = ""
	replacing    Phase = "Replacing"
	failed       Phase = "Failed"
	phasePending Phase = "Pending"
)

// Namespace is all input of OLM when it resolves a namespace.
type Namespace struct {
	Name string
	// Sources are the CatalogSources of the namespace itself and of the namespace for global ones.
	Sources       []Source
	Subscriptions []Subscription
	Installed     []InstalledOperator
	// OwnCatalogsOnly is the annotation olm.operatorframework.io/exclude-global-namespace-resolution of the OperatorGroup.
	OwnCatalogsOnly bool
	// FailForward is the OperatorGroup's upgradeStrategy UnsafeFailForward.
	FailForward bool
	// Global is the namespace whose CatalogSources every namespace sees. Where it is empty all of Sources are seen.
	Global string
	Groups *OperatorGroups // nil means one OperatorGroup that every operator supports
	// Conditions are those of OperatorConditions that forbid an upgrade, by the name of the operator.
	Conditions map[string]Condition
	// Plans are the InstallPlans. The next field says that the text has none of any namespace, so nothing is known of them.
	Plans        []InstallPlan
	PlansUnknown bool
	// Kubernetes is the version of the API server, as "1.27.6" or, if the patch is not known, "1.27"; "" if it is not known.
	Kubernetes string
	// Failure returns why what a subscription is upgraded to does not come to run, though nothing in the namespace prevents it, or nil; a nil
	// function: nothing is known. It is called in the order of upgrades.
	Failure func(subscription, to string) error
}

// Sees reports whether OLM uses the CatalogSources of another namespace when it resolves this one (OLM: resolver ResolveSteps).
func (n *Namespace) Sees(namespace string) bool {
	return namespace == n.Name || !n.OwnCatalogsOnly && (n.Global == "" || namespace == n.Global)
}

// keysNamed returns the keys of the sources with a name, of which each namespace may have one, or with namespace and name:
// "olm/community".
func (n *Namespace) keysNamed(name string) []SourceKey {
	var found []SourceKey
	for i := range n.Sources {
		if key := n.Sources[i].SourceKey; name == key.Name || name == key.String() {
			found = append(found, key)
		}
	}
	return found
}

// SourceName returns the name of a source, with its namespace where another one has the same name.
func (n *Namespace) SourceName(key SourceKey) string {
	if len(n.keysNamed(key.Name)) > 1 {
		return key.String()
	}
	return key.Name
}

// Operator is one bundle in one channel of one catalog, or one that is installed.
type Operator struct {
	Source  SourceKey
	Package string
	Channel string // empty if it is installed
	Name    string
	Version string
}

// isFromNamespace reports whether it is installed in the namespace, and not a bundle of a catalog.
func (o Operator) isFromNamespace() bool { return o.Source.Name == virtualSource }
