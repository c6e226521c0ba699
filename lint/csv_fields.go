package lint

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// csvAPIVersion is the only one that ClusterServiceVersions have.
const csvAPIVersion = "operators.coreos.com/v1alpha1"

// checkFieldType reports the first part of a ClusterServiceVersion that has the wrong type; the others are silent about it.
func checkFieldType(c *bundleContents) {
	var wrong *json.UnmarshalTypeError
	if !errors.As(c.csv.Err, &wrong) {
		return
	}
	fix := "write " + expectedType(wrong.Type)
	if wrong.Type.Kind() == reflect.String {
		fix = "quote it"
	}
	c.report(wrong.Field, fix, "has %s as %s instead of %s: OLM cannot read the ClusterServiceVersion",
		withArticle(wrong.Value), wrong.Field, expectedType(wrong.Type))
}

// expectedType is what stands for a Go type in JSON.
func expectedType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Int:
		return "an integer"
	}
	return "an object"
}

// withArticle words what encoding/json found: "number 1.5", "array", "bool".
func withArticle(value string) string {
	kind, number, _ := strings.Cut(value, " ")
	switch kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "a boolean"
	}
	if number != "" {
		return "the number " + number
	}
	return "a " + kind
}

// checkCSVName looks at the name of every bundle, also where nothing else is known of it.
func checkCSVName(c *bundleContents) {
	if says, gates := nameProblem(c.Name.Value); says != "" {
		c.reportAt(c.Name.Pos, "rename it", "is not a valid name of a ClusterServiceVersion: it %s", says).Gates = gates
	}
	if c.csv == nil || c.csv.Spec.Replaces == "" {
		return
	}
	if says, gates := nameProblem(c.csv.Spec.Replaces); says != "" {
		c.report("spec.replaces", "write the name of another ClusterServiceVersion, or remove it",
			"replaces %q, which is not a valid name: it %s", c.csv.Spec.Replaces, says).Gates = gates
	}
}

// nameProblem says why no ClusterServiceVersion can have a name, and who minds: the API server wants a DNS name, and OLM v0
// writes it into labels.
func nameProblem(name string) (says string, gates Gates) {
	if says = nameFault(name); says != "" {
		return says, GateHub | GateOLMv0 | GateAPIServer
	}
	return labelFault(name), GateHub | GateOLMv0
}

// checkRequired looks for what the API server or operator-framework/api wants to be there. A list that is absent is written as
// null by OLM v0, which the API server then refuses.
func checkRequired(c *bundleContents) {
	missing := func(path, hurts string) *Finding { return c.report(path, "set "+path, "has no %s: %s", path, hurts) }
	if v := c.csv.APIVersion; v != csvAPIVersion {
		c.report("apiVersion", "write apiVersion: "+csvAPIVersion,
			"has the apiVersion %q, which is not an apiVersion of ClusterServiceVersions", v).withCauses(v)
	}
	if c.csv.Spec.DisplayName == "" {
		missing("spec.displayName", "the console cannot name it, and operator-framework/api refuses it").Gates = GateHub
	}
	install := &c.csv.Spec.Install
	switch {
	case c.csv.Err != nil: // what could not be read may be there
		return
	case install.Strategy == "":
		missing("spec.install.strategy", "OLM v0 does not know how to install it")
	case install.Strategy != "deployment":
		c.report("spec.install.strategy", "write strategy: deployment",
			"has the install strategy %q: OLM v0 supports only deployment", install.Strategy).withCauses(install.Strategy)
	}
	if install.Spec.Deployments == nil {
		missing("spec.install.spec.deployments", "the API server refuses what OLM v0 creates from it")
	}
	for i, d := range install.Spec.Deployments {
		if d.Spec.Selector == nil {
			missing(fmt.Sprintf("spec.install.spec.deployments[%d].spec.selector", i),
				"the API server refuses what OLM v0 creates from it").withCauses(d.Name)
		}
	}
	checkRequiredRules(c, "permissions", install.Spec.Permissions)
	checkRequiredRules(c, "clusterPermissions", install.Spec.ClusterPermissions)
}

func checkRequiredRules(c *bundleContents, list string, all []csv.ServiceAccountRules) {
	for i, p := range all {
		path := fmt.Sprintf("spec.install.spec.%s[%d]", list, i)
		if p.Rules == nil {
			c.report(path, "add rules, or remove the entry",
				"has %s without rules for the service account %q: the API server refuses what OLM v0 creates from it",
				list, p.ServiceAccountName).withCauses("rules", p.ServiceAccountName)
		}
		if p.ServiceAccountName == "" {
			c.report(path, "set serviceAccountName", "has %s without a service account: they are granted to no account", list).withCauses("serviceAccountName")
		}
	}
}

