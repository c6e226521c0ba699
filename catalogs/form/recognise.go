package form

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// isConfigMapCatalog reports whether a ConfigMap holds a catalog (operator-registry up to v1.72: pkg/sqlite ConfigMapLoader).
func isConfigMapCatalog(root *tree.Node) bool {
	return slices.ContainsFunc([]string{"packages", "clusterServiceVersions", "customResourceDefinitions"},
		func(key string) bool { return root.At("data", key) != nil })
}

// ForeignKind is a kind of text that is no part of a catalog, and what to do with it.
type ForeignKind struct{ What, Fix string }

const giveAlone = "give the file alone, and not as a part of a catalog"

var (
	ConfigKind = ForeignKind{catalogs.ConfigText,
		"move it to a folder above the catalog's, or add a line " + catalogs.ConfigName + " to .indexignore"}
	ListBundles        = ForeignKind{"an answer of ListBundles of a catalog's pod (as grpcurl prints it)", giveAlone}
	GetPackage         = ForeignKind{"an answer of GetPackage of a catalog's pod (as grpcurl prints it)", "add it to a file with the answer of ListBundles, and give that alone"}
	ClusterPackages    = ForeignKind{"the package manifests that a cluster's package server shows (kubectl get packagemanifests)", giveAlone}
	configMapKind      = ForeignKind{"a catalog in a ConfigMap", "serve a file-based catalog from an image, with a CatalogSource of type grpc, and give that"}
	packageKind        = ForeignKind{"a package manifest", "give the folder that it is in, with a folder for each version beside it, as NAME.package.yaml"}
	ciKind             = ForeignKind{"the ci.yaml of a catalog repository", "give the repository, or the folder of its catalog"}
	releaseKind        = ForeignKind{"the release-config.yaml of a bundle in a catalog repository", "give the repository, or the folder of its catalog"}
	bundleAnnotations  = ForeignKind{"the annotations of a bundle", "give the folder that has manifests/ and metadata/ in it"}
	bundleDependencies = ForeignKind{"the dependencies of a bundle", "give the folder that has manifests/ and metadata/ in it"}
	imageKind          = ForeignKind{"the manifest of a container image", "give the image: oci:FOLDER, oci-archive:FILE, docker-archive:FILE or docker://IMAGE"}
	layoutKind         = ForeignKind{"the mark of an OCI image layout", "give the layout's folder: oci:FOLDER"}
	chartKind          = ForeignKind{"the Chart.yaml of a Helm chart", "give a catalog; a chart is not one"}
)

// TemplateBundle is a bundle of a template that has no schema itself, which opm rendered until v1.43.
var TemplateBundle = ForeignKind{"a bundle that has only an image, as in a template",
	"begin the file with schema: olm.template.basic, put its objects below entries:, and render it with opm"}

// TemplateKind is what a template of a schema is.
func TemplateKind(schema string) ForeignKind {
	return ForeignKind{"a template (" + schema + ")", giveAlone}
}

// foreignFields are fields by which documents without a schema are recognised, in this order.
func foreignFields() []struct {
	fields []string
	kind   ForeignKind
} {
	return []struct {
		fields []string
		kind   ForeignKind
	}{
		{[]string{"csvName", "bundlePath"}, ListBundles},
		{[]string{"csvName", "csvJson"}, ListBundles},
		{[]string{"csvName", "packageName", "channelName"}, ListBundles},
		{[]string{"name", "channels", "defaultChannelName"}, GetPackage},
		{[]string{"packageName", "channels"}, packageKind},
		{[]string{"updateGraph"}, ciKind},
		{[]string{"schemaVersion", "manifests"}, imageKind},
		{[]string{"schemaVersion", "layers"}, imageKind},
		{[]string{"schemaVersion", "config"}, imageKind},
		{[]string{"imageLayoutVersion"}, layoutKind},
		{[]string{"apiVersion", "name", "version"}, chartKind},
	}
}

// RecogniseDocument recognises a document without a schema by its fields.
func RecogniseDocument(root *tree.Node) (ForeignKind, bool) {
	lacks := func(key string) bool { return root.Get(key) == nil }
	switch {
	case !lacks("apiVersion") && !lacks("kind"):
		return recogniseObject(root), true
	case root.At("annotations", catalogs.AnnotationPackage) != nil:
		return bundleAnnotations, true
	case len(root.Fields) == 1 && !lacks("catalog_templates"), len(Items(root, "catalog_templates")) > 0:
		return releaseKind, true
	case root.At("fbc", "enabled") != nil:
		return ciKind, true
	}
	for _, known := range foreignFields() {
		if !slices.ContainsFunc(known.fields, lacks) {
			return known.kind, true
		}
	}
	return bundleDependencies, len(root.Fields) == 1 && !lacks("dependencies")
}

// recogniseObject says what a Kubernetes object is for.
func recogniseObject(root *tree.Node) ForeignKind {
	kind := root.Str("kind")
	if list := Items(root, "items"); len(list) > 0 && kind == "List" {
		if inner := list[0].Str("kind"); inner == "PackageManifest" || inner == "ConfigMap" && isConfigMapCatalog(&list[0]) {
			return recogniseObject(&list[0])
		}
	}
	switch {
	case kind == "PackageManifest", kind == "PackageManifestList":
		return ClusterPackages
	case kind == "ConfigMap" && isConfigMapCatalog(root):
		return configMapKind
	case kind == "ImageSetConfiguration":
		return ForeignKind{"an ImageSetConfiguration of oc-mirror", "give it to olmgraph mirror, with the catalogs that it names"}
	case kind == "CatalogSource", kind == "ClusterCatalog":
		return ForeignKind{"a " + kind, "give the catalog that it names, as docker://IMAGE"}
	case kind == "ClusterServiceVersion":
		return ForeignKind{"a ClusterServiceVersion", "give the folder of its bundle, which has manifests/ and metadata/ in it, or that of its package manifests"}
	}
	return ForeignKind{fmt.Sprintf("a Kubernetes object (kind %.60q)", kind), "give a catalog; olmgraph cluster --snapshot reads the objects of a cluster; what is not part of a catalog belongs into .indexignore"}
}
