package catalogs

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/mention"
)

// Pair is a catalog and the base that it is compared with.
type Pair struct {
	Now  *Catalog
	Base *Catalog // nil if nothing corresponds
	// Changed are the names of the packages whose texts differ, sorted. Packages that only one of the catalogs has are among them, and
	// all packages of a form without objects of a file-based catalog.
	Changed []string
	// Elsewhere are catalogs of the base for other OpenShift versions, of which only the packages are read that the Base does not have:
	// each in one of them, that for the nearest version. ReadElsewhere sets it. What is in none is in the catalog of the base's bundle
	// folders, if ReadFolders adds it.
	Elsewhere []*Catalog

	files   []*Catalog // file-based ones of the base, not read
	nowhere []string   // folders of packages that none of files has
	folders *Catalog   // of the repository that is the base, with its bundle folders; nil if it is none
}

// Pairs matches catalogs with those of a base: by name, else by OpenShift version; if there is one of each, these. A repository that is not
// read yet has a catalog for any OpenShift version. alone are the catalogs of the base that match none.
func Pairs(now, base []*Catalog) (pairs []Pair, alone []*Catalog) {
	taken := map[*Catalog]bool{}
	var folders *Catalog
	if i := slices.IndexFunc(base, (*Catalog).ofRepository); i >= 0 {
		folders = base[i].deferred.like(base[i])
	}
	for _, c := range now {
		p := Pair{Now: c, files: unread(base), folders: folders}
		for _, same := range c.correspondences(len(now) == 1 && len(base) == 1) {
			if i := slices.IndexFunc(base, func(b *Catalog) bool { return !taken[b] && same(b) }); i >= 0 && p.Base == nil {
				p.Base = base[i]
				taken[base[i]] = true
			}
		}
		if p.Base == nil && c.ofRepository() && folders != nil {
			p.Base = folders.deferred.like(c)
			for _, b := range base {
				taken[b] = taken[b] || b.deferred == p.Base.deferred
			}
		}
		if c.ofRepository() && c == c.deferred.first && p.Base != nil && p.Base.ofRepository() {
			p.Base.becomeFirst()
		}
		pairs = append(pairs, p)
	}
	return pairs, slices.DeleteFunc(slices.Clone(base), func(b *Catalog) bool { return taken[b] })
}

// correspondences are by what a catalog corresponds to one of a base, the surest first.
func (c *Catalog) correspondences(single bool) []func(b *Catalog) bool {
	return []func(b *Catalog) bool{
		func(b *Catalog) bool { return c.Name != "" && b.Name == c.Name },
		func(b *Catalog) bool {
			return c.ofRepository() && b.ofRepository() && c.OpenShift == b.OpenShift && c.otherVersions == b.otherVersions
		},
		func(b *Catalog) bool { return c.OpenShift != "" && b.OpenShift == c.OpenShift },
		func(b *Catalog) bool { return single || c.Name == "" && b.Name == "" && b.Form == c.Form },
	}
}

// becomeFirst gives a catalog of a repository what belongs to the repository as a whole: the catalog that has it now may be another one
// than in the repository that it is compared with.
func (c *Catalog) becomeFirst() {
	first := c.deferred.first
	if first != c {
		c.Configuration, first.Configuration = first.Configuration, nil
		c.deferred.first = c
	}
}

// Read reads catalogs that were opened with Options.Deferred, and sets Changed. Of two file-based catalogs it reads the files that
// differ, and those others that mention a changed package or what it depends on: they may have the rest of it. A mention that is
// written with escapes is not found.
func (p *Pair) Read(ctx context.Context) error {
	if p.Base == nil || p.Now.deferred == nil || p.Base.deferred == nil || p.Now.deferred.bundles != p.Base.deferred.bundles {
		for _, c := range []*Catalog{p.Now, p.Base} {
			if err := c.Read(ctx); err != nil {
				return err
			}
		}
		p.compare()
		return nil
	}
	now, base := p.Now.deferred, p.Base.deferred
	if now.bundles {
		if err := p.readRepository(ctx, now, base); err != nil {
			return err
		}
	} else if _, err := p.readChanged(ctx, now, base); err != nil {
		return err
	}
	return p.readUnchanged(ctx, now, base)
}

