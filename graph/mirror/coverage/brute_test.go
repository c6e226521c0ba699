package coverage

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
)

func open(t testing.TB, text string) *catalogs.Catalog {
	t.Helper()
	cats, err := catalogs.Open(t.Context(), "-", catalogs.Options{Stdin: bytes.NewReader([]byte(text))})
	if err != nil {
		t.Fatal(err)
	}
	return cats[0]
}

const header = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: example.com/catalog:v1\n"

func parse(t testing.TB, lines string) *imageset.Config {
	t.Helper()
	c, err := imageset.Parse("imageset.yaml", []byte(header+lines))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// smallWorld returns a random catalog of one package, a, and an image set of it.
func smallWorld(r *rand.Rand) (catalog, lines string) {
	versions := []string{"1.0.0", "1.1.0", "1.2.0-rc1", "1.2.0", "2.0.0", "2.1.0"}
	versions = versions[r.Intn(2) : 3+r.Intn(4)]
	var b strings.Builder
	b.WriteString("---\nschema: olm.package\nname: a\ndefaultChannel: c0\n")
	for i, v := range versions {
		fmt.Fprintf(&b, "---\nschema: olm.bundle\nname: a.v%s\npackage: a\nimage: example.com/a:%s\nproperties: [{type: olm.package, value: {packageName: a, version: %s}}]\nrelatedImages: [{name: x, image: example.com/x:%d}, {name: y, image: example.com/y:%d}]\n",
			v, v, v, i/2, r.Intn(3))
	}
	channels := 1 + r.Intn(2)
	for c := range channels {
		fmt.Fprintf(&b, "---\nschema: olm.channel\nname: c%d\npackage: a\nentries:\n", c)
		writeEntries(&b, r, versions)
	}
	bounds := func(indent string) string {
		low, high := versions[r.Intn(len(versions))], versions[r.Intn(len(versions))]
		return []string{"", "", indent + "minVersion: " + low + "\n", indent + "maxVersion: " + high + "\n", indent + "minVersion: " + min(low, high) + "\n" + indent + "maxVersion: " + max(low, high) + "\n"}[r.Intn(5)]
	}
	lines = "    packages:\n    - name: a\n"
	if r.Intn(2) == 0 {
		return b.String(), lines + bounds("      ")
	}
	lines += "      channels:\n"
	for c := range channels {
		if c == 0 || r.Intn(3) > 0 {
			lines += fmt.Sprintf("      - name: c%d\n", c) + bounds("        ")
		}
	}
	return b.String(), lines
}

// writeEntries writes entries that mostly replace one below, and skip others.
func writeEntries(b *strings.Builder, r *rand.Rand, versions []string) {
	var below []string
	if r.Intn(3) == 0 {
		below = append(below, "0.9.0") // no longer in the catalog
	}
	for i, v := range versions {
		if r.Intn(5) == 0 && i+1 < len(versions) {
			continue
		}
		fmt.Fprintf(b, "- name: a.v%s\n", v)
		if n := len(below); n > 0 {
			replaced := n - 1
			if r.Intn(4) == 0 {
				replaced = r.Intn(n)
			}
			fmt.Fprintf(b, "  replaces: a.v%s\n", below[replaced])
			var skips []string
			for _, s := range below[replaced:] {
				if s != below[replaced] || r.Intn(4) == 0 {
					skips = append(skips, "a.v"+s)
				}
			}
			if len(skips) > 0 {
				fmt.Fprintf(b, "  skips: [%s]\n", strings.Join(skips, ", "))
			}
			if r.Intn(5) == 0 {
				fmt.Fprintf(b, "  skipRange: '>=%s <%s'\n", below[r.Intn(n)], v)
			}
		}
		below = append(below, v)
	}
}

// upgradesTo returns where OLM v0 upgrades an installed bundle to, as olmgraph path has it.
func upgradesTo(p *catalogs.Package, channel string, in graph.InstalledBundle) string {
	a := graph.OfPackage(p)
	if !a.Has(in.Name) {
		a = a.WithRemoved(in)
	}
	answer := a.Ask(graph.Question{Channel: a.Graph(channel), From: in.Name, To: in.Name, Limit: 1})
	if n := len(answer.Automatic); n > 0 {
		return answer.Automatic[n-1].To
	}
	return in.Name
}

// strands reports whether a filtered package strands a user, is invalid for opm, or has another head than wanted, for channels with heads.
func strands(t *testing.T, whole, left *catalogs.Package, heads map[string]string) bool {
	t.Helper()
	for _, b := range left.Bundles {
		if len(graph.OfPackage(left).Containing(b.Name.Value)) == 0 {
			return true // opm rejects a bundle in no channel
		}
	}
	for channel, head := range heads {
		ch := left.Channel(channel)
		if ch == nil || len(ch.Entries) == 0 {
			return true
		}
		g := graph.Of(left, ch)
		if i, ok := g.Head(); !ok || g.Name(i) != head || g.Chain().Cycle != nil || len(g.Stranded()) > 0 {
			return true
		}
		all := graph.Of(whole, whole.Channel(channel))
		installed := []graph.InstalledBundle{graph.BundleNamed("a.v0.9.0")} // which only edges name
		for _, i := range all.Entries() {
			installed = append(installed, graph.InstalledBundle{Name: all.Name(i), Version: all.Version(i).String()})
		}
		at, _ := g.Index(head)
		for _, in := range installed {
			end := upgradesTo(left, channel, in)
			if end != head && end != upgradesTo(whole, channel, in) && !semver.MustParse(in.Version).GT(*g.Version(at)) {
				return true
			}
		}
	}
	return false
}

// fewest returns the fewest images of all image sets with those channels, -1 if all strand somebody.
func fewest(t *testing.T, c *catalogs.Catalog, o imageset.Operator, heads map[string]string) int {
	t.Helper()
	text := func(v string) catalogs.Text { return catalogs.Text{Value: v} }
	bounds := []imageset.Bounds{{}}
	versions := []string{""}
	for _, b := range c.Packages[0].Bundles {
		versions = append(versions, b.Version.Value, b.Version.Value+"-0")
	}
	for _, low := range versions {
		for _, high := range versions {
			if low+high != "" {
				bounds = append(bounds, imageset.Bounds{Min: text(low), Max: text(high)})
			}
		}
	}
	names := []string{}
	for name := range heads {
		names = append(names, name)
	}
	slices.Sort(names)
	best := -1
	var try func(chosen []imageset.Channel)
	try = func(chosen []imageset.Channel) {
		if len(chosen) < len(names) {
			for _, b := range distinct(c, names[len(chosen)], bounds) {
				try(append(slices.Clone(chosen), imageset.Channel{Name: text(names[len(chosen)]), Bounds: b}))
			}
			return
		}
		one := imageset.Operator{Catalog: o.Catalog, Packages: []imageset.Package{{Name: text("a"), Channels: chosen}}}
		left := imageset.Filter(c, &one)
		if left.Catalog == nil || len(left.Random) > 0 || strands(t, c.Packages[0], left.Catalog.Packages[0], heads) {
			return
		}
		if n := len(ImagesOf(left.Catalog.Packages[0].Bundles)); best < 0 || n < best {
			best = n
		}
	}
	try(nil)
	return best
}

// distinct returns one of the bounds that leave the same of a channel.
func distinct(c *catalogs.Catalog, channel string, bounds []imageset.Bounds) []imageset.Bounds {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(bounds), func(b imageset.Bounds) bool {
		name := catalogs.Text{Value: channel}
		one := imageset.Filter(c, &imageset.Operator{Packages: []imageset.Package{{Name: catalogs.Text{Value: "a"}, DefaultChannel: name, Channels: []imageset.Channel{{Name: name, Bounds: b}}}}})
		key := fmt.Sprint(one.Refusals != nil, len(one.Random))
		if one.Catalog != nil {
			for _, ch := range one.Catalog.Packages[0].Channels {
				key += fmt.Sprint(ch.Entries)
			}
			for _, b := range one.Catalog.Packages[0].Bundles {
				key += " " + b.Name.Value
			}
		}
		again := seen[key]
		seen[key] = true
		return again
	})
}

