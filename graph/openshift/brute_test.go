package openshift_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// oldest is the minor version of the first catalog.
const oldest = plan.Minor(14)

var source = resolve.SourceKey{Name: "cat", Namespace: "olm"}

// newBundle returns a bundle of package a, with 0 to 2 olm.maxOpenShiftVersion.
func newBundle(r *rand.Rand, v int) string {
	properties := []string{fmt.Sprintf(`{"type":"olm.package","value":{"packageName":"a","version":"%d.0.0"}}`, v)}
	limits := []string{`"4.13"`, `"4.14"`, `"4.15"`, `"4.16"`, `4.15`, `"4.16.1"`, `""`, `"next"`}
	for range []int{0, 0, 0, 0, 0, 0, 1, 1, 1, 2}[r.IntN(10)] {
		properties = append(properties, fmt.Sprintf(`{"type":"olm.maxOpenShiftVersion","value":%s}`, limits[r.IntN(len(limits))]))
	}
	return fmt.Sprintf(`{"schema":"olm.bundle","package":"a","name":"a.v%d","image":"i/a:%d","properties":[%s]}`, v, v, strings.Join(properties, ","))
}

// newChannel returns a channel with some entries between two versions; most have one head.
func newChannel(r *rand.Rand, name string, low, high int, used map[int]bool) string {
	var entries []string
	last := 0
	for v := low; v <= high; v++ {
		if v < high && r.IntN(4) == 0 {
			continue // the entry is not in this catalog
		}
		e := fmt.Sprintf(`{"name":"a.v%d"`, v)
		switch {
		case last > 0 && r.IntN(12) > 0:
			e += fmt.Sprintf(`,"replaces":"a.v%d"`, last)
		case r.IntN(2) == 0 && v > 1:
			e += fmt.Sprintf(`,"replaces":"a.v%d"`, 1+r.IntN(v-1))
		}
		if r.IntN(4) == 0 {
			e += fmt.Sprintf(`,"skips":["a.v%d"]`, 1+r.IntN(6))
		}
		if r.IntN(5) == 0 {
			e += fmt.Sprintf(`,"skipRange":"%s%d.0.0"`, []string{"<", "<=", ">=2.0.0 <", ">"}[r.IntN(4)], 1+r.IntN(6))
		}
		entries = append(entries, e+"}")
		used[v], last = true, v
	}
	return fmt.Sprintf(`{"schema":"olm.channel","package":"a","name":%q,"entries":[%s]}`, name, strings.Join(entries, ","))
}

// newCatalog returns a catalog of a version, which may lack the package, or a channel.
func newCatalog(r *rand.Rand, bundles map[int]string) string {
	text := `{"schema":"olm.package","name":"z","defaultChannel":"c"}{"schema":"olm.channel","package":"z","name":"c","entries":[{"name":"z.v1"}]}` +
		`{"schema":"olm.bundle","package":"z","name":"z.v1","image":"i/z:1","properties":[{"type":"olm.package","value":{"packageName":"z","version":"1.0.0"}}]}`
	if r.IntN(12) == 0 {
		return text
	}
	channels := [][]string{{"stable"}, {"stable", "fast"}, {"stable", "fast"}, {"fast"}}[r.IntN(4)]
	text += fmt.Sprintf(`{"schema":"olm.package","name":"a","defaultChannel":%q}`, channels[0])
	used := map[int]bool{}
	for _, c := range channels {
		low := 1 + r.IntN(3)
		text += newChannel(r, c, low, low+r.IntN(4), used)
	}
	for _, v := range slices.Sorted(maps.Keys(used)) {
		text += bundles[v]
	}
	return text
}

// cluster is the catalogs of three OpenShift versions.
type cluster struct {
	openshift.Versions
	resolve []*resolve.Catalog
	text    string
}

