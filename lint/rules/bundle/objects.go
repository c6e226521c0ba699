package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// supported has the gates that accept a kind of object (operator-registry: pkg/lib/bundle supported_resources.go, which OLM v1
// uses too; OLM v0: pkg/controller/operators/catalog supportedresources.go).
var supported = map[string]lint.Gates{
	"ConfigMap": anyOLM, "ServiceAccount": anyOLM, "Service": anyOLM, "Secret": anyOLM, "Role": anyOLM, "RoleBinding": anyOLM,
	"ClusterRole": anyOLM, "ClusterRoleBinding": anyOLM, csv.Kind: anyOLM, crd.Kind: anyOLM,
	"PrometheusRule": anyOLM, "ServiceMonitor": anyOLM, "PodDisruptionBudget": anyOLM, "PriorityClass": anyOLM,
	"VerticalPodAutoscaler": anyOLM, "ConsoleYAMLSample": anyOLM, "ConsoleQuickStart": anyOLM, "ConsoleCLIDownload": anyOLM,
	"ConsoleLink": anyOLM, "ConsolePlugin": anyOLM, "NetworkPolicy": anyOLM,
	"PodMonitor":   lint.GateOLMv1 | lint.GatePipelines,
	"Subscription": lint.GateOLMv0,
}

// anyOLM has the gates that reject unsupported kinds.
const anyOLM = lint.GateOLMv0 | lint.GateOLMv1 | lint.GatePipelines

func checkUnsupported(c *contents.Contents) {
	for _, m := range c.Objects() {
		refuse := anyOLM &^ supported[m.Kind]
		if m.Kind == "" || refuse == 0 || m.File != "" && m.Document > 0 { // OLM v0 sees first documents only
			continue
		}
		who := map[lint.Gates]string{anyOLM: "OLM", lint.GateOLMv0: "OLM v0"}[refuse]
		if who == "" {
			who = "OLM v1"
		}
		c.ReportOn(m, "kind", "let the operator create it, or remove it",
			"contains the %s %q, a kind that %s does not install: the bundle cannot be installed", m.Kind, m.Name, who).Gates = refuse
	}
}

func checkDocuments(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.File != "" && m.Document > 0 {
			c.ReportOn(m, "", "move it to its own file",
				"contains the %s %q as another document of the file %s, of which OLM v0 and opm read only the first one: it is not installed",
				m.Kind, m.Name, m.File)
		}
	}
}

// checkSeveralCSVs reports several ClusterServiceVersions in properties. For folders manifest/csv-count reports them.
func checkSeveralCSVs(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.Kind == csv.Kind && m.File == "" && c.CSV != nil && m.Object != c.CSV.Manifest.Object {
			c.ReportOn(m, "", "keep one",
				"has the ClusterServiceVersion %q beside %q: which of the two is installed is not defined", m.Name, c.CSV.Manifest.Object.Name).WithCause(m.Name, c.CSV.Manifest.Object.Name)
		}
	}
}

func checkDuplicateObjects(c *contents.Contents) {
	type name struct{ kind, namespace, name string }
	seen := map[name]bool{}
	for _, m := range c.Objects() {
		key := name{m.Kind, m.Namespace, m.Name}
		if seen[key] && m.Name != "" && m.Kind != csv.Kind {
			f := c.ReportOn(m, "metadata.name", "keep one of them",
				"contains the %s %q twice: the later one overwrites the other", m.Kind, m.Name)
			if m.Kind == crd.Kind {
				f.Severity, f.Gates = lint.Error, lint.GateOLMv1|lint.GatePipelines
			}
		}
		seen[key] = true
	}
}

func checkCRDVersion(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.Kind == crd.Kind && m.APIVersion != crd.V1 && m.APIVersion != crd.V1beta1 {
			c.ReportOn(m, "apiVersion", "write apiVersion: "+crd.V1,
				"contains the CRD %q with the apiVersion %q, which no API server supports", m.Name, m.APIVersion).WithCause(m.APIVersion)
		}
	}
}

func checkNetworkPolicy(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.Kind == "NetworkPolicy" && strings.HasPrefix(m.APIVersion, "networking.k8s.io/") {
			c.ReportOn(m, "", "let the operator create it", "contains the NetworkPolicy %q: the pipelines reject it, although OLM installs it", m.Name)
		}
	}
}

func checkSubfolders(c *contents.Contents) {
	folder := c.Folder
	if folder == nil || len(folder.Subfolders) == 0 {
		return
	}
	c.ReportAt(folder.Pos, "move its files up into manifests",
		"has %s in its manifests, %s: OLM v0 ignores its content, and OLM v1 rejects the bundle",
		phrase.Plural(len(folder.Subfolders), "a folder", "folders"), words.AllOf(folder.Subfolders)).Faults = folder.Subfolders
}

// maxCompressed is the maximum size of a ConfigMap, in bytes (operator-framework/api: bundle.go). Above nearlyMax it is a warning.
const (
	maxCompressed = 1 << 20
	nearlyMax     = maxCompressed * 85 / 100
)

func checkSize(c *contents.Contents) {
	folder := c.Folder
	if folder == nil {
		return
	}
	packed, err := manifests.ConfigMapSize(folder, nearlyMax)
	size := fmt.Sprintf("%d KiB", packed>>10)
	switch {
	case err != nil: // catalog/parse reports it
	case packed > maxCompressed:
		c.ReportAt(folder.Pos, "shorten descriptions in the CRDs, or split the operator",
			"has %s compressed, more than the 1024 KiB of a ConfigMap: OLM v0 cannot unpack it", size).WithCause("tooLarge")
	case packed > nearlyMax:
		f := c.ReportAt(folder.Pos, "shorten descriptions in the CRDs",
			"has %s compressed, of at most 1024 KiB: OLM v0 cannot unpack a larger one", size)
		f.Severity, f.Gates = lint.Warning, lint.GatePipelines
	}
}