// checkCRDEntries looks at the fields of the owned and required CRDs.
func checkCRDEntries(c *bundleContents) {
	c.checkEntries("owned", c.csv.Spec.CRDs.Owned)
	c.checkEntries("required", c.csv.Spec.CRDs.Required)
}

func (c *bundleContents) checkEntries(list string, all []csv.CRDDescription) {
	for i, crd := range all {
		path := fmt.Sprintf("spec.customresourcedefinitions.%s[%d]", list, i)
		switch {
		case crd.Name == "" || crd.Version == "" || crd.Kind == "":
			if c.csv.Err == nil { // what could not be read may be there
				c.report(path, "set name, version and kind", "has the %s CRD %q without %s: it stays Pending in OLM v0", list,
					crd.Name, missingField(crd)).withCauses(crd.Name, crd.Version, crd.Kind)
			}
		case !strings.Contains(crd.Name, "."):
			c.report(path+".name", "write the plural, a dot and the group",
				"has the %s CRD %q, a name without a group: no CRD can have it", list, crd.Name).withCauses(crd.Name)
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

// checkCSVVersion looks at spec.version and spec.release. That the version must be strict is said of the bundle.
func checkCSVVersion(c *bundleContents) {
	version, release := c.csv.Spec.Version, c.csv.Spec.Release
	v, err := semver.ParseTolerant(version)
	switch {
	case c.csv.Err != nil:
	case c.csv.Manifest.File != "" && err != nil: // version/semver says so of a catalog that is made from manifests
	case version == "" || version == "0.0.0":
		c.report("spec.version", "set spec.version to the version of the operator",
			"has no version in spec.version: the hub refuses it").Severity = Warning
	case err != nil:
		c.report("spec.version", "write major.minor.patch",
			"has the version %q, which is not a semantic version: OLM cannot read the ClusterServiceVersion", version).withCauses("semver").
			Gates = GateHub | GateOLMv0
	}
	if release == "" || c.csv.Err != nil {
		return
	}
	f := Finding{}
	switch _, err := semver.Parse("0.0.0-" + release); {
	case err != nil || strings.Contains(release, "+"):
		f.Message, f.Gates = "which is malformed: OLM cannot read the ClusterServiceVersion", GateHub|GateOLMv0|GateAPIServer
	case len(release) > maxRelease:
		f.Message, f.Gates = fmt.Sprintf("of more than %d characters: the API server refuses it",
			maxRelease), GateHub|GateOLMv0|GateAPIServer
	case c.csv.Metadata.Annotations["olm.substitutesFor"] != "":
		f.Message = "and the annotation olm.substitutesFor too: opm alpha bundle validate refuses both together"
	case err == nil && c.Name.Value != fmt.Sprintf("%s-v%s-%s", c.Package.Value, v, release):
		f.Message = fmt.Sprintf("but its name is not \"%s-v%s-%s\", as operator-framework/api requires", c.Package.Value, v,
			release)
	default:
		return
	}
	c.report("spec.release", "correct spec.release, or remove it", "has the release %q, %s", release, f.Message).withCauses(release).Gates = f.Gates
}

// plainVersion reads three numbers as OLM v0 does for minKubeVersion: a leading v is let pass.
func plainVersion(text string) (semver.Version, bool) {
	v, err := semver.Parse(strings.TrimPrefix(text, "v"))
	return v, err == nil
}

func checkMinKube(c *bundleContents) {
	text := strings.TrimSpace(c.csv.Spec.MinKubeVersion)
	_, err := semver.Parse(text)
	v, plain := plainVersion(text)
	target, source := c.pass.kube()
	switch {
	case c.csv.Err != nil && text == "":
	case text == "":
		f := c.report("spec", "set spec.minKubeVersion to the oldest supported version of Kubernetes",
			"has no minKubeVersion: it is offered to clusters of any version")
		f.Severity, f.Gates = Info, GateAdvice
	case !plain:
		c.report("spec.minKubeVersion", "write three numbers, for example 1.25.0",
			"has the minKubeVersion %q, which is not a version of three numbers: OLM v0 never completes the installation", text).withCauses(text)
	case err != nil:
		c.report("spec.minKubeVersion", "write three numbers, for example 1.25.0",
			"has the minKubeVersion %q: operator-framework/api allows no leading v", text).withCauses(text).Gates = GateHub
	case target > 0 && v.Major == 1 && int(v.Minor) > target:
		c.report("spec.minKubeVersion", "keep it out of catalogs for older clusters",
			"needs Kubernetes %s, but %s is 1.%d: OLM v0 never completes the installation", text, source, target).withCauses(text).Gates = GateOLMv0
	}
}
