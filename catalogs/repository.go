package catalogs

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/registryadd"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// The annotations of a bundle (registry+v1).
const (
	annotationPrefix    = "operators.operatorframework.io.bundle."
	annotationPackage   = annotationPrefix + "package.v1"
	annotationChannels  = annotationPrefix + "channels.v1"
	annotationDefault   = annotationPrefix + "channel.default.v1"
	OpenShiftAnnotation = "com.redhat.openshift.versions" // selects the catalogs that get the bundle
)

// bundleFolder is a bundle folder: its manifests and the annotations in its metadata.
type bundleFolder struct {
	*manifestFolder
	pkg, channels, defaultChannel, versions Text
	annotationsPos                          Pos // or of the file
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
	var reporting sync.Mutex
	parallel.Each(len(dirs), func(i int) {
		if ctx.Err() != nil {
			return
		}
		var bytes int64
		if found[i], bytes = read(dirs[i]); progress != nil {
			reporting.Lock()
			progress(bytes)
			reporting.Unlock()
		}
	})
	return slices.DeleteFunc(found, func(t *T) bool { return t == nil })
}

// readBundle reads the manifests and the metadata of a bundle folder.
func readBundle(s *source, dir string) *bundleFolder {
	b := &bundleFolder{manifestFolder: newManifestFolder(s, dir)}
	b.inBundle = true
	b.Subfolders = b.readManifests(path.Join(dir, "manifests"))
	b.readMetadata()
	b.attribute(b.pkg.Value, b.firstCSV())
	return b
}

