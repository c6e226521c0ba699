// Package catalogs reads operator catalogs in all their forms into one model, in which every value has its position.
//
// Open takes a reference and returns whole catalogs. What cannot be read becomes a Problem with a position, and the rest is read: an
// error means that the reference itself could not be read.
//
// What upgrades there are is answered by package graph, which has examples: the heads of a channel, the next upgrade, the path between
// two bundles, and whom a change strands. Package catalogs/template has one of a template and the catalog that opm makes of it.
package catalogs

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/mention"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Pos is a position in a file. Line and Col are 1-based, Col counts bytes; zero means unknown.
type Pos struct {
	File string
	Line int
	Col  int
}

// String returns file:line:column, or the file alone if the line is unknown.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Known reports whether p names at least a file.
func (p Pos) Known() bool { return p.File != "" }

// Text is a string of the catalog and its position. Of an absent field both are zero.
type Text struct {
	Value string
	Pos   Pos
}

// Catalog is one catalog: the packages that OLM would find in one CatalogSource.
type Catalog struct {
	// Name distinguishes several catalogs of one reference, as in "community-v4.20". It is empty if there is only one.
	Name string
	// Form is the form that Open found.
	Form Form
	// Container is what the catalog was read from, as "oci-archive image" or "git tree"; "" for a folder or a file on disk.
	Container string
	// OpenShift is the version in the name of the catalog's folder or file, as "4.18"; "" if there is none.
	OpenShift string
	// Selected names the folders and files that were read of the root of a git repository; "" if all of the catalog's folder was.
	Selected string
	// Repository is the configuration of the catalog repository that the catalog is in; nil if it is in none.
	Repository *RepositoryConfig
	// Template is what the catalog was made of; nil if it is no template.
	Template *Template
	// Packages are sorted by name, and include those without an olm.package object.
	Packages []*Package
	// Others are the objects with a schema that is not one of OLM's, in the order of the text.
	Others []Other
	// Foreign are documents that do not belong in a catalog, one of each kind and file, in the order of the text.
	Foreign []Foreign
	// Problems are what opm would read otherwise or reject, by position.
	Problems []Problem
	// Configuration has the mistakes in the files by which a repository configures its pipeline.
	Configuration []Problem
	// Attached is how many bundles have manifests of other catalogs: see AttachManifests.
	Attached int
	Stats    Stats

	source      *source
	firstObject Pos      // of the first object of a listing
	filtered    bool     // only some packages were read
	deferred    Deferred // what is not read yet; nil after Read
	// otherVersions says that the bundles are those of a repository that support none of its OpenShift versions.
	otherVersions bool
	sums          map[string]uint64 // by package, of the texts of its objects
	lost          mention.Words     // of the text that was not read
	templates     Templates         // of its repository; nil if it is in none
}

// Deferred is what a catalog was opened with and is not read yet.
type Deferred interface {
	// Read reads it into the catalog, which is as it was opened.
	Read(ctx context.Context, c *Catalog) error
	// Empty reports whether there is no text to read.
	Empty() bool
}

// Read reads a catalog that was opened with Options.Deferred. It does nothing for others.
func (c *Catalog) Read(ctx context.Context) error {
	if c == nil || c.deferred == nil {
		return nil
	}
	return c.deferred.Read(ctx, c)
}

// Templates are those of the repository that a catalog is in: package repo knows what they make.
type Templates interface {
	// Found reports whether there is a repository.
	Found() bool
}

// MayBeUnread reports whether text that could not be read, or that opm does not read, has a name: an object of that name may only seem
// to be missing.
func (c *Catalog) MayBeUnread(name string) bool { return c.lost.Has(name) }

// Package returns the package of that name, or nil.
func (c *Catalog) Package(name string) *Package {
	if i := slices.IndexFunc(c.Packages, func(p *Package) bool { return p.Name.Value == name }); i >= 0 {
		return c.Packages[i]
	}
	return nil
}

// Only returns the catalog with one package, which may differ from its own.
func (c *Catalog) Only(p *Package) *Catalog {
	return &Catalog{Name: c.Name, Form: c.Form, OpenShift: c.OpenShift, Packages: []*Package{p}, source: c.source}
}

