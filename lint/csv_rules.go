package lint

// csvRules judge ClusterServiceVersions: what cannot be installed first, then what the hub wants, then good practice.
var csvRules = []Rule{
	{
		ID: "csv/field-type", Severity: Error, Gates: GateHub | GateOLMv0,
		Doc: `a field of a ClusterServiceVersion has the wrong type
OLM reads a ClusterServiceVersion into fields of fixed types, and takes none of it where one does not fit: a number where a string
is wanted, mostly, for want of quotes.
Write the value in the type that is wanted.`,
		Reference: "operator-framework/api pkg/operators/v1alpha1",
		Check:     inAllBundles(withReadableCSV(checkFieldType)),
	},
	{
		ID: "csv/name", Severity: Error, Gates: GateHub | GateOLMv0, OtherGates: GateAPIServer,
		Doc: `the name of a ClusterServiceVersion is none
It must be a name that Kubernetes takes: lower-case letters, digits, dots and hyphens. And it must fit into a label, since OLM v0
marks with it all that it makes: 63 characters.
Shorten or rename it; what replaces or skips it has to be changed too.`,
		Reference: "operator-framework/api csv.go parseCSVNameFormat",
		Check:     inAllBundles(checkCSVName),
	},
	{
		ID: "csv/required-field", Severity: Error, Gates: GateHub | GateOLMv0 | GateAPIServer,
		Doc: `a ClusterServiceVersion lacks what it must have
It needs its apiVersion, a display name, the install strategy deployment, a list of deployments with selectors, and rules and a
service account in each of its permissions. What is absent OLM v0 hands to the API server as null, which refuses it.
Add the field.`,
		Reference: "operator-framework/api crds/operators.coreos.com_clusterserviceversions.yaml, typecheck.go",
		Check:     inAllBundles(withReadableCSV(checkRequired)),
	},
	{
		ID: "csv/crd-entry", Severity: Error, Gates: GateHub | GateOLMv0,
		Doc: `an owned or required CRD is not named in full
OLM looks for each CRD by its name, plural.group, with its version and kind. Without these it waits for ever.
Set name, version and kind.`,
		Reference: "operator-framework/api csv.go getProvidedAPIs; OLM requirements.go",
		Check:     inAllBundles(withCSV(checkCRDEntries)),
	},
	{
		ID: "csv/version", Severity: Error, Gates: GateHub, OtherGates: GateOLMv0 | GateAPIServer,
		Doc: `the version in a ClusterServiceVersion is none
Without spec.version, or with 0.0.0, users see no version, and the hub refuses it: a warning, since the catalog may have one. What
is no semantic version OLM v0 cannot read. A release has at most 20 characters, and cannot be with olm.substitutesFor.
Write major.minor.patch.`,
		Reference: "operator-framework/api pkg/lib/version, pkg/lib/release, operatorhub.go checkSpecVersion",
		Check:     inHeadBundles(withReadableCSV(checkCSVVersion)),
	},
	{
		ID: "csv/min-kube-version", Severity: Error, Gates: GateHub | GateOLMv0, OtherGates: GateAdvice,
		Doc: `the minKubeVersion of a ClusterServiceVersion cannot be met
OLM v0 compares it with the cluster's version, and wants three numbers: it never finishes the install where it cannot read them, or
where the cluster is older. If the catalog is known to be for an older cluster, that is an error. Without a minKubeVersion the
operator is offered to clusters of any age, which is said for information.
Write three numbers, as 1.25.0.`,
		Reference: "OLM pkg/controller/operators/olm requirements.go minKubeVersionStatus; operator-framework/api csv.go",
		Check:     inHeadBundles(withCSV(checkMinKube)),
	},
	{
		ID: "csv/install-modes", Severity: Error, Gates: GateHub | GateOLMv0,
		Doc: `no OperatorGroup fits a ClusterServiceVersion
Users choose by an OperatorGroup which namespaces an operator watches, and OLM v0 installs it if it supports that install mode.
With none supported, or one listed twice, it fails for everybody.
List the four install modes, each once, and support at least one.`,
		Reference: "operator-framework/api csv.go validateInstallModes; v1alpha1 NewInstallModeSet",
		Check:     inAllBundles(withCSV(checkInstallModes)),
	},
	{
		ID: "csv/install-mode-lost", Severity: Error, Gates: GateOLMv0,
		Doc: `an upgrade takes an install mode away
OLM v0 upgrades users of all install modes alike. Those whose mode the new version does not support any more get it all the same,
and it fails with UnsupportedOperatorGroup: the old version is gone, the new one does not run.
Support the mode still, or lead its users to a channel of their own.`,
		Reference: "OLM pkg/controller/operators/olm operatorgroup.go; v1alpha1 InstallModeSet.Supports",
		Check:     checkModeLost,
	},
	{
		ID: "csv/all-namespaces", Severity: Info, Gates: GateOLMv1,
		Doc: `OLM v1 does not install an operator for single namespaces by itself
OLM v1 installs what supports AllNamespaces. Other operators need a namespace to watch in the configuration of the
ClusterExtension, where the cluster has that feature at all.
Support AllNamespaces, if the operator can watch all of them.`,
		Reference: "operator-controller rukpak/render/registryv1",
		Check:     inHeadBundles(withCSV(checkAllNamespaces)),
	},
	{
		ID: "csv/webhook", Severity: Error, Gates: GateOLMv0 | GateOLMv1, OtherGates: GateAPIServer,
		Doc: `a webhook cannot be made
OLM makes the webhooks of a ClusterServiceVersion under their generateName, which has to be there and to be one's own. The API
server wants sideEffects and admissionReviewVersions too, and knows three types.
Complete the webhook.`,
		Reference: "OLM pkg/controller/operators/olm operator.go; operator-controller CheckWebhookNameUniqueness",
		Check:     inAllBundles(withReadableCSV(checkWebhooks)),
	},
	{
		ID: "csv/webhook-rules", Severity: Error, Gates: GateOLMv0 | GateOLMv1,
		Doc: `a webhook wants to be asked about what could stop OLM
A webhook on all API groups, on those of OLM, or on webhooks themselves could keep a cluster from being mended: OLM refuses it.
Name the API groups and resources that the operator is about.`,
		Reference: "OLM pkg/controller/install ValidWebhookRules; operator-controller CheckWebhookRules",
		Check:     inAllBundles(withReadableCSV(checkWebhookRules)),
	},
	{
		ID: "csv/deployment-reference", Severity: Error, Gates: GateOLMv0 | GateOLMv1,
		Doc: `a webhook or API service has no deployment
Each names the deployment that answers for it. If the ClusterServiceVersion has none of that name, OLM v1 refuses the bundle, and
with OLM v0 the API server calls a service with nobody behind it.
Name one of the deployments in spec.install.`,
		Reference: "operator-controller CheckWebhookDeploymentReferentialIntegrity; OLM requirements.go",
		Check:     inAllBundles(withReadableCSV(checkReferences)),
	},
	{
		ID: "csv/deployment-name", Severity: Error, Gates: GateOLMv1, OtherGates: GateOLMv0 | GateAPIServer,
		Doc: `a deployment has no name of its own
Of two deployments of the same name the second overwrites the first with OLM v0; OLM v1 refuses the bundle. A name that Kubernetes
does not take makes the install fail.
Give each deployment a name of lower-case letters, digits and hyphens.`,
		Reference: "operator-controller CheckDeploymentSpecUniqueness, CheckDeploymentNameIsDNS1123SubDomain",
		Check:     inAllBundles(withReadableCSV(checkDeploymentNames)),
	},
	{
		ID: "csv/rules", Severity: Error, Gates: GateOLMv0 | GateOLMv1 | GateAPIServer,
		Doc: `a rule of a role is not valid
A rule needs verbs, and either API groups with resources or paths of the API server, the latter for the whole cluster only. The API
server refuses the whole role otherwise: OLM v0 leaves the operator Pending.
Complete the rule.`,
		Reference: "OLM pkg/controller/install rule_checker.go; Kubernetes pkg/apis/rbac/validation",
		Check:     inAllBundles(eachRule(checkRule)),
	},
	{
		ID: "csv/owned-api-service", Severity: Warning, Gates: GateOLMv1,
		Doc: `OLM v1 does not know API services
An operator that serves an API itself, by an APIService, can be installed by OLM v0 only.
Serve the API by a CRD, or tell users of OLM v1.`,
		Reference: "operator-controller rukpak/render/registryv1",
		Check:     inHeadBundles(withCSV(checkOwnedServices)),
	},
	{
		ID: "csv/examples", Severity: Error, Gates: GateHub, OtherGates: GateAdvice,
		Doc: `the examples cannot be read
The annotation alm-examples is a JSON list of custom resources, from which the console makes its forms. The hub refuses what is
none.
Write a JSON list.`,
		Reference: "operator-framework/api csv.go validateExamplesAnnotations",
		Check:     inHeadBundles(withCSV(checkExampleJSON)),
	},
	{
		ID: "csv/example-not-owned", Severity: Error, Gates: GateHub,
		Doc: `an example is of an API that is not owned
Each example shows an API that the operator owns, in that version. The hub refuses another one, which the console would offer, and
nobody serve.
Write it for an owned version, or take it out.`,
		Reference: "operator-framework/api csv.go matchGVKProvidedAPIs",
		Check:     inHeadBundles(withCSV(checkExamplesOwned)),
	},
	{
		ID: "csv/annotation-case", Severity: Error, Gates: GateHub,
		Doc: `an annotation of OLM is written in other letters
OLM finds its annotations by their exact names. With a letter in the wrong case it passes them over: a skipRange that skips nothing.
Write it as OLM does.`,
		Reference: "operator-framework/api annotations.go ValidateAnnotationNames",
		Check:     inHeadBundles(withCSV(checkAnnotationCase)),
	},
	{
		ID: "csv/publisher", Severity: Warning, Gates: GateHub,
		Doc: `users do not learn who stands behind an operator
The hub wants a provider, maintainers with name and e-mail, and links with name and URL: users turn to them when something fails.
Fill in spec.provider, spec.maintainers and spec.links.`,
		Reference: "operator-framework/api operatorhub.go; operator-pipelines check_required_fields",
		Check:     inHeadBundles(withCSV(checkPublisher)),
	},
	{
		ID: "csv/description", Severity: Warning, Gates: GateHub,
		Doc: `users do not learn what an operator is for
The hub wants a display name of 3 to 50 characters and a description of 20 at least: the console shows little else before the
install.
Fill in spec.displayName and spec.description.`,
		Reference: "operator-pipelines static_tests/community check_required_fields",
		Check:     inHeadBundles(withCSV(checkDescription)),
	},
	{
		ID: "csv/capabilities", Severity: Warning, Gates: GateHub,
		Doc: `the capability level of an operator is unknown
The annotation capabilities takes one of five values, by which users filter. The hub refuses another one.
Write one of the five as it stands there.`,
		Reference: "operator-framework/api standardcapabilities.go",
		Check:     inHeadBundles(withCSV(checkCapabilities)),
	},
	{
		ID: "csv/categories", Severity: Warning, Gates: GateHub,
		Doc: `a category of an operator is unknown
The annotation categories takes values of a list, separated by commas, under which users find the operator. The hub refuses others.
Use categories of the list.`,
		Reference: "operator-framework/api standardcategories.go; operator-pipelines validations.py",
		Check:     inHeadBundles(withCSV(checkCategories)),
	},
	{
		ID: "csv/annotations", Severity: Info, Gates: GateHub,
		Doc: `annotations that the hub shows are missing
The hub shows where an operator's code and image are, when it was made and who supports it, from annotations of the
ClusterServiceVersion. The pipelines warn where they are missing.
Add them.`,
		Reference: "operator-pipelines static_tests/community check_required_fields",
		Check:     inHeadBundles(withCSV(checkAnnotations)),
	},
	{
		ID: "csv/example-missing", Severity: Info, Gates: GateAdvice,
		Doc: `an API has no example
The console makes the form for a new object from an example in the annotation alm-examples. Without one users begin with an empty
page.
Add an example of each owned API.`,
		Reference: "operator-framework/api csv.go matchGVKProvidedAPIs",
		Check:     inHeadBundles(withCSV(checkExamplesMissing)),
	},
	{
		ID: "csv/crd-description", Severity: Info, Gates: GateAdvice,
		Doc: `a CRD is not described
The console shows, for each owned and required CRD, what it is for. Without a description there is only its name.
Add a description to the entry.`,
		Reference: "operator-framework/api good_practices.go validateCrdDescriptions",
		Check:     inHeadBundles(withCSV(checkCRDDescriptions)),
	},
	{
		ID: "csv/create-crds", Severity: Info, Gates: GateAdvice,
		Doc: `an operator may make CRDs by itself
CRDs that come in a bundle OLM keeps in order: it sees who owns them, and keeps an upgrade from losing what is stored. Of those that
an operator makes it knows nothing.
Bring the CRDs in the bundle, or require the operator that has them.`,
		Reference: "operator-framework/api good_practices.go validateRBACForCRDsWith",
		Check:     inHeadBundles(withReadableCSV(eachRule(checkCreateCRDs))),
	},
	{
		ID: "csv/resource-requests", Severity: Info, Gates: GateAdvice,
		Doc: `a container asks for no cpu and memory
A namespace with a quota refuses pods without requests, and on a full node they are the first to be stopped.
Set resources.requests.cpu and resources.requests.memory.`,
		Reference: "operator-framework/api good_practices.go validateResourceRequests",
		Check:     inHeadBundles(withReadableCSV(checkRequests)),
	},
	{
		ID: "csv/related-images", Severity: Info, Gates: GateAdvice,
		Doc: `an image is not in the relatedImages
Clusters without internet access get the images from a mirror, made of the relatedImages. What an operator is told of in variables
RELATED_IMAGE_…, and is not among them, cannot be pulled there.
Add the image to spec.relatedImages.`,
		Reference: "operator-registry pkg/registry csv.go GetRelatedImages",
		Check:     inHeadBundles(withReadableCSV(checkRelatedImages)),
	},
}
