package wording

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Command is a command that somebody runs.
type Command struct {
	// Purpose is keep for what is needed to go back, run, check that it worked, look for more, override at the risk of the administrator, and afterwards for
	// what is run when the upgrade is done.
	Purpose string `json:"purpose" enum:"keep,run,check,look,override,afterwards"`
	Text    string `json:"command"`
}

// The resources that commands name, with their groups, since others have the same.
const (
	installPlan       = "installplan.operators.coreos.com"
	subscription      = "subscription.operators.coreos.com"
	csvResource       = "clusterserviceversion.operators.coreos.com"
	operatorCondition = "operatorcondition.operators.coreos.com"
	catalogSource     = "catalogsource.operators.coreos.com"
	operatorGroup     = "operatorgroup.operators.coreos.com"
	machinePool       = "machineconfigpool.machineconfiguration.openshift.io"
)

// Commands collects commands on objects of a namespace; "" for none.
type Commands struct {
	namespace string
	all       []Command
	Invalid   bool // a name is not one, so that there are no commands
}

// add adds a command on an object, with arguments that are no text of the cluster.
func (c *Commands) add(purpose, verb, resource, name, arguments string) {
	c.Invalid = c.Invalid || !snapshot.IsName(name) || c.namespace != "" && !snapshot.IsName(c.namespace)
	text := "kubectl "
	if c.namespace != "" {
		text += "-n " + c.namespace + " "
	}
	c.all = append(c.all, Command{Purpose: purpose, Text: strings.TrimSuffix(text+verb+" "+resource+"/"+name+" "+arguments, " ")})
}

// addText adds a command on nothing that has a name of the cluster.
func (c *Commands) addText(purpose, text string) {
	c.all = append(c.all, Command{Purpose: purpose, Text: text})
}

// addInNamespace adds a command in the namespace, of which nothing else has a name of the cluster.
func (c *Commands) addInNamespace(purpose, text string) {
	c.Invalid = c.Invalid || !snapshot.IsName(c.namespace)
	c.addText(purpose, "kubectl -n "+c.namespace+" "+text)
}

// patch adds a patch of the spec of an object.
func (c *Commands) patch(resource, name string, spec map[string]any) {
	text, err := json.Marshal(map[string]any{"spec": spec})
	c.Invalid = c.Invalid || err != nil || strings.Contains(string(text), "'")
	c.add("run", "patch", resource, name, fmt.Sprintf("--type merge --patch '%s'", text))
}

// keep adds what keeps a copy of an object, in a file that no other object has.
func (c *Commands) keep(resource, name string) {
	kind, _, _ := strings.Cut(resource, ".")
	c.add("keep", "get", resource, name, "-o yaml > "+strings.TrimPrefix(c.namespace+"-", "-")+kind+"-"+name+".yaml")
}

// delete adds the deletion of an object, and before it what keeps a copy.
func (c *Commands) delete(resource, name string) {
	c.keep(resource, name)
	c.add("run", "delete", resource, name, "")
}

// override adds what is at the risk of the administrator: a patch with which OLM does what it would not do, or a deletion.
func (c *Commands) override(verb, resource, name, patch string) {
	if patch != "" {
		patch = "--type merge --patch '" + patch + "'"
	}
	c.add("override", verb, resource, name, patch)
}

// All returns the commands in the order in which they are run.
func (c *Commands) All() []Command {
	if c.Invalid {
		return nil
	}
	return c.all
}

// approve adds the approval of InstallPlans.
func (c *Commands) approve(names []string) {
	for _, name := range names {
		c.patch(installPlan, name, map[string]any{"approved": true})
		c.add("check", "wait", installPlan, name, "--for=jsonpath='{.status.phase}'=Complete --timeout=10m")
	}
}

// addRetry adds what makes OLM resolve a namespace again. The status is set as OLM does (OLM: subscription InstallPlanNotFound).
func (c *Commands) addRetry(a *cluster.Again) {
	for _, name := range a.Generated {
		c.removeGenerated(name)
	}
	for _, name := range a.Reset {
		c.keep(subscription, name)
		c.add("run", "patch", subscription, name,
			`--subresource status --type merge --patch '{"status":{"currentCSV":null,"installPlanRef":null,"installplan":null,"state":""}}'`)
	}
	if a.Delete != "" {
		c.delete(installPlan, a.Delete)
	}
}

