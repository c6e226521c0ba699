package graph

import (
	"fmt"
	"strings"
)

// OrderError says why OLM v0 cannot order the channel: every namespace with a subscription to it stops resolving.
type OrderError struct {
	Heads []string // none, or several
	Empty bool     // the channel has no entries
	Cycle []string // the loop that the walk from the only head runs into, the first name repeated at the end
}

// Error says it in words.
func (e *OrderError) Error() string {
	switch {
	case e.Cycle != nil:
		return "replaces forms a cycle: " + strings.Join(e.Cycle, " -> ")
	case e.Empty:
		return "it has no entries"
	case len(e.Heads) == 0:
		return "no head: every entry is replaced or skipped"
	default:
		return fmt.Sprintf("%d heads: %s", len(e.Heads), strings.Join(e.Heads, ", "))
	}
}

// ordering is the walk along replaces from the only head of a channel. OLM v0 walks through skipped entries, but does not offer them.
type ordering struct {
	*Graph
	walk     []int
	position []int // of each entry in walk, or -1
	offered  []int // walk without the skipped ones
	offers   []bool
	err      *OrderError
}

// Order returns the entries OLM v0 may offer, nearest to the head first: the walk along replaces without the skipped
// ones (OLM: resolver sortChannel).
func (g *Graph) Order() ([]int, *OrderError) {
	o := g.ordering()
	return o.offered, o.err
}

// Offers reports whether an entry is in the order of OLM v0.
func (g *Graph) Offers(i int) bool { return g.ordering().offers[i] }

func (g *Graph) ordering() *ordering { return g.order.value(g.walkOrder) }

func (g *Graph) walkOrder() *ordering {
	o := &ordering{Graph: g, position: make([]int, len(g.Channel.Entries)), offers: make([]bool, len(g.Channel.Entries))}
	for i := range o.position {
		o.position[i] = -1
	}
	i, ok := g.Head()
	if !ok {
		o.err = &OrderError{Heads: g.Names(g.Heads()), Empty: len(g.members) == 0}
		return o
	}
	for ok {
		if o.position[i] >= 0 {
			o.err = &OrderError{Cycle: g.loopNames(o.walk[o.position[i]:])}
			return o
		}
		o.position[i] = len(o.walk)
		o.walk = append(o.walk, i)
		replaced := g.Channel.Entries[i].Replaces.Value
		i, ok = g.Index(replaced)
		ok = ok && replaced != ""
	}
	for _, i := range o.walk {
		if !g.IsSkipped(g.Name(i)) {
			o.offered = append(o.offered, i)
			o.offers[i] = true
		}
	}
	return o
}

// SkippedBy returns the skips edge from an entry, false if it is not skipped. Of several it is the one to the entry that is
// nearest to the head on the walk along replaces, or else to the first in file order.
func (g *Graph) SkippedBy(i int) (Edge, bool) {
	by, found, o := noEdge, false, g.ordering()
	for _, e := range g.Edges(i) {
		if e.Kind == Skips && (!found || o.closerToHead(e.To, by.To)) {
			by, found = e, true
		}
	}
	return by, found
}

// closerToHead reports whether the walk from the head meets a before b.
func (o *ordering) closerToHead(a, b int) bool {
	return o.position[a] >= 0 && (o.position[b] < 0 || o.position[a] < o.position[b])
}