// Replacing returns a copy of the catalog with another package instead of that of its name.
func (c *Catalog) Replacing(p *Package) *Catalog {
	changed := *c
	changed.sums, changed.Packages = nil, slices.Clone(c.Packages)
	changed.Packages[slices.IndexFunc(c.Packages, func(o *Package) bool { return o.Name.Value == p.Name.Value })] = p
	return &changed
}

// Editable reports whether the catalog has a source with its values in the places of their positions, as a template without generated channels.
func (c *Catalog) Editable() bool {
	return c.Form == FileBased || c.Template != nil && !c.Template.Generated()
}

// Pos returns the folder or file that the catalog was read from.
func (c *Catalog) Pos() Pos {
	if c.source == nil {
		return Pos{}
	}
	if c.source.single != "" {
		return Pos{File: c.source.display(c.source.single)}
	}
	return Pos{File: strings.TrimSuffix(c.source.prefix, ":")}
}

// Form is a form of catalog.
type Form string

// The forms of catalogs.
const (
	FileBased        Form = "file-based catalog"
	PackageManifests Form = "package manifests"
	BundleFolder     Form = "bundle folder"
	Repository       Form = "catalog repository"
	SQLite           Form = "SQLite index"
	ListBundles      Form = "an answer of ListBundles"
	ClusterPackages  Form = "the package manifests of a cluster"
	ConfigMap        Form = "catalog in a ConfigMap"
	TemplateForm     Form = "template"
)

// Stats says how much was read.
type Stats struct {
	Files, Objects, Packages, Channels, Entries, Bundles int
	Bytes                                                int64
	Unread                                               int // files, or bundles of a repository, that are the same in the base and were not read: see Pair.Read
}

// Package is one package: everything that names it, even if its olm.package object is missing (then Pos is zero) or occurs more than
// once (then Duplicates has the positions of the others).
type Package struct {
	Name           Text
	DefaultChannel Text
	Icon           *Icon
	Pos            Pos // of the olm.package object
	Duplicates     []Pos
	Channels       []*Channel      // in the order of the text; a name may occur twice
	Bundles        []*Bundle       // likewise
	Deprecations   []*Deprecations // opm allows only one
	// Assumed says that it is what bundle folders publish for an OpenShift version, of which it is not known that all was published there.
	Assumed  bool
	bundles  map[string]*Bundle
	channels map[string]*Channel
}

// Defined reports whether the package has an olm.package object.
func (p *Package) Defined() bool { return p.Pos.Known() }

// Bundle returns the first bundle of that name, or nil.
func (p *Package) Bundle(name string) *Bundle {
	if p.bundles == nil { // not made by Open
		if i := slices.IndexFunc(p.Bundles, func(b *Bundle) bool { return b.Name.Value == name }); i >= 0 {
			return p.Bundles[i]
		}
		return nil
	}
	return p.bundles[name]
}

// Channel returns the first channel of that name, or nil.
func (p *Package) Channel(name string) *Channel {
	if p.channels == nil {
		if i := slices.IndexFunc(p.Channels, func(c *Channel) bool { return c.Name.Value == name }); i >= 0 {
			return p.Channels[i]
		}
		return nil
	}
	return p.channels[name]
}

// With returns a copy of the package with other channels and bundles. The entries must have their bundles already.
func (p *Package) With(channels []*Channel, bundles []*Bundle) *Package {
	changed := *p
	changed.Channels, changed.Bundles = channels, bundles
	changed.index()
	return &changed
}

// index makes bundles and channels accessible by their names: of one name the first.
func (p *Package) index() {
	p.bundles, p.channels = make(map[string]*Bundle, len(p.Bundles)), make(map[string]*Channel, len(p.Channels))
	for _, b := range slices.Backward(p.Bundles) {
		p.bundles[b.Name.Value] = b
	}
	for _, c := range slices.Backward(p.Channels) {
		p.channels[c.Name.Value] = c
	}
}

// DeprecationEntries returns what the package deprecates: the entries of its first olm.deprecations object. OLM v1 reads no other
// (operator-controller: resolve CatalogResolver.Resolve), and opm rejects a package with several (declcfg ConvertToModel).
func (p *Package) DeprecationEntries() []Deprecation {
	if len(p.Deprecations) == 0 {
		return nil
	}
	return p.Deprecations[0].Entries
}

