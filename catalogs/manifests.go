package catalogs

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// manifestFolder is a folder of manifests of one version of an operator: that of a bundle, or one of package manifests.
type manifestFolder struct {
	fileReader
	*Folder
	csvs []csv
	crds []crd

	inBundle bool // and not in a folder of package manifests
}

// csv is what is read of a ClusterServiceVersion.
type csv struct {
	name, version, replaces, skipRange Text
	skips                              []Text
	owned, required                    []ownedCRD
	images                             []RelatedImage
	annotation                         Text            // olm.properties, which is JSON
	metadataProperties                 []PropertyValue // of the metadata of the bundle
	ownedServices                      []API
	requiredServices                   []API
}

// ownedCRD is an entry of the CSV's list of owned or required CRDs.
type ownedCRD struct {
	name, version, kind               string
	pos, namePos, versionPos, kindPos Pos
}

// crd is what is read of a CustomResourceDefinition.
type crd struct {
	name, group, kind string
	versions          []string
	pos               Pos
}

// newManifestFolder returns a folder that is not read yet.
func newManifestFolder(s *source, dir string) *manifestFolder {
	return &manifestFolder{fileReader: fileReader{in: s}, Folder: &Folder{Name: path.Base(dir), Pos: Pos{File: s.display(dir)}, source: s, dir: dir}}
}

// readManifests reads the objects of a folder, and returns the names of the folders in it, which are not read.
func (o *manifestFolder) readManifests(dir string) (inside []string) {
	if err := o.source.refuseLinked(o.source.display(dir)); err != nil {
		o.addUnreadable(o.source.display(dir), err)
		return nil
	}
	entries, err := fs.ReadDir(o.source.fsys, dir)
	if err != nil {
		o.addUnreadable(o.source.display(dir), err)
		return nil
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir():
			inside = append(inside, name)
		case isManifestName(name) && !isPackageManifest(o.source.fsys, path.Join(dir, name)):
			o.read(path.Join(dir, name))
		}
	}
	return inside
}

// isManifestName reports whether a file of that name is read for objects. The ci.yaml of a catalog repository has none.
func isManifestName(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) && !strings.HasPrefix(name, ".") && name != "ci.yaml"
}

// contains reports whether another folder is inside this one and has a CSV.
func (o *manifestFolder) contains(other *manifestFolder) bool {
	return len(other.csvs) > 0 && strings.HasPrefix(other.dir, o.dir+"/")
}

// splitByCSV returns one folder for each CSV of a folder of package manifests, each with the files that hold no other CSV
// (operator-registry: pkg/sqlite loadBundle); the folder itself if it has at most one.
func (o *manifestFolder) splitByCSV() []*manifestFolder {
	if len(o.csvs) < 2 {
		return []*manifestFolder{o}
	}
	all := make([]*manifestFolder, 0, len(o.csvs))
	for i := range o.csvs {
		one := newManifestFolder(o.source, o.dir)
		one.csvs, one.crds = o.csvs[i:i+1:i+1], o.crds
		for _, name := range o.paths {
			shown := o.source.display(name)
			if shown == one.csvs[0].name.Pos.File || !slices.ContainsFunc(o.csvs, func(c csv) bool { return c.name.Pos.File == shown }) {
				one.paths = append(one.paths, name)
				one.Files = append(one.Files, path.Base(name))
			}
		}
		all = append(all, one)
	}
	return all
}

// read reads the objects of one file, or takes them from a file with the same text.
func (o *manifestFolder) read(name string) {
	f := o.source.file(name)
	id, hasID := f.blobID()
	known := readBefore(o.source.cache(), id)
	if known == nil {
		known = readObjects(f)
		if o.problems = append(o.problems, known.problems...); hasID {
			known = keepRead(o.source.cache(), id, known)
		}
	}
	o.add(f, known)
	if o.source.restricted(o.source.display(name)) {
		return // its link was rejected
	}
	o.paths = append(o.paths, name)
	o.Files = append(o.Files, path.Base(name))
}

