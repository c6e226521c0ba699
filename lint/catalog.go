package lint

import (
	"github.com/olmgraph/olmgraph/catalogs"
)

// catalogRules judge the structure of the source: would opm build the catalog, opm serve serve it, OLM read it?
var catalogRules = []Rule{
	{
		ID: ParseRule, Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `a file is not a catalog
opm reads every file below the catalog's folder, whatever its name, and refuses the whole catalog for a single one that is
not YAML or JSON objects. What could not be read was not judged either, so this rule cannot be switched off.
Mend the text, or name files that are not part of the catalog in a .indexignore file.`,
		Reference: "operator-registry alpha/declcfg WalkMetasFS",
		Check:     problems(catalogs.ParseProblem, "mend the text; a file that is not part of the catalog belongs into .indexignore"),
	},
	{
		ID: NoPackageRule, Severity: Error, Gates: GateAdvice, Scope: PerCatalog,
		Doc: `nothing was checked: there is no package
A folder or file in which there is no package is accepted by opm validate, and is no catalog: a template, from which opm makes
one; what another program says of a catalog; Kubernetes objects. In a repository of bundles it is an operator whose catalog is
made of a template. None of it was judged, so this rule cannot be switched off.
Give the catalog, as the finding says how to get it.`,
		Reference: "operator-registry alpha/declcfg LoadFS, alpha/template",
		Check:     checkNoPackage,
	},
	{
		ID: FormatLimitRule, Severity: Info, Gates: GateAdvice, Scope: PerCatalog,
		Doc: `the form of the catalog leaves something out
What a cluster or a catalog's pod says of a catalog is less than the catalog: kubectl get packagemanifests tells heads and versions but
no edges, ListBundles no manifests. A ConfigMap has no more than CSVs and CRDs. What depends on the rest was not checked.
Give the catalog itself to have all of it checked.`,
		Reference: "operator-registry pkg/api registry.proto, OLM pkg/package-server",
		Check:     checkSilent,
	},
	{
		ID: "catalog/template", Severity: Warning, Gates: GateAdvice, Scope: PerCatalog,
		Doc: `a template is among the files of a catalog
opm makes catalogs of templates, but in a catalog's folder it takes one for an object of an unknown schema: the packages, channels
and bundles that it names do not get into the catalog, and were not checked.
Render the template, and keep it out of the catalog's folder or name it in .indexignore.`,
		Reference: "operator-registry alpha/declcfg LoadFS, alpha/template",
		Check:     checkTemplate,
	},
	{
		ID: "catalog/schema-missing", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `an object has no schema
Each document of a catalog must say what it is. opm refuses one without a schema, and an empty one (two separator lines in
a row, or only comments between them) as well.
Add the schema, or take the empty document out.`,
		Reference: "operator-registry alpha/declcfg Meta.UnmarshalJSON",
		Check: problems(catalogs.SchemaMissing,
			"add schema: olm.package, olm.channel, olm.bundle or olm.deprecations, or take the document out"),
	},
	{
		ID: "catalog/field-type", Severity: Error, Gates: GateOPM, Scope: PerBoth,
		Doc: `a value has the wrong type
opm decodes the fields of its objects and of the properties it knows into fixed types and refuses the catalog where one does
not fit, often without saying where.
Give the value the type that the finding names.`,
		Reference: "operator-registry alpha/property Parse",
		Check:     problems(catalogs.FieldType, "give it that type; what is to be a string and looks like something else stands in quotes"),
	},
	{
		ID: "catalog/yaml-coercion", Severity: Error, Gates: GateOPM, Scope: PerBoth,
		Doc: `YAML reads an unquoted text as something else
opm reads YAML 1.1, in which an unquoted yes, no, on, off, y or n is a boolean and 4.10 is the number 4.1. Where a string is
wanted opm refuses the catalog, and does not say why.
Put the value into quotes.`,
		Reference: "sigs.k8s.io/yaml YAMLToJSON",
		Check:     problems(catalogs.Coercion, "put the value into quotes"),
	},
	{
		ID: "catalog/bundle-object", Severity: Error, Gates: GateOPM, Scope: PerBoth,
		Doc: `an olm.bundle.object does not hold a manifest
The data of an olm.bundle.object must be base64 of a YAML or JSON manifest. opm decodes every one of them and refuses the
catalog where that fails.
Render the bundle again.`,
		Reference: "operator-registry alpha/declcfg readBundleObjects",
		Check:     problems(catalogs.BundleObject, "render the bundle again with opm render"),
	},
	{
		ID: "catalog/duplicate-key", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `two keys differ in case only
opm ignores the case of keys and refuses an object in which two keys are the same but for that.
Keep one of them.`,
		Reference: "operator-registry alpha/declcfg extractUniqueMetaKeys",
		Check:     problems(catalogs.DuplicateKey, "keep one of the two"),
	},
	{
		ID: "catalog/repeated-key", Severity: Warning, Gates: GateAdvice, Scope: PerCatalog,
		Doc: `a key stands twice in an object
opm takes the last value and drops the first without a word. Mostly somebody pasted a field and forgot the old one.
Keep the one that is meant.`,
		Reference: "encoding/json, sigs.k8s.io/yaml",
		Check:     problems(catalogs.RepeatedKey, "keep the one that is meant"),
	},
	{
		ID: "catalog/lost-document", Severity: Warning, Gates: GateAdvice, Scope: PerCatalog,
		Doc: `opm silently drops a part of the file
opm cuts a file at lines that begin with --- and reads one document of each piece. What follows a document in the same piece,
behind a line of three dots, is dropped without a word: packages, channels or bundles can be missing from the catalog.
Put a line --- before it.`,
		Reference: "k8s.io/apimachinery YAMLReader",
		Check:     problems(catalogs.LostDocument, "put a line --- before it, or take it out"),
	},
	{
		ID: "catalog/case-folded-field", Severity: Info, Gates: GateAdvice, Scope: PerBoth,
		Doc: `a key is written in the wrong case
opm takes it all the same, since it ignores the case of keys. Other readers of the catalog may not.
Write the key as the format has it.`,
		Reference: "encoding/json",
		Check:     problems(catalogs.CaseFoldedField, "write it in the right case"),
	},
	{
		ID: "catalog/custom-schema-name", Severity: Error, Gates: GateServe, Scope: PerCatalog,
		Doc: `opm serve cannot store an object of this schema
opm validate takes objects of any schema. When the catalog's pod starts, opm serve keeps them under their schema and package
and fails on a name with other characters than letters, digits, dot, underscore and hyphen: the catalog is never served.
Rename the schema or the package of the object.`,
		Reference: "operator-registry pkg/cache",
		Check:     checkCustomSchemas,
	},
	{
		ID: "catalog/package-name", Severity: Error, Gates: GateOPM,
		Doc: `a package has no name, or one that opm refuses
A package name must be a DNS-1123 label: lower-case letters, digits and hyphens, at most 63 characters, no dots.
Rename the package in every object that names it.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkPackageName,
	},
	{
		ID: "catalog/duplicate-package", Severity: Error, Gates: GateOPM,
		Doc: `a package is defined twice
opm wants one olm.package object a package, over all files.
Keep one. If both come from catalogs of different versions, give those as catalogs of their own.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkDuplicatePackage,
	},
	{
		ID: "catalog/default-channel", Severity: Error, Gates: GateOPM,
		Doc: `the default channel is not set, or does not exist
Who subscribes without naming a channel gets the default one. opm refuses a package without it, even if there is only one
channel to choose.
Set defaultChannel to a channel of the package.`,
		Reference: "operator-registry alpha/model Package.Validate",
		Check:     checkDefaultChannel,
	},
	{
		ID: "catalog/no-channels", Severity: Error, Gates: GateOPM,
		Doc: `a package has no channel
Nobody can subscribe to it, and opm refuses it.
Add an olm.channel object that names the package, or take the package out.`,
		Reference: "operator-registry alpha/model Package.Validate",
		Check:     checkNoChannels,
	},
	{
		ID: "catalog/unknown-package", Severity: Error, Gates: GateOPM,
		Doc: `a channel or a bundle belongs to a package that is not defined
opm refuses an olm.channel or olm.bundle object whose package no olm.package object defines.
Mend the name, or add the olm.package object.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkUnknownPackage,
	},
	{
		ID: "catalog/channel-name", Severity: Error, Gates: GateOPM,
		Doc: `a channel has no name, or one that some OLM cannot use
opm refuses only an empty name. A slash breaks OLM v0's resolver, which builds identifiers with slashes; OLM v1 lets users
select only channels whose names are DNS-1123 subdomains (lower-case letters, digits, hyphens and dots).
Rename the channel while nobody is subscribed to it.`,
		Reference: "OLM resolver BundleSourceInfo; operator-controller ClusterExtension API",
		Check:     checkChannelName,
	},
	{
		ID: "catalog/duplicate-channel", Severity: Error, Gates: GateOPM,
		Doc: `a channel is defined twice
opm does not merge olm.channel objects of one name, it refuses them.
Move the entries of both into one.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkDuplicateChannel,
	},
	{
		ID: "catalog/empty-channel", Severity: Error, Gates: GateOPM,
		Doc: `a channel has no entries
opm refuses it; who is subscribed to it would get nothing.
Add the entries, or take the channel out.`,
		Reference: "operator-registry alpha/model Channel.Validate",
		Check:     checkEmptyChannel,
	},
	{
		ID: "catalog/duplicate-entry", Severity: Error, Gates: GateOPM,
		Doc: `a channel lists a bundle twice
opm refuses two entries of one name in a channel, even if they agree.
Put replaces, skips and skipRange of both into one entry.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkDuplicateEntry,
	},
	{
		ID: "catalog/entry-without-bundle", Severity: Error, Gates: GateOPM,
		Doc: `a channel entry has no bundle
An entry must name an olm.bundle object of its package: without it there is nothing to install. opm's own message for this
often speaks of a missing property or image instead.
Add the bundle, mend the name, or take the entry out (a later entry may still replace or skip its name).`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkEntryWithoutBundle,
	},
	{
		ID: "catalog/duplicate-bundle", Severity: Error, Gates: GateOPM,
		Doc: `a bundle is defined twice
opm refuses two olm.bundle objects of one name in a package.
Keep one; a rebuilt bundle needs a new version and a new name.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkDuplicateBundle,
	},
	{
		ID: "catalog/bundle-without-channel", Severity: Error, Gates: GateOPM,
		Doc: `a bundle is in no channel
opm refuses an olm.bundle object that no entry of its package's channels names: nobody could install it.
Add it to a channel, or take it out.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkBundleWithoutChannel,
	},
	{
		ID: "catalog/package-property", Severity: Error, Gates: GateOPM,
		Doc: `a bundle does not say which version of which package it is
A bundle must have exactly one olm.package property, and that must name the package the bundle belongs to.
Render the bundle again, or mend the property.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     eachBundle(checkPackageProperty),
	},
	{
		ID: "catalog/bundle-image", Severity: Error, Gates: GateOPM,
		Doc: `a bundle has no image
Without an image, and without its manifests as olm.bundle.object properties, there is nothing to install.
Set image to the bundle image's pull spec.`,
		Reference: "operator-registry alpha/model Bundle.Validate",
		Check:     eachBundle(checkBundleImage),
	},
	{
		ID: "catalog/pull-spec", Severity: Error, Gates: GateOPM,
		Doc: `an image is not a pull spec
image and relatedImages must be references that a container runtime can pull: a lower-case repository, then a tag or digest.
Mend the reference.`,
		Reference: "operator-registry alpha/declcfg validateImagePullSpec",
		Check:     eachBundle(checkPullSpecs),
	},
	{
		ID: "catalog/csv-metadata", Severity: Error, Gates: GateServe,
		Doc: `a bundle has more than one olm.csv.metadata property
opm validate accepts it; opm serve then fails to answer for the bundle, and nobody can install it.
Keep one.`,
		Reference: "operator-registry pkg/api",
		Check:     eachBundle(checkCSVMetadata),
	},
	{
		ID: "catalog/no-csv", Severity: Warning, Gates: GateServe,
		Doc: `a channel's head does not say what the operator is
A bundle with neither an olm.csv.metadata nor an olm.bundle.object property has no name, description or install modes to
show. OLM v0's package server leaves out each channel whose head is such a bundle, and the package if none is left: users do
not find it in the console.
Render the bundle again.`,
		Reference: "OLM pkg/package-server",
		Check:     checkNoCSV,
	},
	{
		ID: "catalog/icon", Severity: Warning, Gates: GateAdvice,
		Doc: `the icon will not show
The console shows the icon of the package object. It needs data, a media type that begins with image/, and data of that type.
Set icon.base64data and icon.mediatype to match.`,
		Reference: "operator-registry alpha/model Icon.Validate",
		Check:     checkIcon,
	},
	{
		ID: "catalog/name-collision", Severity: Error, Gates: GateOLMv0, Scope: PerCatalog,
		Doc: `two packages have a channel and a bundle of the same names
OLM v0's resolver knows a bundle by catalog, channel and name, not by package: it takes these two for one, and fails for the
whole namespace of whoever subscribes to either.
Rename the bundle or the channel in one of them.`,
		Reference: "OLM resolver.Resolve",
		Check:     checkNameCollision,
	},
	{
		ID: "catalog/bundle-object-forbidden", Severity: Error, Gates: GateHub,
		Doc: `a catalog for OpenShift 4.17 or later has olm.bundle.object properties
The catalog repositories refuse them from 4.17 on: they make a catalog several times larger.
Render the catalog again with opm render --migrate-level=bundle-object-to-csv-metadata.`,
		Reference: "operator-pipelines check_olm_bundle_object_in_fbc",
		Check:     checkBundleObjectForbidden,
	},
}
