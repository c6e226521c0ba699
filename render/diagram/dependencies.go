package diagram

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// onlyIfAll are the marks that an edge has only if all dependencies that it represents have them.
const onlyIfAll = OnlyOlder | OneOfSeveral | HasInstalled | MutuallyExclusive

// builder builds a diagram without groups, with one node for each key.
type builder struct {
	*Diagram
	nodes  map[string]*Node
	edges  map[[2]*Node]*Edge
	prefix string // of the IDs of nodes
}

func newBuilder(k Kind, prefix string) *builder {
	return &builder{&Diagram{Kind: k}, map[string]*Node{}, map[[2]*Node]*Edge{}, prefix}
}

// node returns the node of a key, and creates it with this name if there is none.
func (s *builder) node(key, name string) *Node {
	n := s.nodes[key]
	if n == nil {
		n = &Node{ID: fmt.Sprint(s.prefix, len(s.Nodes)), Name: name}
		s.nodes[key] = n
		s.Nodes = append(s.Nodes, n)
	}
	return n
}

// missing returns the node of a missing requirement.
func (s *builder) missing(what string, state ...string) *Node {
	n := s.node("missing "+what, what)
	if n.Marks == 0 {
		n.Marks, n.Lines, n.Facts = Missing, state, append([]string{what}, state...)
	}
	return n
}

// addEdge adds a dependency to the edge between two nodes, and creates the edge if there is none.
func (s *builder) addEdge(from, to *Node, marks Mark, line, fact string) {
	e := s.edges[[2]*Node{from, to}]
	if e == nil {
		e = &Edge{From: from.ID, To: to.ID, Kind: Required, Marks: marks}
		s.Edges, s.edges[[2]*Node{from, to}] = append(s.Edges, e), e
	}
	e.Marks = e.Marks&marks&onlyIfAll | (e.Marks|marks)&^onlyIfAll
	e.Lines, e.Facts = appendNew(e.Lines, line), appendNew(e.Facts, fact)
}

func appendNew(all []string, s string) []string {
	if s == "" || slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

// requirementLine returns a short form of a requirement, for an edge that shows which package is meant.
func requirementLine(r *catalogs.Requirement) string {
	switch {
	case r.API != nil:
		return r.API.String()
	case r.Operator == "" && r.Package != "":
		return r.Range
	}
	return r.String()
}
