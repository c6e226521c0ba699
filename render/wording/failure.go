package wording

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// remedyAction returns what removes the cause of a failure, and who has to do it.
func remedyAction(r cluster.Remedy) (action, who string) {
	switch r {
	case cluster.Migrate:
		return "migrate stored objects", administrator
	case cluster.Edit:
		return "change the objects that the new CRD rejects", administrator
	case cluster.Recreate:
		return "delete the object, which OLM creates again", administrator
	case cluster.Provide:
		return "provide the missing API", administrator
	case cluster.Grant:
		return "grant the missing permission", administrator
	case cluster.NewBundle:
		return "wait for a version without the fault", maintainer
	}
	return "correct what failed", administrator
}

// stoppedPlan describes an InstallPlan that has failed, or that OLM tries again.
func stoppedPlan(d *cluster.Decision) ClusterDecision {
	action, who := "correct what fails", administrator
	if d.Failure != nil {
		action, who = remedyAction(d.Failure.Remedy)
	}
	said := strings.Join(d.Said, "; ")
	if d.Failure != nil && d.Failure.Step != "" {
		said = "at " + d.Failure.Step + ": " + said
	}
	if d.Kind == cluster.FailingPlan {
		return ClusterDecision{action, who, fmt.Sprintf("%s is not installed: %s. OLM tries again", plans(d.Plan.Names), said)}
	}
	out := ClusterDecision{action, who, plans(d.Plan.Names) + " failed"}
	if said != "" {
		out.Message += ": " + said
	}
	if d.Again != nil {
		if out.Action += ", then " + againAction(d.Again); said == "" {
			out.Action = againAction(d.Again)
		}
		out.Message += ". " + resolvesAgain
		return out
	}
	switch {
	case d.Failure.Remedy != cluster.NewBundle:
		out.Action += ", then let OLM run " + plans(d.Plan.Names) + " again"
	case len(d.Others) > 0:
		out.Action, out.Who = fmt.Sprintf("let OLM upgrade to %s instead", phrase.And(d.Others)), administrator
	}
	return out
}

// StoppedDetails says why something fails, what follows, and what else would fail.
func StoppedDetails(d *cluster.Decision) (all []string) {
	f := d.Failure
	if f == nil {
		return nil
	}
	if causes := Causes(f); len(causes) > 0 {
		all = append(all, "cause: "+strings.Join(causes, "; "))
	}
	if f.Remedy == cluster.Edit {
		all = append(all, "an object has to match the old schema until the CRD is updated. If nothing matches both, keep a copy, delete it, and create it again after the upgrade")
	}
	if d.Kind == cluster.FailedPlan && d.Reason == "RequirementsNotMet" {
		said := fmt.Sprintf("because of it %s is Pending (RequirementsNotMet)", phrase.And(d.To))
		if d.From.Name != "" {
			said += ", and " + d.From.Name + " keeps running"
		}
		all = append(all, said)
	}
	if len(f.Also) > 0 {
		all = append(all, "afterwards this stops the upgrade: "+strings.Join(f.Also, "; "))
	}
	return all
}

// Causes says why something fails; none if it is not known.
func Causes(f *cluster.Failure) []string {
	switch {
	case f == nil:
		return nil
	case f.Explained && f.Remedy == cluster.Edit && len(f.Objects) > 0:
		return []string{"the schema of the new CRD rejects " + phrase.And(phrase.Of(f.Objects, objectName))}
	case f.Explained && f.Remedy == cluster.Provide && f.Step == "":
		return []string{"the bundle has an object of a kind that the cluster does not serve: Kubernetes has removed the API, or the CRD that provides it is not installed"}
	}
	return f.Causes
}

func objectName(o cluster.ObjectName) string {
	said := o.Resource + " " + strconv.Quote(o.Name)
	if o.Namespace != "" {
		said += " in namespace " + strconv.Quote(o.Namespace)
	}
	return said
}

