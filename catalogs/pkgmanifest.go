package catalogs

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// packageManifest is a package manifest: a file with the channels of a package.
type packageManifest struct {
	name, defaultChannel Text
	channels             []manifestChannel
	pos                  Pos
}

// manifestChannel is a channel of a package manifest and its head.
type manifestChannel struct{ name, currentCSV Text }

// openManifests reads the package manifest of a folder, or those of the folders in it. Bundle folders beside them are read as those of a
// catalog repository. The catalog is returned for Read if Options defer that.
func openManifests(ctx context.Context, s *source, o Options) (*Catalog, error) {
	packages, bundles := []string{"."}, []string(nil)
	if len(manifestFiles(s.fsys, ".")) == 0 {
		packages = slices.DeleteFunc(foldersIn(s.fsys, "."), func(dir string) bool { return len(manifestFiles(s.fsys, dir)) == 0 })
		bundles = slices.DeleteFunc(bundleFolders(s.fsys), func(bundle string) bool {
			return slices.Contains(packages, bundle) || slices.Contains(packages, path.Dir(bundle))
		})
	}
	from := newRepository(s, slices.Concat(packages, bundles), o)
	from.manifests = packages
	from.first = &Catalog{source: s, Form: PackageManifests, deferred: from}
	if o.Deferred {
		return from.first, ctx.Err()
	}
	c := from.first
	return c, c.Read(ctx)
}

// readManifestPackages reads the packages of folders with package manifests, until the context ends.
func (c *Catalog) readManifestPackages(ctx context.Context, dirs []string, o Options) {
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return
		}
		if p := c.readManifestPackage(ctx, c.source, dir, manifestFiles(c.source.fsys, dir), o); p != nil && packageFilter(o.Package).wants(p.Name.Value) {
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
	if info, err := fs.Stat(fsys, name); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false // reading a named pipe, or a file of /proc, may never end
	}
	f, err := fsys.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 64<<10))
	return err == nil && !saysSchema.Match(head) && (base != "package" || saysPackageName.Match(head))
}

// foldersIn returns the folders in a folder, sorted.
func foldersIn(fsys fs.FS, dir string) []string {
	entries, _ := fs.ReadDir(fsys, dir)
	var found []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			found = append(found, path.Join(dir, e.Name()))
		}
	}
	return found
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
	for _, below := range foldersIn(fsys, dir) {
		found = append(found, foldersWithFiles(fsys, below)...)
	}
	return found
}

// readManifestPackage reads a package: its package manifest, and the CSVs in its folder and below.
func (c *Catalog) readManifestPackage(ctx context.Context, s *source, dir string, files []string, o Options) *Package {
	m := c.readPackageManifest(s, files[0], o)
	for _, more := range files[1:] {
		c.addProblem(ManifestSeveral, Pos{File: s.display(more)}, m.name.Value, "", "the folder has another package manifest: %s", s.display(files[0]))
	}
	p := m.newPackage()
	c.checkPackageManifest(&m)
	b := &packageBuilder{catalog: c, pkg: p, byName: map[string]*csv{}}
	all := readManifestFolders(ctx, s, foldersWithFiles(s.fsys, dir), o)
	for _, found := range all {
		found.attribute(m.name.Value, found.firstCSV())
		c.addRead(&found.fileReader)
		if len(found.csvs) == 0 && (path.Dir(found.dir) != path.Clean(dir) || slices.ContainsFunc(all, found.contains)) {
			continue
		}
		for _, one := range found.splitByCSV() {
			b.add(one)
		}
	}
	for i := range m.channels {
		p.Channels = append(p.Channels, b.channel(&m.channels[i]))
	}
	b.checkOrphans()
	return p
}

// newPackage returns the package without its channels and bundles.
func (m *packageManifest) newPackage() *Package {
	p := &Package{Name: m.name, DefaultChannel: m.defaultChannel, Pos: m.pos}
	if len(m.channels) == 1 && m.defaultChannel.Value == "" {
		p.DefaultChannel = m.channels[0].name
	}
	return p
}

// packageManifest takes what an object says.
func (d *decoder) packageManifest(root *tree.Node) packageManifest {
	m := packageManifest{pos: d.pos(root.Place), name: d.textAt(root, "packageName"), defaultChannel: d.textAt(root, "defaultChannel")}
	channels := items(root, "channels")
	for i := range channels {
		ch := manifestChannel{name: d.textAt(&channels[i], "name"), currentCSV: d.textAt(&channels[i], "currentCSV")}
		if !ch.name.Pos.Known() {
			ch.name.Pos = d.pos(channels[i].Place)
		}
		m.channels = append(m.channels, ch)
	}
	return m
}

