package manifests

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// packageManifest is a package manifest: a file with the channels of a package.
type packageManifest struct {
	Name, defaultChannel catalogs.Text
	Channels             []manifestChannel
	Pos                  catalogs.Pos
}

// manifestChannel is a channel of a package manifest and its head.
type manifestChannel struct{ name, currentCSV catalogs.Text }

// OpenManifests opens the package manifest of a folder, or those of the folders in it. Bundle folders beside them are read as those of a
// catalog repository.
func OpenManifests(s *source.Source, o form.Options) *DeferredFolders {
	packages, bundles := []string{"."}, []string(nil)
	if len(manifestFiles(s.Fsys, ".")) == 0 {
		packages = slices.DeleteFunc(source.FoldersIn(s.Fsys, "."), func(dir string) bool { return len(manifestFiles(s.Fsys, dir)) == 0 })
		bundles = slices.DeleteFunc(BundleFolders(s.Fsys), func(bundle string) bool {
			return slices.Contains(packages, bundle) || slices.Contains(packages, path.Dir(bundle))
		})
	}
	from := newRepository(s, slices.Concat(packages, bundles), o)
	from.manifests = packages
	from.setCatalogs(catalogs.PackageManifests, "")
	return from
}

// readManifestPackages reads the packages of folders with package manifests, until the context ends.
func readManifestPackages(ctx context.Context, c *catalogs.Catalog, dirs []string, o form.Options) {
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return
		}
		if p := readManifestPackage(ctx, c, c.Source, dir, manifestFiles(c.Source.Fsys, dir), o); p != nil && form.PackageFilter(o.Package).Matches(p.Name.Value) {
			c.Packages = append(c.Packages, p)
		}
	}
}

// manifestFiles returns the package manifests of a folder.
func manifestFiles(fsys fs.FS, dir string) []string {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil
	}
	var found []string
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); !e.IsDir() && isPackageManifest(fsys, name) {
			found = append(found, name)
		}
	}
	return found
}

var (
	saysSchema      = regexp.MustCompile(`(?m)^\s*"?schema"?\s*:`)
	saysPackageName = regexp.MustCompile(`(?m)^\s*"?packageName"?\s*:`)
)

// isPackageManifest reports whether a file is a package manifest by its name. A package.yaml may be of a file-based catalog as well,
// which has schemas.
func isPackageManifest(fsys fs.FS, name string) bool {
	base, yaml := trimYAMLExt(path.Base(name))
	if !yaml || base != "package" && !strings.HasSuffix(base, ".package") {
		return false
	}
	head, err := disk.Head(fsys, name, 64<<10)
	return err == nil && len(head) > 0 && !saysSchema.Match(head) && (base != "package" || saysPackageName.Match(head))
}

// foldersWithFiles returns those of a folder and the folders below it that have files besides package manifests, sorted. Hidden
// folders are ignored (operator-registry: pkg/sqlite DirectoryLoader).
func foldersWithFiles(fsys fs.FS, dir string) []string {
	var found []string
	entries, _ := fs.ReadDir(fsys, dir)
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := path.Join(dir, e.Name())
		return !e.IsDir() && isManifestName(e.Name()) && !isPackageManifest(fsys, name)
	}) {
		found = append(found, dir)
	}
	for _, below := range source.FoldersIn(fsys, dir) {
		found = append(found, foldersWithFiles(fsys, below)...)
	}
	return found
}

// readManifestPackage reads a package: its package manifest, and the CSVs in its folder and below.
func readManifestPackage(ctx context.Context, c *catalogs.Catalog, s *source.Source, dir string, files []string, o form.Options) *catalogs.Package {
	m := readPackageManifest(c, s, files[0], o)
	for _, more := range files[1:] {
		c.AddProblem(catalogs.ManifestSeveral, catalogs.Pos{File: s.Display(more)}, m.Name.Value, "", "the folder has another package manifest: %s", s.Display(files[0]))
	}
	p := m.newPackage()
	checkPackageManifest(c, &m)
	b := &packageBuilder{Catalog: c, Pkg: p, ByName: map[string]*csvObject{}}
	all := readManifestFolders(ctx, s, foldersWithFiles(s.Fsys, dir), o)
	for _, found := range all {
		found.Attribute(m.Name.Value, found.firstCSV())
		form.AddRead(c, &found.FileReader)
		if len(found.Csvs) == 0 && (path.Dir(found.Dir) != path.Clean(dir) || slices.ContainsFunc(all, found.contains)) {
			continue
		}
		for _, one := range found.splitByCSV() {
			b.add(one)
		}
	}
	for i := range m.Channels {
		p.Channels = append(p.Channels, b.channelNamed(&m.Channels[i]))
	}
	b.checkOrphans()
	return p
}

// newPackage returns the package without its channels and bundles.
func (m *packageManifest) newPackage() *catalogs.Package {
	p := &catalogs.Package{Name: m.Name, DefaultChannel: m.defaultChannel, Pos: m.Pos}
	if len(m.Channels) == 1 && m.defaultChannel.Value == "" {
		p.DefaultChannel = m.Channels[0].name
	}
	return p
}

