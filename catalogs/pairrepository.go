package catalogs

import (
	"context"
	"encoding/hex"
	"hash/fnv"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/mention"
)

// unchangedOperators returns the bundle folders of operators whose folders are the same in both, with their paths in the base.
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
	dirs := map[string]string{}
	for _, dir := range now.paths {
		if same[path.Dir(dir)] {
			dirs[dir] = dir
		}
	}
	return dirs
}

// dropUnchangedProblems deletes the problems of operators whose folders are the same in the base: that nothing of them is read.
func (p *deferred) dropUnchangedProblems(ctx context.Context, base *deferred) {
	if len(p.paths) == 0 {
		return
	}
	root := path.Dir(path.Dir(p.paths[0]))
	p.problems = slices.DeleteFunc(slices.Clone(p.problems), func(problem Problem) bool {
		return problem.Package != "" && sameFolder(ctx, p, base, path.Join(root, problem.Package))
	})
}

// operators returns the folders of the operators, in the order of the bundles.
func (p *deferred) operators() []string {
	var all []string
	for _, dir := range p.paths {
		all = append(all, path.Dir(dir))
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

// operatorSums returns a sum of the files of each package: those of the folders of its operators.
func (p *deferred) operatorSums(ctx context.Context, c *Catalog) map[string]uint64 {
	sums := map[string]uint64{}
	operators := map[string][]string{}
	for _, pkg := range c.Packages {
		for _, b := range pkg.Bundles {
			if operator := path.Dir(b.manifests.dir); !slices.Contains(operators[pkg.Name.Value], operator) {
				operators[pkg.Name.Value] = append(operators[pkg.Name.Value], operator)
			}
		}
	}
	for name, dirs := range operators {
		h := fnv.New64a()
		for _, dir := range dirs {
			files, _ := p.files(dir)
			for _, file := range files {
				id, _ := p.blobID(ctx, file)
				h.Write([]byte(hex.EncodeToString([]byte(file)) + " " + id + "\n"))
			}
		}
		sums[name] = h.Sum64()
	}
	return sums
}

// dependencyNames returns the packages and the groups of the APIs that the changed packages require, and the groups of those that they do
// not provide any more: other operators may have them, or require them.
func (p *Pair) dependencyNames() mention.Names {
	all, provided, before := mention.Names{}, mention.Names{}, mention.Names{}
	add := func(c *Catalog, groups, required mention.Names) {
		for _, name := range p.Changed {
			pkg := c.Package(name)
			if pkg == nil {
				continue
			}
			for _, b := range pkg.Bundles {
				d, err := b.Dependencies()
				if err != nil {
					continue // reported where the bundle is read
				}
				for _, api := range d.Provides {
					groups[api.Group] = true
				}
				for i := range d.Requires {
					addRequired(required, &d.Requires[i])
				}
			}
		}
	}
	add(p.Now, provided, all)
	add(p.Base, before, mention.Names{})
	for group := range before {
		all[group] = all[group] || !provided[group]
	}
	for name, wanted := range all {
		if !wanted {
			delete(all, name)
		}
	}
	delete(all, "")
	return all
}

// dropOperatorsMentioning deletes the bundle folders of the operators from same of which the highest version mentions one of the names, and
// reports whether there are any.
func (p *deferred) dropOperatorsMentioning(ctx context.Context, same map[string]string, names mention.Names) bool {
	if len(names) == 0 {
		return false
	}
	highest := map[string]string{}
	for dir := range same {
		if last, known := highest[path.Dir(dir)]; !known || compareFolderVersions(dir, last) > 0 {
			highest[path.Dir(dir)] = dir
		}
	}
	mentioning := map[string]bool{}
	for operator, dir := range highest {
		files, _ := p.files(dir)
		mentioning[operator] = ctx.Err() == nil && slices.ContainsFunc(files, func(name string) bool {
			text, err := readAll(&file{source: p.source, path: name})
			return err == nil && names.In(text)
		})
	}
	found := false
	for dir := range same {
		if mentioning[path.Dir(dir)] {
			delete(same, dir)
			found = true
		}
	}
	return found
}

// compareFolderVersions orders bundle folders by the versions that are their names.
func compareFolderVersions(a, b string) int {
	v, err := semver.ParseTolerant(path.Base(a))
	w, errToo := semver.ParseTolerant(path.Base(b))
	if err != nil || errToo != nil {
		return strings.Compare(a, b)
	}
	return v.Compare(w)
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
