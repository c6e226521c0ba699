package diagram

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/render/wording"
)

// pathBuilder builds the diagram of an answer.
type pathBuilder struct {
	*Diagram
	*graph.Answer
	nodes    map[string]*Node // by the names of bundles
	packages *graph.PackageGraph
	failing  map[[2]string][]judge.Reason
}

// Paths returns the diagram of the paths of an answer, or of its automatic upgrades if there are none. Each bundle and each
// step is drawn once. An upgrade that is not automatic has kindManual. failing are the upgrades
// that fail, by the names of both bundles.
func Paths(pg *graph.PackageGraph, answer *graph.Answer, failing map[[2]string][]judge.Reason) *Diagram {
	b := &pathBuilder{&Diagram{Kind: pathKind()}, answer, map[string]*Node{}, pg, failing}
	b.Title = "upgrade path of package " + pg.Package.Name.Value
	b.bundle(answer.From)
	paths := answer.Paths
	if len(paths) == 0 {
		paths = []graph.Path{answer.Automatic}
	}
	for _, path := range paths {
		b.path(path)
	}
	b.bundle(answer.To)
	b.shortenNames(pg.Package.Name.Value)
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
		kind := kindManual
		if s.Automatic && prefix == "" {
			kind = kindNextReplaces + EdgeKind(s.Edge.Kind)
		}
		e := &Edge{From: b.bundle(s.From).ID, To: b.bundle(s.To).ID, Kind: kind, Line: prefix + edgeLabel(s.Edge)}
		if len(b.failing[[2]string{s.From, s.To}]) > 0 {
			e.Marks |= markFails
		}
		b.edge(e)
		prefix = ""
	}
}

// edge adds an edge unless there is one that looks the same.
func (b *pathBuilder) edge(e *Edge) {
	if !slices.ContainsFunc(b.Edges, func(old *Edge) bool {
		return old.From == e.From && old.To == e.To && old.Line == e.Line && old.Kind.isAutomatic() == e.Kind.isAutomatic()
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

// bundle returns the node of a bundle.
func (b *pathBuilder) bundle(name string) *Node {
	if n := b.nodes[name]; n != nil {
		return n
	}
	n := &Node{ID: fmt.Sprint("b", len(b.Nodes)), Name: name, Version: wording.Version(b.packages, name)}
	b.nodes[name], b.Nodes = n, append(b.Nodes, n)
	n.Marks = markIf(b.IsHead(name), markHead, 0) | markIf(!b.packages.Has(name), markNotInCatalog, 0) |
		markIf(b.packages.Package.Deprecation(catalogs.SchemaBundle, name) != nil, markDeprecated, 0)
	switch {
	case name == b.From:
		n.Lines = append(n.Lines, "installed")
	case name == b.To && b.Obstacle != nil:
		n.Lines = append(n.Lines, "no path")
	}
	return n
}
