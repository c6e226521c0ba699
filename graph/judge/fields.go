package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// csvAPIVersion is the apiVersion of all ClusterServiceVersions.
const csvAPIVersion = "operators.coreos.com/v1alpha1"

// checkRequired reports missing fields that the API server or operator-framework/api require. OLM v0 writes an absent list as
// null, which the API server rejects.
func checkRequired(c *bundleCase) {
	missing := func(path, hurts string) *Reason {
		return c.report(path, "set "+path, "has no %s: %s", path, hurts)
	}
	switch v := c.CSV.APIVersion; v {
	case "":
		missing("apiVersion", "OLM v0 fails the InstallPlan").WithCause(v)
	case csvAPIVersion:
	default: // OLM asks for its kind only, and writes it as v1alpha1 (resolver NewStepResourceFromBundle, EnsureClusterServiceVersion)
		f := c.report("apiVersion", "write apiVersion: "+csvAPIVersion,
			"has the apiVersion %q, which is not an apiVersion of ClusterServiceVersions: OLM installs it, and kubectl rejects it", v).WithCause(v)
		f.Weight, f.Gates = Notes, GateAdvice
	}
	if c.CSV.Spec.DisplayName == "" {
		missing("spec.displayName", "the console cannot name it, and operator-framework/api rejects it").Gates = GatePipelines
	}
	faults := c.CSV.Faults()
	for i := range faults {
		reportMissing(c, &faults[i])
	}
	if c.CSV.Err != nil { // the fields may be in the part that could not be read
		return
	}
	install := &c.CSV.Spec.Install
	if install.Strategy != "" && install.Strategy != "deployment" {
		c.report("spec.install.strategy", "write strategy: deployment",
			"has the install strategy %q: OLM v0 supports only deployment", install.Strategy).WithCause(install.Strategy)
	}
	checkAccountNames(c, "permissions", install.Spec.Permissions)
	checkAccountNames(c, "clusterPermissions", install.Spec.ClusterPermissions)
}

func checkAccountNames(c *bundleCase, list string, all []csv.ServiceAccountRules) {
	for i, p := range all {
		if p.ServiceAccountName == "" {
			c.report(fmt.Sprintf("spec.install.spec.%s[%d]", list, i), "set serviceAccountName",
				"has %s without a service account: they are granted to no account", list).WithCause("serviceAccountName")
		}
	}
}

// checkCRDEntries checks the fields of the owned and required CRDs.
func checkCRDEntries(c *bundleCase) {
	checkEntries(c, "owned", c.CSV.Spec.CRDs.Owned)
	checkEntries(c, "required", c.CSV.Spec.CRDs.Required)
}

func checkEntries(c *bundleCase, list string, all []csv.CRDDescription) {
	for i, crd := range all {
		path := fmt.Sprintf("spec.customresourcedefinitions.%s[%d]", list, i)
		switch {
		case crd.Name == "" || crd.Version == "" || crd.Kind == "":
			if c.CSV.Err == nil { // it may be in the part that could not be read
				c.report(path, "set name, version and kind", "has the %s CRD %q without %s: it stays Pending in OLM v0", list,
					crd.Name, missingField(crd)).WithCause(crd.Name, crd.Version, crd.Kind)
			}
		case !strings.Contains(crd.Name, "."):
			c.report(path+".name", "write the plural, a dot and the group",
				"has the %s CRD %q, a name without a group: no CRD can have it", list, crd.Name).WithCause(crd.Name)
		}
	}
}

func missingField(crd csv.CRDDescription) string {
	switch "" {
	case crd.Name:
		return "a name"
	case crd.Version:
		return "a version"
	}
	return "a kind"
}

// inDeployments is the path of what both OLMs make Deployments of; other rules check other parts of a ClusterServiceVersion.
const inDeployments = "spec.install.spec.deployments["

// mayBeEmpty are required fields of pods which Kubernetes accepts empty: of a header or sysctl, of iscsi, of the hook sleep, of a preferred node.
var mayBeEmpty = []string{"value", "lun", "seconds", "preference"}

// reportMissing reports a missing field. What OLM v0 writes empty is rejected only in a Deployment, whose validation requires it.
func reportMissing(c *bundleCase, f *schema.Fault) {
	inPod := strings.HasPrefix(f.Object, inDeployments) && strings.Contains(f.Object, "].spec")
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
	if reported := c.report(f.Path, fix, says, args...); inPod {
		reported.Gates = GatePipelines | GateOLMv0 | GateOLMv1 | GateAPIServer
	}
}

// checkFieldType reports values that OLM v0 cannot decode, or that the API server rejects.
func checkFieldType(c *bundleCase) {
	for _, f := range c.CSV.Faults() {
		fix := "write " + f.Wants
		if f.Wants == "a string" && f.Is != "a list" && f.Is != "an object" {
			fix = "quote it"
		}
		switch f.Kind {
		case schema.WrongType:
			c.report(f.Path, fix, "has %s as %s instead of %s: OLM cannot read the ClusterServiceVersion", f.Is, f.Path, f.Wants)
		case schema.WrongValue:
			c.report(f.Path, fix, "has %s as %s instead of %s: the API server rejects the ClusterServiceVersion", f.Is, f.Path, f.Wants).WithCause(strings.Trim(f.Is, `"`))
		case schema.Duplicate:
			c.report(f.Path, "keep one of them", "has %s as %q, like an item before it: the API server rejects the ClusterServiceVersion", f.Path, f.Is).WithCause(f.Is)
		}
	}
}

// checkUnknownKeys reports the keys that are dropped: those of an object that have no similar one and belong to the same place in one finding.
func checkUnknownKeys(c *bundleCase) {
	var groups [][]schema.Fault
	for _, f := range c.CSV.Faults() {
		last := len(groups) - 1
		switch {
		case f.Kind != schema.UnknownKey && f.Kind != schema.OtherCase, isMisspeltPart(&f):
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

func reportUnknown(c *bundleCase, group []schema.Fault) {
	f := &group[0]
	var keys []string
	for i := range group {
		keys = append(keys, group[i].Key)
	}
	them, in, fix := words.Plural(len(keys), "it", "them"), "", "correct or remove "
	if f.Object != "" {
		in = " in " + FieldPath(f.Object)
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
	reported := c.report(f.Path, fix, says, words.Plural(len(keys), "key", "keys"), words.QuoteSome(keys), in)
	reported.Faults = keys
	if f.Kind == schema.OtherCase || f.Meant == "" && f.Home == "" && !strings.HasPrefix(f.Object, "spec.install") && !strings.HasPrefix(f.Object, "spec.webhook") {
		reported.Weight = Notes
	}
}