func newCluster(t *testing.T, seed uint64) *cluster {
	r := rand.New(rand.NewPCG(seed, 7))
	bundles := map[int]string{}
	for v := 1; v <= 6; v++ {
		bundles[v] = newBundle(r, v)
	}
	c := &cluster{Versions: openshift.Versions{Package: "a"}}
	for m := range plan.Minor(3) {
		text := newCatalog(r, bundles)
		cats, err := open.Open(t.Context(), "-", open.Options{Stdin: strings.NewReader(text)})
		if err != nil || len(cats) != 1 {
			t.Fatalf("%v\n%s", err, text)
		}
		read, err := resolve.NewCatalog(t.Context(), cats[0])
		if err != nil {
			t.Fatal(err)
		}
		v := openshift.Version{Minor: oldest + m, Catalog: cats[0], Packages: map[string]*catalogs.Package{}}
		for _, p := range cats[0].Packages {
			v.Packages[p.Name.Value] = p
		}
		c.All, c.resolve = append(c.All, v), append(c.resolve, read)
		c.text += fmt.Sprintf("\n%s:%s\n", oldest+m, strings.ReplaceAll(text, `{"schema"`, "\n"+`{"schema"`))
	}
	return c
}

// namespace has one operator, of the catalog of one version, with the catalog of another one.
func (c *cluster) namespace(channel, name string, from, now int) resolve.Namespace {
	in, _ := c.resolve[from].InstalledOperator(c.Package, name)
	n := resolve.Namespace{Name: "ns", Global: "olm", Sources: []resolve.Source{{SourceKey: source, Catalog: c.resolve[now]}}, Installed: []resolve.InstalledOperator{in},
		Subscriptions: []resolve.Subscription{{Name: "sub", Package: c.Package, Channel: channel, Source: source, InstalledCSV: name}}}
	return n
}

// onlyHead returns the only entry of a channel that none replaces or skips; "" if there is none.
func onlyHead(c *catalogs.Channel) (head string) {
	for _, e := range c.Entries {
		if slices.ContainsFunc(c.Entries, func(o catalogs.Entry) bool {
			return o.Replaces.Value == e.Name.Value || slices.ContainsFunc(o.Skips, func(s catalogs.Text) bool { return s.Value == e.Name.Value })
		}) {
			continue
		}
		if head != "" {
			return ""
		}
		head = e.Name.Value
	}
	return head
}

// allows reports whether a bundle allows an OpenShift version: the values are written out, in an order of their own.
func allows(b *catalogs.Bundle, to plan.Minor, text string) bool {
	var line string
	for l := range strings.Lines(text) {
		if strings.Contains(l, fmt.Sprintf(`"name":%q,"image"`, b.Name.Value)) {
			line = l
		}
	}
	limits := strings.Split(line, `"olm.maxOpenShiftVersion","value":`)[1:]
	if len(limits) != 1 {
		return len(limits) == 0
	}
	value, _, _ := strings.Cut(limits[0], "}")
	newest := map[string]plan.Minor{"4.14": 14, "4.15": 15, "4.16": 16}[strings.Trim(value, `"`)]
	return newest >= to
}

// endsByResolver asks OLM v0's resolver what becomes of an entry: "" if it is upgraded, or the head, else the kind.
func (c *cluster) endsByResolver(ctx context.Context, t *testing.T, channel, name string, from, to int) string {
	r, err := resolve.Resolve(ctx, c.namespace(channel, name, from, to))
	if err != nil {
		t.Fatal(err)
	}
	p := c.PackageIn(to)
	switch {
	case p == nil:
		if r.Resolvable() {
			return "the package is gone, and the resolver goes on"
		}
		return fmt.Sprint(openshift.PackageGone)
	case p.Channel(channel) == nil:
		if r.Resolvable() {
			return "the channel is gone, and the resolver goes on"
		}
		return fmt.Sprint(openshift.ChannelGone)
	}
	ch := p.Channel(channel)
	switch head := onlyHead(ch); {
	case len(r.Installs) > 0 || r.Resolvable() && head == name:
		return ""
	case slices.ContainsFunc(ch.Entries, func(e catalogs.Entry) bool { return e.Name.Value == name }):
		return fmt.Sprint(openshift.Stuck)
	case head != "" && name > head: // versions have one digit
		return fmt.Sprint(openshift.HeadLower)
	}
	return fmt.Sprint(openshift.NoEdge)
}

