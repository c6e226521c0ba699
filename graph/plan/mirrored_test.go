package plan_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/plan/mirrored"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// filtered returns the catalogs as oc-mirror leaves them, and how many bundles there were and are.
func filtered(t *testing.T, all []plan.Catalog, sets []mirrored.Set) (left []plan.Catalog, before, after int) {
	t.Helper()
	left = slices.Clone(all)
	for _, s := range sets {
		for i := range s.Catalogs {
			k := &left[s.Catalogs[i].Index]
			if k.Content != all[s.Catalogs[i].Index].Content {
				continue // it is the same at every version
			}
			f := imageset.Filter(k.Content.Catalog, &s.Catalogs[i].Operator)
			if len(f.Refusals) > 0 || len(f.Random) > 0 {
				t.Fatalf("%+v %+v", f.Refusals, f.Random)
			}
			for _, p := range f.Catalog.Packages {
				before += len(k.Content.Package(p.Name.Value).Bundles)
				after += len(p.Bundles)
			}
			r, err := resolve.NewCatalog(t.Context(), f.Catalog)
			if err != nil {
				t.Fatal(err)
			}
			k.Content = r
		}
	}
	return left, before, after
}

// mirroredPlan finds a plan again on what is mirrored for it, and reports whether there is anything to mirror.
func mirroredPlan(t *testing.T, c plan.Cluster, all []plan.Catalog, r plan.Request) (before, after int, ok bool) {
	t.Helper()
	p, err := plan.Find(t.Context(), c, all, r)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Possible() {
		return 0, 0, true
	}
	sets, err := mirrored.Of(t.Context(), c, all, r, p)
	if errors.Is(err, mirrored.ErrOther) {
		return 0, 0, false
	}
	if err != nil {
		t.Fatal(err)
	}
	left, before, after := filtered(t, all, sets)
	again, err := plan.Find(t.Context(), c, left, r)
	if err != nil {
		t.Fatal(err)
	}
	if again.Possible() != p.Possible() || again.Reached != p.Reached || p.Exact && again.Cost != p.Cost {
		t.Fatalf("possible %v, reached %s, %+v; of all catalogs %v, %s, %+v\n%+v", again.Possible(), again.Reached, again.Cost, p.Possible(), p.Reached, p.Cost, sets)
	}
	if fault, err := plan.Replay(t.Context(), c, left, p); fault != nil || err != nil {
		t.Fatalf("replayed: %v %v", fault, err)
	}
	return before, after, true
}

// TestMirroredPlan compares plans of random worlds with those on what is mirrored for them.
func TestMirroredPlan(t *testing.T) {
	const worlds = 100
	before, after, other := 0, 0, 0
	for seed := range uint64(worlds) {
		c, all, r, text := plan.RandomWorld(t, seed)
		b, a, ok := mirroredPlan(t, c, all, r)
		if !ok {
			other++
		}
		before, after = before+b, after+a
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
	t.Logf("%d of %d bundles of the packages; %d of %d worlds without an image set", after, before, other, worlds)
	if other > worlds/4 || after >= before {
		t.Error("too many worlds have no image set, or nothing is left out")
	}
}

// TestMirroredReal does the same with packages of real catalogs.
func TestMirroredReal(t *testing.T) {
	all := plan.RealCatalogs(t)
	before, after, clusters, other := 0, 0, 0, 0
	for at, p := range all[0].Content.Packages {
		if at%4 != 0 {
			continue
		}
		g := graph.OfPackage(p).Graph(p.DefaultChannel.Value)
		order := g.ByVersion()
		c := plan.ClusterWith(t, all[0], p, g.Name(order[len(order)/2]))
		b, a, ok := mirroredPlan(t, c, all, plan.Request{To: 22})
		clusters++
		if before, after = before+b, after+a; !ok {
			other++
			t.Log("no image set for", p.Name.Value)
		}
	}
	t.Logf("%d clusters, %d without an image set; %d of %d bundles of the packages", clusters, other, after, before)
	if clusters == 0 || other > clusters/10 || after*2 > before {
		t.Error("too few image sets, or too much is mirrored")
	}
}

// TestMirroredDependency mirrors what OLM installs because an upgrade requires it, and the versions passed only.
func TestMirroredDependency(t *testing.T) {
	bundle := func(pkg, version, more string) string {
		return `{"schema":"olm.bundle","package":"` + pkg + `","name":"` + pkg + `.v` + version + `","image":"i/` + pkg + `","properties":[{"type":"olm.package","value":{"packageName":"` + pkg + `","version":"` + version + `"}}` + more + `]}`
	}
	text := `{"schema":"olm.package","name":"a","defaultChannel":"stable"}
{"schema":"olm.channel","package":"a","name":"stable","entries":[{"name":"a.v0.9.0"},{"name":"a.v1.0.0","replaces":"a.v0.9.0"},{"name":"a.v2.0.0","replaces":"a.v1.0.0"}]}
` + bundle("a", "0.9.0", "") + bundle("a", "1.0.0", "") + bundle("a", "2.0.0", `,{"type":"olm.package.required","value":{"packageName":"b","versionRange":">=2.0.0"}}`) + `
{"schema":"olm.package","name":"b","defaultChannel":"old"}
{"schema":"olm.channel","package":"b","name":"old","entries":[{"name":"b.v1.0.0"}]}
{"schema":"olm.channel","package":"b","name":"new","entries":[{"name":"b.v2.0.0"}]}
{"schema":"olm.package","name":"c","defaultChannel":"c"}
{"schema":"olm.channel","package":"c","name":"c","entries":[{"name":"c.v1.0.0"}]}
` + bundle("b", "1.0.0", "") + bundle("b", "2.0.0", "") + bundle("c", "1.0.0", "")
	packages, resolver := plan.OpenText(t, text)
	k := plan.Catalog{Source: resolve.SourceKey{Name: "community", Namespace: "olm"}, Minor: 14, Content: resolver}
	c := plan.ClusterWith(t, k, packages.Package("a"), "a.v1.0.0")
	p, err := plan.Find(t.Context(), c, []plan.Catalog{k}, plan.Request{To: 14, Any: true})
	if err != nil {
		t.Fatal(err)
	}
	sets, err := mirrored.Of(t.Context(), c, []plan.Catalog{k}, plan.Request{To: 14, Any: true}, p)
	if err != nil || len(sets) != 1 || len(sets[0].Catalogs) != 1 {
		t.Fatal(err, sets)
	}
	if deps := sets[0].Catalogs[0].Dependencies; !slices.Equal(deps, []string{"b"}) {
		t.Errorf("dependencies %q", deps)
	}
	var names []string
	for _, pkg := range imageset.Filter(packages, &sets[0].Catalogs[0].Operator).Catalog.Packages {
		slices.SortFunc(pkg.Bundles, func(a, b *catalogs.Bundle) int { return a.Semver().Compare(*b.Semver()) })
		for _, b := range pkg.Bundles {
			names = append(names, b.Name.Value)
		}
	}
	if want := []string{"a.v1.0.0", "a.v2.0.0", "b.v1.0.0", "b.v2.0.0"}; !slices.Equal(names, want) {
		t.Errorf("mirrored %q, want %q", names, want)
	}
}