// remedy adds what removes the cause of a failure: what it needs to go back first.
func (c *Commands) remedy(f *cluster.Failure) {
	if f == nil {
		return
	}
	for _, s := range f.Stored {
		c.Invalid = c.Invalid || !snapshot.IsName(s.CRD) || s.Version != "" && !snapshot.IsName(s.Version)
		if s.Version == "" {
			c.addText("look", fmt.Sprintf("kubectl get customresourcedefinition/%s -o yaml", s.CRD))
			continue
		}
		c.addText("keep", fmt.Sprintf("kubectl get %s -A -o yaml > %s.yaml", s.CRD, s.CRD))
		c.addText("run", fmt.Sprintf("kubectl get %s -A -o json | kubectl replace -f -", s.CRD))
		c.addText("run", fmt.Sprintf(`kubectl patch customresourcedefinition/%s --subresource status --type merge --patch '{"status":{"storedVersions":["%s"]}}'`, s.CRD, s.Version))
	}
	if f.Remedy == cluster.Provide {
		c.addText("look", "kubectl api-resources")
	}
	for _, o := range f.Objects {
		in := &Commands{namespace: o.Namespace}
		in.add("keep", "get", o.Resource, o.Name, fmt.Sprintf("-o yaml > %s-%s.yaml", o.Resource, o.Name))
		switch {
		case f.Remedy == cluster.Recreate:
			in.add("run", "delete", o.Resource, o.Name, "")
		case o.Namespace == "":
			in.addText("run", "kubectl edit "+o.Resource+" "+o.Name)
		default:
			in.addText("run", "kubectl -n "+o.Namespace+" edit "+o.Resource+" "+o.Name)
		}
		c.Invalid = c.Invalid || in.Invalid || !snapshot.IsName(o.Resource)
		c.all = append(c.all, in.all...)
	}
}

// runAgain adds what makes OLM run an InstallPlan again that has created its ClusterServiceVersion, with the minute in which it tries (OLM:
// catalog transitionInstallPlanState).
func (c *Commands) runAgain(name string) {
	c.add("run", "patch", installPlan, name, `--subresource status --type merge --patch '{"status":{"phase":"Installing","startTime":null}}'`)
	c.add("check", "wait", installPlan, name, "--for=jsonpath='{.status.phase}'=Complete --timeout=10m")
}

// upgradeInstead adds what makes OLM forget what it has created, and resolve the namespace from what runs. What the InstallPlan has created for both
// stays: Kubernetes would delete it with the new ClusterServiceVersion.
func (c *Commands) upgradeInstead(d *cluster.Decision) {
	c.add("keep", "get", subscription, d.Subscription, "-o yaml > "+c.namespace+"-subscription-"+d.Subscription+".yaml")
	for _, name := range d.To {
		c.add("keep", "get", csvResource, name, "-o yaml > "+name+".yaml")
		c.add("run", "delete", csvResource, name, "--cascade=orphan")
	}
	status, err := json.Marshal(map[string]any{"status": map[string]any{"currentCSV": d.From.Name, "installedCSV": d.From.Name, "installPlanRef": nil, "installplan": nil, "state": "AtLatestKnown"}})
	c.Invalid = c.Invalid || err != nil || !snapshot.IsName(d.From.Name)
	c.add("run", "patch", subscription, d.Subscription, fmt.Sprintf("--subresource status --type merge --patch '%s'", status))
}

// failedPlan adds the commands of stoppedPlan.
func (c *Commands) failedPlan(d *cluster.Decision) {
	c.remedy(d.Failure)
	name := d.Plan.Names[0]
	switch {
	case d.Failure == nil || d.Kind == cluster.FailingPlan:
		c.add("look", "get", installPlan, name, "-o yaml")
	case d.Again != nil:
		c.again(d.Again)
	case d.Failure.Remedy != cluster.NewBundle:
		c.runAgain(name)
	case len(d.Others) > 0:
		c.upgradeInstead(d)
	default:
		c.add("look", "get", installPlan, name, "-o yaml")
	}
}