// readMetadata reads the metadata of a bundle folder.
func (b *bundleFolder) readMetadata() {
	metadata := path.Join(b.dir, "metadata")
	b.annotationsPos = Pos{File: b.source.display(path.Join(metadata, "annotations.yaml"))}
	entries, _ := fs.ReadDir(b.source.fsys, metadata)
	for _, e := range entries {
		switch name, yaml := trimYAMLExt(e.Name()); {
		case e.IsDir() || !yaml:
		case name == "annotations", name == "dependencies", name == "properties":
			for d, root := range b.documents(path.Join(metadata, e.Name())) {
				b.metadata(d, root)
			}
		}
	}
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
	b.addMetadata(d, root)
	if root.At("annotations") != nil {
		b.annotationsPos = d.pos(root.Place)
		b.pkg, b.channels = d.textAt(root, "annotations", annotationPackage), d.textAt(root, "annotations", annotationChannels)
		b.defaultChannel, b.versions = d.textAt(root, "annotations", annotationDefault), d.textAt(root, "annotations", OpenShiftAnnotation)
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

// IsNewFile reports whether a file or folder of the catalog, by its name in positions, is not in another catalog at the same path.
func (c *Catalog) IsNewFile(name string, before *Catalog) bool {
	if before == nil || before.source == nil {
		return false
	}
	_, err := fs.Stat(before.source.fsys, c.source.path(name))
	return err != nil
}

// PathOf returns the path in the catalog's source of a file, by its name in positions.
func (c *Catalog) PathOf(name string) string {
	if c.source == nil || name == "" {
		return name
	}
	return c.source.path(name)
}

// SameFile reports whether a file of the catalog, by its name in positions, is the same in another catalog, or can be read in neither.
func (c *Catalog) SameFile(name string, other *Catalog) bool {
	if c.source == nil || other.source == nil {
		return c.source == other.source
	}
	at := c.PathOf(name)
	x, read := c.source.blobID(context.Background(), at)
	y, readToo := other.source.blobID(context.Background(), at)
	return read == readToo && x == y
}

// LacksFolder reports whether a package of the catalog has a folder of its own, and another catalog has nothing in that folder.
func (c *Catalog) LacksFolder(p *Package, other *Catalog) bool {
	if c.source == nil || other.source == nil || !p.Pos.Known() {
		return false
	}
	dir := path.Dir(c.source.path(p.Pos.File))
	if path.Base(dir) == "metadata" { // of a bundle folder
		dir = path.Dir(path.Dir(dir))
	}
	entries, _ := fs.ReadDir(other.source.fsys, dir)
	return dir != "." && len(entries) == 0
}

// setBeside sets the packages of the bundles that are beside each one, in the folder of the operator.
func setBeside(found []*bundleFolder) {
	of := map[string]map[string]int{} // how many bundles, by operator and package
	for _, b := range found {
		dir := path.Dir(b.dir)
		if of[dir] == nil {
			of[dir] = map[string]int{}
		}
		of[dir][b.pkg.Value]++
	}
	for _, b := range found {
		b.Beside = nil
		for _, pkg := range slices.Sorted(maps.Keys(of[path.Dir(b.dir)])) {
			if pkg != "" && (pkg != b.pkg.Value || of[path.Dir(b.dir)][pkg] > 1) {
				b.Beside = append(b.Beside, pkg)
			}
		}
	}
}

// addBundles adds the bundles that belong to a catalog, and the channels that their annotations name. published are those that its base
// has, by bundleKey; nil without a base.
func (c *Catalog) addBundles(found []*bundleFolder, from *deferredFolders, published map[string]bool) {
	packages := map[string]*bundlePackageBuilder{}
	excluded, beside := map[string]bool{}, map[string]Text{}
	for _, b := range found {
		beside[path.Join(path.Dir(b.dir), b.firstCSV())] = b.pkg
		if !from.belongs(b, c) {
			for i := range b.csvs {
				excluded[bundleKey(b.pkg.Value, b.csvs[i].name.Value)] = true
			}
			continue
		}
		c.Problems = append(c.Problems, b.problems...)
		if from.countsIn(b, c) {
			c.count(&b.fileReader)
		}
		if b.pkg.Value == "" && b.unread.Has(annotationPackage) {
			continue
		}
		if b.pkg.Value == "" {
			c.addProblem(ManifestAnnotations, b.annotationsPos, "", "", "the bundle does not name its package: annotation %s", annotationPackage).Cause = []string{annotationPackage}
			continue
		}
		mode := from.modeOf(path.Dir(b.dir))
		b.FileBased = mode == templateMode
		p := packages[b.pkg.Value]
		if p == nil {
			p = &bundlePackageBuilder{packageBuilder: &packageBuilder{catalog: c, pkg: &Package{Name: b.pkg, Pos: b.pkg.Pos}, byName: map[string]*csv{}},
				mode: mode, publishedIn: from.publishedMode(path.Dir(b.dir)), alone: c.Form == BundleFolder, published: published, excluded: excluded, beside: beside}
			if c.otherVersions {
				p.mode = templateMode
			}
			packages[b.pkg.Value] = p
			c.Packages = append(c.Packages, p.pkg)
		}
		p.add(b)
	}
	for _, p := range packages {
		p.channels()
	}
	filter := packageFilter(from.options.Package)
	c.Packages = slices.DeleteFunc(c.Packages, func(p *Package) bool { return !filter.wants(p.Name.Value) })
	c.finish(filter)
}

// bundlePackageBuilder builds a package of bundles that name its channels.
type bundlePackageBuilder struct {
	*packageBuilder
	mode string
	// publishedIn is the mode in which the base's bundles were published.
	publishedIn string
	alone       bool            // the bundle is not in a repository with those that it upgrades
	published   map[string]bool // that the base has, by bundleKey; nil without a base
	excluded    map[string]bool // that do not support the OpenShift version of the catalog, by bundleKey
	beside      map[string]Text // the packages of bundles, by the folder of the operator and name
	added       []registryadd.Bundle
	origin      []bundleOrigin // of those added
}

// bundleOrigin is where a bundle comes from that is added.
type bundleOrigin struct {
	csv                           *csv
	pkg, channels, defaultChannel Text
	annotations                   Pos
	operator                      string // its folder
}

func (p *bundlePackageBuilder) add(b *bundleFolder) {
	p.packageBuilder.add(b.manifestFolder)
	if len(b.csvs) == 0 {
		return
	}
	c := &b.csvs[0]
	add := registryadd.Bundle{Name: c.name.Value, Version: c.version.Value, Replaces: c.replaces.Value, DefaultChannel: b.defaultChannel.Value,
		Published: p.published[bundleKey(b.pkg.Value, c.name.Value)]}
	for _, skip := range c.skips {
		add.Skips = append(add.Skips, skip.Value)
	}
	for name := range strings.SplitSeq(b.channels.Value, ",") {
		if name != "" {
			add.Channels = append(add.Channels, name)
		}
	}
	if len(add.Channels) == 0 && !b.unread.Has(annotationChannels) {
		p.catalog.addProblem(ManifestAnnotations, b.annotationsPos, b.pkg.Value, c.name.Value, "the bundle names no channel: annotation %s", annotationChannels).Cause = []string{annotationChannels}
	}
	p.added = append(p.added, add)
	p.origin = append(p.origin, bundleOrigin{csv: c, pkg: b.pkg, channels: b.channels, defaultChannel: b.defaultChannel, annotations: b.annotationsPos, operator: path.Dir(b.dir)})
}

// channels builds the channels as opm registry add publishes them, sorted by name. A bundle alone has those that it names.
func (p *bundlePackageBuilder) channels() {
	switch {
	case p.mode == templateMode:
		return
	case p.alone:
		p.channelsOfOne()
		return
	}
	for i := range p.added {
		b := &p.added[i]
		b.Ends = (p.published == nil || b.Published) && p.excludes(b.Replaces)
	}
	published := registryadd.Publish(registryAddModes[p.publishedIn], registryAddModes[p.mode], p.added)
	for i := range published.Channels {
		p.channel(&published.Channels[i], published.Order)
	}
	p.setDefault(published.DefaultChannel, published.Order)
	p.reportRejected(published)
}

// excludes reports whether a bundle is in the package, and does not support the OpenShift version of the catalog.
func (p *bundlePackageBuilder) excludes(name string) bool {
	return p.excluded[bundleKey(p.pkg.Name.Value, name)]
}

// registryAddModes are the modes of opm registry add by those of a ci.yaml.
var registryAddModes = map[string]registryadd.Mode{semverMode: registryadd.SemVer, skipPatchMode: registryadd.SkipPatch}

// channelsOfOne builds the channels of a single bundle, of which the catalog is not known.
func (p *bundlePackageBuilder) channelsOfOne() {
	for i, b := range p.added {
		from := &p.origin[i]
		p.pkg.DefaultChannel = from.defaultChannel
		for _, name := range slices.Compact(slices.Sorted(slices.Values(b.Channels))) {
			p.pkg.Channels = append(p.pkg.Channels, &Channel{Name: Text{Value: name, Pos: from.channels.Pos}, Package: p.pkg.Name,
				Pos: from.channels.Pos, Entries: []Entry{from.csv.entry()}})
		}
		switch {
		case from.defaultChannel.Value != "":
		case len(p.pkg.Channels) == 1:
			p.pkg.DefaultChannel = p.pkg.Channels[0].Name
		case len(p.pkg.Channels) > 1:
			p.reportNoDefault(i)
		}
	}
}

// channel adds a published channel. It is where the highest of the added versions names it.
func (p *bundlePackageBuilder) channel(c *registryadd.Channel, added []int) {
	ch := &Channel{Name: Text{Value: c.Name}, Package: p.pkg.Name}
	for _, b := range added {
		if slices.Contains(p.added[b].Channels, c.Name) && (b == c.Head || !ch.Name.Pos.Known()) {
			ch.Name.Pos = p.origin[b].channels.Pos
		}
	}
	ch.Pos = ch.Name.Pos
	for _, e := range c.Entries {
		ch.Entries = append(ch.Entries, p.origin[e.Bundle].csv.published(e))
	}
	p.pkg.Channels = append(p.pkg.Channels, ch)
	p.reportPruned(c)
}

// published returns the entry of a CSV with the edges that it was published with, which are where the CSV has them or else at its name.
func (c *csv) published(e registryadd.Entry) Entry {
	at := func(name string) Text { return Text{Value: name, Pos: c.name.Pos} }
	entry := Entry{Name: c.name, SkipRange: c.skipRange, Pos: c.name.Pos}
	switch {
	case e.Replaces == c.replaces.Value:
		entry.Replaces = c.replaces
	case e.Replaces != "":
		entry.Replaces = at(e.Replaces)
	}
	for _, name := range e.Skips {
		if i := slices.IndexFunc(c.skips, func(t Text) bool { return t.Value == name }); i >= 0 {
			entry.Skips = append(entry.Skips, c.skips[i])
		} else {
			entry.Skips = append(entry.Skips, at(name))
		}
	}
	return entry
}

// setDefault sets the default channel, which is where the highest version names it.
func (p *bundlePackageBuilder) setDefault(name string, added []int) {
	p.pkg.DefaultChannel = Text{Value: name}
	var from *Bundle
	for _, b := range added {
		bundle := p.pkg.Bundles[b]
		if p.added[b].DefaultChannel == name && (from == nil || compareBundles(bundle, from) > 0) {
			from, p.pkg.DefaultChannel = bundle, p.origin[b].defaultChannel
		}
	}
	if ch := p.pkg.Channel(name); from == nil && ch != nil {
		p.pkg.DefaultChannel = ch.Name
	}
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

// reportPruned reports the bundles that were in a channel, and that a higher version removed from it.
func (p *bundlePackageBuilder) reportPruned(c *registryadd.Channel) {
	if len(c.Pruned) == 0 {
		return
	}
	var lost, by []string
	for _, pruned := range c.Pruned {
		lost = append(lost, p.added[pruned.Bundle].Name)
		if name := p.added[pruned.By].Name; !slices.Contains(by, name) {
			by = append(by, name)
		}
	}
	first := p.origin[c.Pruned[0].By].csv.name
	do, them := "do", fmt.Sprintf("%d bundles", len(lost))
	if len(by) == 1 {
		do = "does"
	}
	if len(lost) == 1 {
		them = "a bundle"
	}
	last := p.catalog.addProblem(RegistryPruned, first.Pos, p.pkg.Name.Value, first.Value,
		"opm registry add removes %s from channel %q, which %s %s not lead to: %s", them, c.Name, quoted(by), do, quoted(lost))
	last.Cause = append([]string{c.Name}, lost...)
	head := p.origin[c.Head].csv
	last.ByRange = c.Pruned[0].By == c.Head && !p.added[c.Head].Published && head.skipRange.Value != "" && head.replaces.Value == ""
}

// quoted lists names, the first few of many.
func quoted(names []string) string {
	shown := names
	if len(names) > 4 {
		shown = names[:3]
	}
	all := make([]string, 0, len(shown))
	for _, name := range shown {
		all = append(all, fmt.Sprintf("%q", name))
	}
	switch n := len(all); {
	case n < len(names):
		return fmt.Sprintf("%s and %d more", strings.Join(all, ", "), len(names)-n)
	case n > 1:
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return strings.Join(all, "")
}

// reportRejected reports the bundles that opm registry add rejects. Those that it rejects because they replace a rejected one are named
// with that.
func (p *bundlePackageBuilder) reportRejected(published *registryadd.Package) {
	byName := map[string]*registryadd.Rejection{}
	for i := range published.Rejected {
		r := &published.Rejected[i]
		if name := p.added[r.Bundle].Name; byName[name] == nil {
			byName[name] = r
		}
	}
	followers := map[*registryadd.Rejection][]string{}
	for i := range published.Rejected {
		if r := &published.Rejected[i]; firstRejected(byName, r) != r {
			followers[firstRejected(byName, r)] = append(followers[firstRejected(byName, r)], p.added[r.Bundle].Name)
		}
	}
	for i := range published.Rejected {
		if r := &published.Rejected[i]; firstRejected(byName, r) == r {
			p.reportRejection(r, followers[r])
		}
	}
}

// firstRejected follows rejections to the bundle because of which the others are rejected.
func firstRejected(byName map[string]*registryadd.Rejection, r *registryadd.Rejection) *registryadd.Rejection {
	met := map[*registryadd.Rejection]bool{}
	for at := r; ; {
		next := byName[at.Name]
		if met[at] = true; at.Reason != registryadd.ReplacesMissing || next == nil {
			return at
		}
		if met[next] { // they replace each other
			return r
		}
		at = next
	}
}

func (p *bundlePackageBuilder) reportRejection(r *registryadd.Rejection, followers []string) {
	from, added := &p.origin[r.Bundle], &p.added[r.Bundle]
	switch r.Reason {
	case registryadd.NoDefault:
		if len(added.Channels) > 0 { // else that is told
			p.reportNoDefault(r.Bundle)
		}
		return
	case registryadd.VersionSyntax:
		return // the rule on versions says so
	case registryadd.DefaultMissing:
		if len(p.added[r.Bundle].Channels) == 0 {
			return // it names no channel: that is told
		}
	}
	pos, why, fix := from.rejection(r)
	if r.Reason == registryadd.ReplacesMissing && p.excludes(r.Name) {
		why = fmt.Sprintf("it replaces %q, which does not support OpenShift %s", r.Name, p.catalog.OpenShift)
		fix = "let it support no OpenShift version that the replaced bundle does not: annotation " + OpenShiftAnnotation
	} else if other := p.beside[path.Join(from.operator, r.Name)]; r.Reason == registryadd.ReplacesMissing && other.Value != "" && other.Value != from.pkg.Value {
		pos, fix = from.pkg.Pos, "write "+other.Value+", or replace a bundle of its own package"
		why = fmt.Sprintf("it is of the package %q, but %q, which it replaces, is of the package %q", from.pkg.Value, r.Name, other.Value)
	} else if r.Reason == registryadd.ReplacesMissing {
		fix = cmp.Or(p.replacesFix(r), fix)
	}
	if near, ok := spelling.NearestVersioned(r.Channel, added.Channels); ok && r.Reason == registryadd.DefaultMissing {
		if fix = "write " + near; slices.Contains(usualChannels, r.Channel) && !slices.Contains(usualChannels, near) {
			pos, fix = from.channels.Pos, "write "+r.Channel
		}
	}
	message := fmt.Sprintf("opm registry add rejects %q: %s", added.Name, why)
	if len(followers) > 0 {
		message += fmt.Sprintf("; so it also rejects %s", quoted(followers))
	}
	last := p.catalog.addProblem(RegistryRejected, pos, p.pkg.Name.Value, added.Name, "%s", message)
	last.Cause, last.Fix = []string{r.Reason.String(), r.Name, r.Channel}, fix
}

// usualChannels are names of channels that are not misspelt.
var usualChannels = []string{"alpha", "beta", "candidate", "fast", "preview", "stable"}

// replacesFix names the bundle that a missing one probably means, or else the next lower version in one of the channels; "" if there is none.
func (p *bundlePackageBuilder) replacesFix(r *registryadd.Rejection) string {
	var names []string
	lower, channels := "", p.added[r.Bundle].Channels
	for i, b := range p.added {
		if i == r.Bundle {
			continue
		}
		names = append(names, b.Name)
		if compareFolderVersions(b.Version, p.added[r.Bundle].Version) < 0 && slices.ContainsFunc(b.Channels, func(c string) bool { return slices.Contains(channels, c) }) &&
			(lower == "" || compareFolderVersions(b.Version, lower) > 0) {
			lower = b.Version
		}
	}
	if near, ok := spelling.NearestVersioned(r.Name, names); ok {
		return "write " + near
	}
	if i := slices.IndexFunc(p.added, func(b registryadd.Bundle) bool { return lower != "" && b.Version == lower }); i >= 0 {
		return fmt.Sprintf("replace a version that is in the catalog, as %s, the next lower one", p.added[i].Name)
	}
	return ""
}

func (p *bundlePackageBuilder) reportNoDefault(bundle int) {
	last := p.catalog.addProblem(ManifestAnnotations, p.origin[bundle].channels.Pos, p.pkg.Name.Value, p.added[bundle].Name,
		"the bundle is in %d channels, and neither it nor a lower version names a default one: opm registry add rejects it", len(p.added[bundle].Channels))
	last.Cause, last.Fix = []string{annotationDefault}, "name one of them in the annotation "+annotationDefault
}

// rejection returns where the reason is that a bundle is rejected, the reason, and what to do.
func (o *bundleOrigin) rejection(r *registryadd.Rejection) (pos Pos, why, fix string) {
	name := o.csv.name.Pos
	switch r.Reason {
	case registryadd.NameTaken:
		return name, "another bundle of the package has that name", "keep one of them; a rebuilt bundle needs a new version and a new name"
	case registryadd.SameVersion:
		return knownPos(o.csv.version.Pos, name), fmt.Sprintf("%q has the same version", r.Name), "give one of them another version"
	case registryadd.RepeatedChannel:
		return o.channels.Pos, fmt.Sprintf("its annotation names channel %q twice", r.Channel), "name each channel once"
	case registryadd.DefaultMissing:
		return knownPos(o.defaultChannel.Pos, o.annotations), fmt.Sprintf("its default channel %q does not exist when it is added", r.Channel),
			"name a channel of the package in the annotation " + annotationDefault
	case registryadd.ReplacesMissing:
		return knownPos(o.csv.replaces.Pos, name), fmt.Sprintf("it replaces %q, which is not in the catalog", r.Name), "replace a version that is in the catalog"
	case registryadd.Cycle:
		return knownPos(o.csv.replaces.Pos, name), fmt.Sprintf("it leads to %q again", r.Name), "replace a lower version"
	case registryadd.SkippedBefore:
		return name, "a lower version replaces or skips it", "let no lower version name it"
	case registryadd.HeadSkipped:
		return name, fmt.Sprintf("%q, the head of channel %q, is skipped by a version in it", r.Name, r.Channel), "remove it from skips"
	case registryadd.InvalidGraph:
		return name, fmt.Sprintf("the patches that it skips are the only link to the lower versions of channel %q", r.Channel),
			"use updateGraph: semver-mode in ci.yaml"
	}
	return name, fmt.Sprintf("%q, the head of channel %q, does not lead to it", r.Name, r.Channel), "let the head skip it, or leave that channel out"
}

// knownPos returns the first position if it is known, else the second.
func knownPos(a, b Pos) Pos {
	if a.Known() {
		return a
	}
	return b
}
