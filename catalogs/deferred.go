package catalogs

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/mention"
)

// unread is what there is to read of a catalog: files, or folders of bundles and of package manifests.
type unread struct {
	source   *source
	paths    []string
	problems []Problem
	options  Options
}

// Empty reports whether all of it are empty files.
func (u *unread) Empty() bool { return u.source.empty(u.paths) }

func (u *unread) what() *unread { return u }

// later is a catalog that is read later, and maybe not all of it.
type later interface {
	Deferred
	what() *unread
	// load reads some of the paths as into a catalog. published are the bundles that the base has, by bundleKey; nil without a base.
	load(ctx context.Context, as *Catalog, paths []string, published map[string]bool) (*Catalog, error)
	// hasPackage reports whether one of the paths has a package. It reads no further than to the first one.
	hasPackage(ctx context.Context) (bool, error)
}

// readFiltered reads the paths that are wanted into a catalog.
func readFiltered(ctx context.Context, c *Catalog, from later, published map[string]bool, wants func(path string) bool) error {
	var paths []string
	for _, path := range from.what().paths {
		if wants(path) {
			paths = append(paths, path)
		}
	}
	loaded, err := from.load(ctx, c, paths, published)
	if err != nil {
		return err
	}
	if s := from.what().source; s.readError != nil {
		if err := s.readError(); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSuffix(s.prefix, ":"), err)
		}
	}
	loaded.Name, loaded.Form, loaded.Container, loaded.OpenShift, loaded.Selected = c.Name, c.Form, c.Container, c.OpenShift, c.Selected
	loaded.Repository, loaded.Configuration, loaded.templates = c.Repository, c.Configuration, c.templates
	*c = *loaded
	return nil
}

// deferredFiles are the files of a file-based catalog.
type deferredFiles struct{ unread }

// Read reads all files.
func (p *deferredFiles) Read(ctx context.Context, c *Catalog) error {
	return readFiltered(ctx, c, p, nil, func(string) bool { return true })
}

func (p *deferredFiles) load(ctx context.Context, _ *Catalog, paths []string, _ map[string]bool) (*Catalog, error) {
	c, err := load(ctx, p.source, paths, slices.Clone(p.problems), p.options)
	if err == nil {
		c.Stats.Unread = len(p.paths) - len(paths)
	}
	return c, err
}

func (p *deferredFiles) hasPackage(ctx context.Context) (bool, error) {
	for _, path := range p.paths {
		if p.beginsWithPackage(path) {
			return true, nil
		}
		c, err := p.load(ctx, nil, []string{path}, nil)
		if err != nil || c.hasPackage() {
			return err == nil, err
		}
	}
	return false, ctx.Err()
}

// beginsWithPackage reports whether the first document of a YAML file is a package, as opm render writes it.
func (p *deferredFiles) beginsWithPackage(path string) bool {
	f := p.source.file(path)
	opened, _, err := open(f)
	if err != nil {
		return false
	}
	defer opened.Close()
	head, err := io.ReadAll(io.LimitReader(opened, chunkSize))
	first, _, whole := bytes.Cut(bytes.TrimPrefix(head, []byte("---\n")), []byte("\n---\n"))
	if err != nil || !whole {
		return false
	}
	return len(readObjectsIn(f, first).packages) > 0
}

// deferredFolders are the folders of the bundles of a repository.
type deferredFolders struct {
	unread
	// manifests are those of the folders that have package manifests. Each is the folder of an operator, as that of bundle folders is.
	manifests []string

	// What the catalogs of the repository share:
	versions    []string                 // the OpenShift versions of the catalogs, from the lowest; none if it is one catalog
	first       *Catalog                 // has the problems
	folders     map[string]*bundleFolder // that were read
	publishings map[string]publishing    // by the folder of the operator
	folderSums  map[string]string
	base        *deferredFolders  // that it was compared with
	same        map[string]string // bundle folders that are the same in base, and not read
}

// Read reads all folders.
func (p *deferredFolders) Read(ctx context.Context, c *Catalog) error {
	return readFiltered(ctx, c, p, nil, func(string) bool { return true })
}

// like returns the catalog of another repository that corresponds to a catalog.
func (p *deferredFolders) like(c *Catalog) *Catalog {
	return &Catalog{source: p.source, Form: c.Form, Name: c.Name, OpenShift: c.OpenShift, otherVersions: c.otherVersions, deferred: p, templates: p.first.templates}
}

func (p *deferredFolders) load(ctx context.Context, as *Catalog, paths []string, published map[string]bool) (*Catalog, error) {
	packages, bundles := p.splitFolders(paths)
	c := &Catalog{source: p.source, Form: as.Form, OpenShift: as.OpenShift, otherVersions: as.otherVersions}
	c.readManifestPackages(ctx, packages, p.options)
	found := p.readFolders(ctx, bundles)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	setBeside(found)
	c.addBundles(found, p, published)
	c.filtered = c.filtered || len(p.versions) > 0 && (as != p.first || slices.ContainsFunc(found, func(b *bundleFolder) bool { return b.pkg.Value != "" }))
	if as == p.first {
		c.Problems = append(c.Problems, p.problems...)
		slices.SortStableFunc(c.Problems, compareProblems)
		c.Stats.Unread = len(p.paths) - len(paths) // the others would count it again
	}
	if p.options.Deferred || len(p.versions) > 0 {
		c.sums = p.operatorSums(ctx, c)
	}
	return c, nil
}

// splitFolders returns the folders with package manifests, and the bundle folders.
func (p *deferredFolders) splitFolders(paths []string) (packages, bundles []string) {
	for _, dir := range paths {
		if slices.Contains(p.manifests, dir) {
			packages = append(packages, dir)
		} else {
			bundles = append(bundles, dir)
		}
	}
	return packages, bundles
}

