package catalogs

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// The annotations of a bundle (registry+v1).
const (
	annotationPrefix   = "operators.operatorframework.io.bundle."
	annotationPackage  = annotationPrefix + "package.v1"
	annotationChannels = annotationPrefix + "channels.v1"
	annotationDefault  = annotationPrefix + "channel.default.v1"
	annotationVersions = "com.redhat.openshift.versions"
)

// bundleFolder is a bundle folder: its manifests and the annotations in its metadata.
type bundleFolder struct {
	*manifestFolder
	pkg, channels, defaultChannel, versions Text
	annotationsPos                          Pos
}

// isBundleFolder reports whether a folder is that of one bundle.
func isBundleFolder(fsys fs.FS, dir string) bool {
	return isDir(fsys, path.Join(dir, "manifests")) && isDir(fsys, path.Join(dir, "metadata"))
}

func isDir(fsys fs.FS, dir string) bool {
	info, err := fs.Stat(fsys, dir)
	return err == nil && info.IsDir()
}

func isFile(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.Mode().IsRegular()
}

// readManifestFolders reads folders of manifests concurrently. If the context ends, some are left out.
func readManifestFolders(ctx context.Context, s *source, dirs []string, o Options) []*manifestFolder {
	return readFolders(ctx, dirs, o.Progress, func(dir string) (*manifestFolder, int64) {
		found := newManifestFolder(s, dir)
		found.readManifests(dir)
		return found, found.bytes
	})
}

// readFolders calls read for folders concurrently, until the context ends, and progress, one call at a time, with the number of bytes
// that each call returns.
func readFolders[T any](ctx context.Context, dirs []string, progress func(bytes int64), read func(dir string) (*T, int64)) []*T {
	found := make([]*T, len(dirs))
	var wg sync.WaitGroup
	var reporting sync.Mutex
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					continue
				}
				var bytes int64
				if found[i], bytes = read(dirs[i]); progress != nil {
					reporting.Lock()
					progress(bytes)
					reporting.Unlock()
				}
			}
		})
	}
	for i := range dirs {
		next <- i
	}
	close(next)
	wg.Wait()
	return slices.DeleteFunc(found, func(t *T) bool { return t == nil })
}

// readBundle reads the manifests and the metadata of a bundle folder.
func readBundle(s *source, dir string) *bundleFolder {
	b := &bundleFolder{manifestFolder: newManifestFolder(s, dir)}
	b.inBundle = true
	b.folder.Subfolders = b.readManifests(path.Join(dir, "manifests"))
	metadata := path.Join(dir, "metadata")
	b.annotationsPos = Pos{File: s.display(path.Join(metadata, "annotations.yaml"))}
	entries, _ := fs.ReadDir(s.fsys, metadata)
	for _, e := range entries {
		switch name, yaml := trimYAMLExt(e.Name()); {
		case e.IsDir() || !yaml:
		case name == "annotations", name == "dependencies", name == "properties":
			for d, root := range b.documents(path.Join(metadata, e.Name())) {
				b.metadata(d, root)
			}
		}
	}
	return b
}

// trimYAMLExt returns the name of a YAML file without its extension, and whether it has one.
func trimYAMLExt(name string) (string, bool) {
	if name, ok := strings.CutSuffix(name, ".yaml"); ok {
		return name, true
	}
	return strings.CutSuffix(name, ".yml")
}

// metadata adds one document of the metadata: annotations, dependencies or properties.
func (b *bundleFolder) metadata(d *decoder, root *tree.Node) {
	b.folder.addMetadata(d, root)
	if at(root, "annotations") != nil {
		b.annotationsPos = d.pos(root.Place)
		b.pkg, b.channels = d.textAt(root, "annotations", annotationPackage), d.textAt(root, "annotations", annotationChannels)
		b.defaultChannel, b.versions = d.textAt(root, "annotations", annotationDefault), d.textAt(root, "annotations", annotationVersions)
	}
	if len(b.csvs) == 0 {
		return
	}
	c := &b.csvs[0]
	for _, n := range items(root, "dependencies") {
		c.metadataProperties = append(c.metadataProperties, d.metadataDependency(&n))
	}
	for _, n := range items(root, "properties") {
		if p := d.metadataProperty(&n); p.Type != TypePackage { // opm takes the package and version of the annotations and the CSV
			c.metadataProperties = append(c.metadataProperties, p)
		}
	}
}

