package lint

import "github.com/olmgraph/olmgraph/catalogs"

// manifestRules judge package manifests and bundle folders: would operator-registry take them in?
var manifestRules = []Rule{
	{
		ID: "manifest/package", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `a package manifest is not whole
A package manifest needs the name of its package, channels with a name and a currentCSV each, and, if there are several, a
default channel that is one of them. Without these nobody can subscribe, and the import fails.
Add what is missing.`,
		Reference: "operator-framework/api pkg/validation/internal package_manifest.go",
		Check:     problems(catalogs.ManifestPackage, "complete the package manifest"),
	},
	{
		ID: "manifest/several-packages", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `a folder has several package manifests
A folder is one package. Of several package manifests in it the import takes none, or one by chance.
Keep one.`,
		Reference: "operator-framework/api pkg/manifests packagemanifestloader.go",
		Check:     problems(catalogs.ManifestSeveral, "keep one package manifest in the folder"),
	},
	{
		ID: "manifest/no-channel", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `a package manifest has no channel
Users subscribe to a channel. Without one nobody can install the operator, and the import fails.
Add a channel with a name and a currentCSV.`,
		Reference: "operator-registry pkg/sqlite DirectoryLoader",
		Check:     problems(catalogs.ManifestNoChannel, "add channels: with a name and a currentCSV"),
	},
	{
		ID: "manifest/orphan-csv", Severity: Warning, Gates: GateAdvice, Scope: PerCatalog,
		Doc: `no channel comes to a CSV
Channels begin at their currentCSV and follow what each CSV replaces and skips. A CSV that none of them comes to can be
neither installed nor upgraded. The import takes it and offers it nowhere.
Let a newer CSV replace or skip it, make it the currentCSV of a channel, or take its folder out.`,
		Reference: "operator-registry pkg/sqlite DirectoryLoader",
		Check:     problems(catalogs.ManifestOrphan, "let a newer CSV replace or skip it, make it the currentCSV of a channel, or take its folder out"),
	},
	{
		ID: "manifest/csv-count", Severity: Error, Gates: GateOPM | GateHub, Scope: PerCatalog,
		Doc: `a folder has no CSV, or several
A bundle has exactly one ClusterServiceVersion: it is what OLM installs. opm refuses a bundle without one. Of several in a bundle opm
takes the first by the names of their files, OLM installs the last, and operator-sdk bundle validate refuses the bundle. Of package
manifests each CSV in a folder is a version of its own, and a folder without one is passed by: a warning.
Keep one CSV in a bundle; of package manifests take a folder without one out.`,
		Reference: "operator-registry pkg/registry bundleParser, pkg/configmap BundleLoader, pkg/sqlite DirectoryLoader; operator-framework/api pkg/manifests",
		Check:     checkCSVCount,
	},
	{
		ID: "manifest/owned-crd", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `an owned CRD is not in the folder
A CSV that owns an API must bring its CRD, with that version and kind: OLM never installs it otherwise, and the import
refuses the bundle.
Add the CRD's manifest, or mend the name, version or kind in the CSV.`,
		Reference: "operator-registry pkg/registry Bundle.AllProvidedAPIsInBundle",
		Check:     problems(catalogs.ManifestOwnedCRD, "add the CRD's manifest to the folder, or mend the entry in spec.customresourcedefinitions.owned"),
	},
	{
		ID: "manifest/replaced-csv", Severity: Error, Gates: GateOPM, Scope: PerCatalog,
		Doc: `a CSV that is replaced, or that a channel begins with, is not in the package
The import follows each channel down along replaces and fails at a name that is no CSV of the package.
Mend the name, or bring the CSV back.`,
		Reference: "operator-registry pkg/sqlite AddPackageChannels",
		Check:     problems(catalogs.ManifestReplaced, "mend the name, or bring that CSV back"),
	},
	{
		ID: "manifest/annotations", Severity: Error, Gates: GateOPM | GateHub, Scope: PerCatalog,
		Doc: `a bundle does not say to which package and channels it belongs
The annotations in metadata/annotations.yaml say so; without them a bundle cannot be added to any catalog. Of a package whose
first version is in several channels, some bundle has to name the default one as well, except in the semver modes.
Add the annotations operators.operatorframework.io.bundle.package.v1, …channels.v1 and …channel.default.v1.`,
		Reference: "operator-registry pkg/registry AnnotationsFile, SemverPackageManifest",
		Check:     problems(catalogs.ManifestAnnotations, "add the annotation to metadata/annotations.yaml"),
	},
	{
		ID: "manifest/configmap", Severity: Error, Gates: GateOPM | GateOLMv0, Scope: PerCatalog,
		Doc: `a catalog in a ConfigMap is not whole
A ConfigMap that a CatalogSource of type configmap names has three texts in data: customResourceDefinitions, clusterServiceVersions
and packages. Each is a list in YAML, in which nothing stands twice. If one is missing or cannot be read, the pod of the catalog ends
at its start, and nobody is offered anything. What is silently dropped is a warning: all but the last of several packages of a name,
and all but the first of several YAML documents.
Let data have all three lists, each a text in YAML with every object once.`,
		Reference: "operator-registry pkg/sqlite ConfigMapLoader, cmd/configmap-server",
		Check:     checkConfigMap,
	},
}

func checkConfigMap(p *Pass) {
	const cure = "let data have all three lists, each a text in YAML with every object once"
	problems(catalogs.ManifestConfigMap, cure)(p)
	reportAs(p, catalogs.ManifestDropped, Finding{Severity: Warning, Gates: GateAdvice, Fix: cure})
}

func checkCSVCount(p *Pass) {
	const cure = "keep exactly one ClusterServiceVersion in the bundle"
	problems(catalogs.ManifestCSVs, cure)(p)
	reportAs(p, catalogs.ManifestSecondCSV, Finding{Severity: Error, Gates: GateHub | GateOLMv0 | GateOLMv1, Fix: cure})
	reportAs(p, catalogs.ManifestNoVersion, Finding{Severity: Warning, Gates: GateAdvice, Fix: "add the ClusterServiceVersion, or take the folder out"})
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
