package graph

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open"
)

// openReal opens something of the real data.
func openReal(t *testing.T, o open.Options, path ...string) []*catalogs.Catalog {
	t.Helper()
	ref := catalogtest.Data(t, strings.Join(path, "/"))
	cats, err := open.Open(context.Background(), ref, o)
	if err != nil {
		t.Fatal(err)
	}
	return cats
}

// edgeLines returns all edges of a catalog, a line for each entry, except those of one package.
func edgeLines(cats []*catalogs.Catalog, without string) []string {
	var all []string
	for _, c := range cats {
		for _, p := range c.Packages {
			if p.Name.Value == without {
				continue
			}
			for _, g := range NewPackageGraph(p).Graphs {
				for _, r := range g.Rows() {
					e := &g.Channel.Entries[r.Entry]
					var skips []string
					for _, s := range e.Skips {
						skips = append(skips, s.Value)
					}
					slices.Sort(skips)
					all = append(all, fmt.Sprint(p.Name.Value, p.DefaultChannel.Value, g.Channel.Name.Value, e.Name.Value, e.Replaces.Value,
						skips, e.SkipRange.Value, versionText(e.Bundle), r.Head, r.Stuck, r.Hops))
				}
			}
		}
	}
	return all
}

func versionText(b *catalogs.Bundle) string {
	if b == nil {
		return "no bundle"
	}
	return b.Version.Value
}

// channels are the heads of all channels as the expected lists have them.
func channels(cats []*catalogs.Catalog) string {
	var lines []string
	for _, c := range cats {
		for _, p := range c.Packages {
			for _, g := range NewPackageGraph(p).Graphs {
				head, ok := g.Head()
				if !ok {
					lines = append(lines, fmt.Sprintf("%s|%s|%v", p.Name.Value, g.Channel.Name.Value, names(g, g.Heads())))
					continue
				}
				lines = append(lines, fmt.Sprintf("%s|%s|%s", p.Name.Value, g.Channel.Name.Value, g.Name(head)))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// TestSQLite reads the indexes, in files and in images, and compares with what opm says.
func TestSQLite(t *testing.T) {
	for ref, want := range map[string]string{
		"sqlite/small.db": "small", "sqlite/manifests.db": "manifests", "images/small-sqlite.oci": "small",
		"images/small-sqlite.oci.tar": "small", "images/small-sqlite.docker.tar": "small",
	} {
		cats := openReal(t, open.Options{}, strings.Split(ref, "/")...)
		expected, err := os.ReadFile(catalogtest.Data(t, "expected/sqlite-"+want+"-channels.txt"))
		if err != nil {
			t.Fatal(err)
		}
		checkEqual(t, ref, channels(cats), string(expected))
	}
	checkEqual(t, "small.db and its rendering", edgeLines(openReal(t, open.Options{}, "sqlite", "small.db"), ""),
		edgeLines(openReal(t, open.Options{}, "expected", "sqlite-small-rendered.json"), ""))
}

// TestManifests: package manifests have the same graph as the index that was built from them. The problems of hive-operator are
// known.
func TestManifests(t *testing.T) {
	const faulty = "hive-operator"
	manifests := openReal(t, open.Options{}, "manifests")
	checkEqual(t, "manifests", edgeLines(manifests, faulty), edgeLines(openReal(t, open.Options{}, "sqlite", "manifests.db"), faulty))
	named := 0
	for _, p := range manifests[0].Problems {
		if p.Package == faulty && p.Kind == catalogs.ManifestReplaced {
			named++
		}
	}
	if named != 2 {
		t.Errorf("%d faults of %s", named, faulty)
	}
}

// TestRepository reads the bundles of a repository: all of them, in both modes, and in the OpenShift versions they belong to.
func TestRepository(t *testing.T) {
	all := openReal(t, open.Options{}, "bundle-repo")
	bundles, chain := 0, 0
	for _, p := range all[0].Packages {
		bundles += len(p.Bundles)
		for _, g := range NewPackageGraph(p).Graphs {
			if p.Name.Value == "flux" { // semver-mode: one chain of all versions
				chain += len(g.Chain().Entries)
			}
		}
	}
	if bundles != 256 || chain != 49 {
		t.Errorf("%d bundles, and a chain of %d", bundles, chain)
	}
	versions := openReal(t, open.Options{OpenShift: "all"}, "bundle-repo")
	for _, c := range versions {
		for _, p := range c.Packages {
			old := p.Name.Value == "prometheus" && p.Bundle("prometheusoperator.0.32.0") != nil
			if p.Name.Value == "prometheus" && old != (c.OpenShift == "4.6" || c.OpenShift == "4.7" || c.OpenShift == "4.8") {
				t.Errorf("prometheus 0.32.0 is in the catalog of %s: %v", c.OpenShift, old)
			}
		}
	}
	versions = slices.DeleteFunc(versions, func(c *catalogs.Catalog) bool { return c.Template != nil })
	if len(versions) != 17 { // the last one is of old bundles of an operator whose templates are for newer versions only
		t.Errorf("%d OpenShift versions", len(versions))
	}
}