// Deprecation returns the first entry that deprecates the package, a channel or a bundle, by its schema and name; nil if there
// is none. A package is found by its schema alone.
func (p *Package) Deprecation(schema, name string) *Deprecation {
	entries := p.DeprecationEntries()
	for i := range entries {
		if d := &entries[i]; d.Schema.Value == schema && (schema == SchemaPackage || d.Name.Value == name) {
			return d
		}
	}
	return nil
}

// DeprecatedBundles returns the first entry that deprecates each bundle, by its name.
func (p *Package) DeprecatedBundles() map[string]*Deprecation {
	found := map[string]*Deprecation{}
	entries := p.DeprecationEntries()
	for i := range entries {
		if d := &entries[i]; d.Schema.Value == SchemaBundle && found[d.Name.Value] == nil {
			found[d.Name.Value] = d
		}
	}
	return found
}

// Icon is the icon of a package. Data is base64, as in the catalog.
type Icon struct {
	Data      Text
	MediaType Text
	Pos       Pos
}

// Channel is one olm.channel object.
type Channel struct {
	Name    Text
	Package Text
	Entries []Entry // in the order of the text; a name may occur twice
	Pos     Pos
	Head    Text // of a channel without edges: the head that the catalog names
	// Edgeless says that the catalog does not have the edges of the channel: see Catalog.Edgeless.
	Edgeless bool
}

// Entry returns the first entry of that name, nil if there is none.
func (c *Channel) Entry(name string) *Entry {
	if i := slices.IndexFunc(c.Entries, func(e Entry) bool { return e.Name.Value == name }); i >= 0 {
		return &c.Entries[i]
	}
	return nil
}

// HasEntry reports whether a channel has an entry of that name.
func (p *Package) HasEntry(name string) bool {
	return slices.ContainsFunc(p.Channels, func(c *Channel) bool { return c.Entry(name) != nil })
}

// Entry is one entry of a channel: the edges into one bundle.
type Entry struct {
	Name      Text
	Replaces  Text
	Skips     []Text
	SkipRange Text
	Pos       Pos
	Bundle    *Bundle // the bundle of that name in the package, or nil
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
	// document is where its object is, to read it again; zero if there is none.
	document document
	// derived are the properties of a bundle without a document of its own: those that opm derives from manifests, or a listing has.
	derived []PropertyValue
	// embedded are its manifests where these are in no folder.
	embedded []embeddedObject
}

// Semver returns the version, or nil if that is not a semantic version in the strict form that opm requires.
func (b *Bundle) Semver() *semver.Version { return b.semver }

