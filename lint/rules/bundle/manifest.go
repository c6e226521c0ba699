package bundle

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

const csvCountFix = "keep exactly one ClusterServiceVersion in the bundle"

// ManifestRules returns the rules of the family, in the order in which they are called.
func ManifestRules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Folders, Scope: lint.PerCatalog}, slices.Concat(csvRules(), registryRules()))
}

// csvRules returns the rules on manifests and ClusterServiceVersions.
func csvRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "manifest/unknown-key", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0 | lint.GateOLMv1,
			Doc: `a key, a kind or an annotation of a bundle is misspelt
opm and OLM ignore unknown keys and annotations, and Kubernetes drops them: an edge,
a channel or an install mode is missing. A key is reported if it resembles one that
the object lacks. Other rules check the bundle as if the key were spelt that way. It
is a warning if the bundle can be installed and upgraded without the key.
Correct the key.`,
			Reference: "operator-framework/api pkg/operators/v1alpha1 ClusterServiceVersionSpec; operator-registry pkg/registry AnnotationsFile",
			Check:     checkUnknownKey,
		},
		{
			ID: "manifest/package", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a package manifest is incomplete, or there are several
A folder is one package, and has one package manifest: if there are several, the import takes none or an
arbitrary one. The manifest needs the name of the package, and channels with a name and a currentCSV. If
it has several channels, it must name one of them as the default. Otherwise the import fails.
Add the missing field, or keep one package manifest.`,
			Reference: "operator-framework/api pkg/validation/internal package_manifest.go; operator-registry pkg/sqlite DirectoryLoader",
			Check:     lint.EachProblemAs("", packageAs),
		},
		{
			ID: "manifest/orphan-csv", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `a CSV is in no channel
Channels begin at their currentCSV and follow replaces and skips of each CSV. A CSV that no channel reaches can be neither
installed nor upgraded. The import accepts it and does not offer it.
Let a newer CSV replace or skip it, make it the currentCSV of a channel, or remove its folder.`,
			Reference: "operator-registry pkg/sqlite DirectoryLoader",
			Check:     lint.EachProblem(catalogs.ManifestOrphan, "let a newer CSV replace or skip it, make it the currentCSV of a channel, or remove its folder"),
		},
		{
			ID: "manifest/csv-count", Severity: lint.Error, Gates: lint.GateOPM | lint.GatePipelines,
			Doc: `a folder has no CSV, or several
A bundle has exactly one ClusterServiceVersion, which OLM installs. opm rejects a bundle without one. Of several in a bundle opm
takes the first by file name, OLM installs the last, and operator-sdk bundle validate rejects the bundle. In package manifests
each CSV in a folder is a separate version, and a folder without one is ignored: a warning.
Keep one CSV in a bundle; in package manifests remove a folder without one.`,
			Reference: "operator-registry pkg/registry bundleParser, pkg/configmap BundleLoader, pkg/sqlite DirectoryLoader; operator-framework/api pkg/manifests",
			Check: eachKind(catalogs.ManifestCSVs, csvCountFix,
				kindAs{catalogs.ManifestSecondCSV, lint.Error, lint.GatePipelines | lint.GateOLMv0 | lint.GateOLMv1, csvCountFix},
				kindAs{catalogs.ManifestNoVersion, lint.Warning, lint.GateAdvice, "add the ClusterServiceVersion, or remove the folder"}),
		},
		{
			ID: "manifest/owned-crd", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `an owned CRD is not in the folder
A CSV that owns an API must have its CRD in the bundle, with that version and kind: otherwise OLM never installs it, and the
import rejects the bundle.
Add the CRD's manifest, or correct the name, version or kind in the CSV.`,
			Reference: "operator-registry pkg/registry Bundle.AllProvidedAPIsInBundle",
			Check:     lint.EachProblem(catalogs.ManifestOwnedCRD, "add the CRD's manifest to the folder, or correct the entry in spec.customresourcedefinitions.owned"),
		},
	}
}

// registryRules returns the rules on what opm registry add does with bundles.
func registryRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "manifest/replaced-csv", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a replaced CSV, or the currentCSV of a channel, is not in the package
The import follows the replaces of each channel and fails at a name without a CSV in the package.
Correct the name, or restore the CSV.`,
			Reference: "operator-registry pkg/sqlite AddPackageChannels",
			Check:     lint.EachProblem(catalogs.ManifestReplaced, "correct the name, or restore that CSV"),
		},
		{
			ID: "manifest/annotations", Severity: lint.Error, Gates: lint.GateOPM | lint.GatePipelines,
			Doc: `a bundle does not state its package and channels
The annotations in metadata/annotations.yaml state them; without them a bundle cannot be added to a catalog. If the first version
of a package is in several channels, some bundle has to name the default one as well, except in the semver modes.
Add the annotations operators.operatorframework.io.bundle.package.v1, …channels.v1 and …channel.default.v1.`,
			Reference: "operator-registry pkg/registry AnnotationsFile, SemverPackageManifest",
			Check:     lint.EachProblem(catalogs.ManifestAnnotations, "add the annotation to metadata/annotations.yaml"),
		},
		{
			ID: "manifest/rejected", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `a bundle cannot be added to the index
The pipelines of catalog repositories add each bundle with opm registry add. It rejects a bundle that replaces one that
was not added, replaces itself, has the name or the version of another one, or whose default channel does not exist. A
repository does not record in which order its bundles were published. olmgraph adds the lowest version first, and tries
a rejected bundle again later, also in one batch with those that it replaces. Other rules then check the channels
without it. It is an info for a bundle that the base has: it was added, so the index has more than the repository.
Correct the edges, the version or the annotations of the bundle.`,
			Reference: "operator-registry pkg/registry DirectoryPopulator, BundleGraphLoader, pkg/lib/registry checkForBundles",
			Check:     checkRejected,
		},
		{
			ID: "manifest/pruned", Severity: lint.Info, Gates: lint.GateAdvice, OtherGates: lint.GateCertified | lint.GateMarketplace,
			Doc: `a new version removes bundles from a channel
