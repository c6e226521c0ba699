package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/graph"
)

// question finds out which bundles and channel are meant. Also are the other channels that hold the installed bundle, where
// the channel was chosen here.
func (f *pathFlags) question(a *graph.Atlas) (q graph.Question, also []string, err error) {
	q = graph.Question{OLM: f.olm, Move: f.move, Limit: f.limit}
	if q.Channel, err = f.graph(a); err != nil {
		return q, nil, err
	}
	if q.From, err = f.bundle(a, q.Channel, f.from); err != nil {
		return q, nil, err
	}
	if q.Channel == nil {
		if q.Channel, also, err = channelOf(a, q.From); err != nil {
			return q, nil, err
		}
	} else if _, ok := q.Channel.Index(q.From); !ok && !f.move {
		return q, nil, misusef("%s is not in channel %q, but in %s; to begin there and be moved, add --switch-channels",
			q.From, f.channel, strings.Join(graphNames(a.Holding(q.From)), ", "))
	}
	q.To, err = f.target(a, q.Channel)
	return q, also, err
}

// graph returns the channel that was asked for, or nil.
func (f *pathFlags) graph(a *graph.Atlas) (*graph.Graph, error) {
	if len(a.Graphs) == 0 {
		return nil, misusef("package %q has no channels", a.Package.Name.Value)
	}
	if f.channel == "" {
		return nil, nil
	}
	g := a.Graph(f.channel)
	if g == nil {
		return nil, misusef("no channel %q in package %q%s", f.channel, a.Package.Name.Value, didYouMean(f.channel, channelNames(a)))
	}
	return g, nil
}

// channelOf chooses the default channel if it holds a bundle, or the first that does.
func channelOf(a *graph.Atlas, bundle string) (*graph.Graph, []string, error) {
	holding := a.Holding(bundle)
	chosen := holding[0]
	if g := a.Graph(a.Package.DefaultChannel.Value); g != nil {
		if _, ok := g.Index(bundle); ok {
			chosen = g
		}
	}
	others := slices.DeleteFunc(holding, func(g *graph.Graph) bool { return g == chosen })
	return chosen, graphNames(others), nil
}

// bundle finds the one bundle that a user means. Where several have that version, those of the channel come first, or
// else those of the default channel.
func (f *pathFlags) bundle(a *graph.Atlas, g *graph.Graph, text string) (string, error) {
	found := a.Find(text)
	if g == nil {
		g = a.Graph(a.Package.DefaultChannel.Value)
	}
	if g != nil {
		if here := in(g, found); len(here) > 0 {
			found = here
		}
	}
	switch len(found) {
	case 0:
		return "", f.unknown(a, g, text)
	case 1:
		return found[0], nil
	}
	return "", misusef("%s is ambiguous: give one of %s", text, strings.Join(found, ", "))
}

func in(g *graph.Graph, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok := g.Index(name)
		return !ok
	})
}

// target is the wanted bundle: by default the head, of the default channel if the subscription may be moved.
func (f *pathFlags) target(a *graph.Atlas, g *graph.Graph) (string, error) {
	if f.to != "" {
		return f.bundle(a, g, f.to)
	}
	if standard := a.Graph(a.Package.DefaultChannel.Value); f.move && standard != nil {
		g = standard
	}
	heads := g.Heads()
	if len(heads) == 1 {
		return g.Name(heads[0]), nil
	}
	if _, err := g.Order(); f.olm == graph.V0 {
		return "", misusef("channel %q has no single head to go to (%w): give --to; olmgraph lint says what is wrong", g.Channel.Name.Value, err)
	}
	return "", misusef("channel %q has %d heads: say with --to which one is meant", g.Channel.Name.Value, len(heads))
}

// unknown says that there is no such bundle, and what there is.
func (f *pathFlags) unknown(a *graph.Atlas, g *graph.Graph, text string) error {
	where := fmt.Sprintf("package %q", a.Package.Name.Value)
	said := "no version or bundle " + text + " in " + where
	switch near := nearestVersions(a, text); len(near) {
	case 2:
		said += "; the nearest are " + near[0] + " and " + near[1]
	case 1:
		said += "; the nearest is " + near[0]
	default:
		said += didYouMean(text, entryNames(a))
	}
	if g == nil {
		return misusef("%s", said)
	}
	if v, err := semver.ParseTolerant(text); err == nil {
		if e, ok := g.NextOf("", v.String()); ok {
			said += fmt.Sprintf(". Were a %s installed from elsewhere, OLM v0 would upgrade it to %s in channel %q: skipRange %q",
				text, g.Name(e.To), g.Channel.Name.Value, e.Where.Value)
		}
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
