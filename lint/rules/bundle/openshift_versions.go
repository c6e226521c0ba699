package bundle

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var openShiftVersions = lint.Rule{
	ID: "bundle/openshift-versions", Severity: lint.Error, Gates: lint.GateCommunity,
	Doc: `the OpenShift versions of a bundle are none, or do not fit its minKubeVersion
The annotation com.redhat.openshift.versions selects the catalogs that get a bundle: one version, a range, or all from one on. With a value
that is none of these, or a range that ends before it begins, no catalog gets it. The pipeline of the community catalog rejects a
minKubeVersion without that annotation, and OpenShift versions whose Kubernetes is older, up to 4.17. It does not check operators with
a file-based catalog.
Correct the versions, or lower the minKubeVersion.`,
	Reference: "operator-pipelines static_tests/community check_api_version_constraints",
	Check:     contents.InHeads(contents.WithReadableCSV(contents.InFolder(checkOpenShiftVersions))),
}

// checkedOpenShift is the newest minor version of OpenShift 4 whose Kubernetes version the pipeline knows (operator-pipelines:
// community/bundle.py OCP_TO_K8S).
const checkedOpenShift = 17

// addsToIndex reports whether the pipelines add a bundle to the index, and it is not listed in a file-based catalog: channels then come
// from templates.
func addsToIndex(c *contents.Contents) bool {
	return c.Pass.Catalog.Form == catalogs.Repository && len(c.Pass.Package.Channels) > 0
}

// selectsNone reports whether no minor version of OpenShift 4 supports a bundle.
func selectsNone(f *catalogs.Folder) bool {
	for minor := range 100 {
		if f.SupportsOpenShift(fmt.Sprintf("4.%d", minor)) {
			return false
		}
	}
	return true
}

func checkOpenShiftVersions(c *contents.Contents) {
	if selects, ok := c.Folder.Annotation(catalogs.OpenShiftAnnotation); ok && c.Pass.Catalog.Form == catalogs.Repository && !c.Folder.FileBased && selectsNone(c.Folder) {
		f := c.ReportAt(selects.Pos, "write the first version, as v4.16, or a range, as v4.16-v4.20", "is for the OpenShift versions %q, which are none: no catalog gets it",
			selects.Value).WithCause("none")
		f.Gates, f.Misplaced = lint.GatePipelines, true
		return
	}
	// The pipeline reads the exact key, OLM any case of it: some operators have MinKubeVersion.
	var exact struct {
		Spec map[string]json.RawMessage `json:"spec"`
	}
	var text string
	if json.Unmarshal(c.CSV.Manifest.JSON(), &exact) != nil || json.Unmarshal(exact.Spec["minKubeVersion"], &text) != nil {
		return
	}
	least, ok := versions.ParseMinKubeVersion(strings.TrimSpace(text))
	if !ok || !addsToIndex(c) {
		return // none, or reported by csv/min-kube-version
	}
	selects, ok := c.Folder.Annotation(catalogs.OpenShiftAnnotation)
	if !ok || strings.TrimSpace(selects.Value) == "" {
		c.Report("spec.minKubeVersion", fmt.Sprintf("add %s to metadata/annotations.yaml", catalogs.OpenShiftAnnotation),
			"has the minKubeVersion %s, but no annotation %s: the community pipeline rejects it", least, catalogs.OpenShiftAnnotation).WithCause(catalogs.OpenShiftAnnotation)
		return
	}
	var older []string
	for minor := 1; minor <= checkedOpenShift; minor++ {
		version := fmt.Sprintf("4.%d", minor)
		if kube := (semver.Version{Major: 1, Minor: uint64(lint.KubeOfOpenShift(minor))}); kube.LT(least) && c.Folder.SupportsOpenShift(version) {
			older = append(older, version)
		}
	}
	if len(older) > 0 {
		c.ReportAt(selects.Pos, fmt.Sprintf("begin with an OpenShift version that has Kubernetes %d.%d", least.Major, least.Minor),
			"is for OpenShift %s, but needs Kubernetes %s: the community pipeline rejects it, and OLM v0 does not install it on %s",
			words.Few(older), least, words.Plural(len(older), "that version", "those versions")).WithCause(catalogs.OpenShiftAnnotation)
	}
}
