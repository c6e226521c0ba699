package catalogs

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// MayRequire reports whether the bundle has properties that are requirements, without reading their values.
func (b *Bundle) MayRequire() bool {
	return b.hasProperty(requires)
}

// HasDependencies reports whether the bundle may have something in Dependencies, without reading the values of its properties.
func (b *Bundle) HasDependencies() bool {
	return b.hasProperty(func(kind string) bool { return requires(kind) || kind == TypeGVK || kind == TypeMaxOpenShift })
}

func (b *Bundle) hasProperty(is func(kind string) bool) bool {
	for p := range b.PropertyTypes() {
		if is(p.Value) {
			return true
		}
	}
	return false
}

// Folder is the folder of a bundle's manifests, and its metadata if it is a bundle folder.
type Folder struct {
	Name string // the last element of its path: in a repository the version
	Pos  Pos    // of the folder
	// Subfolders are the names of folders in manifests/, which opm ignores.
	Subfolders []string
	// AnnotationsPos is the position of the annotations; zero if there are none, as in a folder of package manifests.
	AnnotationsPos Pos
	Annotations    []Annotation
	Dependencies   []Dependency
	// Malformed are the mistakes for which opm ignores metadata/dependencies.yaml or properties.yaml.
	Malformed []Problem
	// Alone reports whether no other folder of a bundle is beside it in a repository, read or not.
	Alone bool
	// Beside are the packages of the other bundles beside it that are read, sorted.
	Beside []string
	// FileBased reports whether the channels of its operator are in templates of file-based catalogs, and not in the bundles.
	FileBased bool

	Source *source.Source
	Dir    string   // in the source
	Paths  []string // of the files with manifests that are read, in the source
}

// Annotation is one annotation of metadata/annotations.yaml.
type Annotation struct {
	Key   string
	Value Text
}

// Dependency is one entry of metadata/dependencies.yaml. JSON is its value, nil if it has none.
type Dependency struct {
	Type string
	JSON []byte
	Pos  Pos
}

// Annotation returns the value of an annotation, and whether there is one of that name.
func (f *Folder) Annotation(key string) (Text, bool) {
	for _, a := range f.Annotations {
		if a.Key == key {
			return a.Value, true
		}
	}
	return Text{}, false
}

// AnnotationSelects is SupportsOpenShift for the annotation com.redhat.openshift.versions of the folder. The ci.yaml of its operator, which
// can exclude a version too, does not count.
func (f *Folder) AnnotationSelects(version string) bool {
	selected, _ := f.Annotation(OpenShiftAnnotation)
	return SupportsOpenShift(selected.Value, version)
}

// ImageRegistry returns the registry of an image: what is before the first slash if that has a dot or a colon, else docker.io. It is "" without
// an image.
func ImageRegistry(image string) string {
	host, _, ok := strings.Cut(image, "/")
	switch {
	case image == "":
		return ""
	case !ok || !strings.ContainsAny(host, ".:") || host == "index.docker.io":
		return "docker.io"
	}
	return host
}

// HasManifests reports whether the bundle has its manifests, or the catalog's Supply has them, and not only an olm.csv.metadata.
func (b *Bundle) HasManifests() bool { return b.HasOwnManifests() || b.ManifestBundle() != nil }

// HasOwnManifests reports whether the catalog has the manifests of the bundle.
func (b *Bundle) HasOwnManifests() bool {
	return b.Folder != nil || b.PropertyIndex(TypeBundleObject) >= 0
}

// ManifestBundle returns the bundle elsewhere that has the manifests which the catalog lacks; nil if there is none, or none is needed.
func (b *Bundle) ManifestBundle() *Bundle {
	if b.supplied == nil {
		return nil
	}
	found, _ := b.supplied()
	return found
}

// Misfit says how the bundle elsewhere that has its name differs from it, so that its manifests are not taken; "" if it does not.
func (b *Bundle) Misfit() string {
	if b.supplied == nil {
		return ""
	}
	_, misfit := b.supplied()
	return misfit
}

// Supply has manifests that catalogs lack, as the bundle folders of their repository. It may be asked concurrently.
type Supply interface {
	// Bundle returns the bundle with the manifests of one of a package that has none; nil if there is none. misfit says how a bundle of that
	// package and name differs, so that it was not taken.
	Bundle(p *Package, b *Bundle) (with *Bundle, misfit string)
	// Sources returns what it reads.
	Sources() []*source.Source
}

// SetSupply sets what has manifests that the catalog lacks; more is asked first.
func (c *Catalog) SetSupply(more Supply) {
	if c.Supply != nil {
		more = supplies{more, c.Supply}
	}
	c.ReplaceSupply(more)
}

// ReplaceSupply sets what alone has manifests that the catalog lacks.
func (c *Catalog) ReplaceSupply(by Supply) {
	c.Supply = by
	for _, p := range c.Packages {
		c.supply(p)
	}
}