// headsToKeep returns the heads that a fix has to keep, by the channels that it names.
func headsToKeep(c *catalogs.Catalog, o *imageset.Operator, fixed *imageset.Package) map[string]string {
	heads := map[string]string{}
	left := imageset.Filter(c, o).Catalog
	for _, ch := range c.Packages[0].Channels {
		name := ch.Name.Value
		if len(fixed.Channels) > 0 && !slices.ContainsFunc(fixed.Channels, func(f imageset.Channel) bool { return f.Name.Value == name }) {
			continue
		}
		g := graph.Of(c.Packages[0], ch)
		if left != nil {
			if cut := left.Packages[0].Channel(name); cut != nil && len(cut.Entries) > 0 {
				g = graph.Of(left.Packages[0], cut)
			} else if name != "c0" {
				continue // dropped, and so it stays
			}
		}
		if head, ok := g.Head(); ok {
			heads[name] = g.Name(head)
		}
	}
	return heads
}

// TestNoSmallerSet compares the fix with all image sets of small catalogs.
func TestNoSmallerSet(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 40
	}
	counts := map[string]int{}
	for seed := range n {
		catalog, lines := smallWorld(rand.New(rand.NewSource(int64(seed))))
		c, config := open(t, catalog), parse(t, lines)
		report, err := Of(t.Context(), config, []*catalogs.Catalog{c}, nil)
		if err != nil {
			t.Fatal(err)
		}
		fix, err := report.Fix(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		heads := headsToKeep(c, &config.Operators[0], &fix.Operators[0].Packages[0])
		want := fewest(t, c, config.Operators[0], heads)
		_, got := fix.Report.Count()
		switch {
		case len(fix.Problems) > 0:
			counts["no set"]++
			if want >= 0 {
				t.Errorf("seed %d: %v, and there is one with %d images\n%s%s", seed, fix.Problems, want, lines, catalog)
			}
		case fix.Report.Failed() || !fix.Exact || got != want:
			t.Errorf("seed %d: %d images, want %d, exact %v\n%+v\n%s%s", seed, got, want, fix.Exact, fix.Report.Findings, lines, catalog)
		case report.Failed():
			counts["fixed"]++
		default:
			counts["fine"]++
		}
	}
	t.Log(counts)
	if counts["fixed"] < n/10 || counts["fine"] < n/20 {
		t.Errorf("too few of a kind: %v", counts)
	}
}