// manifestFile is what is read of a file of manifests. Many bundles have the same CRDs, and a catalog has most bundles of its base.
type manifestFile struct {
	fileReader
	csvs    []csv
	crds    []crd
	objects []*Object // nil if they are not kept
}

// readObjects reads the objects of a file.
func readObjects(f *file) *manifestFile {
	one, keep := &manifestFile{fileReader: fileReader{in: f.source}}, keeps(f.source.cache())
	for d, root := range one.documents(f.path) {
		switch root.Str("kind") {
		case "ClusterServiceVersion":
			one.csvs = append(one.csvs, d.csv(root))
		case "CustomResourceDefinition":
			one.crds = append(one.crds, d.crd(root))
		}
		if keep && root.Kind != tree.Null {
			one.objects = append(one.objects, newObject(root, true))
		}
	}
	return one
}

// readCache has what was read without problems of the files of a source, by their blobIDs: a form keeps in it what it wants.
type readCache struct {
	files   sync.Map
	objects sync.Map     // of files
	size    atomic.Int64 // of the objects, in bytes
	keep    bool         // objects are kept
}

// maxKeptObjects bounds the objects that are kept, in bytes.
const maxKeptObjects = 32 << 20

// cache returns that of the source, or the one that it has with its base.
func (s *source) cache() *readCache {
	if s.shared != nil {
		return s.shared
	}
	return &s.own
}

// shareCache lets a source and that of its base read files with the same text once.
func (s *source) shareCache(base *source) {
	if s != base && s.asIntended == base.asIntended {
		s.shared = base.cache()
		s.shared.keep = true
	}
}

// keeps reports whether the objects of a file are kept, up to maxKeptObjects.
func keeps(m *readCache) bool { return m.keep && m.size.Load() < maxKeptObjects }

// readBefore returns what was read of a file; nil if it was not read.
func readBefore(m *readCache, id string) *manifestFile {
	known, _ := m.files.Load(id)
	file, _ := known.(*manifestFile)
	return file
}

// keepRead keeps what was read of a file, unless there are problems. It returns the first that was kept.
func keepRead(m *readCache, id string, read *manifestFile) *manifestFile {
	if len(read.problems)+read.ignores > 0 {
		return read
	}
	first, known := m.files.LoadOrStore(id, read)
	if !known && read.objects != nil {
		m.objects.Store(id, read.objects)
		for _, o := range read.objects {
			m.size.Add(int64(o.Size()))
		}
	}
	return first.(*manifestFile)
}

// add adds what was read of a file, or of one with the same text.
func (o *manifestFolder) add(f *file, known *manifestFile) {
	o.files += known.files
	o.bytes += known.bytes
	o.unread.Merge(&known.unread)
	for i := range known.csvs {
		o.csvs = append(o.csvs, known.csvs[i].in(f.name))
	}
	for _, c := range known.crds {
		c.pos.File = f.name
		o.crds = append(o.crds, c)
	}
}

// in returns the CSV with its positions in another file.
func (c csv) in(file string) csv {
	in := func(pos *Pos) {
		if pos.File != "" {
			pos.File = file
		}
	}
	for _, t := range []*Text{&c.name, &c.version, &c.replaces, &c.skipRange, &c.annotation} {
		in(&t.Pos)
	}
	c.skips, c.owned, c.required, c.images = slices.Clone(c.skips), slices.Clone(c.owned), slices.Clone(c.required), slices.Clone(c.images)
	for i := range c.skips {
		in(&c.skips[i].Pos)
	}
	for i := range c.owned {
		in(&c.owned[i].pos)
	}
	for i := range c.required {
		in(&c.required[i].pos)
	}
	for i := range c.images {
		in(&c.images[i].Name.Pos)
		in(&c.images[i].Image.Pos)
	}
	return c
}

