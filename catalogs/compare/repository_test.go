package compare

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// operatorFiles are the files of a bundle of a repository; more is added to its spec.
func operatorFiles(files fstest.MapFS, pkg, version, more string) {
	dir := "operators/" + pkg + "/" + version
	files[dir+"/manifests/csv.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil,
		"kind: ClusterServiceVersion\nmetadata: {name: %s.v%s}\nspec:\n  version: %s\n%s", pkg, version, version, more)}
	files[dir+"/metadata/annotations.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil, "annotations:\n  %s: %s\n  %s: a\n", catalogs.AnnotationPackage, pkg, catalogs.AnnotationChannels)}
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
		"a bundle beside a template": {func(f fstest.MapFS) { operatorFiles(f, "grey", "1.0.0", "") }, []string{"grey"}, []string{"grey"}, 0},
		"a template": {func(f fstest.MapFS) {
			f["operators/grey/catalog-templates/b.yaml"] = &fstest.MapFile{Data: []byte("schema: olm.semver\n")}
		}, nil, nil, 0},
	} {
		now := maps.Clone(base)
		c.change(now)
		pair := openPair(t, now, base)
		if inside := openPair(t, withoutOperators(now), withoutOperators(base)).Now; name != "a template" && hasProblem(inside, catalogs.TemplateFault) {
			t.Errorf("%s: of the folder of the operators: %v", name, inside.Problems)
		}
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
		if hasProblem(pair.Now, catalogs.RegistryPruned) {
			t.Errorf("%s: what the base has was published first: %v", name, pair.Now.Problems)
		}
		whole := openPair(t, now, fstest.MapFS{"operators/black/1.0.0/manifests/a.yaml": {}, "operators/black/1.0.0/metadata/a.yaml": {}}).Now
		for _, p := range pair.Now.Packages {
			if diff := cmp.Diff(summarize(whole.Package(p.Name.Value)), summarize(p)); diff != "" {
				t.Errorf("%s, %s (-whole +alone):\n%s", name, p.Name.Value, diff)
			}
		}
	}
}

// TestPairSharesManifests: a bundle that the base has too is read once, and its parts are in the files of each.
func TestPairSharesManifests(t *testing.T) {
	base, now := fstest.MapFS{}, fstest.MapFS{}
	operatorFiles(base, "red", "1.0.0", "  relatedImages: [{name: a, image: b}]\n  customresourcedefinitions: {owned: [{name: c.d}]}\n")
	for name, file := range base {
		now[strings.Replace(name, "1.0.0", "1-0-0", 1)] = file
	}
	operatorFiles(now, "red", "1.1.0", "  replaces: red.v1.0.0\n")
	pair := openPair(t, now, base)
	var reader bundled.Manifests
	var objects []*bundled.Object
	for dir, c := range map[string]*catalogs.Catalog{"1.0.0": pair.Base, "1-0-0": pair.Now} {
		b := c.Package("red").Bundle("red.v1.0.0")
		all, err := reader.Read(b)
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		objects = append(objects, all[0].Object)
		file := "operators/red/" + dir + "/manifests/csv.yaml"
		for what, at := range map[string]struct {
			catalogs.Pos
			line int
		}{"name": {b.Name.Pos, 2}, "version": {b.Version.Pos, 4}, "image": {b.RelatedImages[0].Image.Pos, 5},
			"field": {all[0].At("spec.customresourcedefinitions"), 6}} {
			if at.File != file || at.Line != at.line {
				t.Errorf("%s is at %s, want line %d of %s", what, at.Pos, at.line, file)
			}
		}
	}
	if objects[0] != objects[1] {
		t.Error("the same text is decoded twice")
	}
}

// TestPairOfChangedMode adds a bundle in the mode of the change to the channels that the base was published with.
func TestPairOfChangedMode(t *testing.T) {
	base := fstest.MapFS{}
	operatorFiles(base, "red", "1.0.0", "")
	operatorFiles(base, "red", "1.1.0", "") // leaves 1.0.0
	now := maps.Clone(base)
	now["operators/red/ci.yaml"] = &fstest.MapFile{Data: []byte("updateGraph: semver-mode\n")}
	operatorFiles(now, "red", "1.2.0", "")
	var entries []string
	for _, e := range openPair(t, now, base).Now.Package("red").Channels[0].Entries {
		entries = append(entries, e.Name.Value+" "+e.Replaces.Value)
	}
	if diff := cmp.Diff([]string{"red.v1.2.0 red.v1.1.0", "red.v1.1.0 "}, entries); diff != "" {
		t.Error(diff)
	}
}

// TestPairReadsNoMention reads an operator of an API group that a changed one requires, and none that only has permissions for it.
func TestPairReadsNoMention(t *testing.T) {
	base := fstest.MapFS{}
	const api = "group: certs.example.com, version: v1, kind: Certificate"
	operatorFiles(base, "blue", "1.0.0", "  apiservicedefinitions: {owned: [{name: c, "+api+"}]}\n")
	operatorFiles(base, "green", "1.0.0", "  install: {spec: {clusterPermissions: [{rules: [{apiGroups: [certs.example.com]}]}]}}\n")
	operatorFiles(base, "red", "1.0.0", "  apiservicedefinitions: {required: [{name: c, "+api+"}]}\n")
	now := maps.Clone(base)
	operatorFiles(now, "red", "1.1.0", "  replaces: red.v1.0.0\n  apiservicedefinitions: {required: [{name: c, "+api+"}]}\n")
	var read []string
	for _, p := range openPair(t, now, base).Now.Packages {
		read = append(read, p.Name.Value)
	}
	if diff := cmp.Diff([]string{"blue", "red"}, read); diff != "" {
		t.Error(diff)
	}
}