// unread returns copies of file-based catalogs that are not read yet.
func unread(all []*Catalog) []*Catalog {
	var found []*Catalog
	for _, c := range all {
		if c.deferred != nil && !c.deferred.bundles {
			one := *c
			found = append(found, &one)
		}
	}
	return found
}

// ReadElsewhere sets Elsewhere, after Read. It searches a package in the folder of the same name.
func (p *Pair) ReadElsewhere(ctx context.Context) error {
	wanted := map[*Catalog][]string{} // folders
	for _, pkg := range p.Now.Packages {
		name := p.Now.source.path(pkg.Pos.File)
		dir := path.Dir(name)
		if dir == "." || !pkg.Defined() || p.Base != nil && p.Base.Package(pkg.Name.Value) != nil {
			continue
		}
		if c := p.nearest(dir); c != nil {
			wanted[c] = append(wanted[c], dir)
		} else if p.Now.Form != Repository {
			p.nowhere = append(p.nowhere, dir)
		}
	}
	for _, c := range p.files {
		if dirs := wanted[c]; dirs != nil {
			if err := c.readFiltered(ctx, c.deferred, nil, func(name string) bool { return slices.Contains(dirs, path.Dir(name)) }); err != nil {
				return err
			}
			p.Elsewhere = append(p.Elsewhere, c)
		}
	}
	return nil
}

// OnlyInFolders reports, after ReadElsewhere, whether a file-based catalog has packages that no catalog of the base has: bundle folders of
// the base may have published them.
func (p *Pair) OnlyInFolders() bool { return len(p.nowhere) > 0 }

// ReadFolders adds those packages to Elsewhere, as the bundle folders of a repository publish them for the OpenShift version of the catalog,
// and what their channels are there to Base: the catalog publishes it from now on. It searches a package in the operator of the name of
// its folder. The repository was opened with Options.Deferred; it need not be given if the base has it.
func (p *Pair) ReadFolders(ctx context.Context, repository []*Catalog) error {
	folders := p.folders
	if i := slices.IndexFunc(repository, (*Catalog).ofRepository); i >= 0 && folders == nil {
		folders = repository[i]
	}
	if folders == nil {
		return nil
	}
	c := folders.deferred.like(&Catalog{Form: folders.Form, Name: p.Now.Name, OpenShift: p.Now.OpenShift})
	p.Elsewhere = append(p.Elsewhere, c)
	if err := c.readFiltered(ctx, c.deferred, nil, func(name string) bool {
		return slices.Contains(p.nowhere, path.Base(c.deferred.operator(name)))
	}); err != nil || p.Base == nil {
		return err
	}
	for _, pkg := range c.Packages {
		if now := p.Now.Package(pkg.Name.Value); len(pkg.Channels) > 0 && now != nil && p.Base.Package(pkg.Name.Value) == nil {
			assumed := *pkg
			assumed.Assumed = true
			p.Base.Packages = append(p.Base.Packages, &assumed)
		}
	}
	slices.SortStableFunc(p.Base.Packages, func(a, b *Package) int { return strings.Compare(a.Name.Value, b.Name.Value) })
	return nil
}

// HasFolders reports whether ReadFolders needs no repository.
func (p *Pair) HasFolders() bool { return p.folders != nil }

// dropMoved deletes the channels of the packages in a base that bundle folders published, and that templates publish now: their catalogs
// are compared with them, see ReadFolders, and where there is none what was published stays.
func (p *Pair) dropMoved() {
	if p.Base == nil || p.Base.Form != Repository || p.Now.Form != Repository {
		return
	}
	mode := func(c *Catalog, operator string) string { return publishingOf(c.source, operator).mode }
	var kept []*Package
	for _, pkg := range p.Base.Packages {
		operator := path.Dir(path.Dir(path.Dir(p.Base.source.path(pkg.Pos.File))))
		if isDir(p.Now.source.fsys, operator) && mode(p.Now, operator) == templateMode && mode(p.Base, operator) != templateMode {
			if p.Now.Package(pkg.Name.Value) == nil {
				continue
			}
			pkg = pkg.With(nil, pkg.Bundles)
			pkg.DefaultChannel = Text{}
		}
		kept = append(kept, pkg)
	}
	p.Base.Packages = kept
}

