// Package catalog has the rules on what opm and OLM read in a catalog, on the templates and the configuration of the pipeline that make it, and on the
// catalogs for several OpenShift versions: a cluster that is updated keeps its operators, and gets the catalog of the newer version.
package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Objects}, []lint.Rule{
		lint.Parse,
		{
			ID: "catalog/no-package", Unchecked: lint.NoPackage, Severity: lint.Error, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
			Doc: `nothing was checked: there is no package
opm validate accepts a folder or file without a package, but it is not a catalog. It is, for example, the output of another
program about a catalog, or Kubernetes objects. In a repository of bundles it is an operator
without a bundle folder, a template or a catalog. The channels of a template of schema olm.semver are not known without all of its
bundles. None of it was checked, so this rule cannot be turned off.
Give the catalog; the finding says how to get it.`,
			Reference: "operator-registry alpha/declcfg LoadFS, alpha/template",
			Check:     checkNoPackage,
		},
		lint.UncheckedInBase,
		lint.RuleFailed,
		{
			ID: "catalog/form", Unchecked: lint.NotInForm, Severity: lint.Info, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
			Doc: `the form of the catalog is incomplete
The output of a cluster or of a catalog's pod has less than the catalog: kubectl get packagemanifests lists heads and versions but
no edges, and ListBundles has no manifests. Rules that need the rest were not checked.
Give the catalog itself to check all of it.`,
			Reference: "operator-registry pkg/api registry.proto, OLM pkg/package-server",
			Check:     checkForm,
		},
		{
			ID: "catalog/template", Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
			Doc: `a catalog contains a template
opm generates catalogs from templates. It reads a template in a catalog's folder as an object of an
unknown schema: its packages, channels and bundles are not in the catalog, and were not checked.
Render the template, and keep it outside the catalog's folder or list it in .indexignore.`,
			Reference: "operator-registry alpha/declcfg LoadFS, alpha/template",
			Check:     checkTemplate,
		},
		{
			ID: "catalog/schema-missing", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
			Doc: `an object has no schema
Each document of a catalog needs a schema. opm rejects a document without one, and an empty document as well (two separator lines
in a row, or only comments between them).
Add the schema, or remove the empty document.`,
			Reference: "operator-registry alpha/declcfg Meta.UnmarshalJSON",
			Check:     checkSchemaMissing,
		},
		{
			ID: "catalog/unknown-schema", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0 | lint.GateOLMv1, Scope: lint.PerCatalog,
			Doc: `a schema is misspelt
opm accepts objects of any schema and reads those of olm.package, olm.channel, olm.bundle and olm.deprecations only: the package,
channel or bundle is missing from the catalog. A schema is reported if it is like one of these; the catalog is then checked as if it
were spelt that way. A schema that begins with olm. and is like none of them is a warning. Other schemas are allowed.
Correct the schema.`,
			Reference: "operator-registry alpha/declcfg LoadSlice",
			Check:     lint.EachProblemAs("correct the schema", unknownSchemaAs),
		},
		{
			ID: "catalog/unknown-key", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0 | lint.GateOLMv1, Scope: lint.PerCatalog,
			Doc: `a key is misspelt
opm ignores unknown keys, and properties of unknown types: an edge, a version or a default channel is
missing from the catalog. opm may report only a consequence of that. A key is reported if it
resembles one that the object lacks. Other rules check the catalog as if the key were spelt that way.
Correct the key.`,
			Reference: "operator-registry alpha/declcfg Package, Channel, Bundle, Deprecation; alpha/property",
			Check:     lint.EachProblem(catalogs.UnknownKey, "correct the key"),
		},
		{
			ID: "catalog/field-type", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalogAndPackage,
			Doc: `a value has the wrong type
opm decodes the fields of its objects and of known properties into fixed types, and rejects the catalog if a value does not match, often without
a position. It reads YAML 1.1, in which an unquoted yes, no, on, off, y or n is a boolean, and a version 1.10 the number 1.1.
Give the value the type that the finding names; quote a string that looks like another type.`,
			Reference: "operator-registry alpha/property Parse; sigs.k8s.io/yaml YAMLToJSON",
			Check:     lint.EachProblemAs("give it that type; quote a string that looks like another type", fieldTypeAs),
		},
		{
			ID: "catalog/bundle-object", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalogAndPackage,
			Doc: `an olm.bundle.object is not a manifest
The data of an olm.bundle.object must be the base64 of a YAML or JSON manifest. opm decodes all of them and rejects the catalog if
that fails.
Render the bundle again.`,
			Reference: "operator-registry alpha/declcfg readBundleObjects",
			Check:     lint.EachProblem(catalogs.BundleObject, "render the bundle again with opm render"),
		},
		{
			ID: "catalog/duplicate-key", Severity: lint.Error, Gates: lint.GateOPM, Scope: lint.PerCatalog,
			Doc: `two keys differ in case only
opm ignores the case of keys and rejects an object with two keys that differ in case only.
Keep one of them.`,
			Reference: "operator-registry alpha/declcfg extractUniqueMetaKeys",
			Check:     lint.EachProblem(catalogs.DuplicateKey, "keep one of the two"),
		},
		{
			ID: "catalog/repeated-key", Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
			Doc: `an object has a key twice
opm takes the last value and silently drops the first.
Keep the intended one.`,
			Reference: "encoding/json, sigs.k8s.io/yaml",
			Check:     lint.EachProblem(catalogs.RepeatedKey, "keep the intended one"),
		},
		{
			ID: "catalog/lost-document", Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
			Doc: `opm silently drops a part of the file
opm splits a file at lines that begin with --- and reads one document of each part. It silently drops what follows a document in
the same part, after a line of three dots, or JSON objects after a byte order mark or YAML: packages, channels or bundles are missing from the
catalog. It is an error if opm drops nothing of the file in the base: they may be what it published.
Insert a line --- before it.`,
			Reference: "k8s.io/apimachinery YAMLReader",
			Check:     checkLostDocuments,
		},
		{
			ID: "catalog/custom-schema-name", Severity: lint.Error, Gates: lint.GateServe, Scope: lint.PerCatalog,
			Doc: `opm serve cannot store an object of this schema
opm validate accepts objects of any schema. When the catalog's pod starts, opm serve stores them by schema and package. If
a name has characters other than letters, digits, dot, underscore and hyphen, it fails, and the catalog is never served.
Rename the schema or the package of the object.`,
			Reference: "operator-registry pkg/cache",
			Check:     checkCustomSchemas,
		},
		{
			ID: "catalog/package-name", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a package has no name, or an invalid one
A package name must be a DNS-1123 label: lower-case letters, digits and hyphens, at most 63 characters, no dots.
Rename the package in every object that names it.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     checkPackageName,
		},
		{
			ID: "catalog/duplicate", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a package, channel, entry or bundle is defined twice
opm requires exactly one olm.package object for each package, over all files. It does not merge channels, entries of a channel or bundles of
one name in a package: it rejects them, even if they are equal.
Keep one, with what both have. If they come from catalogs of different versions, pass these as separate catalogs.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     checkDuplicates,
		},
		{
			ID: "catalog/default-channel", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `the default channel is not set, or does not exist
A Subscription without a channel gets the default channel. opm rejects a package without one, even if it has only one channel.
Set defaultChannel to a channel of the package.`,
			Reference: "operator-registry alpha/model Package.Validate",
			Check:     checkDefaultChannel,
		},
		{
			ID: "catalog/no-channels", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a package has no channel
It cannot be subscribed to, and opm rejects it.
Add an olm.channel object that names the package, or remove the package.`,
			Reference: "operator-registry alpha/model Package.Validate",
			Check:     checkNoChannels,
		},
		{
			ID: "catalog/unknown-package", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a channel or a bundle belongs to a package that is not defined
opm rejects an olm.channel or olm.bundle object whose package no olm.package object defines.
Correct the name, or add the olm.package object.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     checkUnknownPackage,
		},
		{
			ID: "catalog/channel-name", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a channel has no name, or one that OLM v0 or OLM v1 cannot use
opm rejects only an empty name. A slash breaks OLM v0's resolver, which builds identifiers with slashes.
In OLM v1 users can select only channels whose names are DNS-1123 subdomains (lower-case letters, digits,
hyphens and dots). It is an info for a channel that the base has, which can no longer be renamed.
Rename the channel before users subscribe to it.`,
			Reference: "OLM resolver BundleSourceInfo; operator-controller ClusterExtension API",
			Check:     checkChannelName,
		},
		{
			ID: "catalog/empty-channel", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a channel has no entries
opm rejects it; a Subscription to it would get nothing.
Add the entries, or remove the channel.`,
			Reference: "operator-registry alpha/model Channel.Validate",
			Check:     checkEmptyChannel,
		},
		{
			ID: "catalog/entry-without-bundle", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a channel entry has no bundle
An entry must name an olm.bundle object of its package: without it there is nothing to install. opm's own message often names a
missing property or image instead.
Add the bundle, correct the name, or remove the entry (a later entry can still replace or skip its name).`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     checkEntryWithoutBundle,
		},
		{
			ID: "catalog/bundle-without-channel", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a bundle is in no channel
opm rejects an olm.bundle object that no entry of its package's channels names: it could not be installed.
Add it to a channel, or remove it.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     checkBundleWithoutChannel,
		},
		{
			ID: "catalog/package-property", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a bundle does not state its package and version
A bundle must have exactly one olm.package property, which must name the package of the bundle.
Render the bundle again, or correct the property.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     lint.EachBundle(checkPackageProperty),
		},
		{
			ID: "catalog/bundle-image", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a bundle has no image
Without an image, and without its manifests as olm.bundle.object properties, there is nothing to install.
Set image to the bundle image's pull spec.`,
			Reference: "operator-registry alpha/model Bundle.Validate",
			Check:     lint.EachBundle(checkBundleImage),
		},
		{
			ID: "catalog/image-reused", Severity: lint.Warning, Gates: lint.GateOLMv0,
			Doc: `two bundles of a package have the same image
OLM creates the ClusterServiceVersion that is in the image, whatever the catalog calls the bundle: both install the same version.
Set the image of each bundle, with its digest.`,
			Reference: "operator-lifecycle-manager pkg/controller/registry/resolver NewStepResourceFromBundle",
			Check:     checkReusedImages,
		},
		{
			ID: "catalog/pull-spec", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `an image is not a pull spec
image and relatedImages must be references that a container runtime can pull: a lower-case repository, then a tag or digest.
Correct the reference.`,
			Reference: "operator-registry alpha/declcfg validateImagePullSpec",
			Check:     lint.EachBundle(checkPullSpecs),
		},
		{
			ID: "catalog/csv-metadata", Severity: lint.Error, Gates: lint.GateServe,
			Doc: `a bundle has more than one olm.csv.metadata property
opm validate accepts it; opm serve then fails to answer for the bundle, and it cannot be installed.
Keep one.`,
			Reference: "operator-registry pkg/api",
			Check:     lint.EachBundle(checkCSVMetadata),
		},
		{
			ID: "catalog/no-csv", Severity: lint.Warning, Gates: lint.GateServe,
			Doc: `a channel's head has no CSV metadata
A bundle with neither an olm.csv.metadata nor an olm.bundle.object property has no name, description or install modes to show. OLM
v0's package server omits each channel whose head is such a bundle, and the package if no channel is left: users do not find it in
the console.
Render the bundle again.`,
			Reference: "OLM pkg/package-server",
			Check:     checkNoCSV,
		},
		{
			ID: "catalog/name-collision", Severity: lint.Error, Gates: lint.GateOLMv0, Scope: lint.PerCatalog,
			Doc: `two packages have a channel and a bundle of the same names
OLM v0's resolver identifies a bundle by catalog, channel and name, without the package. It treats the two as one, and fails for
every namespace with a Subscription to either.
Rename the bundle or the channel in one of them.`,
			Reference: "OLM resolver.Resolve",
			Check:     checkNameCollision,
		},
		{
			ID: "catalog/bundle-object-forbidden", Severity: lint.Error, Gates: lint.GatePipelines,
			Doc: `a catalog for OpenShift 4.17 or later has olm.bundle.object properties
The pipelines reject them from 4.17 on, since they make a catalog several times larger. They look at the first bundle of an operator only:
if that has none, it is a warning.
Render the catalog again with opm render --migrate-level=bundle-object-to-csv-metadata.`,
			Reference: "operator-pipelines check_olm_bundle_object_in_fbc",
			Check:     checkBundleObjectForbidden,
		},
	})
}
