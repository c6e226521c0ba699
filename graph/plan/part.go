package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// part is one state of a part of a namespace that depends on nothing in the other parts. Equal states are the same part.
type part struct {
	Subscriptions []resolve.Subscription
	Installed     []resolve.InstalledOperator
	Plans         []resolve.InstallPlan // that have not ended
	stored        map[string][]string   // status.storedVersions of CRDs that have changed

	id      int
	pending bool // every subscription waits for an InstallPlan
	waits   bool // some does
	limit   []maxOf
}

// states are all states that were met.
type states struct {
	known map[string]*part
	// resolved are the answers of the resolver, which hold whatever is lifted.
	resolved map[partAt]*resolve.Resolution
}

func newStates() *states {
	return &states{known: map[string]*part{}, resolved: map[partAt]*resolve.Resolution{}}
}

// newPart returns the part with the subscriptions, operators and InstallPlans of a namespace.
func (s *states) newPart(n resolve.Namespace, stored map[string][]string) *part {
	p := &part{Subscriptions: n.Subscriptions, Installed: n.Installed, stored: stored}
	for i := range n.Plans {
		if name := n.Plans[i].Name; slices.ContainsFunc(n.Subscriptions, func(sub resolve.Subscription) bool { return sub.Plan == name && n.IsPending(&sub) }) {
			p.Plans = append(p.Plans, n.Plans[i])
		}
	}
	slices.SortStableFunc(p.Installed, func(a, b resolve.InstalledOperator) int { return strings.Compare(a.Name, b.Name) })
	key := p.key(&n)
	if known := s.known[key]; known != nil {
		return known
	}
	p.id = len(s.known)
	p.pending = len(p.Subscriptions) > 0
	for i := range p.Subscriptions {
		waits := n.IsPending(&p.Subscriptions[i])
		p.pending, p.waits = p.pending && waits, p.waits || waits
	}
	for i := range p.Installed {
		if m, ok := maxOpenShift(&p.Installed[i]); ok {
			p.limit = append(p.limit, m)
		}
	}
	s.known[key] = p
	return p
}

func (p *part) key(n *resolve.Namespace) string {
	var b strings.Builder
	for i := range p.Installed {
		fmt.Fprintf(&b, "%q %s %q\n", p.Installed[i].Name, p.Installed[i].Phase, p.Installed[i].Replaces)
	}
	for i := range p.Subscriptions {
		s := &p.Subscriptions[i]
		fmt.Fprintf(&b, "%q %q %q %q %q %q", s.Name, s.Channel, s.Source.Name, s.Source.Namespace, s.InstalledCSV, s.CurrentCSV)
		if n.IsPending(s) {
			fmt.Fprintf(&b, " %q", s.Plan)
		}
		b.WriteByte('\n')
	}
	for i := range p.Plans {
		fmt.Fprintf(&b, "%q %q\n", p.Plans[i].Name, p.Plans[i].CSVs)
	}
	for _, name := range slices.Sorted(maps.Keys(p.stored)) {
		fmt.Fprintf(&b, "%q %q\n", name, p.stored[name])
	}
	return b.String()
}

// divide divides a namespace into parts that do not depend on each other: no package that one may need is one that another may need,
// nor has a package of another the same API.
func (w *world) divide(n *resolve.Namespace, whole bool) ([]resolve.Namespace, error) {
	if whole || len(n.Subscriptions) < 2 {
		return []resolve.Namespace{*n}, nil
	}
	d, err := w.content.dependencies(w.ctx, w.visibleSources())
	if err != nil {
		return nil, err
	}
	found := map[string]bool{"": true}
	return partition(n, func(pkg string, facts *catalogs.Facts) []string { return d.tokens(pkg, facts, found) }), nil
}

// partition unites subscriptions and operators that share a token.
func partition(n *resolve.Namespace, tokens func(string, *catalogs.Facts) []string) []resolve.Namespace {
	parent := map[string]string{}
	var find func(a string) string
	find = func(a string) string {
		if p, ok := parent[a]; ok && p != a {
			parent[a] = find(p)
			return parent[a]
		}
		parent[a] = a
		return a
	}
	unite := func(a string, all ...string) {
		for _, b := range all {
			parent[find(b)] = find(a)
		}
	}
	ofSub := func(s *resolve.Subscription) string { return "subscription " + s.Name }
	ofOperator := func(name string) string { return "operator " + name }
	for i := range n.Subscriptions {
		s := &n.Subscriptions[i]
		unite(ofSub(s), tokens(s.Package, nil)...)
		if s.InstalledCSV != "" {
			unite(ofSub(s), ofOperator(s.InstalledCSV))
		}
		if s.Plan != "" {
			unite(ofSub(s), "plan "+s.Plan)
		}
	}
	for i := range n.Installed {
		in := &n.Installed[i]
		pkg := operatorPackage(in)
		unite(ofOperator(in.Name), tokens(pkg, in.Facts)...)
		if in.Replaces != "" {
			unite(ofOperator(in.Name), ofOperator(in.Replaces))
		}
	}
	return collect(n, func(s *resolve.Subscription) string { return find(ofSub(s)) }, func(name string) string { return find(ofOperator(name)) })
}

// operatorPackage returns the package of an installed operator, "" if its properties do not say so.
func operatorPackage(in *resolve.InstalledOperator) string {
	if in.Facts == nil || len(in.Facts.Packages) == 0 {
		return ""
	}
	return in.Facts.Packages[len(in.Facts.Packages)-1].Name
}

// collect returns a namespace for each of the parts, in the order of the subscriptions.
func collect(n *resolve.Namespace, ofSub func(*resolve.Subscription) string, ofOperator func(string) string) []resolve.Namespace {
	var order []string
	parts := map[string]*resolve.Namespace{}
	get := func(root string) *resolve.Namespace {
		if parts[root] == nil {
			empty := *n
			empty.Subscriptions, empty.Installed = nil, nil
			parts[root] = &empty
			order = append(order, root)
		}
		return parts[root]
	}
	subs := slices.Clone(n.Subscriptions)
	slices.SortStableFunc(subs, func(a, b resolve.Subscription) int { return strings.Compare(a.Name, b.Name) })
	for i := range subs {
		p := get(ofSub(&subs[i]))
		p.Subscriptions = append(p.Subscriptions, subs[i])
	}
	for i := range n.Installed {
		p := get(ofOperator(n.Installed[i].Name))
		p.Installed = append(p.Installed, n.Installed[i])
	}
	var all []resolve.Namespace
	for _, root := range order {
		all = append(all, *parts[root])
	}
	return all
}
