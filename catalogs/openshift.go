package catalogs

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// otherVersions names the catalog of the bundles that support none of the OpenShift versions of their repository.
const otherVersions = "other-versions"

// openBundles reads bundle folders into catalogs: one of all bundles or, if Options name an OpenShift version, of those that support it;
// "all" makes one for each of versions, or of those that labelVersions returns, and one more of the bundles that support none of them, and
// so does EachVersion if there are versions. Those of a repository are returned for Read if Options defer that.
func openBundles(ctx context.Context, s *source, form Form, dirs, versions []string, o Options) ([]*Catalog, error) {
	from := newRepository(s, dirs, o)
	asked := strings.TrimPrefix(o.OpenShift, "v")
	switch {
	case asked == "" && o.EachVersion, asked == "all" && len(versions) > 0:
		asked, from.versions = "", versions
	case asked == "all":
		asked, from.versions = "", labelVersions(ctx, s, dirs)
	}
	all := from.catalogs(form, asked)
	if o.Deferred && form == Repository {
		return all, nil
	}
	for _, c := range all {
		if err := c.Read(ctx); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(c *Catalog) bool { return c.otherVersions && len(c.Packages)+len(c.Problems) == 0 }), nil
}

// newRepository returns bundle folders that are not read yet.
func newRepository(s *source, dirs []string, o Options) *deferredFolders {
	s.asIntended = o.AsIntended
	return &deferredFolders{unread: unread{source: s, paths: dirs, options: o}, folders: map[string]*bundleFolder{}, publishings: map[string]publishing{},
		folderSums: map[string]string{}}
}

// catalogs returns the catalogs of a repository, which are not read yet. Without versions it is one, for the version asked or for all.
func (p *deferredFolders) catalogs(form Form, asked string) []*Catalog {
	if len(p.versions) == 0 {
		p.first = &Catalog{source: p.source, Form: form, OpenShift: asked, deferred: p}
		return []*Catalog{p.first}
	}
	var all []*Catalog
	for _, version := range p.versions {
		all = append(all, &Catalog{source: p.source, Form: form, Name: "v" + version, OpenShift: version, deferred: p})
	}
	p.first = all[0]
	return append(all, &Catalog{source: p.source, Form: form, Name: otherVersions, otherVersions: true, deferred: p})
}

// belongs reports whether a bundle is in a catalog of the repository.
func (p *deferredFolders) belongs(b *bundleFolder, c *Catalog) bool {
	if c.otherVersions {
		return !slices.ContainsFunc(p.versions, func(version string) bool { return p.supports(b, version) })
	}
	return c.OpenShift == "" || p.supports(b, c.OpenShift)
}

// supports reports whether a bundle is published for an OpenShift version: its annotation says so, and so does the catalog_mapping of its
// operator's ci.yaml, where templates select the bundles.
func (p *deferredFolders) supports(b *bundleFolder, version string) bool {
	mapped := p.publishing(path.Dir(b.dir)).versions
	return supportsOpenShift(b.versions.Value, version) && (mapped == nil || slices.Contains(mapped, version))
}

// countsIn reports whether the files of a bundle count in a catalog of the repository: each is read once, and counts in the first one.
func (p *deferredFolders) countsIn(b *bundleFolder, c *Catalog) bool {
	i := slices.IndexFunc(p.versions, func(version string) bool { return p.supports(b, version) })
	return i < 0 || p.versions[i] == c.OpenShift
}

