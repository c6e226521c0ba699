package render

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/text"
)

// TestComment writes comments on random changes, of one entry and of thousands: each is within the limits of a comment, counts every
// stranded version once, and names are inert in it.
func TestComment(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	rounds, pictures, folds, stranded := catalogtest.Rounds(150), 0, 0, 0
	for i := range rounds {
		d := randomDifferences(r, i%5 == 0)
		var out bytes.Buffer
		if err := d.comment().Markdown(&out); err != nil {
			t.Fatal(err)
		}
		comment := out.String()
		checkComment(t, d, comment)
		if t.Failed() {
			t.Fatalf("in\n%.4000s", comment)
		}
		pictures += strings.Count(comment, "```mermaid")
		folds += strings.Count(comment, "</details>")
		stranded += strandedIn(comment)
	}
	if pictures < rounds/2 || folds < rounds/5 || stranded < rounds {
		t.Errorf("only %d pictures, %d folds, %d stranded", pictures, folds, stranded)
	}
}

func checkComment(t *testing.T, d Differences, comment string) {
	t.Helper()
	if n := strings.Count(comment, "\n"); n > 60 {
		t.Errorf("%d lines", n)
	}
	if n := utf8.RuneCountInString(comment); n > 65_536 {
		t.Errorf("%d characters", n)
	}
	if got, want := strandedIn(comment), strandedByGraph(d); got != want {
		t.Errorf("%d are stranded, want %d", got, want)
	}
	rest, picture := cutPicture(comment)
	if !diagram.FitsGitHub(picture) {
		t.Errorf("the diagram has %d characters", len(picture))
	}
	rest, fold := cutFold(rest)
	if n := strings.Count(rest, "\n"); n > 25 {
		t.Errorf("%d lines beside the diagram and the fold", n)
	}
	for line := range strings.Lines(rest + fold) {
		if left := withoutCode(line); strings.ContainsAny(left, "<>@[]_~`") {
			t.Errorf("a name is not inert: %.500q", left)
		}
	}
}

// strandedIn returns the number of stranded versions in the counts below the title.
func strandedIn(comment string) int {
	_, counts, _ := strings.Cut(comment, "\n\n")
	if found := strandedCount.FindStringSubmatch(counts); found != nil {
		n, _ := strconv.Atoi(found[1])
		return n
	}
	return 0
}

var strandedCount = regexp.MustCompile(`^(\d+) versions? stranded(,| and more| and removed|\n)`)

// strandedByGraph counts the versions that have lost their upgrade path in a channel of some catalog.
func strandedByGraph(d Differences) int {
	names := map[[2]string]bool{}
	for i, pair := range d.Pairs {
		if i > 0 && slices.Equal(pair.Now.Packages, d.Pairs[i-1].Now.Packages) {
			continue
		}
		for _, was := range pair.Base.Packages {
			now := pair.Now.Package(was.Name.Value)
			if now == nil {
				continue
			}
			before, after := graph.NewPackageGraph(was), graph.NewPackageGraph(now)
			for _, g := range before.Graphs {
				h := after.Graph(g.Channel.Name.Value)
				if h == nil {
					continue
				}
				for _, o := range (&graph.Change{Base: g, Now: h}).Outcomes() {
					if o.IsStranded() {
						names[[2]string{was.Name.Value, g.Name(o.Entry)}] = true
					}
				}
			}
		}
	}
	return len(names)
}

func cutPicture(comment string) (rest, picture string) {
	before, after, ok := strings.Cut(comment, "```mermaid\n")
	if !ok {
		return comment, ""
	}
	picture, after, _ = strings.Cut(after, "```\n")
	return before + after, picture
}

func cutFold(comment string) (rest, fold string) {
	before, after, ok := strings.Cut(comment, "<details><summary>")
	if !ok {
		return comment, ""
	}
	fold, after, _ = strings.Cut(after, "</details>\n")
	return before + after, strings.Replace(fold, "</summary>", "", 1)
}

