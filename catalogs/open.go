package catalogs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/fserror"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/memfs"
	"github.com/olmgraph/olmgraph/catalogs/sqlite"
	"github.com/olmgraph/olmgraph/catalogs/stream"
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
	EachVersion bool      // of a catalog repository with catalogs/ for OpenShift versions: as OpenShift "all", unless that names a version
	Deferred    bool      // a file-based catalog or a repository is opened, but read by Catalog.Read or Pair.Read
	// AsIntended reads misspelt words of a file-based catalog as what was probably meant, with a Problem for each: what opm and OLM do
	// with the catalog is not known from it, but what there is to correct besides.
	AsIntended bool
	// Sources are searched for the bundles of templates first, by image or by the folder that an image is made of.
	Sources []*Catalog
	// OPM is the version of opm whose templates are read; if it is zero, that of the pipelines: see Template.
	OPM      template.OPM
	Progress func(bytes int64) // is called after each piece that was read, with its size
	// Git has what was read from git repositories, for all catalogs that are opened with it. It may be nil.
	Git *gittree.Shared
	// Overlay has texts that are read instead of files on disk, by their names in positions.
	Overlay map[string][]byte
}

// Open reads the catalogs of a reference: a folder, a file, "-" for standard input, or a reference with a scheme. It recognises the form
// by what is there. Mostly that is one catalog. A folder is several catalogs if all folders in it are named after OpenShift versions, as
// v4.18, 4.18 or community-v4.18: each of these is one, and each file with such a name; other files in it are ignored. A catalog
// repository is several if a folder in its catalogs/ has such a name and Options ask for all OpenShift versions.
func Open(ctx context.Context, ref string, o Options) ([]*Catalog, error) {
	if ref == "-" {
		return openStdin(ctx, o)
	}
	if s, rest, ok := schemeOf(ref); ok {
		return s.open(ctx, ref, rest, o)
	}
	ref = filepath.ToSlash(ref) // positions have one kind of slash
	info, err := os.Stat(ref)
	if err != nil {
		return nil, cannotOpen(ref, err)
	}
	if kind, ok := image.Recognise(ref); ok {
		return openImage(ctx, kind, ref, ref, o)
	}
	if !info.IsDir() {
		cats, err := openFile(ctx, ref, info, o)
		setRepository(cats, repositoryAbove(filepath.Dir(ref)))
		return labelOpenShiftPath(ref, cats, err)
	}
	return openFolderTree(ctx, ref, o)
}

// openTree reads the catalogs of a folder.
func openTree(ctx context.Context, s *source, o Options) ([]*Catalog, error) {
	all, err := openForms(ctx, s, o)
	setTemplates(s, all, o)
	return all, err
}

// openForms reads the catalogs of a folder in the form that it has.
func openForms(ctx context.Context, s *source, o Options) ([]*Catalog, error) {
	switch {
	case isImageDir(s.fsys):
		return nil, fmt.Errorf("%s: an image as skopeo writes it to dir:, which is read from a folder on disk only", s.display("."))
	case isBundleFolder(s.fsys, "."):
		return openBundles(ctx, s, BundleFolder, []string{"."}, nil, o)
	case hasManifests(s.fsys):
		return single(openManifests(ctx, s, o))
	}
	if dirs := bundleFolders(s.fsys); len(dirs) > 0 {
		all, err := openRepository(ctx, s, dirs, o)
		if err != nil || isDir(s.fsys, "operators") || !s.isRepositoryRoot() {
			return all, err
		}
		return openBesideBundles(ctx, s, dirs, all, o)
	}
	if root, at := s.repository(o); root != nil && !strings.HasPrefix(at, "catalogs") {
		if l := layoutOf(ctx, s, nil, o); len(l.templates) > 0 || at == "." && len(l.versions) > 0 {
			return openLayout(ctx, l, o)
		}
	}
	if names := versioned(s.fsys, "."); len(names) > 0 {
		return openVersions(ctx, s, ".", names, o)
	}
	if all, err := openTemplates(ctx, s, o); len(all) > 0 || err != nil {
		return all, err
	}
	if s.isRepositoryRoot() {
		return openRoot(ctx, s, nil, o)
	}
	return single(openFolder(ctx, s, ".", o))
}

