package lint

// bundleRules judge what a bundle brings, and what its metadata say, against its ClusterServiceVersion and the catalog.
var bundleRules = []Rule{
	{
		ID: "bundle/drift", Severity: Info, Gates: GateAdvice,
		Doc: `the catalog and the ClusterServiceVersion disagree
In a file-based catalog the entry of the channel alone says what a bundle replaces and skips; what its ClusterServiceVersion says
is without effect, and who reads or edits it there is misled. Another name or version is worse, and a warning: OLM v0 installs the
one and looks for the other.
Let both say the same in the next bundle, or leave replaces, skips and olm.skipRange out of the ClusterServiceVersion.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel; OLM resolver",
		Check:     inHeadBundles(withCSV(checkDrift)),
	},
	{
		ID: "bundle/missing-owned-crd", Severity: Error, Gates: GateHub | GateOLMv0 | GateOLMv1,
		Doc: `a bundle does not bring a CRD that it owns
OLM v0 waits until the owned CRD is there, in that version, and OLM v1 refuses the bundle: nobody can install it on a cluster that
does not have the CRD from elsewhere.
Bring the CRD in the bundle, or mend the name, version or kind in spec.customresourcedefinitions.owned.`,
		Reference: "operator-registry pkg/registry Bundle.AllProvidedAPIsInBundle; operator-controller CheckOwnedCRDExistence",
		Check:     inAllBundles(withReadableCSV(checkMissingCRD)),
	},
	{
		ID: "bundle/extra-crd", Severity: Warning, Gates: GateHub,
		Doc: `a bundle brings a CRD that it does not own
OLM installs the CRD, but neither the console nor other operators learn who serves it, and two operators can bring it without
either noticing.
List it in spec.customresourcedefinitions.owned, or take it out.`,
		Reference: "operator-framework/api pkg/validation/internal bundle.go validateOwnedCRDs",
		Check:     inHeadBundles(withReadableCSV(checkExtraCRD)),
	},
	{
		ID: "bundle/owned-version-not-served", Severity: Error, Gates: GateOLMv0,
		Doc: `an owned version is not served by the bundle's own CRD
OLM v0 finishes an install only when every owned CRD serves the version that is listed. If the bundle's own CRD says served: false,
it stays Pending for ever, and every upgrade after it waits.
Own a version that the CRD serves, or serve it.`,
		Reference: "OLM pkg/controller/operators/olm requirements.go",
		Check:     inAllBundles(withReadableCSV(checkOwnedServed)),
	},
	{
		ID: "bundle/owned-version-behind", Severity: Info, Gates: GateAdvice,
		Doc: `only older versions of a CRD are owned than it serves
The console makes its forms for the versions that are owned, and who requires the newer one finds no provider in a catalog that is
made of the ClusterServiceVersion.
Add an entry for the newest version to spec.customresourcedefinitions.owned.`,
		Reference: "OLM pkg/controller/registry/resolver",
		Check:     inHeadBundles(withReadableCSV(checkOwnedBehind)),
	},
	{
		ID: "bundle/unsupported-kind", Severity: Error, Gates: anyOLM,
		Doc: `a bundle brings a kind of object that OLM does not install
OLM knows a list of kinds. One that is not in it makes the install plan fail with OLM v0, and OLM v1 and opm alpha bundle validate
refuse the bundle. OLM v0 does not know PodMonitor, OLM v1 no Subscription.
Let the operator make the object when it starts, or take it out.`,
		Reference: "operator-registry pkg/lib/bundle supported_resources.go; OLM pkg/controller/operators/catalog supportedresources.go",
		Check:     inAllBundles(checkUnsupported),
	},
	{
		ID: "bundle/multi-document", Severity: Warning, Gates: GateAdvice,
		Doc: `a file has several objects
OLM v0 and opm look at the first document of a file only, without a word about the others; OLM v1 installs all of them. The same
bundle is then something else on another cluster.
Give each object a file of its own.`,
		Reference: "operator-registry pkg/registry DecodeFile; operator-controller rukpak/bundle/source",
		Check:     inHeadBundles(checkDocuments),
	},
	{
		ID: "bundle/several-csvs", Severity: Error, Gates: GateHub,
		Doc: `a bundle has several ClusterServiceVersions
A bundle is one version of one operator. Of several ClusterServiceVersions opm takes the first one and OLM v1 the last one.
Keep one.`,
		Reference: "operator-registry pkg/registry ReadCSVFromBundleDirectory",
		Check:     inAllBundles(checkSeveralCSVs),
	},
	{
		ID: "bundle/duplicate-object", Severity: Warning, Gates: GateAdvice, OtherGates: GateOLMv1 | GateHub,
		Doc: `a bundle brings an object twice
Both have the same kind and name: the one that is installed later overwrites the other. Of CRDs OLM v1 and the hub refuse that.
Keep one of them.`,
		Reference: "operator-framework/api bundle.go validateOwnedCRDs; operator-controller CheckCRDResourceUniqueness",
		Check:     inAllBundles(checkDuplicateObjects),
	},
	{
		ID: "bundle/crd-api-version", Severity: Error, Gates: GateHub | GateOLMv0 | GateOLMv1 | GateAPIServer,
		Doc: `a CRD has an apiVersion that does not exist
CustomResourceDefinitions are written in apiextensions.k8s.io/v1. No API server takes another one but, long ago, v1beta1.
Write apiVersion: apiextensions.k8s.io/v1.`,
		Reference: "operator-registry pkg/lib/bundle ValidateBundleContent",
		Check:     inAllBundles(checkCRDVersion),
	},
	{
		ID: "bundle/key-collision", Severity: Error, Gates: GateOLMv0,
		Doc: `two files of a bundle have the same name to OLM v0
OLM v0 keeps the files of a bundle in a ConfigMap, under their names with a hyphen for each unusual character. Of two files that
come to the same name one is lost, without a word.
Rename one of them.`,
		Reference: "operator-registry pkg/configmap",
		Check:     inAllBundles(checkKeys),
	},
	{
		ID: "bundle/subfolder", Severity: Error, Gates: GateHub | GateOLMv1,
		Doc: `there is a folder in the manifests of a bundle
The manifests of a bundle are the files of one folder. opm and OLM v0 pass by what is in folders below, and OLM v1 refuses the bundle.
Move the files up.`,
		Reference: "operator-controller rukpak/bundle/source; operator-framework/api bundleloader.go",
		Check:     inAllBundles(checkInside),
	},
	{
		ID: "bundle/size", Severity: Error, Gates: GateOLMv0 | GateHub,
		Doc: `a bundle is too large
OLM v0 keeps the manifests of a bundle, compressed, in one ConfigMap, which takes 1 MiB. A larger bundle cannot be unpacked; from
85% on it is a warning.
Shorten what is long, mostly the descriptions in CRDs, or split the operator.`,
		Reference: "operator-framework/api bundle.go validateBundleSize; operator-registry pkg/configmap",
		Check:     inHeadBundles(checkSize),
	},
	{
		ID: "bundle/annotations", Severity: Error, Gates: GateHub,
		Doc: `the annotations of a bundle are not whole
The annotations in metadata/annotations.yaml say what is in a bundle and where it belongs. opm alpha bundle validate, with which
every pipeline begins, refuses a bundle without them. A channel with a space in its name is a warning: nobody can name it.
Add what is missing.`,
		Reference: "operator-registry pkg/lib/bundle validateAnnotations",
		Check:     inHeadBundles(checkMetadata),
	},
	{
		ID: "bundle/dependencies", Severity: Error, Gates: GateHub,
		Doc: `a dependency of a bundle is malformed
What a bundle requires stands in metadata/dependencies.yaml. opm alpha bundle validate refuses an entry of an unknown type, or one
that lacks a field; in a catalog, OLM v0 could not resolve anything beside it.
Mend the entry.`,
		Reference: "operator-registry pkg/registry types.go",
		Check:     inAllBundles(checkDependencies),
	},
	{
		ID: "bundle/properties-annotation", Severity: Warning, Gates: GateAdvice, OtherGates: GateOLMv0,
		Doc: `properties in an annotation cannot be read
Properties such as olm.maxOpenShiftVersion can stand in the annotation olm.properties, as a JSON list. opm drops a malformed one
and goes on: the cluster then upgrades to an OpenShift on which the operator does not run. Malformed operatorframework.io/properties,
which OLM v0 writes itself, stop its resolver, and are an error.
Mend the JSON, or write the properties to metadata/properties.yaml.`,
		Reference: "operator-registry pkg/registry parse.go derivedProperties; OLM resolver/projection properties.go",
		Check:     inHeadBundles(withCSV(checkProperties)),
	},
	{
		ID: "bundle/folder-name", Severity: Warning, Gates: GateHub,
		Doc: `a bundle's folder is not named after its version
The pipelines of catalog repositories want each bundle in a folder that is called as spec.version of its ClusterServiceVersion.
Rename the folder, or mend the version.`,
		Reference: "operator-pipelines static_tests/common check_operator_version_directory_name",
		Check:     inHeadBundles(withReadableCSV(checkFolderName)),
	},
	{
		ID: "bundle/name-prefix", Severity: Warning, Gates: GateHub,
		Doc: `the bundles of a package are called differently
All bundles of a package have the same name before the version. Pipelines of catalog repositories refuse a bundle that begins
otherwise, and people no longer see what belongs together.
Give new bundles the name of the older ones.`,
		Reference: "operator-pipelines static_tests/common check_operator_name",
		Check:     checkPrefix,
	},
}

// objectRules judge the other objects of a bundle.
var objectRules = []Rule{
	{
		ID: "object/removed-api", Severity: Error, Gates: GateOLMv0 | GateOLMv1 | GateAPIServer, OtherGates: GateAdvice,
		Doc: `an object is written in an API that Kubernetes took away
From that version of Kubernetes on the API server does not know the object, and the install fails. It is an error where the
catalog is for such a version (--kube, kube or openshift in the configuration, or the catalog's folder), or the bundle needs one by
its minKubeVersion; otherwise it is said for information.
Write the object in the newer version of its API.`,
		Reference: "Kubernetes Deprecated API Migration Guide",
		Check:     inHeadBundles(eachObject(checkRemoved)),
	},
	{
		ID: "object/disruption-budget", Severity: Error, Gates: GateHub,
		Doc: `a PodDisruptionBudget allows no disruption
With maxUnavailable 0 or minAvailable 100% no node that such a pod is on can be drained: upgrades of the cluster stop there.
Allow one pod at least to be away.`,
		Reference: "operator-framework/api object.go validatePDB",
		Check:     inHeadBundles(eachObject(checkBudget)),
	},
	{
		ID: "object/priority-class", Severity: Error, Gates: GateHub,
		Doc: `a PriorityClass makes itself the default
With globalDefault: true an operator changes the priority of every pod in the cluster that names none.
Set globalDefault: false, and name the class in the operator's own pods.`,
		Reference: "operator-framework/api object.go validatePriorityClass",
		Check:     inHeadBundles(eachObject(checkPriority)),
	},
	{
		ID: "object/default-scc", Severity: Error, Gates: GateHub, OtherGates: GateAdvice,
		Doc: `a role may change the security context constraints of OpenShift
The constraints that OpenShift comes with say under what every pod runs. Whoever changes them changes the security of the whole
cluster. A role without resourceNames may change all of them: a warning.
Make constraints of its own, and name those in resourceNames.`,
		Reference: "operator-framework/api object.go audit",
		Check:     inHeadBundles(eachRule(checkSCC)),
	},
	{
		ID: "object/budget-permission", Severity: Info, Gates: GateHub,
		Doc: `a role may make disruption budgets
A budget that allows no disruption keeps nodes from being drained, and with them the upgrade of the cluster.
Give the role read access only, unless the operator must make budgets.`,
		Reference: "operator-framework/api object.go audit",
		Check:     inHeadBundles(eachRule(checkPDBRule)),
	},
	{
		ID: "object/service-account", Severity: Error, Gates: GateHub,
		Doc: `a bundle brings a service account that OLM makes itself
OLM makes the service accounts that the deployments of a ClusterServiceVersion run under. One of the same name in the bundle is in
its way: the two take turns, and secrets get lost.
Take it out of the bundle, or give it another name.`,
		Reference: "operator-framework/api bundle.go validateServiceAccounts",
		Check:     inHeadBundles(withReadableCSV(eachObject(checkAccount))),
	},
	{
		ID: "object/metadata", Severity: Error, Gates: GateHub | GateOLMv0 | GateOLMv1 | GateAPIServer,
		Doc: `an object cannot be made: its metadata are wrong
Every object needs an apiVersion, a kind and a name that Kubernetes takes, and its labels have to be labels. The API server refuses
it otherwise, and the whole install fails.
Mend the metadata.`,
		Reference: "operator-registry pkg/lib/bundle validateKubectlable; Kubernetes ObjectMeta validation",
		Check:     inAllBundles(checkObjectMeta),
	},
}