In replaces-mode the highest version of a channel becomes its head. The channel then has what the head
replaces, what that replaces and so on, and what these skip. opm registry add removes the other bundles
from it. Users on these versions are upgraded only if a skipRange covers them. The pipelines of the
certified and the marketplace catalog warn of a new version that has a skipRange and replaces nothing.
Let the new version replace or skip them, if users still have them.`,
			Reference: "operator-registry pkg/registry SemverPackageManifest, pkg/sqlite addPackageChannels; operator-pipelines check_pruned_graph",
			Check:     lint.EachProblemAs("let it replace or skip them, if users still have them", prunedAs),
		},
		{
			ID: "manifest/no-bundle", Unchecked: lint.NoBundle, Severity: lint.Error, Gates: lint.GateAdvice,
			Doc: `the folder of a version is not a bundle folder
In a repository of bundles, the bundle of a version is in operator/VERSION/manifests and
operator/VERSION/metadata. The pipelines ignore manifests in other folders, for example operator/VERSION or
operator/VERSION/bundle: they neither check nor publish such a version. olmgraph did not check it either.
Move the manifests to operator/VERSION/manifests.`,
			Reference: "operator-pipelines operator_repo Bundle.probe, detect_changed_operators",
			Check:     lint.EachProblem(catalogs.UnreadVersion, ""),
		},
	}
}

// packageAs completes the finding about a package manifest.
func packageAs(problem *catalogs.Problem, f *lint.Finding) bool {
	fix, ok := map[catalogs.ProblemKind]string{
		catalogs.ManifestPackage:   "complete the package manifest",
		catalogs.ManifestSeveral:   "keep one package manifest in the folder",
		catalogs.ManifestNoChannel: "add channels: with a name and a currentCSV",
	}[problem.Kind]
	f.Fix = cmp.Or(f.Fix, fix)
	return ok
}

// kindAs has the severity and gates of the problems of a kind that have others than their rule.
type kindAs struct {
	kind     catalogs.ProblemKind
	severity lint.Severity
	gates    lint.Gates
	fix      string
}

// eachKind returns a Check that reports the problems of a kind, and those of others as they have it.
func eachKind(kind catalogs.ProblemKind, fix string, others ...kindAs) func(*lint.Pass) {
	return func(p *lint.Pass) {
		lint.EachProblem(kind, fix)(p)
		for _, as := range others {
			p.ReportProblems(p.Catalog.Problems, "", func(problem *catalogs.Problem, f *lint.Finding) bool {
				f.Severity, f.Gates, f.Fix, f.Cause = as.severity, as.gates, as.fix, nil
				return problem.Kind == as.kind
			})
		}
	}
}

func checkRejected(p *lint.Pass) {
	lint.EachProblemAs("correct the bundle's edges, version or annotations", func(problem *catalogs.Problem, f *lint.Finding) bool {
		if p.BaseCatalog != nil {
			if old := p.BaseCatalog.Package(f.Package); old != nil && old.Bundle(f.Bundle) != nil {
				f.Severity = lint.Info
			}
		}
		return problem.Kind == catalogs.RegistryRejected
	})(p)
}

// prunedAs completes the finding about bundles that a new version removes. If it has a skipRange only, the pipelines of the suite isv warn
// of it, if they judge the bundle.
func prunedAs(problem *catalogs.Problem, f *lint.Finding) bool {
	if problem.ByRange {
		f.Severity, f.Gates = lint.Warning, lint.GateCertified|lint.GateMarketplace
		f.WarningGates = f.Gates
	}
	return problem.Kind == catalogs.RegistryPruned
}

// harmless are keys without which a bundle can be installed and upgraded as before.
var harmless = []string{
	"minKubeVersion", "maturity", "keywords", "labels", "links", "maintainers", "icon", "relatedImages", "selector",
	"cleanup", "nativeAPIs",
}

// checkUnknownKey reports the same misspelt key in several bundles of an operator once, at one that is added or else the newest: the next
// bundle is copied from the last one.
func checkUnknownKey(p *lint.Pass) {
	same := contents.NewFindingGroups(p)
	problems := slices.DeleteFunc(slices.Clone(p.Catalog.Problems), func(problem catalogs.Problem) bool { return problem.Kind != catalogs.UnknownKey })
	slices.SortStableFunc(problems, func(a, b catalogs.Problem) int {
		now, base := p.Catalog.Package(a.Package), (*catalogs.Package)(nil)
		if a.Package != b.Package || now == nil {
			return cmp.Compare(a.Package, b.Package)
		}
		if p.BaseCatalog != nil {
			base = p.BaseCatalog.Package(a.Package)
		}
		return contents.AddedFirst(base, now.Bundle(a.Bundle), now.Bundle(b.Bundle))
	})
	for _, problem := range problems {
		f := lint.Finding{Subject: lint.Subject{Package: problem.Package, Bundle: problem.Bundle}, Cause: problem.Cause,
			Faults: []string{problem.Bundle}, Pos: problem.Pos, Message: problem.Message, Fix: problem.Fix}
		if slices.Contains(harmless, problem.Like) {
			f.Severity, f.Gates = lint.Warning, lint.GateAdvice
		}
		same.Add(problem.Package+" "+problem.Message, f)
	}
	same.Report("bundle")
}
