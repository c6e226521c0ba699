package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render"
)

// asked is a question about a package as the flags put it.
type asked struct {
	from, to string // a version, a bundle, or of what the catalog does not have any more NAME@VERSION
	channels []string
	olm      graph.Resolver
	releases bool // the feature gate BundleReleaseSupport is on
	move     bool
	limit    int
}

func (f *asked) check() error {
	switch {
	case f.olm == graph.V0 && len(f.channels) > 1:
		return misusef("a Subscription has one channel, not %s: several are for --olm v1", strings.Join(f.channels, " and "))
	case f.olm == graph.V0 && f.releases:
		return misusef("--feature-gates is about operator-controller: it goes with --olm v1")
	case f.olm == graph.V1 && f.move:
		return misusef("--switch-channels is about the channel of a Subscription: under --olm v1 leave out --channel, and all channels count")
	}
	return nil
}

// ask finds out which bundles and channels are meant, and answers the question.
func (f *asked) ask(a *graph.Atlas) (*render.Path, error) {
	graphs, err := f.graphs(a)
	if err != nil {
		return nil, err
	}
	installed, err := f.installed(a, graphs)
	if err != nil {
		return nil, err
	}
	path := &render.Path{Atlas: a, Asked: f.to != ""}
	if !a.Has(installed.Name) {
		path.Atlas = a.Knowing(installed)
		path.Nearest = nearestVersions(a, installed.Version)
	}
	q := graph.Question{From: installed.Name, Move: f.move, Limit: f.limit}
	switch {
	case f.olm == graph.V1:
		q.Extension = path.Atlas.Extension(f.releases, graphs...)
		path.Releases = !f.releases && slices.ContainsFunc(a.Package.Bundles, func(b *catalogs.Bundle) bool { return b.Release.Value != "" })
	case len(graphs) > 0:
		q.Channel = graphs[0]
	default:
		q.Channel, path.Also = channelOf(a, installed)
	}
	if path.DefaultHead = f.defaultHead(a, q.Channel); path.DefaultHead != "" {
		q.To = path.DefaultHead
	} else if q.To, err = f.target(a, &q); err != nil {
		return nil, err
	}
	path.Answer = path.Atlas.Ask(q)
	return path, nil
}

// graphs returns the channels that were asked for.
func (f *asked) graphs(a *graph.Atlas) ([]*graph.Graph, error) {
	if len(a.Graphs) == 0 {
		return nil, misusef("package %q has no channels", a.Package.Name.Value)
	}
	var graphs []*graph.Graph
	for _, name := range f.channels {
		g := a.Graph(name)
		if g == nil {
			return nil, misusef("no channel %q in package %q%s", name, a.Package.Name.Value, didYouMean(name, channelNames(a)))
		}
		if !slices.Contains(graphs, g) {
			graphs = append(graphs, g)
		}
	}
	return graphs, nil
}

// channelOf chooses the default channel if it has an installed bundle, or the first that does. Of one that no channel has any more it
// is the first that upgrades it, or the default channel. It returns the other ones as well.
func channelOf(a *graph.Atlas, installed graph.Installed) (*graph.Graph, []string) {
	standard := a.Graph(a.Package.DefaultChannel.Value)
	from := a.Holding(installed.Name)
	if !a.Has(installed.Name) {
		from = slices.DeleteFunc(slices.Clone(a.Graphs), func(g *graph.Graph) bool {
			_, upgraded := g.NextOf(installed.Name, installed.Version)
			return !upgraded
		})
	}
	chosen := standard
	if len(from) > 0 && !slices.Contains(from, standard) {
		chosen = from[0]
	}
	if chosen == nil {
		chosen = a.Graphs[0]
	}
	return chosen, graphNames(slices.DeleteFunc(from, func(g *graph.Graph) bool { return g == chosen }))
}

// installed finds the installed bundle that a user means, which the catalog need not have any more.
func (f *asked) installed(a *graph.Atlas, graphs []*graph.Graph) (graph.Installed, error) {
	if strings.Contains(f.from, "@") {
		return installedAt(a, f.from)
	}
	found := preferred(a, graphs, a.Find(f.from))
	if len(found) == 0 {
		found = a.FindGone(f.from)
	}
	switch {
	case len(found) == 1 && !a.Has(found[0]):
		return graph.InstalledAs(found[0]), nil
	case len(found) == 1:
		return graph.Installed{Name: found[0], Version: a.Version(found[0])}, nil
	case len(found) > 1:
		return graph.Installed{}, misusef("%s is ambiguous: give one of %s", f.from, strings.Join(found, ", "))
	}
	if v, err := semver.ParseTolerant(f.from); err == nil { // of which the name is not known
		return graph.Installed{Name: f.from, Version: v.String()}, nil
	}
	if gone := graph.InstalledAs(f.from); gone.Version != "" {
		return gone, nil
	}
	return graph.Installed{}, misusef("%w; give a bundle that the catalog does not have any more as NAME@VERSION", unknown(a, f.from))
}