// readPackageManifest reads the first document of a file.
func (c *Catalog) readPackageManifest(s *source, name string, o Options) packageManifest {
	m := packageManifest{pos: Pos{File: s.display(name), Line: 1, Col: 1}}
	r := fileReader{in: s}
	for d, root := range r.documents(name) {
		m = d.packageManifest(root)
		break
	}
	r.attribute(m.name.Value, "")
	c.addRead(&r)
	if o.Progress != nil {
		o.Progress(r.bytes)
	}
	return m
}

// checkPackageManifest reports what operator-registry rejects in a package manifest (api: validation package_manifest.go).
func (c *Catalog) checkPackageManifest(m *packageManifest) {
	fault := func(kind ProblemKind, pos Pos, format string, args ...any) *Problem {
		return c.addProblem(kind, pos, m.name.Value, "", format, args...)
	}
	if m.name.Value == "" {
		fault(ManifestPackage, m.pos, "the package manifest has no packageName")
	}
	if len(m.channels) == 0 {
		fault(ManifestNoChannel, m.pos, "the package has no channel: it cannot be subscribed to")
	}
	if len(m.channels) > 1 && m.defaultChannel.Value == "" {
		fault(ManifestPackage, m.pos, "there are %d channels, but no defaultChannel", len(m.channels)).Cause = []string{"defaultChannel"}
	}
	seen := map[string]bool{}
	for _, ch := range m.channels {
		switch {
		case ch.name.Value == "":
			fault(ManifestPackage, ch.name.Pos, "a channel has no name").Cause = []string{"channels", ""}
		case seen[ch.name.Value]:
			fault(ManifestPackage, ch.name.Pos, "channel %q is defined twice", ch.name.Value).Cause = []string{"channels", ch.name.Value}
		}
		if ch.currentCSV.Value == "" {
			fault(ManifestPackage, ch.name.Pos, "channel %q has no currentCSV", ch.name.Value).Cause = []string{"currentCSV", ch.name.Value}
		}
		seen[ch.name.Value] = true
	}
	if d := m.defaultChannel; d.Value != "" && !seen[d.Value] {
		fault(ManifestPackage, d.Pos, "defaultChannel %q is none of the channels", d.Value).Cause = []string{"defaultChannel", d.Value}
	}
}

func (c *Catalog) addProblem(kind ProblemKind, pos Pos, pkg, bundle, format string, args ...any) *Problem {
	c.Problems = append(c.Problems, Problem{Kind: kind, Pos: pos, Package: pkg, Bundle: bundle, Message: fmt.Sprintf(format, args...)})
	return &c.Problems[len(c.Problems)-1]
}

// addRead adds what a reading has counted.
func (c *Catalog) addRead(r *fileReader) {
	c.Problems = append(c.Problems, r.problems...)
	c.count(r)
}

// count adds what was read to Stats.
func (c *Catalog) count(r *fileReader) {
	c.Stats.Files += r.files
	c.Stats.Bytes += r.bytes
}

// packageBuilder builds a package of CSVs.
type packageBuilder struct {
	catalog   *Catalog
	pkg       *Package
	byName    map[string]*csv
	inChannel map[string]bool // names of the CSVs that are in a channel
}

// add adds the bundle of a folder, and reports what operator-registry rejects in it (registry: pkg/sqlite DirectoryLoader,
// pkg/registry Bundle).
func (v *packageBuilder) add(o *manifestFolder) {
	if v.inChannel == nil {
		v.inChannel = map[string]bool{}
	}
	pkg := v.pkg.Name.Value
	dir := Pos{File: v.catalog.source.display(o.dir)}
	switch n := len(o.csvs); {
	case n == 0 && o.unread.Has("ClusterServiceVersion"): // the parse problem is reported
		return
	case n == 0 && o.inBundle:
		v.catalog.addProblem(ManifestCSVs, dir, pkg, "", "the bundle has no ClusterServiceVersion: opm rejects it")
		return
	case n == 0:
		v.catalog.addProblem(ManifestNoVersion, dir, pkg, "", "the folder has no ClusterServiceVersion: nothing in it gets into the catalog")
		return
	case n > 1:
		v.catalog.addProblem(ManifestSecondCSV, o.csvs[1].name.Pos, pkg, o.csvs[1].name.Value,
			"the bundle has %d ClusterServiceVersions: opm takes the first, %q, and OLM installs the last, %q", n, o.csvs[0].name.Value, o.csvs[n-1].name.Value)
	}
	c := &o.csvs[0]
	for _, owned := range c.owned {
		if !o.hasCRD(owned) && !o.unread.Has(owned.name) {
			pos, fix := o.misfit(owned)
			p := v.catalog.addProblem(ManifestOwnedCRD, pos, pkg, c.name.Value, "%q owns the CRD %s, version %s, kind %s, but its folder does not have that",
				c.name.Value, owned.name, owned.version, owned.kind)
			p.Cause, p.Fix = []string{owned.name, owned.version, owned.kind}, fix
		}
	}
	if _, again := v.byName[c.name.Value]; !again {
		v.byName[c.name.Value] = c
	}
	v.pkg.Bundles = append(v.pkg.Bundles, o.bundle(Text{Value: pkg, Pos: v.pkg.Name.Pos}))
}