// readFolders returns bundle folders of the repository. Each is read once. If the context ends, some are left out.
func (p *deferredFolders) readFolders(ctx context.Context, dirs []string) []*bundleFolder {
	var unread []string
	for _, dir := range dirs {
		if p.folders[dir] == nil {
			unread = append(unread, dir)
		}
	}
	for _, b := range readFolders(ctx, unread, p.options.Progress, func(dir string) (*bundleFolder, int64) {
		found := readBundle(p.source, dir)
		return found, found.bytes
	}) {
		b.Alone = !slices.ContainsFunc(p.paths, func(dir string) bool { return dir != b.dir && path.Dir(dir) == path.Dir(b.dir) })
		p.folders[b.dir] = b
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
func (p *deferredFolders) publishing(operator string) publishing {
	found, known := p.publishings[operator]
	if !known {
		found = publishingOf(p.source, operator)
		p.publishings[operator] = found
	}
	return found
}

// modeOf returns the updateGraph mode of the package in an operator's folder.
func (p *deferredFolders) modeOf(operator string) string { return p.publishing(operator).mode }

// publishedMode returns the updateGraph mode of the base, in which the bundles that it has were published.
func (p *deferredFolders) publishedMode(operator string) string {
	if p.base != nil && isDir(p.base.source.fsys, operator) {
		if mode := p.base.modeOf(operator); mode != templateMode {
			return mode
		}
	}
	return p.modeOf(operator)
}

// repositoryVersions returns the OpenShift versions that a repository publishes for: those of its catalogs/.
func (l *layout) repositoryVersions() []string {
	var all []string
	for _, name := range l.versions {
		if version := openShiftVersion(name); version != "" && !slices.Contains(all, version) {
			all = append(all, version)
		}
	}
	return all
}

// repository returns the root of the catalog repository that a source is of: the source, or a folder above if the source is operators/ or
// catalogs/, or a folder in one of these. at is the path of the source in it. It returns nil if there is none.
func (s *source) repository(o Options) (root *source, at string) {
	switch {
	case isDir(s.fsys, "operators"):
		return s, "."
	case s.onDisk:
		abs, err := filepath.Abs(filepath.FromSlash(s.prefix))
		if at = inRepository(filepath.ToSlash(abs)); err != nil || at == "" {
			return nil, ""
		}
		root = onDisk(path.Join(s.prefix, strings.Repeat("../", 1+strings.Count(at, "/"))), o.Overlay)
	case s.within != nil:
		if at = inRepository(s.at); at == "" {
			return nil, ""
		}
		dir := path.Clean(strings.TrimSuffix(s.at, at))
		sub, err := fs.Sub(s.within, dir)
		if err != nil {
			return nil, ""
		}
		root = &source{fsys: sub, prefix: strings.TrimSuffix(s.prefix, at), noSlash: dir == ".", within: s.within, at: dir, readError: s.readError}
	}
	if root == nil || !isDir(root.fsys, "operators") {
		return nil, ""
	}
	return root, at
}

// inRepository returns the path of a folder in its repository, if it is operators/ or catalogs/, or in one of these; "" otherwise.
func inRepository(dir string) string {
	for _, at := range []string{path.Base(dir), path.Join(path.Base(path.Dir(dir)), path.Base(dir))} {
		if first, _, _ := strings.Cut(at, "/"); first == "operators" || first == "catalogs" {
			return at
		}
	}
	return ""
}

var minorVersion = regexp.MustCompile(`\d+\.\d+`)

// labelVersions returns each OpenShift version, of each major version, from the lowest to the highest that an annotation of a bundle names.
func labelVersions(ctx context.Context, s *source, dirs []string) []string {
	lowest, highest := map[int]int{}, map[int]int{} // by major version
	for _, b := range readFolders(ctx, dirs, nil, func(dir string) (*bundleFolder, int64) {
		b := &bundleFolder{manifestFolder: newManifestFolder(s, dir)}
		b.readMetadata()
		return b, 0
	}) {
		for _, text := range minorVersion.FindAllString(b.versions.Value, -1) {
			if n := minorNumber(text); 4 <= n/1000 && n/1000 <= 9 {
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
func (p *deferredFolders) folderSum(ctx context.Context, dir string) string {
	sum, known := p.folderSums[dir]
	if !known {
		var text strings.Builder
		files, _ := p.source.files(dir)
		for _, file := range files {
			id, _ := p.source.blobID(ctx, file)
			fmt.Fprintf(&text, "%x %s\n", file, id)
		}
		sum = text.String()
		p.folderSums[dir] = sum
	}
	return sum
}

// summed returns the folders and files of which the sum of a package is made: of a catalog for an OpenShift version those of its bundles
// and the ci.yaml, of one for all versions and of package manifests the whole folder of the operator.
func (p *deferredFolders) summed(c *Catalog, b *Bundle) []string {
	operator := p.operator(b.Folder.dir)
	if c.OpenShift == "" && !c.otherVersions || slices.Contains(p.manifests, operator) {
		return []string{operator}
	}
	return []string{b.Folder.dir, path.Join(operator, "ci.yaml")}
}