// installedAt reads NAME@VERSION.
func installedAt(a *graph.Atlas, text string) (graph.Installed, error) {
	name, version, ok := graph.SplitName(text)
	switch {
	case name == "" || !ok:
		return graph.Installed{}, misusef("%q ends in no version: give it as NAME@VERSION", text)
	case a.Has(name):
		return graph.Installed{}, misusef("the catalog has %s, of version %s: leave out the @", name, a.Version(name))
	}
	return graph.Installed{Name: name, Version: version.String()}, nil
}

// preferred returns those of some names that are in one of some channels; where none is meant or has one, those of the default channel,
// or else all.
func preferred(a *graph.Atlas, graphs []*graph.Graph, names []string) []string {
	if standard := a.Graph(a.Package.DefaultChannel.Value); len(graphs) == 0 && standard != nil {
		graphs = []*graph.Graph{standard}
	}
	here := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(graphs, func(g *graph.Graph) bool {
			_, ok := g.Index(name)
			return ok
		})
	})
	if len(here) > 0 {
		return here
	}
	return names
}

// target is the wanted bundle: by default the head of the channel, or what a new ClusterExtension gets.
func (f *asked) target(a *graph.Atlas, q *graph.Question) (string, error) {
	if f.to == "" && q.OLM() == graph.V1 {
		if best := q.Extension.Best(); best != "" {
			return best, nil
		}
		return "", misusef("package %q has no bundle to upgrade to", a.Package.Name.Value)
	}
	if f.to == "" {
		return headOf(q.Channel)
	}
	graphs := []*graph.Graph{q.Channel}
	if q.OLM() == graph.V1 {
		graphs = q.Extension.Channels
	}
	switch found := preferred(a, graphs, a.Find(f.to)); len(found) {
	case 0:
		return "", unknown(a, f.to)
	case 1:
		return found[0], nil
	default:
		return "", misusef("%s is ambiguous: give one of %s", f.to, strings.Join(found, ", "))
	}
}

func headOf(g *graph.Graph) (string, error) {
	if head, ok := g.Head(); ok {
		return g.Name(head), nil
	}
	_, err := g.Order()
	return "", misusef("channel %q has no single head to go to (%w): give --to; olmgraph lint says what is wrong", g.Channel.Name.Value, err)
}

// defaultHead returns the head of the default channel, if that is where to go: where the subscription may be moved from another
// channel, and no bundle is asked for. Otherwise it is "".
func (f *asked) defaultHead(a *graph.Atlas, from *graph.Graph) string {
	standard := a.Graph(a.Package.DefaultChannel.Value)
	if !f.move || f.to != "" || standard == nil || standard == from {
		return ""
	}
	head, ok := standard.Head()
	if !ok {
		return ""
	}
	return standard.Name(head)
}

// unknown says that there is no such bundle, and what there is.
func unknown(a *graph.Atlas, text string) error {
	said := fmt.Sprintf("no version or bundle %s in package %q", text, a.Package.Name.Value)
	switch near := nearestVersions(a, text); len(near) {
	case 2:
		said += "; the nearest are " + near[0] + " and " + near[1]
	case 1:
		said += "; the nearest is " + near[0]
	default:
		said += didYouMean(text, entryNames(a))
	}
	return misusef("%s", said)
}

// nearestVersions returns the versions just below and above one.
func nearestVersions(a *graph.Atlas, text string) []string {
	want, err := semver.ParseTolerant(text)
	if err != nil {
		return nil
	}
	var below, above *semver.Version
	for _, g := range a.Graphs {
		for _, i := range g.Entries() {
			v := g.Version(i)
			switch {
			case v == nil:
			case v.LT(want) && (below == nil || v.GT(*below)):
				below = v
			case v.GT(want) && (above == nil || v.LT(*above)):
				above = v
			}
		}
	}
	var near []string
	for _, v := range []*semver.Version{below, above} {
		if v != nil {
			near = append(near, v.String())
		}
	}
	return near
}

func channelNames(a *graph.Atlas) []string { return graphNames(a.Graphs) }

func graphNames(graphs []*graph.Graph) []string {
	var names []string
	for _, g := range graphs {
		names = append(names, g.Channel.Name.Value)
	}
	return names
}

func entryNames(a *graph.Atlas) []string {
	var names []string
	for _, g := range a.Graphs {
		for _, i := range g.Entries() {
			if name := g.Name(i); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