func hasProblem(c *catalogs.Catalog, kind catalogs.ProblemKind) bool {
	return slices.ContainsFunc(c.Problems, func(p catalogs.Problem) bool { return p.Kind == kind })
}

// TestPairOfTemplate reads only the bundles that differ of an operator whose channels are in a template.
func TestPairOfTemplate(t *testing.T) {
	base := fstest.MapFS{"operators/red/ci.yaml": &fstest.MapFile{Data: []byte("fbc: {enabled: true}\n")}}
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		operatorFiles(base, "red", version, "")
	}
	now := maps.Clone(base)
	operatorFiles(now, "red", "1.1.0", "  displayName: Red\n")
	operatorFiles(now, "red", "1.3.0", "")
	delete(now, "operators/red/1.2.0/manifests/csv.yaml")
	pair := openPair(t, now, base)
	for _, c := range []struct {
		catalog *catalogs.Catalog
		want    []string
	}{{pair.Now, []string{"red.v1.1.0", "red.v1.3.0"}}, {pair.Base, []string{"red.v1.1.0", "red.v1.2.0"}}} {
		var read []string
		for _, b := range c.catalog.Package("red").Bundles {
			read = append(read, b.Name.Value)
		}
		if diff := cmp.Diff(c.want, read); diff != "" {
			t.Errorf("bundles that were read (-want +got):\n%s", diff)
		}
	}
	if !slices.Equal(pair.Changed, []string{"red"}) {
		t.Errorf("changed: %v", pair.Changed)
	}
}

// withoutOperators returns the files of operators/ as those of a folder of its own.
func withoutOperators(files fstest.MapFS) fstest.MapFS {
	all := fstest.MapFS{}
	for name, file := range files {
		all[strings.TrimPrefix(name, "operators/")] = file
	}
	return all
}

// TestPairOfPackageManifests reads only the packages whose folders differ, those of bundle folders beside them included.
func TestPairOfPackageManifests(t *testing.T) {
	base := fstest.MapFS{}
	for _, pkg := range []string{"blue", "green"} {
		manifestFiles := map[string]string{pkg + ".package.yaml": "packageName: " + pkg + "\nchannels: [{name: a, currentCSV: " + pkg + ".v1.0.0}]\n",
			"1.0.0/csv.yaml": "kind: ClusterServiceVersion\nmetadata: {name: " + pkg + ".v1.0.0}\nspec:\n  version: 1.0.0\n"}
		for name, text := range manifestFiles {
			base[pkg+"/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	bundles := fstest.MapFS{}
	for _, pkg := range []string{"grey", "red"} {
		operatorFiles(bundles, pkg, "1.0.0", "")
	}
	maps.Copy(base, withoutOperators(bundles))
	for name, c := range map[string]struct {
		change map[string]string
		read   []string
	}{
		"nothing":            {nil, nil},
		"a CSV":              {map[string]string{"blue/1.0.0/csv.yaml": "kind: ClusterServiceVersion\nmetadata: {name: blue.v1.0.0}\nspec:\n  version: 1.0.1\n"}, []string{"blue"}},
		"a package manifest": {map[string]string{"green/green.package.yaml": "packageName: green\nchannels: [{name: b, currentCSV: green.v1.0.0}]\n"}, []string{"green"}},
		"a bundle folder":    {map[string]string{"red/ci.yaml": "updateGraph: semver-mode\n"}, []string{"red"}},
	} {
		now := maps.Clone(base)
		for name, text := range c.change {
			now[name] = &fstest.MapFile{Data: []byte(text)}
		}
		pair := openPair(t, now, base)
		var read []string
		for _, p := range pair.Now.Packages {
			read = append(read, p.Name.Value)
		}
		if diff := cmp.Diff(c.read, read); diff != "" || !slices.Equal(pair.Changed, c.read) || pair.Now.Form != catalogs.PackageManifests {
			t.Errorf("%s: %s, changed %v, packages that were read (-want +got):\n%s", name, pair.Now.Form, pair.Changed, diff)
		}
	}
}

func openPair(t *testing.T, now, base fstest.MapFS) *Pair {
	t.Helper()
	var all [][]*repo.Opened
	for _, files := range []fstest.MapFS{now, base} {
		cats, err := open.Folder(t.Context(), &source.Source{Fsys: files}, open.Options{Deferred: true})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, cats)
	}
	pairs, alone := Pairs(context.Background(), all[0], all[1], false)
	if len(pairs) == 0 || len(alone) > 0 {
		t.Fatal(pairs, alone)
	}
	if err := pairs[0].Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(pairs[0].Changed)
	return &pairs[0]
}
