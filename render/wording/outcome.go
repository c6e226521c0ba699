package wording

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
)

var ordinals = [...]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}

// Failing says which of the upgrades of a path fails, as what follows their number; "" if none is known to.
func Failing(all preflight.Outcomes) string {
	i := slices.IndexFunc(all, func(o preflight.Outcome) bool { return len(o.Reasons) > 0 })
	switch {
	case i < 0:
		return ""
	case len(all) == 1:
		return "; it fails"
	case i == len(all)-1:
		return "; the last one fails"
	case i < len(ordinals):
		return "; the " + ordinals[i] + " fails"
	}
	return fmt.Sprintf("; number %d fails", i+1)
}

// Failure says why an upgrade fails, where users are left, and how they get out; none if it is not known to.
func Failure(o *preflight.Outcome, olm graph.Generation) (all []string) {
	if len(o.Reasons) == 0 {
		return nil
	}
	for _, r := range o.Reasons {
		all = append(all, "fails: "+r.String())
	}
	return append(all, leftAt(o, olm))
}

// leftAt says in which state a failed upgrade leaves users, and how they get out.
func leftAt(o *preflight.Outcome, olm graph.Generation) string {
	isDeployment := func(r preflight.Reason) bool { return r.Kind == "Deployment" }
	isCRD := func(r preflight.Reason) bool { return r.Kind == crd.Kind }
	again := "delete the object, and OLM creates it again"
	switch {
	case slices.ContainsFunc(o.Reasons, isCRD):
		again = ""
	case olm == graph.V1:
		again = "; " + again
	}
	switch {
	case olm == graph.V1:
		return fmt.Sprintf("the ClusterExtension stays at %s%s", o.From, again)
	case !slices.ContainsFunc(o.Reasons, func(r preflight.Reason) bool { return !isDeployment(r) }):
		return fmt.Sprintf("%s is Failed (InstallComponentFailed), the pods of %s keep running, and OLM v0 upgrades nothing in the namespace; %s", o.To, o.From, again)
	case again == "":
		return fmt.Sprintf("the InstallPlan is Failed, and %s stays", o.From)
	}
	return fmt.Sprintf("the InstallPlan is Failed, and %s stays; %s", o.From, again)
}
