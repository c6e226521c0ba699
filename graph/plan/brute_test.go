package plan

import (
	"container/heap"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// randomWorld is a small cluster with its catalogs.
type randomWorld struct {
	cluster  Cluster
	catalogs []Catalog
	request  Request
	links    [][2]string // packages that have to do with each other
	text     string
}

// openText reads a catalog from its text.
func openText(t testing.TB, text string) *resolve.Catalog {
	t.Helper()
	cats, err := open.Open(t.Context(), "-", open.Options{Stdin: strings.NewReader(text)})
	if err != nil || len(cats) != 1 {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, p := range cats[0].Problems {
		t.Fatalf("%+v\n%s", p, text)
	}
	r, err := resolve.NewCatalog(t.Context(), cats[0])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// randomBundle is a bundle that is the same in every catalog.
func randomBundle(r *rand.Rand, raise int, pkg string, v int, packages []string, links *[][2]string) string {
	props := []string{fmt.Sprintf(`{"type":"olm.package","value":{"packageName":%q,"version":"%d.0.0"}}`, pkg, v)}
	add := func(kind, value string) { props = append(props, fmt.Sprintf(`{"type":%q,"value":%s}`, kind, value)) }
	switch r.IntN(8) {
	case 0, 1:
		add("olm.maxOpenShiftVersion", fmt.Sprintf(`"4.%d"`, 14+raise+r.IntN(4)))
	case 2:
		if r.IntN(4) == 0 {
			add("olm.maxOpenShiftVersion", `"4.15.1"`)
		}
	}
	if other := packages[r.IntN(len(packages))]; r.IntN(4) == 0 && other != pkg {
		add("olm.package.required", fmt.Sprintf(`{"packageName":%q,"versionRange":"%s%d.0.0"}`, other, []string{"<", ">=", ""}[r.IntN(3)], 1+r.IntN(3)))
		*links = append(*links, [2]string{pkg, other})
	}
	kube := ""
	if r.IntN(8) == 0 {
		kube = fmt.Sprintf(`"minKubeVersion":"1.%d.0",`, 27+r.IntN(3))
	}
	add("olm.csv.metadata", fmt.Sprintf(`{%s"displayName":"x"}`, kube))
	return fmt.Sprintf(`{"schema":"olm.bundle","package":%q,"name":"%s.v%d","image":"i/%s:%d","properties":[%s]}`, pkg, pkg, v, pkg, v, strings.Join(props, ","))
}

// randomPackage writes a package as it is in one catalog.
func randomPackage(r *rand.Rand, pkg string, oldest, newest int, bundles map[string]string) string {
	channels := []string{"stable", "fast"}[:1+r.IntN(2)]
	if r.IntN(5) == 0 {
		slices.Reverse(channels)
		channels = channels[:1]
	}
	text := fmt.Sprintf(`{"schema":"olm.package","name":%q,"defaultChannel":%q}`, pkg, channels[0])
	used := map[string]bool{}
	for _, c := range channels {
		var entries []string
		low, high := oldest, newest
		if len(channels) > 1 && high > low {
			low += r.IntN(2)
			high -= r.IntN(2)
			high = max(low, high)
		}
		for v := low; v <= high; v++ {
			e := fmt.Sprintf(`{"name":"%s.v%d"`, pkg, v)
			if v > 1 && (v > low || r.IntN(2) == 0) {
				e += fmt.Sprintf(`,"replaces":"%s.v%d"`, pkg, v-1)
			}
			if v > 2 && r.IntN(3) == 0 {
				e += fmt.Sprintf(`,"skips":["%s.v%d"]`, pkg, v-2)
			}
			if r.IntN(4) == 0 {
				e += fmt.Sprintf(`,"skipRange":"<%d.0.0"`, v)
			}
			entries = append(entries, e+"}")
			used[fmt.Sprintf("%s.v%d", pkg, v)] = true
		}
		text += fmt.Sprintf(`{"schema":"olm.channel","package":%q,"name":%q,"entries":[%s]}`, pkg, c, strings.Join(entries, ","))
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		text += bundles[name]
	}
	return text
}

func newRandomWorld(t testing.TB, seed uint64) *randomWorld { return raisedWorld(t, seed, 0) }

// raisedWorld is a random world in which each olm.maxOpenShiftVersion is higher by so many minor versions.
func raisedWorld(t testing.TB, seed uint64, raise int) *randomWorld {
	r := rand.New(rand.NewPCG(seed, 24))
	w := &randomWorld{}
	packages := []string{"a", "b", "c"}[:1+r.IntN(3)]
	bundles := map[string]string{}
	for _, p := range packages {
		for v := 1; v <= 4; v++ {
			bundles[fmt.Sprintf("%s.v%d", p, v)] = randomBundle(r, raise, p, v, packages, &w.links)
		}
	}
	keys := []resolve.SourceKey{{Name: "cat", Namespace: "olm"}}
	if r.IntN(5) == 0 {
		keys = append(keys, resolve.SourceKey{Name: "other", Namespace: "olm"})
	}
	const from, to = 14, 16
	w.request = Request{To: to, Any: r.IntN(4) == 0}
	w.cluster.Minor = from
	for _, key := range keys {
		for m := Minor(from); m <= to; m++ {
			if m < to && r.IntN(6) == 0 {
				continue // unknown
			}
			text := ""
			for _, p := range packages {
				if r.IntN(12) > 0 {
					oldest := 1 + r.IntN(1+int(m)-from)
					text += randomPackage(r, p, oldest, min(4, oldest+r.IntN(3)), bundles)
				}
			}
			if text == "" {
				text = randomPackage(r, "z", 1, 1, map[string]string{"z.v1": randomBundle(r, raise, "z", 1, []string{"z"}, &w.links)})
			}
			c := openText(t, text)
			w.catalogs = append(w.catalogs, Catalog{Source: key, Minor: m, Content: c})
			w.text += fmt.Sprintf("%s at %s:\n%s\n", key, m, strings.ReplaceAll(text, `{"schema"`, "\n"+`{"schema"`))
		}
	}
	everything := ""
	for _, name := range slices.Sorted(maps.Keys(bundles)) {
		pkg, _, _ := strings.Cut(name, ".")
		everything += bundles[name] + fmt.Sprintf(`{"schema":"olm.channel","package":%q,"name":%q,"entries":[{"name":%q}]}`, pkg, name, name)
	}
	for _, p := range packages {
		everything += fmt.Sprintf(`{"schema":"olm.package","name":%q,"defaultChannel":"%s.v1"}`, p, p)
	}
	known := openText(t, everything)
	w.namespaces(r, packages, keys, known)
	return w
}

// namespaces puts each package in a namespace.
func (w *randomWorld) namespaces(r *rand.Rand, packages []string, keys []resolve.SourceKey, known *resolve.Catalog) {
	count := 1 + r.IntN(2)*r.IntN(2)
	for i := range count {
		n := resolve.Namespace{Name: fmt.Sprintf("ns%d", i), Global: "olm", Conditions: map[string]resolve.Condition{}}
		for _, key := range keys {
			n.Sources = append(n.Sources, resolve.Source{SourceKey: key})
		}
		if r.IntN(40) == 0 {
			n.Groups = &resolve.OperatorGroups{}
		}
		mode := r.IntN(3)
		for j, p := range packages {
			if j%count != i {
				continue
			}
			name := fmt.Sprintf("%s.v%d", p, 1+r.IntN(2))
			in, _ := known.InstalledOperator(p, name)
			sub := resolve.Subscription{Name: p, Package: p, Channel: []string{"stable", "stable", "fast"}[r.IntN(3)], Source: keys[r.IntN(len(keys))],
				Manual: mode == 0 || mode == 1 && r.IntN(2) == 0}
			if r.IntN(6) > 0 {
				sub.InstalledCSV = name
				n.Installed = append(n.Installed, in)
			}
			if r.IntN(12) == 0 {
				n.Conditions[name] = resolve.Condition{Status: "False", Reason: "Busy"}
			}
			n.Subscriptions = append(n.Subscriptions, sub)
			w.text += fmt.Sprintf("%s: %+v\n", n.Name, sub)
		}
		if len(n.Subscriptions) > 0 {
			w.cluster.Namespaces = append(w.cluster.Namespaces, n)
		}
	}
}

// relatedPackages returns the packages that have to do with one, directly or not.
func (w *randomWorld) relatedPackages(pkg string) map[string]bool {
	found := map[string]bool{pkg: true}
	for range w.links {
		for _, l := range w.links {
			if found[l[0]] || found[l[1]] {
				found[l[0]], found[l[1]] = true, true
			}
		}
	}
	return found
}

// bruteState is a state of all namespaces together.
type bruteState struct {
	minor      Minor
	namespaces []resolve.Namespace
}

func (s *bruteState) key() string {
	var b strings.Builder
	fmt.Fprintln(&b, s.minor)
	for i := range s.namespaces {
		n := &s.namespaces[i]
		var lines []string
		for j := range n.Installed {
			lines = append(lines, "has "+n.Installed[j].Name)
		}
		for j := range n.Subscriptions {
			sub := &n.Subscriptions[j]
			lines = append(lines, fmt.Sprintf("sub %s %s %s %s %s %v", sub.Name, sub.Channel, sub.Source, sub.InstalledCSV, sub.CurrentCSV, n.IsPending(sub)))
			for _, p := range n.Plans {
				if p.Name == sub.Plan && n.IsPending(sub) {
					lines = append(lines, fmt.Sprintf("plan %s %q", sub.Name, p.CSVs))
				}
			}
		}
		slices.Sort(lines)
		b.WriteString(strings.Join(lines, "\n") + "\n\n")
	}
	return b.String()
}

// brute finds the cheapest plan by trying everything, for whole namespaces, all together.
type brute struct {
	t       testing.TB
	w       *randomWorld
	content *content
	reached Minor
	newest  int                   // the fewest newer heads of the cheapest ends
	best    [upgradesMade + 1]int // the best rating of a state at reached
	tried   int
}

func (b *brute) find() (cost Cost, found bool) {
	best := map[string]Cost{}
	var queue bruteQueue
	push := func(s bruteState, c Cost) {
		key := s.key()
		if old, ok := best[key]; ok && compareCosts(old, c) <= 0 {
			return
		}
		best[key] = c
		heap.Push(&queue, bruteEntry{s, c, key})
	}
	first := bruteState{b.w.cluster.Minor, slices.Clone(b.w.cluster.Namespaces)}
	b.reached = first.minor
	if cost, ok := b.settle(&first); ok {
		push(first, cost)
	}
	for len(queue) > 0 {
		e := heap.Pop(&queue).(bruteEntry)
		if best[e.key] != e.cost {
			continue
		}
		if rating := b.rate(&e); e.minor > b.reached || b.tried == 0 || e.minor == b.reached && slices.Compare(rating[:], b.best[:]) < 0 {
			b.best = rating
		}
		b.reached = max(b.reached, e.minor)
		if found && compareCosts(e.cost, cost) > 0 {
			break
		}
		if b.done(&e.bruteState) {
			if behind := b.countBehind(b.ends(&e.bruteState)); !found || behind < b.newest {
				b.newest = behind
			}
			found, cost = true, e.cost
		}
		if b.tried++; b.tried > maxBrute {
			return Cost{}, false
		}
		b.moves(&e.bruteState, func(s bruteState, c Cost) {
			c.add(e.cost)
			push(s, c)
		})
	}
	return cost, found
}

// rate returns the fields of a cost that depend on the state, up to the upgrades.
func (b *brute) rate(e *bruteEntry) (c [upgradesMade + 1]int) {
	for i := range e.namespaces {
		n := e.namespaces[i]
		unresolvable := slices.ContainsFunc(n.Subscriptions, func(sub resolve.Subscription) bool {
			related := b.w.relatedPackages(sub.Package)
			return b.hasCatalogs(b.only(n, related), e.minor) && !b.resolvable(n, related, e.minor)
		})
		for j := range n.Subscriptions {
			sub := &n.Subscriptions[j]
			if len(sub.Name) > 1 {
				continue
			}
			if unresolvable {
				c[frozen]++
			}
			if had := b.ends(&bruteState{namespaces: b.w.cluster.Namespaces})[[2]string{n.Name, sub.Name}]; sub.InstalledCSV != "" && sub.InstalledCSV < had {
				c[lowered]++
			}
			if b.w.request.Any {
				continue
			}
			if !b.atHead(n.Name, sub, e.minor) {
				c[short]++
			}
			newer := map[string]bool{}
			for _, k := range b.w.catalogs {
				if p := k.Content.Package(sub.Package); p != nil {
					for _, bundle := range p.Bundles {
						newer[bundle.Name.Value] = bundle.Name.Value > sub.InstalledCSV
					}
				}
			}
			for _, is := range newer {
				if is {
					c[missed]++
				}
			}
		}
	}
	c[switches], c[approvals], c[upgradesMade] = e.cost.Switches, e.cost.Approvals, e.cost.Upgrades
	return c
}

// ends returns what is installed at the end, by namespace and subscription.
func (b *brute) ends(s *bruteState) map[[2]string]string {
	all := map[[2]string]string{}
	for _, n := range s.namespaces {
		for _, sub := range n.Subscriptions {
			all[[2]string{n.Name, sub.Name}] = sub.InstalledCSV
		}
	}
	return all
}

// countBehind returns how many heads are newer than what is installed: versions here are numbers of one digit.
func (b *brute) countBehind(ends map[[2]string]string) int {
	newer := 0
	for _, n := range b.w.cluster.Namespaces {
		for _, sub := range n.Subscriptions {
			for _, source := range n.Sources {
				p := b.content.pkg(source.SourceKey, b.w.request.To, sub.Package)
				if p == nil {
					continue
				}
				for _, head := range p.heads("") {
					if end := ends[[2]string{n.Name, sub.Name}]; end != "" && head > end {
						newer++
					}
				}
			}
		}
	}
	return newer
}

// planEnds returns what is installed after a plan.
func planEnds(w *randomWorld, p *Plan) map[[2]string]string {
	all := map[[2]string]string{}
	for _, n := range w.cluster.Namespaces {
		for _, sub := range n.Subscriptions {
			all[[2]string{n.Name, sub.Name}] = sub.InstalledCSV
		}
	}
	for _, step := range p.Steps {
		for _, u := range step.Upgrades {
			all[[2]string{step.Namespace, u.Package}] = u.To.Name
		}
	}
	return all
}

// maxBrute bounds how many states are tried; worlds with more are left out.
const maxBrute = 250

type bruteEntry struct {
	bruteState
	cost Cost
	key  string
}

type bruteQueue []bruteEntry

func (q bruteQueue) Len() int           { return len(q) }
func (q bruteQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q bruteQueue) Less(i, j int) bool { return compareCosts(q[i].cost, q[j].cost) < 0 }
func (q *bruteQueue) Push(e any)        { *q = append(*q, e.(bruteEntry)) }
func (q *bruteQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func compareCosts(a, b Cost) int {
	return slices.Compare([]int{a.Switches, a.Approvals, a.Upgrades, a.Unsupported}, []int{b.Switches, b.Approvals, b.Upgrades, b.Unsupported})
}

// setCatalogs gives a namespace its catalogs, and reports whether all are known.
func (b *brute) setCatalogs(n *resolve.Namespace, m Minor) bool {
	sources := n.Sources
	n.Kubernetes = fmt.Sprintf("1.%d", int(m)+13)
	n.Sources = nil
	for _, s := range sources {
		s.Catalog = nil
		for _, c := range b.w.catalogs {
			if c.Source == s.SourceKey && c.Minor == m {
				s.Catalog = c.Content
			}
		}
		n.Sources = append(n.Sources, s)
	}
	known := true
	for i := range n.Subscriptions {
		known = known && slices.ContainsFunc(n.Sources, func(s resolve.Source) bool { return s.SourceKey == n.Subscriptions[i].Source && s.Catalog != nil })
	}
	return known
}

func (b *brute) hasCatalogs(n resolve.Namespace, m Minor) bool { return b.setCatalogs(&n, m) }

// usable drops the sources without a catalog: they are not known.
func usable(n resolve.Namespace) resolve.Namespace {
	n.Sources = slices.DeleteFunc(slices.Clone(n.Sources), func(s resolve.Source) bool { return s.Catalog == nil })
	return n
}

func (b *brute) next(n resolve.Namespace) *resolve.Resolution {
	r, err := resolve.Next(b.t.Context(), usable(n))
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// runs reports whether everything that is installed runs.
func (b *brute) runs(r *resolve.Resolution) bool {
	for _, in := range r.Installs {
		if in.Wait != nil {
			return false
		}
	}
	return true
}

func (b *brute) settle(s *bruteState) (Cost, bool) {
	var cost Cost
	for i := range s.namespaces {
		n := &s.namespaces[i]
		for range 20 {
			if !b.setCatalogs(n, s.minor) {
				break
			}
			r := b.next(*n)
			if !r.Resolvable() || len(r.Installs) == 0 || len(r.Plan.Approve) > 0 {
				break
			}
			if len(r.Plan.Manual) > 0 && len(r.Plan.Names) == 0 {
				var names []string
				for _, in := range r.Installs {
					names = append(names, in.Name)
				}
				*n = n.WithPlan(r, strings.Join(names, "+"))
				break
			}
			if !b.runs(r) {
				return cost, false
			}
			cost.Upgrades += len(r.Installs)
			*n = n.After(r)
		}
	}
	return cost, true
}

// moves yields what can be done next.
func (b *brute) moves(s *bruteState, yield func(bruteState, Cost)) {
	with := func(i int, n resolve.Namespace, cost Cost) {
		next := bruteState{s.minor, slices.Clone(s.namespaces)}
		next.namespaces[i] = n
		if more, ok := b.settle(&next); ok {
			cost.add(more)
			yield(next, cost)
		}
	}
	for i := range s.namespaces {
		n := s.namespaces[i]
		known := b.setCatalogs(&n, s.minor)
		if known {
			use := usable(n)
			r, err := use.RunApproved()
			if err != nil {
				b.t.Fatal(err)
			}
			if b.next(n).Resolvable() && r.Plan != nil && len(r.Plan.Approve) > 0 && b.runs(r) {
				with(i, n.After(r), Cost{Approvals: 1, Upgrades: len(r.Installs)})
			}
		}
		for j := range n.Subscriptions {
			b.switches(n, j, s.minor, func(changed resolve.Namespace, cost Cost) { with(i, changed, cost) })
		}
	}
	if s.minor == b.w.request.To || b.limited(s) {
		return
	}
	next := bruteState{s.minor + 1, slices.Clone(s.namespaces)}
	if cost, ok := b.settle(&next); ok {
		yield(next, cost)
	}
}

func (b *brute) limited(s *bruteState) bool {
	for i := range s.namespaces {
		for j := range s.namespaces[i].Installed {
			for _, p := range s.namespaces[i].Installed[j].Facts.Properties {
				if p.Type == "olm.maxOpenShiftVersion" {
					limit := 0
					if _, err := fmt.Sscanf(string(p.Value), `"4.%d"`, &limit); err != nil || limit < int(s.minor)+1 {
						return true
					}
				}
			}
		}
	}
	return false
}

// switches yields the namespace with a subscription to another channel, if that makes nothing unresolvable that was not.
func (b *brute) switches(n resolve.Namespace, j int, m Minor, yield func(resolve.Namespace, Cost)) {
	related := b.w.relatedPackages(n.Subscriptions[j].Package)
	for _, c := range b.w.catalogs {
		pkg := c.Content.Package(n.Subscriptions[j].Package)
		if c.Minor != m || pkg == nil {
			continue
		}
		for _, ch := range pkg.Channels {
			changed := n
			changed.Subscriptions = slices.Clone(n.Subscriptions)
			sub := &changed.Subscriptions[j]
			cost := 0
			if sub.Channel != ch.Name.Value {
				cost++
			}
			if sub.Source != c.Source {
				cost++
			}
			if cost == 0 {
				continue
			}
			sub.Channel, sub.Source = ch.Name.Value, c.Source
			if b.resolvable(n, related, m) && !b.resolvable(changed, related, m) {
				continue
			}
			yield(changed, Cost{Switches: cost})
		}
	}
}

// resolvable reports whether OLM finds a solution for some packages of a namespace, waiting or not.
func (b *brute) resolvable(n resolve.Namespace, packages map[string]bool, m Minor) bool {
	n = b.only(n, packages)
	if !b.setCatalogs(&n, m) {
		return false
	}
	r, err := resolve.Resolve(b.t.Context(), usable(n))
	if err != nil {
		b.t.Fatal(err)
	}
	return r.Resolvable()
}

// only returns the namespace with some packages.
func (b *brute) only(n resolve.Namespace, packages map[string]bool) resolve.Namespace {
	for _, pkg := range []string{"a", "b", "c"} {
		if !packages[pkg] {
			n, _, _ = n.Without(pkg)
		}
	}
	return n
}

// done reports whether the cluster is where it should be.
func (b *brute) done(s *bruteState) bool {
	if s.minor != b.w.request.To {
		return false
	}
	for i := range s.namespaces {
		n := s.namespaces[i]
		if !b.setCatalogs(&n, s.minor) {
			return false
		}
		if r := b.next(n); !r.Resolvable() || len(r.Installs) > 0 {
			return false
		}
		for j := range n.Subscriptions {
			sub := &n.Subscriptions[j]
			if !b.w.request.Any && len(sub.Name) == 1 && !b.atHead(n.Name, sub, s.minor) {
				return false
			}
		}
	}
	return true
}

// atHead reports whether an operator is at a head of its channel, or newer than the whole channel, if that was not changed: versions here are
// numbers of one digit.
func (b *brute) atHead(namespace string, sub *resolve.Subscription, m Minor) bool {
	p := b.content.pkg(sub.Source, m, sub.Package)
	if p == nil || sub.InstalledCSV == "" {
		return false
	}
	g := p.graph.Graph(sub.Channel)
	if g == nil {
		return false
	}
	heads := p.heads(sub.Channel)
	_, has := g.Index(sub.InstalledCSV)
	unchanged := slices.ContainsFunc(b.w.cluster.Namespaces, func(n resolve.Namespace) bool {
		return n.Name == namespace && slices.ContainsFunc(n.Subscriptions, func(o resolve.Subscription) bool {
			return o.Name == sub.Name && o.Channel == sub.Channel && o.Source == sub.Source
		})
	})
	return slices.Contains(heads, sub.InstalledCSV) || unchanged && !has && !slices.ContainsFunc(heads, func(head string) bool { return head >= sub.InstalledCSV })
}

// TestBruteForce compares plans with what trying everything finds.
func TestBruteForce(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	worlds := catalogtest.Rounds(1000)
	for seed := uint64(0); count["checked"] < worlds; seed++ {
		w := newRandomWorld(t, seed)
		b := &brute{t: t, w: w, content: newContent(w.catalogs, &w.cluster)}
		want, possible := b.find()
		if b.tried > maxBrute {
			count["too large"]++
			continue
		}
		count["checked"]++
		p, err := Find(t.Context(), w.cluster, w.catalogs, w.request)
		if err != nil {
			t.Fatal(err)
		}
		b.compare(p, want, possible)
		if fault, err := replay(t.Context(), newContent(w.catalogs, &w.cluster), w.cluster, p); err != nil || fault != nil {
			t.Errorf("replayed: %v %v %+v", fault, err, p)
		}
		if t.Failed() {
			t.Fatalf("seed %d %+v\n%s", seed, w.request, w.text)
		}
		countPlan(count, p)
	}
	t.Log(count)
}

// rateFound returns the rating of the state that a search finds for the only namespace.
func (b *brute) rateFound() [upgradesMade + 1]int {
	w := b.w
	s, err := solveNamespace(b.t.Context(), newContent(w.catalogs, &w.cluster), w.cluster.Namespaces[0], w.cluster, w.request, (*world).solve)
	if err != nil {
		b.t.Fatal(err)
	}
	return [upgradesMade + 1]int(s.cost[:])
}

// compare compares a plan with the cheapest one.
func (b *brute) compare(p *Plan, want Cost, possible bool) {
	switch {
	case p.IsPossible() != possible:
		b.t.Errorf("possible: %v, want %v (%+v): %+v", p.IsPossible(), possible, want, p)
	case possible && p.Cost != want:
		b.t.Errorf("cost %+v, want %+v: %+v", p.Cost, want, p.Steps)
	case possible && b.countBehind(planEnds(b.w, p)) != b.newest:
		b.t.Errorf("%d newer heads at the end, want %d: %+v", b.countBehind(planEnds(b.w, p)), b.newest, p.Steps)
	case !p.Exact:
		b.t.Error("it is not exact")
	case !possible && p.Reached != b.reached:
		b.t.Errorf("reached %s, want %s", p.Reached, b.reached)
	case !possible && len(b.w.cluster.Namespaces) == 1 && b.rateFound() != b.best:
		b.t.Errorf("the state at the end is rated %v, want %v: %+v", b.rateFound(), b.best, p.Steps)
	case !possible && len(p.Blockers) == 0:
		b.t.Error("nothing blocks")
	}
}

func countPlan(count map[string]int, p *Plan) {
	switch {
	case !p.IsPossible():
		count["none"]++
	case p.Cost == Cost{}:
		count["nothing to do"]++
	default:
		count["plan"]++
	}
	if p.Cost.Switches > 0 {
		count["switches"]++
	}
	if p.Cost.Approvals > 0 {
		count["approvals"]++
	}
	for i := range p.Blockers {
		count[fmt.Sprintf("blocker %d", p.Blockers[i].Kind)]++
	}
}
