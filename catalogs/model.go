// Package catalogs reads operator catalogs: what they say, and where they say it.
//
// Open takes a reference and returns catalogs whole. What cannot be read becomes a Problem with a position, never an
// early return: an error means that the reference could not be looked at.
package catalogs

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Pos is a place in a file. Line and Col are 1-based, Col counts bytes; zero means unknown.
type Pos struct {
	File string
	Line int
	Col  int
}

// String returns file:line:column, or the file alone where no more is known.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Known reports whether p names at least a file.
func (p Pos) Known() bool { return p.File != "" }

// Text is a string of the catalog and where it stands. Where a field is absent, Value is empty and Pos zero.
type Text struct {
	Value string
	Pos   Pos
}

// Catalog is one catalog: the packages that OLM would see in one CatalogSource.
type Catalog struct {
	// Name tells several catalogs of one run apart, as in "community-v4.20". It is empty where there is only one.
	Name string
	// Form is what the reference turned out to be.
	Form Form
	// Container is what the catalog was in, as "oci-archive image" or "git tree"; "" for a folder or a file.
	Container string
	// OpenShift is the version that the catalog's folder or file is named after, as "4.18", or empty.
	OpenShift string
	// Packages sorted by name, those without an olm.package object included.
	Packages []*Package
	// Others are the objects with a schema that is not OLM's, in the order of the text.
	Others []Other
	// Foreign is what was recognised as no part of a catalog, one of each kind in a file, in the order of the text.
	Foreign []Foreign
	// Problems are what could not be read as opm would, by position.
	Problems []Problem
	// Supplied is how many bundles got manifests from elsewhere: see Supply.
	Supplied int
	Stats    Stats

	source  *source
	first   Pos               // of the first object of a listing: see Silent
	partial bool              // only one package was wanted
	pending *pending          // what is to be read, if that was put off
	sums    map[string]uint64 // by package, of the text of its objects
}

// Package returns the package of that name, or nil.
func (c *Catalog) Package(name string) *Package {
	if i := slices.IndexFunc(c.Packages, func(p *Package) bool { return p.Name.Value == name }); i >= 0 {
		return c.Packages[i]
	}
	return nil
}

// Pos is the place of the catalog as a whole: the folder or file that it was read from.
func (c *Catalog) Pos() Pos {
	if c.source == nil {
		return Pos{}
	}
	if c.source.file != "" {
		return Pos{File: c.source.display(c.source.file)}
	}
	return Pos{File: strings.TrimSuffix(c.source.prefix, ":")}
}

// Form is one of the forms that a catalog comes in.
type Form string

// The forms.
const (
	FileBased        Form = "file-based catalog"
	PackageManifests Form = "package manifests"
	BundleFolder     Form = "bundle folder"
	Repository       Form = "catalog repository"
	SQLite           Form = "SQLite index"
	ListBundles      Form = "an answer of ListBundles"
	ClusterPackages  Form = "the package manifests of a cluster"
)

// Stats says how much was looked at.
type Stats struct {
	Files, Objects, Packages, Channels, Entries, Bundles int
	Bytes                                                int64
	Unread                                               int // files that are as in the base: see Pair.Read
}

// Package is what a catalog says of one operator. Everything that names the package is here, even where the
// olm.package object is missing (then Pos is zero) or stands more than once (then Again has the others).
type Package struct {
	Name           Text
	DefaultChannel Text
	Icon           *Icon
	Pos            Pos // of the olm.package object
	Again          []Pos
	Channels       []*Channel      // in the order of the text; a name may come twice
	Bundles        []*Bundle       // likewise
	Deprecations   []*Deprecations // opm allows one
	bundles        map[string]*Bundle
	channels       map[string]*Channel
}

// Defined reports whether the package has an olm.package object.
func (p *Package) Defined() bool { return p.Pos.Known() }

