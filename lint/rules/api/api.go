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
			ID: "api/not-supported-v1", Severity: lint.Warning, Gates: lint.GateOLMv1,
			Doc: `OLM v1 does not install bundles with dependencies
OLM v1 does not resolve dependencies. If the version that it has chosen has a property olm.gvk.required, olm.package.required or
olm.constraint, it reports an error and tries no other version. OLM v0 installs the bundles: it is a warning only
with --olm v1, --olm both or --gate olmv1.
Ask users of OLM v1 to install the dependencies themselves, and publish versions without these properties.`,
			Reference: "operator-controller internal/resolve validation.go",
			Check:     checkDependsV1,
		},
	})
}
