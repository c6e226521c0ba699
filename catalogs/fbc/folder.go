package fbc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// MisspeltFolder returns the name of a folder that is probably the manifests or the metadata of a bundle, and the right name of it; "" if
// there is none, or the catalog has a package.
func MisspeltFolder(c *catalogs.Catalog) (wrong, right string) {
	if _, none := c.NoPackage(); !none || c.Form != catalogs.FileBased || c.Source == nil || c.Source.Single != "" {
		return "", ""
	}
	entries, _ := fs.ReadDir(c.Source.Fsys, ".")
	missing := slices.DeleteFunc([]string{"manifests", "metadata"}, func(dir string) bool { return source.IsDir(c.Source.Fsys, dir) })
	if len(missing) != 1 {
		return "", ""
	}
	for _, e := range entries {
		if near, ok := words.NearestWord(e.Name(), missing); e.IsDir() && (ok || strings.HasPrefix(missing[0], e.Name())) {
			return e.Name(), cmp.Or(near, missing[0])
		}
	}
	return "", ""
}

// walk returns the files of a source that opm reads as parts of a file-based catalog, and what of them cannot be read. A .git on disk is
// left out: no image is made of it.
func walk(s *source.Source) (paths []string, problems []catalogs.Problem) {
	paths, faults := CatalogFiles(s.Fsys, OpenPatterns(s), func(name string) bool { return s.OnDisk && path.Base(name) == source.GitFolder })
	for _, f := range faults {
		problems = append(problems, catalogs.Problem{Kind: catalogs.ParseProblem, Pos: catalogs.Pos{File: s.Display(f.Name), Line: f.Line, Col: min(f.Line, 1)},
			Message: fmt.Sprintf("cannot be read: %v", disk.Cause(f.Err))})
	}
	paths = slices.DeleteFunc(paths, func(name string) bool {
		left := s.OnDisk && disk.IsTemporary(path.Base(name))
		if left {
			problems = append(problems, catalogs.Problem{Kind: catalogs.ParseProblem, Pos: catalogs.Pos{File: s.Display(name)},
				Message: "not read: olmgraph was killed while it wrote a file here, and opm reads this one", Fix: "remove it"})
		}
		return left
	})
	return paths, problems
}

// IgnoredFiles returns the files of a source that opm does not read, as .indexignore says.
func IgnoredFiles(s *source.Source) (ignored []string) {
	read, _ := CatalogFiles(s.Fsys, OpenPatterns(s), func(string) bool { return false })
	files, _ := s.Files(".")
	return slices.DeleteFunc(files, func(name string) bool { _, found := slices.BinarySearch(read, name); return found })
}

// HasPackage reports whether a file has an object of a package, if opm can read it.
func HasPackage(s *source.Source, name, pkg string) bool {
	f := s.File(name)
	text, err := source.ReadAll(f)
	if err != nil || !bytes.Contains(text, []byte(pkg)) {
		return false
	}
	return Assemble(f, ReadObjects(f, text), catalogs.Stats{}).Package(pkg) != nil
}

// OpenPatterns opens an .indexignore.
func OpenPatterns(s *source.Source) func(name string) (fs.File, error) {
	return func(name string) (fs.File, error) {
		opened, _, err := source.Open(s.File(name))
		return opened, err
	}
}

// OpenVersions opens the catalogs in a folder, by their names, which have OpenShift versions.
func OpenVersions(s *source.Source, dir string, names []string, o form.Options) ([]*DeferredFiles, error) {
	var all []*DeferredFiles
	for _, name := range names {
		f, err := openNamed(s, path.Join(dir, name), o)
		if err != nil {
			return nil, err
		}
		f.Catalog.Name, f.Catalog.OpenShift = name, catalogs.OpenShiftVersion(name)
		all = append(all, f)
	}
	return all, nil
}

// VersionFolders returns the names in a folder that are of one catalog each, sorted by version; none if no folder has such a name. only reports whether
// all folders have one.
func VersionFolders(fsys fs.FS) (names []string, only bool) {
	entries, _ := fs.ReadDir(fsys, ".")
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	isVersion := func(e fs.DirEntry) bool { return catalogs.OpenShiftVersion(e.Name()) != "" }
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() && isVersion(e) }) {
		return nil, false
	}
	only = !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() && !isVersion(e) })
	names = words.Map(slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !isVersion(e) }), fs.DirEntry.Name)
	slices.SortFunc(names, catalogs.CompareVersionNames)
	return names, only
}

func openNamed(s *source.Source, name string, o form.Options) (*DeferredFiles, error) {
	if !source.IsDir(s.Fsys, name) {
		return Open(&source.Source{Fsys: s.Fsys, Prefix: s.Prefix, NoSlash: s.NoSlash, Single: name, OnDisk: s.OnDisk, Root: s.Root, ReadError: s.ReadError}, []string{name}, nil, o), nil
	}
	sub, err := fs.Sub(s.Fsys, name)
	if err != nil {
		return nil, source.CannotOpen(s.Display(name), err)
	}
	return OpenFolder(&source.Source{Fsys: sub, Prefix: s.Display(name), OnDisk: s.OnDisk, Root: s.Root, ReadError: s.ReadError}, o), nil
}

// OpenFolder opens the files that opm reads of a source as one catalog.
func OpenFolder(s *source.Source, o form.Options) *DeferredFiles {
	paths, problems := walk(s)
	return Open(s, paths, problems, o)
}

