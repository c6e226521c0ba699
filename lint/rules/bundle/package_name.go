package bundle

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var packageName = lint.Rule{
	ID: "bundle/package-name", Severity: lint.Warning, Gates: lint.GatePipelines,
	Doc: `a package is not named like its folder or its bundles
In a catalog repository the folder of an operator, its package and its bundle names before the version should be the same. If they
differ, the pipelines reject the first bundle of an operator, and warn of later ones. They reject a bundle whose package is not that of all
others of the operator.
Rename what is not published yet. Users have the names of a published package and its bundles.`,
	Reference: "operator-pipelines static_tests/common check_operator_name",
	Check:     contents.InHeads(contents.InFolder(checkPackageName)),
}

func checkPackageName(c *contents.Contents) {
	annotation, _ := c.Folder.Annotation(bundleAnnotation + "package.v1")
	name := annotation.Value
	inRepository := c.Pass.Catalog.Form == catalogs.Repository
	if beside := c.Folder.Beside; len(beside) == 1 && beside[0] != name {
		checkOtherPackage(c, annotation, beside[0])
		return
	}
	severity, says := lint.Warning, "the pipelines warn of it"
	if inRepository && c.Folder.Alone {
		severity, says = lint.Error, "the pipelines reject the first bundle of an operator with another name"
	}
	report := func(at catalogs.Pos, fix, format string, args ...any) *lint.Finding {
		f := c.ReportAt(at, fix, format+": "+says, args...)
		f.Severity = severity
		return f
	}
	folder := operatorFolder(c.Folder)
	if prefix := namePrefix(c.Name.Value); prefix != name && isPrefixOfAnother(c) {
		at, fix := annotation.Pos, "name both the same, unless they are published"
		if inRepository && folder == name {
			at, fix = c.Name.Pos, fmt.Sprintf("name it %s.v…, unless it is published", name)
		}
		report(at, fix, "is of the package %q, but its name begins with %q", name, prefix).WithCause("prefix", prefix)
	}
	if inRepository && folder != "" && folder != name {
		report(annotation.Pos, "name the folder and the package the same, unless they are published", "is of the package %q, but is in the folder %q", name, folder).WithCause("folder", folder)
	}
}

// isPrefixOfAnother reports whether a bundle is the only one of its package, or another one has its prefix: else bundle/name-prefix tells of it.
func isPrefixOfAnother(c *contents.Contents) bool {
	all := c.Pass.Package.Bundles
	return len(all) == 1 || slices.ContainsFunc(all, func(b *catalogs.Bundle) bool {
		return b != c.Bundle && namePrefix(b.Name.Value) == namePrefix(c.Name.Value)
	})
}

// checkOtherPackage reports a bundle that is of another package than all others in the folder of the operator, unless opm registry add rejects
// it for that.
func checkOtherPackage(c *contents.Contents, annotation catalogs.Text, other string) {
	if slices.ContainsFunc(c.Pass.Catalog.Problems, func(p catalogs.Problem) bool {
		return p.Kind == catalogs.RegistryRejected && p.Bundle == c.Name.Value && p.Pos.File == annotation.Pos.File
	}) {
		return
	}
	severity, says := lint.Warning, "the pipelines reject a new one"
	if c.Pass.Submitted(c.Bundle) {
		severity, says = lint.Error, "the pipelines reject it"
	}
	f := c.ReportAt(annotation.Pos, "write "+other+", or put it into the folder of another operator",
		"is of the package %q, but the other bundles of its operator are of %q: %s", annotation.Value, other, says)
	f.Severity, f.Misplaced = severity, severity == lint.Error
	f.WithCause("beside", other)
}

// operatorFolder returns the name of the folder that contains the folder of a bundle, "" if it is not known.
func operatorFolder(f *catalogs.Folder) string {
	parent := path.Base(path.Dir(strings.ReplaceAll(filepath.ToSlash(f.Pos.File), ":", "/")))
	return strings.Trim(parent, "./")
}
