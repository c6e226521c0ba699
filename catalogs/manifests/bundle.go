package manifests

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// addMetadata adds the annotations and dependencies of one document of the metadata.
func addMetadata(f *catalogs.Folder, d *form.Decoder, root *tree.Node) {
	if annotations := root.At("annotations"); annotations != nil {
		f.AnnotationsPos = d.Pos(root.Place)
		for i := range annotations.Fields {
			key := annotations.Fields[i].Key
			value := d.Text(annotations, key)
			value.Pos = d.Pos(annotations.Fields[i].Place)
			f.Annotations = append(f.Annotations, catalogs.Annotation{Key: key, Value: value})
		}
	}
	listed := form.Items(root, "dependencies")
	for i := range listed {
		one := catalogs.Dependency{Type: d.Text(&listed[i], "type").Value, Pos: d.Pos(listed[i].Place)}
		if v := listed[i].Get("value"); v != nil {
			one.JSON = v.AppendJSON(nil)
		}
		f.Dependencies = append(f.Dependencies, one)
	}
}

// ConfigMapSize returns the size in bytes of the manifests as OLM v0 stores them in a ConfigMap: compressed with gzip, and in base64. If
// that is less than atLeast, the size may be an estimate that is less as well, which takes a small part of the time.
func ConfigMapSize(f *catalogs.Folder, atLeast int) (size int, err error) {
	texts := make([][]byte, 0, len(f.Paths))
	for _, name := range f.Paths {
		text, err := source.ReadAll(f.Source.File(name))
		if err != nil {
			return 0, fmt.Errorf("%s cannot be read: %w", name, disk.Cause(err))
		}
		texts = append(texts, text)
	}
	return gzippedSize(texts, atLeast), nil
}

// bundleFolder is a bundle folder: its manifests and the annotations in its metadata.
type bundleFolder struct {
	*manifestFolder
	pkg, channels, defaultChannel, versions catalogs.Text
	annotationsPos                          catalogs.Pos // or of the file
	elsewhere                               *catalogs.Bundle
}

// inOtherVersions returns the bundle for the catalogs that do not have it: one for all. The folder has a ClusterServiceVersion.
func (b *bundleFolder) inOtherVersions() *catalogs.Bundle {
	if b.elsewhere == nil {
		b.elsewhere = b.Bundle(b.pkg)
	}
	return b.elsewhere
}

// IsBundleFolder reports whether a folder is that of one bundle.
func IsBundleFolder(fsys fs.FS, dir string) bool {
	return source.IsDir(fsys, path.Join(dir, "manifests")) && source.IsDir(fsys, path.Join(dir, "metadata"))
}

// IsBundle reports whether a folder that nobody named is that of one bundle: it has an object in manifests/, and YAML in metadata/. One that is named
// after a version is meant to be.
func IsBundle(fsys fs.FS, dir string) bool {
	if !IsBundleFolder(fsys, dir) || isVersionFolder(dir) {
		return IsBundleFolder(fsys, dir)
	}
	has := func(folder string, what *regexp.Regexp) bool {
		entries, _ := fs.ReadDir(fsys, path.Join(dir, folder))
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
			text, err := disk.Head(fsys, path.Join(dir, folder, e.Name()), 64<<10)
			return !e.IsDir() && isManifestName(e.Name()) && (err != nil || what == nil || what.Match(text))
		})
	}
	return has("manifests", saysKind) && has("metadata", nil)
}

// saysKind matches the text of an object.
var saysKind = regexp.MustCompile(`(?m)^\s*\{?\s*"?kind"?\s*:`)

// isVersionFolder reports whether a folder is named after a version.
func isVersionFolder(dir string) bool {
	_, err := semver.ParseTolerant(path.Base(dir))
	return err == nil
}

// readManifestFolders reads folders of manifests concurrently. If the context ends, some are left out.
func readManifestFolders(ctx context.Context, s *source.Source, dirs []string, o form.Options) []*manifestFolder {
	return parallel.ReadFolders(ctx, dirs, o.Progress, func(dir string) (*manifestFolder, int64) {
		found := newManifestFolder(s, dir)
		found.readManifests(dir)
		return found, found.Bytes
	})
}