// IsRepositoryRoot reports whether a source is the root of a git repository that opm cannot read as a catalog: its .indexignore does not name
// .git, or it has folders for OpenShift versions.
func IsRepositoryRoot(s *source.Source) bool {
	if _, err := fs.Stat(s.Fsys, source.GitFolder); err != nil && !s.GitRoot {
		return false
	}
	isVersion := func(name string) bool { return catalogs.OpenShiftVersion(name) != "" }
	return !isIgnored(OpenPatterns(s), source.GitFolder+"/HEAD") || slices.ContainsFunc(source.FoldersIn(s.Fsys, "."), isVersion)
}

// buildFile matches the name of a file from which an image is built.
var buildFile = regexp.MustCompile(`(?i)^(.+\.)?(docker|container)file([.-].+)?$`)

// IsBuilt reports whether an image is built in a folder, by its Dockerfile or Containerfile, of some of its folders: opm gets those alone.
func IsBuilt(s *source.Source, dir string) bool {
	entries, _ := fs.ReadDir(s.Fsys, dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && buildFile.MatchString(e.Name()) }) &&
		!slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && IsCatalogFile(s, path.Join(dir, e.Name())) })
}

// objectSchema matches the schema of an object of a file-based catalog at the beginning of a line, in JSON indented once: those in a template
// are indented more. templateSchema matches that of a template.
var (
	objectSchema   = regexp.MustCompile(schemaKey + `(?:package|channel|bundle|deprecations)\b`)
	templateSchema = regexp.MustCompile(schemaKey + `template\.`)
)

const schemaKey = `(?m)^(?:(?:--- *)?(?:\{ *)?["']?schema["']? *: *["']?|(?: {0,4}|\t)"schema" *: *")olm\.`

// IsFragment reports whether a file of a catalog can be read, and no bundle is in it.
func IsFragment(s *source.Source, name string) bool {
	f := s.WithSingle("").File(name)
	text, err := source.ReadAll(f)
	return err == nil && !bytes.Contains(text, []byte(catalogs.SchemaBundle)) && len(ReadObjects(f, text).Report.Problems) == 0
}

// anySchema matches the schema of an object of a file-based catalog or of a template, wherever it is.
var anySchema = regexp.MustCompile(`["']?schema["']?\s*:\s*["']?olm\.`)

// MayBeCatalog reports whether a folder is meant as a file-based catalog, perhaps one with faults: a bundle is in it, or objects with other schemas of OLM in a
// tenth of its files. Files that are no text say nothing, and what cannot be read may be a catalog.
func MayBeCatalog(s *source.Source) bool {
	paths, _ := walk(s)
	with, without := 0, 0
	for _, name := range paths {
		text, err := source.ReadAll(s.File(name))
		_, binary := filetype.RejectBinary(bytes.NewReader(text), name)
		switch has := anySchema.Match(text); {
		case err != nil && !source.IsDir(s.Fsys, name), has && bytes.Contains(text, []byte(catalogs.SchemaBundle)):
			return true
		case has:
			with++
		case binary == nil && len(text) > 0 && !strings.HasPrefix(path.Base(name), "."):
			without++
		}
	}
	return with*10 >= without
}

// IsCatalogFile reports whether a YAML or JSON file has an object of a file-based catalog, or would if it could be parsed, and is no template.
func IsCatalogFile(s *source.Source, name string) bool {
	if catalogs.CatalogExt(name) == "" {
		return false
	}
	f := s.File(name)
	text, err := source.ReadAll(f)
	if err != nil {
		return errors.Is(err, fs.ErrPermission) // then it may be one
	}
	switch {
	case !slices.ContainsFunc(schema.Objects, func(o schema.Object) bool { return bytes.Contains(text, []byte(o.Name)) }):
		return false
	case bytes.Contains(text, []byte("olm.template.")) && templateSchema.Match(text):
		return false
	case objectSchema.Match(text):
		return true
	}
	d := ReadObjects(f, text)
	return len(d.Packages)+len(d.Channels)+len(d.Bundles)+len(d.deprecations) > 0
}

// VersionCatalogs returns the names in catalogs/ of a repository that are of one catalog each, sorted by version, and a problem for each
// other folder with files and each other file of a catalog. A link to a folder of the repository counts as a folder.
func VersionCatalogs(s *source.Source) (names []string, unread []catalogs.Problem) {
	entries, _ := fs.ReadDir(s.Fsys, "catalogs")
	for _, e := range entries {
		name := path.Join("catalogs", e.Name())
		folder := source.IsDir(s.Fsys, name)
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case folder && !e.IsDir() && s.IsRestricted(s.Display(name)):
			unread = append(unread, catalogs.Problem{Kind: catalogs.UnreadFolder, Pos: catalogs.Pos{File: s.Display(name)}, Fix: "give the folder that it leads to",
				Message: "nothing of it was read: it is a link to a folder outside the repository"})
		case catalogs.OpenShiftVersion(e.Name()) != "":
			names = append(names, e.Name())
		case folder && source.HasContent(s.Fsys, name), !folder && catalogs.CatalogExt(name) != "":
			unread = append(unread, catalogs.Problem{Kind: catalogs.UnreadFolder, Pos: catalogs.Pos{File: s.Display(name)},
				Message: "nothing of it was read: in a repository, what is in catalogs/ is named after an OpenShift version, as v4.18",
				Fix:     "give it on its own, or name it after its OpenShift version"})
		}
	}
	slices.SortFunc(names, catalogs.CompareVersionNames)
	return names, unread
}
