package imageset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
)

// channelText returns an olm.channel whose entries each replace the one before.
func channelText(pkg, name string, versions ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nschema: olm.channel\nname: %s\npackage: %s\nentries:\n", name, pkg)
	for i, v := range versions {
		fmt.Fprintf(&b, "- name: %s.v%s\n", pkg, v)
		if i > 0 {
			fmt.Fprintf(&b, "  replaces: %s.v%s\n", pkg, versions[i-1])
		}
	}
	return b.String()
}

func bundleText(pkg, version string) string {
	return fmt.Sprintf("---\nschema: olm.bundle\nname: %s.v%s\npackage: %s\nimage: example.com/%s@%s\nproperties:\n- type: olm.package\n  value: {packageName: %s, version: %q}\n",
		pkg, version, pkg, pkg, version, pkg, version)
}

func packageText(name, defaultChannel string) string {
	return fmt.Sprintf("---\nschema: olm.package\nname: %s\ndefaultChannel: %s\n", name, defaultChannel)
}

// operators is a catalog with three packages: scale with three channels, the default of which has prereleases only, and rebuilt bundles, whose
// versions differ in build metadata; work with one; and trace with one, of prereleases.
func operators() string {
	older, newer := []string{"0.8.0", "0.8.1", "0.8.2", "0.8.3", "0.8.3+1.p", "0.8.4", "0.8.4+1.p"}, []string{"0.8.4", "0.9.0", "0.9.1", "0.9.1+1.p"}
	mas, fast, stable := []string{"0.10.0-mas", "0.11.0-mas"}, []string{"0.17.0", "0.18.1", "0.18.1+1.p", "0.19.1", "0.19.1+1.p"}, []string{"1.47.1-5", "1.51.0-1"}
	var b strings.Builder
	b.WriteString(packageText("scale", "mas") + channelText("scale", "mas", mas...) + channelText("scale", "v12", newer...) + channelText("scale", "v11", older...))
	b.WriteString(packageText("work", "fast") + channelText("work", "fast", fast...) + packageText("trace", "stable") + channelText("trace", "stable", stable...))
	for pkg, versions := range map[string][]string{"scale": slices.Compact(slices.Sorted(slices.Values(slices.Concat(older, newer, mas)))), "work": fast, "trace": stable} {
		for _, v := range versions {
			b.WriteString(bundleText(pkg, v))
		}
	}
	return b.String()
}

// parse returns the operator of an image set, given its lines after that of the catalog.
func parse(t testing.TB, lines string) *Operator {
	t.Helper()
	c, err := Parse("imageset.yaml", []byte("kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: example.com/catalog:v1\n"+lines))
	if err != nil || len(c.Faults) > 0 {
		t.Fatal(err, c.Faults)
	}
	return &c.Operators[0]
}

// bundlesIn returns the bundles of a catalog, without the name of the package where that is followed by .v.
func bundlesIn(c *catalogs.Catalog) []string {
	var all []string
	for _, p := range c.Packages {
		for _, b := range p.Bundles {
			all = append(all, strings.Replace(b.Name.Value, ".v", " ", 1))
		}
	}
	slices.Sort(all)
	return all
}

const heads = "scale 0.11.0-mas, scale 0.8.4+1.p, scale 0.9.1+1.p, trace 1.51.0-1, work 0.19.1+1.p"

// TestFacts has what oc-mirror's own test of its filter expects, on a smaller catalog (oc-mirror: operator TestFilterCatalog).
func TestFacts(t *testing.T) {
	for _, tt := range []struct{ name, lines, want, refusal string }{
		{name: "nothing is chosen: the head of each channel", want: heads},
		{name: "full: all bundles", lines: "    full: true\n", want: "19"},
		{name: "all names: the same heads", lines: "    packages: [{name: scale}, {name: work}, {name: trace}]\n", want: heads},
		{name: "minVersion: from it to the head, build metadata included", lines: "    packages: [{name: work, minVersion: 0.18.1}]\n",
			want: "work 0.18.1, work 0.18.1+1.p, work 0.19.1, work 0.19.1+1.p"},
		{name: "maxVersion: build metadata counts as equal", lines: "    packages: [{name: work, maxVersion: 0.18.1}]\n", want: "work 0.17.0, work 0.18.1, work 0.18.1+1.p"},
		{name: "a channel that is the default now, with both bounds",
			lines: "    packages: [{name: scale, defaultChannel: v11, channels: [{name: v11, minVersion: 0.8.1, maxVersion: 0.8.3}]}]\n",
			want:  "scale 0.8.1, scale 0.8.2, scale 0.8.3, scale 0.8.3+1.p"},
		{name: "two channels: their heads", lines: "    packages: [{name: scale, channels: [{name: v11}, {name: mas}]}]\n", want: "scale 0.11.0-mas, scale 0.8.4+1.p"},
		{name: "full with a version is refused", lines: "    full: true\n    packages: [{name: work, minVersion: 0.18.1}]\n", refusal: "full: true does not allow"},
		{name: "an unknown package is ignored", lines: "    packages: [{name: nowhere}]\n", want: ""},
		{name: "the version of no bundle is refused", lines: "    packages: [{name: work, minVersion: 77.77.77, maxVersion: 77.77.77}]\n", refusal: "no bundle of the package has the version 77.77.77"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, Filter(opentest.Text(t, operators()), parse(t, tt.lines)), tt.want, tt.refusal)
		})
	}
}

