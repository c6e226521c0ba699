// Package manifests reads bundle folders and package manifests: of their ClusterServiceVersions and annotations it makes the packages and
// channels that operator-registry makes.
package manifests

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// manifestFolder is a folder of manifests of one version of an operator: that of a bundle, or one of package manifests.
type manifestFolder struct {
	form.FileReader
	*catalogs.Folder
	Csvs []csvObject
	Crds []crdObject

	derived  *catalogs.Facts // of the bundle, once it was made
	inBundle bool            // and not in a folder of package manifests
}

// newManifestFolder returns a folder that is not read yet.
func newManifestFolder(s *source.Source, dir string) *manifestFolder {
	return &manifestFolder{FileReader: form.FileReader{In: s}, Folder: &catalogs.Folder{Name: path.Base(dir), Pos: catalogs.Pos{File: s.Display(dir)}, Source: s, Dir: dir}}
}

// readManifests reads the objects of a folder, and returns the names of the folders in it, which are not read.
func (o *manifestFolder) readManifests(dir string) (inside []string) {
	if err := o.Source.RejectLinked(o.Source.Display(dir)); err != nil {
		o.AddUnreadable(o.Source.Display(dir), err)
		return nil
	}
	entries, err := fs.ReadDir(o.Source.Fsys, dir)
	if err != nil {
		o.AddUnreadable(o.Source.Display(dir), err)
		return nil
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir():
			inside = append(inside, name)
		case isManifestName(name) && !isPackageManifest(o.Source.Fsys, path.Join(dir, name)), isOtherManifest(o.Source, path.Join(dir, name)):
			o.read(path.Join(dir, name))
		}
	}
	return inside
}

// isManifestName reports whether a file of that name is read for objects. The ci.yaml of a catalog repository has none.
func isManifestName(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) && !strings.HasPrefix(name, ".") && name != "ci.yaml"
}

// isOtherManifest reports whether a file of any other name is an object: opm reads each that it can decode (operator-registry: pkg/registry addManifests).
// The builds of OpenShift read image-references, which no bundle has then.
func isOtherManifest(s *source.Source, name string) bool {
	base := path.Base(name)
	if slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(base)) || strings.HasPrefix(base, ".") || base == "image-references" {
		return false
	}
	head, err := disk.Head(s.Fsys, name, 64<<10)
	return err == nil && saysKind.Match(head) && bytes.Contains(head, []byte("apiVersion")) && len(readObjects(s.WithSingle("").File(name)).Problems) == 0
}

// contains reports whether another folder is inside this one and has a CSV.
func (o *manifestFolder) contains(other *manifestFolder) bool {
	return len(other.Csvs) > 0 && other.Dir != o.Dir && (o.Dir == "." || strings.HasPrefix(other.Dir, o.Dir+"/"))
}

// splitByCSV returns one folder for each CSV of a folder of package manifests, each with the files that hold no other CSV
// (operator-registry: pkg/sqlite loadBundle); the folder itself if it has at most one.
func (o *manifestFolder) splitByCSV() []*manifestFolder {
	if len(o.Csvs) < 2 {
		return []*manifestFolder{o}
	}
	all := make([]*manifestFolder, 0, len(o.Csvs))
	for i := range o.Csvs {
		one := newManifestFolder(o.Source, o.Dir)
		one.Csvs, one.Crds = o.Csvs[i:i+1:i+1], o.Crds
		for _, name := range o.Paths {
			shown := o.Source.Display(name)
			if shown == one.Csvs[0].Name.Pos.File || !slices.ContainsFunc(o.Csvs, func(c csvObject) bool { return c.Name.Pos.File == shown }) {
				one.Paths = append(one.Paths, name)
			}
		}
		all = append(all, one)
	}
	return all
}

// read reads the objects of one file, or takes them from a file with the same text.
func (o *manifestFolder) read(name string) {
	f := o.Source.File(name)
	id, hasID := f.BlobID()
	known := readBefore(o.Source.Cache(), id)
	if known == nil {
		known = readObjects(f)
		if o.Problems = append(o.Problems, known.Problems...); hasID {
			known = keepRead(o.Source.Cache(), id, known)
		}
	}
	o.add(f, known)
	if o.Source.IsRestricted(o.Source.Display(name)) {
		return // its link was rejected
	}
	o.Paths = append(o.Paths, name)
}

