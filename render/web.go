package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Web is a picture of who needs whom, before it is laid out.
type Web struct {
	Title string
	Notes []string
	Nodes []*WebNode
	Edges []*WebEdge
}

// WebNode is an operator, a package, a subscription, or what is missing.
type WebNode struct {
	ID      string // n and its index
	Package string // that it is, in a catalog; or ""
	Name    string
	Lines   []string // under its name
	Facts   []string // all that is to be known, a line each
	marks   webMark
}

// WebEdge leads from who requires to who meets it. Two nodes share one edge, whatever there is between them.
type WebEdge struct {
	From, To string   // IDs
	Lines    []string // what is required, in short
	Facts    []string
	marks    webMark
}

// webMark says what is special about a part of a web.
type webMark uint16

const (
	webNew       webMark = 1 << iota // it was not there before
	webMoved                         // it is upgraded
	webHeld                          // something keeps it from its upgrade
	webUnowned                       // no subscription owns it
	webMissing                       // nothing is there that would meet it
	webWish                          // it is a subscription
	webCandidate                     // it could be installed
	webSought                        // the package that was asked about
	webOlder                         // only bundles that are no head require it
	webChoice                        // one of several that could meet it
	webHolds                         // this keeps its target from an upgrade
	webClash                         // one of the reasons that cannot hold together
	webHas                           // it says what a subscription has, and not what is required
	webMutual                        // it has no direction: both ends exclude each other
)

// webAll are the marks that an edge only has while all that it stands for has them.
const webAll = webOlder | webChoice | webHas | webMutual

// spinner makes a web: each node once by its key.
type spinner struct {
	*Web
	nodes map[string]*WebNode
}

func newSpinner() *spinner { return &spinner{Web: &Web{}, nodes: map[string]*WebNode{}} }

// node returns the node of a key, which it makes with this name if there is none.
func (s *spinner) node(key, name string) *WebNode {
	n := s.nodes[key]
	if n == nil {
		n = &WebNode{ID: fmt.Sprintf("n%d", len(s.Nodes)), Name: name}
		s.nodes[key] = n
		s.Nodes = append(s.Nodes, n)
	}
	return n
}

// missing returns the node of what nobody gives.
func (s *spinner) missing(name, what string) *WebNode {
	n := s.node("missing "+what, name)
	if n.marks == 0 {
		n.marks, n.Lines, n.Facts = webMissing, []string{what}, []string{name + ": " + what}
	}
	return n
}

// between returns the edge between two nodes, or nil.
func (w *Web) between(from, to *WebNode) *WebEdge {
	i := slices.IndexFunc(w.Edges, func(e *WebEdge) bool { return e.From == from.ID && e.To == to.ID })
	if i < 0 {
		return nil
	}
	return w.Edges[i]
}

// tie adds what one edge stands for.
func (s *spinner) tie(from, to *WebNode, marks webMark, line, fact string) *WebEdge {
	e := s.between(from, to)
	if e == nil {
		e = &WebEdge{From: from.ID, To: to.ID, marks: marks}
		s.Edges = append(s.Edges, e)
	}
	e.marks = e.marks&marks&webAll | (e.marks|marks)&^webAll
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

// TooLarge reports whether nobody should even try to draw a web.
func (w *Web) TooLarge() bool { return len(w.Nodes) > mostNodes || len(w.Edges) > mostArrows }

// WebSVG makes a picture for browsers of one that Graphviz has laid out from the DOT of a web, as SVG does of a sketch.
func WebSVG(w io.Writer, web *Web, laidOut []byte) error {
	c := &caption{id: "olmgraph-web", title: web.Title, facts: map[string]string{}}
	c.says = append(c.says, count(len(web.Nodes), "node"))
	c.says = append(c.says, web.Notes...)
	for _, n := range web.Nodes {
		c.facts[n.ID] = strings.Join(n.Facts, "\n")
	}
	for _, e := range web.Edges {
		c.facts[e.id()] = strings.Join(e.Facts, "\n")
	}
	return c.dress(w, laidOut)
}

// id is that of the edge: those of its ends, joined by a colon.
func (e *WebEdge) id() string { return e.From + ":" + e.To }
