package compare

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// bundleFiles are the files of a bundle red.vVERSION.
func bundleFiles(files fstest.MapFS, dir, version, channels, defaultChannel string) {
	annotations := fmt.Sprintf("annotations:\n  %s: red\n  %s: %q\n", catalogs.AnnotationPackage, catalogs.AnnotationChannels, channels)
	if defaultChannel != "" {
		annotations += fmt.Sprintf("  %s: %s\n", catalogs.AnnotationDefault, defaultChannel)
	}
	csv := fmt.Sprintf("kind: ClusterServiceVersion\nmetadata: {name: red.v%s}\nspec: {version: %[1]s}\n", version)
	files[dir+"/manifests/red.yaml"] = &fstest.MapFile{Data: []byte(csv)}
	files[dir+"/metadata/annotations.yaml"] = &fstest.MapFile{Data: []byte(annotations)}
}

// TestInferredDefaultChannel is about packages of which opm registry add has to infer the default channel.
func TestInferredDefaultChannel(t *testing.T) {
	for _, c := range []struct {
		mode, first, second string // the channels of the versions 1.9.0 and 1.10.0, then = and the default one
		want                string
		rejected            bool // the first one
	}{
		{"", "slow", "", "slow", false},
		{"", "slow,fast", "", "", true},
		{"", "slow,fast=slow", "", "slow", false},
		{"", "slow", "fast", "slow", false},
		{"", "slow", "slow,fast", "slow", false},
		{"", "slow,fast", "slow", "slow", true},
		{"", "slow,fast", "fast,slow=slow", "slow", true},
		{"replaces-mode", "slow,fast", "slow", "slow", true},
		{pipelineconfig.SemverMode, "slow,fast", "a", "fast", false},
		{pipelineconfig.SkipPatchMode, "slow,fast", "", "fast", false},
		{pipelineconfig.SemverMode, "slow,fast", "a=a", "a", false},
	} {
		files := fstest.MapFS{}
		for version, says := range map[string]string{"1.9.0": c.first, "1.10.0": c.second} {
			if channels, named, _ := strings.Cut(says, "="); channels != "" {
				bundleFiles(files, "red/"+version, version, channels, named)
			}
		}
		if c.mode != "" {
			files["red/ci.yaml"] = &fstest.MapFile{Data: []byte("updateGraph: " + c.mode + "\n")}
		}
		cats, err := open.Folder(t.Context(), &source.Source{Fsys: files}, open.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, problems := cats[0].Packages[0].DefaultChannel.Value, slices.Clone(cats[0].Problems)
		problems = slices.DeleteFunc(problems, func(p catalogs.Problem) bool { return p.Kind == catalogs.RegistryPruned })
		rejected := len(problems) == 1 && problems[0].Kind == catalogs.ManifestAnnotations && problems[0].Bundle == "red.v1.9.0"
		if got != c.want || rejected != c.rejected {
			t.Errorf("%+v: the default channel is %q, problems %v", c, got, problems)
		}
	}
}

// TestManifestFolders is about where the import of package manifests finds ClusterServiceVersions: in every folder below, and
// several in one (operator-registry: pkg/sqlite DirectoryLoader).
func TestManifestFolders(t *testing.T) {
	csv := func(version, replaces string) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "kind: ClusterServiceVersion\nmetadata: {name: red.v%s}\nspec: {version: %[1]s, replaces: %q}\n", version, replaces)}
	}
	files := fstest.MapFS{
		"red/red.package.yaml":  {Data: []byte("packageName: red\nchannels:\n- {name: slow, currentCSV: red.v5.0.0}\n")},
		"red/red1.yaml":         csv("1.0.0", ""),
		"red/red2.yaml":         csv("2.0.0", "red.v1.0.0"),
		"red/service.yaml":      {Data: []byte("kind: Service\n")},
		"red/3/red.yaml":        csv("3.0.0", "red.v2.0.0"),
		"red/3/more.yaml":       csv("4.0.0", "red.v3.0.0"),
		"red/5/below/red.yaml":  csv("5.0.0", "red.v4.0.0"),
		"red/5/metadata/a.yaml": {Data: []byte("annotations: {}\n")},
		"red/5/extra.yaml":      {Data: []byte("kind: Service\n")},
		"red/.hidden/red6.yaml": csv("6.0.0", "red.v5.0.0"),
	}
	bundleFiles(files, "blue/1.0.0", "1.0.0", "a", "")
	name := files["blue/1.0.0/metadata/annotations.yaml"]
	name.Data = []byte(strings.Replace(string(name.Data), ": red", ": blue", 1))
	cats, err := open.Folder(t.Context(), &source.Source{Fsys: files}, open.Options{})
	if err != nil || len(cats) != 1 {
		t.Fatal(cats, err)
	}
	if len(cats[0].Problems) > 0 {
		t.Error(cats[0].Problems)
	}
	var got []string
	for _, p := range cats[0].Packages {
		for _, b := range p.Bundles {
			manifests, err := new(bundled.Manifests).Read(b)
			if err != nil {
				t.Fatal(err)
			}
			line := p.Name.Value + " " + b.Name.Value
			for _, m := range manifests {
				line += " " + m.File
			}
			got = append(got, line)
		}
	}
	want := []string{"blue red.v1.0.0 red.yaml", "red red.v1.0.0 red1.yaml service.yaml", "red red.v2.0.0 red2.yaml service.yaml",
		"red red.v4.0.0 more.yaml", "red red.v3.0.0 red.yaml", "red red.v5.0.0 red.yaml"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const folderCSV = "kind: ClusterServiceVersion # olmgraph:ignore some/rule it is meant\nmetadata: {name: boat.v1.0.0}\nspec: {version: 1.0.0}\n"

// TestFolderProgress: Progress is called for each byte of bundles.
func TestFolderProgress(t *testing.T) {
	annotations := "annotations: {" + catalogs.AnnotationPackage + ": boat, " + catalogs.AnnotationChannels + ": a}\n"
	manifest := "packageName: boat\nchannels: [{name: a, currentCSV: boat.v1.0.0}]\n"
	repository := fstest.MapFS{}
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		repository["operators/boat/"+version+"/manifests/a.yaml"] = &fstest.MapFile{Data: []byte(folderCSV)}
		repository["operators/boat/"+version+"/metadata/annotations.yaml"] = &fstest.MapFile{Data: []byte(annotations)}
	}
	bundle, err := repository.Sub("operators/boat/1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	for kind, c := range map[catalogs.Form]struct {
		fsys  fs.FS
		calls int
		bytes int
	}{
		catalogs.Repository:   {repository, 3, 3 * (len(folderCSV) + len(annotations))},
		catalogs.BundleFolder: {bundle, 1, len(folderCSV) + len(annotations)},
		catalogs.PackageManifests: {fstest.MapFS{"boat.package.yaml": {Data: []byte(manifest)}, "1.0.0/a.yaml": {Data: []byte(folderCSV)}},
			2, len(manifest) + len(folderCSV)},
	} {
		calls, bytes := 0, int64(0)
		cats, err := open.Folder(t.Context(), &source.Source{Fsys: c.fsys}, open.Options{Progress: func(n int64) { calls, bytes = calls+1, bytes+n }})
		if err != nil || cats[0].Form != kind {
			t.Fatal(kind, err)
		}
		if calls != c.calls || bytes != int64(c.bytes) || bytes != cats[0].Stats.Bytes {
			t.Errorf("%s: told %d times of %d bytes, want %d of %d, as are counted: %d", kind, calls, bytes, c.calls, c.bytes, cats[0].Stats.Bytes)
		}
	}
}

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
