// Package compare reads catalogs beside their base: first what differs by the identity of files, and then what that has to do with.
package compare

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Pair is a catalog and the base that it is compared with.
type Pair struct {
	Now  *catalogs.Catalog
	Base *catalogs.Catalog // nil if nothing corresponds
	// Renamed says that they have other names, and were matched by what they hold, or at one path by the OpenShift version.
	Renamed bool
	// Changed are the names of the packages whose texts differ, sorted. Packages that only one of the catalogs has are among them, and
	// all packages of a form without objects of a file-based catalog.
	Changed []string
	// Elsewhere are catalogs of the base for other OpenShift versions, of which only the packages are read that the Base does not have:
	// each in one of them, that for the nearest version. ReadElsewhere sets it. What is in none is in the catalog of the base's bundle
	// folders, if ReadFolders adds it.
	Elsewhere []*catalogs.Catalog

	now, base *repo.Opened
	files     []*fbc.DeferredFiles       // of the file-based catalogs of the base
	nowhere   []string                   // folders of packages that none of files has
	folders   *manifests.DeferredFolders // of the repository that is the base, with its bundle folders; nil if it is none
}

// Pairs matches catalogs with those of a base, one with one: by name, then by OpenShift version, and at last those that are left by what they hold.
// A repository that is not read yet has a catalog for any OpenShift version, so that each of the base has its counterpart there: pairs has some
// whose Now is not among the catalogs. samePath says that both are what a path has now, and had: there, what opm does not read is no counterpart. alone
// are those of the base that match none.
func Pairs(ctx context.Context, now, base []*repo.Opened, samePath bool) (pairs []Pair, alone []*repo.Opened) {
	folders := foldersIn(base)
	var files []*fbc.DeferredFiles
	for _, b := range base {
		if hasFiles(b) {
			files = append(files, b.Files)
		}
	}
	for _, c := range now {
		pairs = append(pairs, Pair{Now: c.Catalog, now: c, files: files, folders: folders})
	}
	alone = match(ctx, pairs, base, samePath)
	for i := range pairs {
		if p := &pairs[i]; p.Base == nil && ofRepository(p.now) && folders != nil {
			p.setBase(counterpart(folders, p.Now))
		}
	}
	if len(notMade(base)) > 0 { // what templates make is published by these
		alone = notMade(alone)
	}
	if foldersNow := foldersIn(now); foldersNow != nil {
		versioned := slices.ContainsFunc(now, func(c *repo.Opened) bool { return ofRepository(c) && c.OpenShift != "" })
		for _, b := range alone {
			if versioned && ofRepository(b) && b.OpenShift != "" {
				c := counterpart(foldersNow, b.Catalog)
				pairs = append(pairs, Pair{Now: c.Catalog, Base: b.Catalog, now: c, base: b, files: files, folders: folders})
			}
		}
		alone = slices.DeleteFunc(alone, ofRepository)
	}
	for i := range pairs {
		if p := &pairs[i]; ofRepository(p.now) && p.Now == p.now.Folders.First && ofRepository(p.base) {
			becomeFirst(p.base)
		}
	}
	return pairs, alone
}

func (p *Pair) setBase(b *repo.Opened) { p.base, p.Base = b, b.Catalog }

// counterpart returns the catalog of a repository that corresponds to one of another repository.
func counterpart(of *manifests.DeferredFolders, c *catalogs.Catalog) *repo.Opened {
	return &repo.Opened{Folders: of, Catalog: &catalogs.Catalog{Source: of.Source, Form: c.Form, Name: c.Name, OpenShift: c.OpenShift,
		OtherVersions: c.OtherVersions, NamedVersion: c.NamedVersion, Filtered: true, Templates: of.First.Templates}}
}

// foldersIn returns the folders of the repository that is among catalogs; nil if none is.
func foldersIn(all []*repo.Opened) *manifests.DeferredFolders {
	if c := find.Value(all, ofRepository); c != nil {
		return c.Folders
	}
	return nil
}