// textAt returns the string at the end of a path of keys. A number or a boolean is returned as in the source.
func (d *decoder) textAt(n *tree.Node, keys ...string) Text {
	v := n.At(keys...)
	if v == nil || v.Kind != tree.String && v.Kind != tree.Number && v.Kind != tree.Bool {
		return Text{}
	}
	return Text{Value: sourceText(v), Pos: d.pos(v.Place)}
}

func items(n *tree.Node, keys ...string) []tree.Node {
	if v := n.At(keys...); v != nil {
		return v.Items
	}
	return nil
}

func (d *decoder) csv(n *tree.Node) csv {
	c := csv{name: d.textAt(n, "metadata", "name"), version: d.textAt(n, "spec", "version"), replaces: d.textAt(n, "spec", "replaces"),
		skipRange: d.textAt(n, "metadata", "annotations", "olm.skipRange"), annotation: d.textAt(n, "metadata", "annotations", "olm.properties"),
		owned: d.crdsOf(n, "owned"), required: d.crdsOf(n, "required")}
	if c.name.Pos.File == "" {
		c.name.Pos = d.pos(n.Place)
	}
	skips := items(n, "spec", "skips")
	for i := range skips {
		if skips[i].Kind == tree.String {
			c.skips = append(c.skips, Text{Value: skips[i].Text, Pos: d.pos(skips[i].Place)})
		}
	}
	images := items(n, "spec", "relatedImages")
	for i := range images {
		c.images = append(c.images, RelatedImage{Name: d.textAt(&images[i], "name"), Image: d.textAt(&images[i], "image")})
	}
	c.ownedServices, c.requiredServices = d.services(n, "owned"), d.services(n, "required")
	return c
}

func (d *decoder) crdsOf(n *tree.Node, list string) []ownedCRD {
	var all []ownedCRD
	listed := items(n, "spec", "customresourcedefinitions", list)
	for i := range listed {
		v := &listed[i]
		name, version, kind := d.textAt(v, "name"), d.textAt(v, "version"), d.textAt(v, "kind")
		all = append(all, ownedCRD{name: name.Value, version: version.Value, kind: kind.Value,
			pos: d.pos(v.Place), namePos: name.Pos, versionPos: version.Pos, kindPos: kind.Pos})
	}
	return all
}

func (d *decoder) services(n *tree.Node, list string) []API {
	var all []API
	listed := items(n, "spec", "apiservicedefinitions", list)
	for i := range listed {
		v := &listed[i]
		all = append(all, API{Group: d.textAt(v, "group").Value, Version: d.textAt(v, "version").Value, Kind: d.textAt(v, "kind").Value})
	}
	return all
}

func (d *decoder) crd(n *tree.Node) crd {
	c := crd{name: d.textAt(n, "metadata", "name").Value, group: d.textAt(n, "spec", "group").Value,
		kind: d.textAt(n, "spec", "names", "kind").Value, pos: d.pos(n.Place)}
	versions := items(n, "spec", "versions")
	for i := range versions {
		c.versions = append(c.versions, d.textAt(&versions[i], "name").Value)
	}
	if v := d.textAt(n, "spec", "version").Value; v != "" && !slices.Contains(c.versions, v) {
		c.versions = append(c.versions, v)
	}
	return c
}

// firstCSV returns the name of the first CSV, "" if there is none.
func (o *manifestFolder) firstCSV() string {
	if len(o.csvs) == 0 {
		return ""
	}
	return o.csvs[0].name.Value
}

// bundle returns the bundle of the first CSV.
func (o *manifestFolder) bundle(pkg Text) *Bundle {
	c := &o.csvs[0]
	b := &Bundle{Name: c.name, Package: pkg, PackageName: pkg, RelatedImages: c.images, Pos: c.name.Pos, derived: o.properties(c, pkg.Value), Folder: o.Folder}
	b.setVersion(c.version)
	b.Properties = []Property{{Type: Text{Value: TypePackage}, Pos: c.version.Pos}}
	return b
}