// withoutCode returns a line without its code spans: a span ends at a run of as many backticks as it began with.
func withoutCode(line string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(line, '`')
		if start < 0 {
			return b.String() + line
		}
		n := len(line) - start - len(strings.TrimLeft(line[start:], "`"))
		end := closing(line[start+n:], n)
		if end < 0 {
			return b.String() + line
		}
		b.WriteString(line[:start])
		line = line[start+n+end:]
	}
}

// closing returns the end of the first run of exactly n backticks, or -1.
func closing(s string, n int) int {
	for at := 0; at < len(s); {
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		if run == n {
			return at + n
		}
		at += max(run, 1)
	}
	return -1
}

// randomDifferences compares random catalogs; with large ones of many packages.
func randomDifferences(r *rand.Rand, large bool) Differences {
	var d Differences
	packages := 1 + r.IntN(4)
	if large {
		packages = 1 + r.IntN(30)
	}
	hostile := r.IntN(3) == 0
	was := randomPackages(r, packages, hostile)
	now := randomMutants(r, was, hostile)
	var of []graph.Difference
	for i := range 1 + r.IntN(4)*r.IntN(5) {
		if r.IntN(6) == 0 {
			now = randomMutants(r, was, hostile)
			of = nil
		}
		p := compare.Pair{Base: &catalogs.Catalog{Packages: was}, Now: &catalogs.Catalog{Name: fmt.Sprintf("v4.%d", 9+i), OpenShift: fmt.Sprintf("4.%d", 9+i), Packages: now}}
		var all []graph.Difference
		for _, name := range packageNames(was, now) {
			if of != nil {
				break // the same packages as those of the previous catalog
			}
			more, err := graph.Diff(p.Base.Package(name), p.Now.Package(name))
			if err != nil {
				panic(err)
			}
			all = append(all, more...)
		}
		if of == nil {
			of = all
		}
		d.Pairs, d.ByPair = append(d.Pairs, p), append(d.ByPair, of)
	}
	if r.IntN(4) == 0 {
		d.Unpaired, d.OnlyInBase = []string{"a", "b"}, []string{"c"}
	}
	d.JSON = "olmgraph diff -o json was now"
	return d
}