// hasManifests reports whether a folder, or one of the folders in it, has a package manifest.
func hasManifests(fsys fs.FS) bool {
	if len(manifestFiles(fsys, ".")) > 0 {
		return true
	}
	return slices.ContainsFunc(foldersIn(fsys, "."), func(dir string) bool { return len(manifestFiles(fsys, dir)) > 0 })
}

// bundleFolders returns the bundle folders of a catalog repository, of its folder operators/, or of one operator in that.
func bundleFolders(fsys fs.FS) []string {
	root := "."
	if isDir(fsys, "operators") {
		root = "operators"
	}
	var found []string
	for _, dir := range foldersIn(fsys, root) {
		if isBundleFolder(fsys, dir) {
			found = append(found, dir)
		}
		if isBundleFolder(fsys, dir) || isDir(fsys, path.Join(dir, "manifests")) {
			continue
		}
		for _, version := range foldersIn(fsys, dir) {
			if isBundleFolder(fsys, version) {
				found = append(found, version)
			}
		}
	}
	return found
}

// openRepository reads the bundles of a catalog repository, its templates, and the file-based catalogs in its catalogs/.
func openRepository(ctx context.Context, s *source, dirs []string, o Options) ([]*Catalog, error) {
	return openLayout(ctx, layoutOf(ctx, s, dirs, o), o)
}

// openLayout is openRepository. Folders that are neither bundles nor templates are problems of the first catalog, and so are the mistakes in
// templates that are not catalogs of their own.
func openLayout(ctx context.Context, l *layout, o Options) ([]*Catalog, error) {
	problems := append(l.unread, l.unreadOperators()...)
	complete := len(problems) == 0
	var stats Stats
	for i := range l.templates {
		if t := &l.templates[i]; !l.isCatalog(t) {
			problems = append(problems, t.problems...)
			stats.Files, stats.Bytes = stats.Files+1, stats.Bytes+int64(t.bytes)
		}
	}
	config := l.pipelineProblems(ctx)
	var all []*Catalog
	var err error
	switch beside := l.at == "operators" && len(l.versions) > 0; {
	case len(l.bundles) > 0:
		all, err = openBundles(ctx, l.source, Repository, l.bundles, l.repositoryVersions(), o)
	case len(problems)+len(config) > 0, beside && len(l.templates) > 0:
		all = []*Catalog{{source: l.source, Form: Repository, filtered: o.Package != "" || complete, Stats: stats}}
	}
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		all[0].Configuration = config
		all[0].Problems = append(all[0].Problems, problems...)
		slices.SortStableFunc(all[0].Problems, compareProblems)
		if later, ok := all[0].deferred.(*deferredFolders); ok {
			later.problems = all[0].Problems
		}
	}
	catalogs := l.at == "." && len(l.versions) > 0
	for _, c := range all {
		if catalogs {
			c.Name = path.Join("operators", c.Name)
		}
	}
	made, err := l.openTemplates(ctx, o)
	if all = append(all, made...); !catalogs || err != nil {
		return all, err
	}
	published, err := openVersions(ctx, l.source, "catalogs", l.versions, o)
	for _, c := range published {
		c.Name = path.Join("catalogs", c.Name)
	}
	return append(all, published...), err
}

// openTemplates reads the templates that are catalogs of their own.
func (l *layout) openTemplates(ctx context.Context, o Options) ([]*Catalog, error) {
	var all []*Catalog
	for i := range l.templates {
		t := &l.templates[i]
		if !l.isCatalog(t) {
			continue
		}
		c, err := openTemplate(ctx, l.only(t.name), t.name, o)
		if err != nil {
			return nil, err
		}
		if c.Name = t.name; l.at == "." {
			c.templates = nil // the catalogs are compared with it
		}
		all = append(all, c)
	}
	return all, nil
}

