package manifest

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
)

var annotations = lint.Rule{
	ID: "manifest/annotations", Severity: lint.Error, Gates: lint.GateOPM | lint.GatePipelines, Scope: lint.PerCatalog,
	Doc: `a bundle does not state its package and channels
The annotations in metadata/annotations.yaml state them; without them a bundle cannot be added to a catalog. If the first version
of a package is in several channels, some bundle has to name the default one as well, except in the semver modes.
Add the annotations operators.operatorframework.io.bundle.package.v1, …channels.v1 and …channel.default.v1.`,
	Reference: "operator-registry pkg/registry AnnotationsFile, SemverPackageManifest",
	Check:     problems.Check(catalogs.ManifestAnnotations, "add the annotation to metadata/annotations.yaml"),
}
