package wording

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
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

// failingPlan describes an InstallPlan that OLM tries again.
func failingPlan(d *cluster.Decision, is *cluster.FailingPlan, c *Commands) (action, who, message string) {
	action, who = "correct what fails", administrator
	if d.Failure != nil {
		action, who = remedyAction(d.Failure.Remedy)
	}
	c.remedy(d.Failure)
	c.add("look", "get", installPlan, is.InstallPlan, "-o yaml")
	return action, who, fmt.Sprintf("%s is not installed: %s. OLM tries again", plans(is.InstallPlan), describeStop(d))
}

// describeStop returns what stopped an InstallPlan, and at which object; "" if that is not known.
func describeStop(d *cluster.Decision) string {
	said := strings.Join(d.Said, "; ")
	if d.Failure != nil && d.Failure.Step != "" {
		said = "at " + d.Failure.Step + ": " + said
	}
	return said
}

// failedPlan describes an InstallPlan that has failed.
func failedPlan(d *cluster.Decision, is *cluster.FailedPlan, c *Commands) (action, who, message string) {
	action, who = remedyAction(d.Failure.Remedy)
	c.remedy(d.Failure)
	message = plans(is.InstallPlan) + " failed"
	said := describeStop(d)
	if said != "" {
		message += ": " + said
	}
	switch {
	case is.Again != nil:
		c.addRetry(is.Again)
		if action += ", then " + againAction(is.Again); said == "" {
			action = againAction(is.Again)
		}
		message += ". " + resolvesAgain(is.Again)
	case d.Failure.Remedy != cluster.NewBundle:
		c.runAgain(is.InstallPlan)
		action += ", then let OLM run " + plans(is.InstallPlan) + " again"
	case is.Instead != "":
		c.upgradeInstead(is)
		action, who = fmt.Sprintf("let OLM upgrade to %s instead", is.Instead), administrator
	default:
		c.add("look", "get", installPlan, is.InstallPlan, "-o yaml")
	}
	return action, who, message
}

// StoppedDetails says why something fails, what follows, and what else would fail.
func StoppedDetails(d *cluster.Decision) (all []string) {
	f := d.Failure
	if f == nil {
		return nil
	}
	if causes := Causes(f); len(causes) > 0 {
		all = append(all, "cause: "+strings.Join(words.Map(causes, func(c string) string { return strings.TrimSuffix(c, ".") }), "; "))
	}
	if f.Remedy == cluster.Edit {
		all = append(all, "an object has to match the old schema until the CRD is updated. If nothing matches both, keep a copy, delete it, and create it again after the upgrade")
	}
	if is, failed := d.About.(*cluster.FailedPlan); failed && is.Reason == "RequirementsNotMet" {
		said := fmt.Sprintf("because of it %s is Pending (RequirementsNotMet)", words.And(is.To))
		if is.From != "" {
			said += ", and " + is.From + " keeps running"
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
		return []string{"the schema of the new CRD rejects " + words.And(words.Map(f.Objects, objectName))}
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
		in.keep(o.Resource, o.Name)
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
func (c *Commands) upgradeInstead(is *cluster.FailedPlan) {
	c.keep(subscription, is.Subscription)
	for _, name := range is.To {
		c.keep(csvResource, name)
		c.add("run", "delete", csvResource, name, "--cascade=orphan")
	}
	status, err := json.Marshal(map[string]any{"status": map[string]any{"currentCSV": is.From, "installedCSV": is.From, "installPlanRef": nil, "installplan": nil, "state": "AtLatestKnown"}})
	c.Invalid = c.Invalid || err != nil || !snapshot.IsName(is.From)
	c.add("run", "patch", subscription, is.Subscription, fmt.Sprintf("--subresource status --type merge --patch '%s'", status))
}
