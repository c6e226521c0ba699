package lint

// bundleRules judge what a bundle brings, and what its metadata say, against its ClusterServiceVersion and the catalog.
var bundleRules = []Rule{
	{
		ID: "bundle/drift", Severity: Info, Gates: GateAdvice,
		Doc: `the catalog and the ClusterServiceVersion differ
In a file-based catalog only the channel entry states what a bundle replaces and skips; the values in its ClusterServiceVersion
have no effect, and mislead people who read or edit them there. A different name or version is a warning: OLM v0 installs one and
searches for the other.
Give both the same values in the next bundle, or remove replaces, skips and olm.skipRange from the ClusterServiceVersion.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel; OLM resolver",
		Check:     inHeadBundles(withCSV(checkDrift)),
	},
	{
		ID: "bundle/missing-owned-crd", Severity: Error, Gates: GateHub | GateOLMv0 | GateOLMv1,
		Doc: `a bundle does not contain a CRD that it owns
OLM v0 waits until the owned CRD exists in that version, and OLM v1 rejects the bundle. It cannot be installed on a cluster that
does not have the CRD from elsewhere.
Add the CRD to the bundle, or correct the name, version or kind in spec.customresourcedefinitions.owned.`,
		Reference: "operator-registry pkg/registry Bundle.AllProvidedAPIsInBundle; operator-controller CheckOwnedCRDExistence",
		Check:     inAllBundles(withReadableCSV(checkMissingCRD)),
	},
	{
		ID: "bundle/extra-crd", Severity: Warning, Gates: GateHub,
		Doc: `a bundle contains a CRD that it does not own
OLM installs the CRD, but neither the console nor other operators see which operator serves it, and two operators can ship it
without a conflict being detected.
List it in spec.customresourcedefinitions.owned, or remove it.`,
		Reference: "operator-framework/api pkg/validation/internal bundle.go validateOwnedCRDs",
		Check:     inHeadBundles(withReadableCSV(checkExtraCRD)),
	},
	{
		ID: "bundle/owned-version-not-served", Severity: Error, Gates: GateOLMv0,
		Doc: `an owned version is not served by the bundle's own CRD
OLM v0 completes an installation only if every owned CRD serves the listed version. If the bundle's own CRD has served: false, the
ClusterServiceVersion stays Pending, and every later upgrade waits.
Own a version that the CRD serves, or serve it.`,
		Reference: "OLM pkg/controller/operators/olm requirements.go",
		Check:     inAllBundles(withReadableCSV(checkOwnedServed)),
	},
	{
		ID: "bundle/owned-version-behind", Severity: Info, Gates: GateAdvice,
		Doc: `the newest served version of a CRD is not owned
The console generates forms for the owned versions. In a catalog that is made from the ClusterServiceVersion, a bundle that
requires the newer version finds no provider.
Add an entry for the newest version to spec.customresourcedefinitions.owned.`,
		Reference: "OLM pkg/controller/registry/resolver",
		Check:     inHeadBundles(withReadableCSV(checkOwnedBehind)),
	},
	{
		ID: "bundle/unsupported-kind", Severity: Error, Gates: anyOLM,
		Doc: `a bundle contains a kind of object that OLM does not install
OLM has a list of supported kinds. With any other kind the InstallPlan of OLM v0 fails, and OLM v1 and opm alpha bundle validate
reject the bundle. OLM v0 does not support PodMonitor, OLM v1 does not support Subscription.
Let the operator create the object when it starts, or remove it.`,
		Reference: "operator-registry pkg/lib/bundle supported_resources.go; OLM pkg/controller/operators/catalog supportedresources.go",
		Check:     inAllBundles(checkUnsupported),
	},
	{
		ID: "bundle/multi-document", Severity: Warning, Gates: GateAdvice,
		Doc: `a file has several documents
OLM v0 and opm read only the first document of a file and ignore the others silently; OLM v1 installs all of them. The same bundle
then differs between clusters.
Write each object to its own file.`,
		Reference: "operator-registry pkg/registry DecodeFile; operator-controller rukpak/bundle/source",
		Check:     inHeadBundles(checkDocuments),
	},
	{
		ID: "bundle/several-csvs", Severity: Error, Gates: GateHub,
		Doc: `a bundle has several ClusterServiceVersions
A bundle is one version of one operator. If there are several ClusterServiceVersions, opm takes the first one and OLM v1 the last
one.
Keep one.`,
		Reference: "operator-registry pkg/registry ReadCSVFromBundleDirectory",
		Check:     inAllBundles(checkSeveralCSVs),
	},
	{
		ID: "bundle/duplicate-object", Severity: Warning, Gates: GateAdvice, OtherGates: GateOLMv1 | GateHub,
		Doc: `a bundle contains an object twice
Both have the same kind and name: the one that is installed later overwrites the other. OLM v1 and the hub reject duplicate CRDs.
Keep one of them.`,
		Reference: "operator-framework/api bundle.go validateOwnedCRDs; operator-controller CheckCRDResourceUniqueness",
		Check:     inAllBundles(checkDuplicateObjects),
	},
	{
		ID: "bundle/crd-api-version", Severity: Error, Gates: GateHub | GateOLMv0 | GateOLMv1 | GateAPIServer,
		Doc: `a CRD has an apiVersion that does not exist
CustomResourceDefinitions have the apiVersion apiextensions.k8s.io/v1. API servers accept no other one; before Kubernetes 1.22
they accepted v1beta1 as well.
Set apiVersion: apiextensions.k8s.io/v1.`,
		Reference: "operator-registry pkg/lib/bundle ValidateBundleContent",
		Check:     inAllBundles(checkCRDVersion),
	},
	{
		ID: "bundle/key-collision", Severity: Error, Gates: GateOLMv0,
		Doc: `two files of a bundle have the same ConfigMap key
OLM v0 stores the files of a bundle in a ConfigMap, with a hyphen for each character that a key cannot have. Of two files with the
same key it silently loses one.
Rename one of them.`,
		Reference: "operator-registry pkg/configmap",
		Check:     inAllBundles(checkKeys),
	},
	{
		ID: "bundle/subfolder", Severity: Error, Gates: GateHub | GateOLMv1,
		Doc: `the manifests of a bundle contain a folder
The manifests of a bundle are the files of one folder. opm and OLM v0 ignore subfolders, and OLM v1 rejects the bundle.
Move the files up.`,
		Reference: "operator-controller rukpak/bundle/source; operator-framework/api bundleloader.go",
		Check:     inAllBundles(checkInside),
	},
	{
		ID: "bundle/size", Severity: Error, Gates: GateOLMv0 | GateHub,
		Doc: `a bundle is too large
OLM v0 stores the compressed manifests of a bundle in one ConfigMap, whose limit is 1 MiB. A larger bundle cannot be unpacked;
from 85% of the limit on it is a warning.
Shorten long texts, usually the descriptions in CRDs, or split the operator.`,
		Reference: "operator-framework/api bundle.go validateBundleSize; operator-registry pkg/configmap",
		Check:     inHeadBundles(checkSize),
	},
	{
		ID: "bundle/annotations", Severity: Error, Gates: GateHub,
		Doc: `the annotations of a bundle are incomplete
The annotations in metadata/annotations.yaml state the content of a bundle and its package. opm alpha bundle validate, which every
pipeline runs, rejects a bundle without them. A channel with a space in its name is a warning: users cannot name it.
Add the missing annotations.`,
		Reference: "operator-registry pkg/lib/bundle validateAnnotations",
		Check:     inHeadBundles(checkMetadata),
	},
	{
		ID: "bundle/dependencies", Severity: Error, Gates: GateHub,
		Doc: `a dependency of a bundle is malformed
metadata/dependencies.yaml declares what a bundle requires. opm alpha bundle validate rejects an entry of an unknown type or
without a field. In a catalog, such an entry prevents OLM v0 from resolving the namespace.
Correct the entry.`,
		Reference: "operator-registry pkg/registry types.go",
		Check:     inAllBundles(checkDependencies),
	},
	{
		ID: "bundle/properties-annotation", Severity: Warning, Gates: GateAdvice, OtherGates: GateOLMv0,
		Doc: `properties in an annotation cannot be read
The annotation olm.properties can hold properties such as olm.maxOpenShiftVersion, as a JSON list. opm silently drops a malformed
one: the cluster can then upgrade to an OpenShift version on which the operator does not run. Malformed
operatorframework.io/properties, which OLM v0 writes itself, stop its resolver, and are an error.
Correct the JSON, or write the properties to metadata/properties.yaml.`,
		Reference: "operator-registry pkg/registry parse.go derivedProperties; OLM resolver/projection properties.go",
		Check:     inHeadBundles(withCSV(checkProperties)),
	},
	{
		ID: "bundle/folder-name", Severity: Warning, Gates: GateHub,
		Doc: `a bundle's folder is not named after its version
The pipelines of catalog repositories require that the folder of a bundle has the name of spec.version of its
ClusterServiceVersion.
Rename the folder, or correct the version.`,
		Reference: "operator-pipelines static_tests/common check_operator_version_directory_name",
		Check:     inHeadBundles(withReadableCSV(checkFolderName)),
	},
	{
		ID: "bundle/name-prefix", Severity: Warning, Gates: GateHub,
		Doc: `the bundle names of a package have different prefixes
All bundles of a package should have the same name before the version. Pipelines of catalog repositories reject a bundle with
another prefix.
Give new bundles the prefix of the older ones.`,
		Reference: "operator-pipelines static_tests/common check_operator_name",
		Check:     checkPrefix,
	},
}

// objectRules judge the other objects of a bundle.
var objectRules = []Rule{
	{
		ID: "object/removed-api", Severity: Error, Gates: GateOLMv0 | GateOLMv1 | GateAPIServer, OtherGates: GateAdvice,
		Doc: `an object uses an API that Kubernetes has removed
From that version of Kubernetes on, the API server does not serve the API, and the installation fails. It is an error if the
catalog is for such a version (--kube, kube or openshift in the configuration, or the catalog's folder), or if the minKubeVersion
of the bundle requires one; otherwise it is an info.
Use the newer version of the API.`,
		Reference: "Kubernetes Deprecated API Migration Guide",
		Check:     inHeadBundles(eachObject(checkRemoved)),
	},
	{
		ID: "object/disruption-budget", Severity: Error, Gates: GateHub,
		Doc: `a PodDisruptionBudget allows no disruption
With maxUnavailable 0 or minAvailable 100% a node that runs such a pod cannot be drained, and upgrades of the cluster stop there.
Allow at least one pod to be unavailable.`,
		Reference: "operator-framework/api object.go validatePDB",
		Check:     inHeadBundles(eachObject(checkBudget)),
	},
	{
		ID: "object/priority-class", Severity: Error, Gates: GateHub,
		Doc: `a PriorityClass is the global default
With globalDefault: true an operator changes the priority of every pod in the cluster without a priorityClassName.
Set globalDefault: false, and name the class in the operator's own pods.`,
		Reference: "operator-framework/api object.go validatePriorityClass",
		Check:     inHeadBundles(eachObject(checkPriority)),
	},
	{
		ID: "object/default-scc", Severity: Error, Gates: GateHub, OtherGates: GateAdvice,
		Doc: `a role may change the security context constraints of OpenShift
The security context constraints that OpenShift ships define the permissions of every pod. A subject that can change them can
change the security of the whole cluster. A role without resourceNames can change all of them, which is a warning.
Create separate constraints, and name them in resourceNames.`,
		Reference: "operator-framework/api object.go audit",
		Check:     inHeadBundles(eachRule(checkSCC)),
	},
	{
		ID: "object/budget-permission", Severity: Info, Gates: GateHub,
		Doc: `a role may create PodDisruptionBudgets
A budget that allows no disruption prevents nodes from being drained, and so blocks upgrades of the cluster.
Give the role read access only, unless the operator must create budgets.`,
		Reference: "operator-framework/api object.go audit",
		Check:     inHeadBundles(eachRule(checkPDBRule)),
	},
	{
		ID: "object/service-account", Severity: Error, Gates: GateHub,
		Doc: `a bundle contains a service account that OLM creates
OLM creates the service accounts of the deployments in a ClusterServiceVersion. A service account of the same name in the bundle
conflicts with it: both are written repeatedly, and secrets get lost.
Remove it from the bundle, or give it another name.`,
		Reference: "operator-framework/api bundle.go validateServiceAccounts",
		Check:     inHeadBundles(withReadableCSV(eachObject(checkAccount))),
	},
	{
		ID: "object/metadata", Severity: Error, Gates: GateHub | GateOLMv0 | GateOLMv1 | GateAPIServer,
		Doc: `an object has invalid metadata
Every object needs an apiVersion, a kind, a name that Kubernetes accepts, and valid labels. Otherwise the API server rejects it,
and the whole installation fails.
Correct the metadata.`,
		Reference: "operator-registry pkg/lib/bundle validateKubectlable; Kubernetes ObjectMeta validation",
		Check:     inAllBundles(checkObjectMeta),
	},
}
