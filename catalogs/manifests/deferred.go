package manifests

import (
	"context"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// DeferredFolders are the folders of the bundles of a repository, whose catalogs are not read yet.
type DeferredFolders struct {
	form.Deferred
	Catalogs []*catalogs.Catalog
	// manifests are those of the folders that have package manifests. Each is the folder of an operator, as that of bundle folders is.
	manifests []string

	// What the catalogs of the repository share:
	versions    []string                             // the OpenShift versions of the catalogs, from the lowest; none if it is one catalog
	named       bool                                 // they are those that the bundles name
	First       *catalogs.Catalog                    // has the problems
	folders     map[string]*bundleFolder             // that were read
	publishings map[string]pipelineconfig.Publishing // by the folder of the operator
	folderSums  map[string]string
	Base        *DeferredFolders  // that it was compared with
	Same        map[string]string // bundle folders that are the same in base, and not read
}

// Read reads the folders that are wanted into a catalog. published are the bundles that the base has, by BundleKey; nil without a base.
func (p *DeferredFolders) Read(ctx context.Context, c *catalogs.Catalog, published map[string]bool, wants func(path string) bool) error {
	return p.ReadInto(c, wants, func(paths []string) (*catalogs.Catalog, error) { return p.load(ctx, c, paths, published) })
}

func (p *DeferredFolders) load(ctx context.Context, as *catalogs.Catalog, paths []string, published map[string]bool) (*catalogs.Catalog, error) {
	packages, bundles := p.splitFolders(paths)
	c := &catalogs.Catalog{Source: p.Source, Form: as.Form, OpenShift: as.OpenShift, OtherVersions: as.OtherVersions, NamedVersion: as.NamedVersion}
	readManifestPackages(ctx, c, packages, p.Options)
	found := p.readFolders(ctx, p.withPackage(ctx, bundles))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	setBeside(found)
	addBundles(c, found, p, published)
	c.Filtered = c.Filtered || len(p.versions) > 0 && (as != p.First || slices.ContainsFunc(found, func(b *bundleFolder) bool { return b.pkg.Value != "" }))
	if as == p.First {
		c.Problems = append(c.Problems, p.Problems...)
		slices.SortStableFunc(c.Problems, catalogs.CompareProblems)
		c.Stats.Unread = len(p.Paths) - len(paths) // the others would count it again
	}
	if p.Options.Deferred || len(p.versions) > 0 {
		c.Sums = p.operatorSums(ctx, c)
	}
	return c, nil
}

// withPackage returns the bundle folders of the operators of which a bundle has the package that is read, or none. Only the metadata of the others
// are read.
func (p *DeferredFolders) withPackage(ctx context.Context, dirs []string) []string {
	filter := form.PackageFilter(p.Options.Package)
	if filter == "" {
		return dirs
	}
	wanted := map[string]bool{}
	for _, b := range parallel.ReadFolders(ctx, dirs, nil, func(dir string) (*bundleFolder, int64) {
		b := newBundleFolder(p.Source, dir)
		b.readMetadata()
		return b, b.Bytes
	}) {
		wanted[path.Dir(b.Dir)] = wanted[path.Dir(b.Dir)] || b.pkg.Value == "" || filter.Matches(b.pkg.Value)
	}
	return slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return !wanted[path.Dir(dir)] })
}

// splitFolders returns the folders with package manifests, and the bundle folders.
func (p *DeferredFolders) splitFolders(paths []string) (packages, bundles []string) {
	for _, dir := range paths {
		if slices.Contains(p.manifests, dir) {
			packages = append(packages, dir)
		} else {
			bundles = append(bundles, dir)
		}
	}
	return packages, bundles
}

// Operator returns the folder of the operator of a folder in paths, or below one.
func (p *DeferredFolders) Operator(dir string) string {
	for above := dir; above != "."; above = path.Dir(above) {
		if slices.Contains(p.manifests, above) {
			return above
		}
	}
	return path.Dir(dir)
}

// HasPackage reports whether one of some folders has a package. It reads no further than to the first one.
func (p *DeferredFolders) HasPackage(ctx context.Context, paths []string) (bool, error) {
	for _, path := range paths {
		if slices.Contains(p.manifests, path) || slices.ContainsFunc(p.readFolders(ctx, []string{path}), func(b *bundleFolder) bool { return b.pkg.Value != "" }) {
			return true, nil
		}
	}
	return false, ctx.Err()
}

