package plan

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// content is all catalogs, by source and minor version.
type content struct {
	all      []Catalog
	packages map[*catalogs.Package]*packageContent
	needs    map[string]*dependencies // by the indexes of the catalogs
	cluster  *judge.Cluster           // with the custom resources
	judged   memo.Map[judgedUpgrade, []judge.Reason]
	versions map[string][]semver.Version // see allVersions
	err      error                       // of the resolver, in whichever search
}

// packageContent is what has been read of a package of one catalog.
type packageContent struct {
	graph     *graph.PackageGraph
	manifests *judge.Package
}

func newContent(all []Catalog, cluster *Cluster) *content {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Catalog) int {
		return cmp.Or(strings.Compare(a.Source.String(), b.Source.String()), cmp.Compare(a.Minor, b.Minor))
	})
	return &content{all: all, packages: map[*catalogs.Package]*packageContent{}, needs: map[string]*dependencies{}, versions: map[string][]semver.Version{}, cluster: judge.WithObjects(cluster.Objects)}
}

// catalog returns the catalog of a source at a minor version, or nil.
func (c *content) catalog(source resolve.SourceKey, m Minor) *Catalog {
	return find.Pointer(c.all, func(k Catalog) bool { return k.Source == source && (k.Minor == m || k.Minor == 0) })
}

// hasSource reports whether a catalog of a source is known at any minor version.
func (c *content) hasSource(source resolve.SourceKey) bool {
	return slices.ContainsFunc(c.all, func(k Catalog) bool { return k.Source == source })
}

// pkg returns what is known of a package in the catalog of a source; nil if there is none.
func (c *content) pkg(source resolve.SourceKey, m Minor, name string) *packageContent {
	k := c.catalog(source, m)
	if k == nil {
		return nil
	}
	p := k.Content.Package(name)
	if p == nil {
		return nil
	}
	known := c.packages[p]
	if known == nil {
		known = &packageContent{graph: graph.NewPackageGraph(p), manifests: judge.New(p, judge.Options{})}
		c.packages[p] = known
	}
	return known
}

// countNewer returns how many versions of a package are newer than an operator, or how many there are without one.
func (c *content) countNewer(pkg string, than *resolve.InstalledOperator) int {
	all := c.allVersions(pkg)
	if than == nil {
		return len(all)
	}
	at, same := slices.BinarySearchFunc(all, than.Version, semver.Version.Compare)
	if same {
		at++
	}
	return len(all) - at
}

// allVersions returns the versions of a package in all channels of all catalogs, each once, in order.
func (c *content) allVersions(pkg string) []semver.Version {
	if known, ok := c.versions[pkg]; ok {
		return known
	}
	var all []semver.Version
	for i := range c.all {
		p := c.pkg(c.all[i].Source, c.all[i].Minor, pkg)
		if p == nil {
			continue
		}
		for _, g := range p.graph.Graphs {
			for i := range g.Entries() {
				if v := g.Version(i); v != nil {
					all = append(all, *v)
				}
			}
		}
	}
	slices.SortFunc(all, semver.Version.Compare)
	c.versions[pkg] = slices.CompactFunc(all, semver.Version.Equals)
	return c.versions[pkg]
}

