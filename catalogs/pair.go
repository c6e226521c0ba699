package catalogs

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

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
		folders = foldersOf(base[i]).like(base[i])
	}
	for _, c := range now {
		p := Pair{Now: c, files: unreadFiles(base), folders: folders}
		for _, same := range c.correspondences(len(now) == 1 && len(base) == 1) {
			if i := slices.IndexFunc(base, func(b *Catalog) bool { return !taken[b] && same(b) }); i >= 0 && p.Base == nil {
				p.Base = base[i]
				taken[base[i]] = true
			}
		}
		if p.Base == nil && c.ofRepository() && folders != nil {
			p.Base = foldersOf(folders).like(c)
			for _, b := range base {
				taken[b] = taken[b] || b.deferred == p.Base.deferred
			}
		}
		if c.ofRepository() && c == foldersOf(c).first && p.Base != nil && p.Base.ofRepository() {
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
	if of := foldersOf(c); of.first != c {
		c.Configuration, of.first.Configuration = of.first.Configuration, nil
		of.first = c
	}
}

// Read reads catalogs that were opened with Options.Deferred, and sets Changed. Of two file-based catalogs it reads the files that
// differ, and those others that mention a changed package or what it depends on: they may have the rest of it. A mention that is
// written with escapes is not found.
func (p *Pair) Read(ctx context.Context) error {
	if folders := foldersOf(p.Now); folders != nil && foldersOf(p.Base) != nil {
		if err := p.readRepository(ctx, folders, foldersOf(p.Base)); err != nil {
			return err
		}
		return p.readUnchanged(ctx, folders, foldersOf(p.Base))
	}
	if files := filesOf(p.Now); files == nil || filesOf(p.Base) == nil {
		for _, c := range []*Catalog{p.Now, p.Base} {
			if err := c.Read(ctx); err != nil {
				return err
			}
		}
		p.compare()
		return nil
	}
	now, base := filesOf(p.Now), filesOf(p.Base)
	if err := p.readFiles(ctx, now, base); err != nil {
		return err
	}
	return p.readUnchanged(ctx, now, base)
}

// filesOf returns the files of a file-based catalog that is not read yet, else nil.
func filesOf(c *Catalog) *deferredFiles {
	if c == nil {
		return nil
	}
	files, _ := c.deferred.(*deferredFiles)
	return files
}

// foldersOf returns the folders of a catalog of a repository that is not read yet, else nil.
func foldersOf(c *Catalog) *deferredFolders {
	if c == nil {
		return nil
	}
	folders, _ := c.deferred.(*deferredFolders)
	return folders
}

// ofRepository reports whether a catalog is one of a repository, and not read yet.
func (c *Catalog) ofRepository() bool { return foldersOf(c) != nil }

// unreadFiles returns copies of file-based catalogs that are not read yet.
func unreadFiles(all []*Catalog) []*Catalog {
	var found []*Catalog
	for _, c := range all {
		if filesOf(c) != nil {
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
			if err := readFiltered(ctx, c, filesOf(c), nil, func(name string) bool { return slices.Contains(dirs, path.Dir(name)) }); err != nil {
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
	c := foldersOf(folders).like(&Catalog{Form: folders.Form, Name: p.Now.Name, OpenShift: p.Now.OpenShift})
	from := foldersOf(c)
	p.Elsewhere = append(p.Elsewhere, c)
	if err := readFiltered(ctx, c, from, nil, func(name string) bool {
		return slices.Contains(p.nowhere, path.Base(from.operator(name)))
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
		has := slices.ContainsFunc(filesOf(c).paths, func(name string) bool { return strings.HasPrefix(name, dir+"/") })
		if has && c.OpenShift != "" && (best == nil || distance(c) < distance(best)) {
			best = c
		}
	}
	return best
}

// readRepository reads a catalog of a repository. What differs between the repositories is found once for all of their catalogs.
func (p *Pair) readRepository(ctx context.Context, now, base *deferredFolders) error {
	if now.base != base {
		now.base = base
		now.source.shareCache(base.source)
		all := Pair{Now: &Catalog{Form: p.Now.Form, source: now.source}, Base: &Catalog{Form: p.Base.Form, source: base.source}}
		same, err := all.readOperators(ctx, now, base)
		if err != nil {
			return err
		}
		now.same = same
	}
	err := p.readExcept(ctx, now, base, now.same)
	p.compare()
	return err
}

// readOperators reads the folders of operators that differ, and of those that require or provide what differs. It returns those that it did
// not read.
func (p *Pair) readOperators(ctx context.Context, now, base *deferredFolders) (map[string]string, error) {
	same := unchangedOperators(ctx, now, base)
	dropUnchangedProblems(ctx, now, base)
	return same, p.readRelated(ctx, now, base, same, func() bool { return dropOperatorsMentioning(ctx, now, same, p.dependencyNames()) })
}

// readFiles reads the files that differ, and those that mention what differs.
func (p *Pair) readFiles(ctx context.Context, now, base *deferredFiles) error {
	same := unchanged(ctx, now, base)
	return p.readRelated(ctx, now, base, same, func() bool {
		mentioning := now.source.mentioning(ctx, slices.Sorted(maps.Keys(same)), p.relatedNames())
		for _, path := range mentioning {
			delete(same, path)
		}
		return len(mentioning) > 0
	})
}

// readRelated reads what is not the same in both, and again without what drop deletes from that, which says whether it did.
func (p *Pair) readRelated(ctx context.Context, now, base later, same map[string]string, drop func() bool) error {
	if err := p.readExcept(ctx, now, base, same); err != nil {
		return err
	}
	if p.compare(); len(p.Changed) == 0 {
		return nil
	}
	if !drop() {
		return ctx.Err()
	}
	err := p.readExcept(ctx, now, base, same)
	p.compare()
	return err
}

// readUnchanged reads all files if neither those that were read nor the others have a package, so that NoPackage can report it.
func (p *Pair) readUnchanged(ctx context.Context, now, base later) error {
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
func (p *Pair) readExcept(ctx context.Context, now, base later, same map[string]string) error {
	sameBase := map[string]bool{}
	for _, path := range same {
		sameBase[path] = true
	}
	if err := readFiltered(ctx, p.Base, base, nil, func(path string) bool { return !sameBase[path] }); err != nil {
		return err
	}
	return readFiltered(ctx, p.Now, now, p.Base.bundleKeys(), func(path string) bool { _, left := same[path]; return !left })
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
func unchanged(ctx context.Context, now, base *deferredFiles) map[string]string {
	same := map[string]string{}
	was := map[string][]string{}
	for _, path := range base.paths {
		if id, ok := base.source.blobID(ctx, path); ok {
			was[id] = append(was[id], path)
		}
	}
	for _, path := range now.paths {
		if id, ok := now.source.blobID(ctx, path); ok && len(was[id]) > 0 {
			same[path] = was[id][0]
			was[id] = was[id][1:]
		}
	}
	return same
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

// Forget frees the contents of a catalog, except Problems, Stats and the names of its packages. Excerpts still works.
func (c *Catalog) Forget() {
	names := make([]*Package, 0, len(c.Packages))
	for _, p := range c.Packages {
		names = append(names, &Package{Name: p.Name})
	}
	c.Packages, c.Others, c.sums = names, nil, nil
}

// unchangedOperators returns the bundle folders of operators whose folders are the same in both, with their paths in the base. Of an
// operator whose channels are in a template these are the bundle folders that are the same: its bundles say nothing of one another.
func unchangedOperators(ctx context.Context, now, base *deferredFolders) map[string]string {
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
		return &compared{operator, now.source.sameFolder(ctx, base.source, operator)}, 0
	}) {
		same[c.operator] = c.same
	}
	templated := slices.DeleteFunc(both, func(operator string) bool {
		return same[operator] || now.modeOf(operator) != templateMode || base.modeOf(operator) != templateMode
	})
	dirs := map[string]string{}
	for _, dir := range now.paths {
		operator := now.operator(dir)
		if same[operator] || slices.Contains(templated, operator) && now.source.sameFolder(ctx, base.source, dir) {
			dirs[dir] = dir
		}
	}
	return dirs
}

// dropUnchangedProblems deletes the problems of templates and operators whose folders are the same in the base: that they are not read.
func dropUnchangedProblems(ctx context.Context, p, base *deferredFolders) {
	p.problems = slices.DeleteFunc(slices.Clone(p.problems), func(problem Problem) bool {
		dir := p.source.path(problem.Pos.File)
		if !isDir(p.source.fsys, dir) {
			dir = path.Dir(dir)
		}
		return p.source.sameFolder(ctx, base.source, dir)
	})
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
func dropOperatorsMentioning(ctx context.Context, p *deferredFolders, same map[string]string, names mention.Names) bool {
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
		files, _ := p.source.files(dir)
		mentioning[operator] = len(p.source.mentioning(ctx, files, names)) > 0 && p.dependsOn(dir, names)
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
