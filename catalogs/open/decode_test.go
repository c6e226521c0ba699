package open

import (
	"path/filepath"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/form"
)

const folderCSV = "kind: ClusterServiceVersion # olmgraph:ignore some/rule it is meant\nmetadata: {name: boat.v1.0.0}\nspec: {version: 1.0.0}\n"

// TestIgnoresAreOfTheFirstReading changes a folder behind the catalog's back: what a bundle's folder says, and the comments in
// it, are those that were found when it was read.
func TestIgnoresAreOfTheFirstReading(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		catalogtest.Write(t, filepath.Join(dir, name), text)
	}
	annotations := "annotations: {" + catalogs.AnnotationPackage + ": boat, " + catalogs.AnnotationChannels + ": a} # olmgraph:ignore other/rule so is this\n"
	write("manifests/a.yaml", folderCSV)
	write("metadata/annotations.yaml", annotations)
	write("metadata/dependencies.yaml", "dependencies: [{type: olm.package, value: {packageName: p, version: '>1.0.0'}}]\n")
	c := openOne(t, dir, form.Options{})
	b := c.Packages[0].Bundles[0]
	write("manifests/a.yaml", "\n\n"+folderCSV)
	write("metadata/annotations.yaml", "\n"+annotations)
	folder := b.Folder
	if _, err := new(bundled.Manifests).Read(b); err != nil {
		t.Fatal(err)
	}
	if folder.AnnotationsPos.Line != 1 || len(folder.Annotations) != 2 || len(folder.Dependencies) != 1 {
		t.Errorf("the folder has %+v", folder)
	}
	if found := c.Ignores(); len(found) != 2 {
		t.Errorf("the comments are %+v", found)
	}
}