// channels returns the channels of a package that have entries, by name.
func (p *packageContent) channels() []string {
	var names []string
	for _, g := range p.graph.Graphs {
		if len(g.Entries()) > 0 {
			names = append(names, g.Channel.Name.Value)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// heads returns the heads of a channel, or of all where the channel is empty.
func (p *packageContent) heads(channel string) []string {
	var names []string
	for _, g := range p.graph.Graphs {
		if channel == "" || g.Channel.Name.Value == channel {
			for _, i := range g.Heads() {
				names = append(names, g.Name(i))
			}
		}
	}
	return names
}

// headVersions returns the versions of the heads of a channel.
func (p *packageContent) headVersions(channel string) []*semver.Version {
	if p == nil {
		return nil
	}
	var all []*semver.Version
	for _, g := range p.graph.Graphs {
		for _, i := range g.Heads() {
			if v := g.Version(i); v != nil && g.Channel.Name.Value == channel {
				all = append(all, v)
			}
		}
	}
	return all
}

// newerThanHeads reports whether an installed operator that a channel does not have is newer than all heads of it.
func (p *packageContent) newerThanHeads(channel string, in *resolve.InstalledOperator) bool {
	newer := false
	for _, g := range p.graph.Graphs {
		if channel != "" && g.Channel.Name.Value != channel {
			continue
		}
		if _, has := g.Index(in.Name); has {
			return false
		}
		for _, i := range g.Heads() {
			if v := g.Version(i); v == nil || !in.Version.GT(*v) {
				return false
			}
			newer = true
		}
	}
	return newer
}

// world is one namespace with all that its search needs. Whatever happens in it does not depend on other namespaces.
type world struct {
	ctx      context.Context
	content  *content
	packages []string          // of its subscriptions, by name
	base     resolve.Namespace // without subscriptions, installed operators and InstallPlans
	from, to Minor
	any      bool
	manual   bool
	// approvals says that some InstallPlan may have to be approved.
	approvals  bool
	initial    []*part
	hanging    []resolve.Wait
	unapproved []string                  // InstallPlans of the cluster that wait for approval
	stored     map[string][]string       // of the cluster
	made       map[string]bool           // the names of subscriptions that OLM has made for dependencies
	own        map[string]bool           // the names of those that were there
	began      map[string]target         // their channels
	versions   map[string]semver.Version // of what they had installed
	lifted     lift
	states     *states
	sources    map[Minor][]resolve.Source
	moved      map[partAt]*outcome
	calm       bool // nothing can freeze the namespace
	relaxed    bool // as a part of a namespace whose other parts may freeze it
	bound      int
	spent      *int // nodes of all searches of the namespace together: see maxSpent
	lower      map[lowerKey]*bounds
}

type partAt struct {
	part  *part
	minor Minor
}

// newWorld returns the world of a namespace as it is in the cluster. whole puts everything in one part.
func newWorld(ctx context.Context, c *content, n resolve.Namespace, stored map[string][]string, r Request, from Minor, whole bool) (*world, error) {
	unapproved := n.UnapprovedPlans()
	n, err := n.FinishPending()
	if err != nil {
		return nil, err
	}
	w := &world{ctx: ctx, content: c, base: n, from: from, to: r.To, any: r.Any, made: map[string]bool{}, own: map[string]bool{}, began: map[string]target{}, versions: map[string]semver.Version{}, stored: stored, states: newStates(), unapproved: unapproved,
		bound: maxNodes, spent: new(int)}
	w.hanging = n.WaitingOperators()
	for i := range n.Subscriptions {
		sub := &n.Subscriptions[i]
		w.packages = append(w.packages, sub.Package)
		w.manual, w.own[sub.Name], w.began[sub.Name] = w.manual || sub.Manual, true, subscriptionTarget(sub)
		if in := find.Pointer(n.Installed, func(o resolve.InstalledOperator) bool { return o.Name == sub.InstalledCSV }); in != nil {
			w.versions[sub.Name] = in.Version
		}
		if sub.Name == strings.Join([]string{sub.Package, sub.Channel, sub.Source.Name, sub.Source.Namespace}, "-") {
			w.made[sub.Name] = true
		}
	}
	slices.Sort(w.packages)
	w.packages = slices.Compact(w.packages)
	groups, err := w.divide(&n, whole)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		p := w.states.newPart(g, nil)
		w.initial, w.approvals = append(w.initial, p), w.approvals || w.manual || p.waits
	}
	w.base.Subscriptions, w.base.Installed, w.base.Plans = nil, nil, nil
	w.calm = len(w.initial) < 2
	w.reset(lift{})
	return w, nil
}

// reset forgets what depends on what is lifted.
func (w *world) reset(l lift) {
	w.lifted = l
	w.moved, w.lower = map[partAt]*outcome{}, map[lowerKey]*bounds{}
	if w.sources == nil {
		w.sources = map[Minor][]resolve.Source{}
	}
}

// minorSources returns the CatalogSources with the catalogs that they have at a minor version.
func (w *world) minorSources(m Minor) []resolve.Source {
	if known, ok := w.sources[m]; ok {
		return known
	}
	w.sources[m] = w.content.minorSources(w.base.Sources, m)
	return w.sources[m]
}

// minorSources returns CatalogSources with the catalogs that they have at a minor version.
func (c *content) minorSources(sources []resolve.Source, m Minor) (all []resolve.Source) {
	for _, s := range sources {
		if k := c.catalog(s.SourceKey, m); k != nil {
			s.Catalog = k.Content
		} else if s.Unreachable == "" {
			continue
		}
		all = append(all, s)
	}
	return all
}

// lacksCatalog reports whether a catalog that a subscription uses is not known at a minor version.
func (c *content) lacksCatalog(m Minor, subs []resolve.Subscription) bool {
	return slices.ContainsFunc(subs, func(s resolve.Subscription) bool { return c.hasSource(s.Source) && c.catalog(s.Source, m) == nil })
}

// hasCatalogs reports whether the catalogs that subscriptions use are known at a minor version.
func (w *world) hasCatalogs(m Minor, parts []*part) bool {
	return !slices.ContainsFunc(parts, func(p *part) bool { return w.content.lacksCatalog(m, p.Subscriptions) })
}

// namespace returns a part at a minor version, as input for the resolver.
func (w *world) namespace(p *part, m Minor) resolve.Namespace {
	n := w.base
	n.Sources, n.Subscriptions, n.Installed, n.Plans = w.minorSources(m), p.Subscriptions, p.Installed, p.Plans
	n.Kubernetes = m.kubernetesVersion()
	return n
}
