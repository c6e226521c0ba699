package coverage

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
)

func openText(t testing.TB, text string) *catalogs.Catalog {
	t.Helper()
	cats, err := open.Open(t.Context(), "-", open.Options{Stdin: bytes.NewReader([]byte(text))})
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
	if r.Intn(8) == 0 {
		lines += fmt.Sprintf("      defaultChannel: c%d\n", r.Intn(channels+1))
	}
	if r.Intn(2) == 0 {
		return b.String(), lines + bounds("      ")
	}
	lines += "      channels:\n"
	first := r.Intn(4) / 3 * (channels - 1)
	for c := range channels {
		if c == first || r.Intn(3) > 0 {
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

// fewest returns the fewest images of all image sets that name those channels, or none if the image set names none, -1 if all strand somebody.
// They mirror later releases where the image set does: bounds have the maxVersion of own ones, if that leaves a head, and a minVersion if those have.
func fewest(t *testing.T, c *catalogs.Catalog, own *imageset.Package, heads map[string]string) int {
	t.Helper()
	p := c.Packages[0]
	text := func(v string) catalogs.Text { return catalogs.Text{Value: v} }
	var names []string
	bounds, all := map[string][]imageset.Bounds{}, []imageset.Bounds{own.Bounds} // by channel, and of the package
	for name := range heads {
		names = append(names, name)
		channel := text(name)
		b := own.BoundsOf(name)
		alone := imageset.Package{Name: own.Name, DefaultChannel: channel, Channels: []imageset.Channel{{Name: channel, Bounds: b}}}
		if left := imageset.FilterPackage(p, &alone); left == nil || !hasHead(left, name, heads[name]) {
			b.Max = text("")
		}
		for _, high := range []catalogs.Text{own.BoundsOf(name).Max, b.Max} {
			for _, low := range p.Bundles {
				for _, pre := range []string{"", "-0"} {
					bounds[name] = append(bounds[name], imageset.Bounds{Min: text(low.Version.Value + pre), Max: high})
				}
			}
			if b.Min.Value == "" {
				bounds[name] = append(bounds[name], imageset.Bounds{Max: high})
			}
		}
		all = append(all, bounds[name]...)
		bounds[name] = append(distinct(c, name, bounds[name]), own.BoundsOf(name))
	}
	slices.Sort(names)
	best := -1
	judge := func(item imageset.Package) {
		for _, d := range append([]string{""}, names...) {
			item.DefaultChannel = text(d)
			left := imageset.FilterPackage(p, &item)
			if left == nil {
				continue
			}
			all := maps.Clone(heads)
			for _, ch := range left.Channels { // another one that is left is left well
				if g := graph.Of(left, ch); all[ch.Name.Value] == "" && hasOneHead(g) {
					head, _ := g.Head()
					all[ch.Name.Value] = g.Name(head)
				}
			}
			if strands(t, p, left, all) {
				continue
			}
			if n := len(ImagesOf(left.Bundles)); best < 0 || n < best {
				best = n
			}
		}
	}
	var try func(chosen []imageset.Channel)
	try = func(chosen []imageset.Channel) {
		if len(chosen) == len(names) {
			judge(imageset.Package{Name: own.Name, Channels: chosen})
			return
		}
		name := names[len(chosen)]
		for _, b := range bounds[name] {
			try(append(slices.Clone(chosen), imageset.Channel{Name: text(name), Bounds: b}))
		}
	}
	if len(own.Channels) == 0 {
		for _, b := range all {
			judge(imageset.Package{Name: own.Name, Bounds: b})
		}
	}
	if best < 0 {
		try(nil)
	}
	return best
}

func hasHead(p *catalogs.Package, channel, head string) bool {
	ch := channelOf(p, channel)
	if ch == nil {
		return false
	}
	g := graph.Of(p, ch)
	i, ok := g.Head()
	return ok && g.Name(i) == head
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

// headsToKeep returns the heads that a fix has to keep, by channel: of those that the image set asks for, and that a defaultChannel names.
func headsToKeep(c *catalogs.Catalog, own *imageset.Package) map[string]string {
	heads := map[string]string{}
	p := c.Packages[0]
	left := imageset.FilterPackage(p, own)
	for _, ch := range p.Channels {
		name := ch.Name.Value
		if len(own.Channels) > 0 && own.Channel(name) == nil && own.DefaultChannel.Value != name {
			continue
		}
		g, alone := graph.Of(p, ch), left
		if left == nil {
			alone = imageset.FilterPackage(p, &imageset.Package{Name: own.Name, DefaultChannel: ch.Name, Channels: []imageset.Channel{{Name: ch.Name, Bounds: own.BoundsOf(name)}}})
		}
		if cut := channelOf(alone, name); cut != nil {
			if of := graph.Of(alone, cut); hasOneHead(of) {
				g = of
			}
		} else if name != "c0" && (own.DefaultChannel.Value != name || own.Channel(name) != nil) {
			continue // dropped, and so it stays
		}
		if head, ok := g.Head(); ok {
			heads[name] = g.Name(head)
		}
	}
	if g := graph.Of(p, p.Channel("c0")); len(heads) == 0 && hasOneHead(g) {
		head, _ := g.Head()
		heads["c0"] = g.Name(head)
	}
	return heads
}

func channelOf(p *catalogs.Package, name string) *catalogs.Channel {
	if p == nil || p.Channel(name) == nil || len(p.Channel(name).Entries) == 0 {
		return nil
	}
	return p.Channel(name)
}

func hasOneHead(g *graph.Graph) bool {
	_, ok := g.Head()
	return ok
}

// TestNoSmallerSet compares the fix with all image sets of small catalogs, and has it mirror what the image set does after the next release, and
// of a channel that is new.
func TestNoSmallerSet(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 40
	}
	counts := map[string]int{}
	for seed := range n {
		catalog, lines := smallWorld(rand.New(rand.NewSource(int64(seed))))
		c, config := openText(t, catalog), parse(t, lines)
		report, err := Of(t.Context(), config, []*catalogs.Catalog{c}, nil)
		if err != nil {
			t.Fatal(err)
		}
		fix, err := report.Fix(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		own := &config.Operators[0].Packages[0]
		want := fewest(t, c, own, headsToKeep(c, own))
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
		now := &fix.Operators[0].Packages[0]
		if lost := missedLater(t, catalog, own, now); len(lost) > 0 && len(fix.Notes) == 0 {
			t.Errorf("seed %d: later %v is not mirrored\n%s%s%s", seed, lost, imageset.PackageYAML(now), lines, catalog)
		}
		for i := range own.Channels {
			if now.Channel(own.Channels[i].Name.Value) == nil && len(now.Channels) > 0 {
				t.Errorf("seed %d: channel %s is dropped", seed, own.Channels[i].Name.Value)
			}
		}
	}
	t.Log(counts)
	if counts["fixed"] < n/10 || counts["fine"] < n/20 {
		t.Errorf("too few of a kind: %v", counts)
	}
}

// missedLater returns the channels in which one item mirrors the next release, and another one does not.
func missedLater(t *testing.T, catalog string, before, after *imageset.Package) []string {
	t.Helper()
	whole := openText(t, catalog).Packages[0]
	later := "---\nschema: olm.bundle\nname: a.v2.2.0\npackage: a\nimage: example.com/a:2.2.0\nproperties: [{type: olm.package, value: {packageName: a, version: 2.2.0}}]\n"
	var text strings.Builder
	for _, doc := range strings.SplitAfter(catalog, "---\n") {
		for _, ch := range whole.Channels {
			head, ok := graph.Of(whole, ch).Head()
			if ok && strings.Contains(doc, "schema: olm.channel\nname: "+ch.Name.Value+"\n") {
				doc = strings.TrimSuffix(doc, "---\n") + "- name: a.v2.2.0\n  replaces: " + ch.Entries[head].Name.Value + "\n---\n"
			}
		}
		text.WriteString(doc)
	}
	now := openText(t, strings.TrimSuffix(text.String(), "---\n")+later+"---\nschema: olm.channel\nname: new\npackage: a\nentries:\n- name: a.v2.2.0\n").Packages[0]
	was, is := imageset.FilterPackage(now, before), imageset.FilterPackage(now, after)
	var lost []string
	for _, ch := range now.Channels {
		if was != nil && hasHead(was, ch.Name.Value, "a.v2.2.0") && (is == nil || !hasHead(is, ch.Name.Value, "a.v2.2.0")) {
			lost = append(lost, ch.Name.Value)
		}
	}
	return lost
}
