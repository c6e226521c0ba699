package lint

import "github.com/olmgraph/olmgraph/graph/preflight"

// crdRules judge the CRDs that bundles bring: one alone, through one upgrade, and along whole ways.
var crdRules = []Rule{
	{
		ID: "crd/invalid", Severity: Error, Gates: GateAPIServer,
		Doc: `a CRD that the API server rejects
The API server validates a CustomResourceDefinition when it is created: names, versions, and the schema of each version with its
defaults and rules. A CRD that it rejects cannot be installed, and OLM fails the whole bundle. If schemas exceed the limits of
olmgraph, an info says that they are not checked.
Correct the field in the manifest of the next bundle.`,
		Reference: "k8s.io/apiextensions-apiserver ValidateCustomResourceDefinition",
		Check:     inAllBundles(checkInvalidCRD),
		asks:      preflight.AskFaults,
	},
	{
		ID: "crd/v1beta1", Severity: Warning, Gates: GateAPIServer,
		Doc: `a CRD in v1beta1
Kubernetes 1.22 (OpenShift 4.9) and later do not serve apiextensions.k8s.io/v1beta1: a bundle with such a CRD cannot be installed
there. It is an error if the catalog is known to be for such a cluster and the bundle is a head.
Convert the CRD to apiextensions.k8s.io/v1: every version needs a structural schema.`,
		Reference: "Kubernetes deprecated API migration guide, v1.22",
		Check:     checkV1beta1,
	},
	{
		ID: "crd/immutable", Severity: Error, Gates: GateAPIServer, OtherGates: GateOLMv0 | GateOLMv1,
		Doc: `an upgrade changes an immutable field of a CRD
The scope and the kind of an established CRD cannot change, preserveUnknownFields cannot be enabled again, and some rules apply to
new schemas only. The API server rejects the update, and the upgrade fails.
Revert the change, or ship the new form under another name.`,
		Reference: "k8s.io/apiextensions-apiserver ValidateCustomResourceDefinitionUpdate",
		Check:     eachCRDUpgrade(checkRefusals),
	},
	{
		ID: "crd/storage-removed", Severity: Error, Gates: GateOLMv0 | GateOLMv1 | GateAPIServer,
		Doc: `an upgrade drops the version in which objects are stored
The CRD of the newer bundle lacks the version in which the older one stores its objects. That version is in status.storedVersions:
OLM v0 fails the InstallPlan ("risk of data loss"), OLM v1 and the API server reject the CRD.
Remove a version in this order, with a bundle for each step: set served: false; store objects in another version; migrate the
objects and remove the version from status.storedVersions; then drop it. OLM does none of this automatically.`,
		Reference: "OLM pkg/lib/crd SafeStorageVersionUpgrade; crdify storedVersionRemoval",
		Check:     checkStorageRemoved,
	},
	{
		ID: "crd/stored-version-path", Severity: Error, Gates: GateOLMv0 | GateOLMv1 | GateAPIServer,
		Doc: `an upgrade fails for users who came from an older version
Kubernetes adds each version that was ever stored to status.storedVersions and removes none; neither does OLM. A cluster that once
had a bundle that stores v1alpha1 keeps v1alpha1 there, also after upgrades to bundles that store v1 and still have v1alpha1,
until the objects are migrated and the status is edited. The CRD that drops v1alpha1 is then rejected, although each upgrade alone
looks safe. It is a warning if users came only along edges that no OLM follows automatically now.
Keep the version, with served: false, until no cluster can have it. If the operator migrates its objects itself from some version
on, add it to migratesStorage in the configuration.`,
		Reference: "OLM pkg/lib/crd SafeStorageVersionUpgrade; Kubernetes: versions in CustomResourceDefinitions",
		Check:     checkStoredPath,
	},
	{
		ID: "crd/served-removed", Severity: Warning, Gates: GateAdvice,
		Doc: `an upgrade drops a served version of an API
Clients, manifests in git and other operators that use the version fail immediately, without a deprecation. OLM does not reject
it. For an alpha version it is an info.
Mark the version as deprecated, then ship it with served: false, and only then drop it.`,
		Reference: "Kubernetes: versions in CustomResourceDefinitions, removing a version",
		Check:     checkServedRemoved,
	},
	{
		ID: "crd/dropped", Severity: Warning, Gates: GateAdvice,
		Doc: `an upgrade removes a CRD
OLM v0 keeps the CRD and its objects, without an operator for them. OLM v1 deletes the CRD, and with it all objects of its kind.
If another package ships the CRD from now on, its owner has to be changed by hand. It is an info if the operator's own role allows
it to create CRDs: it probably creates this one.
Keep the CRD, or document before the upgrade what to do with the objects.`,
		Reference: "OLM install plans never delete CRDs; operator-controller deletes what a revision lacks",
		Check:     checkDropped,
	},
	schemaRule("removed", "an upgrade removes a field of an API",
		"objects that have the field lose it silently, and values that controllers and clients set are dropped",
		"existingFieldRemoval"),
	schemaRule("type", "an upgrade changes the type of a field",
		"objects that were valid are refused when they are next written", "type"),
	schemaRule("required", "an upgrade makes a field required",
		"objects without the field are refused when they are next written", "required"),
	schemaRule("enum", "an upgrade removes values of an enumeration",
		"objects with one of these values are refused when they are next written", "enum"),
	schemaRule("limit", "an upgrade tightens a limit",
		"objects beyond the limit are refused when they are next written",
		"maximum", "maxItems", "maxLength", "maxProperties", "minimum", "minItems", "minLength", "minProperties"),
	schemaRule("default", "an upgrade changes the default of a field",
		"objects without the field get another meaning", "default"),
	schemaRule("other", "an upgrade changes a schema in a way that OLM v1 rejects",
		"objects that the new schema does not accept are refused when they are next written", "unhandled", "pattern", "nullable", "scope"),
	{
		ID: "crd/schema-unseen", Severity: Warning, Gates: GateOLMv0,
		Doc: `an upgrade narrows a schema in a way that OLM v1 does not check
OLM v1's comparison takes the last part of an anyOf or allOf for the whole, and compares new fields with nothing. So OLM v1
accepts the upgrade; but an object that does not match any more is rejected when it is next written, and OLM v0 fails the
InstallPlan if one exists.
Let the new schema accept what the old one accepted, or ship it as a new version of the API.`,
		Reference: "sigs.k8s.io/crdify flattening; OLM catalog operator validateExistingCRs",
		Check:     checkUnseen,
		asks:      preflight.AskUnseen,
	},
	{
		ID: "crd/example-invalid", Severity: Warning, Gates: GateOLMv0,
		Doc: `an example of the older bundle is not valid after the upgrade
Before it updates a CRD, OLM v0 validates all objects on the cluster with the new schema, and fails the InstallPlan if one does
not match. The older bundle's own examples (alm-examples), which users copy, do not match.
Let the new schema accept what the old one accepted, or ship it as a new version.`,
		Reference: "OLM catalog operator validateExistingCRs",
		Check:     eachCRDUpgrade(checkExamples),
		asks:      preflight.AskBrokenExamples,
	},
	{
		ID: "crd/shared", Severity: Warning, Gates: GateOLMv0 | GateOLMv1, Scope: PerCatalog,
		Doc: `two packages contain the same CRD
Only one operator can own a CRD: OLM v0 never installs both packages into one namespace, and lets them overwrite each other's
schema across namespaces; OLM v1 rejects the second one.
Let one package provide the CRD and the other one require it.`,
		Reference: "OLM resolver invariants (one provider per GVK); operator-controller object ownership",
		Check:     checkShared,
	},
	{
		ID: "crd/conversion", Severity: Error, Gates: GateOLMv0 | GateOLMv1, OtherGates: GateHub | GateAdvice,
		Doc: `a conversion webhook is invalid
A conversion webhook serves the whole cluster: OLM creates one only for an operator that supports AllNamespaces and no other mode,
and only for CRDs that the operator owns, one webhook for each, that do not preserve unknown fields. Otherwise the installation
fails, or the API server cannot read stored objects.
Support AllNamespaces alone, and name owned CRDs in conversionCRDs; or remove the webhook.`,
		Reference: "OLM pkg/controller/install webhook.go; operator-controller rukpak/render/registryv1 validators",
		Check:     inAllBundles(withReadableCSV(checkConversion)),
	},
}

// schemaRule is a rule on what OLM v1's preflight refuses in the schemas of an upgrade.
func schemaRule(name, title, hurts string, checks ...string) Rule {
	return Rule{
		ID: "crd/schema-" + name, Severity: Error, Gates: GateOLMv1, OtherGates: GateOLMv0,
		Doc: title + `
OLM v1 compares the old and the new schema of each version and rejects the upgrade (preflight crdUpgradeSafety). OLM v0 does not
compare them, but ` + hurts + `. It is a warning in an alpha version.
Revert the change, or ship it as a new version of the API with a conversion.`,
		Reference: "sigs.k8s.io/crdify as operator-controller configures it: " + checks[0],
		Check:     eachSchemaChange(checks...),
		asks:      preflight.AskChanges,
	}
}
