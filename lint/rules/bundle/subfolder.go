package bundle

import (
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var subfolder = lint.Rule{
	ID: "bundle/subfolder", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateOLMv1,
	Doc: `the manifests of a bundle contain a folder
The manifests of a bundle are the files of one folder. opm and OLM v0 ignore subfolders, and OLM v1 rejects the bundle.
Move the files up.`,
	Reference: "operator-controller rukpak/bundle/source; operator-framework/api bundleloader.go",
	Check:     contents.InAllBundles(checkSubfolders),
}

func checkSubfolders(c *contents.Contents) {
	folder := c.Folder
	if folder == nil || len(folder.Subfolders) == 0 {
		return
	}
	c.ReportAt(folder.Pos, "move its files up into manifests",
		"has %s in its manifests, %s: OLM v0 ignores its content, and OLM v1 rejects the bundle",
		words.Plural(len(folder.Subfolders), "a folder", "folders"), words.AllOf(folder.Subfolders)).Faults = folder.Subfolders
}
