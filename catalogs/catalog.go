package catalogs

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Edgeless reports whether the form of a catalog has no upgrade edges.
func (c *Catalog) Edgeless() bool { return c.Form == ClusterPackages }

func CompareProblems(a, b Problem) int { return comparePos(a.Pos, b.Pos) }

func comparePos(a, b Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// Index sorts packages and problems, makes bundles and channels accessible by their names, sets the bundles of entries, and counts.
func (c *Catalog) Index() {
	slices.SortFunc(c.Packages, func(a, b *Package) int { return strings.Compare(a.Name.Value, b.Name.Value) })
	slices.SortStableFunc(c.Problems, CompareProblems)
	c.Stats.Packages = len(c.Packages)
	for _, p := range c.Packages {
		p.index()
		c.supply(p)
		for _, ch := range p.Channels {
			c.Stats.Entries += len(ch.Entries)
			for i := range ch.Entries {
				ch.Entries[i].Bundle = p.Bundle(ch.Entries[i].Name.Value)
			}
		}
		c.Stats.Channels += len(p.Channels)
		c.Stats.Bundles += len(p.Bundles)
	}
}

// PassedOver is a folder or a file that is not read unless it is given, and why, if it has more than another catalog would have.
type PassedOver struct{ Path, Why string }

func (p PassedOver) String() string {
	if p.Why == "" {
		return p.Path
	}
	return p.Path + " (" + p.Why + ")"
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
	// Selected names the folders and files that were read of a folder that is not that of a catalog; "" if all of the catalog's folder was.
	Selected string
	// PassedOver are the folders and files in such a folder that are not read, though they have a catalog or a bundle.
	PassedOver []PassedOver
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
	// Supply has the manifests of bundles that the catalog lacks; nil if nothing has: see SetSupply.
	Supply Supply
	Stats  Stats

	Source      *source.Source
	FirstObject Pos  // of the first object of a listing
	Filtered    bool // only some packages were read, or none yet
	// UnseenIn are the registries of the images of the bundles that were linted without manifests, sorted.
	UnseenIn []string

	// OtherVersions says that the bundles are those of a repository that support none of its OpenShift versions.
	OtherVersions bool
	// NamedVersion says that OpenShift is a version that bundles of a repository name: it is not known whether there is still an index for it.
	NamedVersion bool
	Sums         map[string]uint64 // by package, of the texts of its objects
	Lost         words.Words       // of the text that was not read
	Templates    *Templates        // which may make parts of it, or of which it is one; nil if it is in no catalog repository
}

// TarContainer is the Container of a catalog from a tar.
const TarContainer = "tar archive"

// Templates are those of the catalog repository that a catalog is in, which make parts of it or of others: see package repo.
type Templates struct {
	Root     *source.Source  // of the repository
	Version  string          // the name of the catalog in catalogs/; "" if it is not there
	Operator string          // the name of the folder in that catalog, if only this one is read; "" for all
	Template string          // the name of the file of the template that the catalog is made of; "" if it is of none
	Mapped   func() []Mapped // what the files ci.yaml of the operators say, read once
	// Expand returns what the template in a file makes, with bundles of published packages first. Outline returns the same for any packages, read
	// once for all catalogs of the repository, with the names, versions and images of its bundles alone; a template has none.
	Expand, Outline func(ctx context.Context, file string, published []*Package) (*Catalog, error)
}

// Mapped is a catalog that a template makes, as the ci.yaml of the operator says.
type Mapped struct {
	Operator string // its folder in the repository
	Template string // the name of the file
	Catalog  Text   // the name, as v4.18
}

// MayBeUnread reports whether text that could not be read has a name: an object of that name may only seem to be missing. What opm drops is missing.
func (c *Catalog) MayBeUnread(name string) bool { return c.Lost.Has(name) }

// Package returns the package of that name, or nil.
func (c *Catalog) Package(name string) *Package {
	return find.Value(c.Packages, func(p *Package) bool { return p.Name.Value == name })
}

// WithPackage returns a copy of the catalog with another package instead of that of its name.
func (c *Catalog) WithPackage(p *Package) *Catalog {
	changed := *c
	changed.Sums, changed.Packages = nil, slices.Clone(c.Packages)
	changed.Packages[slices.IndexFunc(c.Packages, func(o *Package) bool { return o.Name.Value == p.Name.Value })] = p
	return &changed
}

// Editable reports whether the catalog has a source with its values in the places of their positions, as a template without generated channels.
func (c *Catalog) Editable() bool {
	return c.Form == FileBased || c.Template != nil && !c.Template.IsGenerated()
}

// Pos returns the folder or file that the catalog was read from.
func (c *Catalog) Pos() Pos {
	if c.Source == nil {
		return Pos{}
	}
	if c.Source.Single != "" {
		return Pos{File: c.Source.Display(c.Source.Single)}
	}
	return Pos{File: strings.TrimSuffix(c.Source.Prefix, ":")}
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
	TemplateForm     Form = "template"
)

// Stats says how much was read.
type Stats struct {
	Files    int   `json:"files"`
	Bytes    int64 `json:"bytes"`
	Packages int   `json:"packages"`
	Channels int   `json:"channels"`
	Entries  int   `json:"entries"`
	Bundles  int   `json:"bundles"`
	Unread   int   `json:"unread"` // files, or bundles of a repository, that are the same in the base and were not read
	Objects  int   `json:"-"`
	Seen     int   `json:"-"` // bundles that were linted with manifests
	Unseen   int   `json:"-"` // and without
}

// Other is an object whose schema is not one of OLM's.
type Other struct {
	Schema, Package, Name Text
	Pos                   Pos
}

// Sum returns a sum of the files of a package, by which one of a repository is told from that in another of its catalogs for OpenShift
// versions: those with the same sum are alike. It is 0 for catalogs that have no such others.
func (c *Catalog) Sum(pkg *Package) uint64 {
	if c.Form != Repository || c.OpenShift == "" {
		return 0
	}
	return c.Sums[pkg.Name.Value]
}

// Forget frees the contents of a catalog, except Problems, Stats and the names of its packages. Excerpts still works.
func (c *Catalog) Forget() {
	names := make([]*Package, 0, len(c.Packages))
	for _, p := range c.Packages {
		names = append(names, &Package{Name: p.Name})
	}
	c.Packages, c.Others, c.Sums = names, nil, nil
}

func (c *Catalog) AddProblem(kind ProblemKind, pos Pos, pkg, bundle, format string, args ...any) *Problem {
	c.Problems = append(c.Problems, Problem{Kind: kind, Pos: pos, Package: pkg, Bundle: bundle, Message: fmt.Sprintf(format, args...)})
	return &c.Problems[len(c.Problems)-1]
}

// SourcePath returns the path in the catalog's source of a file, by its name in positions.
func (c *Catalog) SourcePath(name string) string {
	if c.Source == nil || name == "" {
		return name
	}
	return c.Source.Path(name)
}

// OnDisk reports whether positions name files on disk, which can be edited.
func (c *Catalog) OnDisk() bool { return c.Source != nil && c.Source.OnDisk }

// ReadFile returns the text of a file by its name in positions.
func (c *Catalog) ReadFile(name string) ([]byte, error) {
	return c.Source.ReadNamed(name)
}

// Ignore is a comment in a YAML source that suppresses findings: # olmgraph:ignore RULE REASON.
type Ignore struct {
	Pos    Pos
	Line   int    // that it is about
	Rule   string // an ID or a pattern; "" if it names none
	Reason string // "" if it gives none
	Text   string // the line that it is about, without the comment
}

// Ignores returns the comments that suppress findings, by place.
func (c *Catalog) Ignores() []Ignore {
	if c.Source == nil {
		return nil
	}
	c.Source.Ignoring.Lock()
	defer c.Source.Ignoring.Unlock()
	all := make([]Ignore, 0, len(c.Source.Ignores))
	for _, one := range c.Source.Ignores {
		all = append(all, Ignore{Pos{one.File, one.Line, one.Col}, one.About, one.Rule, one.Reason, one.Text})
	}
	slices.SortFunc(all, func(a, b Ignore) int { return cmp.Or(comparePos(a.Pos, b.Pos), strings.Compare(a.Rule, b.Rule)) })
	return slices.Compact(all)
}

// AllBundles yields the bundles of all packages.
func (c *Catalog) AllBundles() iter.Seq[*Bundle] {
	return func(yield func(*Bundle) bool) {
		for _, p := range c.Packages {
			for _, b := range p.Bundles {
				if !yield(b) {
					return
				}
			}
		}
	}
}
