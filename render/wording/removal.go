package wording

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// crdResource is the resource of CRDs.
const crdResource = "customresourcedefinition.apiextensions.k8s.io"

// customResources describes what is to be done before an operator is removed.
func customResources(r *cluster.CustomResources, c *Commands) (action, who, message string) {
	for _, name := range r.CRDs {
		c.Invalid = c.Invalid || !snapshot.IsName(name)
		c.addText("keep", "kubectl get "+name+" -A -o yaml > "+name+".yaml")
		c.addText("run", "kubectl delete "+name+" -A --all --timeout=10m")
	}
	return "delete its custom resources, if nobody needs them", administrator,
		fmt.Sprintf("those of %s, in all namespaces. Delete them before the operator: it may have to clean up and to remove their finalizers. Without it they may never be deleted", words.And(r.CRDs))
}

// remove describes how an operator is removed (OLM: olm handleClusterServiceVersionDeletion, processFinalizer).
func remove(r *cluster.Remove, c *Commands) (action, who, message string) {
	for _, name := range r.Subscriptions {
		c.delete(subscription, name)
	}
	for _, name := range r.Operators {
		c.add("run", "delete", csvResource, name, "")
	}
	message = "a ClusterServiceVersion stays when its subscription is deleted. With it OLM deletes its Deployments, service accounts, roles, webhooks, API services and copies in " +
		"other namespaces, and removes conversion webhooks from CRDs"
	for _, l := range r.Breaks {
		message += fmt.Sprintf(". Remove %s first: it requires %s", l.Operator, l.Requirement)
	}
	if r.Returns != "" {
		message += ". OLM installs " + r.Returns + " again, as long as others require it"
	}
	return "delete the subscription, then the ClusterServiceVersion", administrator, message
}

// leftovers describes what OLM leaves of an operator.
func leftovers(r *cluster.Leftovers, c *Commands) (action, who, message string) {
	object := r.OperatorObject(c.namespace)
	c.namespace = ""
	for _, name := range r.CRDs {
		c.add("keep", "get", crdResource, name, "-o yaml > "+"crd-"+name+".yaml")
		c.add("run", "delete", crdResource, name, "")
	}
	for _, s := range r.Objects {
		c.Invalid = c.Invalid || !snapshot.IsName(strings.ToLower(s.Kind))
		c.add("run", "delete", strings.ToLower(s.Kind), s.Name, "")
	}
	if object != "" {
		c.add("look", "get", "operator.operators.coreos.com", object, "-o jsonpath='{.status.components.refs}'")
	}
	var said []string
	if r.Unknown {
		said = append(said, "the CRDs that it owns are not known: the snapshot does not have its ClusterServiceVersion")
	}
	if len(r.CRDs) > 0 {
		said = append(said, fmt.Sprintf("OLM deletes no CRD. Deleting %s also deletes the remaining custom resources, in all namespaces", words.And(r.CRDs)))
	}
	if len(r.Needed) > 0 {
		said = append(said, "Other operators need "+words.And(r.Needed))
	}
	if len(r.Objects) > 0 {
		said = append(said, "InstallPlans created cluster-scoped objects, which nothing deletes: "+words.And(words.Map(r.Objects, func(s cluster.PlanStep) string { return s.Kind + " " + s.Name })))
	}
	if len(r.Dependencies) > 0 {
		said = append(said, fmt.Sprintf("OLM installed %s as a dependency, and nothing else requires it now: use --remove for it as well", words.And(r.Dependencies)))
	}
	return "delete what OLM leaves, if nobody needs it", administrator, strings.Join(said, ". ")
}