// nearest returns the catalog of the base for the nearest OpenShift version that has a folder, the older one of two. It returns nil if none has.
func (p *Pair) nearest(dir string) *Catalog {
	var best *Catalog
	distance := func(c *Catalog) int {
		n := 2 * (minorNumber(p.Now.OpenShift) - minorNumber(c.OpenShift))
		if n < 0 {
			return 1 - n
		}
		return n
	}
	for _, c := range p.files {
		has := slices.ContainsFunc(c.deferred.paths, func(name string) bool { return strings.HasPrefix(name, dir+"/") })
		if has && c.OpenShift != "" && (best == nil || distance(c) < distance(best)) {
			best = c
		}
	}
	return best
}

// readRepository reads a catalog of a repository. What differs between the repositories is found once for all of their catalogs.
func (p *Pair) readRepository(ctx context.Context, now, base *deferred) error {
	if now.base != base {
		now.base = base
		now.source.shareManifests(base.source)
		all := Pair{Now: &Catalog{Form: p.Now.Form, source: now.source}, Base: &Catalog{Form: p.Base.Form, source: base.source}}
		same, err := all.readChanged(ctx, now, base)
		if err != nil {
			return err
		}
		now.same = same
	}
	err := p.readExcept(ctx, now, base, now.same)
	p.compare()
	return err
}

// readChanged reads the files that differ, and those that mention what differs. Of a repository these are the operators' folders. It
// returns those that it did not read.
func (p *Pair) readChanged(ctx context.Context, now, base *deferred) (same map[string]string, err error) {
	if now.bundles {
		same = unchangedOperators(ctx, now, base)
		now.dropUnchangedProblems(ctx, base)
	} else {
		same = unchanged(ctx, now, base)
	}
	if err := p.readExcept(ctx, now, base, same); err != nil {
		return nil, err
	}
	if p.compare(); len(p.Changed) == 0 {
		return same, nil
	}
	names := p.relatedNames()
	if now.bundles {
		names = p.dependencyNames()
	}
	if !now.dropMentioning(ctx, same, names) {
		return same, ctx.Err()
	}
	err = p.readExcept(ctx, now, base, same)
	p.compare()
	return same, err
}

// readUnchanged reads all files if neither those that were read nor the others have a package, so that NoPackage can report it.
func (p *Pair) readUnchanged(ctx context.Context, now, base *deferred) error {
	if p.Now.hasPackage() || p.Now.Stats.Unread == 0 {
		return nil
	}
	has, err := now.hasPackage(ctx)
	if err != nil || has {
		return err
	}
	return p.readExcept(ctx, now, base, nil)
}

// readExcept reads the files of both catalogs, except those that are the same.
func (p *Pair) readExcept(ctx context.Context, now, base *deferred, same map[string]string) error {
	sameBase := map[string]bool{}
	for _, path := range same {
		sameBase[path] = true
	}
	if err := p.Base.readFiltered(ctx, base, nil, func(path string) bool { return !sameBase[path] }); err != nil {
		return err
	}
	return p.Now.readFiltered(ctx, now, p.Base.bundleKeys(), func(path string) bool { _, left := same[path]; return !left })
}

// Sum returns a sum of the files of a package, by which one of a repository is told from that in another of its catalogs for OpenShift
// versions: those with the same sum are alike. It is 0 for catalogs that have no such others.
func (c *Catalog) Sum(pkg *Package) uint64 {
	if c.Form != Repository || c.OpenShift == "" {
		return 0
	}
	return c.sums[pkg.Name.Value]
}

