package graph

import (
	"bufio"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
)

// plainExtension chooses as operator-controller does, step by step and without any index: filter the bundles, sort them, take the
// first.
type plainExtension struct {
	pkg      *catalogs.Package
	channels []*catalogs.Channel
	named    bool
	releases bool
}

// plainVersion is a version and a release.
type plainVersion struct {
	version semver.Version
	release []semver.PRVersion
}

func plainRelease(version string, release *string) *plainVersion {
	v, err := semver.Parse(version)
	if err != nil {
		return nil
	}
	text := strings.Join(v.Build, ".")
	if release != nil {
		text = *release
	}
	var parts []semver.PRVersion
	for _, part := range strings.Split(text, ".") {
		pr, err := semver.NewPRVersion(part)
		if err != nil && release != nil && text != "" {
			return nil
		}
		if err != nil {
			return &plainVersion{version: v}
		}
		parts = append(parts, pr)
	}
	return &plainVersion{v, parts}
}

func (v plainVersion) compare(w plainVersion) int {
	return cmp.Or(v.version.Compare(w.version), cmp.Compare(min(1, len(v.release)), min(1, len(w.release))),
		semver.Version{Pre: v.release}.Compare(semver.Version{Pre: w.release}))
}

func (x plainExtension) release(b *catalogs.Bundle) *plainVersion {
	switch {
	case b == nil:
		return nil
	case x.releases && b.Release.Value != "":
		return plainRelease(b.Version.Value, &b.Release.Value)
	}
	return plainRelease(b.Version.Value, nil)
}

// successor reports whether an entry of the bundle takes over what is installed.
func (x plainExtension) successor(bundle, installed string, version *plainVersion) bool {
	for _, c := range x.channels {
		for _, e := range c.Entries {
			in, err := ParseRange(e.SkipRange.Value) // which survives ranges that make semver.ParseRange crash
			if e.Name.Value == bundle && (installed != "" && e.Replaces.Value == installed ||
				slices.ContainsFunc(e.Skips, func(s catalogs.Text) bool { return s.Value == installed }) ||
				e.SkipRange.Value != "" && err == nil && version != nil && in.Contains(version.version)) {
				return true
			}
		}
	}
	return false
}

// choose returns what is chosen in the place of a bundle of the package, "" for nothing, and the property for which it is rejected.
func (x plainExtension) choose(installed string) (chosen, refusal string) {
	return x.chooseFor(installed, x.release(x.pkg.Bundle(installed)))
}

// chooseFor is choose where the package need not have what is installed.
func (x plainExtension) chooseFor(installed string, own *plainVersion) (chosen, refusal string) {
	if own == nil {
		return "", ""
	}
	deprecated := x.deprecated()
	var candidates []*catalogs.Bundle
	for _, b := range x.pkg.Bundles {
		v := x.release(b)
		inChannel := slices.ContainsFunc(x.channels, func(c *catalogs.Channel) bool {
			return slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool { return e.Name.Value == b.Name.Value })
		})
		if (inChannel || !x.named) && (x.successor(b.Name.Value, installed, own) || v != nil && v.compare(*own) == 0) {
			candidates = append(candidates, b)
		}
	}
	slices.SortStableFunc(candidates, func(a, b *catalogs.Bundle) int {
		v, w := x.release(a), x.release(b)
		switch {
		case deprecated[a.Name.Value] != deprecated[b.Name.Value]:
			return map[bool]int{true: 1, false: -1}[deprecated[a.Name.Value]]
		case v == nil || w == nil:
			return map[bool]int{true: 1}[v == nil] - map[bool]int{true: 1}[w == nil]
		}
		return w.compare(*v)
	})
	if len(candidates) == 0 {
		return "", ""
	}
	for _, p := range candidates[0].Properties {
		switch p.Type.Value {
		case "olm.package.required", "olm.gvk.required", "olm.constraint":
			return candidates[0].Name.Value, p.Type.Value
		}
	}
	return candidates[0].Name.Value, ""
}

// deprecated returns the bundles that the first olm.deprecations object names.
func (x plainExtension) deprecated() map[string]bool {
	deprecated := map[string]bool{}
	if len(x.pkg.Deprecations) > 0 {
		for _, d := range x.pkg.Deprecations[0].Entries {
			deprecated[d.Name.Value] = d.Schema.Value == catalogs.SchemaBundle || deprecated[d.Name.Value]
		}
	}
	return deprecated
}

// next returns the bundle to which what is installed is upgraded, "" where it stays.
func (x plainExtension) next(installed string) (next, refusal string) {
	next, refusal = x.choose(installed)
	if next == installed || refusal != "" {
		next = ""
	}
	return next, refusal
}

// extensions returns every ClusterExtension of a package that names no channel, one, or two.
func extensions(pg *PackageGraph, releases bool) (all []*Extension, plain []plainExtension) {
	add := func(graphs ...*Graph) {
		x := pg.Extension(releases, graphs...)
		p := plainExtension{pg.Package, nil, x.NamesChannels, releases}
		for _, g := range x.Channels {
			p.channels = append(p.channels, g.Channel)
		}
		all, plain = append(all, x), append(plain, p)
	}
	add()
	for i, g := range pg.Graphs {
		add(g)
		for _, h := range pg.Graphs[:i] {
			add(h, g)
		}
	}
	return all, plain
}