func (c *Commands) removeGenerated(name string) {
	c.add("run", "annotate", subscription, name, "olm.generated-by-")
}

// lookAtCatalog adds what shows the state of a CatalogSource and its pods.
func (c *Commands) lookAtCatalog(source resolve.SourceKey) {
	c.namespace = source.Namespace
	c.add("look", "get", catalogSource, source.Name, "-o yaml")
	c.list("pods", "olm.catalogSource="+source.Name)
}

// list adds a look at the objects with a label.
func (c *Commands) list(resources, label string) {
	c.addInNamespace("look", "get "+resources+" -l "+label)
}

// lookAtCSV adds what shows why a ClusterServiceVersion does not succeed.
func (c *Commands) lookAtCSV(name string) {
	c.add("look", "describe", csvResource, name, "")
	c.addInNamespace("look", "get deployments,pods,events")
}

// switchTo adds the switch of a subscription to the best of some channels.
func (c *Commands) switchTo(name string, channels []cluster.ChannelChoice) {
	if len(channels) > 0 && name != "" {
		c.patch(subscription, name, map[string]any{"channel": channels[0].Channel})
	}
}

// changeGroup adds the change of an OperatorGroup.
func (c *Commands) changeGroup(g *cluster.GroupChange) {
	spec := map[string]any{"targetNamespaces": nil}
	if !g.All {
		spec["targetNamespaces"] = []string{c.namespace}
	}
	if g.Selector {
		spec["selector"] = nil
	}
	c.keep(operatorGroup, g.Group)
	c.patch(operatorGroup, g.Group, spec)
}

// StepCommands returns the commands for a step of a plan, if it is known which.
func StepCommands(s *plan.Step) *Commands {
	c := &Commands{namespace: s.Namespace}
	switch s.Kind {
	case plan.UpgradeOperators:
		if s.Approve {
			c.approve(s.InstallPlans)
		}
		if s.Approve && len(s.InstallPlans) == 0 { // it does not exist yet
			c.addInNamespace("look", "get "+installPlan)
			c.addInNamespace("run", "patch "+installPlan+`/INSTALLPLAN --type merge --patch '{"spec":{"approved":true}}'`)
		}
		for _, u := range s.Upgrades {
			if slices.ContainsFunc(s.Upgrades, func(later plan.Upgrade) bool { return later.From.Name == u.To.Name }) {
				continue // it is replaced within the step
			}
			if len(s.InstallPlans) == 0 && len(u.Subscriptions) > 0 { // without its object kubectl wait ends at once
				c.add("check", "wait", subscription, u.Subscriptions[0], "--for=jsonpath='{.status.installedCSV}'="+u.To.Name+" --timeout=10m")
			}
			c.add("check", "wait", csvResource, u.To.Name, "--for=jsonpath='{.status.phase}'=Succeeded --timeout=10m")
		}
	case plan.SwitchChannel:
		c.patch(subscription, s.Subscription, map[string]any{"channel": s.To})
	case plan.UpgradeOpenShift:
		c.addText("look", "oc adm upgrade") // it says what an administrator has to acknowledge before
		c.addText("run", "oc adm upgrade channel stable-"+s.To)
		c.addText("run", "oc adm upgrade --to-latest")
		c.addText("check", "kubectl wait clusterversion version --for=condition=Progressing=True --timeout=10m") // it is False before
		c.addText("check", "kubectl wait clusterversion version --for=condition=Progressing=False --timeout=3h")
	case plan.PauseWorkers:
		c.patch(machinePool, "worker", map[string]any{"paused": true})
	case plan.UpgradeWorkers:
		if s.Paused {
			c.patch(machinePool, "worker", map[string]any{"paused": false})
		}
		c.add("check", "wait", machinePool, "worker", "--for=condition=Updated --timeout=3h")
	}
	return c
}