// match sets the Base of pairs by what their catalogs correspond to, and returns the catalogs of the base that are left.
func match(ctx context.Context, pairs []Pair, base []*repo.Opened, samePath bool) (alone []*repo.Opened) {
	now := words.Map(pairs, func(p Pair) *repo.Opened { return p.now })
	alone = slices.Clone(base)
	take := func(p *Pair, b *repo.Opened, renamed bool) {
		p.setBase(b)
		p.Renamed = renamed
		alone = slices.DeleteFunc(alone, func(o *repo.Opened) bool { return o == b })
	}
	for _, same := range correspondences(now, base) {
		for i := range pairs {
			p := &pairs[i]
			if b := find.Value(alone, func(b *repo.Opened) bool { return same(p.now, b) && (!samePath || staysRead(p.Now, b.Catalog)) }); b != nil && p.Base == nil {
				take(p, b, samePath && p.Now.Name != "" && b.Name != "" && !isNamed(p.Now.Name, b.Name))
			}
		}
	}
	for {
		p, b := mostAlike(ctx, pairs, alone, samePath)
		if b == nil {
			return alone
		}
		take(p, b, p.Now.Name != b.Name)
	}
}

// isNamed reports whether a catalog has the name of one of a base, or is given by its path in that, as one of several references.
func isNamed(name, base string) bool { return name == base || strings.HasSuffix(name, "/"+base) }

// Removed is a catalog of a base without a counterpart, and where that would be. WithPackages says that its packages were removed from all other catalogs
// as well, which is why it is gone.
type Removed struct {
	Base         *catalogs.Catalog
	Pos          catalogs.Pos
	WithPackages bool
}

// AreRemoved reports whether each package of a catalog of a base is in another one of the base, and in none now. No catalog is read yet.
func AreRemoved(ctx context.Context, c *repo.Opened, pairs []Pair) bool {
	in := func(other *repo.Opened, names words.Names) bool {
		return hasFiles(other) && len(other.Files.Source.FilesMentioning(ctx, other.Files.Paths, names)) > 0
	}
	names := words.Names{}
	if hasFiles(c) {
		names = packageNames(ctx, c.Files)
	}
	for name := range names {
		one := words.Names{name: true}
		stays := slices.ContainsFunc(pairs, func(p Pair) bool { return in(p.now, one) })
		was := slices.ContainsFunc(pairs, func(p Pair) bool { return in(p.base, one) })
		if stays || !was {
			return false
		}
	}
	return len(names) > 0
}

// correspondences are by what a catalog corresponds to one of a base, the surest first.
func correspondences(now, base []*repo.Opened) []func(c, b *repo.Opened) bool {
	single := len(notMade(now)) == 1 && len(notMade(base)) == 1
	return []func(c, b *repo.Opened) bool{
		func(c, b *repo.Opened) bool { return c.Name != "" && b.Name == c.Name },
		func(c, b *repo.Opened) bool {
			return ofRepository(c) && ofRepository(b) && c.OpenShift == b.OpenShift && c.OtherVersions == b.OtherVersions
		},
		func(c, b *repo.Opened) bool {
			return c.OpenShift != "" && b.OpenShift == c.OpenShift && ofRepository(c) == ofRepository(b)
		},
		func(c, b *repo.Opened) bool {
			only := single && isMade(c) == isMade(b) || len(now) == 1 && len(base) == 1
			return only && (c.Name == "" || b.Name == "" || c.OpenShift == b.OpenShift) || c.Name == "" && b.Name == "" && b.Form == c.Form
		},
	}
}

// staysRead reports whether opm reads what is now in the place of a catalog: not a bundle, a template, an archive or another file in that of the folder of
// a file-based catalog.
func staysRead(now, was *catalogs.Catalog) bool {
	isFolder := was.Form == catalogs.FileBased && was.Source != nil && was.Source.Single == ""
	isOther := now.Form == catalogs.BundleFolder || now.Form == catalogs.TemplateForm || now.Container == catalogs.TarContainer && was.Container != now.Container
	return !isFolder || !isOther && (now.Source == nil || now.Source.Single == "")
}

// isMade reports whether a catalog is what a template makes.
func isMade(c *repo.Opened) bool { return c.Template != nil }

// notMade returns the catalogs that are none of templates.
func notMade(all []*repo.Opened) []*repo.Opened {
	return slices.DeleteFunc(slices.Clone(all), isMade)
}

