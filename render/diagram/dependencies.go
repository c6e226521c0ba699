package diagram

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// allOf are the marks that an edge only has while all that it stands for has them.
const allOf = Older | Choice | Has | Mutual

// builder makes a diagram of dependencies: each node once by its key.
type builder struct {
	*Diagram
	nodes map[string]*Node
}

func newBuilder() *builder {
	return &builder{Diagram: &Diagram{Kind: dependencyKind()}, nodes: map[string]*Node{}}
}

// node returns the node of a key, which it makes with this name if there is none.
func (s *builder) node(key, name string) *Node {
	n := s.nodes[key]
	if n == nil {
		n = &Node{ID: fmt.Sprintf("n%d", len(s.Nodes)), Name: name}
		s.nodes[key] = n
		s.Nodes = append(s.Nodes, n)
	}
	return n
}

// missing returns the node of what nobody gives.
func (s *builder) missing(name, what string) *Node {
	n := s.node("missing "+what, name)
	if n.Marks == 0 {
		n.Marks, n.Lines, n.Facts = Missing, []string{what}, []string{name + ": " + what}
	}
	return n
}

// tie adds what one edge stands for.
func (s *builder) tie(from, to *Node, marks Mark, line, fact string) *Edge {
	e := s.between(from, to)
	if e == nil {
		e = &Edge{From: from.ID, To: to.ID, Kind: Required, Marks: marks}
		s.Edges = append(s.Edges, e)
	}
	e.Marks = e.Marks&marks&allOf | (e.Marks|marks)&^allOf
	e.Lines, e.Facts = appendNew(e.Lines, line), appendNew(e.Facts, fact)
	return e
}

func appendNew(all []string, s string) []string {
	if s == "" || slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

// requirementLine is a requirement in short, where it is plain which package is meant.
func requirementLine(r *catalogs.Requirement) string {
	switch {
	case r.API != nil:
		return r.API.String()
	case r.Operator == "" && r.Package != "":
		return r.Range
	}
	return r.String()
}