// compare finds the packages that differ.
func (p *Pair) compare() {
	p.Changed = nil
	if p.Base == nil {
		return
	}
	p.dropMoved()
	names := map[string]bool{}
	for _, c := range []*Catalog{p.Now, p.Base} {
		for _, pkg := range c.Packages {
			names[pkg.Name.Value] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if sum := p.Now.sums[name]; sum == 0 || sum != p.Base.sums[name] {
			p.Changed = append(p.Changed, name)
		}
	}
}

// unchanged returns the files with the same text in both, whatever their names: paths in the base by paths now.
func unchanged(ctx context.Context, now, base *deferred) map[string]string {
	same := map[string]string{}
	was := map[string][]string{}
	for _, path := range base.paths {
		if id, ok := base.blobID(ctx, path); ok {
			was[id] = append(was[id], path)
		}
	}
	for _, path := range now.paths {
		if id, ok := now.blobID(ctx, path); ok && len(was[id]) > 0 {
			same[path] = was[id][0]
			was[id] = was[id][1:]
		}
	}
	return same
}

// dropMentioning deletes the files that mention one of the names from same, and reports whether there are any.
func (p *deferred) dropMentioning(ctx context.Context, same map[string]string, names mention.Names) (mentioned bool) {
	if p.bundles {
		return p.dropOperatorsMentioning(ctx, same, names)
	}
	for _, path := range p.mentioning(ctx, slices.Sorted(maps.Keys(same)), names) {
		delete(same, path)
		mentioned = true
	}
	return mentioned
}

// mentioning returns which of some files mention one of the names.
func (p *deferred) mentioning(ctx context.Context, paths []string, names mention.Names) []string {
	var buffers sync.Pool // a file may be large
	found := readFolders(ctx, paths, nil, func(path string) (*string, int64) {
		buffer, _ := buffers.Get().(*[]byte)
		if buffer == nil {
			buffer = new([]byte)
		}
		defer buffers.Put(buffer)
		text, err := readInto(buffer, &file{source: p.source, path: path})
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

// blobID is that of a file; false after the context has ended.
func (p *deferred) blobID(ctx context.Context, path string) (string, bool) {
	if ctx.Err() != nil {
		return "", false
	}
	f := &file{source: p.source, path: path}
	if id, isGit := f.gitID(); isGit {
		return id, id != ""
	}
	text, err := readAll(f)
	return blobIDOf(text), err == nil
}

// relatedNames returns the names of what the changed packages have to do with: their own and those of their bundles, the groups of the APIs
// that they provide or require now or in the base, and the packages that they require.
func (p *Pair) relatedNames() mention.Names {
	all := mention.Names{}
	for _, name := range p.Changed {
		all[name] = true
		for _, c := range []*Catalog{p.Now, p.Base} {
			if pkg := c.Package(name); pkg != nil {
				for _, b := range pkg.Bundles {
					all[b.Name.Value] = true
				}
				addDependencies(all, all, pkg)
			}
		}
	}
	delete(all, "")
	return all
}

// addDependencies adds the groups of the APIs that a package provides, and what it requires.
func addDependencies(provided, required mention.Names, p *Package) {
	for _, b := range p.Bundles {
		d, err := b.Dependencies()
		if err != nil {
			continue // reported where the bundle is read
		}
		for _, api := range d.Provides {
			provided[api.Group] = true
		}
		for i := range d.Requires {
			addRequired(required, &d.Requires[i])
		}
	}
}

func addRequired(all mention.Names, r *Requirement) {
	all[r.Package] = true
	if r.API != nil {
		all[r.API.Group] = true
	}
	for i := range r.Of {
		addRequired(all, &r.Of[i])
	}
}

// deferred is a catalog that was opened and not read yet.
type deferred struct {
	source   *source
	paths    []string
	problems []Problem
	options  Options
	bundles  bool // paths are folders of bundles and of package manifests, and not files

	// manifests are those of the folders that have package manifests. Each is the folder of an operator, as that of bundle folders is.
	manifests []string

	// Of a repository, what its catalogs share:
	versions    []string                 // the OpenShift versions of the catalogs, from the lowest; none if it is one catalog
	first       *Catalog                 // has the problems
	folders     map[string]*bundleFolder // that were read
	publishings map[string]publishing    // by the folder of the operator
	folderSums  map[string]string
	base        *deferred         // that it was compared with
	same        map[string]string // bundle folders that are the same in base, and not read
}

// ofRepository reports whether a catalog is one of a repository, and not read yet.
func (c *Catalog) ofRepository() bool { return c.deferred != nil && c.deferred.bundles }

// like returns the catalog of another repository that corresponds to a catalog.
func (p *deferred) like(c *Catalog) *Catalog {
	return &Catalog{source: p.source, Form: c.Form, Name: c.Name, OpenShift: c.OpenShift, otherVersions: c.otherVersions, deferred: p, templates: p.first.templates}
}

// Read reads a catalog that was opened with Options.Deferred. It does nothing for others.
func (c *Catalog) Read(ctx context.Context) error {
	if c == nil || c.deferred == nil {
		return nil
	}
	return c.readFiltered(ctx, c.deferred, nil, func(string) bool { return true })
}

// Forget frees the contents of a catalog, except Problems, Stats and the names of its packages. Excerpts still works.
func (c *Catalog) Forget() {
	names := make([]*Package, 0, len(c.Packages))
	for _, p := range c.Packages {
		names = append(names, &Package{Name: p.Name})
	}
	c.Packages, c.Others, c.sums = names, nil, nil
}

// readFiltered reads the files, or the bundle folders, that are wanted. published are the bundles that the base has, by bundleKey; nil
// without a base.
func (c *Catalog) readFiltered(ctx context.Context, from *deferred, published map[string]bool, wants func(path string) bool) error {
	var paths []string
	for _, path := range from.paths {
		if wants(path) {
			paths = append(paths, path)
		}
	}
	loaded, err := from.load(ctx, c, paths, published)
	if err != nil {
		return err
	}
	if from.source.readError != nil {
		if err := from.source.readError(); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSuffix(from.source.prefix, ":"), err)
		}
	}
	loaded.Name, loaded.Form, loaded.Container, loaded.OpenShift, loaded.Selected = c.Name, c.Form, c.Container, c.OpenShift, c.Selected
	loaded.Repository, loaded.Configuration, loaded.templates = c.Repository, c.Configuration, c.templates
	if !from.bundles || from.first == c { // else it is counted there
		loaded.Stats.Unread = len(from.paths) - len(paths)
	}
	*c = *loaded
	return nil
}

// load reads paths, which are some of those deferred, as into a catalog.
func (p *deferred) load(ctx context.Context, as *Catalog, paths []string, published map[string]bool) (*Catalog, error) {
	if !p.bundles {
		o := p.options
		o.Deferred = false
		return load(ctx, p.source, paths, slices.Clone(p.problems), o)
	}
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
	}
	if p.options.Deferred || len(p.versions) > 0 {
		c.sums = p.operatorSums(ctx, c)
	}
	return c, nil
}

// splitFolders returns the folders with package manifests, and the bundle folders.
func (p *deferred) splitFolders(paths []string) (packages, bundles []string) {
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
func (p *deferred) operator(dir string) string {
	for above := dir; above != "."; above = path.Dir(above) {
		if slices.Contains(p.manifests, above) {
			return above
		}
	}
	return path.Dir(dir)
}

// hasPackage reports whether one of the files has a package. It reads no further than to the first one.
func (p *deferred) hasPackage(ctx context.Context) (bool, error) {
	for _, path := range p.paths {
		if p.bundles {
			if slices.Contains(p.manifests, path) || slices.ContainsFunc(p.readFolders(ctx, []string{path}), func(b *bundleFolder) bool { return b.pkg.Value != "" }) {
				return true, nil
			}
			continue
		}
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
func (p *deferred) beginsWithPackage(path string) bool {
	f := &file{source: p.source, path: path, name: p.source.display(path)}
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
	d := decoderOf(f, first)
	d.stream()
	return len(d.objects.packages) > 0
}

// emptyBlob is the hash of an empty file in git.
const emptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

// empty reports whether all files are empty. A file that cannot be read counts as one with text, so that reading it reports why.
func (p *deferred) empty() bool {
	return !slices.ContainsFunc(p.paths, func(path string) bool {
		if id, isGit := (&file{source: p.source, path: path}).gitID(); isGit { // Stat would read the file
			return id != emptyBlob
		}
		info, err := fs.Stat(p.source.fsys, path)
		return err != nil || info.Size() > 0 || !info.Mode().IsRegular()
	})
}

// unchangedOperators returns the bundle folders of operators whose folders are the same in both, with their paths in the base. Of an
// operator whose channels are in a template these are the bundle folders that are the same: its bundles say nothing of one another.
func unchangedOperators(ctx context.Context, now, base *deferred) map[string]string {
	was := base.operators()
	var both []string
	for _, operator := range now.operators() {
		if slices.Contains(was, operator) {
			both = append(both, operator)
		}
	}
	type compared struct {
		operator string
		same     bool
	}
	same := map[string]bool{}
	for _, c := range readFolders(ctx, both, nil, func(operator string) (*compared, int64) {
		return &compared{operator, sameFolder(ctx, now, base, operator)}, 0
	}) {
		same[c.operator] = c.same
	}
	templated := slices.DeleteFunc(both, func(operator string) bool {
		return same[operator] || now.modeOf(operator) != templateMode || base.modeOf(operator) != templateMode
	})
	dirs := map[string]string{}
	for _, dir := range now.paths {
		operator := now.operator(dir)
		if same[operator] || slices.Contains(templated, operator) && sameFolder(ctx, now, base, dir) {
			dirs[dir] = dir
		}
	}
	return dirs
}

// dropUnchangedProblems deletes the problems of templates and operators whose folders are the same in the base: that they are not read.
func (p *deferred) dropUnchangedProblems(ctx context.Context, base *deferred) {
	p.problems = slices.DeleteFunc(slices.Clone(p.problems), func(problem Problem) bool {
		dir := p.source.path(problem.Pos.File)
		if !isDir(p.source.fsys, dir) {
			dir = path.Dir(dir)
		}
		return sameFolder(ctx, p, base, dir)
	})
}

// operators returns the folders of the operators, in the order of the bundles.
func (p *deferred) operators() []string {
	var all []string
	for _, dir := range p.paths {
		all = append(all, p.operator(dir))
	}
	return slices.Compact(all)
}

// folderIDs is a tree of git, which has the hashes of its folders.
type folderIDs interface {
	FolderID(string) (string, bool)
}

// sameFolder reports whether a folder has the same files in both.
func sameFolder(ctx context.Context, now, base *deferred, dir string) bool {
	a, isTree := now.source.fsys.(folderIDs)
	b, isTreeToo := base.source.fsys.(folderIDs)
	if isTree && isTreeToo {
		x, known := a.FolderID(dir)
		y, knownToo := b.FolderID(dir)
		return known && knownToo && x == y
	}
	files, whole := now.files(dir)
	others, wholeToo := base.files(dir)
	if !whole || !wholeToo || !slices.Equal(files, others) {
		return false
	}
	for _, name := range files {
		x, read := now.blobID(ctx, name)
		y, readToo := base.blobID(ctx, name)
		if !read || !readToo || x != y {
			return false
		}
	}
	return true
}

// files returns the files in a folder and below it, and whether all could be listed. A link counts as a file.
func (p *deferred) files(dir string) (all []string, whole bool) {
	err := fs.WalkDir(p.source.fsys, dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, name)
		}
		return err
	})
	return all, err == nil
}

// operatorSums returns a sum of the files of each package.
func (p *deferred) operatorSums(ctx context.Context, c *Catalog) map[string]uint64 {
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

// dependencyNames returns the packages and the groups of the APIs that the changed packages require, and the groups of those that they do
// not provide any more: other operators may have them, or require them.
func (p *Pair) dependencyNames() mention.Names {
	all, provided, before := mention.Names{}, mention.Names{}, mention.Names{}
	for _, name := range p.Changed {
		if pkg := p.Now.Package(name); pkg != nil && len(pkg.Channels) > 0 {
			addDependencies(provided, all, pkg)
		}
		if pkg := p.Base.Package(name); pkg != nil && len(pkg.Channels) > 0 {
			addDependencies(before, mention.Names{}, pkg)
		}
	}
	for group := range before {
		if !provided[group] {
			all[group] = true
		}
	}
	delete(all, "")
	return all
}

// dropOperatorsMentioning deletes the bundle folders of the operators from same of which the highest version is, provides or requires one of
// the names, and reports whether there are any.
func (p *deferred) dropOperatorsMentioning(ctx context.Context, same map[string]string, names mention.Names) bool {
	if len(names) == 0 {
		return false
	}
	highest := map[string]string{}
	for dir := range same {
		operator := p.operator(dir)
		if last, known := highest[operator]; !known || compareFolderVersions(dir, last) > 0 {
			highest[operator] = dir
		}
	}
	mentioning := map[string]bool{}
	for operator, dir := range highest {
		files, _ := p.files(dir)
		mentioning[operator] = len(p.mentioning(ctx, files, names)) > 0 && p.dependsOn(dir, names)
	}
	found := false
	for dir := range same {
		if mentioning[p.operator(dir)] {
			delete(same, dir)
			found = true
		}
	}
	return found
}

// dependsOn reports whether a bundle folder is of a package that is among the names, or provides or requires what is. Others that mention a
// name have permissions for its API, or an example.
func (p *deferred) dependsOn(dir string, names mention.Names) bool {
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

// bundleKeys returns the bundles of a base, which were published before those that it does not have.
func (c *Catalog) bundleKeys() map[string]bool {
	all := map[string]bool{}
	for _, p := range c.Packages {
		for _, b := range p.Bundles {
			all[bundleKey(p.Name.Value, b.Name.Value)] = true
		}
	}
	return all
}
