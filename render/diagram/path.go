package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/render/wording"
)

// pathBuilder builds the diagram of an answer.
type pathBuilder struct {
	*builder // nodes are by the names of bundles
	*graph.Answer
	packages *graph.PackageGraph
	failing  map[[2]string][]preflight.Reason
}

// OfPath returns the diagram of the paths of an answer, or of its automatic upgrades if there are none. Each bundle and each
// step is drawn once. An upgrade that is not automatic has the kind Manual. failing are the upgrades
// that fail, by the names of both bundles.
func OfPath(a *graph.PackageGraph, answer *graph.Answer, failing map[[2]string][]preflight.Reason) *Diagram {
	b := &pathBuilder{newBuilder(pathKind(), "b"), answer, a, failing}
	b.bundle(answer.From)
	paths := answer.Paths
	if len(paths) == 0 {
		paths = []graph.Path{answer.Automatic}
	}
	for _, path := range paths {
		b.path(path)
	}
	b.bundle(answer.To)
	return b.Diagram
}

// path adds the steps of a path. A switch of the channel is part of the label of the next upgrade.
func (b *pathBuilder) path(path graph.Path) {
	prefix := ""
	for i := range path {
		s := &path[i]
		if s.Switch() {
			prefix = fmt.Sprintf("in channel %s: ", s.Graph.Channel.Name.Value)
			continue
		}
		kind := Manual
		if s.Automatic && prefix == "" {
			kind = NextReplaces + EdgeKind(s.Edge.Kind)
		}
		e := &Edge{From: b.bundle(s.From).ID, To: b.bundle(s.To).ID, Kind: kind, Lines: []string{prefix + edgeLabel(s.Edge)}}
		if len(b.failing[[2]string{s.From, s.To}]) > 0 {
			e.Marks |= Fails
			e.Lines = append(e.Lines, "fails")
		}
		b.edge(e)
		prefix = ""
	}
}

// edge adds an edge unless there is one that looks the same.
func (b *pathBuilder) edge(e *Edge) {
	if !slices.ContainsFunc(b.Edges, func(old *Edge) bool {
		return old.From == e.From && old.To == e.To && old.Lines[0] == e.Lines[0] && old.Kind.next() == e.Kind.next()
	}) {
		b.Edges = append(b.Edges, e)
	}
}

// edgeLabel returns the skipRange of an edge, or the field that defines it.
func edgeLabel(e graph.Edge) string {
	if e.Kind == graph.SkipRange {
		return e.Where.Value
	}
	return e.Kind.String()
}

func (b *pathBuilder) bundle(name string) *Node {
	n := b.node(name, name)
	n.Lines = []string{b.caption(name)}
	return n
}

// caption returns the line under the name of a bundle: its version and properties.
func (b *pathBuilder) caption(name string) string {
	var parts []string
	if v := wording.Version(b.packages, name); v != name {
		parts = append(parts, v)
	}
	for _, p := range []struct {
		holds bool
		text  string
	}{
		{name == b.From, "installed"},
		{!b.packages.Has(name), "not in this catalog"},
		{b.IsHead(name), "head"},
		{b.packages.Package.Deprecation(catalogs.SchemaBundle, name) != nil, "deprecated"},
		{name == b.To && b.Obstacle != nil, "no path"},
	} {
		if p.holds {
			parts = append(parts, p.text)
		}
	}
	return strings.Join(parts, ", ")
}