// manifestFile is what is read of a file of manifests. Many bundles have the same CRDs, and a catalog has most bundles of its base.
type manifestFile struct {
	form.FileReader
	csvs    []csvObject
	crds    []crdObject
	objects []*bundled.Object // nil if they are not kept
}

// readObjects reads the objects of a file.
func readObjects(f *source.File) *manifestFile {
	one, keep := &manifestFile{FileReader: form.FileReader{In: f.Source}}, keepsObjects(f.Source.Cache())
	if !keep && !f.Source.AsIntended {
		one.Skip = isSchema
	}
	for d, root := range one.Documents(f.Path) {
		switch root.Str("kind") {
		case "ClusterServiceVersion":
			one.csvs = append(one.csvs, readCSV(d, root))
		case "CustomResourceDefinition":
			one.crds = append(one.crds, readCRD(d, root))
		}
		if keep && root.Kind != tree.Null {
			one.objects = append(one.objects, bundled.NewObject(root))
		}
	}
	return one
}

// isSchema reports whether a value, by the path to it, is the schema of a CRD, most of the texts, of which a folder has no need.
func isSchema(path []string) bool {
	return len(path) == 4 && path[3] == "schema" && path[1] == "versions" || len(path) == 2 && path[1] == "validation"
}

// maxKeptObjects bounds the objects that are kept, in bytes.
const maxKeptObjects = 32 << 20

// keepsObjects reports whether the objects of a file are kept, up to maxKeptObjects.
func keepsObjects(m *source.ReadCache) bool { return m.Keep && m.Size.Load() < maxKeptObjects }

// readBefore returns what was read of a file; nil if it was not read.
func readBefore(m *source.ReadCache, id string) *manifestFile {
	known, _ := m.Files.Load(id)
	file, _ := known.(*manifestFile)
	return file
}

// keepRead keeps what was read of a file, unless there are problems. It returns the first that was kept.
func keepRead(m *source.ReadCache, id string, read *manifestFile) *manifestFile {
	if len(read.Problems)+read.Ignores > 0 {
		return read
	}
	first, known := m.Files.LoadOrStore(id, read)
	if !known && read.objects != nil {
		m.Objects.Store(id, read.objects)
		for _, o := range read.objects {
			m.Size.Add(int64(o.Size()))
		}
	}
	return first.(*manifestFile)
}

// add adds what was read of a file, or of one with the same text.
func (o *manifestFolder) add(f *source.File, known *manifestFile) {
	o.FilesRead += known.FilesRead
	o.Bytes += known.Bytes
	o.Lost.Merge(&known.Lost)
	for i := range known.csvs {
		o.Csvs = append(o.Csvs, known.csvs[i].inFile(f.Name))
	}
	for _, c := range known.crds {
		c.Pos.File = f.Name
		o.Crds = append(o.Crds, c)
	}
}

// firstCSV returns the name of the first CSV, "" if there is none.
func (o *manifestFolder) firstCSV() string {
	if len(o.Csvs) == 0 {
		return ""
	}
	return o.Csvs[0].Name.Value
}

// Bundle returns the bundle of the first CSV.
func (o *manifestFolder) Bundle(pkg catalogs.Text) *catalogs.Bundle {
	c := &o.Csvs[0]
	if o.derived == nil {
		o.derived = catalogs.NewFacts(o.properties(c, pkg.Value))
	}
	b := &catalogs.Bundle{Name: c.Name, Package: pkg, PackageName: pkg, RelatedImages: c.images, Pos: c.Name.Pos, Derived: o.derived, Folder: o.Folder}
	b.SetVersion(c.version)
	b.Properties = []catalogs.Property{{Type: catalogs.Text{Value: catalogs.TypePackage}, Pos: c.version.Pos}}
	return b
}
