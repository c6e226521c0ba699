package bundle

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var replacedRange = lint.Rule{
	ID: "bundle/replaced-range", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
	Doc: `a replaced bundle is not in all catalogs of the new one
The annotation com.redhat.openshift.versions selects the catalogs that get a bundle. A catalog with the new bundle, but not with the one
that it replaces, cannot be built. The pipelines reject it. They do not check operators with a file-based catalog.
Select only OpenShift versions of the replaced bundle.`,
	Reference: "operator-pipelines static_tests/common check_replaces_availability",
	Check:     contents.InHeads(contents.WithReadableCSV(contents.InFolder(checkReplacedRange))),
}

// The minor versions of OpenShift 4 for which catalogs are built. The pipelines ask a service for them. A version that is not built yet
// must not be among them: the pipelines do not reject a bundle for it.
const oldestOpenShift, newestOpenShift = 12, 22

func checkReplacedRange(c *contents.Contents) {
	replaced := c.Pass.Package.Bundle(c.CSV.Spec.Replaces)
	if replaced == nil || replaced.Folder == nil || !addsToIndex(c) {
		return
	}
	var lost []string
	for minor := oldestOpenShift; minor <= newestOpenShift; minor++ {
		version := fmt.Sprintf("4.%d", minor)
		if c.Folder.SupportsOpenShift(version) && !replaced.Folder.SupportsOpenShift(version) {
			lost = append(lost, version)
		}
	}
	now, _ := c.Folder.Annotation(catalogs.OpenShiftAnnotation)
	before, _ := replaced.Folder.Annotation(catalogs.OpenShiftAnnotation)
	if len(lost) > 0 {
		c.ReportAt(words.FirstKnown(now.Pos, c.Folder.AnnotationsPos), "select only the OpenShift versions of the replaced bundle",
			"is for OpenShift %s, but %q, which it replaces, is not: %q and %q in %s; the pipelines reject it",
			words.Few(lost), replaced.Name.Value, now.Value, before.Value, catalogs.OpenShiftAnnotation).WithCause(now.Value, before.Value)
	}
}
