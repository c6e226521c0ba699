package bundle

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var packageName = lint.Rule{
	ID: "bundle/package-name", Severity: lint.Warning, Gates: lint.GatePipelines,
	Doc: `a package is not named like its folder or its bundles
In a catalog repository the folder of an operator, its package and its bundle names before the version should be the same. If they
differ, the pipelines reject the first bundle of an operator, and warn of later ones.
Rename what is not published yet. Users have the names of a published package and its bundles.`,
	Reference: "operator-pipelines static_tests/common check_operator_name",
	Check:     contents.InHeads(contents.InFolder(checkPackageName)),
}

func checkPackageName(c *contents.Contents) {
	annotation, _ := c.Folder().Annotation(bundleAnnotation + "package.v1")
	name := annotation.Value
	inRepository := c.Pass.Catalog.Form == catalogs.Repository
	severity, says := lint.Warning, "the pipelines warn of it"
	if inRepository && c.Folder().Alone {
		severity, says = lint.Error, "the pipelines reject the first bundle of an operator with another name"
	}
	report := func(fix, format string, args ...any) *lint.Finding {
		f := c.ReportAt(annotation.Pos, fix, format+": "+says, args...)
		f.Severity = severity
		return f
	}
	if prefix := namePrefix(c.Name.Value); prefix != name {
		report("name both the same, unless they are published", "is of the package %q, but its name begins with %q", name, prefix).WithCause("prefix", prefix)
	}
	if folder := operatorFolder(c.Folder()); inRepository && folder != "" && folder != name {
		report("name the folder and the package the same, unless they are published", "is of the package %q, but is in the folder %q", name, folder).WithCause("folder", folder)
	}
}

// operatorFolder returns the name of the folder that contains the folder of a bundle, "" if it is not known.
func operatorFolder(f *catalogs.Folder) string {
	parent := path.Base(path.Dir(strings.ReplaceAll(filepath.ToSlash(f.Pos.File), ":", "/")))
	return strings.Trim(parent, "./")
}