// openBundles reads bundle folders into catalogs: one of all bundles or, if Options name an OpenShift version, of those that support
// it; "all" makes one for each version that openShiftVersions returns.
func openBundles(ctx context.Context, s *source, form Form, dirs []string, o Options) ([]*Catalog, error) {
	found := readBundles(ctx, s, dirs, o)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var modes map[string]string
	if form == Repository {
		modes = updateModes(s, dirs)
	}
	var all []*Catalog
	for _, version := range openShiftVersions(found, o.OpenShift) {
		c := &Catalog{source: s, Form: form, OpenShift: version}
		if o.OpenShift == "all" {
			c.Name = "v" + version
		}
		c.addBundles(found, modes, packageFilter(o.Package))
		all = append(all, c)
	}
	return all, nil
}

// readBundles reads bundle folders concurrently. If the context ends, some are left out.
func readBundles(ctx context.Context, s *source, dirs []string, o Options) []*bundleFolder {
	return readFolders(ctx, dirs, o.Progress, func(dir string) (*bundleFolder, int64) {
		found := readBundle(s, dir)
		return found, found.bytes
	})
}

// updateModes returns the updateGraph modes of the packages of bundles, by the folders of the packages.
func updateModes(s *source, bundles []string) map[string]string {
	modes := map[string]string{}
	for _, dir := range bundles {
		parent := path.Dir(dir)
		if _, met := modes[parent]; !met {
			modes[parent] = updateMode(s, parent)
		}
	}
	return modes
}

// updateGraph modes of a ci.yaml.
const (
	semverMode    = "semver-mode"
	skipPatchMode = "semver-skippatch-mode"
	// templateMode is the mode of a package whose channels are in templates of file-based catalogs, and not in the bundles.
	templateMode = "fbc"
)

// updateMode returns the updateGraph mode in the ci.yaml of a package's folder, "" if there is none.
func updateMode(s *source, dir string) string {
	mode := ""
	if name := path.Join(dir, "ci.yaml"); isFile(s.fsys, name) {
		for d, root := range (&fileReader{source: s}).documents(name) {
			if t := d.textAt(root, "updateGraph"); t.Value != "" {
				mode = t.Value
			}
			if d.textAt(root, "fbc", "enabled").Value == "true" {
				mode = templateMode
			}
		}
	}
	return mode
}

// addBundles adds all bundles that support the catalog's OpenShift version, and the channels that their annotations name.
func (c *Catalog) addBundles(found []*bundleFolder, modes map[string]string, o packageFilter) {
	packages := map[string]*bundlePackageBuilder{}
	for _, b := range found {
		if c.OpenShift != "" && !supportsOpenShift(b.versions.Value, c.OpenShift) {
			continue
		}
		c.addRead(&b.fileReader)
		if b.pkg.Value == "" {
			c.addProblem(ManifestAnnotations, b.annotationsPos, "", "", "the bundle does not name its package: annotation %s", annotationPackage).Cause = []string{annotationPackage}
			continue
		}
		p := packages[b.pkg.Value]
		if p == nil {
			p = &bundlePackageBuilder{packageBuilder: &packageBuilder{catalog: c, pkg: &Package{Name: b.pkg, Pos: b.pkg.Pos}, byName: map[string]*csv{}},
				mode: modes[path.Dir(b.dir)]}
			packages[b.pkg.Value] = p
			c.Packages = append(c.Packages, p.pkg)
		}
		p.add(b)
	}
	for _, p := range packages {
		p.channels()
	}
	c.Packages = slices.DeleteFunc(c.Packages, func(p *Package) bool { return !o.wants(p.Name.Value) })
	c.finish(o)
}

// bundlePackageBuilder builds a package of bundles that name its channels.
type bundlePackageBuilder struct {
	*packageBuilder
	mode        string
	memberships []membership
	defaultFrom *Bundle // the bundle of the highest version that names a default channel
}

// membership is a bundle in a channel.
type membership struct {
	bundle  *Bundle
	csv     *csv
	channel Text
}

