// Package api has the rules on the APIs that bundles provide and require, and on other dependencies.
package api

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Contents}, []lint.Rule{
		{
			ID: "api/unsatisfied", Severity: lint.Info, Gates: lint.GateOLMv0,
			Doc: `no bundle of the catalog meets a requirement
A bundle can require an API, a package in a range of versions, or a constraint. OLM v0 installs the bundle, or upgrades to it,
only together with a bundle that meets the requirement. If no catalog of the cluster has one, OLM v0 does not resolve the
namespace. Another catalog may have it, so it is an error only with --complete, which states that the given catalogs are the only
ones.
Publish the required bundle, or remove the requirement.`,
			Reference: "OLM resolver getBundleVariables",
			Scope:     lint.PerCatalogAndPackage,
			Check:     checkUnsatisfied,
		},
		{
			ID: "api/range-syntax", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `the version range of a required package is invalid
OLM v0 parses the versionRange of olm.package.required with blang/semver: full versions after <, <=, >, >=, = or !=, a space for
and, || with spaces for or. opm does not check it. OLM v0 does when the bundle is a candidate, and then resolves nothing in the
namespace.
Write the range in this grammar, for example ">=1.0.0 <2.0.0".`,
			Reference: "OLM resolver predicateForRequiredPackageProperty",
			Check:     lint.EachBundle(checkRequiredRange),
		},
		{
			ID: "api/constraint", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `a constraint cannot be read
An olm.constraint is one of gvk, package, all, any, not and cel, has no other field, and is at most 128 KiB; a CEL rule must
return true or false for the list properties. opm does not check it. OLM v0 does when the bundle is a candidate, and then resolves
nothing in the namespace. OLM v0 also evaluates each rule for each bundle of each catalog, without a cost limit.
Write the constraint as OLM reads it.`,
			Reference: "operator-framework/api pkg/constraints; OLM resolver predicateForConstraintProperty",
			Check:     lint.EachBundle(checkConstraint),
		},
		{
			ID: "api/provider-lost", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `an upgrade removes what another package requires
OLM v0 makes no upgrade that leaves a requirement of an installed operator unmet. If the newest version of the other package still
has the requirement, OLM v0 never makes the upgrade where both are installed, and reports nothing.
Keep providing it until the other package has a version that does not require it.`,
			Reference: "OLM resolver getBundleVariables",
			Check:     checkProviderLost,
		},
		{
			ID: "api/deadlock", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `packages block each other's upgrades
OLM v0 upgrades each operator by one step at a time. Two packages block each other if the next version of each needs a newer
version of the other, or no longer provides what the installed version of the other requires. OLM v0 then upgrades neither where
both are installed, and reports nothing.
Publish a version of one of them that works with the current version of the other, or skip the version in between.`,
			Reference: "OLM resolver Resolve",
			Scope:     lint.PerCatalog,
			Check:     checkDeadlock,
		},
		{
			ID: "api/not-supported-v1", Severity: lint.Warning, Gates: lint.GateOLMv1,
			Doc: `OLM v1 does not install bundles with dependencies
OLM v1 does not resolve dependencies. If the version that it has chosen has a property olm.gvk.required, olm.package.required or
olm.constraint, it reports an error and tries no other version. OLM v0 installs the bundles: it is a warning only
with --olm v1, --olm both or --gate olmv1.
Ask users of OLM v1 to install the dependencies themselves, and publish versions without these properties.`,
			Reference: "operator-controller internal/resolve validation.go",
			Check:     checkDependsV1,
		},
		{
			ID: "api/label-noop", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `a dependency on a label has no effect
opm copies an olm.label of metadata/dependencies.yaml into the catalog unchanged. There it is a label of the bundle, not a
requirement, and no OLM reads it.
Use an olm.constraint with a CEL rule, or remove the dependency.`,
			Reference: "operator-registry pkg/registry registry_to_model.go ObjectsAndPropertiesFromBundle",
			Check:     checkLabels,
		},
		{
			ID: "api/empty-gvk", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `an API without a group, a version or a kind
OLM compares group, version and kind, case-sensitively. A provided API without one of them meets no requirement, and a required
API without one of them is met by no bundle.
Set group, version and kind of the API.`,
			Reference: "operator-registry alpha/property GVK",
			Check:     checkEmptyAPI,
		},
	})
}