// hasCRD reports whether the folder has an owned CRD, with its version and kind.
func (o *manifestFolder) hasCRD(owned ownedCRD) bool {
	return slices.ContainsFunc(o.crds, func(c crd) bool {
		return c.name == owned.name && (owned.kind == "" || c.kind == owned.kind) && (owned.version == "" || slices.Contains(c.versions, owned.version))
	})
}

// misfit returns where an owned CRD differs from the one that is probably meant, and what to write; "" if there is none.
func (o *manifestFolder) misfit(owned ownedCRD) (at Pos, fix string) {
	var names []string
	for _, c := range o.crds {
		names = append(names, c.name)
		switch {
		case c.name != owned.name:
		case c.kind != owned.kind:
			return knownPos(owned.kindPos, owned.pos), "write " + c.kind + ", the kind of the CRD"
		default:
			return knownPos(owned.versionPos, owned.pos), "write a version that the CRD has: " + strings.Join(c.versions, ", ")
		}
	}
	if near, ok := spelling.Nearest(owned.name, names); ok {
		return knownPos(owned.namePos, owned.pos), "write " + near
	}
	return owned.pos, ""
}

// channel returns a channel: the current CSV, what it replaces and so on, and what these skip, as in an index.
func (v *packageBuilder) channel(m *manifestChannel) *Channel {
	ch := &Channel{Name: m.name, Package: v.pkg.Name, Pos: m.name.Pos}
	if c := v.byName[m.currentCSV.Value]; c == nil && m.currentCSV.Value != "" {
		v.catalog.addProblem(ManifestReplaced, m.currentCSV.Pos, v.pkg.Name.Value, "", "channel %q begins with %q, which is no CSV of the package",
			m.name.Value, m.currentCSV.Value).Cause = []string{m.name.Value, m.currentCSV.Value}
	}
	on := map[string]bool{}
	for name := m.currentCSV; ; {
		c := v.byName[name.Value]
		if c == nil || on[name.Value] {
			break
		}
		on[name.Value] = true
		ch.Entries = append(ch.Entries, c.entry())
		if name = c.replaces; name.Value != "" && v.byName[name.Value] == nil {
			v.catalog.addProblem(ManifestReplaced, name.Pos, v.pkg.Name.Value, c.name.Value, "%q replaces %q, which is no CSV of the package",
				c.name.Value, name.Value).Cause = []string{name.Value}
		}
	}
	for i := 0; i < len(ch.Entries); i++ {
		for _, skip := range ch.Entries[i].Skips {
			if c := v.byName[skip.Value]; c != nil && !on[skip.Value] {
				on[skip.Value] = true
				ch.Entries = append(ch.Entries, Entry{Name: c.name, Pos: c.name.Pos})
			}
		}
	}
	for name := range on {
		v.inChannel[name] = true
	}
	return ch
}

// entry returns the entry of a CSV in a channel, with all its edges.
func (c *csv) entry() Entry {
	return Entry{Name: c.name, Replaces: c.replaces, Skips: c.skips, SkipRange: c.skipRange, Pos: c.name.Pos}
}

// checkOrphans reports the CSVs that are in no channel.
func (v *packageBuilder) checkOrphans() {
	for _, b := range v.pkg.Bundles {
		if !v.inChannel[b.Name.Value] {
			v.catalog.addProblem(ManifestOrphan, b.Name.Pos, v.pkg.Name.Value, b.Name.Value,
				"%q is in no channel of the package: it cannot be installed", b.Name.Value)
		}
	}
}

// finish completes a catalog that was read from several files, of which only the wanted packages are kept.
func (c *Catalog) finish(o packageFilter) {
	c.Problems = slices.DeleteFunc(c.Problems, func(p Problem) bool { return p.Package != "" && !o.wants(p.Package) })
	c.filtered = o != ""
	c.index()
	c.Stats.Objects = c.Stats.Bundles
}
