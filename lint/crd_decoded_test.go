package lint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// TestDecodedCRDs: only so many CRDs are held decoded, the ones that were asked for last.
func TestDecodedCRDs(t *testing.T) {
	var text strings.Builder
	const n = 12
	for i := range n {
		fmt.Fprintf(&text, "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.b.c%d}\n"+
			"spec: {group: b.c%d, names: {kind: A, plural: as}, scope: Namespaced, versions: [{name: v1, served: true, storage: true, "+
			"schema: {openAPIV3Schema: {type: object, description: '%s'}}}]}\n", i, i, strings.Repeat("a", mostDecoded/5))
	}
	objects, err := catalogs.ParseObjects([]byte(text.String()))
	if err != nil || len(objects) != n {
		t.Fatal(len(objects), err)
	}
	var d decodedCRDs
	first, err := d.of(objects[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects[1:] {
		if _, err := d.of(o); err != nil {
			t.Fatal(err)
		}
		if again, _ := d.of(objects[0]); again != first {
			t.Fatalf("%s was let go of, and had just been asked for", first.Name)
		}
		if d.bytes > mostDecoded {
			t.Errorf("%d bytes of %d CRDs are held", d.bytes, len(d.held))
		}
	}
	if len(d.held) != 4 {
		t.Errorf("%d are held, want 4", len(d.held))
	}
}

// TestAnswers: what rules ask of schemas has the same answer for one rule alone and for all together, and nothing stays decoded.
func TestAnswers(t *testing.T) {
	cats, err := catalogs.Open(t.Context(), catalogtest.Data(t, "bundle-repo"), catalogs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	together := map[string][]string{}
	found, err := Run(t.Context(), cats, Options{Rules: family("crd")})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		together[f.Rule] = append(together[f.Rule], f.Message)
	}
	some := 0
	for _, r := range family("crd") {
		found, err := Run(t.Context(), cats, Options{Rules: []Rule{r}})
		if err != nil {
			t.Fatal(err)
		}
		var alone []string
		for _, f := range found {
			alone = append(alone, f.Message)
		}
		if some += len(alone); strings.Join(alone, "\n") != strings.Join(together[r.ID], "\n") {
			t.Errorf("%s finds alone\n%s\nand among others\n%s", r.ID, strings.Join(alone, "\n"), strings.Join(together[r.ID], "\n"))
		}
	}
	p := newPass(cats[0], cats[0].Packages[0], nil)
	p.facts.crds.answers.asked = asksFaults | asksChanges | asksUnseen | asksBroken
	p.answer()
	if held := len(p.facts.crds.decoded.held); held > 0 || len(p.facts.crds.answers.judged) == 0 || some == 0 {
		t.Errorf("%d CRDs are still decoded, %d were judged, %d findings", held, len(p.facts.crds.answers.judged), some)
	}
}

// TestUnreadableCRDs: two CRDs of one bundle that cannot be read are two findings.
func TestUnreadableCRDs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifests/csv.yaml": "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: a.v1.0.0}\nspec: {version: 1.0.0}\n",
		"manifests/a.yaml":   "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.b.c}\nspec: {versions: 3}\n",
		"manifests/b.yaml":   "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: bs.b.c}\nspec: {versions: 3}\n",
		"metadata/annotations.yaml": "annotations:\n  operators.operatorframework.io.bundle.package.v1: a\n" +
			"  operators.operatorframework.io.bundle.channels.v1: s\n",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	cats, err := catalogs.Open(t.Context(), dir, catalogs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Run(t.Context(), cats, Options{Rules: family("crd")})
	if err != nil || len(found) != 2 || found[0].Rule != "crd/invalid" || found[1].Rule != "crd/invalid" {
		t.Errorf("%v %v", found, err)
	}
}