// operator returns the folder of the operator of a folder in paths, or below one.
func (p *deferredFolders) operator(dir string) string {
	for above := dir; above != "."; above = path.Dir(above) {
		if slices.Contains(p.manifests, above) {
			return above
		}
	}
	return path.Dir(dir)
}

func (p *deferredFolders) hasPackage(ctx context.Context) (bool, error) {
	for _, path := range p.paths {
		if slices.Contains(p.manifests, path) || slices.ContainsFunc(p.readFolders(ctx, []string{path}), func(b *bundleFolder) bool { return b.pkg.Value != "" }) {
			return true, nil
		}
	}
	return false, ctx.Err()
}

// operators returns the folders of the operators, in the order of the bundles.
func (p *deferredFolders) operators() []string {
	var all []string
	for _, dir := range p.paths {
		all = append(all, p.operator(dir))
	}
	return slices.Compact(all)
}

// operatorSums returns a sum of the files of each package.
func (p *deferredFolders) operatorSums(ctx context.Context, c *Catalog) map[string]uint64 {
	sums := map[string]uint64{}
	for _, pkg := range c.Packages {
		h := fnv.New64a()
		met := map[string]bool{}
		for _, b := range pkg.Bundles {
			for _, dir := range p.summed(c, b) {
				if !met[dir] {
					met[dir] = true
					h.Write([]byte(p.folderSum(ctx, dir)))
				}
			}
		}
		sums[pkg.Name.Value] = h.Sum64()
	}
	return sums
}

// dependsOn reports whether a bundle folder is of a package that is among the names, or provides or requires what is. Others that mention a
// name have permissions for its API, or an example.
func (p *deferredFolders) dependsOn(dir string, names mention.Names) bool {
	b := readBundle(p.source, dir)
	if slices.Contains(p.manifests, dir) || len(b.csvs) == 0 || len(b.problems) > 0 {
		return true
	}
	found := mention.Names{b.pkg.Value: true}
	addDependencies(found, found, &Package{Bundles: []*Bundle{b.bundle(b.pkg)}})
	delete(found, "")
	for name := range found {
		if names[name] {
			return true
		}
	}
	return false
}

// compareFolderVersions orders bundle folders by the versions that are their names, those without one first.
func compareFolderVersions(a, b string) int {
	v, err := semver.ParseTolerant(path.Base(a))
	w, errToo := semver.ParseTolerant(path.Base(b))
	switch {
	case err == nil && errToo == nil:
		return v.Compare(w)
	case err == nil:
		return 1
	case errToo == nil:
		return -1
	}
	return strings.Compare(a, b)
}

// bundleKey is a bundle of a repository.
func bundleKey(pkg, name string) string { return pkg + "/" + name }

// blobID is that of a file; false after the context has ended.
func (s *source) blobID(ctx context.Context, path string) (string, bool) {
	if ctx.Err() != nil {
		return "", false
	}
	f := &file{source: s, path: path}
	if id, isGit := f.gitID(); isGit {
		return id, id != ""
	}
	text, err := readAll(f)
	return blobIDOf(text), err == nil
}

// mentioning returns which of some files mention one of the names.
func (s *source) mentioning(ctx context.Context, paths []string, names mention.Names) []string {
	var buffers sync.Pool // a file may be large
	found := readFolders(ctx, paths, nil, func(path string) (*string, int64) {
		buffer, _ := buffers.Get().(*[]byte)
		if buffer == nil {
			buffer = new([]byte)
		}
		defer buffers.Put(buffer)
		text, err := readInto(buffer, &file{source: s, path: path})
		if err != nil || !names.In(text) {
			return nil, 0
		}
		return &path, 0
	})
	all := make([]string, 0, len(found))
	for _, path := range found {
		all = append(all, *path)
	}
	return all
}

// emptyBlob is the hash of an empty file in git.
const emptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

// empty reports whether all of some files are empty. A file that cannot be read counts as one with text, so that reading it reports why.
func (s *source) empty(paths []string) bool {
	return !slices.ContainsFunc(paths, func(path string) bool {
		if id, isGit := (&file{source: s, path: path}).gitID(); isGit { // Stat would read the file
			return id != emptyBlob
		}
		info, err := fs.Stat(s.fsys, path)
		return err != nil || info.Size() > 0 || !info.Mode().IsRegular()
	})
}

// folderIDs is a tree of git, which has the hashes of its folders.
type folderIDs interface {
	FolderID(string) (string, bool)
}

// sameFolder reports whether a folder has the same files in another source.
func (s *source) sameFolder(ctx context.Context, base *source, dir string) bool {
	a, isTree := s.fsys.(folderIDs)
	b, isTreeToo := base.fsys.(folderIDs)
	if isTree && isTreeToo {
		x, known := a.FolderID(dir)
		y, knownToo := b.FolderID(dir)
		return known && knownToo && x == y
	}
	files, whole := s.files(dir)
	others, wholeToo := base.files(dir)
	if !whole || !wholeToo || !slices.Equal(files, others) {
		return false
	}
	for _, name := range files {
		x, read := s.blobID(ctx, name)
		y, readToo := base.blobID(ctx, name)
		if !read || !readToo || x != y {
			return false
		}
	}
	return true
}

// files returns the files in a folder and below it, and whether all could be listed. A link counts as a file.
func (s *source) files(dir string) (all []string, whole bool) {
	err := fs.WalkDir(s.fsys, dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, name)
		}
		return err
	})
	return all, err == nil
}
