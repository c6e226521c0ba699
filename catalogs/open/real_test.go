package open

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/form"
)

// TestRealPackages reads each package of the real catalogs alone: it must be the one that is in the whole catalog.
func TestRealPackages(t *testing.T) {
	names, step := []string{"fbc/community-v4.14", "fbc/community-v4.18", "fbc/community-v4.18.json", "fbc/community-v4.20", "fbc/community-v4.22"}, 1
	if testing.Short() {
		names, step = names[3:4], 50
	}
	for _, name := range names {
		ref := catalogtest.Data(t, name)
		whole := openOne(t, ref, form.Options{})
		for i := 0; i < len(whole.Packages); i += step {
			p := whole.Packages[i]
			alone := openOne(t, ref, form.Options{Package: p.Name.Value})
			if len(alone.Packages) != 1 {
				t.Fatalf("%s: %d packages instead of %s", ref, len(alone.Packages), p.Name.Value)
			}
			if diff := cmp.Diff(summarize(p), summarize(alone.Packages[0])); diff != "" {
				t.Errorf("%s, %s alone (-whole +alone):\n%s", ref, p.Name.Value, diff)
			}
		}
		if alone := openOne(t, ref, form.Options{Package: "no-such-package"}); len(alone.Packages) > 0 || len(alone.Problems) > 0 {
			t.Errorf("%s: a package that is not there: %d packages, %v", ref, len(alone.Packages), alone.Problems)
		}
	}
}

// TestRealDependencies reads those of every bundle of a real catalog, from YAML and from JSON.
func TestRealDependencies(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs concurrently but opening a catalog")
	}
	for _, name := range []string{"fbc/community-v4.18", "fbc/community-v4.18.json"} {
		requires, provides, bundles := 0, 0, 0
		for _, p := range openOne(t, catalogtest.Data(t, name), form.Options{}).Packages {
			for _, b := range p.Bundles {
				facts, err := bundled.Facts(b)
				if err != nil || len(facts.Faults) > 0 {
					t.Errorf("%s: %v, %v", b.Name.Value, err, facts)
					continue
				}
				bundles++
				requires += len(facts.Requires)
				provides += len(facts.Provides)
			}
		}
		if requires != 43+8 || provides != 5837 || bundles < 500 { // requirements by API and by package
			t.Errorf("%s: %d requirements and %d APIs of %d bundles", name, requires, provides, bundles)
		}
	}
}

// TestFormsAgree wants the same facts of package manifests and of the index that operator-registry made of them.
func TestFormsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs concurrently but opening a catalog")
	}
	index := openOne(t, catalogtest.Data(t, "sqlite/manifests.db"), form.Options{})
	same := 0
	for _, p := range openOne(t, catalogtest.Data(t, "manifests"), form.Options{}).Packages {
		indexed := index.Package(p.Name.Value)
		if indexed == nil {
			continue // the initializer left it out
		}
		for _, b := range p.Bundles {
			other := indexed.Bundle(b.Name.Value)
			if other == nil {
				continue
			}
			same++
			if diff := cmp.Diff(propertyLines(t, other), propertyLines(t, b)); diff != "" {
				t.Errorf("%s (-index +manifests):\n%s", b.Name.Value, diff)
			}
		}
	}
	if same < 50 {
		t.Errorf("only %d bundles are in both", same)
	}
}

func propertyLines(t *testing.T, b *catalogs.Bundle) []string {
	t.Helper()
	f, err := bundled.Facts(b)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range f.Properties {
		lines = append(lines, p.Type+" "+string(p.Value))
	}
	slices.Sort(lines)
	return lines
}

// TestRealManifests finds the objects of real bundles.
func TestRealManifests(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs concurrently but opening a catalog")
	}
	for _, ref := range []string{"bundle-repo", "fbc/community-v4.14", "fbc/community-v4.20"} {
		cats, err := Open(t.Context(), catalogtest.Data(t, ref), form.Options{})
		if err != nil {
			t.Fatal(err)
		}
		catalog := cats[0] // the bundles; beside them is a template
		csvs, crds, bundles, distinct := 0, 0, 0, map[*bundled.Object]bool{}
		for _, p := range catalog.Packages {
			var reader bundled.Manifests
			for _, b := range p.Bundles {
				all, err := reader.Read(b)
				if err != nil {
					t.Fatal(err)
				}
				bundles++
				for _, m := range all {
					distinct[m.Object] = true
					switch m.Kind {
					case "ClusterServiceVersion":
						csvs++
					case "CustomResourceDefinition":
						crds++
					}
					if m.Fault != "" || len(m.JSON()) == 0 {
						t.Errorf("%s: %s", m.Pos, m.Fault)
					}
				}
			}
		}
		if csvs != bundles && ref != "bundle-repo" || crds == 0 && ref != "fbc/community-v4.20" {
			t.Errorf("%s: %d bundles, %d CSVs, %d CRDs", ref, bundles, csvs, crds)
		}
		t.Logf("%s: %d bundles, %d CSVs, %d CRDs, %d distinct objects", ref, bundles, csvs, crds, len(distinct))
	}
}