func (p *bundlePackageBuilder) add(b *bundleFolder) {
	p.packageBuilder.add(b.manifestFolder)
	if len(b.csvs) == 0 {
		return
	}
	bundle := p.pkg.Bundles[len(p.pkg.Bundles)-1]
	if b.channels.Value == "" {
		p.catalog.addProblem(ManifestAnnotations, b.annotationsPos, b.pkg.Value, bundle.Name.Value, "the bundle names no channel: annotation %s", annotationChannels).Cause = []string{annotationChannels}
	}
	for name := range strings.SplitSeq(b.channels.Value, ",") {
		if name != "" {
			p.memberships = append(p.memberships, membership{bundle: bundle, csv: &b.csvs[0], channel: Text{Value: name, Pos: b.channels.Pos}})
		}
	}
	p.suggestDefault(b, bundle)
}

// suggestDefault takes the default channel from the highest version that names one (registry: pkg/registry populator).
func (p *bundlePackageBuilder) suggestDefault(b *bundleFolder, bundle *Bundle) {
	if b.defaultChannel.Value == "" {
		return
	}
	if p.defaultFrom == nil || bundle.semver != nil && (p.defaultFrom.semver == nil || bundle.semver.GTE(*p.defaultFrom.semver)) {
		p.defaultFrom, p.pkg.DefaultChannel = bundle, b.defaultChannel
	}
}

// channels builds the channels that the bundles name, sorted by name.
func (p *bundlePackageBuilder) channels() {
	if p.mode == templateMode {
		p.pkg.DefaultChannel = Text{}
		return
	}
	byName := map[string][]membership{}
	for _, at := range p.memberships {
		byName[at.channel.Value] = append(byName[at.channel.Value], at)
	}
	for name, places := range byName {
		slices.SortStableFunc(places, func(a, b membership) int { return compareBundles(a.bundle, b.bundle) })
		ch := &Channel{Name: Text{Value: name, Pos: places[len(places)-1].channel.Pos}, Package: p.pkg.Name}
		ch.Pos = ch.Name.Pos
		switch p.mode {
		case semverMode:
			ch.Entries = semverEntries(places)
		case skipPatchMode:
			ch.Entries = skipPatchEntries(places)
		default:
			ch.Entries = p.declaredEntries(places)
		}
		p.pkg.Channels = append(p.pkg.Channels, ch)
	}
	slices.SortFunc(p.pkg.Channels, func(a, b *Channel) int { return strings.Compare(a.Name.Value, b.Name.Value) })
	if p.pkg.DefaultChannel.Value == "" && len(p.pkg.Channels) > 0 {
		p.inferDefault()
	}
}

// inferDefault sets the default channel that opm registry add infers if no bundle names one. In the semver modes that is the first, by
// name, of the channels of the lowest version (registry: BundleGraphLoader AddBundleToGraph). Otherwise it is the only channel of the
// lowest version; if that has several, opm rejects the bundle (registry: SemverPackageManifest).
func (p *bundlePackageBuilder) inferDefault() {
	lowest := slices.MinFunc(p.memberships, func(a, b membership) int {
		return cmp.Or(compareBundles(a.bundle, b.bundle), strings.Compare(a.channel.Value, b.channel.Value))
	})
	names := map[string]bool{}
	for _, at := range p.memberships {
		if at.bundle == lowest.bundle {
			names[at.channel.Value] = true
		}
	}
	if p.mode == semverMode || p.mode == skipPatchMode || len(names) == 1 {
		p.pkg.DefaultChannel = lowest.channel
		return
	}
	last := p.catalog.addProblem(ManifestAnnotations, lowest.channel.Pos, p.pkg.Name.Value, lowest.bundle.Name.Value,
		"the bundle is in %d channels, and no bundle of the package names a default one: opm registry add rejects it", len(names))
	last.Cause, last.Fix = []string{annotationDefault}, "name one of them in the annotation "+annotationDefault
}

// compareBundles orders by version, those without one first, then by name.
func compareBundles(a, b *Bundle) int {
	switch v, w := a.semver, b.semver; {
	case v != nil && w != nil:
		return cmp.Or(v.Compare(*w), strings.Compare(a.Name.Value, b.Name.Value))
	case v != nil:
		return 1
	case w != nil:
		return -1
	}
	return strings.Compare(a.Name.Value, b.Name.Value)
}

