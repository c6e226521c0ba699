package lint

import "github.com/olmgraph/olmgraph/catalogs"

// manifestRules judge package manifests and bundle folders: would operator-registry take them in?
var manifestRules = []Rule{
	{
		ID: "manifest/package", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `a package manifest is incomplete
A package manifest needs the name of its package, channels with a name and a currentCSV each, and, if there are several, a default
channel that is one of them. Without these it cannot be subscribed to, and the import fails.
Add the missing field.`,
		Reference: "operator-framework/api pkg/validation/internal package_manifest.go",
		Check:     problems(catalogs.ManifestPackage, "complete the package manifest"),
	},
	{
		ID: "manifest/several-packages", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `a folder has several package manifests
A folder is one package. Of several package manifests in it the import takes none, or an arbitrary one.
Keep one.`,
		Reference: "operator-framework/api pkg/manifests packagemanifestloader.go",
		Check:     problems(catalogs.ManifestSeveral, "keep one package manifest in the folder"),
	},
	{
		ID: "manifest/no-channel", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `a package manifest has no channel
Users subscribe to a channel. Without one the operator cannot be installed, and the import fails.
Add a channel with a name and a currentCSV.`,
		Reference: "operator-registry pkg/sqlite DirectoryLoader",
		Check:     problems(catalogs.ManifestNoChannel, "add channels: with a name and a currentCSV"),
	},
	{
		ID: "manifest/orphan-csv", Severity: Warning, Gates: GateAdvice, Scope: PerCatalog,
		Doc: `a CSV is in no channel
Channels begin at their currentCSV and follow replaces and skips of each CSV. A CSV that no channel reaches can be neither
installed nor upgraded. The import accepts it and does not offer it.
Let a newer CSV replace or skip it, make it the currentCSV of a channel, or remove its folder.`,
		Reference: "operator-registry pkg/sqlite DirectoryLoader",
		Check:     problems(catalogs.ManifestOrphan, "let a newer CSV replace or skip it, make it the currentCSV of a channel, or remove its folder"),
	},
	{
		ID: "manifest/csv-count", Severity: Error, Gates: GateOPM | GateHub, Scope: PerCatalog,
		Doc: `a folder has no CSV, or several
A bundle has exactly one ClusterServiceVersion, which OLM installs. opm rejects a bundle without one. Of several in a bundle opm
takes the first by file name, OLM installs the last, and operator-sdk bundle validate rejects the bundle. In package manifests
each CSV in a folder is a separate version, and a folder without one is ignored: a warning.
Keep one CSV in a bundle; in package manifests remove a folder without one.`,
		Reference: "operator-registry pkg/registry bundleParser, pkg/configmap BundleLoader, pkg/sqlite DirectoryLoader; operator-framework/api pkg/manifests",
		Check:     checkCSVCount,
	},
	{
		ID: "manifest/owned-crd", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `an owned CRD is not in the folder
A CSV that owns an API must have its CRD in the bundle, with that version and kind: otherwise OLM never installs it, and the
import rejects the bundle.
Add the CRD's manifest, or correct the name, version or kind in the CSV.`,
		Reference: "operator-registry pkg/registry Bundle.AllProvidedAPIsInBundle",
		Check:     problems(catalogs.ManifestOwnedCRD, "add the CRD's manifest to the folder, or correct the entry in spec.customresourcedefinitions.owned"),
	},
	{
		ID: "manifest/replaced-csv", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `a replaced CSV, or the currentCSV of a channel, is not in the package
The import follows the replaces of each channel and fails at a name without a CSV in the package.
Correct the name, or restore the CSV.`,
		Reference: "operator-registry pkg/sqlite AddPackageChannels",
		Check:     problems(catalogs.ManifestReplaced, "correct the name, or restore that CSV"),
	},
	{
		ID: "manifest/annotations", Severity: Error, Gates: GateOPM | GateHub, Scope: PerCatalog,
		Doc: `a bundle does not state its package and channels
The annotations in metadata/annotations.yaml state them; without them a bundle cannot be added to a catalog. If the first version
of a package is in several channels, some bundle has to name the default one as well, except in the semver modes.
Add the annotations operators.operatorframework.io.bundle.package.v1, …channels.v1 and …channel.default.v1.`,
		Reference: "operator-registry pkg/registry AnnotationsFile, SemverPackageManifest",
		Check:     problems(catalogs.ManifestAnnotations, "add the annotation to metadata/annotations.yaml"),
	},
	{
		ID: "manifest/configmap", Severity: Error, Gates: GateOPM | GateOLMv0, Scope: PerCatalog,
		Doc: `a catalog in a ConfigMap is incomplete
The ConfigMap of a CatalogSource of type configmap has three keys in data: customResourceDefinitions, clusterServiceVersions and
packages. Each is a YAML list without duplicates. If one is missing or cannot be read, the pod of the catalog exits at its start,
and nothing is offered. Data that is silently dropped is a warning: all but the last of several packages of a name, and all but
the first of several YAML documents.
Set all three keys in data, each to a YAML list without duplicates.`,
		Reference: "operator-registry pkg/sqlite ConfigMapLoader, cmd/configmap-server",
		Check:     checkConfigMap,
	},
}

func checkConfigMap(p *Pass) {
	const fix = "set all three keys in data, each to a YAML list without duplicates"
	problems(catalogs.ManifestConfigMap, fix)(p)
	reportAs(p, catalogs.ManifestDropped, Finding{Severity: Warning, Gates: GateAdvice, Fix: fix})
}

func checkCSVCount(p *Pass) {
	const fix = "keep exactly one ClusterServiceVersion in the bundle"
	problems(catalogs.ManifestCSVs, fix)(p)
	reportAs(p, catalogs.ManifestSecondCSV, Finding{Severity: Error, Gates: GateHub | GateOLMv0 | GateOLMv1, Fix: fix})
	reportAs(p, catalogs.ManifestNoVersion, Finding{Severity: Warning, Gates: GateAdvice, Fix: "add the ClusterServiceVersion, or remove the folder"})
}

// reportAs reports the problems of a kind with a severity and gates of their own.
func reportAs(p *Pass, kind catalogs.ProblemKind, as Finding) {
	for _, problem := range p.Catalog.Problems {
		if problem.Kind == kind {
			as.Subject, as.Pos, as.Message = Subject{Package: problem.Package, Bundle: problem.Bundle}, problem.Pos, problem.Message
			p.Report(as)
		}
	}
}

// appliesTo reports whether a rule is about a catalog of that form. What makes opm refuse a file-based catalog says nothing about
// manifests, and the other way round.
func (r *Rule) appliesTo(c *catalogs.Catalog) bool {
	manifests := c.Form == catalogs.PackageManifests || c.Form == catalogs.BundleFolder || c.Form == catalogs.Repository ||
		c.Form == catalogs.ConfigMap
	listed := c.Form == catalogs.ListBundles || c.Edgeless() // OLM was served it, so that it is no source that opm reads
	switch r.Family() {
	case "catalog":
		return !manifests && !listed || AlwaysReported(r.ID) || r.ID == FormatLimitRule
	case "manifest":
		return manifests || c.Attached > 0
	case "version", "config":
		return true
	}
	return !c.Edgeless()
}