// TestEndsAgreeWithResolver compares Ends, of all entries and of heads, of each step from one version to the next and of both together, with OLM v0's
// resolver in a namespace that has the entry and the newer catalog.
func TestEndsAgreeWithResolver(t *testing.T) {
	asked, ended := 0, map[openshift.Kind]int{}
	for seed := range uint64(catalogtest.Rounds(4000)) {
		c := newCluster(t, seed)
		for _, step := range [][2]int{{0, 1}, {1, 2}, {0, 2}} {
			from, to := step[0], step[1]
			want, heads := map[string]string{}, map[string]string{}
			if p := c.PackageIn(from); p != nil {
				for _, ch := range p.Channels {
					for _, e := range ch.Entries {
						asked++
						end := c.endsByResolver(t.Context(), t, ch.Name.Value, e.Name.Value, from, to)
						if end == "" || !allows(e.Bundle, c.All[to].Minor, c.text) {
							continue
						}
						want[ch.Name.Value+" "+e.Name.Value] = end
						if onlyHead(ch) == e.Name.Value {
							heads[ch.Name.Value+" "+e.Name.Value] = end
						}
					}
				}
			}
			for only, want := range map[bool]map[string]string{false: want, true: heads} {
				got := map[string]string{}
				ends, err := c.Ends(from, to, only)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range ends {
					ended[e.Kind]++
					got[e.Channel+" "+e.Entry] = fmt.Sprint(e.Kind)
				}
				if !maps.Equal(got, want) {
					t.Fatalf("seed %d, %s to %s, heads %v:\nEnds     %v\nresolver %v\n%s", seed, c.All[from].Minor, c.All[to].Minor, only, got, want, c.text)
				}
			}
		}
	}
	t.Logf("%d entries asked, ends by kind: %v", asked, ended)
	for k := openshift.PackageGone; k <= openshift.Stuck; k++ {
		if ended[k] == 0 {
			t.Errorf("no case of kind %d", k)
		}
	}
}

// outcome is what becomes of an operator.
type outcome struct {
	reached plan.Minor // the newest version that OpenShift is updated to
	names   []string   // what it is upgraded to, before each version and at the end: "4.15 a.v2"
	head    bool       // it is the head of its channel in the end, or newer than that
	gone    bool       // the last catalog does not have the package or the channel
}

// byEnds follows an operator that is upgraded automatically: at each version as far as its catalog leads, and to the next version unless its
// olm.maxOpenShiftVersion forbids that. Ends alone says whether it goes on in a catalog, also of one beside itself; the edge says where to. It is
// false if the upgrades loop.
func (c *cluster) byEnds(t *testing.T, channel, name string) (out outcome, ok bool) {
	from := 0 // the newest catalog of which it was installed, or whose head it was
	for now := 0; ; now++ {
		out.reached, out.head, out.gone = c.All[now].Minor, false, true
		if p := c.PackageIn(now); p != nil && p.Channel(channel) != nil {
			g := graph.New(p, p.Channel(channel))
			out.gone = false
			for hops := 0; !c.hasEnd(t, channel, name, from, now); hops++ {
				e, on := g.NextOfInstalled(name, c.PackageIn(from).Bundle(name).Version.Value)
				if !on {
					if !g.IsHead(name) && allows(c.PackageIn(from).Bundle(name), out.reached, c.text) {
						t.Fatalf("%s of channel %s stays at %s, and does not end\n%s", name, channel, out.reached, c.text)
					}
					break
				}
				if hops > 10 {
					return out, false
				}
				name, from = g.Name(e.To), now
				out.names = append(out.names, fmt.Sprintf("%s %s", c.All[now].Minor, name))
			}
			out.head = g.IsHead(name)
		} else if now > 0 && !c.hasEnd(t, channel, name, from, now) {
			t.Fatalf("%s of channel %s is in no catalog of %s, and does not end", name, channel, out.reached)
		}
		if now+1 == len(c.All) || !allows(c.PackageIn(from).Bundle(name), c.All[now+1].Minor, c.text) {
			if !out.gone {
				ch := c.PackageIn(now).Channel(channel)
				member := slices.ContainsFunc(ch.Entries, func(e catalogs.Entry) bool { return e.Name.Value == name })
				out.head = out.head || !member && onlyHead(ch) != "" && name > onlyHead(ch)
			}
			return out, true
		}
	}
}

