package lint

import "github.com/olmgraph/olmgraph/graph/preflight"

// crdRules judge the CRDs that bundles bring: one alone, through one upgrade, and along whole ways.
var crdRules = []Rule{
	{
		ID: "crd/invalid", Severity: Error, Gates: GateAPIServer,
		Doc: `a CRD that Kubernetes refuses
The API server checks a CustomResourceDefinition when it is created: names, versions, the schema of each version with its
defaults and rules. What it refuses cannot be installed, so that OLM gives the whole bundle up. Of schemas beyond the limits of
this program it is information that they are not checked.
Mend the field in the manifest of the next bundle.`,
		Reference: "k8s.io/apiextensions-apiserver ValidateCustomResourceDefinition",
		Check:     inAllBundles(checkInvalidCRD),
		asks:      preflight.AskFaults,
	},
	{
		ID: "crd/v1beta1", Severity: Warning, Gates: GateAPIServer,
		Doc: `a CRD in v1beta1
No Kubernetes from 1.22 on (OpenShift 4.9) serves apiextensions.k8s.io/v1beta1: a bundle with such a CRD cannot be installed
there. It is an error where the catalog is known to be for such a cluster and the bundle is what users get now.
Convert the CRD to apiextensions.k8s.io/v1: every version needs a structural schema.`,
		Reference: "Kubernetes deprecated API migration guide, v1.22",
		Check:     checkV1beta1,
	},
	{
		ID: "crd/immutable", Severity: Error, Gates: GateAPIServer, OtherGates: GateOLMv0 | GateOLMv1,
		Doc: `an upgrade changes what Kubernetes never changes in a CRD
The scope and the kind of an established CRD stay as they are, preserveUnknownFields cannot be turned on again, and some rules
are asked of new schemas only. The API server refuses the update, and the upgrade stops there.
Take the change back, or bring the new form under another name.`,
		Reference: "k8s.io/apiextensions-apiserver ValidateCustomResourceDefinitionUpdate",
		Check:     eachCRDUpgrade(checkRefusals),
	},
	{
		ID: "crd/storage-removed", Severity: Error, Gates: GateOLMv0 | GateOLMv1 | GateAPIServer,
		Doc: `an upgrade drops the version in which objects are stored
The CRD of the newer bundle lacks the version that the older one stores its objects in. That version stands in
status.storedVersions: OLM v0 fails the install plan ("risk of data loss"), OLM v1 and the API server refuse the CRD.
Remove a version in this order, with a bundle for each step: served false; the storage moved to another version; the objects
migrated and the version taken out of status.storedVersions; then drop it. OLM does none of this by itself.`,
		Reference: "OLM pkg/lib/crd SafeStorageVersionUpgrade; crdify storedVersionRemoval",
		Check:     checkStorageRemoved,
	},
	{
		ID: "crd/stored-version-path", Severity: Error, Gates: GateOLMv0 | GateOLMv1 | GateAPIServer,
		Doc: `who came from an older version cannot make an upgrade that others can
Kubernetes adds each version that was ever stored to status.storedVersions and takes none away; neither does OLM. Whoever once
had a bundle that stores v1alpha1 has it there for ever, also after upgrades that store v1 and still have v1alpha1, until
somebody migrates the objects and edits the status. The CRD that drops v1alpha1 is refused then, though each upgrade alone
looks safe. A warning where users came along edges only that no OLM follows by itself any more.
Keep the version, with served: false, until nobody can have it. If the operator itself migrates its objects from some version
on, say so in the configuration, under migratesStorage.`,
		Reference: "OLM pkg/lib/crd SafeStorageVersionUpgrade; Kubernetes: versions in CustomResourceDefinitions",
		Check:     checkStoredPath,
	},
	{
		ID: "crd/served-removed", Severity: Warning, Gates: GateAdvice,
		Doc: `an upgrade drops a version of an API that was served until then
Clients, manifests in git and other operators that use the version fail at once: nothing told them. No OLM minds. Of an alpha
version it is information.
Mark the version as deprecated, then ship it with served: false, and only then drop it.`,
		Reference: "Kubernetes: versions in CustomResourceDefinitions, removing a version",
		Check:     checkServedRemoved,
	},
	{
		ID: "crd/dropped", Severity: Warning, Gates: GateAdvice,
		Doc: `an upgrade no longer brings a CRD
OLM v0 leaves the CRD and its objects behind, with no operator that looks after them. OLM v1 deletes the CRD, and with it all
objects of its kind. If another package brings it from now on, its owner has to be changed by hand. It is information where the
operator's own role lets it create CRDs: it probably makes this one.
Keep the CRD, or say in the release notes what to do with the objects before the upgrade.`,
		Reference: "OLM install plans never delete CRDs; operator-controller deletes what a revision lacks",
		Check:     checkDropped,
	},
	schemaRule("removed", "an upgrade drops a field of an API",
		"objects that have the field lose it silently, and controllers and clients that set it are not served any more",
		"existingFieldRemoval"),
	schemaRule("type", "an upgrade changes the type of a field",
		"objects that were valid are refused when they are next written", "type"),
	schemaRule("required", "an upgrade makes a field required",
		"objects without the field are refused when they are next written", "required"),
	schemaRule("enum", "an upgrade takes values from an enumeration",
		"objects with one of these values are refused when they are next written", "enum"),
	schemaRule("limit", "an upgrade tightens a limit",
		"objects beyond the limit are refused when they are next written",
		"maximum", "maxItems", "maxLength", "maxProperties", "minimum", "minItems", "minLength", "minProperties"),
	schemaRule("default", "an upgrade changes the default of a field",
		"objects that leave the field out mean something else from then on", "default"),
	schemaRule("other", "an upgrade changes a schema in a way that OLM v1 does not take",
		"what the new schema does not take is refused when it is next written", "unhandled", "pattern", "nullable", "scope"),
	{
		ID: "crd/schema-unseen", Severity: Warning, Gates: GateOLMv0,
		Doc: `an upgrade narrows a schema where OLM v1 does not look
OLM v1's comparison takes the last part of an anyOf or allOf for the whole, and holds new fields against nothing. So it lets this
pass; but an object that does not fit any more is refused when it is next written, and OLM v0 fails the install plan if one exists.
Let the new schema take what the old one took, or bring it as a new version of the API.`,
		Reference: "sigs.k8s.io/crdify flattening; OLM catalog operator validateExistingCRs",
		Check:     checkUnseen,
		asks:      preflight.AskUnseen,
	},
	{
		ID: "crd/example-invalid", Severity: Warning, Gates: GateOLMv0,
		Doc: `an example of the older bundle is not valid after the upgrade
Before it updates a CRD, OLM v0 holds all objects on the cluster against the new schema, and fails the install plan if one does
not fit. The older bundle's own examples (alm-examples), which users copy, do not.
Let the new schema take what the old one took, or bring it as a new version.`,
		Reference: "OLM catalog operator validateExistingCRs",
		Check:     eachCRDUpgrade(checkExamples),
		asks:      preflight.AskBrokenExamples,
	},
	{
		ID: "crd/shared", Severity: Warning, Gates: GateOLMv0 | GateOLMv1, Scope: PerCatalog,
		Doc: `two packages bring the same CRD
Only one operator can own a CRD: OLM v0 never installs both packages into one namespace and lets them overwrite each other's
schema across namespaces, OLM v1 refuses the second one.
Let one package bring the CRD and the other one require it.`,
		Reference: "OLM resolver invariants (one provider per GVK); operator-controller object ownership",
		Check:     checkShared,
	},
	{
		ID: "crd/conversion", Severity: Error, Gates: GateOLMv0 | GateOLMv1, OtherGates: GateHub | GateAdvice,
		Doc: `a conversion webhook cannot work
A conversion webhook serves the whole cluster: OLM makes one only for an operator that supports AllNamespaces and nothing else,
and only for CRDs that the operator owns, each by one webhook, and that do not preserve unknown fields. Otherwise the install
fails, or the API server cannot read what is stored.
Support AllNamespaces alone, and let conversionCRDs name owned CRDs; or take the webhook out.`,
		Reference: "OLM pkg/controller/install webhook.go; operator-controller rukpak/render/registryv1 validators",
		Check:     inAllBundles(withReadableCSV(checkConversion)),
	},
}

// schemaRule is a rule on what OLM v1's preflight refuses in the schemas of an upgrade.
func schemaRule(name, title, hurts string, checks ...string) Rule {
	return Rule{
		ID: "crd/schema-" + name, Severity: Error, Gates: GateOLMv1, OtherGates: GateOLMv0,
		Doc: title + `
OLM v1 compares the schema of each version before and after and refuses the upgrade (preflight crdUpgradeSafety). OLM v0 does not
look, but ` + hurts + `. It is a warning in an alpha version.
Take the change back, or bring it as a new version of the API with a conversion.`,
		Reference: "sigs.k8s.io/crdify as operator-controller configures it: " + checks[0],
		Check:     eachSchemaChange(checks...),
		asks:      preflight.AskChanges,
	}
}
