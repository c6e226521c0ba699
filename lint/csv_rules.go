package lint

// csvRules judge ClusterServiceVersions: what cannot be installed first, then what the hub wants, then good practice.
var csvRules = []Rule{
	{
		ID: "csv/field-type", Severity: Error, Gates: GateHub | GateOLMv0,
		Doc: `a field of a ClusterServiceVersion has the wrong type
OLM decodes a ClusterServiceVersion into fields of fixed types, and rejects all of it if one does not match. The usual cause is a
number without quotes where a string is required.
Write the value in the required type.`,
		Reference: "operator-framework/api pkg/operators/v1alpha1",
		Check:     inAllBundles(withReadableCSV(checkFieldType)),
	},
	{
		ID: "csv/name", Severity: Error, Gates: GateHub | GateOLMv0, OtherGates: GateAPIServer,
		Doc: `the name of a ClusterServiceVersion is invalid
It must be a name that Kubernetes accepts: lower-case letters, digits, dots and hyphens. It must also be a valid label value, at
most 63 characters, since OLM v0 labels with it all objects that it creates.
Shorten or rename it; also change what replaces or skips it.`,
		Reference: "operator-framework/api csv.go parseCSVNameFormat",
		Check:     inAllBundles(checkCSVName),
	},
	{
		ID: "csv/required-field", Severity: Error, Gates: GateHub | GateOLMv0 | GateAPIServer,
		Doc: `a ClusterServiceVersion lacks a required field
It needs its apiVersion, a display name, the install strategy deployment, a list of deployments with selectors, and rules and a
service account in each of its permissions. OLM v0 sends a missing field to the API server as null, which the API server rejects.
Add the field.`,
		Reference: "operator-framework/api crds/operators.coreos.com_clusterserviceversions.yaml, typecheck.go",
		Check:     inAllBundles(withReadableCSV(checkRequired)),
	},
	{
		ID: "csv/crd-entry", Severity: Error, Gates: GateHub | GateOLMv0,
		Doc: `an owned or required CRD is incomplete
OLM finds each CRD by its name, plural.group, with its version and kind. Without one of these it stays Pending.
Set name, version and kind.`,
		Reference: "operator-framework/api csv.go getProvidedAPIs; OLM requirements.go",
		Check:     inAllBundles(withCSV(checkCRDEntries)),
	},
	{
		ID: "csv/version", Severity: Error, Gates: GateHub, OtherGates: GateOLMv0 | GateAPIServer,
		Doc: `the version of a ClusterServiceVersion is missing or invalid
Without spec.version, or with 0.0.0, users see no version, and the hub rejects it: a warning, since the catalog may have one. OLM
v0 cannot read what is not a semantic version. A release has at most 20 characters, and excludes olm.substitutesFor.
Write major.minor.patch.`,
		Reference: "operator-framework/api pkg/lib/version, pkg/lib/release, operatorhub.go checkSpecVersion",
		Check:     inHeadBundles(withReadableCSV(checkCSVVersion)),
	},
	{
		ID: "csv/min-kube-version", Severity: Error, Gates: GateHub | GateOLMv0, OtherGates: GateAdvice,
		Doc: `the minKubeVersion of a ClusterServiceVersion is invalid or too new
OLM v0 compares it with the version of the cluster, and requires three numbers: it never completes the installation if it cannot
parse them, or if the cluster is older. If the catalog is known to be for an older cluster, it is an error. Without a
minKubeVersion the operator is offered to clusters of any version, which is an info.
Write three numbers, for example 1.25.0.`,
		Reference: "OLM pkg/controller/operators/olm requirements.go minKubeVersionStatus; operator-framework/api csv.go",
		Check:     inHeadBundles(withCSV(checkMinKube)),
	},
	{
		ID: "csv/install-modes", Severity: Error, Gates: GateHub | GateOLMv0,
		Doc: `no OperatorGroup fits a ClusterServiceVersion
An OperatorGroup selects the namespaces that an operator watches, and OLM v0 installs the operator if it supports that install
mode. If no mode is supported, or one is listed twice, every installation fails.
List the four install modes, each once, and support at least one.`,
		Reference: "operator-framework/api csv.go validateInstallModes; v1alpha1 NewInstallModeSet",
		Check:     inAllBundles(withCSV(checkInstallModes)),
	},
	{
		ID: "csv/install-mode-lost", Severity: Error, Gates: GateOLMv0,
		Doc: `an upgrade removes an install mode
OLM v0 upgrades users of all install modes. For users of a mode that the new version does not support the upgrade fails with
UnsupportedOperatorGroup: the old version is removed, the new one does not run.
Keep supporting the mode, or provide a separate channel for its users.`,
		Reference: "OLM pkg/controller/operators/olm operatorgroup.go; v1alpha1 InstallModeSet.Supports",
		Check:     checkModeLost,
	},
	{
		ID: "csv/all-namespaces", Severity: Info, Gates: GateOLMv1,
		Doc: `OLM v1 installs an operator without AllNamespaces only with a configuration
OLM v1 installs operators that support AllNamespaces. Other operators need a namespace to watch in the configuration of the
ClusterExtension, if the cluster has that feature.
Support AllNamespaces, if the operator can watch all namespaces.`,
		Reference: "operator-controller rukpak/render/registryv1",
		Check:     inHeadBundles(withCSV(checkAllNamespaces)),
	},
	{
		ID: "csv/webhook", Severity: Error, Gates: GateOLMv0 | GateOLMv1, OtherGates: GateAPIServer,
		Doc: `a webhook is invalid
OLM creates the webhooks of a ClusterServiceVersion under their generateName, which is required and must be unique. The API server
also requires sideEffects and admissionReviewVersions, and accepts three types.
Complete the webhook.`,
		Reference: "OLM pkg/controller/operators/olm operator.go; operator-controller CheckWebhookNameUniqueness",
		Check:     inAllBundles(withReadableCSV(checkWebhooks)),
	},
	{
		ID: "csv/webhook-rules", Severity: Error, Gates: GateOLMv0 | GateOLMv1,
		Doc: `a webhook has rules that OLM rejects
A webhook on all API groups, on those of OLM, or on webhooks themselves could block OLM or the cluster: OLM rejects it.
Name only the API groups and resources that the operator needs.`,
		Reference: "OLM pkg/controller/install ValidWebhookRules; operator-controller CheckWebhookRules",
		Check:     inAllBundles(withReadableCSV(checkWebhookRules)),
	},
	{
		ID: "csv/deployment-reference", Severity: Error, Gates: GateOLMv0 | GateOLMv1,
		Doc: `a webhook or API service has no deployment
Each names the deployment that serves it. If the ClusterServiceVersion has no such deployment, OLM v1 rejects the bundle, and with
OLM v0 the API server calls a service without endpoints.
Name one of the deployments in spec.install.`,
		Reference: "operator-controller CheckWebhookDeploymentReferentialIntegrity; OLM requirements.go",
		Check:     inAllBundles(withReadableCSV(checkReferences)),
	},
	{
		ID: "csv/deployment-name", Severity: Error, Gates: GateOLMv1, OtherGates: GateOLMv0 | GateAPIServer,
		Doc: `the name of a deployment is not unique or not valid
Of two deployments of the same name the second overwrites the first with OLM v0; OLM v1 rejects the bundle. With a name that
Kubernetes does not accept the installation fails.
Give each deployment a unique name of lower-case letters, digits and hyphens.`,
		Reference: "operator-controller CheckDeploymentSpecUniqueness, CheckDeploymentNameIsDNS1123SubDomain",
		Check:     inAllBundles(withReadableCSV(checkDeploymentNames)),
	},
	{
		ID: "csv/rules", Severity: Error, Gates: GateOLMv0 | GateOLMv1 | GateAPIServer,
		Doc: `a rule of a role is not valid
A rule needs verbs, and either API groups with resources, or paths of the API server, which are allowed for the whole cluster
only. Otherwise the API server rejects the whole role, and the operator stays Pending in OLM v0.
Complete the rule.`,
		Reference: "OLM pkg/controller/install rule_checker.go; Kubernetes pkg/apis/rbac/validation",
		Check:     inAllBundles(eachRule(checkRule)),
	},
	{
		ID: "csv/owned-api-service", Severity: Warning, Gates: GateOLMv1,
		Doc: `OLM v1 does not support API services
An operator that serves an API by an APIService can be installed by OLM v0 only.
Serve the API by a CRD, or document that OLM v1 is not supported.`,
		Reference: "operator-controller rukpak/render/registryv1",
		Check:     inHeadBundles(withCSV(checkOwnedServices)),
	},
	{
		ID: "csv/examples", Severity: Error, Gates: GateHub, OtherGates: GateAdvice,
		Doc: `the examples cannot be read
The annotation alm-examples is a JSON list of custom resources, from which the console generates its forms. The hub rejects
anything else.
Write a JSON list.`,
		Reference: "operator-framework/api csv.go validateExamplesAnnotations",
		Check:     inHeadBundles(withCSV(checkExampleJSON)),
	},
	{
		ID: "csv/example-not-owned", Severity: Error, Gates: GateHub,
		Doc: `an example is of an API that is not owned
Each example is of an API that the operator owns, in that version. The hub rejects other examples: the console would offer an API
that the operator does not serve.
Write it for an owned version, or remove it.`,
		Reference: "operator-framework/api csv.go matchGVKProvidedAPIs",
		Check:     inHeadBundles(withCSV(checkExamplesOwned)),
	},
	{
		ID: "csv/annotation-case", Severity: Error, Gates: GateHub,
		Doc: `an annotation of OLM has the wrong case
OLM finds its annotations by their exact names, and ignores one with a letter in the wrong case: for example a skipRange that
skips nothing.
Write it as OLM does.`,
		Reference: "operator-framework/api annotations.go ValidateAnnotationNames",
		Check:     inHeadBundles(withCSV(checkAnnotationCase)),
	},
	{
		ID: "csv/publisher", Severity: Warning, Gates: GateHub,
		Doc: `an operator has no provider, maintainers or links
The hub requires a provider, maintainers with name and e-mail, and links with name and URL. Users need them for support.
Set spec.provider, spec.maintainers and spec.links.`,
		Reference: "operator-framework/api operatorhub.go; operator-pipelines check_required_fields",
		Check:     inHeadBundles(withCSV(checkPublisher)),
	},
	{
		ID: "csv/description", Severity: Warning, Gates: GateHub,
		Doc: `an operator has no useful display name or description
The hub requires a display name of 3 to 50 characters and a description of at least 20. The console shows little else before the
installation.
Set spec.displayName and spec.description.`,
		Reference: "operator-pipelines static_tests/community check_required_fields",
		Check:     inHeadBundles(withCSV(checkDescription)),
	},
	{
		ID: "csv/capabilities", Severity: Warning, Gates: GateHub,
		Doc: `the capability level of an operator is unknown
The annotation capabilities has one of five values, by which users filter. The hub rejects other values.
Use one of the five values exactly.`,
		Reference: "operator-framework/api standardcapabilities.go",
		Check:     inHeadBundles(withCSV(checkCapabilities)),
	},
	{
		ID: "csv/categories", Severity: Warning, Gates: GateHub,
		Doc: `a category of an operator is unknown
The annotation categories has values of a fixed list, separated by commas, by which users find the operator. The hub rejects other
values.
Use categories of the list.`,
		Reference: "operator-framework/api standardcategories.go; operator-pipelines validations.py",
		Check:     inHeadBundles(withCSV(checkCategories)),
	},
	{
		ID: "csv/annotations", Severity: Info, Gates: GateHub,
		Doc: `annotations that the hub shows are missing
The hub shows the repository and the image of an operator, its creation date and its support, from annotations of the
ClusterServiceVersion. The pipelines warn if they are missing.
Add them.`,
		Reference: "operator-pipelines static_tests/community check_required_fields",
		Check:     inHeadBundles(withCSV(checkAnnotations)),
	},
	{
		ID: "csv/example-missing", Severity: Info, Gates: GateAdvice,
		Doc: `an API has no example
The console generates the form for a new object from an example in the annotation alm-examples. Without an example the form is
empty.
Add an example of each owned API.`,
		Reference: "operator-framework/api csv.go matchGVKProvidedAPIs",
		Check:     inHeadBundles(withCSV(checkExamplesMissing)),
	},
	{
		ID: "csv/crd-description", Severity: Info, Gates: GateAdvice,
		Doc: `a CRD has no description
The console shows the description of each owned and required CRD. Without one it shows only the name.
Add a description to the entry.`,
		Reference: "operator-framework/api good_practices.go validateCrdDescriptions",
		Check:     inHeadBundles(withCSV(checkCRDDescriptions)),
	},
	{
		ID: "csv/create-crds", Severity: Info, Gates: GateAdvice,
		Doc: `an operator may create CRDs
OLM tracks the owner of CRDs in a bundle, and protects stored objects in upgrades. It does not know CRDs that an operator creates.
Put the CRDs into the bundle, or require the operator that has them.`,
		Reference: "operator-framework/api good_practices.go validateRBACForCRDsWith",
		Check:     inHeadBundles(withReadableCSV(eachRule(checkCreateCRDs))),
	},
	{
		ID: "csv/resource-requests", Severity: Info, Gates: GateAdvice,
		Doc: `a container has no requests for cpu and memory
A namespace with a quota rejects pods without requests, and a node under pressure evicts them first.
Set resources.requests.cpu and resources.requests.memory.`,
		Reference: "operator-framework/api good_practices.go validateResourceRequests",
		Check:     inHeadBundles(withReadableCSV(checkRequests)),
	},
	{
		ID: "csv/related-images", Severity: Info, Gates: GateAdvice,
		Doc: `an image is not in the relatedImages
Clusters without internet access pull images from a mirror that is made from the relatedImages. An image in a variable
RELATED_IMAGE_… that is not among them cannot be pulled there.
Add the image to spec.relatedImages.`,
		Reference: "operator-registry pkg/registry csv.go GetRelatedImages",
		Check:     inHeadBundles(withReadableCSV(checkRelatedImages)),
	},
}