// hasEnd reports whether Ends has an entry.
func (c *cluster) hasEnd(t *testing.T, channel, name string, from, to int) bool {
	ends, err := c.Ends(from, to, false)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(ends, func(e openshift.End) bool { return e.Channel == channel && e.Entry == name })
}

// byPlan asks graph/plan, with catalogs that have no other channel to switch to.
func (c *cluster) byPlan(t *testing.T, channel, name string) (out outcome) {
	cats := make([]plan.Catalog, len(c.All))
	for i, v := range c.All {
		only := *v.Catalog
		only.Packages = slices.Clone(only.Packages)
		for j, p := range only.Packages {
			if p.Name.Value == "a" {
				only.Packages[j] = p.WithContents(slices.DeleteFunc(slices.Clone(p.Channels), func(ch *catalogs.Channel) bool { return ch.Name.Value != channel }), p.Bundles)
			}
		}
		read, err := resolve.NewCatalog(t.Context(), &only)
		if err != nil {
			t.Fatal(err)
		}
		cats[i] = plan.Catalog{Source: source, Minor: v.Minor, Content: read}
	}
	n := c.namespace(channel, name, 0, 0)
	n.Sources[0].Catalog = nil
	to := c.All[len(c.All)-1].Minor
	for _, any := range []bool{true, false} {
		p, err := plan.Find(t.Context(), plan.Cluster{Minor: oldest, Namespaces: []resolve.Namespace{n}}, cats, plan.Request{To: to, Any: any})
		if err != nil || !p.Exact || p.Cost.Switches > 0 {
			t.Fatalf("%v: %+v\n%s", err, p, c.text)
		}
		if !any {
			out.head = p.IsPossible()
			out.gone = slices.ContainsFunc(p.Blockers, func(b plan.Blocker) bool { return b.Kind == plan.MissingInCatalog && b.Minor == out.reached })
			continue
		}
		out.reached = p.Reached
		for _, s := range p.Steps {
			for _, u := range s.Upgrades {
				out.names = append(out.names, fmt.Sprintf("%s %s", s.Minor, u.To.Name))
			}
		}
	}
	return out
}

// TestEndsAgreeWithPlan compares what becomes, without a switch to another channel, of a cluster with one operator, the head of a channel or another
// entry, according to Ends and to graph/plan: how far OpenShift is updated, to what the operator is upgraded at each version, and whether it is the
// head of its channel at the last one. If not, plan must say that the channel is missing there exactly if it ends because the channel or the package
// is gone. For plan what is newer than the head, and not in the channel, is as good as the head, where Ends says that the head is lower.
func TestEndsAgreeWithPlan(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(catalogtest.Rounds(2000)) {
		c := newCluster(t, seed+1_000_000)
		p := c.PackageIn(0)
		if p == nil {
			continue
		}
		ch := p.Channels[int(seed)%len(p.Channels)]
		name := onlyHead(ch)
		if seed%2 == 0 || name == "" {
			name = ch.Entries[int(seed/2)%len(ch.Entries)].Name.Value
		}
		want, ok := c.byEnds(t, ch.Name.Value, name)
		if !ok {
			count["loop"]++
			continue
		}
		got := c.byPlan(t, ch.Name.Value, name)
		if want.reached < c.All[2].Minor { // the plan has blockers of OpenShift then
			got.gone, want.gone, want.head = false, false, false
			count["OpenShift is not updated"]++
		}
		if want.head {
			count["at the head"]++
		} else if want.gone {
			count["gone"]++
		} else {
			count["stranded"]++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d, %s of channel %s:\nEnds %+v\nplan %+v\n%s", seed, name, ch.Name.Value, want, got, c.text)
		}
	}
	t.Log(count)
}