func check(t *testing.T, f *Filtered, want, refusal string) {
	t.Helper()
	if refusal != "" {
		if f.Catalog != nil || !strings.Contains(f.Rejections[0].Message, refusal) || f.Rejections[0].Pos.Line < 6 {
			t.Errorf("got %+v, want %q refused", f.Rejections, refusal)
		}
		return
	}
	if f.Catalog == nil {
		t.Fatal(f.Rejections)
	}
	got := strings.Join(bundlesIn(f.Catalog), ", ")
	if n := len(bundlesIn(f.Catalog)); got != want && fmt.Sprint(n) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestRules has further facts of the filter.
func TestRules(t *testing.T) {
	edges := packageText("a", "stable") + bundleText("a", "1.0.0") + bundleText("a", "2.0.0") + bundleText("a", "3.0.0") +
		"---\nschema: olm.channel\nname: stable\npackage: a\nentries:\n- name: a.v1.0.0\n- {name: a.v2.0.0, skips: [a.v1.0.0]}\n"
	pre := packageText("a", "stable") + channelText("a", "stable", "1.0.0", "2.0.0-x", "3.0.0", "4.0.0-rc1") + bundleText("a", "1.0.0") + bundleText("a", "2.0.0-x") +
		bundleText("a", "3.0.0") + bundleText("a", "4.0.0-rc1")
	two := packageText("a", "stable") + channelText("a", "stable", "1.0.0", "2.0.0") + channelText("a", "old", "1.0.0") + bundleText("a", "1.0.0") + bundleText("a", "2.0.0")
	for _, tt := range []struct{ name, catalog, lines, want, refusal string }{
		{"a prerelease range of a package leaves the channels with a match", operators(), "    packages: [{name: scale, minVersion: 0.10.0-mas}]\n", "scale 0.10.0-mas, scale 0.11.0-mas", ""},
		{"what skips an entry in the range is kept", edges, "    packages: [{name: a, minVersion: 1.0.0, maxVersion: 1.5.0}]\n", "a 1.0.0, a 2.0.0", ""},
		{"a range without prerelease misses prereleases at its ends", pre, "    packages: [{name: a, minVersion: 1.0.0}]\n", "a 1.0.0, a 2.0.0-x, a 3.0.0", ""},
		{"equal bounds of a channel keep a bundle of another channel", two, "    packages: [{name: a, channels: [{name: stable}, {name: old, minVersion: 2.0.0, maxVersion: 2.0.0}]}]\n", "a 2.0.0", ""},
		{"a channel without a match is dropped", two, "    packages: [{name: a, minVersion: 1.5.0}]\n", "a 2.0.0", ""},
		{"unless it is the default", two, "    packages: [{name: a, minVersion: 3.0.0}]\n", "", "has no bundle in the range"},
		{"even if it is not the default any more", two, "    packages: [{name: a, defaultChannel: old, channels: [{name: old}, {name: stable, minVersion: 3.0.0}]}]\n", "", "has no bundle in the range"},
		{"the default channel has to be named", two, "    packages: [{name: a, channels: [{name: old}]}]\n", "", "the default channel \"stable\""},
		{"a version has three parts", two + bundleText("a", "1.0"), "    packages: [{name: a}]\n", "", "not a semantic version"},
		{"a channel with two heads is refused", two + "---\nschema: olm.channel\nname: z\npackage: a\nentries: [{name: a.v1.0.0}, {name: a.v2.0.0}]\n", "    packages: [{name: a}]\n", "", "2 heads: a.v1.0.0, a.v2.0.0"},
		{"but not with full", two + "---\nschema: olm.channel\nname: z\npackage: a\nentries: [{name: a.v1.0.0}, {name: a.v2.0.0}]\n", "    full: true\n    packages: [{name: a}]\n", "a 1.0.0, a 2.0.0", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, Filter(opentest.Text(t, tt.catalog), parse(t, tt.lines)), tt.want, tt.refusal)
		})
	}
}

func TestEqualVersionsAreRandom(t *testing.T) {
	f := Filter(opentest.Text(t, operators()), parse(t, "    packages: [{name: work, minVersion: 0.18.1, maxVersion: 0.18.1}]\n"))
	if len(f.Random) != 1 || strings.Join(f.Random[0].Bundles, " ") != "work.v0.18.1 work.v0.18.1+1.p" {
		t.Error(f.Random)
	}
}

func TestCatalogSource(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0123456789abcdef", 4)
	for _, tt := range []struct {
		operator Operator
		want     string
		known    bool
	}{
		{Operator{Catalog: catalogs.Text{Value: "registry.example/redhat/redhat-operator-index:v4.18"}}, "cs-redhat-operator-index-v4-18", true},
		{Operator{Catalog: catalogs.Text{Value: "registry.example/a:v1.2.3-Long.Tag"}}, "cs-a-v1-2-3-long-", true},
		{Operator{Catalog: catalogs.Text{Value: "registry.example/a:v1"}, TargetCatalog: catalogs.Text{Value: "x/mine"}, TargetTag: catalogs.Text{Value: "t"}}, "cs-mine-t", true},
		{Operator{Catalog: catalogs.Text{Value: "registry.example/a" + digest}, Full: catalogs.Text{Value: "true"}}, "cs-a-sha256-01234", true},
		{Operator{Catalog: catalogs.Text{Value: "registry.example/a" + digest}}, "cs-a-sha256-*", false},
		{Operator{Catalog: catalogs.Text{Value: "oci:///home/x/index"}}, "cs-index-latest", true},
		{Operator{Catalog: catalogs.Text{Value: "registry.example/a"}}, "", false},
	} {
		if got, known := tt.operator.CatalogSource(); got != tt.want || known != tt.known {
			t.Errorf("%s: got %s, %v; want %s", tt.operator.Catalog.Value, got, known, tt.want)
		}
	}
}
