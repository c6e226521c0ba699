package csv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv/schema"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// deployments is the path of what both OLMs make Deployments of; other rules check other parts of a ClusterServiceVersion.
const deployments = "spec.install.spec.deployments["

// mayBeEmpty are required fields of pods which Kubernetes accepts empty: of a header or sysctl, of iscsi, of the hook sleep, of a preferred node.
var mayBeEmpty = []string{"value", "lun", "seconds", "preference"}

// reportMissing reports a missing field. What OLM v0 writes empty is rejected only in a Deployment, whose validation requires it.
func reportMissing(c *contents.Contents, f *schema.Fault) {
	inPod := strings.HasPrefix(f.Object, deployments) && strings.Contains(f.Object, "].spec")
	hurts := "the API server rejects what OLM v0 creates from it"
	switch field := f.Field(); {
	case f.Kind != schema.Missing:
		return
	case f.Empty && field == "spec.install.strategy":
		hurts = "OLM v0 does not know how to install it"
	case f.Empty && (!inPod || slices.Contains(mayBeEmpty, f.Meant)):
		return
	case f.Empty:
		hurts = "the API server rejects the Deployment"
	}
	fix, says, args := "set "+f.Field(), "has no %s: %s", []any{f.Field(), hurts}
	if f.Key != "" {
		fix, says, args = "write "+f.Meant, "has no %s, but the unknown key %q: %s", []any{f.Field(), f.Key, hurts}
	}
	if reported := c.Report(f.Path, fix, says, args...); inPod {
		reported.Gates = lint.GatePipelines | lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer
	}
}

// checkFieldType reports values that OLM v0 cannot decode, or that the API server rejects.
func checkFieldType(c *contents.Contents) {
	for _, f := range c.CSV.Faults() {
		fix := "write " + f.Wants
		if f.Wants == "a string" && f.Is != "a list" && f.Is != "an object" {
			fix = "quote it"
		}
		switch f.Kind {
		case schema.WrongType:
			c.Report(f.Path, fix, "has %s as %s instead of %s: OLM cannot read the ClusterServiceVersion", f.Is, f.Path, f.Wants)
		case schema.WrongValue:
			c.Report(f.Path, fix, "has %s as %s instead of %s: the API server rejects the ClusterServiceVersion", f.Is, f.Path, f.Wants).WithCause(f.Is)
		case schema.Duplicate:
			c.Report(f.Path, "keep one of them", "has %s as %q, like an item before it: the API server rejects the ClusterServiceVersion", f.Path, f.Is).WithCause(f.Is)
		}
	}
}

// checkUnknownKeys reports the keys that are dropped: those of an object that have no similar one and belong to the same place in one finding.
func checkUnknownKeys(c *contents.Contents) {
	var groups [][]schema.Fault
	for _, f := range c.CSV.Faults() {
		last := len(groups) - 1
		switch {
		case f.Kind != schema.UnknownKey && f.Kind != schema.OtherCase:
		case last >= 0 && f.Meant == "" && groups[last][0].Meant == "" && f.Object == groups[last][0].Object && f.Home == groups[last][0].Home:
			groups[last] = append(groups[last], f)
		default:
			groups = append(groups, []schema.Fault{f})
		}
	}
	for _, group := range groups {
		reportUnknown(c, group)
	}
}

func reportUnknown(c *contents.Contents, group []schema.Fault) {
	f := &group[0]
	var keys []string
	for i := range group {
		keys = append(keys, group[i].Key)
	}
	them, in, fix := phrase.Plural(len(keys), "it", "them"), "", "correct or remove "
	if f.Object != "" {
		in = " in " + lint.FieldPath(f.Object)
	}
	fix += them
	switch {
	case f.Home != "" && f.Meant != "":
		fix = fmt.Sprintf("move it to %s, as %s", f.Home, f.Meant)
	case f.Home != "":
		fix = fmt.Sprintf("move %s to %s", them, f.Home)
	case f.Meant != "":
		fix = "write " + f.Meant
	}
	says := "has the unknown %s %s%s: OLM and the API server ignore " + them
	if f.Kind == schema.OtherCase {
		says = "has the %s %s%s in the wrong case: OLM v0 reads it, OLM v1 and the API server ignore it"
	}
	reported := c.Report(f.Path, fix, says, phrase.Plural(len(keys), "key", "keys"), words.AllOf(keys), in)
	reported.Faults = keys
	if f.Kind == schema.OtherCase || f.Meant == "" && f.Home == "" && !strings.HasPrefix(f.Object, "spec.install") && !strings.HasPrefix(f.Object, "spec.webhook") {
		reported.Severity = lint.Info
	}
}