// newPackageManifest takes what an object says.
func newPackageManifest(d *form.Decoder, root *tree.Node) packageManifest {
	m := packageManifest{Pos: d.Pos(root.Place), Name: d.Text(root, "packageName"), defaultChannel: d.Text(root, "defaultChannel")}
	channels := form.Items(root, "channels")
	for i := range channels {
		ch := manifestChannel{name: d.Text(&channels[i], "name"), currentCSV: d.Text(&channels[i], "currentCSV")}
		if !ch.name.Pos.IsKnown() {
			ch.name.Pos = d.Pos(channels[i].Place)
		}
		m.Channels = append(m.Channels, ch)
	}
	return m
}

// readPackageManifest reads the first document of a file.
func readPackageManifest(c *catalogs.Catalog, s *source.Source, name string, o form.Options) packageManifest {
	m := packageManifest{Pos: catalogs.Pos{File: s.Display(name), Line: 1, Col: 1}}
	r := form.FileReader{In: s}
	for d, root := range r.Documents(name) {
		m = newPackageManifest(d, root)
		break
	}
	r.Attribute(m.Name.Value, "")
	form.AddRead(c, &r)
	if o.Progress != nil {
		o.Progress(r.Bytes)
	}
	return m
}

// checkPackageManifest reports what operator-registry rejects in a package manifest (api: validation package_manifest.go).
func checkPackageManifest(c *catalogs.Catalog, m *packageManifest) {
	fault := func(kind catalogs.ProblemKind, pos catalogs.Pos, format string, args ...any) *catalogs.Problem {
		return c.AddProblem(kind, pos, m.Name.Value, "", format, args...)
	}
	if m.Name.Value == "" {
		fault(catalogs.ManifestPackage, m.Pos, "the package manifest has no packageName")
	}
	if len(m.Channels) == 0 {
		fault(catalogs.ManifestNoChannel, m.Pos, "the package has no channel: it cannot be subscribed to")
	}
	if len(m.Channels) > 1 && m.defaultChannel.Value == "" {
		fault(catalogs.ManifestPackage, m.Pos, "there are %d channels, but no defaultChannel", len(m.Channels)).Cause = []string{"defaultChannel"}
	}
	seen := map[string]bool{}
	for _, ch := range m.Channels {
		switch {
		case ch.name.Value == "":
			fault(catalogs.ManifestPackage, ch.name.Pos, "a channel has no name").Cause = []string{"channels", ""}
		case seen[ch.name.Value]:
			fault(catalogs.ManifestPackage, ch.name.Pos, "channel %q is defined twice", ch.name.Value).Cause = []string{"channels", ch.name.Value}
		}
		if ch.currentCSV.Value == "" {
			fault(catalogs.ManifestPackage, ch.name.Pos, "channel %q has no currentCSV", ch.name.Value).Cause = []string{"currentCSV", ch.name.Value}
		}
		seen[ch.name.Value] = true
	}
	if d := m.defaultChannel; d.Value != "" && !seen[d.Value] {
		fault(catalogs.ManifestPackage, d.Pos, "defaultChannel %q is not one of the channels", d.Value).Cause = []string{"defaultChannel", d.Value}
	}
}

// packageBuilder builds a package of CSVs.
type packageBuilder struct {
	Catalog   *catalogs.Catalog
	Pkg       *catalogs.Package
	ByName    map[string]*csvObject
	InChannel map[string]bool // names of the CSVs that are in a channel
}

// add adds the bundle of a folder, and reports what operator-registry rejects in it (registry: pkg/sqlite DirectoryLoader,
// pkg/registry Bundle).
func (v *packageBuilder) add(o *manifestFolder) {
	if v.InChannel == nil {
		v.InChannel = map[string]bool{}
	}
	pkg := v.Pkg.Name.Value
	dir := catalogs.Pos{File: v.Catalog.Source.Display(o.Dir)}
	switch n := len(o.Csvs); {
	case n == 0 && o.Lost.Has("ClusterServiceVersion"): // the parse problem is reported
		return
	case n == 0 && len(o.Subfolders) > 0:
		v.Catalog.AddProblem(catalogs.ManifestCSVs, dir, pkg, "", "the bundle has no ClusterServiceVersion outside the folder %q in manifests/, which opm does not read: it rejects the bundle", o.Subfolders[0])
		return
	case n == 0 && o.inBundle:
		v.Catalog.AddProblem(catalogs.ManifestCSVs, dir, pkg, "", "the bundle has no ClusterServiceVersion: opm rejects it")
		return
	case n == 0:
		v.Catalog.AddProblem(catalogs.ManifestNoVersion, dir, pkg, "", "the folder has no ClusterServiceVersion: nothing in it gets into the catalog")
		return
	case n > 1:
		v.Catalog.AddProblem(catalogs.ManifestSecondCSV, o.Csvs[1].Name.Pos, pkg, o.Csvs[1].Name.Value,
			"the bundle has %d ClusterServiceVersions: opm takes the first, %q, and OLM installs the last, %q", n, o.Csvs[0].Name.Value, o.Csvs[n-1].Name.Value)
	}
	c := &o.Csvs[0]
	for _, owned := range c.Owned {
		if !o.hasCRD(owned) && !o.Lost.Has(owned.Name) {
			pos, fix := o.misfit(owned)
			p := v.Catalog.AddProblem(catalogs.ManifestOwnedCRD, pos, pkg, c.Name.Value, "%q owns the CRD %s, version %s, kind %s, but its folder does not have that",
				c.Name.Value, owned.Name, owned.Version, owned.Kind)
			p.Cause, p.Fix = []string{owned.Name, owned.Version, owned.Kind}, fix
		}
	}
	if _, again := v.ByName[c.Name.Value]; !again {
		v.ByName[c.Name.Value] = c
	}
	v.Pkg.Bundles = append(v.Pkg.Bundles, o.Bundle(catalogs.Text{Value: pkg, Pos: v.Pkg.Name.Pos}))
}