// setVersion sets the version.
func (b *Bundle) setVersion(version Text) {
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
		for i := range b.derived {
			if p := &b.derived[i]; !yield(Text{Value: p.Type, Pos: p.Pos}) {
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
// read, but for one that holds a manifest: see Bundle.CheckManifestProperties.
type Property struct {
	Type   Text
	Pos    Pos // of the value, or of the property if it has no value
	unread *tree.Node
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
	TypeChannel         = "olm.channel"
	TypeConstraint      = "olm.constraint"
	TypeDeprecated      = "olm.deprecated"
)

// Deprecations is one olm.deprecations object.
type Deprecations struct {
	Package Text
	Entries []Deprecation
	Pos     Pos
}

// Deprecation marks a package, a channel or a bundle as deprecated.
type Deprecation struct {
	Schema  Text // olm.package, olm.channel or olm.bundle
	Name    Text
	Message Text
	Pos     Pos
}

// The schemas of a file-based catalog.
const (
	SchemaPackage      = "olm.package"
	SchemaChannel      = "olm.channel"
	SchemaBundle       = "olm.bundle"
	SchemaDeprecations = "olm.deprecations"
)

// Other is an object whose schema is not one of OLM's.
type Other struct {
	Schema, Package, Name Text
	Pos                   Pos
}

// ProblemKind says how a text differs from what opm expects.
type ProblemKind int

const (
	ParseProblem    ProblemKind = iota // not YAML or JSON, not readable, not an object
	SchemaMissing                      // no schema
	FieldType                          // a value of the wrong type
	Coercion                           // the same, because YAML 1.1 reads an unquoted string as another type
	DuplicateKey                       // two keys that differ in case only
	RepeatedKey                        // the same key twice, of which opm silently takes the last
	LostDocument                       // text that opm silently drops
	CaseFoldedField                    // a key in another case, which opm accepts
	UnknownKey                         // a key, or the type of a property, that is probably misspelt: see Options.AsIntended
	UnknownSchema                      // a schema that is probably misspelt, or not one of OLM's that begins with olm.; likewise
	UnknownPackage                     // a package that is not defined, and is read as one that is; likewise
	UnknownName                        // the name of an entry without a bundle, which is read as that of a bundle; likewise
	BundleObject                       // an olm.bundle.object whose data is not base64 of YAML or JSON

	TemplateFault // what opm rejects or loses of a template
	UnreadFolder  // a part of a repository of which nothing is read
	UnreadVersion // a version of an operator in a repository whose folder is no bundle folder

	// What operator-registry rejects in package manifests and bundle folders:
	ManifestPackage     // the package manifest is incomplete
	ManifestSeveral     // a folder has several package manifests
	ManifestNoChannel   // a package without a channel
	ManifestOrphan      // a CSV that is in no channel of its package
	ManifestCSVs        // a bundle without a CSV
	ManifestSecondCSV   // a bundle with several
	ManifestNoVersion   // a folder of package manifests without a CSV
	ManifestOwnedCRD    // an owned CRD that is not in the folder
	ManifestReplaced    // a replaced CSV that is not in the package
	ManifestAnnotations // annotations of a bundle that are missing or incomplete
	ManifestConfigMap   // a catalog in a ConfigMap that is not whole
	ManifestDropped     // what is silently dropped of such a catalog
	RegistryRejected    // a bundle that opm registry add rejects
	RegistryPruned      // bundles that it removed from a channel

	// What configures the pipeline of a catalog repository:
	CIConfig         // a mistake in the ci.yaml of an operator
	ReleaseConfig    // in the release-config.yaml of a bundle
	ReleaseOutcome   // what it makes of a template, which may be a mistake
	PipelineConfig   // in the config.yaml of the repository
	CatalogMapping   // what a ci.yaml maps to which catalog is not what there is
	UnmappedTemplate // a template that makes no catalog
	NoUpdateGraph    // an operator that does not say how its bundles upgrade
	NoCertProject    // an operator without a certification project
	WithoutTemplates // an operator that is not published by file-based catalogs
)

// Problem is something in the source that opm would read otherwise or reject.
type Problem struct {
	Kind        ProblemKind
	Pos         Pos
	Message     string
	Package     string // "" where it is not known
	Bundle      string
	Field       string   // of the wrong type, as "olm.package.version"; only where Kind is FieldType or Coercion
	Cause       []string // further names and values that tell it from others of its kind
	Fix         string   // what to do, where that is known better than for others of the kind
	Like        string   // what a misspelt word was read as; "" if it is like none
	Channel     string   // of an entry; only where Kind is UnknownPackage or UnknownName
	Foreign     bool     // it is about text that is no part of a catalog: see Catalog.Foreign
	Accepted    bool     // TemplateFault, CIConfig, CatalogMapping, ReleaseConfig, PipelineConfig: it is accepted, and ignored or read otherwise
	Release     *Release // ReleaseOutcome
	Published   bool     // ReleaseConfig, ReleaseOutcome: it is about a bundle that is not the newest one, whose pipeline may have run long ago
	ByRange     bool     // RegistryPruned: a bundle that is submitted, and the head, has a skipRange only
	DisplayOnly bool     // it is about an icon or a description, on which no answer depends
}

// LosesData reports whether the problem left something of the catalog unread that opm would read, so that answers may be incomplete.
func (p *Problem) LosesData() bool {
	switch p.Kind {
	case ParseProblem, UnreadFolder, ManifestCSVs, ManifestConfigMap:
		return true
	case FieldType, Coercion:
		return !p.DisplayOnly
	case TemplateFault:
		return !p.Accepted
	case SchemaMissing:
		return !p.Foreign
	case ManifestAnnotations, ManifestPackage:
		return p.Package == ""
	}
	return false
}