// Operators returns the folders of the operators, in the order of the bundles.
func (p *DeferredFolders) Operators() []string {
	all := words.Map(p.Paths, p.Operator)
	return slices.Compact(all)
}

// operatorSums returns a sum of the files of each package.
func (p *DeferredFolders) operatorSums(ctx context.Context, c *catalogs.Catalog) map[string]uint64 {
	sums := map[string]uint64{}
	for _, pkg := range c.Packages {
		h := fnv.New64a()
		met := map[string]bool{}
		for _, b := range pkg.Bundles {
			for _, dir := range p.sumFolders(c, b) {
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

// DependsOn reports whether a bundle folder is of a package that is among the names, or provides or requires what is. Others that mention a
// name have permissions for its API, or an example.
func (p *DeferredFolders) DependsOn(dir string, names words.Names) bool {
	b := readBundle(p.Source, dir)
	if slices.Contains(p.manifests, dir) || len(b.Csvs) == 0 || len(b.Problems) > 0 {
		return true
	}
	found := words.Names{b.pkg.Value: true}
	AddDependencies(found, found, &catalogs.Package{Bundles: []*catalogs.Bundle{b.Bundle(b.pkg)}})
	delete(found, "")
	for name := range found {
		if names[name] {
			return true
		}
	}
	return false
}

// readFolders returns bundle folders of the repository. Each is read once. If the context ends, some are left out.
func (p *DeferredFolders) readFolders(ctx context.Context, dirs []string) []*bundleFolder {
	var unread []string
	for _, dir := range dirs {
		if p.folders[dir] == nil {
			unread = append(unread, dir)
		}
	}
	for _, b := range parallel.ReadFolders(ctx, unread, p.Options.Progress, func(dir string) (*bundleFolder, int64) {
		found := readBundle(p.Source, dir)
		return found, found.Bytes
	}) {
		b.Alone = !slices.ContainsFunc(p.Paths, func(dir string) bool { return dir != b.Dir && path.Dir(dir) == path.Dir(b.Dir) })
		p.folders[b.Dir] = b
	}
	var all []*bundleFolder
	for _, dir := range dirs {
		if b := p.folders[dir]; b != nil {
			all = append(all, b)
		}
	}
	return all
}

// UpdateMode returns the updateGraph mode of the package in an operator's folder.
func (p *DeferredFolders) UpdateMode(operator string) string { return p.readPublishing(operator).Mode }

// publishedMode returns the updateGraph mode of the base, in which the bundles that it has were published.
func (p *DeferredFolders) publishedMode(operator string) string {
	if p.Base != nil && source.IsDir(p.Base.Source.Fsys, operator) {
		if mode := p.Base.UpdateMode(operator); mode != pipelineconfig.TemplateMode {
			return mode
		}
	}
	return p.UpdateMode(operator)
}

// folderSum is what the sum of a package takes from a folder: the names and hashes of its files.
func (p *DeferredFolders) folderSum(ctx context.Context, dir string) string {
	sum, known := p.folderSums[dir]
	if !known {
		var text strings.Builder
		files, _ := p.Source.Files(dir)
		for _, file := range files {
			id, _ := p.Source.BlobID(ctx, file)
			fmt.Fprintf(&text, "%x %s\n", file, id)
		}
		sum = text.String()
		p.folderSums[dir] = sum
	}
	return sum
}

// sumFolders returns the folders and files of which the sum of a package is made: of a catalog for an OpenShift version those of its bundles
// and the ci.yaml, of one for all versions and of package manifests the whole folder of the operator.
func (p *DeferredFolders) sumFolders(c *catalogs.Catalog, b *catalogs.Bundle) []string {
	operator := p.Operator(b.Folder.Dir)
	if c.OpenShift == "" && !c.OtherVersions || slices.Contains(p.manifests, operator) {
		return []string{operator}
	}
	return []string{b.Folder.Dir, path.Join(operator, "ci.yaml")}
}

// AddDependencies adds the groups of the APIs that a package provides, and what it requires.
func AddDependencies(provided, required words.Names, p *catalogs.Package) {
	for _, b := range p.Bundles {
		d, err := bundled.Dependencies(b)
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

func addRequired(all words.Names, r *catalogs.Requirement) {
	all[r.Package] = true
	if r.API != nil {
		all[r.API.Group] = true
	}
	for i := range r.Of {
		addRequired(all, &r.Of[i])
	}
}
