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

// Failure says where an upgrade may fail and why it fails, where users are left, and how they get out.
func Failure(o *preflight.Outcome, olm graph.Generation) (all []string) {
	for _, r := range o.Warnings {
		all = append(all, r.String())
	}
	if len(o.Reasons) == 0 {
		return all
	}
	for _, r := range o.Reasons {
		all = append(all, "fails: "+r.String())
	}
	return append(all, leftAt(o, olm))
}

// leftAt says in which state a failed upgrade leaves users, and how they get out.
func leftAt(o *preflight.Outcome, olm graph.Generation) string {
	all := func(is func(preflight.Reason) bool) bool {
		return !slices.ContainsFunc(o.Reasons, func(r preflight.Reason) bool { return !is(r) })
	}
	state := "the InstallPlan is Failed, and " + o.From + " stays"
	switch {
	case olm == graph.V1:
		state = "the ClusterExtension stays at " + o.From
	case all(func(r preflight.Reason) bool { return r.Kind == "Deployment" }):
		state = fmt.Sprintf("%s is Failed (InstallComponentFailed), the pods of %s keep running, and OLM v0 upgrades nothing in the namespace", o.To, o.From)
	}
	switch {
	case all(func(r preflight.Reason) bool { return r.Kind != crd.Kind }):
		return state + "; if the object is deleted then, OLM creates it again"
	case all(func(r preflight.Reason) bool { return r.Stored }):
		return state + ", unless the objects were stored again, and the version was removed from status.storedVersions"
	}
	return state
}