// Bundle returns the first bundle of that name, or nil.
func (p *Package) Bundle(name string) *Bundle {
	if p.bundles == nil { // it was not made by Open
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

// DeprecationEntries returns what the package deprecates: the entries of its first olm.deprecations object. OLM v1 reads no other
// (operator-controller: resolve CatalogResolver.Resolve), and opm refuses a package with several (declcfg ConvertToModel).
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

// Icon is the icon of a package. Data is what stands in the catalog, base64.
type Icon struct {
	Data      Text
	MediaType Text
	Pos       Pos
}

// Channel is one olm.channel object.
type Channel struct {
	Name    Text
	Package Text
	Entries []Entry // in the order of the text; a name may come twice
	Pos     Pos
	Head    Text // as the catalog names it, where it tells no edges
	// Edgeless says that the catalog does not tell which version upgrades to which: see Catalog.Edgeless.
	Edgeless bool
}

// Entry is one entry of a channel: the edges into one bundle.
type Entry struct {
	Name      Text
	Replaces  Text
	Skips     []Text
	SkipRange Text
	Pos       Pos
	Bundle    *Bundle // of that name in the package, or nil
}

// Bundle is one olm.bundle object.
type Bundle struct {
	Name          Text
	Package       Text
	Image         Text
	RelatedImages []RelatedImage
	Properties    []Property
	// Version, Release and PackageName are those of the first olm.package property; Pos of Version is that of its value.
	Version     Text
	Release     Text
	PackageName Text
	Pos         Pos

	semver    *semver.Version
	versioned bool // an olm.package property was met
	raw       document
	// known are the properties of a bundle that was not read from a document of its own.
	known     []PropertyValue
	manifests *operator // nil if they are not known
}

// Semver returns the version, or nil if the bundle has none that is a semantic version in the strict form that opm asks
// for.
func (b *Bundle) Semver() *semver.Version { return b.semver }

// Count returns how many properties of a type the bundle has.
func (b *Bundle) Count(kind string) int {
	n := 0
	for i := range b.Properties {
		if b.Properties[i].Type.Value == kind {
			n++
		}
	}
	return n
}

// Index returns the index of the first property of a type, or -1.
func (b *Bundle) Index(kind string) int {
	return slices.IndexFunc(b.Properties, func(p Property) bool { return p.Type.Value == kind })
}

// PropertyTypes yields the types of the bundle's properties, in their order, each with the place of the property's value. It reads
// nothing.
func (b *Bundle) PropertyTypes() iter.Seq[Text] {
	return func(yield func(Text) bool) {
		for i := range b.Properties {
			if p := &b.Properties[i]; !yield(Text{Value: p.Type.Value, Pos: p.Pos}) {
				return
			}
		}
		for i := range b.known {
			if p := &b.known[i]; !yield(Text{Value: p.Type, Pos: p.Pos}) {
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

// Property is a property of a bundle. Its value stays in the source: what opm wants of it was checked when it was read,
// but for a heavy one: see Bundle.Check.
type Property struct {
	Type  Text
	Pos   Pos // of the value, or of the property if it has none
	heavy *tree.Node
}

// Heavy reports whether the property holds a whole manifest, which stays unread until it is asked for.
func (p *Property) Heavy() bool {
	return p.Type.Value == TypeBundleObject || p.Type.Value == TypeCSVMetadata
}

// The types of properties that OLM knows.
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

// Other is an object whose schema is not OLM's.
type Other struct {
	Schema, Package, Name Text
	Pos                   Pos
}

// ProblemKind says in what way a text is not what opm expects.
type ProblemKind int

const (
	ParseProblem    ProblemKind = iota // not YAML or JSON, not readable, not an object
	SchemaMissing                      // no schema
	FieldType                          // a value of the wrong type
	Coercion                           // likewise, because YAML 1.1 reads an unquoted string as something else
	DuplicateKey                       // two keys that differ in case only
	RepeatedKey                        // the same key twice: the last one silently counts
	LostDocument                       // text that opm silently drops
	CaseFoldedField                    // a field that opm reads only because it ignores case
	BundleObject                       // an olm.bundle.object whose data is not base64 of YAML or JSON

	UnreadTemplate // a template in a repository, whose catalog is not read
	UnreadFolder   // a part of a repository of which nothing is read

	// Of package manifests and bundle folders, on import by operator-registry:
	ManifestPackage     // the package manifest is not whole
	ManifestSeveral     // a folder has several package manifests
	ManifestNoChannel   // a package without a channel
	ManifestOrphan      // a CSV that no channel of its package comes to
	ManifestCSVs        // a folder with no CSV, or with several
	ManifestOwnedCRD    // an owned CRD that is not in the folder
	ManifestReplaced    // a replaced CSV that is not in the package
	ManifestAnnotations // annotations of a bundle that are missing or not whole
)

// Problem is something in the source that could not be read as opm would.
type Problem struct {
	Kind    ProblemKind
	Pos     Pos
	Message string
	Package string // "" where it is not known
	Bundle  string
	Field   string // of the wrong type, as "olm.package.version"; only where Kind is FieldType or Coercion
	Fix     string // what to do, where that is known better than for others of the kind
	Foreign bool   // it is about text that is no part of a catalog: see Catalog.Foreign
	Display bool   // it is about an icon or a description, on which no answer depends
}

// Loses reports whether something of the catalog is missing in what was read, so that an answer may lack it. What opm or an
// importer leaves out as well is not lost.
func (p *Problem) Loses() bool {
	switch p.Kind {
	case ParseProblem, UnreadTemplate, UnreadFolder, ManifestCSVs:
		return true
	case FieldType, Coercion:
		return !p.Display
	case SchemaMissing:
		return !p.Foreign
	case ManifestAnnotations, ManifestPackage:
		return p.Package == ""
	}
	return false
}