// only returns the source of one file.
func (s *source) only(name string) *source {
	return &source{fsys: s.fsys, prefix: s.prefix, noSlash: s.noSlash, single: name, onDisk: s.onDisk, root: s.root, within: s.within, at: s.at, readError: s.readError}
}

// openVersions reads the catalogs in a folder, by their names, which have OpenShift versions.
func openVersions(ctx context.Context, s *source, dir string, names []string, o Options) ([]*Catalog, error) {
	var all []*Catalog
	for _, name := range names {
		c, err := openNamed(ctx, s, path.Join(dir, name), o)
		if err != nil {
			return nil, err
		}
		c.Name, c.OpenShift = name, openShiftVersion(name)
		all = append(all, c)
	}
	return all, nil
}

func single(c *Catalog, err error) ([]*Catalog, error) {
	if err != nil {
		return nil, err
	}
	return []*Catalog{c}, nil
}

// cannotOpen returns an error of the file system for a reference.
func cannotOpen(ref string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file or folder", ref)
	}
	return fmt.Errorf("%s: %w", ref, fserror.Cause(err))
}

// versionName matches the name of a catalog for one OpenShift version.
var versionName = regexp.MustCompile(`^(.*-)?v?([4-9]\.[0-9]{1,2})$`)

// versioned returns the names in a folder that are of one catalog each, sorted by version; none if the folder is one catalog.
func versioned(fsys fs.FS, dir string) []string {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil
	}
	var names []string
	folders := 0
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		isVersion := openShiftVersion(name) != ""
		if e.IsDir() {
			if !isVersion {
				return nil
			}
			folders++
		}
		if isVersion {
			names = append(names, name)
		}
	}
	if folders == 0 {
		return nil
	}
	slices.SortFunc(names, compareVersionNames)
	return names
}

// catalogExt returns the extension of a name if catalogs have it. That of v4.18 is no extension.
func catalogExt(name string) string {
	for _, ext := range []string{".json", ".yaml", ".yml"} {
		if strings.HasSuffix(name, ext) {
			return ext
		}
	}
	return ""
}

// compareVersionNames compares names by their OpenShift versions: v4.9 is before v4.10.
func compareVersionNames(a, b string) int {
	return cmp.Or(cmp.Compare(minorNumber(openShiftVersion(a)), minorNumber(openShiftVersion(b))), cmp.Compare(a, b))
}

// openShiftVersion returns the OpenShift version in the name of a file or folder, or "".
func openShiftVersion(name string) string {
	if m := versionName.FindStringSubmatch(strings.TrimSuffix(name, catalogExt(name))); m != nil {
		return m[2]
	}
	return ""
}

func openNamed(ctx context.Context, s *source, name string, o Options) (*Catalog, error) {
	if isDir(s.fsys, name) {
		return openFolder(ctx, s, name, o)
	}
	return loadOrDefer(ctx, &source{fsys: s.fsys, prefix: s.prefix, noSlash: s.noSlash, single: name, onDisk: s.onDisk, root: s.root, readError: s.readError}, []string{name}, nil, o)
}

func openStdin(ctx context.Context, o Options) ([]*Catalog, error) {
	if o.Stdin == nil {
		return nil, errors.New("there is no standard input to read the catalog from")
	}
	return openStream(ctx, o.Stdin, "stdin", o)
}

// openStream reads a catalog that can be read only once, and keeps its text.
func openStream(ctx context.Context, r io.Reader, name string, o Options) ([]*Catalog, error) {
	data, err := io.ReadAll(io.LimitReader(r, stream.MaxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > stream.MaxDocument {
		return nil, fmt.Errorf("%s: more than 512 MiB: give the catalog as a file", name)
	}
	if kind, ok := image.RecogniseArchive(bytes.NewReader(data)); ok {
		return openArchive(ctx, kind, name, data, o)
	}
	if image.IsTar(bytes.NewReader(data)) {
		return openTarText(ctx, name, data, o)
	}
	if err := filetype.RefuseContainer(data[:min(len(data), filetype.HeadSize)], name, "-"); err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errEmpty)
	}
	return loadOne(ctx, &source{fsys: memfs.File{Name: name, Text: data}}, name, data[:min(len(data), filetype.HeadSize)], o)
}

