package lint

// apiRules judge what bundles ask of each other: what OLM v0 does not install, or does not upgrade, for want of another
// operator, or for fear of breaking one.
var apiRules = []Rule{
	{
		ID: "api/unsatisfied", Severity: Info, Gates: GateOLMv0,
		Doc: `nothing in the catalog meets a requirement
A bundle may require an API, a package in a range of versions, or a constraint. OLM v0 installs the bundle, or upgrades to it,
only together with a bundle that meets that; where no catalog of the cluster has one, the whole namespace is not resolved. Another
catalog may have it: it is an error only with --complete, which says that the catalogs given are all there are.
Publish what is required, or require what there is.`,
		Reference: "OLM resolver getBundleVariables",
		Scope:     PerBoth,
		Check:     checkUnsatisfied,
	},
	{
		ID: "api/range-syntax", Severity: Error, Gates: GateOLMv0,
		Doc: `the range of a required package is not a range
The versionRange of olm.package.required is read by blang/semver: versions in full behind <, <=, >, >=, = or !=, a space for and,
|| with spaces for or. opm does not look at it. OLM v0 does, as soon as somebody wants the bundle, and then resolves nothing at all
in the namespace.
Write the range in this grammar, as in ">=1.0.0 <2.0.0".`,
		Reference: "OLM resolver predicateForRequiredPackageProperty",
		Check:     eachBundle(checkRequiredRange),
	},
	{
		ID: "api/constraint", Severity: Error, Gates: GateOLMv0,
		Doc: `a constraint cannot be read
An olm.constraint is one of gvk, package, all, any, not and cel, with no other field, in 128 KiB at most; a rule in CEL must be true
or false of the list properties. opm does not look at it. OLM v0 does, as soon as somebody wants the bundle, and then resolves
nothing at all in the namespace. It also works out each rule for each bundle of each catalog, with no limit to what that costs.
Write the constraint as OLM reads it.`,
		Reference: "operator-framework/api pkg/constraints; OLM resolver predicateForConstraintProperty",
		Check:     eachBundle(checkConstraint),
	},
	{
		ID: "api/provider-lost", Severity: Warning, Gates: GateAdvice,
		Doc: `an upgrade takes away what another package requires
Where an operator is installed that requires something, OLM v0 makes no upgrade after which nothing meets that any more. If the
newest version of the other package still requires it, the upgrade is never made where both are installed, and nobody is told.
Keep providing it until the other package has a version that lives without it.`,
		Reference: "OLM resolver getBundleVariables",
		Check:     checkProviderLost,
	},
	{
		ID: "api/deadlock", Severity: Error, Gates: GateOLMv0,
		Doc: `packages wait for each other for ever
OLM v0 takes each operator one upgrade further at a time. Where one's next version needs a newer one of the other, and the other's
next version needs a newer one of the first, or no longer has what the first one requires, neither is ever upgraded where both
are installed, and nobody is told.
Publish a version of one of them that can live with the other as it is, or let one skip the version in between.`,
		Reference: "OLM resolver Resolve",
		Scope:     PerCatalog,
		Check:     checkDeadlock,
	},
	{
		ID: "api/not-supported-v1", Severity: Warning, Gates: GateOLMv1,
		Doc: `OLM v1 does not install bundles that require others
It knows no dependencies: where the version that it has chosen has a property olm.gvk.required, olm.package.required or
olm.constraint it gives up, and looks for no other version.
Have users of OLM v1 install what is required by themselves, and publish versions that do not ask for it.`,
		Reference: "operator-controller internal/resolve validation.go",
		Check:     checkDependsV1,
	},
	{
		ID: "api/label-noop", Severity: Warning, Gates: GateAdvice,
		Doc: `a dependency on a label does nothing
opm copies an olm.label of metadata/dependencies.yaml into the catalog as it is: as a label that the bundle has, not as one that it
requires. No OLM ever looks for it.
Use an olm.constraint with a rule in CEL, or take the dependency out.`,
		Reference: "operator-registry pkg/registry registry_to_model.go ObjectsAndPropertiesFromBundle",
		Check:     checkLabels,
	},
	{
		ID: "api/empty-gvk", Severity: Warning, Gates: GateAdvice,
		Doc: `an API without a group, a version or a kind
OLM compares all three, letter by letter. What is provided without one of them meets no requirement, and what is required without
one nothing meets.
Write group, version and kind of the API.`,
		Reference: "operator-registry alpha/property GVK",
		Check:     checkEmptyAPI,
	},
}
