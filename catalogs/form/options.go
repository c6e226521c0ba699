package form

import (
	"io"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/template"
)

// Options are what Open reads of a catalog, where from, and the limits of it.
type Options struct {
	Stdin       io.Reader // of the reference "-"
	Package     string    // the only package that is read; text that cannot belong to it is not parsed
	Platform    string    // of an image, as linux/amd64
	MaxSize     int64     // bytes of the catalog in an image, a database or a git tree; 2 GiB if it is 0
	Insecure    bool      // registries may be without TLS, or with an untrusted certificate
	OpenShift   string    // of a catalog repository: only bundles that support this version, as 4.16; "all": a catalog for each version
	EachVersion bool      // of a catalog repository with catalogs/ for OpenShift versions, or of a pipeline: as OpenShift "all", unless that names a version
	Deferred    bool      // a file-based catalog or a repository is opened, but not read: see open.Catalogs
	Templates   bool      // templates beside the files of a file-based catalog are catalogs of their own: with As those that it has otherwise
	// As is the base of the folder, as Recognised had it: a folder of another form is read in that of its base, if packages are read of it only so.
	As         Folder
	Recognised *Folder // may be nil
	// AsIntended reads misspelt words of a file-based catalog as what was probably meant, with a Problem for each: what opm and OLM do
	// with the catalog is not known from it, but what there is to correct besides.
	AsIntended bool
	// BundleFolders are the folders of a repository that have the bundles of its catalogs, instead of those that its configuration names; nil
	// for these.
	BundleFolders []string
	// Sources are searched for the bundles of templates first, by image or by the folder that an image is made of.
	Sources []*catalogs.Catalog
	// ImageBundle returns the bundle of an image of a template that is nowhere else, or nil. It is called several times at once, and may be nil.
	ImageBundle func(image string) *catalogs.Bundle
	// OPM is the version of opm whose templates are read; if it is zero, that of the pipelines: see Template.
	OPM      template.OPM
	Progress func(bytes int64) // is called after each piece that was read, with its size
	// Git has what was read from git repositories, for all catalogs that are opened with it. It may be nil.
	Git *gittree.Shared
	// Overlay has texts that are read instead of files on disk, by their names in positions.
	Overlay map[string][]byte
}

// AnyFolder is the form of a folder that has no other one: each of its files is one of a file-based catalog.
const AnyFolder = "folder"

// Folder is a folder with catalogs, and the form of it. The zero value is none.
type Folder struct {
	Form   string
	Source *source.Source
}

// PackageFilter is the name of the package that is read, "" for all packages.
type PackageFilter string

// Matches reports whether objects of a package are read.
func (o PackageFilter) Matches(pkg string) bool { return o == "" || string(o) == pkg }