// loadOne reads a file-based catalog in one file, or what a cluster has or says of catalogs.
func loadOne(ctx context.Context, s *source, name string, head []byte, o Options) ([]*Catalog, error) {
	if mayBeListing(head) {
		if c, err := openListing(ctx, s, name, o); c != nil || err != nil {
			return single(c, err)
		}
	}
	if mayBeConfigMap(head) {
		if cats, err := openConfigMaps(ctx, s, name, o); len(cats) > 0 || err != nil {
			return cats, err
		}
	}
	if c, err := openTemplate(ctx, s, name, o); c != nil || err != nil {
		return single(c, err)
	}
	return single(loadOrDefer(ctx, s, []string{name}, nil, o))
}

var errEmpty = errors.New("there is no catalog in it: it is empty")

func openFile(ctx context.Context, path string, info fs.FileInfo, o Options) ([]*Catalog, error) {
	switch mode := info.Mode(); {
	case mode.IsRegular() && isDatabase(path):
		return single(openDatabase(ctx, path, o))
	case mode.IsRegular() && isTarFile(path):
		return openTarFile(ctx, path, o)
	case mode.IsRegular():
		dir, name := filepath.Dir(path), filepath.Base(path)
		s := onDisk(dir, o.Overlay)
		return loadFile(ctx, s, name, path, o)
	case mode&fs.ModeNamedPipe != 0 && strings.HasPrefix(path, "/dev/fd/"): // a shell's <(command)
		f, err := os.Open(path)
		if err != nil {
			return nil, cannotOpen(path, err)
		}
		defer f.Close()
		return openStream(ctx, f, path, o)
	case mode&fs.ModeNamedPipe != 0:
		return nil, fmt.Errorf("%s: a named pipe; to read a catalog from a pipe, give - and redirect standard input", path)
	}
	return nil, fmt.Errorf("%s: neither a folder nor a regular file", path)
}

// loadFile reads what loadOne does in one file, which the reference names.
func loadFile(ctx context.Context, s *source, name, ref string, o Options) ([]*Catalog, error) {
	head, err := filetype.Head(s.fsys, name)
	if err == nil { // else loadOne reports it
		if len(head) == 0 {
			return nil, fmt.Errorf("%s: %w", ref, errEmpty)
		}
		if err := filetype.RefuseContainer(head, ref, ref); err != nil {
			return nil, err
		}
	}
	s.single = name
	return loadOne(ctx, s, name, head, o)
}

// isDatabase reports whether a file is a SQLite database.
func isDatabase(name string) bool {
	head, err := filetype.Head(os.DirFS(filepath.Dir(name)), filepath.Base(name))
	return err == nil && sqlite.Recognise(head)
}

func openFolder(ctx context.Context, s *source, dir string, o Options) (*Catalog, error) {
	if dir != "." {
		sub, err := fs.Sub(s.fsys, dir)
		if err != nil {
			return nil, cannotOpen(s.display(dir), err)
		}
		s = &source{fsys: sub, prefix: s.display(dir), onDisk: s.onDisk, root: s.root, readError: s.readError}
	}
	paths, problems := walk(s)
	return loadOrDefer(ctx, s, paths, problems, o)
}

// labelOpenShift sets the OpenShift version of a single catalog by the last element of its path.
func labelOpenShift(path string, cats []*Catalog, err error) ([]*Catalog, error) {
	if len(cats) == 1 && cats[0].OpenShift == "" {
		cats[0].OpenShift = openShiftVersion(filepath.Base(path))
	}
	return cats, err
}

// labelOpenShiftPath is nameAfter for a path on disk, which may be relative.
func labelOpenShiftPath(path string, cats []*Catalog, err error) ([]*Catalog, error) {
	if abs, absErr := filepath.Abs(path); absErr == nil {
		path = abs
	}
	return labelOpenShift(path, cats, err)
}
