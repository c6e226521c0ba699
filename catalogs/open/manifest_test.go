package open

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

const shippedCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boats.example.com
  annotations: {a.b/c: "1"}
spec:
  preserveUnknownFields: no
  versions:
  - name: v1
    served: true
`

// shipped opens a bundle folder with a CRD in it, a catalog with the same CRD in base64, and one with metadata only.
func shipped(t *testing.T) []*catalogs.Bundle {
	t.Helper()
	csv := "kind: ClusterServiceVersion\nmetadata: {name: boat.v1.0.0}\nspec: {version: 1.0.0}\n"
	files := fstest.MapFS{
		"folder/manifests/a.csv.yaml":      {Data: []byte(csv)},
		"folder/manifests/b.crd.yaml":      {Data: []byte("---\n" + shippedCRD + "---\nkind: Service\n---\n- 1\n")},
		"folder/metadata/annotations.yaml": {Data: []byte("annotations: {" + catalogs.AnnotationPackage + ": boat, " + catalogs.AnnotationChannels + ": a}\n")},
	}
	bundle := "schema: olm.bundle\npackage: boat\nname: boat.v1.0.0\nimage: i\nproperties:\n" +
		"- type: olm.bundle.object\n  value: {data: " + base64.StdEncoding.EncodeToString([]byte(shippedCRD)) + "}\n" +
		"- type: olm.bundle.object\n  value: {data: '" + base64.StdEncoding.EncodeToString([]byte("{]")) + "'}\n"
	metadata := "schema: olm.bundle\npackage: boat\nname: boat.v1.0.0\nimage: i\nproperties:\n- type: olm.csv.metadata\n  value:\n" +
		"    annotations: {a: b}\n    crdDescriptions:\n      owned:\n      - name: boats.example.com\n        kind: Boat\n"
	files["fbc/a.yaml"] = &fstest.MapFile{Data: []byte(bundle)}
	files["metadata/a.yaml"] = &fstest.MapFile{Data: []byte(metadata)}
	var all []*catalogs.Bundle
	for _, dir := range []string{"folder", "fbc", "metadata"} {
		sub, err := files.Sub(dir)
		if err != nil {
			t.Fatal(err)
		}
		cats, err := Folder(t.Context(), &source.Source{Fsys: sub, Prefix: dir}, form.Options{})
		if err != nil || len(cats) != 1 || len(cats[0].Packages) != 1 {
			t.Fatal(dir, err)
		}
		all = append(all, cats[0].Packages[0].Bundles[0])
	}
	return all
}

func TestManifests(t *testing.T) {
	var reader bundled.Manifests
	var lines []string
	for _, b := range shipped(t) {
		all, err := reader.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			lines = append(lines, fmt.Sprintf("%s %s %s %d %v%s", m.Pos, m.Kind, m.Name, m.Document, m.Partial, m.Fault))
			for _, path := range []string{"spec.versions[0].served", "spec.versions[7]", "metadata.annotations[a.b/c]", "spec.customresourcedefinitions.owned[0].kind", "[", ".x[", "a..b"} {
				if at := m.At(path); at.Line != m.Pos.Line {
					lines = append(lines, fmt.Sprintf("  %s %s", path, at))
				}
			}
		}
	}
	want := strings.Split(`folder/manifests/a.csv.yaml:1:1 ClusterServiceVersion boat.v1.0.0 0 false
  spec.versions[0].served folder/manifests/a.csv.yaml:3:1
  spec.versions[7] folder/manifests/a.csv.yaml:3:1
  metadata.annotations[a.b/c] folder/manifests/a.csv.yaml:2:1
  spec.customresourcedefinitions.owned[0].kind folder/manifests/a.csv.yaml:3:1
folder/manifests/b.crd.yaml:2:1 CustomResourceDefinition boats.example.com 0 false
  spec.versions[0].served folder/manifests/b.crd.yaml:11:5
  spec.versions[7] folder/manifests/b.crd.yaml:9:3
  metadata.annotations[a.b/c] folder/manifests/b.crd.yaml:6:17
  spec.customresourcedefinitions.owned[0].kind folder/manifests/b.crd.yaml:7:1
folder/manifests/b.crd.yaml:13:1 Service  1 false
folder/manifests/b.crd.yaml:15:1   2 falsean object is wanted, not a list
fbc/a.yaml:7:10 CustomResourceDefinition boats.example.com 0 false
fbc/a.yaml:9:10   0 falseexpected a key in double quotes, found ']'
metadata/a.yaml:8:5 ClusterServiceVersion boat.v1.0.0 0 true
  spec.customresourcedefinitions.owned[0].kind metadata/a.yaml:12:9`, "\n")
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
}

func TestManifestsShare(t *testing.T) {
	var reader bundled.Manifests
	b := shipped(t)
	first, _ := reader.Read(b[1])
	again, _ := reader.Read(b[1])
	if first[0].Object != again[0].Object {
		t.Error("the same text is decoded twice")
	}
	const want = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"boats.example.com",` +
		`"annotations":{"a.b/c":"1"}},"spec":{"preserveUnknownFields":false,"versions":[{"name":"v1","served":true}]}}`
	if got := string(first[0].JSON()); got != want {
		t.Error(got)
	}
}
