package bundle

import (
	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var folderName = lint.Rule{
	ID: "bundle/folder-name", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `a bundle's folder is not named after its version
The pipelines of catalog repositories require that the folder of a bundle has the name of spec.version of its
ClusterServiceVersion.
Rename the folder, or correct the version.`,
	Reference: "operator-pipelines static_tests/common check_operator_version_directory_name",
	Check:     contents.InHeads(contents.WithReadableCSV(checkFolderName)),
}

func checkFolderName(c *contents.Contents) {
	folder := c.Folder
	if folder == nil || c.Pass.Catalog.Form != catalogs.Repository {
		return
	}
	version := c.CSV.Spec.Version
	if _, err := semver.Parse(version); err == nil && folder.Name != version { // else version/semver says so
		c.ReportAt(folder.Pos, "rename the folder to "+version,
			"has the version %s, but is in the folder %q: the repository's pipeline rejects it", version, folder.Name).WithCause(version, folder.Name)
	}
}
