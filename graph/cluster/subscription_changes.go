package cluster

import (
	"cmp"
	"context"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// channelsFor returns the channels on which a subscription could go on with what is installed.
func (n *namespaceRun) channelsFor(subscription string) []ChannelChoice {
	sub := n.Trace.Last.Subscription(subscription)
	if sub == nil {
		return nil
	}
	in, _ := n.findInstalled(sub.InstalledCSV)
	return n.channelsOn(sub, in)
}

// meantPackage returns the package of the catalog that a Subscription without an operator means: the one of its own name, or the nearest; "" if there is none.
func (n *namespaceReport) meantPackage(f *resolve.Fault) string {
	sub, source := n.Trace.Last.Subscription(f.Subscription), n.Catalogs[f.Operator.Source]
	if sub == nil || source == nil || sub.InstalledCSV != "" {
		return ""
	}
	if source.Package(sub.Name) != nil {
		return sub.Name
	}
	near, _ := words.Nearest(sub.Package, words.Map(source.Packages, func(p *catalogs.Package) string { return p.Name.Value }))
	return near
}

// channelsOn returns the other channels of a subscription's package in which OLM upgrades what is installed, or where it is the head: the default
// channel first, then those that lead to higher versions.
func (n *namespaceRun) channelsOn(sub *resolve.Subscription, in graph.InstalledBundle) []ChannelChoice {
	p := n.Before.SubscribedPackage(sub)
	if p == nil {
		return nil
	}
	var all []ChannelChoice
	for _, g := range graph.NewPackageGraph(p).Graphs {
		if g.Channel.Name.Value == sub.Channel {
			continue
		}
		if end, on := automaticEnd(g, in); on {
			all = append(all, ChannelChoice{g.Channel.Name.Value, end})
		}
	}
	slices.SortStableFunc(all, func(a, b ChannelChoice) int {
		switch isDefault := p.DefaultChannel.Value; {
		case a.Channel == isDefault:
			return -1
		case b.Channel == isDefault:
			return 1
		}
		return b.version().Compare(a.version())
	})
	return all
}

// version returns the version at which upgrades end, 0.0.0 if that has none.
func (c *ChannelChoice) version() semver.Version {
	if v := graph.ParseVersion(c.End); v != nil {
		return *v
	}
	return semver.Version{}
}

// automaticEnd returns the version, or the name of a bundle without one, at which OLM's upgrades of what is installed end in a channel; false if it is
// not the head and has none.
func automaticEnd(g *graph.Graph, in graph.InstalledBundle) (version string, on bool) {
	if in.Name == "" { // it gets the head
		heads := g.Heads()
		if len(heads) != 1 {
			return "", false
		}
		if v := g.Version(heads[0]); v != nil {
			return v.String(), true
		}
		return g.Name(heads[0]), true
	}
	if on = g.IsHead(in.Name); on {
		return cmp.Or(in.Version, in.Name), true
	}
	for range g.Entries() {
		e, next := g.NextOfInstalled(in.Name, in.Version)
		if !next {
			break
		}
		in, on = graph.InstalledBundle{Name: g.Name(e.To)}, true
		if v := g.Version(e.To); v != nil {
			in.Version = v.String()
		}
	}
	return cmp.Or(in.Version, in.Name), on
}

// sourcesFor returns the CatalogSources, of those that the namespace sees and of which catalogs are given, with which a subscription could go on.
func (n *namespaceReport) sourcesFor(subscription string) (all []resolve.SourceKey) {
	sub := n.Trace.Last.Subscription(subscription)
	if sub == nil {
		return nil
	}
	in, _ := n.findInstalled(sub.InstalledCSV)
	for j := range n.Before.Sources {
		key := n.Before.Sources[j].SourceKey
		p := n.Catalogs[key].Package(sub.Package)
		if p == nil || p.Channel(sub.Channel) == nil || !n.Before.Sees(key.Namespace) {
			continue
		}
		if _, on := automaticEnd(graph.New(p, p.Channel(sub.Channel)), in); on {
			all = append(all, key)
		}
	}
	return all
}

// unowned returns the ClusterServiceVersion that no subscription owns, where it is the cause of a conflict with a subscription to its package, and OLM
// finds a solution without it: otherwise its operator would be gone, and not come back.
func (n *namespaceRun) unowned(ctx context.Context, conflict []resolve.Reason) (string, error) {
	without := n.Trace.Last
	for _, r := range conflict {
		waits := func(s resolve.Subscription) bool { return s.Package == r.Subject.Package && s.InstalledCSV == "" }
		if r.Kind != resolve.NotOwned || !slices.ContainsFunc(n.Before.Subscriptions, waits) {
			continue
		}
		without.Installed = slices.DeleteFunc(slices.Clone(n.Trace.Last.Installed), func(in resolve.InstalledOperator) bool { return in.Name == r.Subject.Name })
		solved, err := resolve.Resolve(ctx, without)
		if err != nil || solved.Resolvable() {
			return r.Subject.Name, err
		}
	}
	return "", nil
}
