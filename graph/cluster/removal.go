package cluster

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Removal is how an operator is removed from a cluster, of which OLM does only a part.
type Removal struct {
	*resolve.Removed
	// Breaks are the operators that require it.
	Breaks []resolve.Unmet
	// CRDs are those that it owns, and that nothing else of the snapshot needs; Needed are the others, with one that needs them. OLM leaves all.
	CRDs, Needed []string
	// Objects are those of its InstallPlans outside of namespaces that OLM leaves as well: it deletes ClusterRoles, ClusterRoleBindings and
	// webhook configurations (OLM: olm processFinalizer), and Kubernetes what is in namespaces, by its owner references.
	Objects []PlanStep
	// Dependencies are the packages of which OLM made the subscription because of it, and that nothing else requires.
	Dependencies []string
	// Returns is the bundle that OLM installs again, since others require it; "" if none.
	Returns string
	// Unknown says that the snapshot has no ClusterServiceVersion, which would name the CRDs.
	Unknown bool
}

// removal adds what is to be done to remove an operator: what has to be before it, itself, and what OLM leaves.
func (n *namespaceReport) removal() {
	if n.Removed == nil {
		return
	}
	r := &Removal{Removed: n.Removed, Breaks: n.Unmet}
	r.Unknown = !slices.ContainsFunc(r.Operators, func(name string) bool { return n.object(name) != nil })
	for _, name := range r.Operators {
		if o := n.object(name); o != nil {
			for _, c := range o.Spec.CRDs.Owned {
				if by := n.operatorNeeding(c.Name); by != "" {
					r.Needed = appendNew(r.Needed, c.Name+" ("+by+")")
				} else {
					r.CRDs = appendNew(r.CRDs, c.Name)
				}
			}
		}
	}
	for _, o := range r.Unneeded {
		if p := n.packageOfCSV(o.Name); slices.ContainsFunc(n.subscriptions, func(s snapshot.Subscription) bool {
			return s.Spec.Package == p && s.Metadata.Annotations[generatedBy] != ""
		}) {
			r.Dependencies = append(r.Dependencies, p)
		}
	}
	for _, step := range n.Trace.Steps {
		for i := range step.Installs {
			if step.Installs[i].Package == r.Package {
				r.Returns = step.Installs[i].Name
			}
		}
	}
	for i := range n.plans {
		for _, s := range n.plans[i].Status.Plan {
			left := PlanStep{Kind: s.Resource.Kind, Name: s.Resource.Name}
			outside := left.Kind == "PriorityClass" || strings.HasPrefix(left.Kind, "Console")
			if outside && slices.Contains(r.Operators, s.Resolving) && !slices.Contains(r.Objects, left) {
				r.Objects = append(r.Objects, left)
			}
		}
	}
	if len(r.CRDs) > 0 {
		n.add(Decision{About: &CustomResources{r}, Operators: []string{r.Package}}, Blocked)
	}
	n.add(Decision{About: &Remove{r}, Operators: []string{r.Package}}, Blocked)
	if len(r.CRDs)+len(r.Needed)+len(r.Objects)+len(r.Dependencies) > 0 || r.Unknown {
		n.add(Decision{About: &Leftovers{r}, Operators: []string{r.Package}}, Blocked)
	}
}

// operatorNeeding returns an operator that is not removed and needs a CRD, as NAMESPACE/NAME; "" if there is none.
func (n *namespaceReport) operatorNeeding(crd string) string {
	for _, namespace := range n.Namespaces() {
		for _, o := range n.ClusterServiceVersions[namespace] {
			for _, c := range slices.Concat(o.Spec.CRDs.Owned, o.Spec.CRDs.Required) {
				if c.Name == crd && (namespace != n.Before.Name || !slices.Contains(n.Removed.Operators, o.Metadata.Name)) {
					return namespace + "/" + o.Metadata.Name
				}
			}
		}
	}
	return ""
}

// OperatorObject returns the name of the object in which OLM lists what there is of an operator; "" if it is not known (OLM: decorators
// OperatorFactory, which cuts long ones).
func (r *Removal) OperatorObject(namespace string) string {
	name := r.Package + "." + namespace
	if len(name) > 63 || !snapshot.IsName(name) {
		return ""
	}
	return name
}
