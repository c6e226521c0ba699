package bundle

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var size = lint.Rule{
	ID: "bundle/size", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GatePipelines,
	Doc: `a bundle is too large
OLM v0 stores the compressed manifests of a bundle in one ConfigMap, whose limit is 1 MiB. A larger bundle cannot be unpacked;
from 85% of the limit on it is a warning.
Shorten long texts, usually the descriptions in CRDs, or split the operator.`,
	Reference: "operator-framework/api bundle.go validateBundleSize; operator-registry pkg/configmap",
	Check:     contents.InHeads(checkSize),
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
