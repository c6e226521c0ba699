package catalogs

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs/fserror"
	"github.com/olmgraph/olmgraph/catalogs/gzipsize"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Folder is the folder of a bundle's manifests, and its metadata if it is a bundle folder.
type Folder struct {
	Name  string   // the last element of its path: in a repository the version
	Pos   Pos      // of the folder
	Files []string // the names of the files with manifests that are read
	// Subfolders are the names of folders in manifests/, which opm ignores.
	Subfolders []string
	// AnnotationsPos is the position of the annotations; zero if there are none, as in a folder of package manifests.
	AnnotationsPos Pos
	Annotations    []Annotation
	Dependencies   []Dependency
	// Alone reports whether no other folder of a bundle is beside it in a repository, read or not.
	Alone bool
	// Beside are the packages of the other bundles beside it that are read, sorted.
	Beside []string
	// FileBased reports whether the channels of its operator are in templates of file-based catalogs, and not in the bundles.
	FileBased bool

	source *source
	dir    string   // in the source
	paths  []string // in the source, of the Files
}

// embeddedObject is an object that is in the text of another one, as that of a ConfigMap.
type embeddedObject struct {
	node *tree.Node
	pos  func(tree.Place) Pos // of a place in the node
}

// Annotation is one annotation of metadata/annotations.yaml.
type Annotation struct {
	Key   string
	Value Text
}

// Dependency is one entry of metadata/dependencies.yaml. JSON is its value, nil if it has none.
type Dependency struct {
	Type string
	JSON []byte
	Pos  Pos
}

// addMetadata adds the annotations and dependencies of one document of the metadata.
func (f *Folder) addMetadata(d *decoder, root *tree.Node) {
	if annotations := root.At("annotations"); annotations != nil {
		f.AnnotationsPos = d.pos(root.Place)
		for i := range annotations.Fields {
			key := annotations.Fields[i].Key
			value := d.textAt(annotations, key)
			value.Pos = d.pos(annotations.Fields[i].Place)
			f.Annotations = append(f.Annotations, Annotation{Key: key, Value: value})
		}
	}
	listed := items(root, "dependencies")
	for i := range listed {
		one := Dependency{Type: d.textAt(&listed[i], "type").Value, Pos: d.pos(listed[i].Place)}
		if v := listed[i].Get("value"); v != nil {
			one.JSON = v.AppendJSON(nil)
		}
		f.Dependencies = append(f.Dependencies, one)
	}
}

// Annotation returns the value of an annotation, and whether there is one of that name.
func (f *Folder) Annotation(key string) (Text, bool) {
	for _, a := range f.Annotations {
		if a.Key == key {
			return a.Value, true
		}
	}
	return Text{}, false
}

// ConfigMapSize returns the size in bytes of the manifests as OLM v0 stores them in a ConfigMap: compressed with gzip, and in base64. If
// that is less than atLeast, the size may be an estimate that is less as well, which takes a small part of the time.
func (f *Folder) ConfigMapSize(atLeast int) (size int, err error) {
	texts := make([][]byte, 0, len(f.paths))
	for _, name := range f.paths {
		text, err := readAll(f.source.file(name))
		if err != nil {
			return 0, fmt.Errorf("%s cannot be read: %w", name, fserror.Cause(err))
		}
		texts = append(texts, text)
	}
	return gzipsize.Encoded(texts, atLeast), nil
}

// AttachManifests attaches to the bundles of a catalog the manifests of the same bundles, by package and name, in other catalogs, as bundle
// folders, and adds the problems of those manifests to this catalog. It returns the bundles without manifests.
func (c *Catalog) AttachManifests(from []*Catalog) (without []*Bundle) {
	for _, p := range c.Packages {
		for _, b := range p.Bundles {
			if b.Folder == nil && b.embedded == nil {
				b.Folder, b.embedded = manifestsOf(from, p.Name.Value, b.Name.Value)
			}
			if b.Folder == nil && b.embedded == nil {
				without = append(without, b)
			} else {
				c.Attached++
			}
		}
	}
	for _, other := range from {
		for _, problem := range other.Problems {
			if p := c.Package(problem.Package); p != nil && problem.Bundle != "" && p.Bundle(problem.Bundle) != nil {
				c.Problems = append(c.Problems, problem)
			}
		}
	}
	return without
}

func manifestsOf(from []*Catalog, pkg, bundle string) (*Folder, []embeddedObject) {
	for _, other := range from {
		if p := other.Package(pkg); p != nil {
			if b := p.Bundle(bundle); b != nil && (b.Folder != nil || b.embedded != nil) {
				return b.Folder, b.embedded
			}
		}
	}
	return nil, nil
}

// SupportsOpenShift reports whether the annotation com.redhat.openshift.versions selects the catalog of an OpenShift version, for example
// "4.18". Without one all are selected.
func (f *Folder) SupportsOpenShift(version string) bool {
	selected, _ := f.Annotation(OpenShiftAnnotation)
	return supportsOpenShift(selected.Value, version)
}
