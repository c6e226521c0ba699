package mirror

import (
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
	pg := graph.NewPackageGraph(p)
	if !pg.Has(in.Name) {
		pg = pg.WithRemoved(in)
	}
	answer := pg.Ask(graph.Question{Channel: pg.Graph(channel), From: in.Name, To: in.Name, Limit: 1})
	if n := len(answer.Automatic); n > 0 {
		return answer.Automatic[n-1].To
	}
	return in.Name
}

// TestStrandedUsers compares who is stranded in small catalogs with the upgrades in the whole catalog and in the filtered one.
func TestStrandedUsers(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 40
	}
	strandedOnes, others := 0, 0
	for seed := range n {
		catalog, lines := smallWorld(rand.New(rand.NewSource(int64(seed))))
		r := report(t, catalog, lines, nil)
		if r.Catalogs[0].Left == nil {
			continue
		}
		whole, left := r.Catalogs[0].Whole.Packages[0], r.Catalogs[0].Left.Packages[0]
		var want, got []string
		for i := range r.users[0] {
			u := &r.users[0][i]
			g := graph.New(left, left.Channel(u.Channel))
			head, ok := g.Head()
			if _, err := g.Order(); !ok || err != nil {
				continue
			}
			end := upgradesTo(left, u.Channel, u.Installed)
			if end != g.Name(head) && end != upgradesTo(whole, u.Channel, u.Installed) && !semver.MustParse(u.Installed.Version).GT(*g.Version(head)) {
				want = append(want, u.Channel+" "+u.Installed.Name)
			} else {
				others++
			}
		}
		for _, f := range r.Findings {
			for _, u := range f.Users {
				if f.Kind == Stranded {
					got = append(got, f.Channel+" "+u.Installed.Name)
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if strandedOnes += len(got); !slices.Equal(got, want) {
			t.Errorf("seed %d: stranded are %q, want %q\n%s%s", seed, got, want, lines, catalog)
		}
	}
	t.Log(strandedOnes, "users are stranded, and", others, "are not")
	if strandedOnes < n/10 || others < n {
		t.Error("too few of a kind")
	}
}
