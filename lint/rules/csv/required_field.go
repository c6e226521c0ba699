package csv

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var requiredField = lint.Rule{
	ID: "csv/required-field", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv0 | lint.GateAPIServer,
	OtherGates: lint.GateAdvice,
	Doc: `a ClusterServiceVersion lacks a required field
It needs its apiVersion, a display name, the install strategy deployment, a list of deployments with selectors, and rules and a
service account in each of its permissions. OLM v0 sends a missing field to the API server as null, which the API server rejects. Another
apiVersion than v1alpha1 is a warning: OLM reads the kind only.
Add the field.`,
	Reference: "operator-framework/api crds/operators.coreos.com_clusterserviceversions.yaml, typecheck.go",
	Check:     contents.InAllBundles(contents.WithReadableCSV(checkRequired)),
}

// csvAPIVersion is the apiVersion of all ClusterServiceVersions.
const csvAPIVersion = "operators.coreos.com/v1alpha1"

// checkRequired reports missing fields that the API server or operator-framework/api require. OLM v0 writes an absent list as
// null, which the API server rejects.
func checkRequired(c *contents.Contents) {
	missing := func(path, hurts string) *lint.Finding {
		return c.Report(path, "set "+path, "has no %s: %s", path, hurts)
	}
	switch v := c.CSV.APIVersion; v {
	case "":
		missing("apiVersion", "OLM v0 fails the InstallPlan").WithCause(v)
	case csvAPIVersion:
	default: // OLM asks for its kind only, and writes it as v1alpha1 (resolver NewStepResourceFromBundle, EnsureClusterServiceVersion)
		f := c.Report("apiVersion", "write apiVersion: "+csvAPIVersion,
			"has the apiVersion %q, which is not an apiVersion of ClusterServiceVersions: OLM installs it, and kubectl rejects it", v).WithCause(v)
		f.Severity, f.Gates = lint.Warning, lint.GateAdvice
	}
	if c.CSV.Spec.DisplayName == "" {
		missing("spec.displayName", "the console cannot name it, and operator-framework/api rejects it").Gates = lint.GatePipelines
	}
	install := &c.CSV.Spec.Install
	switch {
	case c.CSV.Err != nil: // they may be in the part that could not be read
		return
	case install.Strategy == "":
		missing("spec.install.strategy", "OLM v0 does not know how to install it")
	case install.Strategy != "deployment":
		c.Report("spec.install.strategy", "write strategy: deployment",
			"has the install strategy %q: OLM v0 supports only deployment", install.Strategy).WithCause(install.Strategy)
	}
	if install.Spec.Deployments == nil {
		missing("spec.install.spec.deployments", "the API server rejects what OLM v0 creates from it")
	}
	for i, d := range install.Spec.Deployments {
		if d.Spec.Selector == nil {
			missing(fmt.Sprintf("spec.install.spec.deployments[%d].spec.selector", i),
				"the API server rejects what OLM v0 creates from it").WithCause(d.Name)
		}
	}
	checkRequiredRules(c, "permissions", install.Spec.Permissions)
	checkRequiredRules(c, "clusterPermissions", install.Spec.ClusterPermissions)
}

func checkRequiredRules(c *contents.Contents, list string, all []csv.ServiceAccountRules) {
	for i, p := range all {
		path := fmt.Sprintf("spec.install.spec.%s[%d]", list, i)
		if p.Rules == nil {
			c.Report(path, "add rules, or remove the entry",
				"has %s without rules for the service account %q: the API server rejects what OLM v0 creates from it",
				list, p.ServiceAccountName).WithCause("rules", p.ServiceAccountName)
		}
		if p.ServiceAccountName == "" {
			c.Report(path, "set serviceAccountName", "has %s without a service account: they are granted to no account", list).WithCause("serviceAccountName")
		}
	}
}
