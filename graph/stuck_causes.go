package graph

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/find"
)

// StuckCause is an entry because of which others are stuck.
type StuckCause struct {
	// Skip is the skips edge from the entry above the stuck ones, because of which OLM v0 does not offer it. To of Skip skips it, but
	// not the stuck ones. To is -1 if no skip is the cause.
	Skip  Edge
	Stuck []Stuck // in the order of the text
}

// StuckCauses returns the stuck entries by their causes: the entry that skips what they upgrade to. The entries below a stuck one
// have the same cause, of several causes the nearest. Those with no skip as a cause come last, together.
func (g *Graph) StuckCauses() []StuckCause {
	all := g.Stuck()
	skips := g.ordering().causingSkips(all)
	var causes []StuckCause
	at := map[int]int{}
	for i, s := range all {
		skip := skips[i]
		n, met := at[skip.To]
		if !met {
			n = len(causes)
			at[skip.To] = n
			causes = append(causes, StuckCause{Skip: skip})
		}
		causes[n].Stuck = append(causes[n].Stuck, s)
	}
	slices.SortStableFunc(causes, func(a, b StuckCause) int { return find.CompareFirst(a.Skip.To >= 0, b.Skip.To >= 0) })
	return causes
}

// causingSkips returns the skip that is the cause of each stuck entry, by a breadth-first search from those that upgrade to a
// skipped entry that is not stuck.
func (o *ordering) causingSkips(all []Stuck) []Edge {
	skips := make([]Edge, len(all))
	at := make(map[int]int, len(all))
	for i, s := range all {
		skips[i] = noEdge
		at[s.Entry] = i
	}
	below := make([][]int, len(all)) // the stuck entries that upgrade to a stuck one
	var queue []int
	for i, s := range all {
		for _, blocked := range s.Blocked {
			above, stuck := at[blocked.Edge.To]
			switch {
			case stuck:
				below[above] = append(below[above], i)
			case blocked.SkippedBy.To >= 0 && (skips[i].To < 0 || o.closerToHead(blocked.SkippedBy.To, skips[i].To)):
				skips[i] = blocked.SkippedBy
			}
		}
		if skips[i].To >= 0 {
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, i := range below[queue[0]] {
			if skips[i].To < 0 {
				skips[i] = skips[queue[0]]
				queue = append(queue, i)
			}
		}
	}
	return skips
}
