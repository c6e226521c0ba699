package diagram

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/wording"
)

// pathBuilder builds the diagram of an answer.
type pathBuilder struct {
	*Diagram
	*graph.Answer
	packages *graph.PackageGraph
	nodes    map[string]*Node // by the name of the bundle
}

// OfPath returns the diagram of the paths of an answer, or of its automatic upgrades if there are none. Each bundle and each
// step is drawn once. An upgrade that is not automatic has the kind Manual.
func OfPath(a *graph.PackageGraph, answer *graph.Answer) *Diagram {
	b := &pathBuilder{Diagram: &Diagram{Kind: pathKind()}, Answer: answer, packages: a, nodes: map[string]*Node{}}
	b.node(answer.From)
	paths := answer.Paths
	if len(paths) == 0 {
		paths = []graph.Path{answer.Automatic}
	}
	for _, path := range paths {
		b.path(path)
	}
	b.node(answer.To)
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
		b.edge(&Edge{From: b.node(s.From).ID, To: b.node(s.To).ID, Kind: kind, Lines: []string{prefix + edgeLabel(s.Edge)}})
		prefix = ""
	}
}

// edge adds an edge unless there is one that looks the same.
func (b *pathBuilder) edge(e *Edge) {
	for _, old := range b.Edges {
		if old.From == e.From && old.To == e.To && old.Lines[0] == e.Lines[0] && old.Kind.next() == e.Kind.next() {
			return
		}
	}
	b.Edges = append(b.Edges, e)
}

// edgeLabel returns the skipRange of an edge, or the field that defines it.
func edgeLabel(e graph.Edge) string {
	if e.Kind == graph.SkipRange {
		return e.Where.Value
	}
	return e.Kind.String()
}

func (b *pathBuilder) node(name string) *Node {
	n := b.nodes[name]
	if n == nil {
		n = &Node{ID: fmt.Sprintf("b%d", len(b.Nodes)), Name: name, Lines: []string{b.caption(name)}}
		b.nodes[name] = n
		b.Nodes = append(b.Nodes, n)
	}
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