// newBundleFolder returns a bundle folder that is not read.
func newBundleFolder(s *source.Source, dir string) *bundleFolder {
	b := &bundleFolder{manifestFolder: newManifestFolder(s, dir)}
	b.inBundle = true
	return b
}

// readBundle reads the manifests and the metadata of a bundle folder.
func readBundle(s *source.Source, dir string) *bundleFolder {
	b := newBundleFolder(s, dir)
	b.Subfolders = b.readManifests(path.Join(dir, "manifests"))
	b.readMetadata()
	b.Attribute(b.pkg.Value, b.firstCSV())
	return b
}

// readMetadata reads the metadata of a bundle folder.
func (b *bundleFolder) readMetadata() {
	metadata := path.Join(b.Dir, "metadata")
	b.annotationsPos = catalogs.Pos{File: b.Source.Display(path.Join(metadata, "annotations.yaml"))}
	entries, _ := fs.ReadDir(b.Source.Fsys, metadata)
	for _, e := range entries {
		switch name, yaml := trimYAMLExt(e.Name()); {
		case e.IsDir() || !yaml:
		case name == "annotations", name == "dependencies", name == "properties":
			first := len(b.Problems)
			for d, root := range b.Documents(path.Join(metadata, e.Name())) {
				b.metadata(d, root)
			}
			if name != "annotations" {
				b.ignoreMalformed(first)
			}
		}
	}
}

// ignoreMalformed takes out the mistakes for which opm ignores a file (operator-registry: pkg/registry addMetadata), of the problems from
// first on.
func (b *bundleFolder) ignoreMalformed(first int) {
	left := slices.DeleteFunc(b.Problems[first:], func(p catalogs.Problem) bool {
		isText := p.Kind == catalogs.ParseProblem && p.Pos.Line > 0
		if isText {
			b.Malformed = append(b.Malformed, p)
		}
		return isText
	})
	b.Problems = b.Problems[:first+len(left)]
}

// trimYAMLExt returns the name of a YAML file without its extension, and whether it has one.
func trimYAMLExt(name string) (string, bool) {
	if name, ok := strings.CutSuffix(name, ".yaml"); ok {
		return name, true
	}
	return strings.CutSuffix(name, ".yml")
}

// metadata adds one document of the metadata: annotations, dependencies or properties.
func (b *bundleFolder) metadata(d *form.Decoder, root *tree.Node) {
	addMetadata(b.manifestFolder.Folder, d, root)
	if root.At("annotations") != nil {
		b.annotationsPos = d.Pos(root.Place)
		b.pkg, b.channels = d.Text(root, "annotations", catalogs.AnnotationPackage), d.Text(root, "annotations", catalogs.AnnotationChannels)
		b.defaultChannel, b.versions = d.Text(root, "annotations", catalogs.AnnotationDefault), d.Text(root, "annotations", catalogs.OpenShiftAnnotation)
	}
	if len(b.Csvs) == 0 {
		return
	}
	c := &b.Csvs[0]
	for _, n := range form.Items(root, "dependencies") {
		c.metadataProperties = append(c.metadataProperties, metadataDependency(d, &n))
	}
	for _, n := range form.Items(root, "properties") {
		if p := metadataProperty(d, &n); p.Type != catalogs.TypePackage { // opm takes the package and version of the annotations and the CSV
			c.metadataProperties = append(c.metadataProperties, p)
		}
	}
}

// setBeside sets the packages of the bundles that are beside each one, in the folder of the operator.
func setBeside(found []*bundleFolder) {
	of := map[string]map[string]int{} // how many bundles, by operator and package
	for _, b := range found {
		dir := path.Dir(b.Dir)
		if of[dir] == nil {
			of[dir] = map[string]int{}
		}
		of[dir][b.pkg.Value]++
	}
	for _, b := range found {
		b.Beside = nil
		for _, pkg := range slices.Sorted(maps.Keys(of[path.Dir(b.Dir)])) {
			if pkg != "" && (pkg != b.pkg.Value || of[path.Dir(b.Dir)][pkg] > 1) {
				b.Beside = append(b.Beside, pkg)
			}
		}
	}
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