// declaredEntries returns the entries with the edges of the CSVs: of those in the channel, and of those that they replace, and so on.
func (p *bundlePackageBuilder) declaredEntries(places []membership) []Entry {
	var entries []Entry
	on := map[string]bool{}
	todo := make([]*csv, 0, len(places))
	for _, at := range places {
		todo = append(todo, at.csv)
	}
	for ; len(todo) > 0; todo = todo[1:] {
		c := todo[0]
		if on[c.name.Value] {
			continue
		}
		on[c.name.Value] = true
		entries = append(entries, c.entry())
		if below := p.byName[c.replaces.Value]; below != nil {
			todo = append(todo, below)
		}
	}
	return entries
}

// semverEntries returns entries each of which replaces the next lower version. Of the edges of the CSVs only skipRange is kept.
func semverEntries(places []membership) []Entry {
	var entries []Entry
	for i, at := range places {
		e := Entry{Name: at.csv.name, SkipRange: at.csv.skipRange, Pos: at.csv.name.Pos}
		if i > 0 {
			e.Replaces = Text{Value: places[i-1].csv.name.Value, Pos: at.csv.name.Pos}
		}
		entries = append(entries, e)
	}
	return entries
}

// skipPatchEntries returns entries of which the highest patch of each minor version replaces that of the next lower minor version, and skips
// the other patches of its own.
func skipPatchEntries(places []membership) []Entry {
	var entries []Entry
	last, skipped := Text{}, []Text{}
	for i, at := range places {
		e := Entry{Name: at.csv.name, SkipRange: at.csv.skipRange, Pos: at.csv.name.Pos}
		if i+1 < len(places) && sameMinor(at.bundle.semver, places[i+1].bundle.semver) {
			skipped = append(skipped, Text{Value: at.csv.name.Value, Pos: at.csv.name.Pos})
		} else {
			e.Replaces, e.Skips = last, skipped
			last, skipped = at.csv.name, nil
		}
		entries = append(entries, e)
	}
	return entries
}

func sameMinor(v, w *semver.Version) bool {
	return v != nil && w != nil && v.Major == w.Major && v.Minor == w.Minor
}

// openShiftRange is one version, or a range, as in com.redhat.openshift.versions.
var openShiftRange = regexp.MustCompile(`^(=)?v?(\d+\.\d+)(?:-v?(\d+\.\d+))?$`)

// supportsOpenShift reports whether a bundle supports an OpenShift version, by its annotation com.redhat.openshift.versions; without one it
// supports all.
func supportsOpenShift(versions, openShift string) bool {
	if versions == "" {
		return true
	}
	if first, second, list := strings.Cut(versions, ","); list { // v4.5,v4.6 is v4.5 and later
		if first == "v4.5" && second == "v4.6" || first == "v4.6" && second == "v4.5" {
			return minorNumber(openShift) >= minorNumber("4.5")
		}
		return false
	}
	m := openShiftRange.FindStringSubmatch(versions)
	switch {
	case m == nil:
		return false
	case m[1] != "":
		return m[3] == "" && minorNumber(openShift) == minorNumber(m[2])
	default:
		return minorNumber(openShift) >= minorNumber(m[2]) && (m[3] == "" || minorNumber(openShift) <= minorNumber(m[3]))
	}
}

// minorNumber returns a number by which OpenShift minor versions are sorted, as 4016 for 4.16.
func minorNumber(version string) int {
	major, minor, _ := strings.Cut(version, ".")
	x, _ := strconv.Atoi(major)
	y, _ := strconv.Atoi(minor)
	return 1000*x + y
}

var minorVersion = regexp.MustCompile(`\d+\.\d+`)

// openShiftVersions returns the version asked for, or for "all" each from the lowest to the highest that an annotation of a bundle
// names. "" means all bundles.
func openShiftVersions(found []*bundleFolder, asked string) []string {
	if asked != "all" {
		return []string{strings.TrimPrefix(asked, "v")}
	}
	lowest, highest := 0, 0
	for _, b := range found {
		for _, text := range minorVersion.FindAllString(b.versions.Value, -1) {
			if n := minorNumber(text); n/1000 == 4 {
				highest = max(highest, n)
				if lowest == 0 || n < lowest {
					lowest = n
				}
			}
		}
	}
	if lowest == 0 {
		return []string{""}
	}
	var all []string
	for n := lowest; n <= highest; n++ {
		all = append(all, fmt.Sprintf("%d.%d", n/1000, n%1000))
	}
	return all
}