// supply lets the bundles of a package that have no manifests ask for them once they are needed.
func (c *Catalog) supply(p *Package) {
	for _, b := range p.Bundles {
		if c.Supply != nil && !b.HasOwnManifests() {
			b.supplied = sync.OnceValues(func() (*Bundle, string) { return c.Supply.Bundle(p, b) })
		}
	}
}

// supplies asks one after the other.
type supplies []Supply

func (all supplies) Bundle(p *Package, b *Bundle) (with *Bundle, misfit string) {
	for _, s := range all {
		found, other := s.Bundle(p, b)
		if found != nil {
			return found, ""
		}
		misfit = cmp.Or(misfit, other)
	}
	return nil, misfit
}

func (all supplies) Sources() (sources []*source.Source) {
	for _, s := range all {
		sources = append(sources, s.Sources()...)
	}
	return sources
}

// Bundle is one olm.bundle object.
type Bundle struct {
	Name          Text
	Package       Text
	Image         Text
	RelatedImages []RelatedImage
	Properties    []Property
	// Version, Release and PackageName are those of the first olm.package property.
	Version     Text
	Release     Text
	PackageName Text
	Pos         Pos
	// Guessed says that the bundle of a template is not known: Version is what its name ends with, and there is nothing else.
	Guessed bool

	// Folder is that of its manifests; nil if there is none.
	Folder *Folder

	semver *semver.Version
	// Document is where its object is, to read it again; zero if there is none.
	Document source.Document
	// Derived has the properties of a bundle without a document of its own: those that opm derives from manifests, which the catalogs of a
	// repository share, or a listing has; nil if there are none.
	Derived *Facts

	supplied func() (*Bundle, string) // asks the catalog's Supply once; nil if there is none
}

// MarshalText implements encoding.TextMarshaler: an answer has its name.
func (b *Bundle) MarshalText() ([]byte, error) { return []byte(b.Name.Value), nil }

// Semver returns the version, or nil if that is not a semantic version in the strict form that opm requires.
func (b *Bundle) Semver() *semver.Version { return b.semver }

// SetVersion sets the version.
func (b *Bundle) SetVersion(version Text) {
	b.Version, b.semver = version, nil
	if v, err := semver.Parse(version.Value); err == nil {
		b.semver = &v
	}
}

// PropertyCount returns how many properties of a type the bundle has.
func (b *Bundle) PropertyCount(kind string) int {
	n := 0
	for i := range b.Properties {
		if b.Properties[i].Type.Value == kind {
			n++
		}
	}
	return n
}

// PropertyIndex returns the index of the first property of a type, or -1.
func (b *Bundle) PropertyIndex(kind string) int {
	return slices.IndexFunc(b.Properties, func(p Property) bool { return p.Type.Value == kind })
}

// PropertyTypes yields the types of the bundle's properties in their order, each with the position of the property's value, without
// reading the values.
func (b *Bundle) PropertyTypes() iter.Seq[Text] {
	return func(yield func(Text) bool) {
		for i := range b.Properties {
			if p := &b.Properties[i]; !yield(Text{Value: p.Type.Value, Pos: p.Pos}) {
				return
			}
		}
		if b.Derived == nil {
			return
		}
		for i := range b.Derived.Properties {
			if p := &b.Derived.Properties[i]; !yield(Text{Value: p.Type, Pos: p.Pos}) {
				return
			}
		}
	}
}

// RelatedImage is an image that a bundle needs.
type RelatedImage struct {
	Name  Text
	Image Text
}

// Property is a property of a bundle. Its value stays in the source. Whether opm accepts the value was checked when the catalog was
// read, but for one that holds a manifest: see fbc.CheckManifestProperties.
type Property struct {
	Type     Text
	Pos      Pos        // of the value, or of the property if it has no value
	RawValue *tree.Node // of one that holds a manifest, as Document.Expand takes it; nil of others
}

// HoldsManifest reports whether the property holds a manifest, which is not read before it is needed.
func (p *Property) HoldsManifest() bool {
	return p.Type.Value == TypeBundleObject || p.Type.Value == TypeCSVMetadata
}

// The types of properties that OLM defines.
const (
	TypePackage         = "olm.package"
	TypePackageRequired = "olm.package.required"
	TypeGVK             = "olm.gvk"
	TypeGVKRequired     = "olm.gvk.required"
	TypeBundleObject    = "olm.bundle.object"
	TypeCSVMetadata     = "olm.csv.metadata"
	TypeConstraint      = "olm.constraint"
	TypeDeprecated      = "olm.deprecated"
)

// The schemas of a file-based catalog.
const (
	SchemaPackage      = "olm.package"
	SchemaChannel      = "olm.channel"
	SchemaBundle       = "olm.bundle"
	SchemaDeprecations = "olm.deprecations"
)

// The annotations of a bundle (registry+v1).
const (
	annotationPrefix    = "operators.operatorframework.io.bundle."
	AnnotationPackage   = annotationPrefix + "package.v1"
	AnnotationChannels  = annotationPrefix + "channels.v1"
	AnnotationDefault   = annotationPrefix + "channel.default.v1"
	OpenShiftAnnotation = "com.redhat.openshift.versions" // selects the catalogs that get the bundle
)