// mostAlike returns the pair without a base and the catalog of a base that have most files in common, or at least a package, of several the newest; nil if none
// have. Catalogs for two OpenShift versions are not alike: clusters of the older one do not get the newer one.
func mostAlike(ctx context.Context, pairs []Pair, base []*repo.Opened, samePath bool) (best *Pair, of *repo.Opened) {
	most := 0
	for i := len(pairs) - 1; i >= 0; i-- { // the newest is the last
		p := &pairs[i]
		for _, b := range slices.Backward(base) {
			now, was := p.now.Files, b.Files
			if p.Base != nil || now == nil || was == nil || p.Now.OpenShift != "" && b.OpenShift != "" && p.Now.OpenShift != b.OpenShift || samePath && !staysRead(p.Now, b.Catalog) {
				continue
			}
			n := 2 * len(unchangedFiles(ctx, now, was))
			if n == 0 && most == 0 && len(now.Source.FilesMentioning(ctx, now.Paths, packageNames(ctx, was))) > 0 {
				n = 1
			}
			if n > most {
				best, of, most = p, b, n
			}
		}
	}
	return best, of
}

// packageNames returns the names of the packages in files that are not read yet; none if they cannot be read.
func packageNames(ctx context.Context, files *fbc.DeferredFiles) words.Names {
	all := words.Names{}
	if c, err := files.Load(ctx, files.Paths); err == nil {
		for _, name := range c.PackageNames() {
			all[name] = true
		}
	}
	return all
}

// becomeFirst gives a catalog of a repository what belongs to the repository as a whole: the catalog that has it now may be another one
// than in the repository that it is compared with.
func becomeFirst(c *repo.Opened) {
	if of := c.Folders; of.First != c.Catalog {
		c.Configuration, of.First.Configuration = of.First.Configuration, nil
		of.First = c.Catalog
	}
}

// Read reads the catalogs that are not read yet, and sets Changed. Of two file-based catalogs it reads the files that
// differ, and those others that mention a changed package or what it depends on: they may have the rest of it. A mention that is
// written with escapes is not found.
func (p *Pair) Read(ctx context.Context) error {
	read := p.readWhole
	switch {
	case ofRepository(p.now) && ofRepository(p.base):
		read = p.readRepository
	case hasFiles(p.now) && hasFiles(p.base):
		read = p.readFiles
	}
	if err := read(ctx); err != nil {
		return err
	}
	return p.readUnchanged(ctx)
}

// readWhole reads all of both.
func (p *Pair) readWhole(ctx context.Context) error {
	for _, c := range []*repo.Opened{p.now, p.base} {
		if err := c.Read(ctx); err != nil {
			return err
		}
	}
	p.compare()
	return nil
}

// hasFiles reports whether a catalog, which may be nil, is a file-based one that is not read yet.
func hasFiles(c *repo.Opened) bool { return c != nil && c.Files != nil }

// ofRepository reports whether a catalog, which may be nil, is one of a repository, and not read yet.
func ofRepository(c *repo.Opened) bool { return c != nil && c.Folders != nil }

// ReadElsewhere sets Elsewhere, after Read. It searches a package in the folder of the same name.
func (p *Pair) ReadElsewhere(ctx context.Context) error {
	wanted := map[*fbc.DeferredFiles][]string{} // folders
	for _, pkg := range p.Now.Packages {
		name := p.Now.Source.Path(pkg.Pos.File)
		dir := path.Dir(name)
		if dir == "." || !pkg.IsDefined() || p.Base != nil && p.Base.Package(pkg.Name.Value) != nil {
			continue
		}
		if files := p.nearestVersion(dir); files != nil {
			wanted[files] = append(wanted[files], dir)
		} else if p.Now.Form != catalogs.Repository {
			p.nowhere = append(p.nowhere, dir)
		}
	}
	for _, files := range p.files {
		if dirs := wanted[files]; dirs != nil {
			part, c := *files, *files.Catalog // of which another part may be read already
			part.Catalog = &c
			if err := part.Read(ctx, func(name string) bool { return slices.Contains(dirs, path.Dir(name)) }); err != nil {
				return err
			}
			p.Elsewhere = append(p.Elsewhere, &c)
		}
	}
	return nil
}

// OnlyInFolders reports, after ReadElsewhere, whether a file-based catalog has packages that no catalog of the base has: bundle folders of
// the base may have published them.
func (p *Pair) OnlyInFolders() bool { return len(p.nowhere) > 0 }