// BenchmarkOpen reads real catalogs.
func BenchmarkOpen(b *testing.B) {
	for _, name := range []string{"community-v4.14", "community-v4.18.json", "community-v4.20"} {
		b.Run(name, func(b *testing.B) {
			ref := catalogtest.Data(b, "fbc/"+name)
			b.ReportAllocs()
			for b.Loop() {
				cats, err := Open(context.Background(), ref, form.Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(cats[0].Stats.Bytes)
			}
		})
	}
}

// BenchmarkForms opens real catalogs in all their forms; the first ones hold the same.
func BenchmarkForms(b *testing.B) {
	for _, one := range []struct{ name, ref string }{
		{"folder", "fbc/community-v4.20"}, {"oci", "images/community-v4.20.oci"}, {"oci-archive", "images/community-v4.20.oci.tar"},
		{"docker-archive", "images/community-v4.20.docker.tar"}, {"sqlite", "sqlite/manifests.db"}, {"manifests", "manifests"},
		{"repository", "bundle-repo"}, {"git", "git:fbc/community-v4.20"}, {"git-repository", "git:bundle-repo"},
	} {
		b.Run(one.name, func(b *testing.B) {
			folder, isGit := strings.CutPrefix(one.ref, "git:")
			ref := catalogtest.Data(b, folder)
			if isGit {
				ref = committed(b, ref)
			}
			b.ReportAllocs()
			for b.Loop() {
				cats, err := Open(context.Background(), ref, form.Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(cats[0].Stats.Bytes)
			}
		})
	}
}

// committed goes to a repository, packed by the program git, in which a folder was committed, and returns the reference to it.
func committed(b *testing.B, folder string) string {
	b.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		b.Skip("the program git is not there to make a repository with")
	}
	if folder, err = filepath.Abs(folder); err != nil {
		b.Fatal(err)
	}
	b.Chdir(b.TempDir())
	for _, args := range [][]string{{"init", "-q"}, {"--work-tree", folder, "add", "-f", folder},
		{"-c", "user.name=a", "-c", "user.email=a@b", "--work-tree", folder, "commit", "-qm", "a commit"}, {"repack", "-adq"}} {
		if out, err := exec.Command(git, append([]string{"--git-dir", ".git"}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return "git:HEAD"
}

// TestRealPublished wants the channels of a real repository that opm v1.65.0 publishes when the bundles are added one by one: their
// heads, and how many entries they have.
func TestRealPublished(t *testing.T) {
	want := []string{
		"codeflare-operator alpha codeflare-operator.v1.16.0 38",
		"etcd alpha etcdoperator.v0.6.1 1",
		"etcd clusterwide-alpha etcdoperator.v0.9.4-clusterwide 3",
		"etcd singlenamespace-alpha etcdoperator.v0.9.4 3",
		"flux stable flux.v2.3.0 49",
		"grafana-operator alpha grafana-operator.v5.0.2 3",
		"grafana-operator original grafana-operator.v2.0.0 2",
		"grafana-operator v4 grafana-operator.v4.10.1 17",
		"grafana-operator v5 grafana-operator.v5.24.0 13",
		"integrity-shield-operator alpha integrity-shield-operator.v0.1.6 4",
		"integrity-shield-operator alpha-0.3.0 integrity-shield-operator.v0.3.0 5",
		"integrity-shield-operator alpha-0.3.1 integrity-shield-operator.v0.3.1 6",
		"integrity-shield-operator alpha-0.3.2 integrity-shield-operator.v0.3.2 7",
		"integrity-shield-operator alpha-0.3.3 integrity-shield-operator.v0.3.3 8",
		"kogito-operator 1.x kogito-operator.v1.44.1 56",
		"kogito-operator alpha kogito-operator.v1.44.1 56",
		"prometheus beta prometheusoperator.0.56.3 8",
	}
	var got []string
	cats, err := Open(t.Context(), catalogtest.Data(t, "bundle-repo"), form.Options{})
	if err != nil || len(cats) != 2 || cats[1].Form != catalogs.TemplateForm { // that of kepler-operator
		t.Fatal(cats, err)
	}
	c := cats[0]
	for _, p := range c.Packages {
		for _, ch := range p.Channels {
			got = append(got, fmt.Sprint(p.Name.Value, " ", ch.Name.Value, " ", ch.Entries[0].Name.Value, " ", len(ch.Entries)))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-opm +got):\n%s", diff)
	}
	for _, p := range c.Problems {
		if p.Kind == catalogs.RegistryRejected {
			t.Error(p)
		}
	}
	for _, p := range c.Packages {
		alone, err := Open(t.Context(), catalogtest.Data(t, "bundle-repo"), form.Options{Package: p.Name.Value})
		if err != nil || alone[0].Stats.Bytes >= c.Stats.Bytes {
			t.Fatalf("%s alone: %d of %d bytes read: %v", p.Name.Value, alone[0].Stats.Bytes, c.Stats.Bytes, err)
		}
		if diff := cmp.Diff(summarize(p), summarize(alone[0].Package(p.Name.Value))); diff != "" {
			t.Errorf("%s (-whole +alone):\n%s", p.Name.Value, diff)
		}
	}
}
