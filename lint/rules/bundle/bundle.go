// Package bundle has the rules on bundles and package manifests, on the objects of a bundle other than its ClusterServiceVersion and CRDs, on its images,
// and on upgrades that OLM chooses and that then fail on the cluster; those on CRDs are in package crd.
package bundle

import (
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Contents, InfoIfPublished: lint.Error}, []lint.Rule{
		{
			ID: "bundle/drift", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `the catalog and the ClusterServiceVersion differ
In a file-based catalog only the channel entry states what a bundle replaces and skips. The
values in its ClusterServiceVersion have no effect, and mislead people who read or edit them
there. A different name or version is a warning: OLM v0 installs one and searches for the other. So is another
skipRange of a new bundle, unless that of the head before was in no entry either.
Give both the same values in the next bundle, or remove replaces, skips and olm.skipRange from the ClusterServiceVersion.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel; OLM resolver",
			Check:     contents.InNewAndHeads(contents.WithCSV(checkDrift)),
		},
		{
			ID: "bundle/other-manifests", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `the manifests belong to another bundle of the same name
The bundle in the folder, or in the other catalog, has the same package and name, but its version, image
or APIs differ from those in the catalog. Its manifests are not those of the image, and were not used.
Render the bundle again, or correct the one that --bundles or operators/ has.`,
			Reference: "operator-registry alpha/action Render, which reads the image",
			Check:     contents.InAllBundles(checkMisfit),
		},
		{
			ID: "bundle/missing-owned-crd", NeedsManifests: true, Severity: lint.Error,
			Doc: `a bundle does not contain a CRD that it owns
OLM v0 waits until the owned CRD exists in that version, and OLM v1 rejects the bundle. It cannot be installed on a cluster that
does not have the CRD from elsewhere.
Add the CRD to the bundle, or correct the name, version or kind in spec.customresourcedefinitions.owned.`,
			Reference: "operator-registry pkg/registry Bundle.AllProvidedAPIsInBundle; operator-controller CheckOwnedCRDExistence",
			Check:     contents.InAllBundles(inCatalog(contents.ReportReasons)),
		},
		{
			ID: "bundle/extra-crd", NeedsManifests: true, Severity: lint.Error, Gates: lint.GatePipelines,
			Doc: `a bundle contains a CRD that it does not own
OLM installs the CRD, but neither the console nor other operators see which operator serves it, and two operators can ship it
without a conflict being detected.
List it in spec.customresourcedefinitions.owned, or remove it.`,
			Reference: "operator-framework/api pkg/validation/internal bundle.go validateOwnedCRDs",
			Check:     contents.InHeads(contents.WithReadableCSV(checkExtraCRD)),
		},
		{
			ID: "bundle/owned-version-not-served", NeedsManifests: true, Severity: lint.Error,
			Doc: `an owned version is not served by the bundle's own CRD
OLM v0 completes an installation only if every owned CRD serves the listed version. If the bundle's own CRD has served: false, the
ClusterServiceVersion stays Pending, and every later upgrade waits.
Own a version that the CRD serves, or serve it.`,
			Reference: "OLM pkg/controller/operators/olm requirements.go",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "bundle/unsupported-kind", Severity: lint.Error,
			Doc: `a bundle contains a kind of object that OLM does not install
OLM has a list of supported kinds. With any other kind the InstallPlan of OLM v0 fails, and OLM v1 and opm alpha bundle validate
reject the bundle. OLM v0 does not support PodMonitor, OLM v1 does not support Subscription.
Let the operator create the object when it starts, or remove it.`,
			Reference: "operator-registry pkg/lib/bundle supported_resources.go; OLM pkg/controller/operators/catalog supportedresources.go",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "bundle/multi-document", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `a file has several documents
OLM v0 and opm read only the first document of a file and ignore the others silently; OLM v1 installs all of them. The same bundle
then differs between clusters.
Write each object to its own file.`,
			Reference: "operator-registry pkg/registry DecodeFile; operator-controller rukpak/bundle/source",
			Check:     contents.InHeads(checkDocuments),
		},
		{
			ID: "bundle/several-csvs", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `a bundle has several ClusterServiceVersions
A bundle is one version of one operator. If there are several ClusterServiceVersions, opm takes the first one and OLM v1 the last
one.
Keep one.`,
			Reference: "operator-registry pkg/registry ReadCSVFromBundleDirectory",
			Check:     contents.InAllBundles(checkSeveralCSVs),
		},
		{
			ID: "bundle/duplicate-object", Severity: lint.Warning, OtherGates: lint.GateOLMv1 | lint.GatePipelines,
			Doc: `a bundle contains an object twice
Both have the same kind and name: the one that is installed later overwrites the other. OLM v1 and the pipelines reject duplicate CRDs.
Keep one of them.`,
			Reference: "operator-framework/api bundle.go validateOwnedCRDs; operator-controller CheckCRDResourceUniqueness",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "bundle/crd-api-version", Severity: lint.Error,
			Doc: `a CRD has an apiVersion that does not exist
CustomResourceDefinitions have the apiVersion apiextensions.k8s.io/v1. API servers accept no other one; before Kubernetes 1.22
they accepted v1beta1 as well.
Set apiVersion: apiextensions.k8s.io/v1.`,
			Reference: "operator-registry pkg/lib/bundle ValidateBundleContent",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "bundle/subfolder", Severity: lint.Error,
			Doc: `the manifests of a bundle contain a folder
The manifests of a bundle are the files of one folder. opm and OLM v0 ignore subfolders, and OLM v1 rejects the bundle.
Move the files up.`,
			Reference: "operator-controller rukpak/bundle/source; operator-framework/api bundleloader.go",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
		{
			ID: "bundle/size", Severity: lint.Error,
			Doc: `a bundle is too large
OLM v0 stores the compressed manifests of a bundle in one ConfigMap, whose limit is 1 MiB. A larger bundle cannot be unpacked;
from 85% of the limit on it is a warning.
Shorten long texts, usually the descriptions in CRDs, or split the operator.`,
			Reference: "operator-framework/api bundle.go validateBundleSize; operator-registry pkg/configmap",
			Check:     contents.InHeads(contents.ReportReasons),
		},
		{
			ID: "bundle/annotations", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `the annotations of a bundle are incomplete
The annotations in metadata/annotations.yaml state the content of a bundle and its package. opm alpha bundle validate, which every
pipeline runs, rejects a bundle without them. A channel with a space in its name is a warning: users cannot name it.
Add the missing annotations.`,
			Reference: "operator-registry pkg/lib/bundle validateAnnotations",
			Check:     contents.InHeads(checkAnnotations),
		},
		{
			ID: "bundle/dependencies", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `a dependency of a bundle is malformed
metadata/dependencies.yaml declares what a bundle requires. opm alpha bundle validate rejects an entry of an unknown type or
without a field. In a catalog, such an entry prevents OLM v0 from resolving the namespace. opm ignores this file, or properties.yaml, if it
is not YAML: the operator is then installed without what it requires.
Correct the entry, or the file.`,
			Reference: "operator-registry pkg/registry types.go, parse.go addMetadata",
			Check:     contents.InAllBundles(checkDependencies),
		},
		{
			ID: "bundle/properties-annotation", Severity: lint.Warning, Gates: lint.GateAdvice, OtherGates: lint.GateOLMv0 | lint.GateCommunity,
			Doc: `properties in an annotation cannot be read
The annotation olm.properties can hold properties such as olm.maxOpenShiftVersion, as a JSON list. opm silently drops a malformed
one: the cluster can then upgrade to an OpenShift version on which the operator does not run. Malformed
operatorframework.io/properties, which OLM v0 writes itself, stop its resolver, and are an error. The pipeline of the community catalog
warns of each olm.properties.
Correct the JSON, or write the properties to metadata/properties.yaml.`,
			Reference: "operator-registry pkg/registry parse.go derivedProperties; OLM resolver/projection properties.go",
			Check:     contents.InHeads(contents.WithCSV(checkProperties)),
		},
		{
			ID: "bundle/folder-name", NeedsManifests: true, Severity: lint.Error, Gates: lint.GatePipelines,
			Doc: `a bundle's folder is not named after its version
The pipelines of catalog repositories require since January 2026 that the folder of a bundle has the name of spec.version of its
ClusterServiceVersion. Older bundles were merged without it.
Rename the folder, or correct the version.`,
			Reference: "operator-pipelines static_tests/common check_operator_version_directory_name",
			Check:     contents.InHeads(contents.WithReadableCSV(checkFolderName)),
		},
		{
			ID: "bundle/name-prefix", Severity: lint.Error, Gates: lint.GatePipelines,
			Doc: `the bundle names of a package have different prefixes
All bundles of a package should have the same name before the version. The pipelines reject a bundle with another prefix than all
others. If the others differ from each other, they warn, and that of the community catalog rejects every bundle of an operator that has no
file-based catalogs.
Give new bundles the prefix of the older ones.`,
			Reference: "operator-pipelines static_tests/common check_operator_name, static_tests/community check_operator_name_unique",
			Check:     checkPrefix,
		},
		{
			ID: "bundle/package-name", Severity: lint.Warning, Gates: lint.GatePipelines,
			Doc: `a package is not named like its folder or its bundles
In a catalog repository the folder of an operator, its package and its bundle names before the version should be the same. If they
differ, the pipelines reject the first bundle of an operator, and warn of later ones. They reject a bundle whose package is not that of all
others of the operator.
Rename what is not published yet. Users have the names of a published package and its bundles.`,
			Reference: "operator-pipelines static_tests/common check_operator_name",
			Check:     contents.InHeads(contents.InFolder(checkPackageName)),
		},
		{
			ID: "bundle/channel-convention", Severity: lint.Info, Gates: lint.GateCommunity,
			Doc: `a channel is not named by convention
By convention a channel is called candidate, fast or stable, with or without a version, so that users know how mature its versions are.
The pipeline of the community catalog warns of other names.
Name new channels so. A published channel must keep its name: its users follow it.`,
			Reference: "operator-framework/api good_practices.go validateHubChannels",
			Check:     contents.InHeads(contents.InFolder(checkChannelConvention)),
		},
		{
			ID: "bundle/network-policy", Severity: lint.Error, Gates: lint.GatePipelines,
			Doc: `a bundle contains a NetworkPolicy
OLM installs network policies, but the pipelines of all catalog repositories reject a bundle that contains one.
Let the operator create it, or submit the bundle elsewhere.`,
			Reference: "operator-pipelines static_tests/common check_network_policy_presence",
			Check:     contents.InHeads(contents.InFolder(checkNetworkPolicy)),
		},
		{
			ID: "bundle/openshift-versions", Severity: lint.Error, Gates: lint.GateCommunity,
			Doc: `the OpenShift versions of a bundle are none, or do not fit its minKubeVersion
The annotation com.redhat.openshift.versions selects the catalogs that get a bundle: one version, a range, or all from one on. With a value
that is none of these, or a range that ends before it begins, no catalog gets it. The pipeline of the community catalog rejects a
minKubeVersion without that annotation, and OpenShift versions whose Kubernetes is older, up to 4.17. It does not check operators with
a file-based catalog.
Correct the versions, or lower the minKubeVersion.`,
			Reference: "operator-pipelines static_tests/community check_api_version_constraints",
			Check:     contents.InHeads(contents.WithReadableCSV(contents.InFolder(checkOpenShiftVersions))),
		},
		{
			ID: "bundle/max-openshift-version", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `an olm.maxOpenShiftVersion is invalid, or there are several
OpenShift is not updated to a newer minor version while an operator is installed whose olm.maxOpenShiftVersion does not allow
it. A value that is not a version, or has more than major and minor, blocks every update; so does a second value. The rule
also warns of a head that allows only versions below that of its catalog: it blocks the next update wherever it is installed.
Write one, as "4.18".`,
			Reference: "operator-framework-olm openshift maxOpenShiftVersion",
			Check:     checkMaxOpenShift,
		},
		{
			ID: "bundle/replaced-range", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `a replaced bundle is not in all catalogs of the new one
The annotation com.redhat.openshift.versions selects the catalogs that get a bundle. A catalog with the new bundle, but not with the one
that it replaces, cannot be built. The pipelines reject it. They do not check operators with a file-based catalog.
Select only OpenShift versions of the replaced bundle.`,
			Reference: "operator-pipelines static_tests/common check_replaces_availability",
			Check:     contents.InHeads(contents.WithReadableCSV(contents.InFolder(checkReplacedRange))),
		},
	})
}