func packageNames(lists ...[]*catalogs.Package) []string {
	var names []string
	for _, list := range lists {
		for _, p := range list {
			names = append(names, p.Name.Value)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func randomPackages(r *rand.Rand, n int, hostile bool) []*catalogs.Package {
	var all []*catalogs.Package
	for i := range n {
		all = append(all, randomPackage(r, fmt.Sprintf("p%d", i), hostile))
	}
	return all
}

func randomPackage(r *rand.Rand, name string, hostile bool) *catalogs.Package {
	if hostile {
		name += hostileName(r)
	}
	p := &catalogs.Package{Name: newText(name)}
	for i := range 1 + r.IntN(5) {
		c := &catalogs.Channel{Name: newText(fmt.Sprintf("c%d", i))}
		if hostile {
			c.Name.Value += hostileName(r)
		}
		p.Channels = append(p.Channels, c)
		for j := range 1 + r.IntN(30) {
			addEntry(r, p, c, j, hostile)
		}
	}
	p.DefaultChannel = p.Channels[0].Name
	return p
}

func addEntry(r *rand.Rand, p *catalogs.Package, c *catalogs.Channel, i int, hostile bool) {
	version := fmt.Sprintf("%d.%d.0", i/5, i%5)
	name := p.Name.Value + ".v" + version
	if hostile && r.IntN(4) == 0 {
		name += hostileName(r)
	}
	b := p.Bundle(name)
	if b == nil {
		b = &catalogs.Bundle{Name: newText(name), Version: newText(version), Image: newText("image" + version)}
		p.Bundles = append(p.Bundles, b)
	}
	if slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool { return e.Name.Value == name }) {
		return
	}
	e := catalogs.Entry{Name: newText(name), Bundle: b}
	if n := len(c.Entries); n > 0 {
		e.Replaces = c.Entries[n-1].Name
		if n > 1 && r.IntN(5) == 0 {
			e.Replaces, e.Skips = c.Entries[n-2].Name, []catalogs.Text{c.Entries[n-1].Name}
		}
	}
	if r.IntN(8) == 0 {
		e.SkipRange = newText("<" + version)
	}
	c.Entries = append(c.Entries, e)
}

func newText(s string) catalogs.Text { return catalogs.Text{Value: s} }

func hostileName(r *rand.Rand) string {
	return []string{"</details>", "`x`", strings.Repeat("`", 90), "<img src=x onerror=y>", "@all", "[a](b)", "direction LR", `"];`, "\n\n# x", "\u202e",
		strings.Repeat("😀", 400), strings.Repeat("x-", 400), "```\n", "~~~", "|", "%%{init: {}}%%", "#quot;", "a_b_c"}[r.IntN(18)]
}

// randomMutants returns packages with some changes.
func randomMutants(r *rand.Rand, was []*catalogs.Package, hostile bool) []*catalogs.Package {
	var all []*catalogs.Package
	for _, p := range was {
		if r.IntN(12) == 0 && len(was) > 1 {
			continue
		}
		q := *p
		q.Channels = nil
		for _, c := range p.Channels {
			if r.IntN(10) == 0 {
				continue
			}
			changed := *c
			changed.Entries = slices.DeleteFunc(slices.Clone(c.Entries), func(catalogs.Entry) bool { return r.IntN(6) == 0 })
			for i := range changed.Entries {
				if r.IntN(10) == 0 {
					changed.Entries[i].Replaces = catalogs.Text{}
				}
			}
			if r.IntN(2) == 0 || len(changed.Entries) == 0 {
				addEntry(r, &q, &changed, 31+r.IntN(3), hostile)
			}
			q.Channels = append(q.Channels, &changed)
		}
		if len(q.Channels) > 0 {
			all = append(all, &q)
		}
	}
	for i := range r.IntN(3) {
		all = append(all, randomPackage(r, fmt.Sprintf("new%d", i), hostile))
	}
	return all
}

// TestCatalogRanges names the catalogs of a difference in the order of their versions.
func TestCatalogRanges(t *testing.T) {
	var d Differences
	for _, version := range []string{"4.10", "4.11", "4.12", "4.13", "4.14", "4.8", "4.9"} {
		d.Pairs = append(d.Pairs, compare.Pair{Now: &catalogs.Catalog{Name: "v" + version, OpenShift: version}})
	}
	for want, in := range map[string][]int{"v4.8 to v4.14": {0, 1, 2, 3, 4, 5, 6}, "v4.8 to v4.10 and v4.14": {0, 4, 5, 6}, "v4.9, v4.11 and v4.12": {1, 2, 6}} {
		if got := d.catalogsText(in); got != want {
			t.Errorf("%v: %s, want %s", in, got, want)
		}
	}
	d.Pairs[2].Now.OpenShift, d.Pairs[2].Now.Name = "", "stage"
	if got := (Differences{Pairs: d.Pairs[:1]}).catalogsText([]int{0}); got != "" {
		t.Errorf("one catalog: %s", got)
	}
}

// TestDiffTextIsComplete: with details text tells every name, or its version.
func TestDiffTextIsComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 30 {
		d := randomDifferences(r, false)
		d.Details = true
		var out bytes.Buffer
		if err := d.say().Text(&out, text.Style{Width: 1 << 20}); err != nil {
			t.Fatal(err)
		}
		known, versions := map[string]bool{}, d.bundleVersions()
		for i := range d.ByPair {
			for _, one := range d.ByPair[i] {
				for _, name := range one.Names {
					if one.Kind == graph.ChannelRemoved || known[name] {
						continue // its entries are counted
					}
					known[name] = true
					if !strings.Contains(out.String(), strings.Join(strings.Fields(text.Safe(versions.say(one.Package, name))), " ")) {
						t.Fatalf("%s %q is missing in\n%.3000s", one.Kind, name, out.String())
					}
				}
			}
		}
	}
}

// TestFoldsLoseNothing: each difference is in exactly one row, with and without details, and also of packages that are merged.
func TestFoldsLoseNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	follow := 0
	for range 60 {
		d := randomDifferences(r, false)
		want := map[string]int{}
		for _, row := range d.mergeCatalogs() {
			want[rowKey(row.Difference)]++
		}
		for _, d.Details = range []bool{false, true} {
			rows := d.rows()
			follow += countRows(rows).follow
			for _, all := range [][][]*diffRow{rows, mergePackages(rows, d.words().sentence)} {
				got := map[string]int{}
				for _, of := range all {
					for _, row := range of {
						for _, one := range row.of {
							got[rowKey(one)]++
						}
					}
				}
				if !maps.Equal(got, want) {
					t.Fatalf("details %v: %d rows of %d differences", d.Details, len(got), len(want))
				}
			}
		}
	}
	if follow < 60 {
		t.Errorf("only %d differences follow", follow)
	}
}

