// Package csv has the rules on ClusterServiceVersions.
package csv

import (
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Contents, InfoIfPublished: lint.Error}, []lint.Rule{
		{
			ID: "csv/field-type", NeedsManifests: true, Severity: lint.Error,
			Doc: `a field of a ClusterServiceVersion has the wrong type or value
OLM decodes a ClusterServiceVersion into fields of fixed types, and rejects all of it if one does not match. The usual cause is a
number without quotes where a string is required. The API server also rejects an invalid quantity, a type of webhook that does
not exist, and two containers, variables, ports or mounts with the same key.
Write the value in the required type.`,
			Reference: "operator-framework/api pkg/operators/v1alpha1, crds/operators.coreos.com_clusterserviceversions.yaml",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/name", Severity: lint.Error, OtherGates: lint.GateAPIServer,
			Doc: `the name of a ClusterServiceVersion is invalid
It must be a name that Kubernetes accepts: lower-case letters, digits, dots and hyphens. It must also be a valid label value, at
most 63 characters, since OLM v0 labels with it all objects that it creates.
Shorten or rename it; also change what replaces or skips it.`,
			Reference: "operator-framework/api csv.go parseCSVNameFormat",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/required-field", NeedsManifests: true, Severity: lint.Error,
			OtherGates: lint.GateOLMv1 | lint.GateAdvice,
			Doc: `a ClusterServiceVersion lacks a required field
It needs its apiVersion, a display name, the install strategy deployment, a service account in each of its
permissions, and what its CRD requires: deployments with a selector and containers, rules with verbs. OLM v0 sends
a missing list or object to the API server as null, which the API server rejects. If a misspelt key is there
instead, the finding names it. An apiVersion other than v1alpha1 is an info: OLM reads only the kind.
Add the field.`,
			Reference: "operator-framework/api crds/operators.coreos.com_clusterserviceversions.yaml, typecheck.go",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/unknown-key", NeedsManifests: true, Severity: lint.Warning,
			Doc: `a ClusterServiceVersion has an unknown key
OLM and the API server drop keys that the CRD of ClusterServiceVersions does not have, at any depth: permissions, variables or annotations
are missing on the cluster. It is an info for a key that is like no other, outside of spec.install and the webhooks, and
for one in the wrong case, which OLM v0 reads. In bundle folders manifest/unknown-key reports misspelt keys of the spec.
Correct the key, move it to where it belongs, or remove it.`,
			Reference: "operator-framework/api crds/operators.coreos.com_clusterserviceversions.yaml; Kubernetes apiextensions-apiserver pruning",
			Check:     contents.InHeads(contents.ReportReasons),
		},
		{
			ID: "csv/crd-entry", Severity: lint.Error,
			Doc: `an owned or required CRD is incomplete
OLM finds each CRD by its name, plural.group, with its version and kind. Without one of these it stays Pending.
Set name, version and kind.`,
			Reference: "operator-framework/api csv.go getProvidedAPIs; OLM requirements.go",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/version", NeedsManifests: true, Severity: lint.Error, Gates: lint.GatePipelines, OtherGates: lint.GateOLMv0 | lint.GateAPIServer,
			Doc: `the version of a ClusterServiceVersion is missing or invalid
Without spec.version, or with 0.0.0, users see no version, and the pipelines reject it. OLM v0 cannot read what is not a semantic
version. A release has at most 20 characters, and excludes olm.substitutesFor.
Write major.minor.patch.`,
			Reference: "operator-framework/api pkg/lib/version, pkg/lib/release, operatorhub.go checkSpecVersion",
			Check:     contents.InHeads(contents.WithReadableCSV(checkCSVVersion)),
		},
		{
			ID: "csv/min-kube-version", Severity: lint.Error, OtherGates: lint.GateAdvice,
			Doc: `the minKubeVersion of a ClusterServiceVersion is invalid or too new
OLM v0 compares it with the version of the cluster. It never completes the installation if it cannot parse
three numbers, or if the cluster is older. It is an error if the catalog is known to be for an older
cluster, and an info if only bundles of the repository name that OpenShift version: its index may no longer
exist. Without a minKubeVersion the operator is offered to clusters of any version, which is an info.
Write three numbers, for example 1.25.0.`,
			Reference: "OLM pkg/controller/operators/olm requirements.go minKubeVersionStatus; operator-framework/api csv.go",
			Check:     contents.InHeads(contents.WithCSV(checkMinKube)),
		},
		{
			ID: "csv/install-modes", Severity: lint.Error,
			Doc: `no OperatorGroup fits a ClusterServiceVersion
An OperatorGroup selects the namespaces that an operator watches, and OLM v0 installs the operator if it supports that install
mode. If no mode is supported, every installation fails; if one is listed twice, those of OLM v0.
List the four install modes, each once, and support at least one.`,
			Reference: "operator-framework/api csv.go validateInstallModes; v1alpha1 NewInstallModeSet",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/install-mode-lost", Severity: lint.Error,
			Doc: `an upgrade removes an install mode
OLM v0 upgrades users of all install modes. For users of a mode that the new version does not support the upgrade fails with
UnsupportedOperatorGroup: the new version does not run, and the old one keeps running. With a base it is a warning if
upgrades to its heads fail alike.
Keep supporting the mode, or provide a separate channel for its users.`,
			Reference: "OLM pkg/controller/operators/olm operatorgroup.go; v1alpha1 InstallModeSet.Supports",
			Check:     contents.JudgedUpgrades,
		},
		{
			ID: "csv/all-namespaces", Severity: lint.Info,
			Doc: `OLM v1 installs an operator without AllNamespaces only with a configuration
OLM v1 installs operators that support AllNamespaces. Other operators need a namespace to watch in the configuration of the
ClusterExtension, if the cluster has that feature.
Support AllNamespaces, if the operator can watch all namespaces.`,
			Reference: "operator-controller rukpak/render/registryv1",
			Check:     contents.InHeads(contents.ReportReasons),
		},
		{
			ID: "csv/webhook", NeedsManifests: true, Severity: lint.Error,
			Doc: `a webhook is invalid
OLM creates the webhooks of a ClusterServiceVersion under their generateName, which is required and must be unique.
Complete the webhook.`,
			Reference: "OLM pkg/controller/operators/olm operator.go; operator-controller CheckWebhookNameUniqueness",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/webhook-rules", NeedsManifests: true, Severity: lint.Error,
			Doc: `a webhook has rules that OLM rejects
A webhook on all API groups, on those of OLM, or on webhooks themselves could block OLM or the cluster: OLM rejects it.
Name only the API groups and resources that the operator needs.`,
			Reference: "OLM pkg/controller/install ValidWebhookRules; operator-controller CheckWebhookRules",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/deployment-reference", NeedsManifests: true, Severity: lint.Error,
			Doc: `a webhook or API service has no deployment
Each names the deployment that serves it. If the ClusterServiceVersion has no such deployment, OLM v1 rejects the bundle, and with
OLM v0 the API server calls a service without endpoints.
Name one of the deployments in spec.install.`,
			Reference: "operator-controller CheckWebhookDeploymentReferentialIntegrity; OLM requirements.go",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/deployment-name", NeedsManifests: true, Severity: lint.Error, OtherGates: lint.GateOLMv0 | lint.GateAPIServer,
			Doc: `the name of a deployment is not unique or not valid
Of two deployments of the same name the second overwrites the first with OLM v0; OLM v1 rejects the bundle. With a name that
Kubernetes does not accept the installation fails.
Give each deployment a unique name of lower-case letters, digits and hyphens.`,
			Reference: "operator-controller CheckDeploymentSpecUniqueness, CheckDeploymentNameIsDNS1123SubDomain",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/deployment-spec", NeedsManifests: true, Severity: lint.Error,
			Doc: `the API server rejects a Deployment of a ClusterServiceVersion
OLM creates the Deployments of a ClusterServiceVersion. The API server rejects one whose selector does not match its pods, without containers,
with a container that has no image or mounts a volume that the pod does not have. OLM v0 retries without end (InstallComponentFailed).
Correct the Deployment.`,
			Reference: "Kubernetes pkg/apis/apps/validation ValidateDeploymentSpec; OLM install CreateOrUpdateDeployment",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/deployment-account", NeedsManifests: true, Severity: lint.Warning,
			Doc: `nobody creates the service account of a Deployment
OLM creates the service accounts that the permissions of a ClusterServiceVersion name, and those in the bundle. Without its account a
Deployment starts no pod, and the installation fails after five minutes.
Give the account permissions, or add it to the bundle.`,
			Reference: "OLM pkg/controller/operators/olm apiservices; Kubernetes admission plugin ServiceAccount",
			Check:     contents.InHeads(contents.ReportReasons),
		},
		{
			ID: "csv/native-api", Severity: lint.Info,
			Doc: `a ClusterServiceVersion requires an API that not every cluster serves
A ClusterServiceVersion stays Pending under OLM v0 (RequirementsNotMet) until the cluster serves each of its native APIs. OLM installs none of
them; those of Kubernetes itself are always there.
Require the API as a CRD, so that OLM installs the operator that has it.`,
			Reference: "OLM pkg/controller/operators/olm requirements.go requirementStatus",
			Check:     contents.InHeads(contents.ReportReasons),
		},
		{
			ID: "csv/rules", Severity: lint.Error,
			Doc: `a rule of a role is not valid
A rule needs verbs, and either API groups with resources, or paths of the API server, which are allowed for the whole cluster
only. Otherwise the API server rejects the whole role, and the operator stays Pending in OLM v0.
Complete the rule.`,
			Reference: "OLM pkg/controller/install rule_checker.go; Kubernetes pkg/apis/rbac/validation",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "csv/owned-api-service", Severity: lint.Warning,
			Doc: `OLM v1 does not support API services
An operator that serves an API by an APIService can be installed by OLM v0 only.
Serve the API by a CRD, or document that OLM v1 is not supported.`,
			Reference: "operator-controller rukpak/render/registryv1",
			Check:     contents.InHeads(contents.ReportReasons),
		},
		{
			ID: "csv/examples", Severity: lint.Error, Gates: lint.GatePipelines, OtherGates: lint.GateAdvice,
			Doc: `the examples cannot be read
The annotation alm-examples is a JSON list of custom resources, from which the console generates its forms. The pipelines
reject anything else.
Write a JSON list.`,
			Reference: "operator-framework/api csv.go validateExamplesAnnotations",
			Check:     contents.InHeads(contents.WithCSV(checkExampleJSON)),
		},
		{
			ID: "csv/example-not-owned", Severity: lint.Error, Gates: lint.GatePipelines,
			Doc: `an example is of an API that is not owned
Each example is of an API that the operator owns, in that version. The pipelines reject other examples: the console would offer an API
that the operator does not serve.
Write it for an owned version, or remove it.`,
			Reference: "operator-framework/api csv.go matchGVKProvidedAPIs",
			Check:     contents.InHeads(contents.WithCSV(checkExamplesOwned)),
		},
		{
			ID: "csv/annotation-case", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `an annotation of OLM has the wrong case
OLM finds its annotations by their exact names, and ignores one with a letter in the wrong case: for example a skipRange that
skips nothing.
Write it as OLM does.`,
			Reference: "operator-framework/api annotations.go ValidateAnnotationNames",
			Check:     contents.InHeads(contents.WithCSV(checkAnnotationCase)),
		},
		{
			ID: "csv/publisher", Severity: lint.Error, Gates: lint.GatePipelines,
			Doc: `an operator has no provider, maintainers or links
All pipelines require a provider, a name and an e-mail of each maintainer, and a name and a URL of each link. The pipeline of the
community catalog also requires at least one maintainer and one link. Users need them for support.
Set spec.provider, spec.maintainers and spec.links.`,
			Reference: "operator-framework/api operatorhub.go; operator-pipelines check_required_fields",
			Check:     contents.InHeads(contents.WithCSV(checkPublisher)),
		},
		{
			ID: "csv/description", Severity: lint.Error, Gates: lint.GateCommunity,
			Doc: `an operator has no useful display name or description
The pipeline of the community catalog requires a display name of at least 3 characters and a description of at least 20. The console
shows little else before the installation.
Set spec.displayName and spec.description.`,
			Reference: "operator-pipelines static_tests/community check_required_fields",
			Check:     contents.InHeads(contents.WithCSV(checkDescription)),
		},
		{
			ID: "csv/categories", Severity: lint.Error, Gates: lint.GatePipelines,
			Doc: `a category or the capability level of an operator is unknown
The annotation categories has values of a fixed list, separated by commas, and capabilities
has one of five values. Users find the operator by them. The pipelines reject other values.
Use values of the lists exactly.`,
			Reference: "operator-framework/api standardcategories.go, standardcapabilities.go; operator-pipelines validations.py",
			Check:     contents.InHeads(contents.WithCSV(checkCategories)),
		},
		{
			ID: "csv/annotations", Severity: lint.Warning, Gates: lint.GateCommunity,
			Doc: `annotations that the catalog shows are missing
The catalog shows the repository and the image of an operator, its creation date and its support, from annotations of the
ClusterServiceVersion. The pipeline of the community catalog warns if they are missing.
Add them.`,
			Reference: "operator-pipelines static_tests/community check_required_fields",
			Check:     contents.InHeads(contents.WithCSV(checkAnnotations)),
		},
		{
			ID: "csv/example-missing", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `an API has no example
The console generates the form for a new object from an example in the annotation alm-examples. Without an example the form is
empty.
Add an example of each owned API.`,
			Reference: "operator-framework/api csv.go matchGVKProvidedAPIs",
			Check:     contents.InHeads(contents.WithCSV(checkExamplesMissing)),
		},
		{
			ID: "csv/crd-description", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `a CRD has no description
The console shows the description of each owned and required CRD. Without one it shows only the name.
Add a description to the entry.`,
			Reference: "operator-framework/api good_practices.go validateCrdDescriptions",
			Check:     contents.InHeads(contents.WithCSV(checkCRDDescriptions)),
		},
		{
			ID: "csv/resource-requests", NeedsManifests: true, Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `a container has no requests for cpu and memory
A namespace with a quota rejects pods without requests, and a node under pressure evicts them first.
Set resources.requests.cpu and resources.requests.memory.`,
			Reference: "operator-framework/api good_practices.go validateResourceRequests",
			Check:     contents.InHeads(contents.WithReadableCSV(checkRequests)),
		},
		{
			ID: "csv/related-images", NeedsManifests: true, Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `an image is not in the relatedImages
Clusters without internet access pull images from a mirror that is made from the relatedImages. An image in a variable
RELATED_IMAGE_… that is not among them cannot be pulled there.
Add the image to spec.relatedImages.`,
			Reference: "operator-registry pkg/registry csv.go GetRelatedImages",
			Check:     contents.InHeads(contents.WithReadableCSV(checkRelatedImages)),
		},
		{
			ID: "csv/icon", NeedsManifests: true, Severity: lint.Error, Gates: lint.GatePipelines,
			Doc: `a ClusterServiceVersion has no icon, or one that the pipelines reject
The console shows the icon of an operator beside its name. All pipelines require that it is one image, in SVG, PNG, JPEG or GIF. The
pipeline of the community catalog also rejects an operator without an icon, and data that is not base64.
Set base64data and mediatype of one item in spec.icon.`,
			Reference: "operator-framework/api operatorhub.go checkSpecIcon; operator-pipelines validations.py validate_icon",
			Check:     contents.InHeads(contents.WithReadableCSV(checkIcon)),
		},
		{
			ID: "csv/name-convention", Severity: lint.Warning, Gates: lint.GateCommunity, OtherGates: lint.GatePipelines,
			Doc: `the name of a ClusterServiceVersion is not operator.vVERSION
Tools find the operator and the version in the name of a ClusterServiceVersion. The pipeline of the community catalog warns if it is
not the operator, ".v" and a semantic version. All pipelines reject a name without a dot.
Name the next version so. The names of published versions must stay: users have them.`,
			Reference: "operator-framework/api good_practices.go checkBundleName; operator-pipelines core.py csv_full_name",
			Check:     contents.InHeads(contents.WithReadableCSV(contents.InFolder(checkNameConvention))),
		},
		{
			ID: "csv/keywords", NeedsManifests: true, Severity: lint.Warning, Gates: lint.GateCommunity,
			Doc: `an operator has no keywords
The console searches the keywords of an operator. The pipeline of the community catalog warns if there are none.
Set spec.keywords.`,
			Reference: "operator-pipelines static_tests/community check_required_fields",
			Check:     contents.InHeads(contents.WithReadableCSV(checkKeywords)),
		},
		{
			ID: "csv/related-image-spec", NeedsManifests: true, Severity: lint.Error, Gates: lint.GatePipelines, OtherGates: lint.GateOPM,
			Doc: `a related image is not a pull spec
spec.relatedImages has the images of the operator, which mirrors pull. Each one needs a reference that a container runtime can pull. The
pipelines reject others, and opm rejects what it makes of the bundle, except for an empty one. Of a file-based catalog opm reads the
relatedImages of the olm.bundle instead: see catalog/pull-spec.
Correct the reference.`,
			Reference: "operator-framework/api bundle.go validateRelatedImages; operator-registry validateImagePullSpec",
			Check:     contents.InHeads(contents.WithReadableCSV(checkRelatedImageSpecs)),
		},
		{
			ID: "csv/marketplace", Severity: lint.Error, Gates: lint.GateMarketplace,
			Doc: `an operator of the marketplace lacks its links
The console links to the price and the support of an operator of the marketplace by two annotations. The pipeline of the marketplace
catalog requires the exact links of the package. It is checked if that pipeline judges the catalog.
Set both annotations.`,
			Reference: "operator-pipelines static_tests/isv check_marketplace_annotation",
			Check:     contents.InHeads(contents.WithReadableCSV(contents.InFolder(checkMarketplace))),
		},
	})
}
