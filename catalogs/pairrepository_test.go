package catalogs

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// operatorFiles are the files of a bundle of a repository; more is added to its spec.
func operatorFiles(files fstest.MapFS, pkg, version, more string) {
	dir := "operators/" + pkg + "/" + version
	files[dir+"/manifests/csv.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil,
		"kind: ClusterServiceVersion\nmetadata: {name: %s.v%s}\nspec:\n  version: %s\n%s", pkg, version, version, more)}
	files[dir+"/metadata/annotations.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil, "annotations:\n  %s: %s\n  %s: a\n", annotationPackage, pkg, annotationChannels)}
}

// TestPairOfRepositories reads only the operators whose folders differ, and those on which they depend.
func TestPairOfRepositories(t *testing.T) {
	base := fstest.MapFS{}
	for _, pkg := range []string{"blue", "green", "red"} {
		operatorFiles(base, pkg, "1.0.0", "")
		operatorFiles(base, pkg, "1.1.0", fmt.Sprintf("  replaces: %s.v1.0.0\n", pkg))
	}
	base["operators/grey/catalog-templates/a.yaml"] = &fstest.MapFile{Data: []byte("schema: olm.semver\n")}
	for name, c := range map[string]struct {
		change        func(fstest.MapFS)
		read, changed []string
		problems      int
	}{
		"nothing": {func(fstest.MapFS) {}, nil, nil, 0},
		"a bundle": {func(f fstest.MapFS) { operatorFiles(f, "red", "1.2.0", "  replaces: red.v1.1.0\n") },
			[]string{"red"}, []string{"red"}, 0},
		"a bundle below the head": {func(f fstest.MapFS) { operatorFiles(f, "red", "1.0.1", "  replaces: red.v1.0.0\n") },
			[]string{"red"}, []string{"red"}, 1},
		"a mode": {func(f fstest.MapFS) {
			f["operators/red/ci.yaml"] = &fstest.MapFile{Data: []byte("updateGraph: semver-mode\n")}
		}, []string{"red"}, []string{"red"}, 0},
		"a bundle that requires another package": {func(f fstest.MapFS) {
			operatorFiles(f, "red", "1.2.0", "  replaces: red.v1.1.0\n")
			f["operators/red/1.2.0/metadata/dependencies.yaml"] = &fstest.MapFile{
				Data: []byte("dependencies:\n- {type: olm.package, value: {packageName: blue, version: '>=1.0.0'}}\n")}
		}, []string{"blue", "red"}, []string{"red"}, 0},
		"a removed bundle": {func(f fstest.MapFS) {
			delete(f, "operators/red/1.1.0/manifests/csv.yaml")
			delete(f, "operators/red/1.1.0/metadata/annotations.yaml")
		}, []string{"red"}, []string{"red"}, 0},
		"a new operator": {func(f fstest.MapFS) { operatorFiles(f, "white", "1.0.0", "") }, []string{"white"}, []string{"white"}, 0},
		"a removed operator": {func(f fstest.MapFS) {
			maps.DeleteFunc(f, func(name string, _ *fstest.MapFile) bool { return name[:len("operators/red")] == "operators/red" })
		}, nil, []string{"red"}, 0},
		"a template": {func(f fstest.MapFS) {
			f["operators/grey/catalog-templates/b.yaml"] = &fstest.MapFile{Data: []byte("schema: olm.semver\n")}
		}, nil, nil, 1},
	} {
		now := maps.Clone(base)
		c.change(now)
		pair := openPair(t, now, base)
		var read []string
		for _, p := range pair.Now.Packages {
			read = append(read, p.Name.Value)
		}
		if diff := cmp.Diff(c.read, read); diff != "" {
			t.Errorf("%s: packages that were read (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.changed, pair.Changed); diff != "" {
			t.Errorf("%s: packages that differ (-want +got):\n%s", name, diff)
		}
		if len(pair.Now.Problems) < c.problems || c.problems == 0 && len(pair.Now.Problems) > 0 {
			t.Errorf("%s: problems %v", name, pair.Now.Problems)
		}
		for _, problem := range pair.Now.Problems {
			if problem.Kind == RegistryPruned {
				t.Errorf("%s: what the base has was published first: %v", name, problem)
			}
		}
		whole := openPair(t, now, fstest.MapFS{"operators/black/1.0.0/manifests/a.yaml": {}, "operators/black/1.0.0/metadata/a.yaml": {}}).Now
		for _, p := range pair.Now.Packages {
			if diff := cmp.Diff(summaryOf(whole.Package(p.Name.Value)), summaryOf(p)); diff != "" {
				t.Errorf("%s, %s (-whole +alone):\n%s", name, p.Name.Value, diff)
			}
		}
	}
}

func openPair(t *testing.T, now, base fstest.MapFS) *Pair {
	t.Helper()
	var all [][]*Catalog
	for _, files := range []fstest.MapFS{now, base} {
		cats, err := openTree(t.Context(), &source{fsys: files}, Options{Deferred: true})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, cats)
	}
	pairs, alone := Pairs(all[0], all[1])
	if len(pairs) != 1 || len(alone) > 0 {
		t.Fatal(pairs, alone)
	}
	if err := pairs[0].Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(pairs[0].Changed)
	return &pairs[0]
}
