package resolve

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Resolution is what OLM does in one step. If it has Faults or a Conflict OLM does nothing at all.
type Resolution struct {
	// Installs are the bundles that OLM newly installs, by name, each instead of what it replaces.
	Installs []Install
	// Uncertain says that OLM may come to another result: it depends on the order in which it processes subscriptions and channels, which differs
	// each time.
	Uncertain bool
	// Choices are what each subscription got, by its name, and then what meets each requirement of the result, in the order in
	// which OLM decides.
	Choices []Choice
	// Faults are the reasons why OLM does not search for a solution, each of them sufficient.
	Faults []Fault
	// Plan is the InstallPlan that installs them; nil if there is nothing to install, or for a Resolution of Resolve (see Next).
	Plan *Plan
	// Unplanned are bundles of OLM's solution without an InstallPlan, because no subscription would get another currentCSV.
	Unplanned []Install
	// Conflict is why there is no solution: a minimal set of reasons that contradict each other; or one that is Unexplained.
	Conflict []Reason
}

// Resolvable reports whether OLM resolves the namespace, and it is known how.
func (r *Resolution) Resolvable() bool { return len(r.Faults) == 0 && len(r.Conflict) == 0 }

// RequiredBy returns the requirements for which OLM installs an operator without a subscription.
func (r *Resolution) RequiredBy(in *Install) []Choice {
	var all []Choice
	for _, c := range r.Choices {
		if in.Generated != nil && c.Requirement != nil && c.Chosen == in.Operator {
			all = append(all, c)
		}
	}
	return all
}

// isUndecided reports whether a limit of olmgraph was reached before it was known what OLM does. OLM itself has no limit. If OLM
// rejects for another reason it is decided.
func (r *Resolution) isUndecided() bool {
	return len(r.Faults) > 0 && !slices.ContainsFunc(r.Faults, func(f Fault) bool { return !f.Kind.IsUndecided() })
}

// Install is a bundle that OLM installs.
type Install struct {
	Operator
	// Replaces is the installed operator that it replaces; "" if there is none.
	Replaces string
	// Subscriptions are those that get it, by name; none where it is only required.
	Subscriptions []string
	// Generated is the Subscription that OLM creates for a bundle without one.
	Generated *Subscription
	// Wait is why it does not run once its ClusterServiceVersion exists; nil if it does, or for a Resolution of Resolve (see
	// Next).
	Wait  *Wait
	facts InstalledOperator
}

// Choice is what a subscription got of the candidates that it had; or what meets Requirement of Subject.
type Choice struct {
	Subscription string
	Subject      Operator
	Requirement  *catalogs.Requirement
	Chosen       Operator
	// Rejected are the candidates that OLM prefers, best first, and why it could not choose them.
	Rejected []Rejection
}

// Rejection says why a candidate was not taken.
type Rejection struct {
	Operator
	// Because is a minimal set of reasons that contradict the candidate. Empty if it was not computed: only the best few
	// candidates of a choice are explained.
	Because []Reason
}

// ReasonKind says what kind of constraint a reason is.
type ReasonKind int

// The kinds of reasons.
const (
	Wanted           ReasonKind = iota // Subscription wants one of Operators
	Requires                           // Subject has Requirement, which Operators meet
	OnlyPackage                        // at most one of Operators, which are of Package
	OnlyAPI                            // at most one of Operators, which provide API
	Replacement                        // Subject replaces Operators
	NotOwned                           // Subject is installed without a subscription
	Prohibited                         // Subject has the property olm.deprecated
	reasonKindChosen                   // Subject was chosen before
	Unexplained                        // the limit was reached before the reasons were known
)

// Reason is a constraint that contradicts others.
type Reason struct {
	Kind         ReasonKind
	Subscription string
	Subject      Operator
	Requirement  *catalogs.Requirement
	Package      string
	API          catalogs.API
	// Operators are in the order in which OLM prefers them, where that means anything. Of those that exclude each other, only those
	// that other reasons mention are included.
	Operators []Operator
}

// FaultKind says what kind of fault keeps OLM from resolving a namespace.
type FaultKind int

// The kinds of faults.
const (
	MissingCatalog       FaultKind = iota // the subscription's catalog is not there or is empty
	MissingPackage                        // the catalog has no such package
	MissingChannel                        // the package has no such channel
	MissingStartingCSV                    // the channel has no such bundle
	MalformedRequirement                  // a requirement of a bundle that OLM has to consider cannot be parsed
	UnorderedChannel                      // a channel that OLM has to consider has no order
	SeveralInstalled                      // two installed operators of a name, or of a package, where OLM wants one
	ambiguousBundle                       // two bundles of one name in channels of one name
	CostlyRequirement                     // the limit was reached before the providers of a requirement were known; OLM itself has no limit
	BrokenReplacement                     // FailForward: a chain of replacements that OLM cannot follow
	InvalidGroups                         // the namespace has no OperatorGroup, or several
	EndedPlan                             // all subscriptions wait for InstallPlans that never run
	UnreachableCatalog                    // OLM cannot read a CatalogSource that the namespace sees
	UnseenCatalog                         // the subscription's catalog is in a namespace that OLM does not look at
	TooHard                               // the limit was reached before a solution was found; OLM itself has no limit
)

// IsUndecided reports whether it is a limit of olmgraph, which OLM does not have.
func (k FaultKind) IsUndecided() bool { return k == CostlyRequirement || k == TooHard }

// Stage is the order in which OLM detects faults: it stops after the first stage that has any.
type Stage int

// The stages.
const (
	beforehand    Stage = iota // OLM does not start to resolve the namespace, and sets no condition
	reading                    // ErrorPreventedResolution: it cannot read the catalogs
	preparing                  // ErrorPreventedResolution: it cannot build the problem for the solver
	unsatisfiable              // ConstraintsNotSatisfiable
	stageUnknown               // a limit of olmgraph, which OLM does not have
)

// Stage returns when OLM detects a fault (OLM: catalog syncResolvingNamespace; resolver Resolve).
func (k FaultKind) Stage() Stage {
	switch k {
	case InvalidGroups, EndedPlan:
		return beforehand
	case UnreachableCatalog:
		return reading
	case MissingCatalog, MissingPackage, MissingChannel, MissingStartingCSV, UnseenCatalog:
		return unsatisfiable
	case CostlyRequirement, TooHard:
		return stageUnknown
	}
	return preparing
}

// Fault is one thing that makes the whole namespace unresolvable.
type Fault struct {
	Kind         FaultKind
	Subscription string
	Operator     Operator // the bundle, or the channel, or what of it is known
	Property     string   // the type of a property that cannot be read
	Err          error
	Pos          catalogs.Pos
	Groups       *OperatorGroups // where Kind is InvalidGroups
	Excluded     bool            // where Kind is UnseenCatalog: the OperatorGroup excludes the global CatalogSources, whichever they are
}