// hasCRD reports whether the folder has an owned CRD, with its version and kind.
func (o *manifestFolder) hasCRD(owned ownedCRD) bool {
	return slices.ContainsFunc(o.Crds, func(c crdObject) bool {
		return c.Name == owned.Name && (owned.Kind == "" || c.Kind == owned.Kind) && (owned.Version == "" || slices.Contains(c.Versions, owned.Version))
	})
}

// misfit returns where an owned CRD differs from the one that is probably meant, and what to write; "" if there is none.
func (o *manifestFolder) misfit(owned ownedCRD) (at catalogs.Pos, fix string) {
	var names []string
	for _, c := range o.Crds {
		names = append(names, c.Name)
		switch {
		case c.Name != owned.Name:
		case c.Kind != owned.Kind:
			return catalogs.KnownPos(owned.kindPos, owned.Pos), "write " + c.Kind + ", the kind of the CRD"
		default:
			return catalogs.KnownPos(owned.versionPos, owned.Pos), "write a version that the CRD has: " + strings.Join(c.Versions, ", ")
		}
	}
	if near, ok := words.Nearest(owned.Name, names); ok {
		return catalogs.KnownPos(owned.namePos, owned.Pos), "write " + near
	}
	return owned.Pos, ""
}

// channelNamed returns a channel: the current CSV, what it replaces and so on, and what these skip, as in an index.
func (v *packageBuilder) channelNamed(m *manifestChannel) *catalogs.Channel {
	ch := &catalogs.Channel{Name: m.name, Package: v.Pkg.Name, Pos: m.name.Pos}
	if c := v.ByName[m.currentCSV.Value]; c == nil && m.currentCSV.Value != "" {
		v.Catalog.AddProblem(catalogs.ManifestReplaced, m.currentCSV.Pos, v.Pkg.Name.Value, "", "channel %q begins with %q, which is not a CSV of the package",
			m.name.Value, m.currentCSV.Value).Cause = []string{m.name.Value, m.currentCSV.Value}
	}
	on := map[string]bool{}
	for name := m.currentCSV; ; {
		c := v.ByName[name.Value]
		if c == nil || on[name.Value] {
			break
		}
		on[name.Value] = true
		ch.Entries = append(ch.Entries, c.entry())
		if name = c.replaces; name.Value != "" && v.ByName[name.Value] == nil {
			v.Catalog.AddProblem(catalogs.ManifestReplaced, name.Pos, v.Pkg.Name.Value, c.Name.Value, "%q replaces %q, which is not a CSV of the package",
				c.Name.Value, name.Value).Cause = []string{name.Value}
		}
	}
	for i := 0; i < len(ch.Entries); i++ {
		for _, skip := range ch.Entries[i].Skips {
			if c := v.ByName[skip.Value]; c != nil && !on[skip.Value] {
				on[skip.Value] = true
				ch.Entries = append(ch.Entries, catalogs.Entry{Name: c.Name, Pos: c.Name.Pos})
			}
		}
	}
	for name := range on {
		v.InChannel[name] = true
	}
	return ch
}

// checkOrphans reports the CSVs that are in no channel, neither of the package manifest nor of their own.
func (v *packageBuilder) checkOrphans() {
	for _, b := range v.Pkg.Bundles {
		if !v.InChannel[b.Name.Value] && !v.hasOwnChannel(b.Folder) {
			v.Catalog.AddProblem(catalogs.ManifestOrphan, b.Name.Pos, v.Pkg.Name.Value, b.Name.Value,
				"%q is in no channel of the package: it cannot be installed", b.Name.Value)
		}
	}
}

// hasOwnChannel reports whether the annotations beside the manifests of a bundle name a channel that the package manifest does not have: it is published
// by them.
func (v *packageBuilder) hasOwnChannel(manifests *catalogs.Folder) bool {
	if manifests == nil || path.Base(manifests.Dir) != "manifests" {
		return false
	}
	b := newBundleFolder(v.Catalog.Source, path.Dir(manifests.Dir))
	b.readMetadata()
	return slices.ContainsFunc(strings.Split(b.channels.Value, ","), func(name string) bool {
		name = strings.TrimSpace(name)
		return name != "" && v.Pkg.Channel(name) == nil
	})
}