// ReadFolders adds those packages to Elsewhere, as the bundle folders of a repository publish them for the OpenShift version of the catalog,
// and what their channels are there to Base: the catalog publishes it from now on. It searches a package in the operator of the name of
// its folder. The repository is not read yet; it need not be given if the base has it.
func (p *Pair) ReadFolders(ctx context.Context, repository []*repo.Opened) error {
	folders := cmp.Or(p.folders, foldersIn(repository))
	if folders == nil {
		return nil
	}
	c := counterpart(folders, &catalogs.Catalog{Form: folders.First.Form, Name: p.Now.Name, OpenShift: p.Now.OpenShift})
	p.Elsewhere = append(p.Elsewhere, c.Catalog)
	if err := c.ReadPart(ctx, nil, func(name string) bool {
		return slices.Contains(p.nowhere, path.Base(folders.Operator(name)))
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
	slices.SortStableFunc(p.Base.Packages, func(a, b *catalogs.Package) int { return strings.Compare(a.Name.Value, b.Name.Value) })
	return nil
}

// HasFolders reports whether ReadFolders needs no repository.
func (p *Pair) HasFolders() bool { return p.folders != nil }

// dropMoved deletes the channels of the packages in a base that bundle folders published, and that templates publish now: their catalogs
// are compared with them, see ReadFolders, and where there is none what was published stays.
func (p *Pair) dropMoved() {
	if p.Base == nil || p.Base.Form != catalogs.Repository || p.Now.Form != catalogs.Repository {
		return
	}
	mode := func(c *catalogs.Catalog, operator string) string {
		return pipelineconfig.ReadPublishing(c.Source, operator).Mode
	}
	var kept []*catalogs.Package
	for _, pkg := range p.Base.Packages {
		operator := path.Dir(path.Dir(path.Dir(p.Base.Source.Path(pkg.Pos.File))))
		if source.IsDir(p.Now.Source.Fsys, operator) && mode(p.Now, operator) == pipelineconfig.TemplateMode && mode(p.Base, operator) != pipelineconfig.TemplateMode {
			if p.Now.Package(pkg.Name.Value) == nil {
				continue
			}
			pkg = pkg.WithContents(nil, pkg.Bundles)
			pkg.DefaultChannel = catalogs.Text{}
		}
		kept = append(kept, pkg)
	}
	p.Base.Packages = kept
}

// nearestVersion returns the catalog of the base for the nearest OpenShift version that has a folder, the older one of two. It returns nil if none has.
func (p *Pair) nearestVersion(dir string) (best *fbc.DeferredFiles) {
	distance := func(c *catalogs.Catalog) int {
		n := 2 * (catalogs.MinorNumber(p.Now.OpenShift) - catalogs.MinorNumber(c.OpenShift))
		if n < 0 {
			return 1 - n
		}
		return n
	}
	for _, files := range p.files {
		has := slices.ContainsFunc(files.Paths, func(name string) bool { return strings.HasPrefix(name, dir+"/") })
		if has && files.Catalog.OpenShift != "" && (best == nil || distance(files.Catalog) < distance(best.Catalog)) {
			best = files
		}
	}
	return best
}

// readRepository reads a catalog of a repository. What differs between the repositories is found once for all of their catalogs.
func (p *Pair) readRepository(ctx context.Context) error {
	now, base := p.now.Folders, p.base.Folders
	if now.Base != base {
		now.Base = base
		now.Source.ShareCache(base.Source)
		all := Pair{now: counterpart(now, &catalogs.Catalog{Form: p.Now.Form}), base: counterpart(base, &catalogs.Catalog{Form: p.Base.Form})}
		all.Now, all.Base = all.now.Catalog, all.base.Catalog
		same, err := all.readOperators(ctx)
		if err != nil {
			return err
		}
		now.Same = same
	}
	err := p.readExcept(ctx, now.Same)
	p.compare()
	return err
}

// readOperators reads the folders of operators that differ, and of those that require or provide what differs. It returns those that it did
// not read.
func (p *Pair) readOperators(ctx context.Context) (map[string]string, error) {
	now, base := p.now.Folders, p.base.Folders
	same := unchangedOperators(ctx, now, base)
	dropUnchangedProblems(ctx, now, base)
	return same, p.readRelated(ctx, same, func() bool {
		names := p.dependencyNames()
		if slices.ContainsFunc(now.Paths, func(dir string) bool { return path.Dir(dir) == "." }) { // a bundle/ beside folders of releases
			for _, name := range p.Changed {
				names[name] = true
			}
		}
		return dropOperatorsMentioning(ctx, now, same, names)
	})
}

// ReadAcross reads the packages that differ in one of some pairs in the others as well, as rules need that compare the catalogs for several
// OpenShift versions: the files in folders of the same path, or where the files are in no folder those that mention the packages.
func ReadAcross(ctx context.Context, pairs []Pair) error {
	all, dirs := words.Names{}, map[string]bool{}
	for i := range pairs {
		changed := pairs[i].Changed
		if pairs[i].Base == nil {
			changed = pairs[i].Now.PackageNames()
		}
		for _, name := range changed {
			all[name] = true
			for _, c := range []*catalogs.Catalog{pairs[i].Now, pairs[i].Base} {
				if c != nil && c.Source != nil && c.Package(name) != nil {
					dirs[path.Dir(c.Source.Path(c.Package(name).Pos.File))] = true
				}
			}
		}
	}
	for i := range pairs {
		if err := pairs[i].readAcross(ctx, all, dirs); err != nil {
			return err
		}
	}
	return nil
}

// readAcross reads packages that differ in other pairs, and are in some folders.
func (p *Pair) readAcross(ctx context.Context, names words.Names, dirs map[string]bool) error {
	more := maps.Clone(names)
	for _, name := range p.Changed {
		delete(more, name)
	}
	if !hasFiles(p.now) || !hasFiles(p.base) || len(more) == 0 {
		return nil
	}
	now := p.now.Files
	same := unchangedFiles(ctx, now, p.base.Files)
	wanted := p.relatedNames()
	if dirs["."] {
		maps.Copy(wanted, more)
	}
	if len(wanted) > 0 {
		for _, path := range now.Source.FilesMentioning(ctx, slices.Sorted(maps.Keys(same)), wanted) {
			delete(same, path)
		}
	}
	maps.DeleteFunc(same, func(name, _ string) bool { return dirs[path.Dir(name)] })
	if err := p.readExcept(ctx, same); err != nil {
		return err
	}
	p.compare()
	return nil
}

// readFiles reads the files that differ, and those that mention what differs.
func (p *Pair) readFiles(ctx context.Context) error {
	now := p.now.Files
	same := unchangedFiles(ctx, now, p.base.Files)
	return p.readRelated(ctx, same, func() bool {
		mentioning := now.Source.FilesMentioning(ctx, slices.Sorted(maps.Keys(same)), p.relatedNames())
		for _, path := range mentioning {
			delete(same, path)
		}
		return len(mentioning) > 0
	})
}

// readRelated reads what is not the same in both, and again without what drop deletes from that, which says whether it did.
func (p *Pair) readRelated(ctx context.Context, same map[string]string, drop func() bool) error {
	if err := p.readExcept(ctx, same); err != nil {
		return err
	}
	if p.compare(); len(p.Changed) == 0 {
		return nil
	}
	if !drop() {
		return ctx.Err()
	}
	err := p.readExcept(ctx, same)
	p.compare()
	return err
}

// readUnchanged reads all files if neither those that were read nor the others have a package, so that NoPackage can report it.
func (p *Pair) readUnchanged(ctx context.Context) error {
	if p.Now.HasPackage() || p.Now.Stats.Unread == 0 {
		return nil
	}
	has, err := p.now.HasPackage(ctx, nil)
	if err != nil || has {
		return err
	}
	return p.readExcept(ctx, nil)
}

// readExcept reads the files of both catalogs, except those that are the same.
func (p *Pair) readExcept(ctx context.Context, same map[string]string) error {
	sameBase := map[string]bool{}
	for _, path := range same {
		sameBase[path] = true
	}
	if err := p.base.ReadPart(ctx, nil, func(path string) bool { return !sameBase[path] }); err != nil {
		return err
	}
	return p.now.ReadPart(ctx, bundleKeys(p.Base), func(path string) bool { _, left := same[path]; return !left })
}

// compare finds the packages that differ.
func (p *Pair) compare() {
	p.Changed = nil
	if p.Base == nil {
		return
	}
	p.dropMoved()
	names := map[string]bool{}
	for _, c := range []*catalogs.Catalog{p.Now, p.Base} {
		for _, pkg := range c.Packages {
			names[pkg.Name.Value] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if sum := p.Now.Sums[name]; sum == 0 || sum != p.Base.Sums[name] {
			p.Changed = append(p.Changed, name)
		}
	}
}

// relatedNames returns the names of what the changed packages have to do with: their own and those of their bundles, the groups of the APIs
// that they provide or require now or in the base, and the packages that they require.
func (p *Pair) relatedNames() words.Names {
	all := words.Names{}
	for _, name := range p.Changed {
		all[name] = true
		for _, c := range []*catalogs.Catalog{p.Now, p.Base} {
			if pkg := c.Package(name); pkg != nil {
				for _, b := range pkg.Bundles {
					all[b.Name.Value] = true
				}
				manifests.AddDependencies(all, all, pkg)
			}
		}
	}
	delete(all, "")
	return all
}

// unchangedOperators returns the bundle folders of operators whose folders are the same in both, with their paths in the base. Of an
// operator whose channels are in a template these are the bundle folders that are the same: its bundles say nothing of one another.
func unchangedOperators(ctx context.Context, now, base *manifests.DeferredFolders) map[string]string {
	was := base.Operators()
	var both []string
	for _, operator := range now.Operators() {
		if slices.Contains(was, operator) {
			both = append(both, operator)
		}
	}
	type compared struct {
		operator string
		same     bool
	}
	same := map[string]bool{}
	for _, c := range parallel.ReadFolders(ctx, both, nil, func(operator string) (*compared, int64) {
		return &compared{operator, now.Source.SameFolder(ctx, base.Source, operator)}, 0
	}) {
		same[c.operator] = c.same
	}
	templated := slices.DeleteFunc(both, func(operator string) bool {
		return same[operator] || now.UpdateMode(operator) != pipelineconfig.TemplateMode || base.UpdateMode(operator) != pipelineconfig.TemplateMode
	})
	dirs := map[string]string{}
	for _, dir := range now.Paths {
		operator := now.Operator(dir)
		if same[operator] || slices.Contains(templated, operator) && now.Source.SameFolder(ctx, base.Source, dir) {
			dirs[dir] = dir
		}
	}
	return dirs
}

// dropUnchangedProblems deletes the problems of templates and operators whose folders are the same in the base: that they are not read.
func dropUnchangedProblems(ctx context.Context, p, base *manifests.DeferredFolders) {
	p.Problems = slices.DeleteFunc(slices.Clone(p.Problems), func(problem catalogs.Problem) bool {
		dir := p.Source.Path(problem.Pos.File)
		if !source.IsDir(p.Source.Fsys, dir) {
			dir = path.Dir(dir)
		}
		return p.Source.SameFolder(ctx, base.Source, dir)
	})
}

// dependencyNames returns the packages and the groups of the APIs that the changed packages require, and the groups of those that they do
// not provide any more: other operators may have them, or require them.
func (p *Pair) dependencyNames() words.Names {
	all, provided, before := words.Names{}, words.Names{}, words.Names{}
	for _, name := range p.Changed {
		if pkg := p.Now.Package(name); pkg != nil && len(pkg.Channels) > 0 {
			manifests.AddDependencies(provided, all, pkg)
		}
		if pkg := p.Base.Package(name); pkg != nil && len(pkg.Channels) > 0 {
			manifests.AddDependencies(before, words.Names{}, pkg)
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
func dropOperatorsMentioning(ctx context.Context, p *manifests.DeferredFolders, same map[string]string, names words.Names) bool {
	if len(names) == 0 {
		return false
	}
	highest := map[string]string{}
	for dir := range same {
		operator := p.Operator(dir)
		if last, known := highest[operator]; !known || manifests.CompareFolderVersions(dir, last) > 0 {
			highest[operator] = dir
		}
	}
	mentioning := map[string]bool{}
	for operator, dir := range highest {
		files, _ := p.Source.Files(dir)
		mentioning[operator] = len(p.Source.FilesMentioning(ctx, files, names)) > 0 && p.DependsOn(dir, names)
	}
	found := false
	for dir := range same {
		if mentioning[p.Operator(dir)] {
			delete(same, dir)
			found = true
		}
	}
	return found
}

// bundleKeys returns the bundles of a base, which were published before those that it does not have.
func bundleKeys(c *catalogs.Catalog) map[string]bool {
	all := map[string]bool{}
	for _, p := range c.Packages {
		for _, b := range p.Bundles {
			all[manifests.BundleKey(p.Name.Value, b.Name.Value)] = true
		}
	}
	return all
}
