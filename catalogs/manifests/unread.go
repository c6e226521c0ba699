package manifests

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/mention"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// DeferredFolders are the folders of the bundles of a repository.
type DeferredFolders struct {
	form.Unread
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

// Read reads all folders.
func (p *DeferredFolders) Read(ctx context.Context, c *catalogs.Catalog) error {
	return form.ReadFiltered(ctx, c, p, nil, func(string) bool { return true })
}

// Like returns the catalog of another repository that corresponds to a catalog.
func (p *DeferredFolders) Like(c *catalogs.Catalog) *catalogs.Catalog {
	return &catalogs.Catalog{Source: p.Source, Form: c.Form, Name: c.Name, OpenShift: c.OpenShift, OtherVersions: c.OtherVersions, NamedVersion: c.NamedVersion, Deferred: p, Templates: p.First.Templates}
}

func (p *DeferredFolders) Load(ctx context.Context, as *catalogs.Catalog, paths []string, published map[string]bool) (*catalogs.Catalog, error) {
	packages, bundles := p.splitFolders(paths)
	c := &catalogs.Catalog{Source: p.Source, Form: as.Form, OpenShift: as.OpenShift, OtherVersions: as.OtherVersions, NamedVersion: as.NamedVersion}
	readManifestPackages(ctx, c, packages, p.Options)
	found := p.readFolders(ctx, bundles)
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

func (p *DeferredFolders) HasPackage(ctx context.Context) (bool, error) {
	for _, path := range p.Paths {
		if slices.Contains(p.manifests, path) || slices.ContainsFunc(p.readFolders(ctx, []string{path}), func(b *bundleFolder) bool { return b.pkg.Value != "" }) {
			return true, nil
		}
	}
	return false, ctx.Err()
}

// Operators returns the folders of the operators, in the order of the bundles.
func (p *DeferredFolders) Operators() []string {
	var all []string
	for _, dir := range p.Paths {
		all = append(all, p.Operator(dir))
	}
	return slices.Compact(all)
}

// operatorSums returns a sum of the files of each package.
func (p *DeferredFolders) operatorSums(ctx context.Context, c *catalogs.Catalog) map[string]uint64 {
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

// DependsOn reports whether a bundle folder is of a package that is among the names, or provides or requires what is. Others that mention a
// name have permissions for its API, or an example.
func (p *DeferredFolders) DependsOn(dir string, names mention.Names) bool {
	b := readBundle(p.Source, dir)
	if slices.Contains(p.manifests, dir) || len(b.Csvs) == 0 || len(b.Problems) > 0 {
		return true
	}
	found := mention.Names{b.pkg.Value: true}
	AddDependencies(found, found, &catalogs.Package{Bundles: []*catalogs.Bundle{b.Bundle(b.pkg)}})
	delete(found, "")
	for name := range found {
		if names[name] {
			return true
		}
	}
	return false
}

// CompareFolderVersions orders bundle folders by the versions that are their names, those without one first.
func CompareFolderVersions(a, b string) int {
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

// BundleKey is a bundle of a repository.
func BundleKey(pkg, name string) string { return pkg + "/" + name }

// HasManifests reports whether a folder, or one of the folders in it, has a package manifest.
func HasManifests(fsys fs.FS) bool {
	if len(manifestFiles(fsys, ".")) > 0 {
		return true
	}
	return slices.ContainsFunc(source.FoldersIn(fsys, "."), func(dir string) bool { return len(manifestFiles(fsys, dir)) > 0 })
}

// BundleFolders returns the bundle folders of a catalog repository, of its folder operators/, or of one operator in that.
func BundleFolders(fsys fs.FS) []string {
	root := "."
	if source.IsDir(fsys, "operators") {
		root = "operators"
	}
	var found []string
	for _, dir := range source.FoldersIn(fsys, root) {
		if IsBundleFolder(fsys, dir) {
			found = append(found, dir)
		}
		if IsBundleFolder(fsys, dir) || source.IsDir(fsys, path.Join(dir, "manifests")) {
			continue
		}
		for _, version := range source.FoldersIn(fsys, dir) {
			if IsBundleFolder(fsys, version) {
				found = append(found, version)
			}
		}
	}
	return found
}

// otherVersions names the catalog of the bundles that support none of the OpenShift versions of their repository.
const otherVersions = "other-versions"

// OpenBundles reads bundle folders into catalogs: one of all bundles or, if Options name an OpenShift version, of those that support it;
// "all" makes one for each of versions, or of those that labelVersions returns, and one more of the bundles that support none of them, and
// so does EachVersion if there are versions. Those of a repository are returned for Read if Options defer that.
func OpenBundles(ctx context.Context, s *source.Source, form catalogs.Form, dirs, versions []string, o form.Options) ([]*catalogs.Catalog, error) {
	from := newRepository(s, dirs, o)
	asked := strings.TrimPrefix(o.OpenShift, "v")
	switch {
	case asked == "" && o.EachVersion, asked == "all" && len(versions) > 0:
		asked, from.versions = "", versions
	case asked == "all":
		asked, from.versions, from.named = "", labelVersions(ctx, s, dirs), true
	}
	all := from.catalogs(form, asked)
	if o.Deferred && form == catalogs.Repository {
		return all, nil
	}
	for _, c := range all {
		if err := c.Read(ctx); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(c *catalogs.Catalog) bool { return c.OtherVersions && len(c.Packages)+len(c.Problems) == 0 }), nil
}

// newRepository returns bundle folders that are not read yet.
func newRepository(s *source.Source, dirs []string, o form.Options) *DeferredFolders {
	s.AsIntended = o.AsIntended
	return &DeferredFolders{Unread: form.Unread{Source: s, Paths: dirs, Options: o}, folders: map[string]*bundleFolder{}, publishings: map[string]pipelineconfig.Publishing{},
		folderSums: map[string]string{}}
}

// catalogs returns the catalogs of a repository, which are not read yet. Without versions it is one, for the version asked or for all.
func (p *DeferredFolders) catalogs(form catalogs.Form, asked string) []*catalogs.Catalog {
	if len(p.versions) == 0 {
		p.First = &catalogs.Catalog{Source: p.Source, Form: form, OpenShift: asked, Deferred: p}
		return []*catalogs.Catalog{p.First}
	}
	var all []*catalogs.Catalog
	for _, version := range p.versions {
		all = append(all, &catalogs.Catalog{Source: p.Source, Form: form, Name: "v" + version, OpenShift: version, NamedVersion: p.named, Deferred: p})
	}
	p.First = all[0]
	return append(all, &catalogs.Catalog{Source: p.Source, Form: form, Name: otherVersions, OtherVersions: true, Deferred: p})
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

// publishing returns how the bundles in an operator's folder are published.
func (p *DeferredFolders) publishing(operator string) pipelineconfig.Publishing {
	found, known := p.publishings[operator]
	if !known {
		found = pipelineconfig.PublishingOf(p.Source, operator)
		p.publishings[operator] = found
	}
	return found
}

// ModeOf returns the updateGraph mode of the package in an operator's folder.
func (p *DeferredFolders) ModeOf(operator string) string { return p.publishing(operator).Mode }

// publishedMode returns the updateGraph mode of the base, in which the bundles that it has were published.
func (p *DeferredFolders) publishedMode(operator string) string {
	if p.Base != nil && source.IsDir(p.Base.Source.Fsys, operator) {
		if mode := p.Base.ModeOf(operator); mode != pipelineconfig.TemplateMode {
			return mode
		}
	}
	return p.ModeOf(operator)
}

var minorVersion = regexp.MustCompile(`\d+\.\d+`)

// labelVersions returns each OpenShift version, of each major version, from the lowest to the highest that an annotation of a bundle names.
func labelVersions(ctx context.Context, s *source.Source, dirs []string) []string {
	lowest, highest := map[int]int{}, map[int]int{} // by major version
	for _, b := range parallel.ReadFolders(ctx, dirs, nil, func(dir string) (*bundleFolder, int64) {
		b := &bundleFolder{ManifestFolder: NewManifestFolder(s, dir)}
		b.readMetadata()
		return b, 0
	}) {
		for _, text := range minorVersion.FindAllString(b.versions.Value, -1) {
			if n := catalogs.MinorNumber(text); 4 <= n/1000 && n/1000 <= 9 {
				highest[n/1000] = max(highest[n/1000], n)
				lowest[n/1000] = min(cmp.Or(lowest[n/1000], n), n)
			}
		}
	}
	var all []string
	for _, major := range slices.Sorted(maps.Keys(lowest)) {
		for n := lowest[major]; n <= highest[major]; n++ {
			all = append(all, fmt.Sprintf("%d.%d", n/1000, n%1000))
		}
	}
	return all
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

// summed returns the folders and files of which the sum of a package is made: of a catalog for an OpenShift version those of its bundles
// and the ci.yaml, of one for all versions and of package manifests the whole folder of the operator.
func (p *DeferredFolders) summed(c *catalogs.Catalog, b *catalogs.Bundle) []string {
	operator := p.Operator(b.Folder.Dir)
	if c.OpenShift == "" && !c.OtherVersions || slices.Contains(p.manifests, operator) {
		return []string{operator}
	}
	return []string{b.Folder.Dir, path.Join(operator, "ci.yaml")}
}

// AddDependencies adds the groups of the APIs that a package provides, and what it requires.
func AddDependencies(provided, required mention.Names, p *catalogs.Package) {
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

func addRequired(all mention.Names, r *catalogs.Requirement) {
	all[r.Package] = true
	if r.API != nil {
		all[r.API.Group] = true
	}
	for i := range r.Of {
		addRequired(all, &r.Of[i])
	}
}