// TestVersionsInDiff: a name is said as its version only if it ends in it, and no other name does.
func TestVersionsInDiff(t *testing.T) {
	p := &catalogs.Package{Name: newText("tide-3"), Bundles: []*catalogs.Bundle{
		{Name: newText("tide-3.v1.0.0"), Version: newText("1.0.0")},
		{Name: newText("tide-3.v1.1.0"), Version: newText("1.2.0")},
		{Name: newText("tide-3.v1.3.0"), Version: newText("1.3.0")},
		{Name: newText("ebb.v1.3.0"), Version: newText("1.3.0")},
		{Name: newText("tide-3.latest"), Version: newText("1.5.0")},
		{Name: newText("tide-3.v11.0.0"), Version: newText("11.0.0")},
	}}
	c := &catalogs.Catalog{Packages: []*catalogs.Package{p}}
	skips := graph.Difference{Kind: graph.SkipsChanged, Package: "tide-3", Names: []string{"tide-3.v1.0.0"}, Was: "tide-3.v0.8.0, tide-3.v0.9.0"}
	image := graph.Difference{Kind: graph.ImageChanged, Package: "tide-3", Names: []string{"tide-3.v1.0.0"}, Is: "example.com/tide-1.0.0"}
	versions := Differences{Pairs: []compare.Pair{{Base: c, Now: c}}, ByPair: [][]graph.Difference{{skips, image}}}.bundleVersions()
	for name, want := range map[string]string{"tide-3.v1.0.0": "1.0.0", "tide-3.v0.9.0": "0.9.0", "tide-3.v11.0.0": "11.0.0"} {
		if got := versions.say("tide-3", name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"tide-3.v1.1.0", "tide-3.v1.3.0", "ebb.v1.3.0", "tide-3.latest", "stable"} {
		if got := versions.say("tide-3", name); got != name {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestUnnamedPackage: the changes of a package without a name are told as those of any other, not as new packages.
func TestUnnamedPackage(t *testing.T) {
	changed := []graph.Difference{{Kind: graph.Stranded, Channel: "a", Names: []string{"x.v1"}, Was: "x.v1"}, {Kind: graph.EntryRemoved, Channel: "a", Names: []string{"x.v1"}}}
	pair := compare.Pair{Base: &catalogs.Catalog{}, Now: &catalogs.Catalog{}}
	d := Differences{Pairs: []compare.Pair{pair}, ByPair: [][]graph.Difference{changed}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(out *bytes.Buffer) error { return d.say().Text(out, text.Style{Width: 200}) },
		"markdown": func(out *bytes.Buffer) error { return d.comment().Markdown(out) },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Contains(got, "packages") || !strings.Contains(got, "stranded") || !strings.Contains(got, "2 differences in 1 package; users are stranded") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