// ownCRD returns the CRD of that name in the bundle, nil if it cannot be parsed, and whether the bundle contains it.
func ownCRD(c *contents.Contents, name string) (crd *judge.CRD, present bool) {
	own := c.Pass.Judge().CRD(c.Bundle, name)
	if own == nil || own.Outline == nil {
		return nil, own != nil
	}
	return own, true
}

// checkMissingCRD reports owned CRDs that are not among the objects of the bundle. For folders manifest/owned-crd reports them.
func checkMissingCRD(c *contents.Contents) {
	if c.CSV.Manifest.File != "" || c.CSV.Err != nil {
		return
	}
	for i, owned := range c.CSV.Spec.CRDs.Owned {
		path := fmt.Sprintf("spec.customresourcedefinitions.owned[%d]", i)
		f := func(says string, args ...any) *lint.Finding {
			return c.Report(path, "add the CRD to the bundle, with that version and kind, or correct the entry", says, args...).
				WithCause(owned.Name, owned.Version, owned.Kind)
		}
		switch crd, present := ownCRD(c, owned.Name); {
		case !present:
			f("owns the CRD %q, but does not contain it: OLM v0 never completes the installation without it", owned.Name)
		case crd == nil: // crd/invalid reports it
		case owned.Kind != crd.Kind:
			f("owns the CRD %q as kind %q, but contains it as kind %q", owned.Name, owned.Kind, crd.Kind)
		case !crd.Has(owned.Version):
			f("owns version %q of the CRD %q, but its CRD lacks that version: OLM v0 never completes the installation without it", owned.Version,
				owned.Name).Gates = lint.GatePipelines | lint.GateOLMv0
		}
	}
}

func checkExtraCRD(c *contents.Contents) {
	for _, own := range c.Pass.Judge().CRDs(c.Bundle) {
		owns := func(crd csv.CRDDescription) bool { return crd.Name == own.Manifest.Name }
		if c.CSV.Err == nil && own.Manifest.Name != "" && !slices.ContainsFunc(c.CSV.Spec.CRDs.Owned, owns) {
			c.ReportOn(own.Manifest, "metadata.name", "list it in spec.customresourcedefinitions.owned, or remove it",
				"contains the CRD %q, which it does not own: OLM installs it without an owner", own.Manifest.Name)
		}
	}
}

func checkOwnedServed(c *contents.Contents) {
	for i, owned := range c.CSV.Spec.CRDs.Owned {
		crd, _ := ownCRD(c, owned.Name)
		if crd == nil {
			continue
		}
		at := crd.VersionIndex(owned.Version)
		if at >= 0 && !crd.Versions[at].Served {
			c.Report(fmt.Sprintf("spec.customresourcedefinitions.owned[%d].version", i),
				"own a version that is served, or serve it",
				"owns version %s of the CRD %q, which its own CRD does not serve: it stays Pending in OLM v0", owned.Version, owned.Name).
				WithCause(owned.Name, owned.Version)
		}
	}
}

// checkOwnedBehind reports CRDs with a served version newer than all owned ones.
func checkOwnedBehind(c *contents.Contents) {
	for _, crd := range c.Pass.Judge().CRDs(c.Bundle) {
		if crd.Outline == nil {
			continue
		}
		newest := ""
		for _, v := range crd.Versions {
			if v.Served && !v.Deprecated && (newest == "" || apiVersionLess(newest, v.Name)) {
				newest = v.Name
			}
		}
		at := -1
		for i, owned := range c.CSV.Spec.CRDs.Owned {
			if owned.Name == crd.Manifest.Name && (at < 0 || apiVersionLess(c.CSV.Spec.CRDs.Owned[at].Version, owned.Version)) {
				at = i
			}
		}
		if at >= 0 && newest != "" && apiVersionLess(c.CSV.Spec.CRDs.Owned[at].Version, newest) {
			c.Report(fmt.Sprintf("spec.customresourcedefinitions.owned[%d].version", at),
				fmt.Sprintf("add an entry for version %s", newest),
				"owns version %s of the CRD %q, but serves the newer %s: the console offers the old one, and bundles that require the new one find no provider",
				c.CSV.Spec.CRDs.Owned[at].Version, crd.Manifest.Name, newest).WithCause(crd.Manifest.Name, newest)
		}
	}
}

// apiVersionLess compares API versions as Kubernetes does: v2 > v1 > v1beta2 > v1alpha1. It returns false for other names.
func apiVersionLess(a, b string) bool {
	x, okX := apiVersionRank(a)
	y, okY := apiVersionRank(b)
	return okX && okY && slices.Compare(x, y) < 0
}

// apiVersionRank returns the stage and numbers of an API version, for comparison.
func apiVersionRank(v string) ([]int, bool) {
	var major, minor int
	stage := ""
	spaced := strings.NewReplacer("alpha", " alpha ", "beta", " beta ").Replace(v)
	if n, _ := fmt.Sscanf(spaced, "v%d %s %d", &major, &stage, &minor); n == 0 {
		return nil, false
	}
	switch stage {
	case "":
		return []int{3, major}, v == fmt.Sprintf("v%d", major)
	case "beta":
		return []int{2, major, minor}, v == fmt.Sprintf("v%dbeta%d", major, minor)
	case "alpha":
		return []int{1, major, minor}, v == fmt.Sprintf("v%dalpha%d", major, minor)
	}
	return nil, false
}
