package open

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/form"
)

func openOne(t testing.TB, ref string, o form.Options) *catalogs.Catalog {
	t.Helper()
	cats, err := Open(context.Background(), ref, o)
	if err != nil || len(cats) != 1 {
		t.Fatalf("%s: %d catalogs, %v", ref, len(cats), err)
	}
	return cats[0]
}

func TestOpenReferences(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		catalogtest.Write(t, path, text)
		return path
	}
	const pkg = "schema: olm.package\nname: red\n"
	write("several/v4.9/red.yaml", pkg)
	write("several/v4.10/red.yaml", pkg)
	write("several/community-v4.18/red.yaml", pkg)
	write("several/v4.20.json", `{"schema":"olm.package","name":"blue"}`)
	write("several/README.md", "# not a catalog")
	write("one/red-v4.9/red.yaml", pkg)
	write("one/blue/blue.yaml", pkg)
	file := write("v4.18.yaml", pkg)
	for _, c := range []struct{ ref, names, openshift string }{
		{filepath.Join(dir, "several"), "v4.9 v4.10 community-v4.18 v4.20.json", "4.9 4.10 4.18 4.20"},
		{filepath.Join(dir, "one"), "", ""},
		{filepath.Join(dir, "several", "v4.9"), "", "4.9"},
		{file, "", "4.18"},
	} {
		cats, err := Open(context.Background(), c.ref, form.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var names, versions []string
		for _, cat := range cats {
			names, versions = append(names, cat.Name), append(versions, cat.OpenShift)
		}
		if strings.Join(names, " ") != c.names || strings.Join(versions, " ") != c.openshift {
			t.Errorf("%s: got %q for %q", c.ref, names, versions)
		}
	}
	cats, err := Open(context.Background(), "-", form.Options{Stdin: strings.NewReader(pkg)})
	if err != nil || cats[0].Packages[0].Pos.String() != "stdin:1:1" {
		t.Errorf("standard input: got %v, %v", cats, err)
	}
	for ref, want := range map[string]string{filepath.Join(dir, "none"): "no such file or folder", "-": "no standard input"} {
		if _, err := Open(context.Background(), ref, form.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", ref, err, want)
		}
	}
}