// TestExtension compares the choices of OLM v1 with those of a simple model, on random packages.
func TestExtension(t *testing.T) {
	for seed := range uint64(catalogtest.Rounds(600)) {
		r := rand.New(rand.NewPCG(seed, 11))
		text := randomPackage(r)
		pg := parsePackage(text)
		for _, releases := range []bool{false, true} {
			all, plain := extensions(pg, releases)
			for i, x := range all {
				for _, b := range pg.Package.Bundles {
					want, refusal := plain[i].choose(b.Name.Value)
					checkChoice(t, x, InstalledBundle{Name: b.Name.Value}, want, refusal)
				}
				for _, gone := range []InstalledBundle{{"b6", "1.0.0"}, {"b6", "1.1.0-rc.1"}, {"b7", "1.0.0+2"}, {"b8", "0.9.0"}} {
					if pg.Package.Bundle(gone.Name) == nil {
						want, refusal := plain[i].chooseFor(gone.Name, plainRelease(gone.Version, nil))
						checkChoice(t, x, gone, want, refusal)
					}
				}
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}

func checkChoice(t *testing.T, x *Extension, in InstalledBundle, want, wantRefusal string) {
	t.Helper()
	got := x.Choose(in)
	refusal := ""
	if got.Refusal != nil {
		refusal = got.Refusal.Property
	}
	if got.Bundle != want || refusal != wantRefusal || (got.Step != nil) != (want != "" && want != in.Name) {
		t.Errorf("%s, named %t, %+v: chosen %q, rejected %q, step %v; want %q, %q", in.Name, x.NamesChannels, x.releases, got.Bundle, refusal, got.Step, want, wantRefusal)
	}
}

// randomPackage says a package of bundles some of which have the same version, releases, deprecations and requirements.
func randomPackage(r *rand.Rand) string {
	versions := []string{"1.0.0", "1.0.0+1", "1.0.0+2", "1.0.0+20260101.gabcdef0123456", "1.0.0+01", "1.0.0 release 2", "1.1.0-rc.1", "1.1.0", "1.1.0", "2.0.0", "1.0"}
	requirements := []string{"olm.gvk.required", "olm.package.required", "olm.constraint", "olm.gvk"}
	said := map[int]string{}
	for i := range 6 {
		said[i] = "is " + versions[r.IntN(len(versions))]
		if r.IntN(4) == 0 {
			said[i] += " deprecated"
		}
		if r.IntN(5) == 0 {
			said[i] += " requires " + requirements[r.IntN(len(requirements))]
		}
	}
	var parts []string
	for range 1 + r.IntN(3) {
		var b strings.Builder
		for _, i := range r.Perm(6)[:1+r.IntN(6)] {
			fmt.Fprintf(&b, "b%d %s", i, said[i])
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, " replaces b%d", r.IntN(7))
			}
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, " skips b%d b%d", r.IntN(7), r.IntN(7))
			}
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, " range %q", []string{"<1.1.0", ">=1.0.0 <2.0.0", "~1", "!=1.0.0"}[r.IntN(4)])
			}
			b.WriteByte('\n')
		}
		parts = append(parts, b.String())
	}
	return strings.Join(parts, "---\n")
}

// TestRealExtension compares with what OLM v1's own code chooses for the bundles of published catalogs and of made-up packages.
func TestRealExtension(t *testing.T) {
	for _, set := range []struct {
		expected string
		folder   string
		gate     bool
	}{
		{"v4.14", "fbc/community-v4.14", false}, {"v4.18", "fbc/community-v4.18", false}, {"v4.20", "fbc/community-v4.20", false}, {"v4.22", "fbc/community-v4.22", false},
		{"plain", "v1-packages/plain", false}, {"build", "v1-packages/build", false}, {"release", "v1-packages/release", false}, {"release-gate-on", "v1-packages/release", true},
	} {
		t.Run(set.expected, func(t *testing.T) {
			compareChoices(t, catalogtest.Data(t, set.folder), catalogtest.Data(t, "expected/olm-v1-next-"+set.expected+".tsv"), set.gate)
		})
	}
}

func compareChoices(t *testing.T, folder, expected string, gate bool) {
	f, err := os.Open(expected)
	if err != nil {
		t.Skip("no real answers beside the project: ", err)
	}
	defer f.Close()
	cats := opentest.Open(t, folder)
	known := map[string]*Extension{}
	rows := 0
	for lines := bufio.NewScanner(f); lines.Scan(); rows++ {
		row := strings.Split(lines.Text(), "\t") // package, channel, installed, chosen, why it is rejected
		x := known[row[0]+" "+row[1]]
		if x == nil {
			x = catalogExtension(t, cats[0], strings.TrimSuffix(row[0], ".json"), row[1], gate)
			known[row[0]+" "+row[1]] = x
		}
		c := x.Choose(InstalledBundle{Name: row[2]})
		chosen, refusal := "-", ""
		if c.Step != nil {
			chosen = c.Bundle
		}
		if c.Refusal != nil {
			refusal = fmt.Sprintf("validating bundle %q: bundle %[1]q has a dependency declared via property %q which is currently not supported", c.Refusal.Bundle, c.Refusal.Property)
		}
		if chosen != row[3] || refusal != row[4] {
			t.Errorf("%q: chosen %s, rejected %q", row, chosen, refusal)
		}
	}
	if rows == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d answers compared", rows)
}

func catalogExtension(t *testing.T, c *catalogs.Catalog, pkg, channel string, gate bool) *Extension {
	p := c.Package(pkg)
	if p == nil {
		t.Fatalf("no package %s", pkg)
	}
	pg := NewPackageGraph(p)
	if channel == "*" {
		return pg.Extension(gate)
	}
	return pg.Extension(gate, pg.Graph(channel))
}
